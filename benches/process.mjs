// Whole-process times: start, read, render, print, end. `make bench`; with YTT=/path/to/ytt each line has ytt's beside it.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const ours = process.argv[2] ?? `${root}target/release/haulout`;
const theirs = process.env.YTT;
const release = `${root}../shared/conformance/fixtures/pinniped/v0.39.0`;

const inputs = [
  ['our Concierge 0.39.0', `${root}templates/pinniped/0.39.0/concierge`],
  ['our Supervisor 0.39.0', `${root}templates/pinniped/0.39.0/supervisor`],
  ['Pinniped’s Concierge v0.39.0', `${release}/concierge`],
  ['Pinniped’s Supervisor v0.39.0', `${release}/supervisor`],
];

/** Milliseconds of the fastest and the middle of many runs, and the largest resident size in MiB. */
function measure(binary, folder) {
  const times = [];
  const until = performance.now() + 2000;
  while (times.length < 10 || (performance.now() < until && times.length < 300)) {
    const started = performance.now();
    const run = spawnSync(binary, ['-f', folder], { stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 });
    times.push(performance.now() - started);
    if (run.status !== 0) throw new Error(`${binary} -f ${folder}: ${run.stderr}`);
  }
  times.sort((a, b) => a - b);
  const timed = spawnSync('bash', ['-c', '/usr/bin/env time -f %M "$0" -f "$1" 2>&1 >/dev/null | tail -1', binary, folder], { encoding: 'utf8' });
  const kib = Number(timed.stdout.trim());
  return { best: times[0], middle: times[times.length >> 1], mib: Number.isFinite(kib) && kib > 0 ? kib / 1024 : NaN };
}

const cell = ({ best, middle, mib }) =>
  `best ${best.toFixed(1)} ms, median ${middle.toFixed(1)} ms${Number.isNaN(mib) ? '' : `, ${mib.toFixed(1)} MiB`}`;

for (const [label, folder] of inputs) {
  if (!existsSync(folder)) {
    console.log(`${label}: skipped, not here`);
    continue;
  }
  const mine = measure(ours, folder);
  let line = `${label}: haulout ${cell(mine)}`;
  if (theirs) {
    const peer = measure(theirs, folder);
    line += `; ytt ${cell(peer)}; ytt takes ${(peer.middle / mine.middle).toFixed(1)} times as long`;
  }
  console.log(line);
}

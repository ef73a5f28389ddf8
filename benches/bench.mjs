// `make bench`: the program as a whole, the engine alone, and the engine as WebAssembly, on the inputs of inputs.mjs.
// One table, printed and written to docs/performance.md. YTT=/path/to/ytt measures that program too, run by run beside ours.
// PINNIPED=/path/to/pinniped/deploy adds its own templates. QUICK=1 measures the smallest size of each family only.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { write } from './inputs.mjs';
import { built, inChromium, inNode } from './wasm.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const binary = process.argv[2] ?? `${root}target/release/haulout`;
const ytt = process.env.YTT;
const budget = 1500;

const loadBefore = loadavg()[0];
let cases = write(`${root}target/bench`);
if (process.env.QUICK) cases = cases.filter((each, index) => each.name !== cases[index - 1]?.name);

/** One run of a program from start to end, in milliseconds. */
function run(program, folder) {
  const started = performance.now();
  const ended = spawnSync(program, ['-f', folder], { stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 });
  const took = performance.now() - started;
  if (ended.status !== 0) throw new Error(`${program} -f ${folder}: ${ended.stderr}`);
  return took;
}

const summary = (times) => {
  times.sort((a, b) => a - b);
  return { best: times[0], middle: times[times.length >> 1] };
};

/**
 * Whole processes; with a peer each run of ours is followed by one of the peer's, so that both see the same machine. A peer that takes
 * half a minute for one run has that one.
 */
function whole({ folder }) {
  const [ours, theirs] = [[], []];
  const until = performance.now() + budget * (ytt ? 2 : 1);
  while (ours.length < 5 || (performance.now() < until && ours.length < 300)) {
    ours.push(run(binary, folder));
    if (ytt && (theirs.length === 0 || performance.now() < until)) theirs.push(run(ytt, folder));
  }
  const ratio = ytt && summary(theirs.map((time, index) => time / ours[index])).middle;
  return { ...summary(ours), peer: ytt && summary(theirs), ratio };
}

/** The most memory that a run holds, in MiB; NaN where there is no `time` to ask. */
function memory(program, { folder }) {
  const timed = spawnSync('/usr/bin/time', ['-f', '%M', program, '-f', folder], { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
  return timed.status === 0 ? Number(timed.stderr.trim().split('\n').pop()) / 1024 : NaN;
}

const UNITS = { ns: 1e-6, 'µs': 1e-3, ms: 1, s: 1e3 };

/** What the program says its work took, from the first file to the last line: the best of some runs. */
function engine({ folder }) {
  const times = Array.from({ length: 5 }, () => {
    const { stderr } = spawnSync(binary, ['-f', folder, '--debug'], { encoding: 'utf8', maxBuffer: 1 << 28 });
    const [, figure, unit] = stderr.match(/^total: ([\d.]+)(ns|µs|ms|s)$/m);
    return Number(figure) * UNITS[unit];
  });
  return Math.min(...times);
}

const number = (value) => (value === undefined || Number.isNaN(value) ? '–' : value < 9.95 ? value.toFixed(1) : value.toFixed(0));

const named = ({ name, size }) => (size ? `${size.toLocaleString('en')} ${name}` : name);

const results = cases.map((each) => {
  const result = { ...each, whole: whole(each), memory: memory(binary, each), peerMemory: ytt && memory(ytt, each), engine: engine(each) };
  console.error(`${named(each)}: ${number(result.whole.best)} ms${ytt ? `, ytt ${number(result.whole.peer.best)}` : ''}`);
  return result;
});
// A page renders what people write; the largest inputs are for the command line.
const paged = results.filter(({ size, name }, index) => !size || results[index + 1]?.name !== name);
const node = built() ? await inNode(paged) : [];
let chromium = [];
if (built()) {
  try {
    chromium = await inChromium(binary, paged);
  } catch (error) {
    console.error(`Chromium was not measured: ${error.message}`);
  }
}
paged.forEach((result, index) => Object.assign(result, { node: node[index]?.best, chromium: chromium[index]?.best }));

/** How much twice as much costs: the mean factor from the smallest size to the largest. */
function slope({ name, size }) {
  const family = results.filter((other) => other.name === name && other.size);
  const [first, last] = [family[0], family[family.length - 1]];
  if (!size || family.length < 2 || last.size !== size) return '';
  return (last.engine / first.engine) ** (1 / Math.log2(last.size / first.size));
}

const rows = results.map((each) => [
  named(each),
  number(each.whole.best),
  number(each.whole.middle),
  number(each.memory),
  number(each.engine),
  slope(each) === '' ? '' : slope(each).toFixed(2),
  number(each.node),
  number(each.chromium),
  ...(ytt
    ? [`${number(each.whole.peer.best)} (×${number(each.whole.ratio)})`, number(each.peerMemory)]
    : [each.recorded ? `${each.recorded * 1000} (recorded)` : '', '']),
]);
const head = ['input', 'process, best', 'median', 'MiB', 'engine', '× per doubling', 'Node', 'Chromium', 'ytt', 'its MiB'];
const table = [head, head.map((_, column) => (column ? '--:' : '---')), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const version = (program, ...args) => spawnSync(program, args, { encoding: 'utf8' }).stdout?.trim().split('\n')[0];
const page = `All times are milliseconds.

- *process*: start, read, render, print, end; *engine*: reading, rendering and printing alone, as \`--debug\` tells.
- *× per doubling*: what twice as much costs the engine, on average over the sizes. 2 is linear.
- *Node*, *Chromium*: the engine as WebAssembly, rendering again in one session.
- *ytt*: ${
  ytt
    ? `${version(ytt, 'version')}, each of its runs beside one of ours; in brackets the median of the ratios.`
    : 'no ytt was at hand. Figures marked as recorded are those of a ytt 0.48 on another machine.'
}

Measured with ${version(binary, 'version')}, ${cpus().length} cores (${cpus()[0].model}), Node ${process.versions.node}. The machine's load was
${loadBefore.toFixed(1)} before and ${loadavg()[0].toFixed(1)} after${loadBefore > 0.5 ? ': other work ran beside it, so the best times say more than the medians' : ''}.

${table}
`;
console.log(page);
if (!process.env.QUICK) {
  const place = `${root}docs/performance.md`;
  const marks = /(<!-- table: [^\n]*-->\n)[^]*?(<!-- end of table -->)/;
  writeFileSync(place, readFileSync(place, 'utf8').replace(marks, (_, begin, end) => `${begin}${page}${end}`));
}

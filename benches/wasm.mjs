// The engine as WebAssembly, in Node and in Chromium: a session that is opened once and rendered again and again, as a
// page does.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';

const root = new URL('../', import.meta.url);
const www = new URL('www/', root);

export const built = () => existsSync(new URL('pkg/haulout_bg.wasm', www));

const files = (folder) =>
  readdirSync(folder)
    .sort()
    .filter((name) => statSync(`${folder}/${name}`).isFile())
    .map((path) => ({ path, data: readFileSync(`${folder}/${path}`, 'utf8') }));

/** Best and median milliseconds of a render, for each set of files. Runs where the engine runs. */
function measure({ Session }, inputs, clock) {
  return inputs.map((files) => {
    const session = Session.open_files(files);
    const times = [];
    const until = clock.now() + 1500;
    while (times.length < 5 || (clock.now() < until && times.length < 300)) {
      const started = clock.now();
      const result = session.render('');
      times.push(clock.now() - started);
      if (result.error) throw new Error(result.error);
    }
    session.free();
    times.sort((a, b) => a - b);
    return { best: times[0], middle: times[times.length >> 1] };
  });
}

const prepare = (cases) => cases.map(({ folder }) => files(folder));

export async function inNode(cases) {
  const engine = await import(new URL('pkg/haulout.js', www));
  engine.initSync({ module: readFileSync(new URL('pkg/haulout_bg.wasm', www)) });
  return measure(engine, prepare(cases), performance);
}

export async function inChromium(binary, cases) {
  const { chromium } = await import('playwright-core');
  const server = spawn(binary, ['serve', '--listen-addr', '127.0.0.1:0', '--dir', www.pathname]);
  const address = await new Promise((resolve, reject) => {
    server.stdout.on('data', (chunk) => {
      const found = String(chunk).match(/http:\/\/127\.0\.0\.1:\d+\//);
      if (found) resolve(found[0]);
    });
    server.on('exit', (code) => reject(new Error(`haulout serve ended with ${code}`)));
  });
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    await page.goto(address);
    // As one text: the page's policy forbids to make code of texts in it.
    return await page.evaluate(`(async () => {
      const engine = await import('/pkg/haulout.js');
      await engine.default();
      return (${measure})(engine, ${JSON.stringify(prepare(cases))}, performance);
    })()`);
  } finally {
    await browser.close();
    server.kill();
  }
}

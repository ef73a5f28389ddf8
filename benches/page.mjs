// What the page costs its visitors, in real Chromium: bytes, the time to the first preview, and from a keystroke to the new one.
//
//     node benches/page.mjs target/release/haulout [ROUNDS]
//
// The page is target/page (`make page`). "cold" is a new profile, "warm" the next visit of the same one; both are from navigation to the
// manifests in the document. A keystroke is from its event to the manifests in the document.
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { chromium } from 'playwright-core';

const [binary = 'target/release/haulout', rounds = '5'] = process.argv.slice(2);
const www = new URL('../target/page/', import.meta.url);
const KEYS = 50;

const sizes = (names) => names.map((name) => readFileSync(new URL(name, www))).map((bytes) => [
  bytes.length,
  gzipSync(bytes, { level: 9 }).length,
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length,
]).reduce((sum, one) => sum.map((size, index) => size + one[index]), [0, 0, 0]);
const row = (what, ...cells) => console.log(what.padEnd(50) + cells.map((cell) => String(cell).padStart(12)).join(''));
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
const ms = (time) => `${time.toFixed(1)} ms`;

row('', 'bytes', 'gzip', 'brotli');
row('engine (aim: under 460,800 gzip)', ...sizes(['pkg/haulout_bg.wasm']));
row('its templates', ...sizes(['pkg/templates.json']));
row('packaging, when it is asked for', ...sizes(['pkg/haulout_packaging.wasm']));
row('page: scripts, styles (aim: under 40,960 gzip)', ...sizes(['app.js', 'worker.js', 'sw.js', 'style.css']));
row('element.js alone', ...sizes(['element.js']));
row('preview: scripts when it is about to be seen', ...sizes(['preview.js', 'dom.js', 'engine.js', 'manifests.js', 'templates.js', 'words.js', 'worker.js']));

const server = spawn(binary, ['serve', '--dir', www.pathname]);
const address = await new Promise((resolve, reject) => {
  server.on('error', reject);
  server.stdout.on('data', (said) => resolve(/http:\/\/[\d.:]+\//.exec(said)[0]));
});
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });

/** Notes in the page when it has manifests. */
const watch = () => {
  const look = () => {
    if (document.getElementById('output')?.childElementCount) globalThis.shownAt ??= performance.now();
    else requestAnimationFrame(look);
  };
  look();
};

async function visit(context) {
  const page = await context.newPage();
  await page.addInitScript(watch);
  // A new window is work for the browser itself, which is no part of a visit.
  await page.waitForTimeout(1_000);
  await page.goto(address);
  const handle = await page.waitForFunction(() => globalThis.shownAt);
  return { page, time: await handle.jsonValue() };
}

const cold = [];
const warm = [];
let typed = [];
for (let round = 0; round < Number(rounds); round += 1) {
  const context = await browser.newContext();
  const first = await visit(context);
  cold.push(first.time);
  await first.page.evaluate(() => navigator.serviceWorker.ready);
  await first.page.waitForTimeout(500);
  await first.page.close();
  const { page, time } = await visit(context);
  warm.push(time);
  await page.getByLabel('Package', { exact: true }).selectOption({ label: 'Pinniped Concierge' });
  await page.waitForFunction(() => document.getElementById('output').textContent.includes('pinniped-concierge'));
  const field = await page.getByRole('textbox', { name: 'Namespace', exact: true }).or(page.getByRole('textbox', { name: 'App name', exact: true })).first().elementHandle();
  typed = typed.concat(await page.evaluate(async ([field, count]) => {
    const output = document.getElementById('output');
    const times = [];
    field.focus();
    await new Promise((resolve) => setTimeout(resolve, 300));
    for (let key = 0; key < count; key += 1) {
      field.value = `auth-${'x'.repeat(1 + (key % 20))}${key}`;
      const before = performance.now();
      const shown = new Promise((resolve) => {
        new MutationObserver((changes, observer) => {
          if (!output.textContent.includes(field.value)) return;
          observer.disconnect();
          resolve(performance.now() - before);
        }).observe(output, { childList: true, subtree: true });
      });
      field.dispatchEvent(new InputEvent('input', { bubbles: true }));
      times.push(await shown);
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    return times;
  }, [field, KEYS]));
  await context.close();
}
console.log('');
row(`time, ${rounds} visits`, 'median', 'best', 'worst');
for (const [what, times] of [['first preview, cold (aim: under 300 ms)', cold], ['first preview, warm', warm], [`keystroke, Concierge (aim: under 16 ms), ${KEYS} a visit`, typed]]) {
  row(what, ms(median(times)), ms(Math.min(...times)), ms(Math.max(...times)));
}
await browser.close();
server.kill();

// How fast the page feels in Chromium: the first preview on a cold and on a warm visit, and from a keystroke to the changed
// manifests of the Concierge. `node benches/page.mjs`, after `make page`; in milliseconds, on whatever machine this is.
import { start, choose } from '../tests/web/support/browser.mjs';

const TURNS = 50;
const site = await start();

const firstPreview = (page) => page.evaluate(() => new Promise((resolve) => {
  const look = () => (document.querySelector('#output .line') ? requestAnimationFrame(() => resolve(performance.now())) : requestAnimationFrame(look));
  look();
}));

const visits = { cold: [], warm: [] };
for (let turn = 0; turn < 5; turn += 1) {
  const { page, context, close } = await site.open({ blank: true, serviceWorkers: 'block' });
  for (const kind of ['cold', 'warm']) {
    await page.goto(site.address);
    visits[kind].push(await firstPreview(page));
  }
  await context.clearCookies();
  await close();
}

const { page, close } = await site.open();
await choose(page, 'Pinniped Concierge');
const times = await page.evaluate(async (turns) => {
  const field = document.querySelector('[data-path="app_name"] input');
  const output = document.getElementById('output');
  const taken = [];
  field.focus();
  for (let turn = 0; turn < turns; turn += 1) {
    await new Promise((resolve) => { setTimeout(resolve, 150); });
    const started = performance.now();
    field.value = `login-${turn}`;
    const shown = new Promise((resolve) => {
      const watch = new MutationObserver(() => {
        if (!output.textContent.includes(`name: login-${turn}\n`)) return;
        watch.disconnect();
        resolve(performance.now());
      });
      watch.observe(output, { childList: true, subtree: true });
    });
    field.dispatchEvent(new Event('input', { bubbles: true }));
    taken.push(await shown - started);
  }
  return taken;
}, TURNS);
await close();
await site.end();

const sorted = (list) => [...list].sort((a, b) => a - b);
const median = (list) => sorted(list)[Math.floor(list.length / 2)];
const line = (what, list) => console.log(`${what}: median ${median(list).toFixed(1)}, worst of ${list.length} ${Math.max(...list).toFixed(1)}`);
line('first preview, cold', visits.cold);
line('first preview, warm', visits.warm);
line('keystroke to changed manifests', times);

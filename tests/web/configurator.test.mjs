// The configurator where others have it: framed in their pages by <haulout-configurator>, and as a site that `haulout site build` wrote.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { binary, commandLine, pictures, rendered, settled, www } from './support/browser.mjs';
import { browse, serve, STRICT, told } from './support/host.mjs';

const SHOP = {
  'schema.yml': '#@data/values-schema\n---\n#@schema/title "Replicas"\nreplicas: 1\n#@schema/title "Colour"\n#@schema/validation one_of=["red", "blue"]\ncolour: red\n',
  'lib/config.yml': '#@ load("@ytt:data", "data")\nkind: Deployment\nmetadata:\n  name: shop\nspec:\n  replicas: #@ data.values.replicas\n  colour: #@ data.values.colour\n',
};
const folder = mkdtempSync(join(tmpdir(), 'haulout-site-'));
let browser;
before(async () => {
  for (const [path, text] of Object.entries(SHOP)) {
    mkdirSync(join(folder, 'my shop', path, '..'), { recursive: true });
    writeFileSync(join(folder, 'my shop', path), text);
  }
  browser = await browse();
});
after(async () => {
  await browser?.end();
  rmSync(folder, { recursive: true });
});

const shop = (values) => rendered(binary, ['-f', join(folder, 'my shop'), ...values]);

test('a page has the configurator in it, for its own templates, under its own strict policy', async () => {
  const host = await serve({
    '/haulout/': www.pathname,
    '/shop/': join(folder, 'my shop'),
    '/shop/files.json': { text: JSON.stringify({ title: 'The shop', files: Object.keys(SHOP) }) },
    '/docs/page.html': { text: '<!doctype html><title>Docs</title><script type="module" src="/haulout/element.js"></script><h1>Docs</h1><haulout-configurator id="a" src="../shop/" lang="de" theme="dark"><pre>as it was built</pre></haulout-configurator>' },
  }, { 'content-security-policy': STRICT, 'x-frame-options': 'DENY' });
  const { page, close } = await browser.open(`${host.address}/docs/page.html`);
  assert.equal((await told(page, 'render')).text, shop([]));
  assert.equal(await page.getByText('as it was built').isVisible(), false);
  const frame = page.frameLocator('iframe');
  await frame.getByRole('spinbutton', { name: 'Replicas' }).or(frame.getByRole('textbox', { name: 'Replicas' })).fill('4');
  assert.deepEqual((({ values, changed }) => [values, changed])(await told(page, 'change')), ['replicas: 4\n', true]);
  await page.waitForFunction(() => globalThis.heard.at(-1).text?.includes('replicas: 4'));
  assert.equal((await told(page, 'render')).text, shop(['--data-value-yaml', 'replicas=4']));
  assert.equal(await page.locator('#a').evaluate((element) => element.exportValues()), 'replicas: 4\n');
  assert.equal(await frame.getByRole('tab', { name: 'Formular' }).isVisible(), true);
  assert.equal(await frame.locator('html').evaluate((root) => getComputedStyle(root).colorScheme), 'dark');
  await page.screenshot({ path: `${pictures}configurator-framed.png` });
  // Taken out and put back, it has what was typed.
  await page.evaluate(async () => {
    const element = document.getElementById('a');
    const { parentElement } = element;
    element.remove();
    await new Promise((resolve) => setTimeout(resolve, 50));
    globalThis.heard.length = 0;
    parentElement.append(element);
  });
  assert.equal((await told(page, 'render')).text, shop(['--data-value-yaml', 'replicas=4']));
  await frame.getByRole('tab', { name: 'YAML' }).click();
  await frame.locator('#values').fill('colour: green');
  assert.match((await told(page, 'error')).error, /must be: one of \["red", "blue"\]/);
  await close();
  host.end();
});

test('without templates of its own a page offers the carried packages; without its files it says so', async () => {
  const host = await serve({
    '/haulout/': www.pathname,
    '/a.html': { text: '<!doctype html><title>Docs</title><script type="module" src="/haulout/element.js"></script><haulout-configurator id="a" src="pinniped/concierge"></haulout-configurator>' },
    '/b.html': { text: '<!doctype html><title>Docs</title><script type="module" src="/haulout/element.js"></script><haulout-configurator id="b" base="/nowhere/" src="pinniped/concierge"><pre>as it was built</pre></haulout-configurator>' },
  }, { 'content-security-policy': STRICT });
  const one = await browser.open(`${host.address}/a.html`, { viewport: { width: 390, height: 844 } });
  assert.equal((await told(one.page, 'render')).text, commandLine('pinniped/concierge', '').out);
  assert.ok(await one.page.frames()[1].evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the frame is not wider than its window');
  await one.page.screenshot({ path: `${pictures}configurator-phone.png` });
  await one.close();
  const other = await browser.open(`${host.address}/b.html`, { expected: /404/ });
  assert.match((await told(other.page, 'error')).error, /^Requesting URL '.*\/nowhere\/index\.html': 404/);
  assert.equal(await other.page.getByText('as it was built').isVisible(), true);
  assert.match(await other.page.locator('#b [part=error]').textContent(), /404/);
  await other.close();
  host.end();
});

test('a site of one’s own templates works below any path, and without a network after one visit', async () => {
  cpSync(join(folder, 'my shop'), join(folder, 'other'), { recursive: true });
  const site = join(folder, 'site');
  rendered(binary, ['site', 'build', '--source', join(folder, 'my shop'), '--source', join(folder, 'other'), '--out', site, '--dir', www.pathname]);
  const host = await serve({ '/deep/below/': site });
  const { page, context, close } = await browser.open(`${host.address}/deep/below/`);
  await settled(page);
  assert.equal(await page.locator('#output').textContent(), shop([]));
  assert.deepEqual(await page.getByLabel('Package', { exact: true }).locator('option').allTextContents(), ['my shop', 'other', 'Your own files']);
  await page.getByRole('textbox', { name: 'Replicas' }).fill('7');
  await settled(page);
  assert.equal(await page.locator('#output').textContent(), shop(['--data-value-yaml', 'replicas=7']));
  await page.getByRole('tab', { name: 'Take away' }).click();
  assert.match(await page.locator('#command').textContent(), /^haulout -f 'my shop' /);
  const link = await page.locator('#link').inputValue();
  await page.evaluate(async () => {
    const { active } = await navigator.serviceWorker.ready;
    if (active.state !== 'activated') await new Promise((resolve) => active.addEventListener('statechange', resolve));
  });
  await context.setOffline(true);
  await page.evaluate(() => localStorage.clear());
  await page.goto('about:blank');
  await page.goto(link);
  await settled(page);
  assert.equal(await page.locator('#output').textContent(), shop(['--data-value-yaml', 'replicas=7']));
  await page.getByLabel('Package', { exact: true }).selectOption('other');
  await settled(page);
  assert.equal(await page.locator('#output').textContent(), shop([]));
  await close();
  host.end();
});

// <haulout-preview> on pages of others: what it shows is what the command line prints, under a policy as strict as can be.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { binary, commandLine, pictures, rendered, www } from './support/browser.mjs';
import { browse, serve, STRICT, told } from './support/host.mjs';

const axe = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const CONFIG = '#@ load("@ytt:data", "data")\nreplicas: #@ data.values.replicas\nname: quay\n';
const VALUES = '#@data/values\n---\nreplicas: 1\n';
let host;
let browser;
before(async () => {
  host = await serve({ '/haulout/': www.pathname, '/again/': www.pathname }, { 'content-security-policy': STRICT });
  browser = await browse();
});
after(async () => {
  await browser?.end();
  host?.end();
});

/** Opens a page with this inside its body. */
function open(body, { script = '<script type="module" src="/haulout/element.js"></script>', head = '', ...options } = {}) {
  const path = '/docs/page.html';
  host.places[path] = { text: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Docs</title>${head}${script}</head><body><main><h1>Docs</h1>${body}</main></body></html>` };
  return browser.open(host.address + path, options);
}

const output = (page, id) => page.locator(`#${id} [part=preview]`).textContent();
const errors = (page, id) => page.locator(`#${id} [part=error]`).textContent();

test('a package is shown as the command line prints it, and what stood inside goes', async () => {
  const { page, close } = await open('<haulout-preview id="a" src="pinniped/concierge" values="replicas: 3"><pre>as it was built</pre></haulout-preview>');
  const { text, ms, documents } = await told(page, 'render');
  const expected = commandLine('pinniped/concierge', 'replicas: 3').out;
  assert.equal(text, expected);
  assert.equal(await output(page, 'a'), expected);
  assert.ok(ms > 0 && documents.some(({ kind }) => kind === 'Deployment'));
  assert.equal(await page.getByText('as it was built').isVisible(), false);
  await page.getByLabel('Values').fill('replicas: 7');
  const { values, changed } = await told(page, 'change');
  assert.deepEqual([values, changed], ['replicas: 7', true]);
  await told(page, 'render', { count: 2 });
  assert.equal(await output(page, 'a'), commandLine('pinniped/concierge', 'replicas: 7').out);
  assert.equal(await page.locator('#a').evaluate((element) => element.exportValues()), 'replicas: 7');
  await close();
});

test('what is wrong is said in the command line’s words, beside the last result', async () => {
  const { page, close } = await open('<haulout-preview id="a" src="pinniped/concierge" values="log_level: info"></haulout-preview>');
  await told(page, 'render');
  await page.getByLabel('Values').fill('replicas: 1\nlog_level: loud');
  const { error, diagnostics } = await told(page, 'error');
  const expected = commandLine('pinniped/concierge', 'replicas: 1\nlog_level: loud').err;
  assert.equal(error.trim(), expected.trim());
  assert.deepEqual(diagnostics[0].path, ['log_level']);
  assert.ok((await errors(page, 'a')).startsWith(expected.trim()));
  assert.equal(await page.getByLabel('Values').getAttribute('aria-invalid'), 'true');
  assert.ok((await output(page, 'a')).includes('kind: Deployment'));
  await page.getByRole('button', { name: 'stdin.yml:2' }).click();
  assert.equal(await page.getByLabel('Values').evaluate((box) => box.value.slice(box.selectionStart, box.selectionEnd)), 'log_level: loud');
  await page.getByLabel('Values').fill('log_level: debug');
  await told(page, 'render', { count: 2 });
  assert.equal(await page.locator('#a [part=error]').isHidden(), true);
  await close();
});

test('templates inside the element stay beside their result, and are followed', async () => {
  const { page, close } = await open(`<haulout-preview id="a" loading="eager"><pre data-path="config.yml">${CONFIG}</pre><pre data-path="values.yml">${VALUES}</pre></haulout-preview>`);
  await told(page, 'render');
  assert.equal(await output(page, 'a'), 'replicas: 1\nname: quay\n');
  assert.equal(await page.getByText('#@data/values').isVisible(), true);
  await page.locator('pre').nth(1).evaluate((pre) => { pre.textContent = '#@data/values\n---\nreplicas: 4\n'; });
  await told(page, 'render', { count: 2 });
  assert.equal(await output(page, 'a'), 'replicas: 4\nname: quay\n');
  await page.locator('pre').nth(0).evaluate((pre) => { pre.textContent = 'a: 1\nb: #@ no.such\n'; });
  const { error } = await told(page, 'error');
  assert.match(error, /config\.yml:2/);
  await page.getByRole('button', { name: 'config.yml:2' }).click();
  assert.equal(await page.evaluate(() => getSelection().toString()), 'b: #@ no.such');
  await close();
});

test('a folder, a file, an archive: what a src names', async () => {
  const folder = { 'files.json': JSON.stringify({ files: ['a b#1.yml', 'sub/values.yml'] }), 'a%20b%231.yml': CONFIG, 'sub/values.yml': VALUES };
  for (const [name, text] of Object.entries(folder)) host.places[`/src/${decodeURIComponent(name)}`] = { text };
  host.places['/src/one.yml'] = { text: 'one: 1\n' };
  const archived = new URL('../pinniped/', import.meta.url).pathname;
  host.places['/src/tree.tgz'] = { text: rendered('tar', ['-cz', '-C', archived, '0.39.0/concierge'], 'buffer'), kind: 'application/gzip' };
  const { page, close } = await open('<haulout-preview id="a" src="/src/"></haulout-preview><haulout-preview id="b" src="../src/one.yml"></haulout-preview><haulout-preview id="c" src="/src/tree.tgz"></haulout-preview>');
  await told(page, 'render', { count: 3 });
  assert.equal(await output(page, 'c'), rendered(binary, ['-f', join(archived, '0.39.0/concierge')]));
  assert.equal(await output(page, 'a'), 'replicas: 1\nname: quay\n');
  assert.equal(await output(page, 'b'), 'one: 1\n');
  await close();
});

test('a src that is not there, or leads elsewhere, is said in the command line’s words; what stood inside stays', async () => {
  const { page, close } = await open('<haulout-preview id="a" src="/none/"><pre>as it was</pre></haulout-preview>'
    + '<haulout-preview id="b" src="/wild/"></haulout-preview><haulout-preview id="c" src="pinniped/walrus"></haulout-preview>'
    + '<haulout-preview id="d" src="http://["></haulout-preview><haulout-preview id="e"></haulout-preview>'
    + '<haulout-preview id="f" src="/html/"></haulout-preview>', { expected: /404/, ...(host.places['/wild/files.json'] = { text: '{"files": ["../../../elsewhere.yml"]}' }, host.places['/html/files.json'] = { text: '<!doctype html>' }, {}) });
  await told(page, 'error', { count: 6 });
  assert.equal((await errors(page, 'a')), `Requesting URL '${host.address}/none/files.json': 404 Not Found`);
  assert.equal(await page.getByText('as it was').isVisible(), true);
  assert.match(await errors(page, 'b'), /expected a path below/);
  assert.match(await errors(page, 'c'), /there is no package 'pinniped\/walrus'/);
  assert.match(await errors(page, 'd'), /expected a package or a URL/);
  assert.match(await errors(page, 'e'), /expected templates/);
  assert.match(await errors(page, 'f'), /expected .* found <!doctype html>/);
  await close();
});

test('show leaves the documents that it names', async () => {
  const { page, close } = await open('<haulout-preview id="a" src="pinniped/concierge" show="deployment/pinniped-concierge"></haulout-preview>'
    + '<haulout-preview id="b" src="pinniped/concierge" show="ServiceAccount, */pinniped-concierge-api"></haulout-preview>'
    + '<haulout-preview id="c" src="pinniped/concierge" show="Walrus"></haulout-preview>');
  await told(page, 'render', { count: 3 });
  const all = commandLine('pinniped/concierge', '').out.split(/^---\n/m);
  assert.equal(await output(page, 'a'), all.find((text) => /^kind: Deployment$/m.test(text)));
  const wanted = all.filter((text) => /^kind: ServiceAccount$/m.test(text) || /^ {2}name: pinniped-concierge-api$/m.test(text));
  assert.equal((await output(page, 'b')).replaceAll(/^---\n/gm, ''), wanted.join(''));
  assert.match(await page.locator('#c').evaluate((element) => element.shadowRoot.textContent), /No document matches/);
  await page.locator('#a').evaluate((element) => { element.show = ''; });
  await told(page, 'render', { id: 'a', count: 2 });
  assert.equal(await output(page, 'a'), all.join('---\n'));
  await close();
});

test('nothing heavy is loaded before an element is about to be seen, and a click can be waited for', async () => {
  host.requests.length = 0;
  const { page, close } = await open('<div class="far"></div><haulout-preview id="a" src="pinniped/concierge"><pre>until then</pre></haulout-preview>'
    + '<haulout-preview id="b" loading="click" src="pinniped/supervisor"><span slot="start">Try it</span></haulout-preview>',
  { head: '<link rel="stylesheet" href="/far.css">', ...(host.places['/far.css'] = { text: '.far { height: 6000px; }' }, {}) });
  await page.waitForFunction(() => customElements.get('haulout-preview'));
  await page.waitForTimeout(300);
  assert.deepEqual(host.requests.filter((path) => path.startsWith('/haulout/')), ['/haulout/element.js']);
  await page.locator('#a').scrollIntoViewIfNeeded();
  await told(page, 'render', { id: 'a' });
  assert.equal((await page.evaluate(() => globalThis.heard)).length, 1);
  await page.getByRole('button', { name: 'Try it' }).click();
  await told(page, 'render', { id: 'b' });
  assert.equal(await output(page, 'b'), commandLine('pinniped/supervisor', '').out);
  await close();
});

test('many elements share one worker; removed, moved and put back they go on', async () => {
  const { page, close } = await open(Array.from({ length: 30 }, (_, index) => `<haulout-preview id="p${index}" loading="eager" src="pinniped/concierge" show="Deployment" values="replicas: ${index}"></haulout-preview>`).join(''), { expected: /./ });
  await page.waitForFunction(() => new Set(globalThis.heard.map(({ id }) => id)).size === 30, null, { timeout: 60_000 });
  assert.equal(page.workers().length, 1);
  assert.match(await output(page, 'p7'), /^ {2}replicas: 7$/m);
  const count = await page.evaluate(async () => {
    const element = document.getElementById('p7');
    const { parentElement } = element;
    for (let turn = 0; turn < 20; turn += 1) {
      element.remove();
      if (turn % 2) await new Promise((resolve) => setTimeout(resolve, 1));
      parentElement.prepend(element);
      element.setAttribute('values', `replicas: ${turn}`);
    }
    const detail = await element.render();
    return detail.text.match(/^ {2}replicas: (\d+)$/m)[1];
  });
  assert.equal(count, '19');
  assert.match(await output(page, 'p7'), /^ {2}replicas: 19$/m);
  await close();
});

test('a worker that breaks, and a template that does not end, are the end of nothing', async () => {
  const endless = '#@ def f():\n#@ for i in range(1000000000):\n#@ for j in range(1000000000):\n#@ x = j\n#@ end\n#@ end\n#@ end\na: #@ f()\n';
  const { page, close } = await open(`<haulout-preview id="b" src="pinniped/concierge" values=""></haulout-preview><haulout-preview id="a" loading="click"><pre>${endless}</pre></haulout-preview>`);
  await told(page, 'render', { id: 'b' });
  await page.workers()[0].evaluate(() => {
    globalThis.onmessage = ({ data }) => globalThis.postMessage({ id: data.id, failure: 'unreachable', broken: true });
  });
  await page.locator('#b').getByLabel('Values').fill('replicas: 5');
  assert.equal((await told(page, 'error', { id: 'b' })).error, 'unreachable');
  await page.locator('#b').getByLabel('Values').fill('replicas: 6');
  await told(page, 'render', { id: 'b', count: 2 });
  assert.equal(await output(page, 'b'), commandLine('pinniped/concierge', 'replicas: 6').out);
  await page.getByRole('button', { name: 'Show the live preview' }).click();
  await page.locator('#b').getByLabel('Values').fill('replicas: 7');
  await told(page, 'error', { id: 'a' });
  assert.match(await errors(page, 'a'), /stopped|steps/);
  await told(page, 'render', { id: 'b', count: 3 });
  assert.equal(await output(page, 'b'), commandLine('pinniped/concierge', 'replicas: 7').out);
  await close();
});

test('properties set before and after the element is known; two copies of the script', async () => {
  const { page, close } = await open('<haulout-preview id="a" loading="eager"></haulout-preview>', { script: '' });
  await page.evaluate(() => {
    const element = document.getElementById('a');
    element.files = { 'a.yml': 'x: 1\n' };
    element.show = undefined;
    for (const folder of ['haulout', 'again']) document.head.append(Object.assign(document.createElement('script'), { type: 'module', src: `/${folder}/element.js` }));
  });
  await told(page, 'render');
  assert.equal(await output(page, 'a'), 'x: 1\n');
  await page.evaluate(() => { document.getElementById('a').files = [{ path: 'a.yml', data: new TextEncoder().encode('#@ load("@ytt:data", "data")\nx: #@ data.values.x\n') }, { path: 'v.yml', data: '#@data/values\n---\nx: 1\n' }]; });
  await told(page, 'render', { count: 2 });
  await page.evaluate(() => { document.getElementById('a').values = { x: [1, { y: 'é\n' }] }; });
  await told(page, 'render', { count: 3 });
  assert.equal(await output(page, 'a'), 'x:\n- 1\n- "y": |\n    é\n'.replace('"y"', await output(page, 'a').then((text) => (text.includes('"y"') ? '"y"' : 'y'))));
  await close();
});

test('hostile templates, values and attributes are text, and nothing more', async () => {
  const { page, close } = await open('<haulout-preview id="a" loading="eager" values=""></haulout-preview>');
  await page.evaluate(() => { document.getElementById('a').files = { '<img src=x onerror=alert(1)>.yml': '"</pre><script>alert(1)</script>": "<b>&amp;"\n' }; });
  await told(page, 'render');
  assert.match(await output(page, 'a'), /<\/pre><script>/);
  const odd = ['a: [', '\t', '{'.repeat(4000), 'a: &a [*a]', '"\\ud800"', '__proto__: {a: 1}', 'a'.repeat(200_000), '- 1', '\u0000', '<script>'];
  const answers = await page.evaluate(async (odd) => {
    const element = document.getElementById('a');
    const answers = [];
    for (const values of odd) {
      element.values = values;
      answers.push(typeof (await element.render()));
      for (const name of ['show', 'theme', 'loading', 'src', 'data-x']) element.setAttribute(name, values.slice(0, 1000));
      answers.push(typeof (await element.render()));
      for (const name of ['show', 'theme', 'loading', 'src']) element.removeAttribute(name);
    }
    element.values = '';
    return [...answers, (await element.render()).text];
  }, odd);
  assert.match(answers.at(-1), /<b>&amp;/);
  assert.ok(answers.every((answer) => answer === 'object' || answer === answers.at(-1)));
  await close();
});

for (const [label, options] of [['light', {}], ['dark', { colorScheme: 'dark' }], ['phone', { viewport: { width: 390, height: 844 } }]]) {
  test(`anyone can use it: ${label}`, async () => {
    host.places['/page.css'] = { text: ':root { color-scheme: light dark; background: light-dark(#fff, #16181a); color: light-dark(#222, #ddd); } body { font: 1rem/1.5 Georgia, serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; } pre { overflow: auto; }' };
    const { page, close } = await open(`<p>The Concierge runs as many replicas as you ask for.</p><haulout-preview id="a" src="pinniped/concierge" values="replicas: 3\nlog_level: debug" show="Deployment"></haulout-preview>
      <p>A template, and what comes of it:</p><haulout-preview id="b" values="replicas: 2"><pre data-path="config.yml">${CONFIG}</pre><pre data-path="values.yml">${VALUES}</pre></haulout-preview>
      <p>A mistake:</p><haulout-preview id="c" src="pinniped/concierge" values="log_level: loud" show="Deployment"></haulout-preview>
      <p>On a click:</p><haulout-preview loading="click" src="pinniped/supervisor"><pre>kind: Deployment</pre></haulout-preview>`,
    { head: '<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/page.css">', viewport: { width: 900, height: 1000 }, bypassCSP: true, ...options });
    for (const id of ['b', 'c']) await page.locator(`#${id}`).scrollIntoViewIfNeeded();
    await told(page, 'render', { count: 2 });
    await told(page, 'error');
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    assert.deepEqual(serious.map(({ id, nodes }) => `${id}: ${nodes[0].html} ${nodes[0].failureSummary}`), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is not wider than the window');
    await page.screenshot({ path: `${pictures}element-${label}.png`, fullPage: true });
    await close();
  });
}

// What surrounds the form: the result, links, files, languages, reloads, no network, and who can read it all.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { binary, choose, commandLine, output, pictures, settled, start, valuesText, write, www } from './support/browser.mjs';

let site;
before(async () => { site = await start(); });
after(() => site?.end());

const exact = (name) => ({ name, exact: true });
const field = (page, title) => page.getByRole('textbox', exact(title));
const axe = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

/** What axe finds that is serious. */
async function findings(page) {
  // The page's own policy lets no foreign script in; the test's tool is put in by the browser itself.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary}`).join('; ')}`);
}

for (const [label, options] of [
  ['light', { viewport: { width: 1360, height: 860 } }],
  ['dark', { viewport: { width: 1360, height: 860 }, colorScheme: 'dark' }],
  ['phone', { viewport: { width: 390, height: 844 } }],
]) {
  test(`nothing serious is in the way of anyone: ${label}`, async () => {
    const { page, close } = await site.open({ bypassCSP: true, reducedMotion: 'reduce', ...options });
    const fits = async () => {
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wider <= 0, `the page is ${wider} pixels wider than the window`);
    };
    await field(page, 'App name').fill('login');
    await settled(page);
    await page.waitForFunction(() => document.querySelector('.line.lit'));
    await page.screenshot({ path: `${pictures}${label}.png` });
    // One document has all that the others have, and axe looks at each piece of text.
    await page.getByRole('searchbox', { name: 'Filter documents' }).fill('Deployment/');
    assert.deepEqual(await findings(page), []);
    await fits();
    await page.locator('#output .line').filter({ hasText: 'replicas:' }).click();
    await page.locator('#source').waitFor();
    assert.deepEqual(await findings(page), [], 'source');
    await fits();
    await page.screenshot({ path: `${pictures}${label}-source.png` });
    await page.getByRole('button', exact('Close')).click();
    for (const tab of ['Changes', 'Install', 'Take away', 'YAML']) {
      await page.getByRole('tab', exact(tab)).click();
      await settled(page);
      assert.deepEqual(await findings(page), [], tab);
      await fits();
      await page.screenshot({ path: `${pictures}${label}-${tab.replace(' ', '-').toLowerCase()}.png` });
    }
    await page.getByRole('tab', exact('Form')).click();
    await page.getByRole('switch', exact('Set HTTPS proxy')).check();
    await settled(page);
    assert.deepEqual(await findings(page), [], 'errors');
    await fits();
    await page.screenshot({ path: `${pictures}${label}-errors.png` });
    await close();
  });
}

test('printed, it is the manifests, all of them', async () => {
  const { page, close } = await site.open({ viewport: { width: 1360, height: 860 }, colorScheme: 'dark' });
  const pdf = (await page.pdf({ path: `${pictures}print.pdf`, format: 'A4' })).toString('latin1');
  const pages = pdf.match(/\/Type \/Page\b/g).length;
  const lines = (await output(page)).split('\n').length;
  assert.ok(pages > lines / 80 && pages < lines / 30, `${pages} pages for ${lines} lines`);
  await page.emulateMedia({ media: 'print' });
  const parts = await page.evaluate(() => ['header', '#input', '#result .bar', 'nav', '#output'].map((place) => document.querySelector(place).checkVisibility()));
  assert.deepEqual(parts, [false, false, false, false, true]);
  assert.equal(await page.locator('#output').evaluate((pre) => pre.scrollHeight - pre.clientHeight), 0);
  assert.equal(await page.title(), 'Pinniped Supervisor 0.39.0 - haulout');
  await close();
});

test('the outline leads to documents, and a filter leaves those that fit', async () => {
  const { page, close } = await site.open();
  const outline = page.getByRole('navigation', { name: 'Documents' });
  assert.equal(await outline.getByRole('button').count(), 18);
  await page.getByRole('searchbox', { name: 'Filter documents' }).fill('deployment/');
  assert.equal(await outline.getByRole('button').filter({ visible: true }).count(), 1);
  assert.equal(await page.locator('#output .document:visible').count(), 1);
  await page.getByRole('searchbox', { name: 'Filter documents' }).fill('nothing like it');
  assert.equal(await page.getByText('No document matches.').isVisible(), true);
  await close();
});

test('a field lights the lines that follow from it', async () => {
  const { page, close } = await site.open();
  await field(page, 'Replicas').fill('7');
  await settled(page);
  await page.waitForFunction(() => document.querySelector('.line.lit')?.textContent === '  replicas: 7\n');
  assert.equal(await page.locator('.line.lit').count(), 1);
  // A field that has its default lights what would follow from another value.
  await page.getByRole('combobox', exact('Log level')).focus();
  await page.waitForFunction(() => document.getElementById('reach').textContent.includes('Log level'));
  assert.ok(await page.locator('.line.lit').count() > 0);
  await close();
});

test('the changes are those to the defaults', async () => {
  const { page, close } = await site.open();
  await page.getByRole('tab', exact('Changes')).click();
  assert.match(await page.locator('#changes-panel').textContent(), /Nothing differs/);
  await write(page, 'replicas: 3\nimage_pull_dockerconfigjson: eyJhdXRocyI6e319\n');
  const lines = (kind) => page.locator(`#difference .${kind}`).evaluateAll((rows) => rows.map((row) => row.textContent.replace(/^[-+](added|removed): /, '')));
  const [before, now] = ['', await valuesText(page)].map((text) => commandLine('pinniped/supervisor', text).out.split('\n'));
  assert.deepEqual(await lines('removed'), ['  replicas: 2']);
  const added = await lines('added');
  assert.equal(added.length, now.length - before.length + 1);
  assert.ok(added.includes('kind: Secret') && added.includes('  replicas: 3'));
  // A document that came is shown whole, from its start.
  assert.equal(added[added.indexOf('kind: Secret') - 2], '---');
  await close();
});

test('a link carries the values but no secret, and gives the same page again', async () => {
  const { page, close } = await site.open();
  await choose(page, 'Pinniped Concierge');
  await write(page, 'replicas: 3\nimage_pull_dockerconfigjson: eyJhdXRocyI6e319\nhttps_proxy: http://me:word@proxy.example\ncustom_labels:\n  z: "1"\n  a: ünïcode\n');
  await page.getByRole('tab', exact('Take away')).click();
  await settled(page);
  const link = await page.getByRole('textbox', exact('Link to these values')).inputValue();
  assert.match(link, /#1[\w-]+$/);
  assert.match(await page.locator('#link-left').textContent(), /image_pull_dockerconfigjson, https_proxy/);
  assert.doesNotMatch(await page.locator('#command').textContent(), /eyJh/);
  assert.doesNotMatch(await page.locator('#take-panel').textContent(), /eyJh/);
  await page.getByRole('button', exact('Copy: Link to these values')).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link);
  const there = await site.open({ fragment: link.slice(link.indexOf('#')) });
  const shared = 'replicas: 3\ncustom_labels:\n  z: "1"\n  a: "ünïcode"\n';
  assert.equal(await valuesText(there.page), shared);
  assert.equal(await output(there.page), commandLine('pinniped/concierge', shared).out);
  assert.equal(await there.page.evaluate(() => location.hash), '');
  await there.close();
  for (const [fragment, says] of [['#1AAAA', 'cannot be read'], ['#1!', ''], ['#9abc', 'later version'], ['#1eJw', 'cannot be read']]) {
    const other = await site.open({ fragment });
    if (says) assert.match(await other.page.locator('#notice').textContent(), new RegExp(says), fragment);
    assert.equal(await output(other.page), commandLine('pinniped/supervisor', '').out);
    await other.close();
  }
  await close();
});

test('a reload keeps the state, but not the secrets', async () => {
  const { page, close } = await site.open();
  await choose(page, 'Pinniped Concierge');
  await write(page, '# mine\nreplicas: 3\n');
  await page.reload();
  await settled(page);
  assert.equal(await valuesText(page), '# mine\nreplicas: 3\n');
  assert.equal(await output(page), commandLine('pinniped/concierge', 'replicas: 3\n').out);
  await write(page, 'replicas: 3\nimage_pull_dockerconfigjson: eyJhdXRocyI6e319\n');
  assert.doesNotMatch(await page.evaluate(() => JSON.stringify(localStorage)), /eyJh/);
  await page.reload();
  await settled(page);
  assert.equal(await valuesText(page), 'replicas: 3\n');
  assert.match(await page.locator('#notice').textContent(), /Secrets/);
  await close();
});

test('values files go out and come in; the command line shown gives what is shown', async () => {
  const { page, close } = await site.open();
  const folder = mkdtempSync(join(tmpdir(), 'haulout-page-'));
  await field(page, 'Replicas').fill('3');
  await settled(page);
  await page.getByRole('tab', exact('Take away')).click();
  await page.getByRole('combobox', exact('Style')).selectOption('annotated');
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', exact('Download: Values file')).click();
  const file = join(folder, 'values.yaml');
  await (await waiting).saveAs(file);
  assert.equal(readFileSync(file, 'utf8'), '#@data/values\n---\nreplicas: 3\n');
  const manifests = page.waitForEvent('download');
  await page.getByRole('button', exact('Download: Rendered manifests')).click();
  await (await manifests).saveAs(join(folder, 'manifests.yaml'));
  assert.equal(readFileSync(join(folder, 'manifests.yaml'), 'utf8'), commandLine('pinniped/supervisor', 'replicas: 3\n').out);
  const command = await page.locator('#command').textContent();
  const run = spawnSync('sh', ['-c', command.replace(/^haulout/, binary)], { encoding: 'utf8', maxBuffer: 1 << 26 });
  assert.equal(run.stdout, await output(page));
  await page.getByRole('button', exact('Start again')).click();
  await settled(page);
  for (const [text, expected] of [[readFileSync(file, 'utf8'), 'replicas: 3\n'], ['# theirs\nreplicas: 4\n', '# theirs\nreplicas: 4\n']]) {
    writeFileSync(file, text);
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Import a values file…' }).click();
    await (await chooser).setFiles(file);
    await page.waitForFunction((value) => document.getElementById('values').value === value, expected);
    await settled(page);
    assert.equal(await output(page), commandLine('pinniped/supervisor', expected).out);
  }
  rmSync(folder, { recursive: true });
  await close();
});

test('it speaks German, and remembers it', async () => {
  const { page, close } = await site.open();
  await field(page, 'Replicas').fill('3');
  await page.getByRole('combobox', exact('Language')).selectOption('de');
  await settled(page);
  await page.getByRole('button', exact('Replicas zurücksetzen')).waitFor();
  assert.match(await page.locator('#status').textContent(), /18 Dokumente/);
  await page.reload();
  await settled(page);
  await page.getByRole('tab', exact('Formular')).waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.lang), 'de');
  const missing = await page.evaluate(async () => (await import('./words.js')).languageGaps());
  assert.deepEqual(missing, []);
  await close();
});

test('it works by the keyboard alone', async () => {
  const { page, close } = await site.open();
  await page.getByRole('tab', exact('Form')).focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.getByRole('tab', exact('YAML')).getAttribute('aria-selected'), 'true');
  await page.keyboard.press('ArrowLeft');
  for (let presses = 0; presses < 12; presses += 1) {
    await page.keyboard.press('Tab');
    if (await field(page, 'App name').evaluate((node) => node === document.activeElement)) break;
  }
  await page.keyboard.type('login');
  await settled(page);
  assert.equal(await valuesText(page), 'app_name: login\n');
  await close();
});

/** What the page itself does not load: the elements, for other pages. */
const ELSEWHERE = ['element.js', 'frame.js', 'preview.js'];

test('after one visit it works without a network', async () => {
  const kept = readFileSync(new URL('../../www/sw.js', import.meta.url), 'utf8');
  for (const file of readdirSync(www)) {
    const name = file.replace(/\.js$/, '');
    if (!['index.html', 'sw.js', 'pkg'].includes(file) && !ELSEWHERE.includes(file)) assert.match(kept, new RegExp(`[' ]${name}[' .]`), `sw.js keeps ${file}`);
  }
  const { page, context, close } = await site.open();
  await page.evaluate(async () => {
    const { active } = await navigator.serviceWorker.ready;
    if (active.state !== 'activated') await new Promise((resolve) => active.addEventListener('statechange', resolve));
  });
  await context.setOffline(true);
  await page.reload();
  await settled(page);
  await field(page, 'Replicas').fill('3');
  await settled(page);
  assert.match(await output(page), /replicas: 3/);
  await close();
});

test('scripts and styles stay under 40 KB, compressed', async () => {
  const { page, context, close } = await site.open({ blank: true });
  const loaded = new Set(['sw.js']);
  context.on('request', (request) => {
    const name = request.url().slice(site.address.length);
    if (/\.(js|css)$/.test(name)) loaded.add(name);
  });
  await page.goto(site.address);
  await settled(page);
  for (const tab of ['Changes', 'Install', 'Take away', 'YAML']) {
    await page.getByRole('tab', exact(tab)).click();
    await settled(page);
  }
  await page.getByRole('combobox', exact('Language')).selectOption('de');
  await settled(page);
  assert.deepEqual([...loaded].sort(), ['app.js', 'style.css', 'sw.js', 'worker.js']);
  const sizes = [...loaded].map((name) => [gzipSync, brotliCompressSync].map((compress) => compress(readFileSync(new URL(name, www)), { level: 9 }).length));
  const [gzip, brotli] = [0, 1].map((kind) => sizes.reduce((sum, size) => sum + size[kind], 0));
  console.log(`scripts and styles: ${gzip} bytes gzipped, ${brotli} in brotli`);
  assert.ok(gzip < 40 * 1024, `${gzip} bytes`);
  await close();
});

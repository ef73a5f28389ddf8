// Between the values and the result: where a line comes from, what it follows from, what differs from what.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { binary, choose, commandLine, onDisk, openOwn, output, pictures, settled, start, valuesText, write } from './support/browser.mjs';

let site;
before(async () => { site = await start(); });
after(() => site?.end());

const exact = (name) => ({ name, exact: true });
const field = (page, title) => page.getByRole('textbox', exact(title));
const template = (path) => readFileSync(new URL(`../../templates/pinniped/0.39.0/${path}`, import.meta.url), 'utf8').split('\n');
const line = (page, text) => page.locator('#output .line').filter({ hasText: text }).first();
const sourceLine = (page) => page.locator('#source-text [aria-current]').textContent();

test('a line of the result leads to its line in the template, and to the values behind it', async () => {
  const { page, close } = await site.open({ viewport: { width: 1360, height: 860 } });
  await field(page, 'Replicas').fill('3');
  await settled(page);
  await line(page, '  replicas: 3').click();
  const behind = page.locator('#source-behind');
  await behind.getByRole('button', exact('Replicas')).waitFor();
  const [, file, number] = /^(.*):(\d+)$/.exec(await page.locator('#source-name').textContent());
  assert.equal(await sourceLine(page), `${template(`supervisor/${file}`)[number - 1]}\n`);
  assert.match(await sourceLine(page), /replicas: #@ .*replicas/);
  assert.equal(await behind.getByRole('button').count(), 1);
  assert.match(await behind.textContent(), /3/);
  await page.screenshot({ path: `${pictures}source.png` });
  await page.getByRole('tab', exact('YAML')).click();
  await behind.getByRole('button', exact('Replicas')).click();
  assert.equal(await field(page, 'Replicas').evaluate((node) => node === document.activeElement), true);
  await page.getByRole('button', exact('Close')).click();
  assert.equal(await page.locator('#source').isHidden(), true);
  await close();
});

test('the same by the keyboard alone', async () => {
  const { page, close } = await site.open();
  await page.getByRole('region', exact('Manifests')).focus();
  for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), `${(await output(page)).split('\n')[1]}\n`);
  await page.keyboard.press('Enter');
  await page.locator('#source').waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.id), 'source-text');
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('#source').isHidden(), true);
  assert.equal(await page.evaluate(() => document.activeElement.className), 'line asked');
  await close();
});

test('what is wrong in a template leads to its line there, in the values to theirs', async () => {
  const { page, close } = await site.open();
  const folder = onDisk({ 'bad/a.yaml': '#@ load("@ytt:data", "data")\na: 1\nb: #@ data.values.missing\n', 'bad/values.yaml': '#@data/values\n---\nc: 1\n' });
  await openOwn(page, join(folder, 'bad'), 'Open a folder…');
  await page.locator('#summary').getByRole('button', exact('a.yaml:3')).click();
  await page.locator('#source').waitFor();
  assert.equal(await sourceLine(page), 'b: #@ data.values.missing\n');
  assert.equal(await page.locator('#source-name').textContent(), 'a.yaml:3');
  await choose(page, 'Pinniped Supervisor');
  await write(page, '# one\nreplicas: 2\nlog_level: loud\n');
  await page.locator('#summary').getByRole('button', { name: /^values\.yaml:\d+$/ }).click();
  await page.waitForFunction(() => document.getElementById('source-name').textContent.startsWith('values.yaml'));
  assert.match(await sourceLine(page), /one_of=/);
  await write(page, 'replicas: 2\n- a\n');
  await page.locator('#summary').getByRole('button', { name: /^YAML:\d+$/ }).first().click();
  assert.equal(await page.evaluate(() => document.activeElement.id), 'values');
  rmSync(folder, { recursive: true });
  await close();
});

const differing = (page) => page.locator('#difference .added, #difference .removed').evaluateAll((rows) => rows.map((row) => row.textContent.replace(/^([-+])(added|removed): /, '$1')));

/** The lines that two texts do not share, by the system's diff. */
function difference(before, after) {
  const folder = onDisk({ before, after });
  const { stdout } = spawnSync('diff', ['-U0', join(folder, 'before'), join(folder, 'after')], { encoding: 'utf8', maxBuffer: 1 << 26 });
  rmSync(folder, { recursive: true });
  return stdout.split('\n').filter((one) => /^[-+](?!\+\+ |-- )/.test(one));
}

test('the changes are those to another version with the same values, or to other files', async () => {
  const { page, close } = await site.open({ viewport: { width: 1360, height: 860 } });
  await write(page, 'replicas: 3\n');
  await page.getByRole('tab', exact('Changes')).click();
  const base = page.getByRole('combobox', exact('Compare with'));
  await base.selectOption({ label: 'version 0.25.0, same values' });
  await settled(page);
  const [before, now] = ['pinniped/supervisor@0.25.0', 'pinniped/supervisor'].map((name) => commandLine(name, 'replicas: 3\n').out);
  const rows = await differing(page);
  assert.ok(rows.length >= difference(before, now).length && rows.length < difference(before, now).length * 1.1, `${rows.length}`);
  assert.ok(!rows.some((row) => row.includes('replicas')));
  await page.screenshot({ path: `${pictures}compare.png` });
  // Values that the other one refuses are said so, in its words.
  await choose(page, 'Pinniped Supervisor', '0.25.0');
  await write(page, 'replica: 3\n');
  await base.selectOption({ label: 'version 0.39.0, same values' });
  await settled(page);
  const refused = commandLine('pinniped/supervisor', 'replica: 3\n');
  assert.equal(refused.code, 1);
  assert.equal((await page.locator('#difference').textContent()).trim(), refused.err.trim());
  await write(page, '');
  const folder = onDisk({ 'shop/a.yaml': 'a: 1\n', 'other/a.yaml': 'a: 2\n' });
  await openOwn(page, join(folder, 'shop'), 'Open a folder…');
  await base.selectOption({ label: 'other files…' });
  const chooser = page.waitForEvent('filechooser');
  await page.locator('#compare').getByRole('button', exact('Open a folder…')).click();
  await (await chooser).setFiles(join(folder, 'other'));
  await page.waitForFunction(() => document.querySelectorAll('#difference .row').length === 2 && document.querySelector('#difference .removed'));
  assert.deepEqual(await differing(page), ['-a: 2', '+a: 1']);
  rmSync(folder, { recursive: true });
  await close();
});

test('own files: what counts, in which order, with overlays written here', async () => {
  const { page, close } = await site.open({ viewport: { width: 1360, height: 860 } });
  const folder = onDisk({ 'shop/a.yaml': 'a: 1\n', 'shop/b.yaml': 'b: 1\n', 'shop/c.yaml': 'c: 1\n', 'more/d.yaml': 'd: 1\n' });
  /** The command that the page shows gives what the page shows. */
  const sameAsCommand = async () => {
    const run = spawnSync('sh', ['-c', (await page.locator('#command').textContent()).replace(/^haulout/, binary)], { cwd: folder, encoding: 'utf8' });
    assert.equal(run.stdout, await output(page), run.stderr);
  };
  await openOwn(page, join(folder, 'shop'), 'Open a folder…');
  assert.equal(await page.locator('#command').textContent(), 'haulout -f shop');
  await page.getByText('3 files: order, overlays').click();
  await page.getByRole('button', exact('Move File 1 down')).click();
  await settled(page);
  assert.equal(await output(page), 'b: 1\n---\na: 1\n---\nc: 1\n');
  await sameAsCommand();
  await page.getByRole('checkbox', exact('c.yaml')).uncheck();
  await settled(page);
  assert.equal(await output(page), 'b: 1\n---\na: 1\n');
  await sameAsCommand();
  await page.getByRole('button', exact('Remove File 1')).click();
  await page.getByRole('button', exact('Write an overlay')).click();
  const overlay = page.getByRole('textbox', exact('Text of overlay-1.yaml'));
  await overlay.fill(`${await overlay.inputValue()}#@overlay/match missing_ok=True\nb: 2\n`);
  await settled(page);
  assert.equal(await output(page), 'a: 1\nb: 2\n');
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', exact('Add files…')).click();
  await (await chooser).setFiles(join(folder, 'more/d.yaml'));
  await settled(page);
  await page.waitForFunction(() => document.getElementById('output').textContent.includes('d: 1'));
  assert.equal(await output(page), 'a: 1\nb: 2\n---\nd: 1\nb: 2\n');
  await page.screenshot({ path: `${pictures}own.png` });
  await page.getByRole('tab', exact('Take away')).click();
  await page.getByRole('combobox', exact('Program')).selectOption('ytt');
  await page.getByRole('checkbox', exact('apply to a cluster')).check();
  assert.match(await page.locator('#command').textContent(), /^ytt -f .* \| kubectl apply -f -$/);
  await overlay.fill('a: [');
  await settled(page);
  assert.match(await page.locator('#errors').textContent(), /overlay-1\.yaml/);
  rmSync(folder, { recursive: true });
  await close();
});

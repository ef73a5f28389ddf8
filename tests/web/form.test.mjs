// The form as a person uses it: by labels and roles.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { binary, choose, commandLine, onDisk, openOwn, output, pictures, settled, start, valuesText, write } from './support/browser.mjs';

let site;
before(async () => { site = await start(); });
after(() => site?.end());

const exact = (name) => ({ name, exact: true });
const field = (page, title) => page.getByRole('textbox', exact(title));
const status = (page) => page.locator('#status').textContent();

const own = {
  'shop/schema.yaml': `#@data/values-schema
---
#@schema/title "Shop"
#@schema/desc "What the shop is called."
#@schema/examples ("A bakery", "bread"), ("A garden", "plants")
name: shop
#@schema/deprecated "use name"
old_name: ""
#@schema/title "Doors"
doors:
#@schema/desc "A door"
- name: front
  width: 90
#@schema/title "Colours"
#@schema/default ["red", "blue"]
colours:
- ""
#@schema/title "Cellar"
#@schema/nullable
cellar:
  depth: 2
#@schema/title "Scale"
scale: 1.5
#@schema/title "Open"
open: true
#@schema/title "Extra"
#@schema/type any=True
extra: {}
`,
  'shop/config.yaml': `#@ load("@ytt:data", "data")
---
kind: ConfigMap
metadata:
  name: #@ data.values.name
data: #@ data.values
`,
};

test('only what differs from the default becomes a value, and one field can be reset', async () => {
  const { page, close } = await site.open();
  await field(page, 'Replicas').fill('3');
  await settled(page);
  assert.equal(await valuesText(page), 'replicas: 3\n');
  assert.match(await output(page), /replicas: 3/);
  await field(page, 'App name').fill('login');
  await settled(page);
  assert.equal(await valuesText(page), 'replicas: 3\napp_name: login\n');
  await page.getByRole('button', exact('Reset Replicas')).click();
  await settled(page);
  assert.equal(await valuesText(page), 'app_name: login\n');
  assert.equal(await field(page, 'Replicas').inputValue(), '');
  assert.equal(await field(page, 'Replicas').getAttribute('placeholder'), '2');
  await field(page, 'App name').fill('pinniped-supervisor');
  await settled(page);
  assert.equal(await valuesText(page), '');
  await close();
});

test('unset is not empty: a switch tells them apart', async () => {
  const { page, close } = await site.open();
  const toggle = page.getByRole('switch', { name: 'Set Load balancer address' }).or(page.getByRole('switch', { name: 'Set HTTPS proxy' })).first();
  await toggle.check();
  await settled(page);
  assert.match(await valuesText(page), /: ""\n$/);
  await toggle.uncheck();
  await settled(page);
  assert.equal(await valuesText(page), '');
  await field(page, 'HTTPS proxy').fill('http://proxy.example:3128');
  await settled(page);
  assert.equal(await page.getByRole('switch', exact('Set HTTPS proxy')).isChecked(), true);
  // What a rule refuses is not offered.
  assert.equal(await page.getByRole('button', exact('Leave empty: App name')).count(), 0);
  await page.getByRole('button', exact('Leave empty: No proxy')).click();
  await settled(page);
  assert.equal(await valuesText(page), 'https_proxy: http://proxy.example:3128\nno_proxy: ""\n');
  await close();
});

test('an example is one click', async () => {
  const { page, close } = await site.open();
  await page.getByRole('button', { name: / for Custom labels$/ }).first().click();
  await settled(page);
  assert.match(await valuesText(page), /^custom_labels:\n {2}\S+: /);
  assert.equal(await page.locator('#failure').isHidden(), true);
  await close();
});

test('all that is wrong stands at its field in the command line’s words, and goes when it is mended', async () => {
  const { page, close } = await site.open();
  await write(page, 'app_name: ""\n');
  await page.getByRole('tab', exact('Form')).click();
  await page.getByRole('switch', exact('Set HTTPS proxy')).check();
  await settled(page);
  const expected = commandLine('pinniped/supervisor', await valuesText(page));
  assert.equal(expected.code, 1);
  for (const title of ['App name', 'HTTPS proxy']) {
    const input = field(page, title);
    assert.equal(await input.getAttribute('aria-invalid'), 'true');
    const described = await input.evaluate((node) => node.getAttribute('aria-describedby').split(' ').map((id) => document.getElementById(id)?.textContent).join('\n'));
    const said = described.split('\n').filter((line) => /^(must be|found)/.test(line));
    assert.equal(said.length, 2, described);
    for (const line of said) assert.ok(expected.err.includes(line), `${line} in ${expected.err}`);
  }
  assert.match(await status(page), /2 errors/);
  // What is taken away is what is there now, wrong as it is.
  assert.match(await page.locator('#command').textContent(), /app_name: ""\nhttps_proxy: ""\nEND$/);
  await page.screenshot({ path: `${pictures}errors.png` });
  await page.locator('#summary').getByRole('button', exact('HTTPS proxy')).click();
  assert.equal(await field(page, 'HTTPS proxy').evaluate((node) => node === document.activeElement), true);
  await page.keyboard.type('http://p.example');
  await page.getByRole('button', exact('Reset App name')).click();
  await settled(page);
  assert.equal(await page.locator('#failure').isHidden(), true);
  assert.equal(await page.locator('[aria-invalid=true]').count(), 0);
  await close();
});

test('what is no number of the kind that a field is for is an error at that field', async () => {
  const { page, close } = await site.open();
  for (const [typed, kind] of [['many', 'string'], ['2.5', 'float']]) {
    await field(page, 'Replicas').fill(typed);
    await settled(page);
    assert.match(await page.locator('.field.is-wrong').textContent(), new RegExp(`found: ${kind}\\s*expected: integer`));
  }
  await close();
});

test('what belongs to no field is shown whole, and leads to the YAML', async () => {
  const { page, close } = await site.open();
  await write(page, 'replica: 1\n');
  assert.equal(await page.locator('#errors').isVisible(), true);
  assert.equal((await page.locator('#errors').textContent()).trim(), commandLine('pinniped/supervisor', 'replica: 1\n').err.trim());
  await page.getByRole('tab', { name: 'Form' }).click();
  await page.locator('#summary').getByRole('button', exact('replica')).click();
  assert.equal(await page.getByLabel('Data values, as YAML').evaluate((node) => node === document.activeElement), true);
  await close();
});

test('the YAML and the form follow each other, comments and all', async () => {
  const { page, close } = await site.open();
  await write(page, '# ours\nreplicas: 4 # four\naudit:\n  # they are personal\n  log_internal_paths: enabled\n');
  await page.getByRole('tab', { name: 'Form' }).click();
  assert.equal(await field(page, 'Replicas').inputValue(), '4');
  const audit = page.getByRole('group', exact('Audit log'));
  assert.equal(await audit.getByRole('combobox', exact('Requests for internal paths')).evaluate((select) => select.selectedOptions[0].text), 'enabled');
  await audit.getByRole('combobox', exact('User and group names')).selectOption('enabled');
  await settled(page);
  const commented = '# ours\nreplicas: 4 # four\n\naudit:\n  # they are personal\n  log_internal_paths: enabled\n\n  log_usernames_and_groups: enabled\n';
  assert.equal(await valuesText(page), commented);
  assert.equal(await output(page), commandLine('pinniped/supervisor', commented).out);
  // What a comment stood at is gone: that is said, and both come back together.
  await page.getByRole('button', exact('Reset Replicas')).click();
  await settled(page);
  assert.doesNotMatch(await valuesText(page), /ours|four/);
  assert.match(await page.locator('#notice').textContent(), /^2 comments/);
  await field(page, 'Replicas').fill('5');
  await settled(page);
  assert.match(await valuesText(page), /# ours\nreplicas: 5 # four\n/);
  assert.equal(await page.locator('#notice').isHidden(), true);
  await page.getByRole('button', exact('Start again')).click();
  await settled(page);
  assert.equal(await valuesText(page), '');
  await close();
});

test('undo and redo, by button and by key', async () => {
  const { page, close } = await site.open();
  await field(page, 'Replicas').fill('3');
  await settled(page);
  await field(page, 'Namespace').fill('login');
  await settled(page);
  await page.keyboard.press('Control+z');
  await settled(page);
  assert.equal(await valuesText(page), 'replicas: 3\n');
  assert.equal(await field(page, 'Namespace').inputValue(), '');
  await page.getByRole('button', exact('Undo')).click();
  await settled(page);
  assert.equal(await valuesText(page), '');
  await page.getByRole('button', exact('Redo')).click();
  await page.keyboard.press('Control+Shift+z');
  await settled(page);
  assert.equal(await valuesText(page), 'replicas: 3\nnamespace: login\n');
  await close();
});

test('search and the filter of what is changed leave only what fits', async () => {
  const { page, close } = await site.open();
  await page.getByRole('searchbox', { name: 'Find a field' }).fill('log level');
  assert.equal(await page.getByRole('combobox', exact('Log level')).isVisible(), true);
  assert.equal(await field(page, 'Replicas').isHidden(), true);
  await page.getByRole('searchbox', { name: 'Find a field' }).fill('');
  await field(page, 'Replicas').fill('3');
  await settled(page);
  await page.getByRole('checkbox', exact('Only changed')).check();
  assert.equal(await field(page, 'Replicas').isVisible(), true);
  assert.equal(await field(page, 'App name').isHidden(), true);
  await close();
});

test('lists, maps, decimals and boxes of YAML of a person’s own files', async () => {
  const { page, close } = await site.open();
  const folder = onDisk(own);
  const archive = join(folder, 'shop.tar.gz');
  execFileSync('tar', ['-czf', archive, '-C', folder, 'shop']);
  await openOwn(page, [archive]);
  assert.match(await page.locator('#form').textContent(), /Deprecated: use name/);
  await page.getByRole('button', exact('Add to Doors')).click();
  await page.getByRole('button', exact('Add to Doors')).click();
  await page.getByRole('group', exact('Doors 1')).getByRole('textbox', exact('width')).fill('120');
  await page.getByRole('group', exact('Doors 2')).getByRole('textbox', exact('name')).fill('back');
  await page.getByRole('button', exact('Move Doors 2 up')).click();
  await page.getByRole('button', exact('Remove Colours 1')).click();
  await page.getByRole('button', exact('Add to Colours')).click();
  await field(page, 'Colours 2').fill('yes');
  await page.getByRole('switch', exact('Set Cellar')).check();
  await page.getByRole('group', exact('Cellar')).getByRole('textbox', exact('depth')).fill('5');
  await field(page, 'Scale').fill('2.0');
  await page.getByRole('checkbox', exact('Open')).uncheck();
  await page.getByRole('button', exact('As YAML: Extra')).click();
  await field(page, 'Extra').fill('b: [1, 2]\na: # here\n  deep: 12345678901234567890\n');
  await settled(page);
  const text = await valuesText(page);
  assert.equal(text, 'doors:\n- name: back\n- width: 120\ncolours:\n- blue\n- "yes"\ncellar:\n  depth: 5\nscale: 2.0\nopen: false\nextra:\n  b:\n  - 1\n  - 2\n  a:\n    deep: 12345678901234567890\n');
  const run = spawnSync(binary, ['-f', join(folder, 'shop'), '--data-values-file', '-'], { input: text, encoding: 'utf8' });
  assert.equal(run.status, 0, run.stderr);
  assert.equal(await output(page), run.stdout);
  // An error within a list stands at the item's field.
  await page.getByRole('group', exact('Doors 2')).getByRole('textbox', exact('width')).fill('wide');
  await settled(page);
  assert.equal(await page.getByRole('group', exact('Doors 2')).getByRole('textbox', exact('width')).getAttribute('aria-invalid'), 'true');
  await field(page, 'Extra').fill('a: [');
  await settled(page);
  assert.match(await page.locator('.field', { has: field(page, 'Extra') }).textContent(), /yaml: line 1: did not find expected node content/);
  rmSync(folder, { recursive: true });
  await close();
});

test('a free map has a row for each key: added, renamed, moved, removed, text or YAML', async () => {
  const { page, close } = await site.open();
  const row = (number, what) => page.getByRole('textbox', exact(`Custom labels ${number}: ${what}`));
  const add = page.getByRole('button', exact('Add to Custom labels'));
  for (const [number, key, value] of [[1, 'team', 'a b'], [2, 'cost', '12']]) {
    await add.click();
    await page.keyboard.type(key);
    await row(number, 'value').fill(value);
  }
  await settled(page);
  assert.equal(await valuesText(page), 'custom_labels:\n  team: a b\n  cost: "12"\n');
  await page.getByRole('button', exact('Move Custom labels 2 up')).click();
  await row(1, 'key').fill('centre');
  await settled(page);
  assert.equal(await valuesText(page), 'custom_labels:\n  centre: "12"\n  team: a b\n');
  assert.equal(await output(page), commandLine('pinniped/supervisor', await valuesText(page)).out);
  await page.getByRole('combobox', exact('Custom labels 1: text or YAML')).selectOption('YAML');
  await row(1, 'value').fill('12');
  await settled(page);
  assert.equal(await valuesText(page), 'custom_labels:\n  centre: 12\n  team: a b\n');
  assert.match(await page.locator('.field.is-wrong').textContent(), /a map of strings to strings/);
  await row(2, 'key').fill('centre');
  await page.getByText('The key centre stands here twice').waitFor();
  await page.getByRole('button', exact('Remove Custom labels 1')).click();
  await settled(page);
  assert.equal(await valuesText(page), 'custom_labels:\n  centre: a b\n');
  await page.keyboard.press('Control+z');
  await settled(page);
  assert.equal(await row(1, 'value').inputValue(), '12');
  await page.getByRole('button', exact('Reset Custom labels')).click();
  await settled(page);
  assert.equal(await valuesText(page), '');
  await page.getByRole('button', exact('As YAML: Custom labels')).click();
  await field(page, 'Custom labels').fill('a: b');
  await settled(page);
  await page.getByRole('button', exact('As YAML: Custom labels')).click();
  assert.equal(await row(1, 'key').inputValue(), 'a');
  await close();
});

test('a zip, a tar and loose files open alike; files without a schema have a guessed form; what is no archive says so', async () => {
  const { page, close } = await site.open();
  const folder = onDisk({ ...own, 'plain/values.yaml': '#@data/values\n---\ncount: 1\nnested:\n  word: a\n', 'plain/out.yaml': '#@ load("@ytt:data", "data")\nis: #@ data.values\n', 'bad.zip': 'no archive' });
  execFileSync('python3', ['-c', 'import sys, shutil; shutil.make_archive(sys.argv[1], "zip", sys.argv[2], "shop"); shutil.make_archive(sys.argv[1], "tar", sys.argv[2], "shop")', join(folder, 'packed'), folder]);
  const expected = spawnSync(binary, ['-f', join(folder, 'shop')], { encoding: 'utf8' }).stdout;
  for (const name of ['packed.zip', 'packed.tar', 'shop/']) {
    await openOwn(page, name === 'shop/' ? join(folder, 'shop') : [join(folder, name)], name === 'shop/' ? 'Open a folder…' : undefined);
    assert.equal(await output(page), expected, name);
  }
  await openOwn(page, [join(folder, 'plain/values.yaml'), join(folder, 'plain/out.yaml')]);
  assert.equal(await page.locator('#guessed').isVisible(), true);
  await page.getByRole('group', exact('nested')).getByRole('textbox', exact('word')).fill('b');
  await settled(page);
  assert.equal(await output(page), 'is:\n  count: 1\n  nested:\n    word: b\n');
  await openOwn(page, [join(folder, 'bad.zip')]);
  await page.getByText('These files cannot be opened').waitFor();
  assert.equal(await output(page), 'is:\n  count: 1\n  nested:\n    word: b\n');
  rmSync(folder, { recursive: true });
  await close();
});

test('a folder dropped on the page opens', async () => {
  const { page, context, close } = await site.open();
  const folder = onDisk(own);
  const tools = await context.newCDPSession(page);
  for (const type of ['dragEnter', 'dragOver', 'drop']) {
    await tools.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data: { items: [], files: [join(folder, 'shop')], dragOperationsMask: 1 } });
  }
  await page.waitForFunction(() => document.getElementById('own-name').textContent === 'shop');
  await settled(page);
  assert.equal(await output(page), spawnSync(binary, ['-f', join(folder, 'shop')], { encoding: 'utf8' }).stdout);
  rmSync(folder, { recursive: true });
  await close();
});

test('an engine that breaks is replaced, and the values are kept', async () => {
  const { page, close } = await site.open();
  await field(page, 'Namespace').focus();
  await page.waitForFunction(() => document.getElementById('reach').textContent.includes('Namespace'));
  await page.workers()[0].evaluate(() => {
    globalThis.onmessage = ({ data }) => globalThis.postMessage({ id: data.id, failure: 'unreachable', broken: true });
  });
  await field(page, 'Namespace').fill('login');
  await settled(page);
  assert.match(await status(page), /Your values are kept/);
  assert.equal(await valuesText(page), 'namespace: login\n');
  await field(page, 'Replicas').fill('3');
  await settled(page);
  assert.equal(await output(page), commandLine('pinniped/supervisor', 'namespace: login\nreplicas: 3\n').out);
  await close();
});

test('a render that does not end is stopped, and the values are kept', async () => {
  const { page, close } = await site.open();
  const folder = onDisk({ 'values.yaml': '#@data/values\n---\nturns: 1\n', 'out.yaml': '#@ load("@ytt:data", "data")\n#@ def f(n):\n#@ for i in range(n):\n#@ for j in range(100000):\n#@ x = j\n#@ end\n#@ end\n#@ end\n#@ f(data.values.turns)\nturns: #@ data.values.turns\n' });
  await openOwn(page, [join(folder, 'values.yaml'), join(folder, 'out.yaml')]);
  await field(page, 'turns').fill('1000000');
  await settled(page);
  assert.match(await page.locator('#failure').textContent(), /stopped/);
  assert.equal(await field(page, 'turns').inputValue(), '1000000');
  await field(page, 'turns').fill('2');
  await settled(page);
  assert.equal(await output(page), 'turns: 2\n');
  rmSync(folder, { recursive: true });
  await close();
});

test('another version keeps the values', async () => {
  const { page, close } = await site.open();
  await field(page, 'Replicas').fill('5');
  await settled(page);
  await choose(page, 'Pinniped Supervisor', '0.25.0');
  assert.equal(await output(page), commandLine('pinniped/supervisor@0.25.0', 'replicas: 5\n').out);
  assert.equal(await page.locator('#guessed').isVisible(), true);
  assert.equal(await page.getByRole('textbox', exact('replicas')).inputValue(), '5');
  await close();
});

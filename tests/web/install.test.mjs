// Carvel packaging in the page: what the engine says is what a person sees and takes away.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { choose, pictures, settled, start, write } from './support/browser.mjs';
import { select, Session, upgrade } from './support/engine.mjs';

let site;
before(async () => { site = await start(); });
after(() => site?.end());

const exact = (name) => ({ name, exact: true });
const box = (page, title) => page.getByRole('textbox', exact(title));
const panel = (page) => page.locator('#install-panel');

async function fill(page, title, text) {
  await box(page, title).fill(text);
  await settled(page);
}

test('the version that a PackageInstall gets, and why', async () => {
  const { page, close } = await site.open({ viewport: { width: 1360, height: 860 } });
  await page.getByRole('tab', exact('Install')).click();
  const says = async (text) => assert.equal(await panel(page).getByRole('status').textContent(), text);
  await settled(page);
  await says('It gets 0.39.0.');
  await fill(page, 'Version constraints', '<0.39.0');
  await says('It gets 0.25.0.');
  await fill(page, 'Versions there are', '1.0.0-rc.1, 0.9.0 0.8.0');
  await fill(page, 'Version constraints', '>=0.9.0-0');
  await says('It gets 0.9.0.');
  await page.getByRole('checkbox', exact('Pre-releases too')).check();
  await settled(page);
  await says('It gets 1.0.0-rc.1.');
  const expected = select({ available: ['1.0.0-rc.1', '0.9.0', '0.8.0'], constraints: '>=0.9.0-0', prereleases: true, refName: 'supervisor.pinniped.dev' });
  await panel(page).getByText('Why', { exact: true }).click();
  assert.deepEqual(await panel(page).locator('.reasons li').allTextContents(), expected.filters.map(({ filter, left }) => `${filter}: ${left.join(', ') || 'none'}`));
  await fill(page, 'Version constraints', '>2');
  let refused;
  try {
    select({ available: ['1.0.0-rc.1', '0.9.0', '0.8.0'], constraints: '>2', prereleases: true, refName: 'supervisor.pinniped.dev' });
  } catch (error) {
    refused = error.message;
  }
  assert.ok(refused);
  await says(refused);
  await close();
});

test('the install set, and what an upgrade changes', async () => {
  const { page, close } = await site.open({ viewport: { width: 1360, height: 860 } });
  await choose(page, 'Pinniped Concierge');
  const values = 'replicas: 3\nimage_pull_dockerconfigjson: eyJhdXRocyI6e319\n';
  await write(page, values);
  await page.getByRole('tab', exact('Install')).click();
  await settled(page);
  await fill(page, 'Version constraints', '>=0.25.0 <1.0.0');
  await fill(page, 'Namespace of the install', 'installs');
  const session = Session.open_package('pinniped/concierge');
  const set = session.installSet({ refName: 'concierge.pinniped.dev', constraints: '>=0.25.0 <1.0.0', namespace: 'installs', values });
  session.free();
  for (const { path, text } of set.files) {
    const details = panel(page).locator('details', { has: page.locator('summary', { hasText: path }) });
    await details.locator('summary').click();
    assert.equal(await details.locator('pre').textContent(), text, path);
  }
  const whole = await panel(page).textContent();
  for (const kind of ['PackageInstall', 'Secret', 'ServiceAccount', 'ClusterRole']) assert.match(whole, new RegExp(`kind: ${kind}\n`), kind);
  await page.screenshot({ path: `${pictures}install.png` });
  const waiting = page.waitForEvent('download');
  await page.getByRole('button', exact('Download: Resources that install it')).click();
  const download = await waiting;
  assert.equal(download.suggestedFilename(), 'concierge-install.tar');
  const unpacked = mkdtempSync(join(tmpdir(), 'haulout-install-'));
  execFileSync('tar', ['-xf', await download.path(), '-C', unpacked]);
  assert.deepEqual(readdirSync(join(unpacked, 'concierge-install')).sort(), set.files.map(({ path }) => path));
  for (const { path, text } of set.files) assert.equal(readFileSync(join(unpacked, 'concierge-install', path), 'utf8'), text);
  rmSync(unpacked, { recursive: true });
  // The steps are for what was downloaded, and speak of no flags.
  assert.match(whole, /to install:\n {2}tar -xf concierge-install\.tar\n {2}kubectl apply -f concierge-install/);
  assert.doesNotMatch(whole, /FOLDER|--bundle-repo/);
  const report = upgrade({ package: 'pinniped/concierge', refName: 'concierge.pinniped.dev', from: '0.25.0', to: '0.39.0', namespace: 'installs', values });
  assert.ok(report.changes);
  assert.equal(await panel(page).locator('.take').last().locator('pre').textContent(), report.text);
  await panel(page).locator('.take').last().scrollIntoViewIfNeeded();
  await page.screenshot({ path: `${pictures}upgrade.png` });
  // Values that are wrong make no set, and say why.
  await write(page, 'replicas: many\n');
  assert.match(await panel(page).locator('.error').first().textContent(), /found: string/);
  await close();
});

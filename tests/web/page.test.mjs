// The page in real Chromium: what it shows is what the command line prints, and it asks no one else.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';

const root = new URL('../../', import.meta.url);
const binary = process.env.HAULOUT ?? new URL('target/release/haulout', root).pathname;
const browserPath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const pictures = new URL('output/', import.meta.url).pathname;
mkdirSync(pictures, { recursive: true });

let server, address, browser;

before(async () => {
  server = spawn(binary, ['serve', '--listen-addr', '127.0.0.1:0', '--dir', new URL('www', root).pathname]);
  address = await new Promise((resolve, reject) => {
    let said = '';
    server.stdout.on('data', (chunk) => {
      said += chunk;
      const found = said.match(/http:\/\/127\.0\.0\.1:\d+\//);
      if (found) resolve(found[0]);
    });
    server.on('exit', (code) => reject(new Error(`haulout serve ended with ${code}: ${said}`)));
  });
  browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
});

after(async () => {
  await browser?.close();
  server?.kill();
});

/** Opens the page; a request to another origin, a page error or a console error fails the test. */
async function openPage(options = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const faults = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(address)) faults.push(`request to ${request.url()}`);
  });
  page.on('pageerror', (error) => faults.push(`page error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()}`);
  });
  await page.goto(address);
  await rendered(page);
  assert.doesNotMatch(await page.locator('#status').textContent(), /could not/, await page.locator('#errors').textContent());
  return { page, close: async () => { await context.close(); assert.deepEqual(faults, []); } };
}

function rendered(page) {
  return page.waitForFunction(() => /document|Not rendered|could not/.test(document.getElementById('status').textContent));
}

/** Puts text into the values box and waits for the answer to it. */
async function write(page, text) {
  await page.evaluate(() => { document.getElementById('status').textContent = ''; });
  await page.getByLabel('Data values, as YAML').fill(text);
  // Filling in the same text again is no input event.
  await page.getByLabel('Data values, as YAML').dispatchEvent('input');
  await rendered(page);
}

async function choose(page, name) {
  await page.evaluate(() => { document.getElementById('status').textContent = ''; });
  await page.getByLabel('Package').selectOption(name);
  await rendered(page);
}

function commandLine(name, values) {
  const run = spawnSync(binary, ['render', name, '--data-values-file', '-'], { input: values, encoding: 'utf8', maxBuffer: 1 << 26 });
  return { code: run.status, out: run.stdout, err: run.stderr };
}

for (const name of ['supervisor', 'concierge']) {
  test(`pinniped/${name}: the page shows what the command line prints`, async () => {
    const { page, close } = await openPage();
    await choose(page, `pinniped/${name}`);
    const folder = new URL(`../pinniped/${name}/`, import.meta.url);
    const sets = readdirSync(folder).filter((file) => file.endsWith('.yaml')).sort();
    assert.ok(sets.length >= 15, `15 value sets, found ${sets.length}`);
    for (const file of sets) {
      const values = readFileSync(new URL(file, folder), 'utf8');
      await write(page, values);
      const expected = commandLine(`pinniped/${name}`, values);
      if (expected.code === 0) {
        assert.equal(await page.locator('#output').textContent(), expected.out, file);
        assert.equal(await page.locator('#errors').isHidden(), true, file);
      } else {
        assert.equal((await page.getByRole('alert').textContent()).trim(), expected.err.trim(), file);
      }
    }
    await close();
  });
}

test('an error in the values is shown in the command line’s words, and goes when it is mended', async () => {
  const { page, close } = await openPage();
  await choose(page, 'pinniped/supervisor');
  const wrong = 'log_level: shouting\nreplicas: many\n';
  await write(page, wrong);
  const expected = commandLine('pinniped/supervisor', wrong);
  assert.equal(expected.code, 1);
  assert.equal((await page.getByRole('alert').textContent()).trim(), expected.err.trim());
  assert.equal(await page.getByLabel('Data values, as YAML').getAttribute('aria-invalid'), 'true');
  await page.screenshot({ path: `${pictures}error.png` });
  await write(page, 'replicas: 3\n');
  assert.equal(await page.locator('#errors').isHidden(), true);
  assert.match(await page.locator('#output').textContent(), /replicas: 3/);
  await close();
});

test('text that is no YAML, and a folder of bytes, break nothing', async () => {
  const { page, close } = await openPage();
  for (const text of ['a: [', '\t', '{'.repeat(5000), 'a: &a [*a]', '--- 1\n--- 2\n', '"\\ud800"', '#@ load("x")\n']) {
    await write(page, text);
    const expected = commandLine('pinniped/supervisor', text);
    const shown = expected.code === 0 ? '#output' : '#errors';
    assert.equal((await page.locator(shown).textContent()).trim(), (expected.code === 0 ? expected.out : expected.err).trim(), text.slice(0, 20));
  }
  await close();
});

test('it is readable on a phone and in the dark', async () => {
  for (const [label, options] of [
    ['light', {}],
    ['dark', { colorScheme: 'dark' }],
    ['phone', { viewport: { width: 390, height: 844 } }],
  ]) {
    const { page, close } = await openPage(options);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(wider <= 0, `${label}: the page is ${wider} pixels wider than the window`);
    await page.screenshot({ path: `${pictures}${label}.png` });
    await close();
  }
});

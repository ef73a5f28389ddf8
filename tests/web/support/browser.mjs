// The page in real Chromium, served by `haulout serve`: what every test of it needs.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright-core';

const root = new URL('../../../', import.meta.url);
export const binary = process.env.HAULOUT ?? new URL('target/release/haulout', root).pathname;
export const pictures = new URL('tests/web/output/', root).pathname;
/** The page as it is shipped: `make page` puts it there. */
export const www = new URL('target/page/', root);
mkdirSync(pictures, { recursive: true });

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });

/** Serves the page: `{ address, end() }`. */
export async function serve() {
  const server = spawn(binary, ['serve', '--listen-addr', '127.0.0.1:0', '--dir', www.pathname]);
  const address = await new Promise((resolve, reject) => {
    let said = '';
    server.stdout.on('data', (chunk) => {
      said += chunk;
      const found = said.match(/http:\/\/127\.0\.0\.1:\d+\//);
      if (found) resolve(found[0]);
    });
    server.on('error', reject);
    server.on('exit', (code) => reject(new Error(`haulout serve ended with ${code}: ${said}`)));
  });
  return { address, end: () => server.kill() };
}

/** Serves the page and starts a browser: `{ address, open(options), end() }`. */
export async function start() {
  const server = await serve();
  const { address } = server;
  const browser = await launch();
  return {
    address,
    /** Opens the page, or a blank one; a request to another origin, a page error or a console error fails the test at `close`. */
    async open({ fragment = '', blank = false, ...options } = {}) {
      const context = await browser.newContext({ locale: 'en-US', permissions: ['clipboard-read', 'clipboard-write'], ...options });
      const page = await context.newPage();
      const faults = [];
      context.on('request', (request) => {
        if (!request.url().startsWith(address) && !request.url().startsWith('blob:')) faults.push(`request to ${request.url()}`);
      });
      page.on('pageerror', (error) => faults.push(`page error: ${error.stack}`));
      page.on('console', (message) => {
        if (message.type() === 'error') faults.push(`console: ${message.text()}`);
      });
      if (!blank) {
        await page.goto(address + fragment);
        await settled(page);
      }
      return { page, context, close: async () => { await context.close(); assert.deepEqual(faults, []); } };
    },
    async end() {
      await browser.close();
      server.end();
    },
  };
}

/** Waits until the newest values are rendered, or what is wrong with them is said. */
export async function settled(page) {
  await page.waitForFunction(() => document.getElementById('result').getAttribute('aria-busy') === 'false');
}

/** Puts text into the values' YAML and waits for the answer. */
export async function write(page, text) {
  await page.getByRole('tab', { name: 'YAML' }).click();
  await page.getByLabel('Data values, as YAML').fill(text);
  await settled(page);
}

export async function choose(page, title, version) {
  await page.getByLabel('Package', { exact: true }).selectOption({ label: title });
  await settled(page);
  if (version) await page.getByLabel('Version', { exact: true }).selectOption({ label: version });
  await settled(page);
}

/** Writes files to disk; returns the folder. */
export function onDisk(files) {
  const folder = mkdtempSync(join(tmpdir(), 'haulout-page-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** Opens files in the page by its button. */
export async function openOwn(page, paths, button = 'Open files or an archive…') {
  await page.getByLabel('Package', { exact: true }).selectOption({ label: 'Your own files' });
  const chooser = page.waitForEvent('filechooser');
  await page.locator('#bring').getByRole('button', { name: button }).click();
  await (await chooser).setFiles(paths);
  await page.waitForFunction(() => document.getElementById('own-name').textContent || !document.getElementById('notice').hidden);
  await settled(page);
}

export const output = (page) => page.locator('#output').textContent();
export const valuesText = (page) => page.locator('#values').inputValue();

/** What a program prints; it must not fail. */
export function rendered(program, args, encoding = 'utf8', cwd = undefined) {
  const run = spawnSync(program, args, { encoding, cwd, maxBuffer: 1 << 26 });
  assert.equal(run.status, 0, `${program} ${args.join(' ')}: ${run.error ?? ''} ${run.stdout} ${run.stderr}`);
  return run.stdout;
}

/** What the command line says of a package and values. */
export function commandLine(name, values) {
  const run = spawnSync(binary, ['render', name, '--data-values-file', '-'], { input: values, encoding: 'utf8', maxBuffer: 1 << 26 });
  return { code: run.status, out: run.stdout, err: run.stderr };
}

/** Checks that the page shows what the command line prints for values. */
export async function assertSame(page, name, values, what) {
  const expected = commandLine(name, values);
  if (expected.code === 0) {
    assert.equal(await page.locator('#failure').isHidden(), true, `${what}: ${await page.locator('#errors').textContent()}`);
    assert.equal(await output(page), expected.out, what);
  } else {
    assert.equal((await page.locator('#errors').textContent()).trim(), expected.err.trim(), what);
    assert.equal(await page.locator('#failure').isVisible(), true, what);
  }
  return expected;
}

/** The value sets of a package in the tests: `[file, text]`. */
export function valueSets(version, name) {
  const folder = new URL(`tests/pinniped/${version}/${name}/`, root);
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml')).sort();
  return files.map((file) => [file, readFileSync(new URL(file, folder), 'utf8')]);
}

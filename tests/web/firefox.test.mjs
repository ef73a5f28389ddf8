// The page in Firefox: a form, what is rendered of it, a link that gives the same again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine, serve } from './support/browser.mjs';
import { driver, firefox, isHere, startFirefox } from './support/firefox.mjs';

test('Firefox: form, render, link', { skip: !isHere && process.env.CI !== 'true' && `no ${firefox} or ${driver}; see make setup` }, async (t) => {
  const site = await serve();
  t.after(site.end);
  const page = await startFirefox();
  t.after(page.end);
  const settled = "document.getElementById('result').getAttribute('aria-busy') === 'false'";
  const text = (id) => page.run(`document.getElementById('${id}').textContent`);
  await page.go(site.address);
  await page.until(settled);
  assert.equal(await text('output'), commandLine('pinniped/supervisor', '').out);
  await page.type('Replicas', '3');
  await page.until(`${settled} && document.getElementById('values').value === 'replicas: 3\\n'`);
  const expected = commandLine('pinniped/supervisor', 'replicas: 3\n').out;
  assert.equal(await text('output'), expected);
  await page.click("//button[@role = 'tab'][normalize-space() = 'Take away']");
  await page.until("document.getElementById('link').value.includes('#1')");
  const link = await page.run("document.getElementById('link').value");
  await page.go('about:blank');
  await page.go(link);
  await page.until(`${settled} && document.getElementById('values').value !== ''`);
  assert.equal(await text('output'), expected);
  assert.equal(await page.run('location.hash'), '');
});

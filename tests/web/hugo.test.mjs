// What docs/embedding.md says of Hugo, done: its shortcode and its page in a site that Hugo builds.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandLine, pictures, rendered, www } from './support/browser.mjs';
import { browse, serve, STRICT, told } from './support/host.mjs';

/** The first block of a kind in the part of the guide that is about Hugo. */
function block(kind) {
  const guide = readFileSync(new URL('../../docs/embedding.md', import.meta.url), 'utf8').split('\n## Hugo\n')[1];
  return new RegExp(`^(\`{3,4})${kind}\n([^]*?)^\\1$`, 'm').exec(guide)[2];
}

test('Hugo builds previews into its pages', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'haulout-hugo-'));
  const write = (path, text) => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write('config.toml', 'baseURL = "https://docs.example.com/pinniped/"\ntitle = "Docs"\n');
  write('layouts/_default/single.html', '<!doctype html><html lang="en"><head><title>{{ .Title }}</title></head><body>{{ .Content }}</body></html>');
  write('layouts/shortcodes/haulout-preview.html', block('go-html-template'));
  const page = block('markdown');
  write('content/howto/install.md', `---\ntitle: Install\n---\n# Install\n\n${page}\nAnd again, with two lines:\n\n${page.replace('values="replicas: 3"', 'values=`replicas: 4\nlog_level: "debug"`')}\n`);
  cpSync(www, join(folder, 'static/haulout'), { recursive: true });
  rendered('hugo', ['--source', folder, '--quiet']);
  const html = readFileSync(join(folder, 'public/howto/install/index.html'), 'utf8');
  assert.equal(html.match(/<script type="module"/g).length, 1);
  const host = await serve({ '/pinniped/': join(folder, 'public') }, { 'content-security-policy': STRICT.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'") });
  const browser = await browse();
  const { page: shown, close } = await browser.open(`${host.address}/pinniped/howto/install/`);
  await shown.locator('haulout-preview').nth(1).scrollIntoViewIfNeeded();
  await told(shown, 'render', { count: 2 });
  for (const [index, values] of ['replicas: 3', 'replicas: 4\nlog_level: "debug"'].entries()) {
    const text = await shown.locator('haulout-preview [part=preview]').nth(index).textContent();
    assert.equal(text, commandLine('pinniped/concierge', values).out.split(/^---\n/m).find((one) => /^kind: Deployment$/m.test(one)));
  }
  await shown.screenshot({ path: `${pictures}hugo.png` });
  await close();
  const plain = await browser.open(`${host.address}/pinniped/howto/install/`, { javaScriptEnabled: false });
  assert.equal(await plain.page.locator('pre').first().textContent(), 'replicas: 3\n');
  assert.equal(await plain.page.locator('pre').first().isVisible(), true);
  await plain.close();
  await browser.end();
  host.end();
  rmSync(folder, { recursive: true });
});

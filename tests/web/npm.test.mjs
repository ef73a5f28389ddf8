// The npm package as its users have it: packed, installed into a folder of theirs, and used from Node, from a plain page and through Vite.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { commandLine, rendered } from './support/browser.mjs';
import { browse, serve, STRICT, told } from './support/host.mjs';

const root = new URL('../../', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'haulout-npm-'));
const inFolder = (program, ...args) => rendered(program, args, 'utf8', folder);
const write = (path, text) => {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
};
let installed;
let browser;
before(async () => {
  const [{ filename }] = JSON.parse(inFolder('npm', 'pack', '--json', join(root, 'target/npm')));
  write('package.json', '{ "private": true, "type": "module" }');
  inFolder('npm', 'install', '--no-audit', '--no-fund', '--offline', `./${filename}`);
  installed = join(folder, 'node_modules/haulout');
  browser = await browse();
});
after(async () => {
  await browser?.end();
  rmSync(folder, { recursive: true });
});

test('Node renders with it', () => {
  write('use.js', `
    import { open, packages, render } from 'haulout';
    const files = { 'config.yml': '#@ load("@ytt:data", "data")\\na: #@ data.values.a\\n', 'values.yml': '#@data/values\\n---\\na: 1\\n' };
    const concierge = await open({ package: 'pinniped/concierge' });
    const wrong = await concierge.render({ values: 'log_level: loud' });
    const { text } = await concierge.render({ values: { replicas: 3 } });
    const form = await concierge.form();
    await concierge.close();
    console.log(JSON.stringify({
      names: (await packages()).map(({ name }) => name),
      once: (await render({ files, values: { a: 2 } })).text,
      json: (await render({ files: Object.entries(files).map(([path, data]) => ({ path, data: new TextEncoder().encode(data) })), output: 'json', dataValuesYaml: ['a=[1]'] })).text,
      error: wrong.error, path: wrong.diagnostics[0].path, text, declared: form.declared,
      unknown: await render({ package: 'pinniped/walrus' }).catch(({ message }) => message),
    }));
  `);
  const said = JSON.parse(inFolder('node', 'use.js'));
  assert.ok(said.names.includes('pinniped/supervisor'));
  assert.equal(said.once, 'a: 2\n');
  assert.match(said.json, /^\{"a":\s*\[1\]\}/);
  assert.equal(said.error.trim(), commandLine('pinniped/concierge', 'log_level: loud').err.trim());
  assert.deepEqual(said.path, ['log_level']);
  assert.equal(said.text, commandLine('pinniped/concierge', '{"replicas": 3}').out);
  assert.equal(said.declared, true);
  assert.match(said.unknown, /there is no package 'pinniped\/walrus'/);
});

/** A program that makes a repository of one package, and asks all of packaging of it; `say` tells what came of it. */
const PACKAGING = `
  import { buildPackage, buildRepository, bundleFromTar, bundleToTar, inspectBundle, installSet, open, select, upgrade, verifyRepository } from 'haulout';
  const refName = 'supervisor.pinniped.dev';
  const values = { log_level: 'debug' };
  let repository;
  let built;
  for (const version of ['0.25.0', '0.39.0']) {
    built = await buildPackage({ source: 'pinniped/supervisor@' + version, refName, version, bundleRepo: 'registry.example.com/supervisor', allowUnlocked: true });
    ({ files: repository } = await buildRepository({ repository, add: [{ name: 'supervisor', files: built.files }], bundleRepo: 'registry.example.com/packages' }));
  }
  const { version } = await select({ repository, refName, constraints: '<0.39.0' });
  const plan = { refName, namespace: 'installs', values };
  const session = await open({ package: 'pinniped/supervisor@0.39.0' });
  const ours = await session.installSet(plan);
  await session.close();
  const theirs = await installSet({ ...plan, repository, constraints: '0.39.0' });
  const lock = '---\\napiVersion: imgpkg.carvel.dev/v1alpha1\\nimages: []\\nkind: ImagesLock\\n';
  const { bundle, archive } = await bundleToTar({ bundle: 'registry.example.com/app:1', files: { '.imgpkg/images.yml': lock, 'a.yml': 'a: 1\\n' } });
  const told = {
    version,
    same: JSON.stringify(ours) === JSON.stringify(theirs),
    values: theirs.files.find(({ path }) => path.endsWith('values.yml')).text,
    changes: (await upgrade({ repository, refName, from: '0.25.0', to: '0.39.0', values })).changes,
    verdict: (await verifyRepository({ repository })).text,
    none: await select({ repository, refName, constraints: '>1.0.0' }).catch(({ message, filters }) => [message, filters.length]),
    bundle,
    files: (await bundleFromTar({ archive: { path: 'app.tar', data: archive } })).files,
    digest: (await inspectBundle({ archive: { path: 'app.tar', data: archive } })).digest,
  };
`;

function packaged(said) {
  assert.equal(said.version, '0.25.0');
  assert.ok(said.same && said.changes);
  assert.match(said.values, /log_level/);
  assert.equal(said.verdict, 'repository: 2 versions of 1 package in order');
  assert.match(said.none[0], /^Expected to find at least one version, but did not/);
  assert.equal(said.none[1], 4);
  assert.equal(said.bundle, `registry.example.com/app@${said.digest}`);
  assert.deepEqual(said.files.map(({ path, text }) => [path, text]).at(-1), ['a.yml', 'a: 1\n']);
}

test('Node makes, selects and installs packages with it', () => {
  write('packaging.js', `${PACKAGING}\nconsole.log(JSON.stringify(told));`);
  packaged(JSON.parse(inFolder('node', 'packaging.js')));
});

test('so does a page', async () => {
  const host = await serve({
    '/haulout/': installed,
    '/page.html': { text: `<!doctype html><title>Packages</title><script type="importmap">{"imports": {"haulout": "/haulout/index.js"}}</script><script type="module">${PACKAGING}\nglobalThis.told = told;</script>` },
  });
  const { page, close } = await browser.open(`${host.address}/page.html`);
  await page.waitForFunction(() => globalThis.told !== undefined);
  packaged(await page.evaluate(() => globalThis.told));
  await close();
  host.end();
});

test('its types and its manifest say what its elements are', async () => {
  const { modules: [{ declarations }] } = JSON.parse(readFileSync(join(installed, 'custom-elements.json'), 'utf8'));
  const types = readFileSync(join(installed, 'element.d.ts'), 'utf8');
  const host = await serve({ '/haulout/': installed, '/page.html': { text: '<!doctype html><title>Types</title><script type="module" src="/haulout/www/element.js"></script>' } });
  const { page, close } = await browser.open(`${host.address}/page.html`);
  for (const { tagName, name, attributes, members } of declarations) {
    const real = await page.evaluate(async (tag) => {
      const type = await customElements.whenDefined(tag);
      const own = Object.getOwnPropertyNames(type.prototype).concat(Object.getOwnPropertyNames(Object.getPrototypeOf(type.prototype)));
      return { observed: type.observedAttributes, own };
    }, tagName);
    assert.deepEqual(attributes.map((attribute) => attribute.name).sort(), real.observed.toSorted());
    for (const member of members) assert.ok(real.own.includes(member.name), `${name}.${member.name}`);
    assert.match(types, new RegExp(`class ${name} extends HauloutElement`));
  }
  const { exports, version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  assert.ok(readFileSync(join(root, 'Cargo.toml'), 'utf8').includes(`\nversion = "${version}"`));
  for (const target of Object.values(exports).flatMap((one) => (typeof one === 'string' ? [one] : Object.values(one)))) {
    if (!target.includes('*')) assert.ok(readFileSync(join(installed, target)).length, target);
  }
  await close();
  host.end();
});

/** What SRI says of a file. */
const integrity = (path) => `sha384-${createHash('sha384').update(readFileSync(join(installed, 'www', path))).digest('base64')}`;

test('a plain page has it with integrity: what was changed is not run', async () => {
  const modules = readdirSync(join(installed, 'www')).filter((name) => name.endsWith('.js'));
  const right = Object.fromEntries(modules.map((name) => [`/haulout/www/${name}`, integrity(name)]));
  const page = (integrities) => `<!doctype html><title>Docs</title><script type="importmap">${JSON.stringify({ integrity: integrities })}</script>
    <script type="module" src="/haulout/www/element.js" integrity="${integrity('element.js')}"></script><haulout-preview id="a" src="pinniped/concierge"><pre>as it was built</pre></haulout-preview>`;
  const host = await serve({
    '/haulout/': installed,
    '/right.html': { text: page(right) },
    '/wrong.html': { text: page({ ...right, '/haulout/www/preview.js': integrity('app.js') }) },
  });
  const one = await browser.open(`${host.address}/right.html`);
  assert.equal((await told(one.page, 'render')).text, commandLine('pinniped/concierge', '').out);
  await one.close();
  const other = await browser.open(`${host.address}/wrong.html`, { expected: /integrity/ });
  await told(other.page, 'error');
  assert.equal(await other.page.getByText('as it was built').isVisible(), true);
  await other.close();
  host.end();
});

test('from another origin, as of a content network, it works where the page allows it', async () => {
  const network = await serve({ '/haulout/': installed }, { 'access-control-allow-origin': '*' });
  const host = await serve({ '/page.html': { text: `<!doctype html><title>Docs</title><script type="module" src="${network.address}/haulout/www/element.js"></script>
    <haulout-preview id="a" src="pinniped/concierge"></haulout-preview><haulout-configurator id="b" src="pinniped/concierge"></haulout-configurator>` } });
  const { page, close } = await browser.open(`${host.address}/page.html`, { elsewhere: [network.address] });
  for (const id of ['a', 'b']) assert.equal((await told(page, 'render', { id })).text, commandLine('pinniped/concierge', '').out);
  await close();
  host.end();
  network.end();
});

test('from another origin, a page that forbids the worker is told what to allow, and keeps what was built', async () => {
  const network = await serve({ '/haulout/': installed }, { 'access-control-allow-origin': '*' });
  const host = await serve(
    { '/page.html': { text: `<!doctype html><title>Docs</title><script type="module" src="${network.address}/haulout/www/element.js"></script>
    <haulout-preview id="a" src="pinniped/concierge"><pre>as it was built</pre></haulout-preview>` } },
    { 'content-security-policy': `script-src ${network.address} 'wasm-unsafe-eval'; worker-src 'self'` },
  );
  const { page, close } = await browser.open(`${host.address}/page.html`, { elsewhere: [network.address], expected: /Content Security Policy/ });
  assert.match((await told(page, 'error')).error, /could not be loaded: .*'worker-src blob:'/);
  assert.equal(await page.getByText('as it was built').isVisible(), true);
  await close();
  host.end();
  network.end();
});

test('Vite builds it', async () => {
  symlinkSync(join(root, 'node_modules/vite'), join(folder, 'node_modules/vite'));
  write('index.html', '<!doctype html><title>App</title><script type="module" src="/main.js"></script><haulout-preview id="a" src="pinniped/concierge" values="replicas: 2"></haulout-preview>');
  write('main.js', "import 'haulout/element.js';\nimport { render } from 'haulout';\nrender({ files: { 'a.yml': 'a: 1\\n' } }).then(({ text }) => { document.title = text.trim(); });\n");
  write('vite.config.js', "export default { worker: { format: 'es' }, optimizeDeps: { exclude: ['haulout'] }, logLevel: 'error' };\n");
  inFolder('node', join(root, 'node_modules/vite/bin/vite.js'), 'build');
  const host = await serve({ '/': join(folder, 'dist') }, { 'content-security-policy': STRICT });
  const { page, close } = await browser.open(`${host.address}/`);
  assert.equal((await told(page, 'render')).text, commandLine('pinniped/concierge', 'replicas: 2').out);
  await page.waitForFunction(() => document.title === 'a: 1');
  await close();
  host.end();
});

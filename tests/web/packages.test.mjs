// Packaging as WebAssembly gives what the command line gives: the recorded cases of `select`, `install`, `upgrade`,
// `package`, `repository`, `release`, `lock` and `bundle` are asked of both, and files, texts and errors compared.
import assert from 'node:assert/strict';
import { cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import * as engine from './support/engine.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cases = join(root, 'tests/cases');

/** What a case asks of the command line but not of the engine. */
class Skip extends Error {}

const text = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '');

function* walk(folder) {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    const stat = lstatSync(path);
    if (stat.isDirectory()) yield* walk(path);
    else if (stat.isFile()) yield path;
    else throw new Skip('links');
  }
}

/** The files below a folder, by their path in it. */
function files(folder) {
  if (!existsSync(folder)) return [];
  return [...walk(folder)].map((path) => ({ path: relative(folder, path), data: readFileSync(path) }));
}

/** The words of a case: flags by name, each a list, and what stands for itself. */
function flags(words, booleans) {
  const found = { words: [] };
  const queue = [...words];
  while (queue.length) {
    const word = queue.shift();
    const [, name, value] = /^--?([a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === 'help') throw new Skip('the flag --help');
    if (!name) found.words.push(word);
    else if (booleans.includes(name)) found[name] = true;
    else (found[name] ??= []).push(value ?? queue.shift());
  }
  return found;
}

/** What the case's command gives in a folder: `{ out, err, created }`, or it throws. */
class Work {
  constructor(folder, command) {
    this.folder = folder;
    this.command = command;
  }

  one(name) {
    return this.command[name]?.at(-1);
  }

  /** The folder of a repository, which must be there as the command line wants it. */
  repository(needed = true) {
    const folder = this.one('repository');
    if (needed && !(folder && existsSync(join(this.folder, folder, 'packages')))) throw new Skip('a repository that is none');
    return { folder, repository: files(join(this.folder, folder)) };
  }

  read(name) {
    return (this.command[name] ?? []).map((path) => {
      const place = join(this.folder, path);
      if (!existsSync(place) || !lstatSync(place).isFile()) throw new Skip('files that are missing');
      return { name: path, data: readFileSync(place, 'utf8') };
    });
  }

  selection() {
    const identifiers = this.command['prerelease-identifier'];
    return { constraints: this.one('constraints'), prereleases: identifiers ?? (this.command.prereleases === true) };
  }
}

const warned = (warnings) => warnings.map((line) => `warning: ${line}\n`).join('');
const created = (folder, made) => Object.fromEntries(made.map(({ path, text }) => [join(folder, path), Buffer.from(text)]));

/** What `--explain` prints. */
function explained({ filters, warnings }) {
  const width = Math.max(...filters.map(({ filter }) => filter.length));
  let before;
  const lines = filters.map(({ filter, left }) => {
    const head = `${filter.padEnd(width)}  ${String(left.length).padStart(3)}`;
    const lost = before?.filter((version) => !left.includes(version)) ?? [];
    const tail = before === undefined ? left.join(', ') : before.length > left.length ? `without ${lost.join(', ')}` : '';
    before = left;
    return `${tail ? `${head}  ${tail}` : head}\n`;
  });
  return lines.join('') + warned(warnings);
}

const commands = {
  select(work) {
    const { command } = work;
    const available = command.available ?? [];
    if (command.repository ? available.length : !available.length) throw new Skip('flags that do not go together');
    if (command.repository && !command['ref-name']) throw new Skip('flags that do not go together');
    const options = {
      ...(command.repository ? work.repository() : { available }),
      ...work.selection(),
      refName: work.one('ref-name'),
      installed: work.one('installed'),
      downgradable: command.downgradable === true,
      kubernetesVersion: work.one('kubernetes-version'),
      kappControllerVersion: work.one('kapp-controller-version'),
    };
    const told = (result) => (command.explain ? explained(result) : '');
    try {
      const selected = engine.select(options);
      return { out: `${selected.version}\n`, err: told(selected) };
    } catch (error) {
      if (!error.filters) throw error;
      error.message = told(error) + error.message;
      throw error;
    }
  },

  install(work) {
    for (const name of ['ref-name', 'namespace', 'out']) if (!work.one(name)) throw new Skip('a flag that is missing');
    const out = work.one('out');
    const set = engine.installSet({
      ...work.repository(),
      ...work.selection(),
      refName: work.one('ref-name'),
      values: work.read('values'),
      overlays: work.read('overlay').map(({ name, data }) => ({ path: basename(name), data })),
      name: work.one('name'),
      namespace: work.one('namespace'),
      serviceAccount: work.one('service-account'),
      rbac: work.one('rbac'),
      bundleRepo: work.one('bundle-repo'),
    });
    if (existsSync(join(work.folder, out))) throw new Skip('a folder that is there already');
    const steps = [...set.install, ...set.uninstall].map((line) => `${line.replaceAll('FOLDER', out)}\n`);
    const writing = set.files.map(({ path }) => `writing: ${out}/${path}\n`);
    return {
      out: [`${work.one('ref-name')} ${set.version}\n`, ...writing, ...steps].join(''),
      err: warned(set.warnings),
      created: created(out, set.files),
    };
  },

  upgrade(work) {
    for (const name of ['ref-name', 'repository']) if (!work.one(name)) throw new Skip('a flag that is missing');
    const old = work.read('from-values');
    const report = engine.upgrade({
      ...work.repository(),
      ...work.selection(),
      refName: work.one('ref-name'),
      from: work.one('from'),
      to: work.one('to'),
      values: work.read('values'),
      fromValues: old.length ? old : undefined,
      overlays: work.read('overlay').map(({ name, data }) => ({ path: basename(name), data })),
      namespace: work.one('namespace'),
    });
    const rc = report.changes ? 2 : 0;
    switch (work.one('o') ?? work.one('output') ?? 'text') {
      case 'text':
        return { out: report.text, rc };
      case 'markdown':
        return { out: report.markdown, rc };
      case 'json':
        return { out: JSON.stringify(report.upgrade, null, 2) + '\n', rc };
      default:
        throw new Skip('a format');
    }
  },

  package(work) {
    const { command } = work;
    const [verb] = command.words;
    if (verb !== 'build') throw new Skip('a command that is missing');
    for (const name of ['source', 'ref-name', 'version', 'bundle-repo', 'out']) if (!work.one(name)) throw new Skip('a flag that is missing');
    const [source, out] = [work.one('source'), work.one('out')];
    const found = files(join(work.folder, source));
    if (!found.length && /^[./]/.test(source)) throw new Skip('files that are missing');
    if (existsSync(join(work.folder, out))) throw new Skip('a folder that is there already');
    const [notes] = work.read('release-notes');
    const [metadata] = work.read('metadata');
    const built = engine.buildPackage({
      ...(found.length ? { files: found } : { source }),
      refName: work.one('ref-name'),
      version: work.one('version'),
      bundleRepo: work.one('bundle-repo'),
      images: command.image,
      releaseNotes: notes?.data,
      metadata: metadata && { path: metadata.name, data: metadata.data },
      allowUnlocked: command['allow-unlocked'] === true,
    });
    return { out: `${built.bundle}\n`, err: warned(built.warnings), created: created(out, built.files) };
  },

  repository(work) {
    const [verb, ...words] = work.command.words;
    if (verb === 'verify') {
      const against = (work.command.against ?? []).map((name) => ({ name, files: files(join(work.folder, name)) }));
      if (against.some(({ files }) => !files.length)) throw new Skip('files that are missing');
      const verdict = engine.verifyRepository({ ...work.repository(), against });
      return { out: `${verdict.text}\n`, err: verdict.warnings.map((line) => `${line}\n`).join('') };
    }
    if (verb !== 'build') throw new Skip('changes without a build');
    if (!work.one('bundle-repo')) throw new Skip('a flag that is missing');
    const { folder, repository } = work.repository(false);
    const built = engine.buildRepository({
      folder,
      repository,
      add: words.map((name) => ({ name, files: files(join(work.folder, name)) })),
      replace: work.command.replace === true,
      bundleRepo: work.one('bundle-repo'),
      name: work.one('name'),
      namespace: work.one('namespace'),
    });
    // Which files it writes is told on standard error; the files themselves are compared.
    return { out: built.resource, created: created(folder, built.files), before: created(folder, repository.map(({ path, data }) => ({ path, text: data }))) };
  },

  release(work) {
    const config = work.one('config');
    if (!config || !work.command['dry-run']) throw new Skip('more than a dry run');
    const release = engine.release({ config, files: files(work.folder), replace: work.command.replace === true });
    return { out: release.resource, pushes: release.pushes.map(({ name, digest }) => `would push: ${name} (${digest})\n`).join('') };
  },

  lock(work) {
    const { command } = work;
    if (!command.offline || command['unresolved-inspect']) throw new Skip('a registry');
    if (work.one('lock-output') && work.one('imgpkg-lock-output') || work.one('origins-annotation')) throw new Skip('flags that do not go together');
    if ((command.f ?? []).some((path) => !existsSync(join(work.folder, path)))) throw new Skip('files that are missing');
    const found = command.f.flatMap((path) => (lstatSync(join(work.folder, path)).isDirectory() ? files(join(work.folder, path)) : [{ path, data: readFileSync(join(work.folder, path)) }]));
    const [map] = work.read('image-map-file');
    if (map && !map.data.startsWith('{')) throw new Skip('a map that is none');
    const locked = engine.lock({ files: found, imageMap: map && JSON.parse(map.data), withoutAnnotations: work.one('images-annotation') === 'false' });
    const written = [[work.one('imgpkg-lock-output'), locked.imagesLock], [work.one('lock-output'), locked.config]].filter(([path]) => path);
    return { out: locked.text, err: locked.told.map((line) => `${line}\n`).join(''), created: created('', written.map(([path, text]) => ({ path, text }))) };
  },
};

/** What `bundle` is asked: archives are named by their path, as the command line names them. */
commands.bundle = (work) => {
  const [verb] = work.command.words;
  const [tar, folders] = [work.one('tar'), work.command.f ?? []];
  const archive = tar && { path: tar, data: readFileSync(join(work.folder, tar)) };
  const source = archive
    ? { archive }
    : { bundle: work.one('b'), files: folders.flatMap((path) => files(join(work.folder, path))), labels: Object.fromEntries((work.command.l ?? []).map((label) => label.split('='))) };
  switch (verb) {
    case 'inspect':
      return { out: engine.inspectBundle(source).text };
    case 'from-tar': {
      const { bundle, files: made } = engine.bundleFromTar(source);
      return { out: `${bundle}\n`, created: created(work.one('o'), made) };
    }
    case 'to-tar':
    case 'copy': {
      const { bundle, archive: made } = engine.bundleToTar(source);
      return { out: `${bundle}\n`, created: created('', [{ path: work.one('o') ?? work.one('to-tar'), text: made }]) };
    }
    default:
      throw new Skip('a registry');
  }
};

const booleans = ['offline', 'unresolved-inspect', 'explain', 'prereleases', 'downgradable', 'replace', 'dry-run', 'allow-unlocked'];

function compare(place) {
  const scratch = mkdtempSync(join(tmpdir(), 'haulout-'));
  const work = join(scratch, 'in');
  try {
    if (existsSync(join(place, 'in'))) cpSync(join(place, 'in'), work, { recursive: true });
    else mkdirSync(work);
    for (const line of text(join(place, 'uses')).split('\n').filter(Boolean)) {
      const [as, source] = line.split('=');
      cpSync(join(cases, source), join(work, as), { recursive: true });
    }
    const [verb, ...words] = text(join(place, 'cmd')).split('\n').filter((line) => line !== '');
    if (!commands[verb]) throw new Skip(`the command ${verb}`);
    const command = flags(words, booleans);
    if (command['error-format']) throw new Skip('an error’s format');
    const rc = Number(text(join(place, 'rc')) || 0);
    const [stdout, stderr] = [text(join(place, 'stdout')), text(join(place, 'stderr'))];
    let result;
    try {
      result = commands[verb](new Work(work, command));
    } catch (error) {
      if (error instanceof Skip || error instanceof WebAssembly.RuntimeError) throw error;
      assert.equal(`${error.message}\n`, stderr);
      assert.equal(1, rc);
      return;
    }
    assert.equal(result.out, stdout);
    assert.equal(result.rc ?? 0, rc);
    if (result.err !== undefined) assert.equal(result.err, stderr);
    if (result.pushes !== undefined) assert.ok(stderr.endsWith(result.pushes), stderr);
    if (result.created) {
      const wanted = Object.fromEntries(files(join(place, 'created')).map(({ path, data }) => [path, data]));
      for (const [path, data] of Object.entries(result.created)) {
        if (result.before?.[path]?.equals(data)) assert.equal(wanted[path], undefined, path);
        else assert.equal(data.toString('latin1'), wanted[path]?.toString('latin1'), path);
        delete wanted[path];
      }
      assert.deepEqual(Object.keys(wanted), []);
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function* places(folder) {
  if (existsSync(join(folder, 'cmd'))) yield folder;
  else for (const name of readdirSync(folder).sort()) if (lstatSync(join(folder, name)).isDirectory()) yield* places(join(folder, name));
}

test('recorded cases', () => {
  const compared = {};
  const skipped = {};
  const differing = [];
  for (const family of ['select', 'install', 'upgrade', 'build', 'repository', 'release', 'lock', 'bundle']) {
    for (const place of places(join(cases, 'package', family))) {
      try {
        compare(place);
        compared[family] = (compared[family] ?? 0) + 1;
      } catch (error) {
        if (error instanceof Skip) skipped[error.message] = (skipped[error.message] ?? 0) + 1;
        else differing.push(`${relative(cases, place)}: ${error.message}`);
      }
    }
  }
  const told = (counts) => Object.entries(counts).map(([name, count]) => `${count} ${name}`).join(', ');
  console.log(`compared: ${told(compared)}; for the command line alone: ${told(skipped)}`);
  assert.deepEqual(differing, []);
  for (const [family, least] of Object.entries({ select: 25, install: 15, upgrade: 12, build: 20, repository: 12, release: 3, lock: 15, bundle: 10 })) {
    assert.ok(compared[family] >= least, `${family}: ${compared[family]}`);
  }
});

const asInput = (made) => made.map(({ path, text }) => ({ path, data: text }));

test('a session’s package is installed and compared as it is from a repository', () => {
  const refName = 'supervisor.pinniped.dev';
  let repository = [];
  for (const version of ['0.25.0', '0.39.0']) {
    const built = engine.buildPackage({ source: `pinniped/supervisor@${version}`, refName, version, bundleRepo: 'registry.example.com/supervisor', allowUnlocked: true });
    assert.match(built.bundle, /^registry\.example\.com\/supervisor@sha256:[0-9a-f]{64}$/);
    const made = engine.buildRepository({ repository, add: [{ name: 'package', files: asInput(built.files) }], bundleRepo: 'registry.example.com/packages' });
    assert.match(made.resource, new RegExp(`image: ${made.bundle}\n`));
    repository = asInput(made.files);
  }
  const plan = { refName, namespace: 'installs', values: 'log_level: debug\n', constraints: '>=0.25.0 <0.39.0' };
  const session = engine.Session.open_package('pinniped/supervisor@0.25.0');
  const ours = session.installSet(plan);
  session.free();
  const theirs = engine.installSet({ ...plan, repository });
  assert.deepEqual(ours, theirs);
  assert.equal(ours.version, '0.25.0');
  assert.deepEqual(ours.files.map(({ path }) => path), ['1-namespace.yml', '2-service-account.yml', '3-permissions.yml', '4-values.yml', '5-install.yml']);

  const versions = { refName, from: '0.25.0', to: '0.39.0', values: plan.values };
  const change = engine.upgrade({ ...versions, package: 'pinniped/supervisor' });
  assert.deepEqual(change, engine.upgrade({ ...versions, repository }));
  assert.ok(change.changes && change.upgrade.objects.added.some(({ name }) => name.startsWith('githubidentityproviders.')));
});

test('what is wrong is thrown in the command line’s words', () => {
  const thrown = (act) => {
    try {
      act();
    } catch (error) {
      return error;
    }
    assert.fail('nothing was thrown');
  };
  const none = thrown(() => engine.select({ available: ['0.25.0'], constraints: '>1.0.0' }));
  assert.match(none.message, /^Expected to find at least one version, but did not \(details: all=1 /);
  assert.deepEqual(none.filters.map(({ left }) => left.length), [1, 1, 1, 0]);
  const session = engine.Session.open_files([{ path: 'a.yml', data: 'a: 1\n' }]);
  const lines = (act) => thrown(act).message;
  assert.equal(lines(() => session.installSet({ refName: 'a.b.c' })), 'haulout: Error: expected version');
  assert.equal(lines(() => session.installSet({ refName: 'a.b.c', version: '1.0.0', namespace: 'a', nmae: 1, name: 2 })), 'haulout: Error: name: expected a string, found integer\nnmae: unknown key');
  assert.match(lines(() => session.installSet({ refName: 'a.b.c', version: '1.0.0', namespace: 'a' })), /renders something that is no object/);
  assert.match(lines(() => session.installSet({ refName: 'a.b', version: '1.0.0', namespace: 'a' })), /should be a domain with at least three segments/);
  session.free();
});

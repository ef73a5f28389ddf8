// The engine as WebAssembly gives what the command line gives: every case that asks only for a render is run in both, our
// own cases and ytt's where they are at hand, and text and error compared.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { initSync, Session } from '../../www/pkg/haulout.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const binary = process.env.HAULOUT ?? join(root, 'target/release/haulout');
const shared = process.env.HAULOUT_CONFORMANCE ?? join(root, '../shared/conformance');

initSync({ module: readFileSync(join(root, 'www/pkg/haulout_bg.wasm')) });

/** What a case asks of the command line but not of the engine. */
class Skip extends Error {}

const read = (path) => (existsSync(path) ? readFileSync(path) : Buffer.alloc(0));
const lines = (path) => read(path).toString().split('\n').filter((line) => line !== '');

function* walk(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const stat = lstatSync(path);
    if (stat.isSymbolicLink()) throw new Skip('links');
    if (stat.isDirectory()) yield* walk(path);
    else yield path;
  }
}

const byBytes = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** The files of one `-f`: a folder's by their path in it, a file by its name. */
function input(work, argument, stdin) {
  if (/^https?:/.test(argument) || argument.startsWith('/')) throw new Skip('files elsewhere');
  const [, name, path] = /^(?:([^=]*)=)?(.*)$/s.exec(argument);
  if (path === '' || path.includes('=')) throw new Skip('a malformed name');
  if (path === '-') return [{ path: name ?? 'stdin.yml', data: stdin }];
  const place = join(work, path);
  if (!existsSync(place)) throw new Skip('files that are missing');
  if (!statSync(place).isDirectory()) return [{ path: name ?? basename(path), data: readFileSync(place) }];
  const files = [...walk(place)].map((file) => relative(place, file)).sort(byBytes);
  return files.map((file) => ({ path: file, data: readFileSync(join(place, file)) }));
}

const toggles = {
  '-s': 'strict',
  '--strict': 'strict',
  '--ignore-unknown-comments': 'ignoreUnknownComments',
  '--implicit-map-key-overrides': 'implicitMapKeyOverrides',
  '--dangerous-data-values-disable-validation': 'skipValidation',
};
const lists = {
  '-v': 'dataValues',
  '--data-value': 'dataValues',
  '--data-value-yaml': 'dataValuesYaml',
  '--data-values-env': 'dataValuesEnv',
  '--data-values-env-yaml': 'dataValuesEnvYaml',
  '--file-mark': 'fileMarks',
};
const schemas = { 'openapi-v3': 'openapi-v3', markdown: 'markdown', values: 'skeleton' };
const utf8 = (bytes) => new TextDecoder('utf-8', { fatal: true }).decode(bytes);

/** The arguments of a case as a session's files and options. */
function translate(words, work, stdin, environment) {
  const files = [];
  const options = { environment };
  const outputs = [];
  let inspect;
  const queue = [...words];
  while (queue.length) {
    let word = queue.shift();
    const equals = /^(--[a-z-]+)=(.*)$/s.exec(word);
    if (equals) {
      word = equals[1];
      queue.unshift(equals[2]);
    }
    const value = () => {
      if (!queue.length) throw new Skip('a flag without its value');
      return queue.shift();
    };
    if (word in toggles && !equals) options[toggles[word]] = true;
    else if (word in lists) (options[lists[word]] ??= []).push(value());
    else if (word === '-f' || word === '--file') files.push(...input(work, value(), stdin));
    else if (word === '-o' || word === '--output') outputs.push(...value().split(','));
    else if (word === '--data-values-inspect' && !equals) inspect ??= 'values';
    else if (word === '--files-inspect' && !equals) inspect = 'files';
    else if (word === '--data-values-schema-inspect' && !equals) inspect = inspect === 'files' ? inspect : 'schema';
    else if (word === '--data-values-file') {
      const argument = value();
      const [, library, path] = /^(@[^:]*:)?(.*)$/s.exec(argument);
      if (library && library.length < 3) throw new Skip('a malformed address');
      const place = join(work, path);
      if (path === '-' || !existsSync(place) || !lstatSync(place).isFile()) throw new Skip('values that are no file');
      (options.dataValuesFiles ??= []).push({ name: `${library ?? ''}${basename(path)}`, data: utf8(readFileSync(place)) });
    } else throw new Skip(`the flag ${/^-\w/.test(word) ? word.slice(0, 2) : word}`);
  }
  const format = outputs.find((name) => ['yaml', 'json', 'pos'].includes(name));
  const schema = outputs.find((name) => name in schemas);
  if (outputs.some((name) => name !== format && name !== schema)) throw new Skip('an output format');
  if ((inspect === 'schema') !== (schema !== undefined)) throw new Skip('a schema’s format');
  if (inspect === 'files' && schema) throw new Skip('a schema’s format');
  return { files, options: { ...options, output: format ?? 'yaml', inspect: inspect === 'schema' ? schemas[schema] : inspect } };
}

function* cases(folder) {
  if (existsSync(join(folder, 'cmd'))) yield folder;
  else for (const name of readdirSync(folder).sort()) if (statSync(join(folder, name)).isDirectory()) yield* cases(join(folder, name));
}

/** Runs all cases of a folder; returns how many were compared, and why others were not. */
function compare(folder, fixtures) {
  let compared = 0;
  const skipped = {};
  const differing = [];
  for (const place of cases(folder)) {
    const name = relative(folder, place);
    const scratch = mkdtempSync(join(tmpdir(), 'haulout-'));
    const work = join(scratch, 'in');
    try {
      if (existsSync(join(place, 'in'))) cpSync(join(place, 'in'), work, { recursive: true, verbatimSymlinks: true });
      else mkdirSync(work);
      for (const line of lines(join(place, 'uses'))) {
        const [as, source] = line.split('=');
        cpSync(join(fixtures, source), join(work, as), { recursive: true });
      }
      const words = lines(join(place, 'cmd'));
      const stdin = read(join(place, 'stdin'));
      const environment = Object.fromEntries(lines(join(place, 'env')).map((line) => /^([^=]*)=(.*)$/s.exec(line).slice(1)));
      let session;
      let options;
      try {
        const request = translate(words, work, stdin, environment);
        session = Session.open_files(request.files);
        options = request.options;
      } catch (error) {
        const reason = error instanceof Skip ? error.message : error instanceof TypeError ? 'values that are not UTF-8' : undefined;
        if (!reason) throw error;
        skipped[reason] = (skipped[reason] ?? 0) + 1;
        continue;
      }
      const here = session.render_with(options);
      session.free();
      const there = spawnSync(binary, words, {
        cwd: work,
        input: stdin,
        env: { PATH: process.env.PATH, HOME: scratch, LANG: 'C.UTF-8', ...environment },
        maxBuffer: 1 << 28,
      });
      compared += 1;
      const error = there.status === 0 ? '' : there.stderr.toString().replace(/\n$/, '');
      const text = there.status === 0 ? there.stdout.toString() : '';
      // A page allows less than a terminal, so the numbers and the depths differ.
      const stopped = 'evaluation stopped: ';
      if (error.includes(stopped) && here.error.includes(stopped)) continue;
      if (here.text !== text || !error.endsWith(here.error) || (error === '') !== (here.error === '')) {
        const [wanted, found] = [text + error, here.text + here.error].map((output) => output.split('\n'));
        const line = wanted.findIndex((wanted, index) => wanted !== found[index]);
        differing.push(`${name}, line ${line + 1}: the command line has '${wanted[line]}', WebAssembly '${found[line]}'`);
      }
    } finally {
      rmSync(scratch, { recursive: true });
    }
  }
  const reasons = Object.entries(skipped).map(([reason, count]) => `${count} ${reason}`);
  console.log(`${relative(root, folder)}: ${compared} compared; for the command line alone: ${reasons.join(', ') || 'none'}`);
  assert.deepEqual(differing, []);
  return compared;
}

test('our own cases', () => {
  assert.ok(compare(join(root, 'tests/cases'), join(root, 'tests/cases')) > 0);
});

test('ytt’s recorded cases', (t) => {
  if (!existsSync(join(shared, 'cases'))) return t.skip(`${shared} is not there`);
  assert.ok(compare(join(shared, 'cases'), join(shared, 'fixtures')) > 1000);
});

// Takes packaging out of the engine's module into one of its own, which a page loads when it is needed first.
//
//   split-page.mjs MODULE.wasm MAIN.wasm PACKAGING.wasm
//
// Both share one memory, one stack and one table, so that a session of the first is at hand in the second: Rust knows one
// program. The second imports from the exports of the first what it uses of it, and puts its own functions into places of
// the table that were left for them; the first calls it through these. Whoever calls what is not loaded yet gets a trap.
//
// A function is moved if nothing that stays calls it. What is in the table may be called by anyone, so that there its name
// decides: what Rust's modules of packaging have in it moves.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What a page loads later: exported functions … */
const LATER = ['select', 'installSet', 'session_installSet', 'upgrade', 'buildPackage', 'buildRepository', 'verifyRepository', 'release', 'lock', 'bundleToTar', 'bundleFromTar', 'inspectBundle'];
/** … and what is in the table for their sake. */
const MARK = /haulout::(package|wasm::(packages|making|bundles))::|\b(tar|flate2|miniz_oxide|simd_adler32|serde_json)::|\bstd(\[\w+\])?::io::(Read|Seek|Take|copy|cursor)\b/;
const FEATURES = ['bulk-memory', 'bulk-memory-opt', 'mutable-globals', 'multivalue', 'nontrapping-float-to-int', 'reference-types', 'sign-ext'].map((name) => `--enable-${name}`);

const NAME = /\$"(?:[^"\\]|\\.)*"|\$[^\s()]+/;
const CALLS = new RegExp(`\\((?:call|return_call|ref\\.func) (${NAME.source})`, 'g');
const GLOBALS = new RegExp(`\\(global\\.[gs]et (${NAME.source})`, 'g');
const EXTERNS = new RegExp(`\\(table\\.\\w+ (${NAME.source})`, 'g');

const [source, main, later] = process.argv.slice(2);
if (!later) throw new Error('expected three paths: MODULE.wasm MAIN.wasm PACKAGING.wasm');
const scratch = mkdtempSync(join(tmpdir(), 'haulout-split-'));
const tool = (name, ...words) => execFileSync(name, [...FEATURES, ...words], { stdio: ['ignore', 'inherit', 'inherit'] });

/** The forms of a module: each begins with a blank and a bracket, and what belongs to it stands further in. */
function* forms(text) {
  let form = [];
  for (const line of text.split('\n')) {
    if (/^ \(/.test(line) && form.length) {
      yield form.join('\n');
      form = [];
    }
    if (/^ ( |\(|\))/.test(line)) form.push(line);
  }
  yield form.join('\n');
}

const first = (pattern, text) => pattern.exec(text)?.[0];
const all = (pattern, text) => new Set([...text.matchAll(pattern)].map(([, name]) => name));
/** ` (param $0 i32) (result i32)` of a function, without the names. */
const signature = (head) => [...head.matchAll(/\((param|result)((?: \$\S+)?(?: [a-z0-9]+)+)\)/g)].map(([, kind, types]) => ` (${kind}${types.replace(/ \$\S+/, '')})`).join('');
const parameters = (types) => [...types.matchAll(/\(param((?: \w+)+)\)/g)].flatMap(([, words]) => words.trim().split(' '));

try {
  const wat = join(scratch, 'module.wat');
  tool('wasm-dis', source, '-o', wat);
  const kinds = { type: [], import: [], global: [], memory: [], data: [], table: [], elem: [], export: [], func: [] };
  for (const form of forms(readFileSync(wat, 'utf8'))) {
    const kind = /^ \(([a-z]+)/.exec(form)?.[1];
    if (!kinds[kind]) throw new Error(`no place for ${form.slice(0, 60)}`);
    kinds[kind].push(form);
  }

  const functions = new Map();
  for (const form of kinds.func) functions.set(first(NAME, form), form);
  const imported = new Map();
  for (const form of kinds.import) imported.set(first(NAME, form), form.slice(form.indexOf('(func')));
  const calls = new Map([...functions].map(([name, form]) => [name, all(CALLS, form)]));
  const exported = kinds.export.map((form) => {
    const [, name, kind, target] = new RegExp(`\\(export "([^"]*)" \\((\\w+) (${NAME.source})`).exec(form);
    return { form, name, kind, target, moves: kind === 'func' && LATER.includes(name) };
  });
  const [elements] = kinds.elem;
  const [, table, start, listed] = new RegExp(`\\(table (${NAME.source})\\) \\(i32\\.const (\\d+)\\) (?:func )?(.*)\\)$`, 's').exec(elements);
  const entries = listed.match(new RegExp(NAME.source, 'g'));

  const stays = new Set();
  const reach = [...exported.filter(({ kind, moves }) => kind === 'func' && !moves).map(({ target }) => target), ...entries.filter((name) => !MARK.test(name))];
  while (reach.length) {
    const name = reach.pop();
    if (stays.has(name)) continue;
    stays.add(name);
    reach.push(...(calls.get(name) ?? []));
  }
  const moved = [...functions.keys()].filter((name) => !stays.has(name));
  const moves = new Set(moved);
  if (!exported.some(({ moves }) => moves)) throw new Error('nothing to move: no function of packaging is exported');

  // What the second module takes from the first, by short names.
  const used = moved.map((name) => functions.get(name)).join('\n');
  const taken = [...all(CALLS, used)].filter((name) => !moves.has(name));
  const globals = [...all(GLOBALS, used)];
  const externs = [...all(EXTERNS, used)].filter((name) => name !== table);
  const short = new Map([...taken, ...globals, ...externs].map((name, index) => [name, `_${index.toString(36)}`]));

  // The first: stubs for what is exported of the second, and empty places in the table.
  const [tableForm] = kinds.table.filter((form) => form.includes(` (table ${table} `));
  const places = Number(/ (\d+) \d+ funcref/.exec(tableForm)[1]);
  const stubs = exported.filter(({ moves }) => moves).map(({ target }, index) => {
    const types = signature(functions.get(target).split('\n')[0]);
    const values = parameters(types).map((_, index) => `(local.get ${index})`).join(' ');
    return { target, place: places + index, stub: ` (func ${target}${types} (call_indirect ${table}${types} ${values} (i32.const ${places + index})))` };
  });
  const grown = tableForm.replace(/ \d+ \d+ funcref/, ` ${places + stubs.length} ${places + stubs.length} funcref`);
  const empty = '$haulout_not_loaded';
  const kept = entries.map((name) => (moves.has(name) ? empty : name)).join(' ');
  const lines = (...parts) => `(module\n${parts.flat().join('\n')}\n)\n`;
  const types = kinds.type;
  const exports = [...short].map(([name, as]) => ` (export "${as}" (${globals.includes(name) ? 'global' : externs.includes(name) ? 'table' : 'func'} ${name}))`);
  writeFileSync(wat, lines(
    types, kinds.import, kinds.global, kinds.memory, kinds.data, kinds.table.map((form) => (form === tableForm ? grown : form)),
    ` (elem (table ${table}) (i32.const ${start}) func ${kept})`,
    kinds.export, exports, ` (export "_" (table ${table}))`, ` (func ${empty} (unreachable))`,
    stubs.map(({ stub }) => stub), [...functions].filter(([name]) => !moves.has(name)).map(([, form]) => form),
  ));
  tool('wasm-as', wat, '-o', join(scratch, 'main.wasm'));
  tool('wasm-opt', '-O1', '--strip-debug', '--strip-producers', join(scratch, 'main.wasm'), '-o', main);

  // The second.
  const from = (name, form) => ` (import "engine" "${name}" ${form})`;
  const typeOf = (name) => signature((functions.get(name) ?? imported.get(name)).split('\n')[0]);
  const globalType = (name) => /\(global \S+ (\(mut \w+\)|\w+)/.exec(kinds.global.find((form) => first(NAME, form) === name))[1];
  const tableType = (name) => / (\d+(?: \d+)? \w+)\)/.exec(kinds.table.find((form) => first(NAME, form) === name))[1].replace(/^\d+(?: \d+)?/, '0');
  const memory = first(NAME, kinds.memory[0]);
  const filled = entries.map((name, index) => ({ name, place: Number(start) + index })).filter(({ name }) => moves.has(name));
  for (const { target, place } of stubs) filled.push({ name: target, place });
  writeFileSync(wat, lines(
    types,
    from('memory', `(memory ${memory} 0)`), from('_', `(table ${table} 0 funcref)`),
    taken.map((name) => from(short.get(name), `(func ${name}${typeOf(name)})`)),
    globals.map((name) => from(short.get(name), `(global ${name} ${globalType(name)})`)),
    externs.map((name) => from(short.get(name), `(table ${name} ${tableType(name)})`)),
    filled.map(({ name, place }) => ` (elem (table ${table}) (i32.const ${place}) func ${name})`),
    moved.map((name) => functions.get(name)),
  ));
  tool('wasm-as', wat, '-o', join(scratch, 'later.wasm'));
  tool('wasm-opt', '-O1', '--strip-debug', '--strip-producers', join(scratch, 'later.wasm'), '-o', later);
} finally {
  rmSync(scratch, { recursive: true });
}

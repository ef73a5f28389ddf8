// The page: a package, its form, what the engine makes of it.
import { Engine } from './engine.js';
import { Output, showDifference } from './output.js';
import { buildForm, isChanged } from './form.js';
import { showErrors } from './errors.js';
import { buildTakeAway } from './take.js';
import { bringFiles, catchDrops, openFiles } from './drop.js';
import { changedLines } from './diff.js';
import { fromFragment } from './share.js';
import { mentionsSecret, withoutSecrets } from './secrets.js';
import { Values, isMap, map, parseJson, same, without, withValue } from './values.js';
import { element, find, tabs } from './dom.js';
import { toYaml } from './yaml.js';
import { label, languageNames, say, speak } from './words.js';

const engine = new Engine();
let session;
const values = new Values((from) => busy(() => follow(from)));
const output = new Output({ text: find('output'), outline: find('outline'), none: find('none') });
const chooseValuesTab = tabs(find('values-tabs'));
const chooseResultTab = tabs(find('result-tabs'), (id) => { if (id === 'changes-tab') showChanges(); });
/** `{ name, title, version }` of each package. */
let packages = [];
/** What is open: the package's name, its form and its views, what its defaults render to. */
let open = { name: '', form: undefined, views: undefined, defaults: '' };
/** The newest rendering that worked, and what is said of the newest one. */
let rendering = { text: '', documents: [] };
let take;

// ── Values ──

/** A file of values as a tree: `{ tree }`, or `{ error }` in the engine's words. */
async function readValues(text) {
  const { json, error } = await engine.read(text);
  if (error) return { error };
  const tree = parseJson(json) ?? map();
  return isMap(tree) ? { tree } : { error: '' };
}

/** A piece of YAML that stands alone: `{ value }`, or `{ error }`. */
async function readPiece(text) {
  const { json, error } = await engine.read(`v:\n${text.replace(/^/gm, '  ')}\n`);
  if (!error) return { value: parseJson(json).v };
  const said = /yaml: (?:line (\d+): )?(.*)/s.exec(error);
  return { error: said ? `yaml: ${said[1] ? `line ${Math.max(1, said[1] - 1)}: ` : ''}${said[2]}` : error };
}

/** After every change: by the form, the text, the past (undo), or a file or link. */
async function follow(from) {
  if (from === 'text') await readText();
  else find('unread').hidden = true;
  if (find('values').value !== values.text) find('values').value = values.text;
  open.views?.update();
  take.update();
  find('undo').disabled = !values.canUndo;
  find('redo').disabled = !values.canRedo;
  find('again').disabled = values.text === '';
  applyFinder();
  remember();
  await render();
}

/** Reads the text into the form, as far as it can be shown there. */
async function readText() {
  const { text } = values;
  const { tree } = await readValues(text).catch(() => ({}));
  if (text !== values.text) return;
  find('unread').hidden = Boolean(tree);
  if (tree) values.read(tree);
}

let atWork = 0;

/** Does some work; the result counts as busy until all of it is done. */
async function busy(work) {
  atWork += 1;
  find('result').setAttribute('aria-busy', 'true');
  try {
    return await work();
  } finally {
    atWork -= 1;
    find('result').setAttribute('aria-busy', String(atWork > 0));
  }
}

async function render() {
  const started = performance.now();
  const result = await session.render(values.text).catch((failure) => ({ error: failure.message, diagnostics: [], stopped: true }));
  if (result) show(result, performance.now() - started);
}

/** Shows a result, or what is wrong beside the last one that was. */
function show(result, spent) {
  const failed = Boolean(result.error);
  find('values').setAttribute('aria-invalid', String(failed));
  find('failure').hidden = !failed;
  find('output').classList.toggle('stale', failed);
  find('errors').textContent = result.error;
  const homeless = showErrors(result.diagnostics, open.views, find('summary'), () => { chooseValuesTab('yaml-tab'); find('values').focus(); });
  if (failed) {
    find('said').open = homeless > 0 || !result.diagnostics.length;
    find('took').textContent = '';
    unlight();
    status(result.stopped ? say('stopped') : say('wrong', Math.max(1, result.diagnostics.length)));
    return;
  }
  rendering = result;
  output.show(result);
  find('cover').hidden = !result.documents.some(({ kind }) => kind === 'Secret');
  find('took').textContent = say('took', Math.max(1, Math.round(spent)));
  const count = showChanges();
  status(`${say('documents', result.documents.length)}, ${say('differ', count)}`);
  light();
}

/** Says something to all who look or listen, but not twice. */
function status(text) {
  if (find('status').textContent !== text) find('status').textContent = text;
}

function notice(text) {
  find('notice').textContent = text;
  find('notice').hidden = !text;
}

function showChanges() {
  return showDifference(find('difference'), open.defaults, rendering.text);
}

// ── What a field reaches ──

let lit;

/** Another value that a field may have, to see what follows from it. */
function otherValue({ examples = [], choices = [], type, default: usual }) {
  const example = examples.find(({ value }) => !same(value, usual));
  if (example) return example.value;
  const choice = choices.find((value) => !same(value, usual));
  if (choice !== undefined) return choice;
  if (type === 'string') return `${usual ?? ''}-x`;
  if (type === 'integer') return Number(usual ?? 0) + 1;
  return type === 'boolean' ? !usual : undefined;
}

/** A tree in which only this field is different: without what the person gave it, else with another value. */
function treeBeside({ field, cell: { path } }) {
  const place = path.reduce((around, key) => [...around, around.at(-1)?.[key]], [values.tree]);
  if (isChanged(field, place.at(-1))) return without(values.tree, path);
  // What is within a list has no value of its own to put another in place of.
  if (field.fields || place.some(Array.isArray)) return undefined;
  const other = otherValue(field);
  return other === undefined ? undefined : withValue(values.tree, path, other);
}

/** Lights the lines that follow from the field that has the focus. */
async function light() {
  const view = lit;
  if (!view || find('failure').hidden === false) return unlight();
  const tree = treeBeside(view);
  if (!tree) return unlight();
  const { text } = rendering;
  const other = await session.probe(toYaml(tree)).catch(() => '');
  if (other === undefined || view !== lit || text !== rendering.text) return;
  const lines = other ? changedLines(other, text) : new Set();
  output.light(lines);
  find('reach').textContent = say('reaches', lines.size, view.title);
}

function unlight() {
  output.light(new Set());
  find('reach').textContent = '';
}

find('form').addEventListener('focusin', ({ target }) => {
  const place = target.closest('[data-path]')?.dataset.path;
  const view = [...open.views?.all.values() ?? []].findLast(({ name }) => name === place);
  if (view === lit) return;
  lit = view;
  light();
});

// ── The form ──

function showForm() {
  open.views = undefined;
  if (open.form) {
    const { root, declared } = open.form;
    const cell = {
      path: [],
      read: () => values.tree,
      write: (tree) => values.edit(tree, place()),
      clear: () => values.edit(map(), place()),
    };
    // Edits that come from one control in one breath are one step of undo.
    const place = () => document.activeElement?.id || undefined;
    open.views = buildForm(root, cell, (text) => busy(() => readPiece(text)));
    find('form').replaceChildren(open.views.element);
    find('guessed').hidden = declared;
  } else {
    find('form').replaceChildren(element('p', { class: 'help' }, say('noForm')));
    find('guessed').hidden = true;
  }
  applyFinder();
}

/** Leaves the fields that a person looks for. */
function applyFinder() {
  const wanted = find('search').value.trim().toLowerCase();
  const only = find('only-changed').checked;
  const views = [...open.views?.all.values() ?? []];
  const fits = views.filter((view) => (!wanted || view.words.includes(wanted)) && (!only || isChanged(view.field, view.cell.read())));
  const shown = new Set(fits.map((view) => view.element));
  let count = 0;
  for (const view of views) {
    const inside = fits.some((other) => other !== view && (view.element.contains(other.element) || (!only && other.element.contains(view.element))));
    view.element.hidden = !shown.has(view.element) && !inside;
    count += !view.element.hidden && !view.field.fields && view.field.key !== undefined;
  }
  find('found').textContent = wanted || only ? say('fieldsShown', count) : '';
}

// ── Opening and keeping ──

const byTitle = (title) => packages.filter((one) => one.title === title);

function listPackages() {
  const titles = [...new Set(packages.map(({ title }) => title))];
  find('package').replaceChildren(...titles.map((title) => new Option(title, byTitle(title)[0].name)), new Option(say('ownFiles'), 'own'));
}

/** The values of each package that was left, by its title. */
const leftBehind = new Map();

const titleOf = (name) => packages.find((one) => one.name === name)?.title;

/** Opens a package with a state: by default what is there for another version, else what it was left with. */
async function openPackage(name, state) {
  const known = packages.find((one) => one.name === name) ?? packages[0];
  const former = titleOf(open.name);
  if (former) leftBehind.set(former, { tree: values.tree, text: values.text });
  const taken = state ?? (former === known.title ? undefined : leftBehind.get(known.title) ?? {});
  const versions = byTitle(known.title);
  find('package').value = versions[0].name;
  find('own').hidden = true;
  find('version').replaceChildren(...versions.map((one) => new Option(one.version, one.name)));
  find('version').value = known.name;
  find('version').disabled = false;
  await busy(() => openSource({ name: known.name }, known.name, taken));
}

async function openSource(source, name, state) {
  const opened = await engine.open(source);
  session?.close();
  session = opened;
  const [form, defaults] = await Promise.all([session.form().catch(() => undefined), session.probe('')]);
  if (form) takeDefaults(form.root, (await readPiece(form.root.yaml)).value);
  lit = undefined;
  if (state) values.begin(state);
  open = { name, form, files: source.files, defaults: defaults ?? '', views: undefined };
  showForm();
  await follow('text');
}

/** Gives each field its default as values are read here: keys in their order, numbers as they were written. */
function takeDefaults(field, value) {
  field.default = value;
  for (const child of field.fields ?? []) if (isMap(value)) takeDefaults(child, value[child.key]);
}

/** Opens a person's own files. */
async function takeFiles(entries) {
  try {
    const { name, files } = await openFiles(entries);
    await busy(() => openSource({ files }, name, {}));
    find('package').value = 'own';
    find('own').hidden = false;
    find('own-name').textContent = name;
    find('version').replaceChildren();
    find('version').disabled = true;
    notice('');
  } catch (failure) {
    notice(say('filesFailed', failure.message));
  }
}

const STATE = 'haulout-state';

/** Keeps the state for a reload, without its secrets. */
function remember() {
  if (!packages.some(({ name }) => name === open.name)) return;
  const { tree, left } = withoutSecrets(values.tree);
  const text = mentionsSecret(values.text) ? toYaml(tree) : values.text;
  try {
    localStorage.setItem(STATE, JSON.stringify({ name: open.name, text, left: left.length > 0 }));
  } catch {
    // A browser that keeps nothing is fine.
  }
}

function remembered() {
  try {
    const { name, text, left } = JSON.parse(localStorage.getItem(STATE));
    return typeof name === 'string' && typeof text === 'string' ? { name, text, left } : {};
  } catch {
    return {};
  }
}

/** Takes the values of a link, if the page was opened by one. Returns whether it was. */
async function takeLink() {
  let link;
  try {
    link = await fromFragment(location.hash);
  } catch (failure) {
    notice(say(failure.message === 'version' ? 'linkLater' : 'linkBad'));
  }
  if (!link) return false;
  history.replaceState(null, '', location.pathname + location.search);
  if (!packages.some(({ name }) => name === link.name)) {
    notice(say('linkUnknown', link.name));
    return false;
  }
  if (link.name !== open.name) await openPackage(link.name);
  const { tree } = await readValues(link.values);
  values.write(link.values, tree, undefined, 'file');
  notice(say('linkTaken'));
  return true;
}

/** Takes a values file that the person has. */
async function importValues(name, text) {
  // A file of ytt's own form: its header is no part of plain values.
  const plain = text.replace(/^#@data\/values[ \t]*\r?\n(---[ \t]*\r?\n)?/m, '');
  const { tree } = await readValues(plain);
  values.write(plain, tree, undefined, tree ? 'file' : 'text');
  notice(say('imported', name));
}

// ── The page's own controls ──

function speakTo(code) {
  find('language').value = speak(code);
  label(document);
  bringFiles(find('bring'), takeFiles);
  take = buildTakeAway(find('take-panel'), {
    values: () => values,
    rendering: () => rendering,
    open: () => open,
    importValues,
    notice,
  });
}

find('language').append(...languageNames.map(([code, name]) => new Option(name, code)));
find('language').addEventListener('change', async () => {
  speakTo(find('language').value);
  try {
    localStorage.setItem('haulout-language', find('language').value);
  } catch { /* then it is asked anew */ }
  if (find('package').options.length) find('package').lastElementChild.textContent = say('ownFiles');
  showForm();
  take.update();
  await render();
});
find('package').addEventListener('change', () => {
  const own = find('package').value === 'own';
  find('own').hidden = !own;
  if (!own) openPackage(find('package').value);
});
catchDrops(takeFiles);
new IntersectionObserver(([{ isIntersecting }]) => find('skip').classList.toggle('there', isIntersecting), { rootMargin: '-30% 0px' }).observe(find('result'));
find('version').addEventListener('change', () => openPackage(find('version').value));
find('values').addEventListener('input', () => values.write(find('values').value));
find('undo').addEventListener('click', () => values.undo());
find('redo').addEventListener('click', () => values.redo());
find('again').addEventListener('click', () => values.edit(map()));
find('search').addEventListener('input', applyFinder);
find('only-changed').addEventListener('change', applyFinder);
find('filter').addEventListener('input', () => output.filter(find('filter').value));
find('wrap').addEventListener('change', () => find('output').classList.toggle('wrapped', find('wrap').checked));
find('uncover').addEventListener('change', () => find('result').classList.toggle('uncovered', find('uncover').checked));
document.addEventListener('keydown', (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.type === 'search') return;
  const key = event.key.toLowerCase();
  if (key !== 'z' && key !== 'y') return;
  event.preventDefault();
  if (key === 'y' || event.shiftKey) values.redo();
  else values.undo();
});
addEventListener('hashchange', () => busy(takeLink));

chooseValuesTab('form-tab');
chooseResultTab('manifests-tab');
try {
  const stored = localStorage.getItem('haulout-language');
  speakTo(stored ?? navigator.language.slice(0, 2));
} catch {
  speakTo(navigator.language.slice(0, 2));
}
try {
  packages = await engine.packages();
  listPackages();
  for (const id of ['package', 'version', 'values']) find(id).disabled = false;
  const { name, text = '', left } = remembered();
  if (left) notice(say('secretsGone'));
  await busy(async () => {
    await openPackage(name, { text });
    await takeLink();
  });
} catch (failure) {
  status(say('notLoaded'));
  find('errors').textContent = failure.message;
  find('failure').hidden = false;
  find('said').open = true;
}
if ('serviceWorker' in navigator) navigator.serviceWorker.register('sw.js').catch(() => {});

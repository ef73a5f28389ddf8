// The page: a package, its form, what the engine makes of it.
import { Engine } from './engine.js';
import { Output, countDifference } from './output.js';
import { SourceView } from './source.js';
import { Reach } from './reach.js';
import { buildCompare } from './compare.js';
import { buildInstall } from './install.js';
import { buildForm, isChanged } from './form.js';
import { showErrors } from './errors.js';
import { buildTakeAway } from './take.js';
import { bringFiles, catchDrops, openFiles } from './drop.js';
import { OwnFiles, buildOwn } from './own.js';
import { fromFragment } from './share.js';
import { isSecretName, mentionsSecret, withoutSecrets } from './secrets.js';
import { Values, isMap, map, parseJson } from './values.js';
import { element, find, painted, tabs } from './dom.js';
import { announce, givenValues, isEmbedded, keepPage, packagesOf, sourceFor } from './setting.js';
import { toYaml } from './yaml.js';
import { label, languageNames, say, speak } from './words.js';

const engine = new Engine();
engine.start({ carried: true });
// This script waits for nothing but itself, so that the engine starts early.
if (document.readyState === 'loading') await new Promise((resolve) => { document.addEventListener('DOMContentLoaded', resolve); });
let session;
const values = new Values((from) => {
  announce('change', { values: values.text, changed: values.text !== '' });
  busy(() => follow(from));
});
const output = new Output({ text: find('output'), outline: find('outline'), none: find('none') }, whereFrom);
const source = new SourceView((path) => (path === 'stdin.yml' ? rendering.values : session.source(path)));
const chooseValuesTab = tabs(find('values-tabs'));
const chooseResultTab = tabs(find('result-tabs'), () => { if (compare) busy(lookAgain); });
/** `{ name, title, version }` of each package. */
let packages = [];
/** What is open: its name, its form and its views, what its defaults render to, and the files if they are a person's own. */
let open = { name: '', form: undefined, views: undefined, defaults: '' };
/** The newest rendering that worked, with the text of its values, and what fields reach in it. */
let rendering = { text: '', documents: [], values: '' };
let reach;
let take;
let compare;
let install;

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
  if (from === 'form') await keepComments();
  // Form and manifests are shown in one frame, unless the manifests take longer than a person would notice.
  const rendered = render();
  if (find('values').value !== values.text) find('values').value = values.text;
  if (from === 'form' && document.activeElement?.closest('#form')) await Promise.race([rendered, new Promise((resolve) => { setTimeout(resolve, 50); })]);
  open.views?.update();
  take.update();
  busy(take.lookAgain);
  find('undo').disabled = !values.canUndo;
  find('redo').disabled = !values.canRedo;
  find('again').disabled = values.text === '';
  applyFinder();
  remember();
  await (await rendered)();
}

let commentsLost = 0;

/** Puts the comments that a person wrote into what the form wrote; says which have lost their place. */
async function keepComments() {
  const { tree, commented } = values;
  if (!commented) return;
  const { text, lost } = await engine.rewrite(commented, values.text);
  values.comment(tree, text);
  if (lost !== commentsLost) notice(lost ? say('commentsLost', lost) : '');
  commentsLost = lost;
}

/** Reads the text into the form, as far as it can be shown there. */
async function readText() {
  const { text } = values;
  const { tree } = text === '' ? { tree: map() } : await readValues(text).catch(() => ({}));
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

/** Renders; what is to be done beside the manifests once they are there, as `show` has it. */
async function render() {
  const started = performance.now();
  const result = await session.render(values.text).catch((failure) => ({ error: failure.message, diagnostics: [], stopped: true }));
  return result ? show(result, performance.now() - started) : () => {};
}

/** Shows the manifests of a rendering that worked. */
function present(result, text, tree) {
  rendering = { ...result, values: text };
  reach = new Reach(session, tree, result.text);
  output.show(result);
}

/** Shows a result, or what is wrong beside the last one that was. What may come a frame later is returned, to be done. */
function show(result, spent) {
  const failed = Boolean(result.error);
  find('values').setAttribute('aria-invalid', String(failed));
  find('failure').hidden = !failed;
  find('output').classList.toggle('stale', failed);
  find('errors').textContent = result.error;
  if (!failed) present(result, values.text, values.tree);
  const homeless = showErrors(result.diagnostics, open.views, find('summary'), { field: goTo, text: goToText, source: (place) => source.open(place) });
  if (failed) {
    find('said').open = homeless > 0 || !result.diagnostics.length;
    find('took').textContent = '';
    unlight();
    announce('error', { error: result.error, diagnostics: result.diagnostics });
    status(result.stopped ? say('stopped') : say('wrong', Math.max(1, result.diagnostics.length)));
    return lookAgain;
  }
  find('took').textContent = say('took', Math.max(1, Math.round(spent)));
  const shown = rendering;
  return async () => {
    await painted();
    if (shown !== rendering) return;
    output.complete();
    announce('render', { text: result.text, documents: result.documents, ms: spent });
    status(`${say('documents', result.documents.length)}, ${say('differ', countDifference(open.defaults, result.text))}`);
    light();
    await lookAgain();
  };
}

/** What the panel that is looked at has to show beside the result. */
function lookAgain() {
  // An install set always has a Secret: the values.
  find('cover').hidden = find('install-panel').hidden && !rendering.documents.some(({ kind }) => kind === 'Secret');
  return Promise.all([compare.update(), install.update(), take.lookAgain()]);
}

/** Says something to all who look or listen, but not twice. */
function status(text) {
  if (find('status').textContent !== text) find('status').textContent = text;
}

function notice(text) {
  find('notice').textContent = text;
  find('notice').hidden = !text;
}

// ── Between fields and lines ──

let lit;

/** Leads to a field, wherever the person is. */
function goTo(view) {
  chooseValuesTab('form-tab');
  for (let place = view.element; place.id !== 'form'; place = place.parentElement) place.hidden = false;
  view.focus();
}

/** Leads to the text of the values, at a line. */
function goToText(line) {
  chooseValuesTab('yaml-tab');
  const area = find('values');
  area.focus();
  if (!line) return;
  const start = area.value.split('\n', line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  area.setSelectionRange(start, start + area.value.slice(start).split('\n', 1)[0].length);
}

/** Shows where a line of the result comes from, and the values behind it. */
async function whereFrom(index) {
  const from = reach;
  const { files, lines } = await session.origins(rendering.values);
  const [file, line] = lines[index] ?? [-1];
  if (from !== reach) return;
  if (file < 0) notice(say('fromNowhere'));
  else await source.open({ file: files[file], line }, { behind: behind(from, index) });
}

async function behind(from, index) {
  const views = [...open.views?.all.values() ?? []].filter(({ field }) => !field.fields?.length);
  const found = await from.behind(index, views);
  return found?.map((view) => ({ title: view.title, value: inShort(view), go: () => goTo(view) }));
}

/** A field's value in a word. */
function inShort({ field, cell }) {
  const value = cell.read() ?? field.default;
  const text = isSecretName(field.key ?? '') ? '••••••' : value === null ? say('notSet') : toYaml(value, false).trim();
  return text.length > 40 || text.includes('\n') ? `${text.split('\n')[0].slice(0, 40)}…` : text;
}

/** Lights the lines that follow from the field that has the focus. */
async function light() {
  const view = lit;
  if (!view || find('failure').hidden === false) return unlight();
  const from = reach;
  const lines = await from.lines(view);
  if (lines === undefined || view !== lit || from !== reach) return;
  if (!lines) return unlight();
  output.light(lines.near);
  find('reach').textContent = say('reaches', lines.near.size, view.title);
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
  find('found').textContent = '';
  if (!wanted && !only) {
    for (const { element } of views) element.hidden = false;
    return;
  }
  const fits = views.filter((view) => (!wanted || view.words.includes(wanted)) && (!only || isChanged(view.field, view.cell.read())));
  const shown = new Set(fits.map((view) => view.element));
  let count = 0;
  for (const view of views) {
    const inside = fits.some((other) => other !== view && (view.element.contains(other.element) || (!only && other.element.contains(view.element))));
    view.element.hidden = !shown.has(view.element) && !inside;
    count += !view.element.hidden && !view.field.fields && view.field.key !== undefined;
  }
  find('found').textContent = say('fieldsShown', count);
}

// ── Opening and keeping ──

const byTitle = (title) => packages.filter((one) => one.title === title);

function listPackages() {
  const titles = [...new Set(packages.map(({ title }) => title))];
  find('package').replaceChildren(...titles.map((title) => new Option(title, byTitle(title)[0].name)), new Option(say('ownFiles'), 'own'));
  find('package').parentElement.hidden = isEmbedded && titles.length === 1;
}

/** The values of each package that was left, by its title. */
const leftBehind = new Map();

const titleOf = (name) => packages.find((one) => one.name === name)?.title;

/** Opens a package with a state: by default what is there for another version, else what it was left with. */
async function openPackage(name, state) {
  const known = packages.find((one) => one.name === name) ?? packages[0];
  const former = titleOf(open.name);
  if (former) leftBehind.set(former, { tree: values.tree, text: values.text, commented: values.commented });
  const taken = state ?? (former === known.title ? undefined : leftBehind.get(known.title) ?? {});
  const versions = byTitle(known.title);
  find('package').value = versions[0].name;
  find('own').hidden = true;
  find('version').replaceChildren(...versions.map((one) => new Option(one.version, one.name)));
  find('version').value = known.name;
  find('version').disabled = false;
  find('version').parentElement.hidden = !known.version;
  await busy(async () => openSource(await sourceFor(known), known.name, taken));
}

async function openSource(from, name, state, own) {
  const { text = '', tree = map() } = state ?? values;
  const opened = engine.session(from);
  // What goes wrong with a person's values is said when the form is there.
  const first = await opened.base(text).catch((failure) => {
    if (text === '') throw failure;
    return { error: failure.message };
  });
  session?.close();
  session = opened;
  const forming = session.form().catch(() => undefined);
  const base = text === '' ? first : session.base('');
  // The manifests are there before the form is.
  if (!first.error) present(first, text, tree);
  const [form, defaults] = await Promise.all([forming, base]);
  const asked = JSON.stringify(form);
  // Files at work may be broken for a moment, and a form stays where it is if it asks the same.
  const isKept = own && own === open.own && open.form && (!form || asked === open.asked);
  if (form && !isKept) takeDefaults(form.root, parseJson(form.usual).v);
  if (state) values.begin(state);
  open = isKept ? { ...open, defaults: defaults?.text ?? '' } : { name, form, asked, own, defaults: defaults?.text ?? '', views: undefined };
  if (!isKept) {
    const known = packages.find((one) => one.name === name);
    find('result').dataset.title = known ? `${known.title} ${known.version}` : name;
    document.title = `${find('result').dataset.title} - haulout`;
    lit = undefined;
    showForm();
  }
  compare.list();
  if (!isKept) busy(() => install.begin());
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
    const own = new OwnFiles(await openFiles(entries));
    await busy(() => openSource({ files: own.files }, own.name, {}, own));
    find('package').value = 'own';
    find('own').hidden = false;
    find('own-name').textContent = own.name;
    find('version').replaceChildren();
    find('version').disabled = true;
    notice('');
    showOwn();
  } catch (failure) {
    notice(say('filesFailed', failure.message));
  }
}

/** Lists the person's own files; what is done to them counts at once, with the values that are there. */
function showOwn() {
  const { own } = open;
  find('own-files').hidden = !own;
  if (own) buildOwn(find('own-files'), own, () => busy(() => openSource({ files: own.files }, own.name, undefined, own)), (reason) => notice(say('filesFailed', reason)));
}

/** Several pages may stand on one host. */
const STATE = `haulout-state ${location.pathname}`;

/** Keeps the state for a reload, without its secrets. */
function remember() {
  if (isEmbedded || !packages.some(({ name }) => name === open.name)) return;
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
  bringFiles(find('bring'), takeFiles, say('dropHere'));
  take = buildTakeAway(find('take-panel'), {
    values: () => values,
    rendering: () => rendering,
    open: () => open,
    importValues,
    notice,
  });
  const page = { engine, session: () => session, busy, notice, open: () => open, values: () => values, rendering: () => rendering, versions: () => byTitle(titleOf(open.name)) };
  compare = buildCompare(page);
  install = buildInstall(find('install-panel'), page);
}

find('language').append(...languageNames.map(([code, name]) => new Option(name, code)));
find('language').addEventListener('change', async () => {
  speakTo(find('language').value);
  try {
    localStorage.setItem('haulout-language', find('language').value);
  } catch { /* then it is asked anew */ }
  if (find('package').options.length) find('package').lastElementChild.textContent = say('ownFiles');
  showForm();
  showOwn();
  compare.list();
  install.begin();
  take.update();
  await busy(async () => (await render())());
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
find('again').addEventListener('click', () => values.write('', map(), undefined, 'form'));
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
addEventListener('beforeprint', () => output.paint());
if (!isEmbedded) addEventListener('hashchange', () => busy(takeLink));

chooseValuesTab('form-tab');
chooseResultTab('manifests-tab');
try {
  const given = isEmbedded ? document.documentElement.lang.slice(0, 2) : localStorage.getItem('haulout-language');
  speakTo(given ?? navigator.language.slice(0, 2));
} catch {
  speakTo(navigator.language.slice(0, 2));
}
try {
  packages = await packagesOf(engine);
  listPackages();
  for (const id of ['package', 'version', 'values']) find(id).disabled = false;
  const { name, text = '', left } = isEmbedded ? { text: givenValues } : remembered();
  if (left) notice(say('secretsGone'));
  await busy(async () => {
    await openPackage(name, { text });
    if (!isEmbedded) await takeLink();
  });
} catch (failure) {
  announce('error', { error: failure.message, diagnostics: [] });
  status(say('notLoaded'));
  find('errors').textContent = failure.message;
  find('failure').hidden = false;
  find('said').open = true;
}
keepPage();

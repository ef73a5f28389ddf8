// The form: the engine's tree of fields as labelled controls.
//
// A cell is where a field's value is kept: `{ path, read(), write(value), clear() }`; `read` gives nothing where the default holds.
import { element } from './dom.js';
import { control } from './controls.js';
import { isMap, map, same } from './values.js';
import { isSecretName } from './secrets.js';
import { say } from './words.js';

/** The cell of a key in the map of another cell. `lasting` maps stay when they are emptied. */
export function childCell(cell, key, lasting = false) {
  const held = () => (isMap(cell.read()) ? cell.read() : undefined);
  return {
    path: [...cell.path, key],
    read: () => (held() && Object.hasOwn(held(), key) ? held()[key] : undefined),
    write: (value) => {
      const copy = map(held());
      copy[key] = value;
      cell.write(copy);
    },
    clear: () => {
      const copy = map(held());
      delete copy[key];
      if (Object.keys(copy).length || lasting) cell.write(copy);
      else cell.clear();
    },
  };
}

/** Whether a person changed this field. */
export function isChanged(field, value) {
  if (value === undefined) return false;
  if (field.fields && isMap(value) && !field.nullable) return Object.keys(value).some((key) => isChanged(field.fields.find((child) => child.key === key) ?? {}, value[key]));
  return !same(value, field.default);
}

let made = 0;

/**
 * Builds the form of a tree.
 * @param root the tree's root: a map, or whatever a schema has there
 * @param cell where its value is kept
 * @param read reads a piece of YAML: `{ value } | { error }`
 * @returns {{ element: Element, update(): void, at(path: string[]): object | undefined, all: Map<string, object> }}
 */
export function buildForm(root, cell, read) {
  const all = new Map();
  const kit = { build, read, forget: (path) => forget(all, path) };
  function build(field, place, label) {
    const view = fieldView(field, place, label, kit);
    all.set(JSON.stringify(place.path), view);
    return view;
  }
  const box = element('div', { class: 'fields' });
  const views = root.fields?.length && !root.nullable
    ? root.fields.map((field) => build(field, childCell(cell, field.key)))
    : root.fields ? [] : [build(root, cell, say('values'))];
  box.append(...views.map((view) => view.element));
  if (!views.length) box.append(element('p', { class: 'help' }, say('noFields')));
  return {
    element: box,
    all,
    update: () => views.forEach((view) => view.update()),
    /** The field that a path belongs to: its own or the nearest around it. */
    at(path) {
      for (let length = path.length; length >= 0; length -= 1) {
        const view = all.get(JSON.stringify(path.slice(0, length)));
        if (view) return { view, exact: length === path.length };
      }
      return undefined;
    },
  };
}

function forget(all, path) {
  const start = JSON.stringify(path).slice(0, -1);
  for (const key of [...all.keys()]) if (key.startsWith(`${start},`)) all.delete(key);
}

/** One field: its label, what helps, its control, its errors. */
function fieldView(field, cell, label, kit) {
  const id = `field-${++made}`;
  const title = label ?? field.title ?? field.key ?? '';
  const name = cell.path.join('.');
  const isGroup = Boolean(field.fields?.length || field.item);
  const reset = element('button', { type: 'button', class: 'reset', 'aria-label': say('resetField', title), onclick: () => { cell.clear(); view.focus(); } }, say('reset'));
  const changed = element('span', { class: 'changed' }, say('changed'));
  const error = element('p', { class: 'error', id: `${id}-error`, hidden: true });
  const helps = helpOf(field, id);
  const described = [...helps.map((help) => help.id).filter(Boolean)];
  const part = control(field, cell, { id, title, described: [...described, error.id].join(' '), secret: isSecretName(field.key ?? ''), ...kit });
  const head = isGroup ? element('legend', {}, title) : element('label', { for: id }, title);
  const key = label || field.key === title ? null : element('code', {}, field.key);
  const marks = element('span', { class: 'marks' }, key, changed, reset);
  const examples = exampleList(field, cell, title, kit.read);
  const view = {
    id, title, name, field, cell,
    element: element(isGroup ? 'fieldset' : 'div', {
      class: isGroup ? 'field group' : 'field', 'data-path': name,
      'aria-describedby': isGroup && described.length ? described.join(' ') : undefined,
    }, head, marks, ...helps, ...part.elements, examples, error),
    /** Shows what the values say now. */
    update() {
      part.update();
      const on = isChanged(field, cell.read());
      view.element.classList.toggle('is-changed', on);
      changed.hidden = reset.hidden = !on;
    },
    /** Shows what is wrong, or that nothing is. */
    fail(text) {
      error.textContent = text;
      error.hidden = !text;
      view.element.classList.toggle('is-wrong', Boolean(text));
      for (const input of part.inputs()) {
        if (text) input.setAttribute('aria-invalid', 'true');
        else input.removeAttribute('aria-invalid');
      }
    },
    focus() {
      (part.inputs()[0] ?? view.element.querySelector('input, select, textarea, button'))?.focus();
    },
    /** What a search looks through. */
    words: [title, name, field.description].join(' ').toLowerCase(),
  };
  view.update();
  return view;
}

function helpOf(field, id) {
  const helps = [];
  if (field.deprecated !== undefined) helps.push(element('p', { class: 'deprecated', id: `${id}-deprecated` }, say('deprecated', field.deprecated)));
  if (field.description) helps.push(element('p', { class: 'help', id: `${id}-help` }, field.description));
  const rules = (field.rules ?? []).filter((rule) => !(field.choices && rule.startsWith('one of')));
  if (rules.length) {
    const text = rules.join('; ');
    helps.push(element('p', { class: 'help rule', id: `${id}-rule` }, field.conditional ? say('ruleSometimes', text) : say('rule', text)));
  }
  return helps;
}

function exampleList(field, cell, title, read) {
  if (!field.examples?.length) return null;
  const one = ({ description, yaml }) => {
    const text = yaml.trimEnd();
    const isShort = text.length <= 48 && !text.includes('\n');
    const take = async () => {
      const { value } = await read(yaml);
      if (same(value, field.default)) cell.clear();
      else cell.write(value);
    };
    return element('button', { type: 'button', class: 'example', title: text, onclick: take },
      description, isShort && ' ', (isShort || !description) && element('code', {}, text),
      element('span', { class: 'spoken' }, say('exampleFor', title)));
  };
  return element('p', { class: 'examples' }, element('span', {}, say('examples')), ...field.examples.map(one));
}

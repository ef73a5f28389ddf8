// A control for each type of field: `{ elements, inputs(), update() }`.
import { element } from './dom.js';
import { childCell } from './form.js';
import { array, free } from './lists.js';
import { isMap, map, same, typedNumber } from './values.js';
import { toYaml } from './yaml.js';
import { say } from './words.js';

/** The control of a field. `kit`: `{ id, title, described, secret, build, read, forget }`. */
export function control(field, cell, kit) {
  if (field.choices?.length && !field.fields && !field.item) return choice(field, cell, kit);
  const part = (controls[field.type] ?? free)(field, cell, kit);
  // A map that is not there is not an empty one either.
  return field.nullable || (field.default === null && hasMaps(field)) ? nullable(field, cell, kit, part) : part;
}

/** Whether an example of a field is a map. */
export const hasMaps = ({ examples = [] }) => examples.some(({ value }) => isMap(value));

/** Writes a value, or clears the cell if that is the default. */
export function put(field, cell, value) {
  if (same(value, field.default)) cell.clear();
  else cell.write(value);
}

/** The text of a scalar in a box. */
const shown = (value) => (value === undefined || value === null ? '' : typeof value === 'object' && !value.source ? toYaml(value).trimEnd() : String(value));

function placeholder(field) {
  if (field.default === null || field.default === undefined) return say('notSet');
  return field.default === '' ? say('empty') : shown(field.default);
}

/** A line of text; an empty one means the default, unless `Leave empty` says that it is meant, which is no use where a rule refuses it. */
export function line(field, cell, kit, { parse, mode, type = 'text' }) {
  const input = element('input', {
    id: kit.id, type: kit.secret ? 'password' : type, inputmode: mode, placeholder: placeholder(field),
    'aria-describedby': kit.described, autocomplete: 'off', spellcheck: 'false', autocapitalize: 'off',
    oninput: () => {
      if (input.value === '' && !(field.nullable && field.type === 'string')) cell.clear();
      else put(field, cell, parse(input.value));
    },
  });
  const elements = [input];
  if (kit.secret) elements.push(reveal(input, kit.title));
  let empty;
  if (field.type === 'string' && !field.nullable && field.default !== '' && (!field.min_len || field.conditional)) {
    empty = element('button', { type: 'button', class: 'quiet', 'aria-label': say('leaveEmptyOf', kit.title), onclick: () => { cell.write(''); input.focus(); } }, say('leaveEmpty'));
    elements.push(empty);
  }
  return {
    elements: [element('div', { class: 'row' }, ...elements)],
    inputs: () => [input],
    update() {
      const value = cell.read();
      const text = shown(value);
      if (input.value !== text && !(document.activeElement === input && value !== undefined && same(parse(input.value), value))) input.value = text;
      input.placeholder = value === '' ? say('empty') : placeholder(field);
      if (empty) empty.hidden = value === '' || input.value !== '';
    },
  };
}

function reveal(input, title) {
  const button = element('button', {
    type: 'button', class: 'quiet', 'aria-pressed': 'false', 'aria-label': say('showSecretOf', title),
    onclick: () => {
      const show = input.type === 'password';
      input.type = show ? 'text' : 'password';
      button.setAttribute('aria-pressed', String(show));
    },
  }, say('show'));
  return button;
}

/** Text: a line, or a box once it has more of them. */
function text(field, cell, kit) {
  const hasLines = (value) => typeof value === 'string' && value.includes('\n');
  if (!hasLines(field.default) && !hasLines(cell.read()) && !field.examples?.some(({ value }) => hasLines(value))) return line(field, cell, kit, { parse: String });
  const area = element('textarea', {
    id: kit.id, rows: '4', 'aria-describedby': kit.described, spellcheck: 'false', placeholder: placeholder(field),
    oninput: () => (area.value === '' && !field.nullable ? cell.clear() : put(field, cell, area.value)),
  });
  return {
    elements: [area],
    inputs: () => [area],
    update() {
      if (area.value !== shown(cell.read())) area.value = shown(cell.read());
    },
  };
}

const number = (mode) => (field, cell, kit) => line(field, cell, kit, { parse: typedNumber, mode });

function boolean(field, cell, kit) {
  const input = element('input', {
    id: kit.id, type: 'checkbox', 'aria-describedby': kit.described,
    onchange: () => put(field, cell, input.checked),
  });
  const word = element('span', { 'aria-hidden': 'true' });
  return {
    elements: [element('div', { class: 'row check' }, input, word)],
    inputs: () => [input],
    update() {
      input.checked = (cell.read() ?? field.default) === true;
      word.textContent = String(input.checked);
    },
  };
}

function choice(field, cell, kit) {
  const name = (value) => (value === null ? say('notSet') : shown(value) || say('empty'));
  const values = field.choices.some((value) => same(value, field.default)) ? field.choices : [field.default, ...field.choices];
  const all = field.nullable && !values.includes(null) ? [null, ...values] : values;
  const select = element('select', {
    id: kit.id, 'aria-describedby': kit.described,
    onchange: () => {
      if (all[select.value] !== undefined) put(field, cell, all[select.value]);
    },
  }, ...all.map((value, index) => element('option', { value: index }, same(value, field.default) ? say('isDefault', name(value)) : name(value))));
  const other = element('option', { value: 'other', disabled: true });
  return {
    elements: [element('div', { class: 'row' }, select)],
    inputs: () => [select],
    update() {
      const value = cell.read() === undefined ? field.default : cell.read();
      const index = all.findIndex((option) => same(option, value));
      if (index < 0) {
        other.textContent = shown(value);
        select.append(other);
      } else other.remove();
      select.value = index < 0 ? 'other' : String(index);
    },
  };
}

/** What a field begins with when it is switched on. */
export function beginning(field) {
  if (field.fields) return map();
  if (field.item) return [];
  return { string: '', integer: field.min ?? 0, float: field.min ?? 0, boolean: false }[field.type] ?? map();
}

/** A switch before a control: unset is not empty. */
function nullable(field, cell, kit, part) {
  const isSet = () => (cell.read() === undefined ? field.default : cell.read()) !== null;
  const toggle = element('input', {
    type: 'checkbox', role: 'switch', id: `${kit.id}-set`, 'aria-label': say('setOf', kit.title),
    onchange: () => {
      put(field, cell, toggle.checked ? beginning(field) : null);
      if (toggle.checked) part.inputs()[0]?.focus();
    },
  });
  const inner = element('div', { class: 'inner' }, ...part.elements);
  return {
    elements: [element('div', { class: 'nullable' }, element('label', { class: 'switch', for: toggle.id }, toggle, element('span', {}, say('set'))), inner)],
    inputs: () => part.inputs(),
    update() {
      toggle.checked = isSet();
      if (field.fields || field.item) inner.hidden = !isSet();
      part.update();
    },
  };
}

function group(field, cell, kit) {
  const views = field.fields.map((child) => kit.build(child, childCell(cell, child.key, kit.lasting || field.nullable)));
  return {
    elements: [element('div', { class: 'fields' }, ...views.map((view) => view.element))],
    inputs: () => [],
    update: () => views.forEach((view) => view.update()),
  };
}

/** YAML of any shape, read by the engine. */
export function anything(field, cell, kit) {
  const problem = element('p', { class: 'error', id: `${kit.id}-unread`, hidden: true });
  const area = element('textarea', {
    id: kit.id, rows: '2', class: 'yaml', spellcheck: 'false', autocapitalize: 'off',
    'aria-describedby': `${kit.described} ${problem.id}`,
    placeholder: field.default === null || (isMap(field.default) && !Object.keys(field.default).length) ? say('yaml') : toYaml(field.default, false).trimEnd(),
    oninput: () => { fit(); read(); },
  });
  const fit = () => { area.rows = Math.min(16, Math.max(2, (area.value || area.placeholder).split('\n').length)); };
  let written;
  const read = async () => {
    const typed = area.value;
    const answer = typed.trim() === '' ? {} : await kit.read(typed);
    if (area.value !== typed || !answer) return;
    problem.hidden = !answer.error;
    problem.textContent = answer.error ?? '';
    area.toggleAttribute('aria-invalid', Boolean(answer.error));
    if (answer.error) return;
    written = answer.value;
    if (written === undefined) cell.clear();
    else put(field, cell, written);
  };
  return {
    elements: [area, problem],
    inputs: () => [area],
    update() {
      const value = cell.read();
      // What was typed stays as it was typed for as long as it means the same.
      const means = value === written || (value !== undefined && same(value, written)) || (value === undefined && same(written, field.default));
      if (means) return;
      written = value;
      area.value = value === undefined ? '' : toYaml(value, false).trimEnd();
      problem.hidden = true;
      fit();
    },
  };
}

const controls = {
  string: text,
  integer: number('numeric'),
  float: number('decimal'),
  boolean,
  map: (field, cell, kit) => (field.fields?.length ? group(field, cell, kit) : free(field, cell, kit)),
  array,
};

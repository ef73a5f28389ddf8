// Lists: of a schema's items, and of the keys and values of a free map.
import { element } from './dom.js';
import { anything, beginning, hasMaps, line, put } from './controls.js';
import { isMap, map, same } from './values.js';
import { toYaml } from './yaml.js';
import { say } from './words.js';

/**
 * A list that a person adds to, takes from, and puts in order.
 * @param kit `{ id, title, add }`: `add` is what the button says
 * @param of `{ items(), make(index), write(items, made), fresh() }`: `make` gives `{ element, update(), focus() }` for an item
 */
export function list(kit, { items, make, write, fresh }) {
  const body = element('ol', { class: 'items' });
  let views = [];
  /** Moves the focus to where the person goes on: after the list was built anew. */
  const then = (index, what) => {
    if (views[index]) {
      const button = what && body.children[index]?.querySelector(`:scope > .tools > .${what}`);
      if (button && !button.disabled) button.focus();
      else views[index].focus();
    } else add.focus();
  };
  const move = (from, to, what) => {
    const next = [...items()];
    next.splice(to, 0, ...next.splice(from, 1));
    write(next);
    then(to, what);
  };
  const remove = (index) => {
    write(items().filter((item, at) => at !== index));
    then(Math.min(index, items().length - 1));
  };
  const add = element('button', {
    type: 'button', class: 'add', id: `${kit.id}-add`, 'aria-label': kit.add ?? say('addTo', kit.title),
    onclick: () => {
      write([...items(), fresh()]);
      then(items().length - 1);
    },
  }, kit.add ?? say('add'));
  const tool = (name, sign, index, enabled, act) => element('button', {
    type: 'button', class: `quiet ${name}`, disabled: !enabled, 'aria-label': say(name, `${kit.title} ${index + 1}`), onclick: act,
  }, sign);
  return {
    elements: [body, add],
    build() {
      const count = items().length;
      views = items().map((item, index) => make(index));
      body.replaceChildren(...views.map((view, index) => element('li', {}, view.element, element('div', { class: 'tools' },
        tool('up', '↑', index, index > 0, () => move(index, index - 1, 'up')),
        tool('down', '↓', index, index < count - 1, () => move(index, index + 1, 'down')),
        tool('remove', '✕', index, true, () => remove(index))))));
      body.hidden = !count;
    },
    update: () => views.forEach((view) => view.update()),
    /** Where the focus goes that comes to the list. */
    first: () => body.querySelector('input, select, textarea') ?? add,
    length: () => views.length,
  };
}

/** What a cell says, its default included. */
const now = (field, cell) => (cell.read() === undefined ? field.default : cell.read());

export function array(field, cell, kit) {
  const items = () => (Array.isArray(now(field, cell)) ? now(field, cell) : []);
  const write = (next) => put(field, cell, next);
  const itemCell = (index) => ({
    path: [...cell.path, String(index)],
    read: () => items()[index],
    write: (value) => write(items().map((item, at) => (at === index ? value : item))),
    clear: () => write(items().map((item, at) => (at === index ? (field.item.fields ? map() : field.item.default) : item))),
  });
  const one = { ...field.item, key: undefined, title: undefined, description: field.item.fields ? undefined : field.item.description, examples: undefined };
  const made = list(kit, {
    items,
    write,
    make: (index) => kit.build(one, itemCell(index), `${kit.title} ${index + 1}`),
    fresh: () => (field.item.fields ? map() : field.item.default ?? beginning(field.item)),
  });
  return {
    elements: made.elements,
    inputs: () => [],
    update() {
      if (made.length() === items().length) return made.update();
      kit.forget(cell.path);
      return made.build();
    },
  };
}

/** The keys and values of a free map: a value is text, or YAML for anything else. */
function pairs(field, cell, kit) {
  const problem = element('p', { class: 'error', id: `${kit.id}-keys`, hidden: true });
  let rows = [];
  const read = () => {
    const value = now(field, cell);
    return isMap(value) ? value : map();
  };
  /** The map that the rows say: a key that is missing or stands there already is not in it yet. */
  const said = () => {
    const result = map();
    for (const { key, value } of rows) if (key !== '' && !Object.hasOwn(result, key)) result[key] = value;
    return result;
  };
  const write = (next = rows) => {
    rows = next;
    const keys = rows.map(({ key }) => key);
    const twice = keys.find((key, index) => key !== '' && keys.indexOf(key) !== index);
    problem.hidden = twice === undefined;
    problem.textContent = twice === undefined ? '' : say('keyTwice', twice);
    // A row without a key makes nothing yet.
    if (isMap(now(field, cell)) || Object.keys(said()).length) put(field, cell, said());
  };
  const made = list(kit, {
    items: () => rows,
    write: (next) => { write(next); made.build(); },
    make: row,
    fresh: () => ({ key: '', value: '', isText: true }),
  });
  function row(index) {
    const at = rows[index];
    const name = `${kit.title} ${index + 1}`;
    const key = element('input', {
      type: 'text', value: at.key, 'aria-label': say('keyOf', name), placeholder: say('key'), 'aria-describedby': problem.id,
      autocomplete: 'off', spellcheck: 'false', autocapitalize: 'off', oninput: () => { at.key = key.value; write(); },
    });
    const place = { read: () => at.value, write: (value) => { at.value = value; write(); }, clear: () => place.write(null) };
    const part = (at.isText ? line : anything)({ type: at.isText ? 'string' : 'any', nullable: true, default: null }, place,
      { ...kit, id: `${kit.id}-${index}`, title: name }, { parse: String });
    part.inputs()[0].setAttribute('aria-label', say('valueOf', name));
    const kind = element('select', {
      'aria-label': say('kindOf', name),
      onchange: () => {
        at.isText = kind.value === 'text';
        if (at.isText && typeof at.value !== 'string') place.write(toYaml(at.value, false).trimEnd());
        made.build();
      },
    }, new Option(say('text'), 'text', false, at.isText), new Option('YAML', 'yaml', false, !at.isText));
    part.update();
    return { element: element('div', { class: 'pair' }, key, ...part.elements, kind), update: part.update, focus: () => key.focus() };
  }
  return {
    body: element('div', { role: 'group', 'aria-label': kit.title }, made.elements[0], problem),
    add: made.elements[1],
    inputs: () => [made.first()],
    update() {
      const [value, here] = [read(), said()];
      const isShown = same(value, here) && Object.keys(value).join('\0') === Object.keys(here).join('\0');
      if (isShown) return made.update();
      rows = Object.entries(value).map(([key, item]) => ({ key, value: item, isText: typeof item === 'string' }));
      return made.build();
    },
  };
}

/** A value of any shape: a map as rows, all else as YAML; whoever wants writes a map as YAML too. */
export function free(field, cell, kit) {
  const [rows, box] = [pairs(field, cell, kit), anything(field, cell, kit)];
  let asText = false;
  const canBeRows = () => isMap(now(field, cell)) || (hasMaps(field) && now(field, cell) === null);
  const isRows = () => !asText && canBeRows();
  const toggle = element('button', { type: 'button', class: 'quiet', 'aria-pressed': 'false', 'aria-label': say('asYamlOf', kit.title), onclick: () => { asText = !asText; part.update(); } }, say('asYaml'));
  // What is being typed stays as it is typed.
  const inBox = element('div', { oninput: () => { asText = true; } }, ...box.elements);
  const part = {
    elements: [rows.body, inBox, element('div', { class: 'tools' }, rows.add, toggle)],
    inputs: () => (isRows() ? rows : box).inputs(),
    update() {
      rows.update();
      box.update();
      rows.body.hidden = rows.add.hidden = !isRows();
      inBox.hidden = isRows();
      toggle.hidden = !canBeRows();
      toggle.setAttribute('aria-pressed', String(asText));
    },
  };
  return part;
}

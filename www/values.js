// What a person changed: a tree of data values, its text, and its past.
import { toYaml } from './yaml.js';

/** A number that JavaScript would round: its digits are kept. */
export class Exact {
  constructor(source) {
    this.source = source;
  }

  toString() {
    return this.source;
  }
}

/** JSON with numbers as they were written. Maps have no prototype, so that any key is only a key. */
export function parseJson(text) {
  return JSON.parse(text, (key, value, context) => {
    if (typeof value === 'number') return exact(value, context?.source);
    return isMap(value) ? map(value) : value;
  });
}

/** A number, or its digits where JavaScript would write others. */
function exact(value, source = String(value)) {
  return String(value) === source ? value : new Exact(source);
}

/** What was typed, as a number if it is one; other text stays text, and the engine says what is wrong, as with a decimal for an integer. */
export function typedNumber(text) {
  const trimmed = text.trim();
  return /^-?(0|[1-9]\d*)(\.\d+)?(e[-+]?\d+)?$/i.test(trimmed) ? exact(Number(trimmed), trimmed) : text;
}

export const isMap = (value) => value !== null && typeof value === 'object' && !Array.isArray(value) && !(value instanceof Exact);

export const map = (...sources) => Object.assign(Object.create(null), ...sources);

const isNumber = (value) => typeof value === 'number' || value instanceof Exact;
const isSmall = (a, b) => a === b && Math.abs(a) <= Number.MAX_SAFE_INTEGER;

/** Whether two values are the same: maps whatever their order. */
export function same(a, b) {
  if (a === b) return true;
  if (a instanceof Exact || b instanceof Exact) return isNumber(a) && isNumber(b) && (String(a) === String(b) || isSmall(Number(a), Number(b)));
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, index) => same(item, b[index]));
  if (!isMap(a) || !isMap(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]));
}

/** A tree without what stands at a path; a map that this empties goes too. */
export function without(tree, [key, ...rest]) {
  if (!isMap(tree) || !Object.hasOwn(tree, key)) return tree;
  const copy = map(tree);
  const left = rest.length ? without(copy[key], rest) : undefined;
  if (left === undefined || (isMap(left) && !Object.keys(left).length)) delete copy[key];
  else copy[key] = left;
  return copy;
}

/** A tree with a value at a path of map keys. */
export function withValue(tree, [key, ...rest], value) {
  const copy = map(isMap(tree) ? tree : {});
  copy[key] = rest.length ? withValue(copy[key], rest, value) : value;
  return copy;
}

/** How close two edits of one field must be to be undone together, in milliseconds. */
const BREATH = 1_000;
const REMEMBERED = 200;

/** The values with their past. `changed` is told after each change whether the form made it. */
export class Values {
  tree = map();
  text = '';
  /** The last text that a person wrote with comments: they stay when the form writes. */
  commented = '';
  #past = [];
  #future = [];
  #last = {};
  #changed;

  constructor(changed) {
    this.#changed = changed;
  }

  /** A new tree from the form; the text follows. */
  edit(tree, place) {
    this.#step(place);
    this.#take({ tree, text: toYaml(tree), commented: this.commented });
    this.#changed('form');
  }

  /** New text and the tree that the engine read in it (the former one if it could not). */
  write(text, tree = this.tree, place = 'text', from = 'text') {
    this.#step(place);
    this.#take({ tree, text });
    this.#changed(from);
  }

  /** The text of a tree with its comments, unless there is another tree by now. */
  comment(tree, text) {
    if (tree === this.tree) this.text = text;
  }

  /** The tree of the text that stands here, once the engine has read it. */
  read(tree) {
    this.tree = tree;
  }

  /** Puts a state in place with no past: another package, a reload. */
  begin({ tree = map(), text = toYaml(tree), commented } = {}) {
    this.#past = [];
    this.#future = [];
    this.#last = {};
    this.#take({ tree, text, commented });
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  get canRedo() {
    return this.#future.length > 0;
  }

  undo() {
    this.#travel(this.#past, this.#future);
  }

  redo() {
    this.#travel(this.#future, this.#past);
  }

  #take({ tree, text, commented = text.includes('#') ? text : '' }) {
    Object.assign(this, { tree, text, commented });
  }

  #state() {
    const { tree, text, commented } = this;
    return { tree, text, commented };
  }

  #step(place) {
    const now = Date.now();
    const continued = place !== undefined && place === this.#last.place && now - this.#last.time < BREATH;
    this.#last = { place, time: now };
    this.#future = [];
    if (continued && this.#past.length) return;
    this.#past.push(this.#state());
    if (this.#past.length > REMEMBERED) this.#past.shift();
  }

  #travel(from, to) {
    if (!from.length) return;
    to.push(this.#state());
    this.#last = {};
    this.#take(from.pop());
    this.#changed('past');
  }
}

// Which lines follow from which field, found by rendering with another value of it.
import { changedLines } from './diff.js';
import { isChanged } from './form.js';
import { same, without, withValue } from './values.js';
import { toYaml } from './yaml.js';

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
function treeBeside({ field, cell: { path } }, tree) {
  const place = path.reduce((around, key) => [...around, around.at(-1)?.[key]], [tree]);
  if (isChanged(field, place.at(-1))) return without(tree, path);
  // What is within a list has no value of its own to put another in place of.
  if (field.fields || place.some(Array.isArray)) return undefined;
  const other = otherValue(field);
  return other === undefined ? undefined : withValue(tree, path, other);
}

/** What is known of one rendering: a newer one begins with nothing known. */
export class Reach {
  #session;
  #tree;
  #text;
  #known = new Map();

  constructor(session, tree, text) {
    this.#session = session;
    this.#tree = tree;
    this.#text = text;
  }

  /** The lines that follow from a field, as `changedLines` has them: null if that cannot be told, nothing if a newer rendering is on its way. */
  async lines(view) {
    if (!this.#known.has(view)) {
      const tree = treeBeside(view, this.#tree);
      const other = tree && await this.#session.probe(toYaml(tree)).catch(() => '');
      if (tree && other === undefined) return undefined;
      this.#known.set(view, tree ? changedLines(other || this.#text, this.#text) : null);
    }
    return this.#known.get(view);
  }

  /** The fields whose values a line holds, of those of a form. */
  async behind(index, views) {
    const found = [];
    for (const view of views) {
      const lines = await this.lines(view);
      if (lines === undefined) return undefined;
      if (lines?.made.has(index)) found.push(view);
    }
    return found;
  }
}

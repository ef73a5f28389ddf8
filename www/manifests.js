// Printed manifests: their documents, what their lines are made of, what of a Secret stays covered.
import { element } from './dom.js';

/** The values of a Secret, which stay covered until they are asked for. */
const COVERED = /^(data|stringData):$/;

/** The lines of a text, without the nothing after its last break. */
const linesOf = (text) => text.replace(/\n$/, '').split('\n');

/** Which lines of a document hold what a Secret keeps. */
export function coveredLines(lines) {
  if (!lines.includes('kind: Secret')) return lines.map(() => false);
  let within = false;
  return lines.map((line) => {
    if (!/^\s/.test(line)) within = COVERED.test(line);
    return within && /^\s/.test(line);
  });
}

/** Splits what was printed into its documents, each with its `---`; one for each of `names`, or a single one. */
export function split(text, names) {
  if (!text) return [];
  const parts = [];
  for (const line of linesOf(text)) {
    if (line === '---' || !parts.length) parts.push([line]);
    else parts.at(-1).push(line);
  }
  if (names && parts.length !== names.length) return [{ lines: linesOf(text) }];
  return parts.map((lines, index) => ({ lines, ...names?.[index] }));
}

/** A line of YAML as printed, in spans for what it is made of. */
export function highlight(line, covered) {
  if (/^\s*#/.test(line)) return [element('span', { class: 'quiet' }, line)];
  const found = /^(\s*(?:- )*)(?:("(?:[^"\\]|\\.)*"|[^\s"'#][^:#]*?)(:)(?= |$))?(.*)$/.exec(line);
  const [, start, key, colon, rest] = found;
  const parts = [start];
  if (key !== undefined) parts.push(element('span', { class: 'key' }, key), colon);
  const value = rest.trimStart();
  if (!value) return [...parts, rest];
  const kind = /^(["'])/.test(value) ? 'text' : /^(true|false|null|~|-?\d[\d.e+]*|\{\}|\[\])$/.test(value) ? 'atom' : '';
  parts.push(rest.slice(0, rest.length - value.length));
  parts.push(covered || kind ? element('span', { class: covered ? 'covered' : kind }, value) : value);
  return parts;
}

/** Puts children into an element; those that are there already stay. */
export function replaceChildren(parent, children) {
  children.forEach((child, index) => {
    if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] ?? null);
  });
  while (parent.children.length > children.length) parent.lastElementChild.remove();
}

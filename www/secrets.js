// What must not leave the page by itself: a link or the browser's storage never hold it.
import { isMap, map } from './values.js';

const NAME = /passw|secret|token|dockerconfig|private_?key|credential/i;
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]*@/i;

/** Whether a field of that name holds a secret. */
export const isSecretName = (name) => NAME.test(name);

const isSecret = (key, value) => (NAME.test(key) && value !== null && value !== '') || (typeof value === 'string' && ADDRESS.test(value));

/** Whether text that a person wrote may hold a secret. */
export const mentionsSecret = (text) => NAME.test(text) || /:\/\/[^/?#\s]*@/.test(text);

/** A tree to look at: its secrets are dots. */
export function covered(tree) {
  if (Array.isArray(tree)) return tree.map(covered);
  if (!isMap(tree)) return tree;
  const copy = map();
  for (const [key, value] of Object.entries(tree)) copy[key] = isSecret(key, value) ? '••••••' : covered(value);
  return copy;
}

/** A tree without its secrets, and the paths of what was left out. */
export function withoutSecrets(tree) {
  const left = [];
  const clean = (value, path) => {
    if (Array.isArray(value)) return value.filter((item, index) => keep(path.at(-1) ?? '', item, [...path, String(index)])).map((item, index) => clean(item, [...path, String(index)]));
    if (!isMap(value)) return value;
    const copy = map();
    for (const [key, item] of Object.entries(value)) {
      if (keep(key, item, [...path, key])) copy[key] = clean(item, [...path, key]);
    }
    return copy;
  };
  const keep = (key, value, path) => {
    if (!isSecret(key, value)) return true;
    left.push(path.join('.'));
    return false;
  };
  return { tree: clean(tree, []), left };
}

// What callers may give, as the engine takes it.

/** Files as a list: a map of paths to contents is one too, and so is what another call has made. */
export const filesOf = (files) =>
  Array.isArray(files) ? files.map(({ path, data, text }) => ({ path, data: data ?? text })) : Object.entries(files ?? {}).map(([path, data]) => ({ path, data }));

/** Data values as YAML text: anything else is written as JSON, which YAML reads. */
export const valuesOf = (values = '') => (typeof values === 'string' ? values : JSON.stringify(values));

const FILES = ['repository', 'files', 'fromFiles', 'toFiles', 'overlays', 'images'];
const NAMED_FILES = ['add', 'against'];
const VALUES = ['values', 'fromValues'];

/** Options of packaging, as the engine takes them. */
export function optionsOf(options = {}) {
  const change = (names, of) => names.filter((name) => options[name] !== undefined).map((name) => [name, of(options[name])]);
  // Images are names where packages are built, and archives where bundles are.
  const list = (files) => (Array.isArray(files) && typeof files[0] === 'string' ? files : filesOf(files));
  return {
    ...options,
    ...Object.fromEntries([
      ...change(FILES, list),
      ...change(NAMED_FILES, (all) => all.map(({ name, files }) => ({ name, files: filesOf(files) }))),
      ...change(VALUES, (values) => (Array.isArray(values) ? values : valuesOf(values))),
    ]),
  };
}

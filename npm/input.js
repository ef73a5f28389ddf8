// What callers may give, as the engine takes it.

/** Files as a list: a map of paths to contents is one too. */
export const filesOf = (files) => (Array.isArray(files) ? files : Object.entries(files ?? {}).map(([path, data]) => ({ path, data })));

/** Data values as YAML text: anything else is written as JSON, which YAML reads. */
export const valuesOf = (values = '') => (typeof values === 'string' ? values : JSON.stringify(values));

// haulout in a browser: renders in the one worker of this module, off the page's thread.
import { Engine } from './www/engine.js';
import { filesOf, valuesOf } from './input.js';

const engine = new Engine();

/** The packages that the engine carries. */
export const packages = () => engine.packages();

/** Opens templates for many renders: `{ package }` or `{ files }`. */
export async function open({ package: name, files }) {
  const session = await engine.open(name === undefined ? { files: filesOf(files) } : { name });
  return {
    // A newer render of the same session answers for an older one that it overtook.
    async render({ values, ...options } = {}) {
      return await session.render(valuesOf(values), options) ?? Promise.reject(new Error('a newer render of this session overtook this one'));
    },
    form: () => session.form(),
    close: () => session.close(),
  };
}

/** Renders once. */
export async function render({ package: name, files, ...request }) {
  const session = await open({ package: name, files });
  try {
    return await session.render(request);
  } finally {
    await session.close();
  }
}

// haulout in a browser: renders in the one worker of this module, off the page's thread.
import { Engine } from './www/engine.js';
import { filesOf, optionsOf, valuesOf } from './input.js';

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
    installSet: async (options) => right(await session.installSet(optionsOf(options))),
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

/** What packaging gives, or an error of what it says is wrong. */
function right({ error, ...result }) {
  if (typeof error === 'string') throw Object.assign(new Error(error), result);
  return result;
}

/** Carvel's packaging: each is the command line's, with files in and files out. */
const task = (name) => async (options) => right(await engine.package(name, optionsOf(options)));
export const select = task('select');
export const installSet = task('installSet');
export const upgrade = task('upgrade');
export const buildPackage = task('buildPackage');
export const buildRepository = task('buildRepository');
export const verifyRepository = task('verifyRepository');
export const release = task('release');
export const lock = task('lock');
export const bundleToTar = task('bundleToTar');
export const bundleFromTar = task('bundleFromTar');
export const inspectBundle = task('inspectBundle');

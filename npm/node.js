// haulout in Node: the engine in this process.
import { readFile } from 'node:fs/promises';
import { filesOf, optionsOf, valuesOf } from './input.js';

let copies = 0;
let loading;

/** The engine; a new copy after one that broke, whose memory cannot be trusted. */
function engine() {
  loading ??= load(copies += 1);
  return loading;
}

const file = (name) => readFile(new URL(`./www/pkg/${name}`, import.meta.url));

async function load(copy) {
  const module = await import(`./www/pkg/haulout.js?${copy}`);
  const exports = module.initSync({ module: await file('haulout_bg.wasm') });
  module.loadTemplates(JSON.parse(await file('templates.json')));
  let packaging;
  return {
    ...module,
    /** Loads what packaging is beside what renders. */
    withPackaging: () => (packaging ??= file('haulout_packaging.wasm').then((bytes) => WebAssembly.instantiate(bytes, { engine: exports }))),
  };
}

/** Does something with the engine; a trap is the last thing that a copy does. */
function guarded(work) {
  try {
    return work();
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) loading = undefined;
    throw error;
  }
}

/** The packages that the engine carries. */
export async function packages() {
  return (await engine()).packages();
}

/** Opens templates for many renders: `{ package }` or `{ files }`. */
export async function open({ package: name, files }) {
  const { Session, withPackaging } = await engine();
  const session = guarded(() => (name === undefined ? Session.open_files(filesOf(files)) : Session.open_package(name)));
  return {
    async render({ values, ...options } = {}) {
      return guarded(() => session.render_with({ ...options, values: valuesOf(values) }));
    },
    async form() {
      return guarded(() => session.form());
    },
    async installSet(options) {
      await withPackaging();
      return guarded(() => session.installSet(optionsOf(options)));
    },
    async close() {
      session.free();
    },
  };
}

/** Renders once. */
export async function render({ package: name, files, ...request }) {
  const session = await open({ package: name, files });
  const result = await session.render(request);
  await session.close();
  return result;
}

/** Carvel's packaging: each is the command line's, with files in and files out. */
const task = (name) => async (options) => {
  const { withPackaging, [name]: act } = await engine();
  await withPackaging();
  return guarded(() => act(optionsOf(options)));
};
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

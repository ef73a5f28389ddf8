// The engine's parts: each is loaded when it is needed first, and once. What renders is the first; the others need it.
import init, { loadTemplates } from './pkg/haulout.js';

const loads = new Map();

function once(name, load) {
  if (!loads.has(name)) {
    const loading = load();
    loads.set(name, loading);
    // What could not be had may be there when it is asked for again.
    loading.catch(() => loads.delete(name));
  }
  return loads.get(name);
}

/** A file beside this one; its address is spelled out, so that bundlers find it. */
async function fetched(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url.pathname.split('/').at(-1)} cannot be loaded: ${answer.status} ${answer.statusText}`);
  return answer;
}

/** Takes what whoever started this worker has of the parts: `{ module, templates }`, or neither. */
export let take;
const given = new Promise((resolve) => { take = resolve; });

/** What renders. */
export const rendering = () => once('rendering', async () => init({ module_or_path: (await given).module }));

/** The packages that the engine holds: `packages`, `Session.open_package` and what names a package need their templates. */
export const templates = () =>
  once('templates', async () => {
    const files = (await given).templates || (await fetched(new URL('./pkg/templates.json', import.meta.url))).json();
    await rendering();
    loadTemplates(await files);
  });

/** Packaging: `select`, `installSet`, `upgrade`, what builds, verifies and locks, and what has `bundle` in its name need it. */
export const packaging = () =>
  once('packaging', async () => {
    const [bytes, engine] = await Promise.all([fetched(new URL('./pkg/haulout_packaging.wasm', import.meta.url)).then((answer) => answer.arrayBuffer()), rendering()]);
    await WebAssembly.instantiate(bytes, { engine });
  });

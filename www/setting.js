// Where the page stands: alone, as a site of somebody's own templates, or framed in another page by <haulout-configurator>.
// The root element says it: `data-src` are the packages to choose from, `data-embedded` a page around this one, `data-values` what to begin with.
import { isCarried } from './engine.js';

const { src = '', embedded, values } = document.documentElement.dataset;

export const isEmbedded = embedded !== undefined;

/** The values to begin with, if the page around this one gives any. */
export const givenValues = values || undefined;

/** The packages to choose from: `{ name, title, version, source() }`, `source` for those that the engine does not carry. */
export async function packagesOf(engine) {
  const carried = await engine.packages();
  const wanted = src.split(/\s+/).filter(Boolean);
  if (!wanted.length) return carried;
  const { aboutSource, sourceOf } = await import('./templates.js');
  const base = document.baseURI;
  return (await Promise.all(wanted.map(async (name) => {
    if (!isCarried(name)) return { name, ...await aboutSource(name, base), source: () => sourceOf(name, base) };
    const found = carried.filter((one) => one.name === name || one.name.split('@')[0] === name);
    if (!found.length) await engine.open({ name });
    return found;
  }))).flat();
}

/** What the engine opens for a package. */
export const sourceFor = async ({ name, source }) => (source ? source() : { name });

/** Keeps the page for times without a network. */
export function keepPage() {
  if (isEmbedded || !('serviceWorker' in navigator)) return;
  const query = src ? `?${new URLSearchParams({ src })}` : '';
  navigator.serviceWorker.register(`sw.js${query}`).catch(() => {});
}

/** Tells a page around this one what happened: `render`, `error` or `change`. */
export function announce(name, detail) {
  if (isEmbedded) document.dispatchEvent(new CustomEvent(`haulout-${name}`, { detail }));
}

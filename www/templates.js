// Where templates come from: what a `src` names.
//
// `pinniped/concierge` (with `@VERSION` if it is not the newest) is a package that the engine carries. All else is a URL: one that ends
// with `/` is a folder with a list of its files in `files.json`; a .zip, .tar or .tgz is an archive; any other is a single file.
import { isCarried, LARGEST } from './engine.js';

const ARCHIVE = /\.(zip|tar|tar\.gz|tgz)$/i;

async function fetched(url) {
  const response = await fetch(url).catch((failure) => { throw new Error(`Requesting URL '${url}': ${failure.message}`); });
  if (!response.ok) throw new Error(`Requesting URL '${url}': ${response.status} ${response.statusText}`.trim());
  return response.blob();
}

/** The list of a folder: `{ files: [paths], title?, version? }`, or the paths alone. */
async function listed(folder) {
  const url = new URL('files.json', folder);
  const text = await (await fetched(url)).text();
  let list;
  try {
    list = JSON.parse(text);
  } catch { /* said below */ }
  const known = Array.isArray(list) ? { files: list } : list;
  if (!Array.isArray(known?.files) || !known.files.every((path) => typeof path === 'string')) {
    throw new Error(`'${url}': expected { "files": [paths of templates] }, found ${text.trim().slice(0, 40) || 'nothing'}`);
  }
  return known;
}

/** A file of a folder; its path leads nowhere else. */
async function fileOf(folder, path) {
  const url = new URL(path.split('/').map(encodeURIComponent).join('/'), folder);
  if (!url.href.startsWith(folder.href)) throw new Error(`'${path}' in 'files.json': expected a path below '${folder}'`);
  return { path, data: new Uint8Array(await (await fetched(url)).arrayBuffer()) };
}

async function fetchSource(src, base) {
  const url = new URL(src, base);
  if (url.pathname.endsWith('/')) {
    const folder = new URL('.', url);
    const { files, ...about } = await listed(folder);
    const opened = await Promise.all(files.map((path) => fileOf(folder, path)));
    if (opened.reduce((size, { data }) => size + data.length, 0) > LARGEST) throw new Error(`'${url}': more than ${LARGEST >> 20} MB`);
    return { files: opened, ...about };
  }
  const name = decodeURIComponent(url.pathname.split('/').at(-1));
  const file = await fetched(url);
  if (file.size > LARGEST) throw new Error(`'${url}': more than ${LARGEST >> 20} MB`);
  if (!ARCHIVE.test(name)) return { files: [{ path: name, data: new Uint8Array(await file.arrayBuffer()) }] };
  const { openFiles } = await import('./drop.js');
  return { files: (await openFiles([[file, name]])).files };
}

/** What a `src` calls itself, without its files: `{ title, version }`. */
export async function aboutSource(src, base) {
  const url = new URL(src, base);
  const title = decodeURIComponent(url.pathname.split('/').filter(Boolean).at(-1) ?? url.host);
  const { title: own = title, version = '' } = url.pathname.endsWith('/') ? await listed(new URL('.', url)) : {};
  return { title: String(own), version: String(version) };
}

/** What was fetched already, by its address. */
const known = new Map();

/**
 * What a `src` names, for `Engine.open`. Each address is fetched once.
 * @returns {Promise<{name: string} | {files: {path: string, data: Uint8Array}[], title?: string, version?: string}>}
 */
export function sourceOf(src, base) {
  if (isCarried(src)) return Promise.resolve({ name: src });
  let address;
  try {
    address = new URL(src, base).href;
  } catch {
    return Promise.reject(new Error(`src '${src}': expected a package or a URL`));
  }
  if (!known.has(address)) {
    const source = fetchSource(src, base);
    known.set(address, source);
    source.catch(() => known.delete(address));
  }
  return known.get(address);
}

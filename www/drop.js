// A person's own files: folders, single files and archives, as `[{ path, data }]` in the order of `-f`.
import { element } from './dom.js';
import { LARGEST } from './engine.js';
import { say } from './words.js';

const isHidden = (path) => path.split('/').some((part) => part === '__MACOSX' || part === '.git' || part === '.DS_Store');

function* checked(files) {
  let size = 0;
  for (const file of files) {
    size += file.data.length;
    if (size > LARGEST) throw new Error(say('tooLarge'));
    if (!isHidden(file.path)) yield file;
  }
}

async function unpacked(bytes, format) {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format)).getReader();
  const parts = [];
  let size = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    if (size > LARGEST) {
      await reader.cancel();
      throw new Error(say('tooLarge'));
    }
    parts.push(part.value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

const text = (bytes) => new TextDecoder().decode(bytes);

/** The files of a .zip, by its directory at the end. */
async function unzip(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end -= 1;
  if (end < 0) throw new Error(say('unknownArchive'));
  const files = [];
  let at = view.getUint32(end + 16, true);
  let left = LARGEST;
  for (let count = view.getUint16(end + 10, true); count > 0; count -= 1) {
    const [method, packed, size, nameLength, extra, comment, start] = [
      view.getUint16(at + 10, true), view.getUint32(at + 20, true), view.getUint32(at + 24, true),
      view.getUint16(at + 28, true), view.getUint16(at + 30, true), view.getUint16(at + 32, true), view.getUint32(at + 42, true)];
    const path = text(bytes.subarray(at + 46, at + 46 + nameLength));
    at += 46 + nameLength + extra + comment;
    if (path.endsWith('/')) continue;
    left -= size;
    if (left < 0) throw new Error(say('tooLarge'));
    const from = start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
    const content = bytes.subarray(from, from + packed);
    if (method !== 0 && method !== 8) throw new Error(say('unknownArchive'));
    files.push({ path, data: method ? await unpacked(content, 'deflate-raw') : content.slice() });
  }
  return files;
}

/** The files of a .tar: plain ones, with the long names of GNU and POSIX. */
function untar(bytes) {
  const files = [];
  const word = (at, length) => text(bytes.subarray(at, at + length)).replace(/\0.*$/s, '');
  let long;
  for (let at = 0; at + 512 <= bytes.length && bytes[at] !== 0;) {
    const size = parseInt(word(at + 124, 12).trim() || '0', 8);
    if (!Number.isSafeInteger(size) || size < 0) throw new Error(say('unknownArchive'));
    const kind = word(at + 156, 1) || '0';
    const prefix = word(at + 257, 5) === 'ustar' ? word(at + 345, 155) : '';
    const path = long ?? (prefix ? `${prefix}/` : '') + word(at, 100);
    const content = bytes.slice(at + 512, at + 512 + size);
    at += 512 + Math.ceil(size / 512) * 512;
    long = undefined;
    if (kind === 'L') long = text(content).replace(/\0.*$/s, '');
    else if (kind === 'x') long = /(?:^|\n)\d+ path=([^\n]*)\n/.exec(text(content))?.[1];
    else if (kind === '0') files.push({ path, data: content });
  }
  return files;
}

async function opened(file, path) {
  if (file.size > LARGEST) throw new Error(say('tooLarge'));
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (/\.zip$/i.test(path)) return unzip(bytes);
  if (/\.(tar\.gz|tgz)$/i.test(path)) return untar(await unpacked(bytes, 'gzip'));
  if (/\.tar$/i.test(path)) return untar(bytes);
  return [{ path, data: bytes }];
}

/** Bytes in order: that of a folder on the command line. */
const byPath = (a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);

/** The folder that all paths begin with, cut off: `-f folder` names files from inside of it. */
function withoutFolder(files) {
  const list = files.map(({ path, data }) => ({ path: path.replace(/^(\.?\/)+/, ''), data }));
  const folder = list[0]?.path.split('/')[0];
  if (!folder || !list.every(({ path }) => path.startsWith(`${folder}/`))) return { folder: '', list };
  return { folder, list: list.map(({ path, data }) => ({ path: path.slice(folder.length + 1), data })) };
}

/** `{ name, folder, files }` of what was picked or dropped, `[file, path]` of each; `folder` is what they were cut out of. */
export async function openFiles(entries) {
  const files = [];
  for (const [file, path] of entries) files.push(...await opened(file, path));
  const { folder, list } = withoutFolder([...checked(files)]);
  if (!list.length) throw new Error(say('noFiles'));
  return { name: entries[0][1].split('/')[0], folder, files: list.sort(byPath) };
}

/** The files of a drop, folders walked. */
async function dropped(transfer) {
  const loose = [...transfer.files].map((file) => [file, file.name]);
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  const found = [];
  const walk = async (entry, path) => {
    if (entry.isFile) found.push([await new Promise((resolve, reject) => entry.file(resolve, reject)), path]);
    else {
      const reader = entry.createReader();
      const read = () => new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      for (let children = await read(); children.length; children = await read()) {
        for (const child of children) await walk(child, `${path}/${child.name}`);
      }
    }
  };
  for (const entry of entries) await walk(entry, entry.name);
  return found.length ? found : loose;
}

/** A button by which a person picks files, with its input; `take` is called with `[file, path]` of each. */
export function picker(properties, words, take) {
  const input = element('input', {
    type: 'file', hidden: true, multiple: true, ...properties,
    onchange: async () => {
      const entries = [...input.files].map((file) => [file, file.webkitRelativePath || file.name]);
      if (entries.length) await take(entries);
      input.value = '';
    },
  });
  return [element('button', { type: 'button', onclick: () => input.click() }, say(words)), input];
}

/** Lets a person bring a folder, files or an archive: buttons in `place`, with a hint above them. */
export function bringFiles(place, take, hint) {
  place.replaceChildren(
    element('p', { class: 'help' }, hint),
    element('div', { class: 'tools' }, ...picker({ webkitdirectory: true }, 'openFolder', take), ...picker({}, 'openFiles', take)));
}

export function catchDrops(take) {
  const root = document.documentElement;
  const isFiles = (event) => event.dataTransfer?.types.includes('Files');
  addEventListener('dragover', (event) => {
    if (!isFiles(event)) return;
    event.preventDefault();
    root.classList.add('dropping');
  });
  addEventListener('dragleave', (event) => { if (!event.relatedTarget) root.classList.remove('dropping'); });
  addEventListener('drop', async (event) => {
    if (!isFiles(event)) return;
    event.preventDefault();
    root.classList.remove('dropping');
    const entries = await dropped(event.dataTransfer);
    if (entries.length) await take(entries);
  });
}

// A link that carries the changed values in its fragment, which no server sees.
//
// The fragment is `1` (the version of the format), then base64url of raw deflate of JSON: `{ p: package, v: values as YAML }`.

const VERSION = '1';
/** What a link may be long: chat programs and mail cut longer ones. */
export const LONGEST = 8_000;
/** What a link may unfold to, in bytes. */
const LARGEST = 1 << 20;

async function through(bytes, stream, most = Infinity) {
  const parts = [];
  let size = 0;
  for await (const part of readAll(new Blob([bytes]).stream().pipeThrough(stream))) {
    size += part.length;
    if (size > most) throw new Error('too large');
    parts.push(part);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

async function* readAll(stream) {
  const reader = stream.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
}

/** The fragment of a package's name and its values, `#` included. */
export async function toFragment(name, values) {
  const bytes = new TextEncoder().encode(JSON.stringify({ p: name, v: values }));
  const packed = await through(bytes, new CompressionStream('deflate-raw'));
  const text = btoa(String.fromCharCode(...packed));
  return `#${VERSION}${text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')}`;
}

/**
 * What a fragment says: `{ name, values }`.
 * Nothing if it is no link of ours; throws if it is one that cannot be read.
 */
export async function fromFragment(fragment) {
  const found = /^#(\d+)([\w-]+)$/.exec(fragment);
  if (!found) return undefined;
  // A later version may have more digits, so the first one alone decides.
  if (fragment[1] !== VERSION) throw new Error('version');
  const packed = Uint8Array.from(atob(fragment.slice(2).replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
  const bytes = await through(packed, new DecompressionStream('deflate-raw'), LARGEST);
  const { p: name, v: values } = JSON.parse(new TextDecoder().decode(bytes));
  if (typeof name !== 'string' || typeof values !== 'string') throw new Error('shape');
  return { name, values };
}

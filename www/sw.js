// Keeps this folder's files from the first visit on: the network first, the kept copy if there is none.
const KEPT = 'haulout';
/** Folders of templates that a site of somebody's own brings along. */
const SOURCES = (new URLSearchParams(self.location.search).get('src') ?? '').split(' ').filter((src) => src.endsWith('/'));
/** All that the page is made of. */
const FILES = ['./', 'style.css', 'icon.svg', 'pkg/haulout.js', 'pkg/haulout_bg.wasm', 'pkg/haulout_packaging.wasm', 'pkg/templates.json',
  ...'app compare controls diff dom drop engine errors form install lists manifests output own parts reach secrets setting share source take templates values words worker yaml'.split(' ').map((name) => `${name}.js`)];

self.addEventListener('install', (event) => event.waitUntil(keep()));
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || new URL(request.url).origin !== self.location.origin) return;
  event.respondWith(answer(request));
});

async function keep() {
  const folders = await Promise.all(SOURCES.map(async (folder) => {
    const { files } = await (await fetch(`${folder}files.json`)).json();
    return ['files.json', ...files].map((path) => folder + path.split('/').map(encodeURIComponent).join('/'));
  }));
  await (await caches.open(KEPT)).addAll([...FILES, ...folders.flat()]);
  await self.skipWaiting();
}

async function answer(request) {
  const kept = await caches.open(KEPT);
  try {
    const fresh = await fetch(request);
    if (fresh.ok) await kept.put(request, fresh.clone());
    return fresh;
  } catch (failure) {
    const former = await kept.match(request, { ignoreSearch: true });
    if (former) return former;
    throw failure;
  }
}

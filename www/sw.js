// Keeps this folder's files from the first visit on. As it is shipped, all that the page is made of is of one build and is taken from what is
// kept, so that a visit waits for no network and never mixes two builds: a new build is fetched beside it, and comes in once every page
// of the old one is closed. All else, such as a person's own templates, is asked of the network first and taken from what is kept if there is none.

/** What names the build; nothing in a folder that is being worked on. */
const BUILD = '';
const KEPT = `haulout ${self.registration.scope} ${BUILD}`;
/** Folders of templates that a site of somebody's own brings along. */
const SOURCES = (new URLSearchParams(self.location.search).get('src') ?? '').split(' ').filter((src) => src.endsWith('/'));
/** All that the page is made of. */
const FILES = ['./', 'style.css', 'icon.svg', 'pkg/haulout.js', 'pkg/haulout_bg.wasm', 'pkg/haulout_packaging.wasm', 'pkg/templates.json',
  ...'app compare controls diff dom drop engine errors form install lists manifests output own parts reach secrets setting share source take tar templates values words worker yaml'.split(' ').map((name) => `${name}.js`)];
const ADDRESSES = FILES.map((file) => new URL(file, self.location.href).href);

self.addEventListener('install', (event) => {
  event.waitUntil(keep());
  // A browser that can takes what is kept without starting this worker.
  if (BUILD) event.addRoutes?.(ADDRESSES.map((address) => ({ condition: { urlPattern: address }, source: { cacheName: KEPT } })));
});
self.addEventListener('activate', (event) => event.waitUntil(begin()));
self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || new URL(request.url).origin !== self.location.origin) return;
  event.respondWith(BUILD && ADDRESSES.includes(request.url) ? answerKept(request) : answer(request));
});

async function keep() {
  const folders = await Promise.all(SOURCES.map(async (folder) => {
    const { files } = await (await fetch(`${folder}files.json`)).json();
    return ['files.json', ...files].map((path) => folder + path.split('/').map(encodeURIComponent).join('/'));
  }));
  // Past what the browser itself kept, which may be of another build.
  const fresh = (address) => new Request(address, { cache: 'no-cache' });
  await (await caches.open(KEPT)).addAll([...ADDRESSES, ...folders.flat()].map(fresh));
  if (!BUILD) await self.skipWaiting();
}

/** Forgets former builds: no page needs them any more. */
async function begin() {
  const former = (await caches.keys()).filter((name) => name.startsWith(`haulout ${self.registration.scope} `) && name !== KEPT);
  await Promise.all(former.map((name) => caches.delete(name)));
  await self.clients.claim();
}

async function answerKept(request) {
  return await (await caches.open(KEPT)).match(request) ?? fetch(request);
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

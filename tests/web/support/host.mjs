// A site of somebody else's that has our elements on its pages: a static host with its own policy, and a browser for it.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { launch } from './browser.mjs';

const KINDS = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.mjs': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml',
  '.json': 'application/json', '.wasm': 'application/wasm', '.yml': 'text/plain; charset=utf-8', '.yaml': 'text/plain; charset=utf-8',
};

/** What a strict site allows: its own files, and WebAssembly. No inline style or script, no frame of another origin. */
export const STRICT = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'";

/**
 * Serves folders and texts by their path: `{ '/haulout/': folder, '/page.html': { text } }`; the longest path that fits answers.
 * @param headers of every answer
 */
export async function serve(places, headers = {}) {
  places['/favicon.ico'] = { text: '', kind: 'image/x-icon' };
  const requests = [];
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://host').pathname);
    requests.push(path);
    const prefix = Object.keys(places).filter((place) => path === place || (place.endsWith('/') && path.startsWith(place))).sort((a, b) => b.length - a.length)[0];
    const place = places[prefix];
    const name = path.endsWith('/') ? 'index.html' : path;
    const answer = (status, kind, body) => {
      response.writeHead(status, { 'content-type': kind, 'x-content-type-options': 'nosniff', ...headers, ...place?.headers });
      response.end(body);
    };
    try {
      if (place?.text !== undefined) answer(200, place.kind ?? KINDS[extname(name)] ?? 'text/plain', place.text);
      else {
        const file = join(place, normalize(path.slice(prefix.length)), path.endsWith('/') ? 'index.html' : '');
        answer(200, KINDS[extname(name)] ?? 'application/octet-stream', await readFile(file));
      }
    } catch {
      answer(404, 'text/plain', 'not found');
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { places, requests, address: `http://127.0.0.1:${server.address().port}`, end: () => { server.closeAllConnections(); server.close(); } };
}

/** A browser for such pages. */
export async function browse() {
  const browser = await launch();
  return {
    /**
     * Opens a page; a request elsewhere, a page error, or a console error that is not `expected` fails the test at `close`.
     * Events of the elements are kept in the page's `heard`.
     */
    async open(url, { expected = /^$/, elsewhere = [], ...options } = {}) {
      const context = await browser.newContext({ locale: 'en-US', reducedMotion: 'reduce', ...options });
      const page = await context.newPage();
      const faults = [];
      const own = [new URL(url).origin, ...elsewhere];
      context.on('request', (request) => {
        if (!request.url().startsWith('blob:') && !own.includes(new URL(request.url()).origin)) faults.push(`request to ${request.url()}`);
      });
      page.on('pageerror', (error) => faults.push(`page error: ${error.stack}`));
      page.on('console', (message) => {
        if (message.type() === 'error' && !expected.test(message.text())) faults.push(`console: ${message.text()}`);
      });
      await page.addInitScript(() => {
        globalThis.heard = [];
        for (const name of ['render', 'error', 'change']) addEventListener(`haulout-${name}`, ({ target, detail }) => globalThis.heard.push({ name, id: target.id, ...detail }));
      });
      await page.goto(url);
      return { page, context, close: async () => { await context.close(); assert.deepEqual(faults, []); } };
    },
    end: () => browser.close(),
  };
}

/** Waits until an element told something for the `count`th time; what it told then. */
export async function told(page, name, { id, count = 1 } = {}) {
  const handle = await page.waitForFunction(([name, id, count]) => {
    const fits = globalThis.heard.filter((one) => one.name === name && (id === undefined || one.id === id));
    return fits.length >= count && fits.at(-1);
  }, [name, id, count], { timeout: 20_000 });
  return handle.jsonValue();
}

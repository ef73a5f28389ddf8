// The engine, off the page's main thread: the sessions of everything on the page, one answer for each request.
import init, { packages, read_values, rewrite_values, Session } from './pkg/haulout.js';

let loaded = false;
const ready = init().then(() => {
  loaded = true;
  self.postMessage({ loaded });
});
// Each request says it; by itself it is no fault.
ready.catch(() => {});

const sessions = new Map();

function open(id, { name, files }) {
  const opened = files ? Session.open_files(files) : Session.open_package(name);
  close(id);
  sessions.set(id, opened);
}

function close(id) {
  sessions.get(id)?.free();
  sessions.delete(id);
}

const answers = {
  packages: () => packages(),
  open: () => {},
  close: (request, id) => close(id),
  form: (request, id) => sessions.get(id).form(),
  render: ({ values, options }, id) => sessions.get(id).render_with({ ...options, values }),
  probe: ({ values }, id) => sessions.get(id).render(values).text,
  base: ({ values }, id) => sessions.get(id).render(values),
  origins: ({ values }, id) => sessions.get(id).origins(values),
  source: ({ path }, id) => sessions.get(id).source(path),
  read: ({ values }) => read_values(values),
  rewrite: ({ commented, values }) => rewrite_values(commented, values),
};

self.onmessage = async ({ data: { id, verb, request, session, from } }) => {
  try {
    await ready;
    if (from) open(session, from);
    self.postMessage({ id, answer: answers[verb](request, session) });
  } catch (error) {
    // A trap leaves the module unusable, as does one that did not load: say so, and the page starts another worker.
    self.postMessage({ id, failure: String(error?.message ?? error), broken: !loaded || error instanceof WebAssembly.RuntimeError });
  }
};

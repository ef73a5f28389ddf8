// The engine, off the page's main thread: one answer for each request.
import init, { packages, read_values, rewrite_values, Session } from './pkg/haulout.js';

const ready = init();
/** What is open, by its slot. */
const sessions = {};

const answers = {
  packages: () => packages(),
  open: ({ slot, name, files }) => {
    const opened = files ? Session.open_files(files) : Session.open_package(name);
    sessions[slot]?.free();
    sessions[slot] = opened;
  },
  form: () => sessions.main.form(),
  render: ({ values }) => sessions.main.render(values),
  probe: ({ values }) => sessions.main.render(values).text,
  base: ({ values, slot }) => sessions[slot].render(values),
  origins: ({ values }) => sessions.main.origins(values),
  source: ({ path }) => sessions.main.source(path),
  read: ({ values }) => read_values(values),
  rewrite: ({ commented, values }) => rewrite_values(commented, values),
};

self.onmessage = async ({ data: { id, verb, request } }) => {
  try {
    await ready;
    self.postMessage({ id, answer: answers[verb](request) });
  } catch (error) {
    // A trap leaves the module unusable: say so, and the page starts another worker.
    self.postMessage({ id, failure: String(error?.message ?? error), broken: error instanceof WebAssembly.RuntimeError });
  }
};

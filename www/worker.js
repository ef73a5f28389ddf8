// The engine, off the page's main thread: one answer for each request.
import { packages, read_values, rewrite_values, select, Session, upgrade } from './pkg/haulout.js';
import { packaging, rendering, templates } from './parts.js';

/** What is open, by its slot. */
const sessions = {};

/** What a verb needs beside what renders. */
const parts = { packages: templates, open: ({ name }) => name && templates(), select: packaging, install: packaging, upgrade: () => Promise.all([templates(), packaging()]) };

/** What packaging says, or what it says is wrong. */
function told(ask) {
  try {
    return ask();
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) throw error;
    return { error: error.message, filters: error.filters, warnings: error.warnings };
  }
}

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
  select: ({ options }) => told(() => select(options)),
  install: ({ options }) => told(() => sessions.main.installSet(options)),
  upgrade: ({ options }) => told(() => upgrade(options)),
  rewrite: ({ commented, values }) => rewrite_values(commented, values),
};

self.onmessage = async ({ data: { id, verb, request } }) => {
  try {
    await rendering();
    await parts[verb]?.(request);
    self.postMessage({ id, answer: answers[verb](request) });
  } catch (error) {
    // A trap leaves the module unusable: say so, and the page starts another worker.
    self.postMessage({ id, failure: String(error?.message ?? error), broken: error instanceof WebAssembly.RuntimeError });
  }
};

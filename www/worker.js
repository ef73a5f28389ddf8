// The engine, off the page's main thread: the sessions of everything on the page, one answer for each request.
import * as engine from './pkg/haulout.js';
import { packaging, rendering, take, templates } from './parts.js';

const { packages, read_values, rewrite_values, select, Session, upgrade } = engine;
let loaded = false;
// A request that comes meanwhile says what went wrong; by itself it is no fault.
rendering().then(() => {
  loaded = true;
  self.postMessage({ loaded });
}, () => {});

const everything = () => Promise.all([templates(), packaging()]);
/** What a verb needs beside what renders. */
const parts = { packages: templates, select: packaging, install: packaging, upgrade: everything, package: everything };
const sessions = new Map();

/** The newest rendering of each session, with its values: what is asked for again is there. */
const newest = new Map();

function open(id, { name, files }) {
  const opened = files ? Session.open_files(files) : Session.open_package(name);
  close(id);
  sessions.set(id, opened);
}

function close(id) {
  sessions.get(id)?.free();
  sessions.delete(id);
  newest.delete(id);
}

function render(id, values) {
  if (newest.get(id)?.values !== values) newest.set(id, { values, rendering: sessions.get(id).render(values) });
  return newest.get(id).rendering;
}

/** What packaging says, or what it says is wrong. */
function told(ask) {
  try {
    return ask();
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) throw error;
    return { error: error.message, filters: error.filters, warnings: error.warnings };
  }
}

/** A form with its defaults as values are read. */
function formOf(session) {
  const form = session.form();
  return { ...form, usual: read_values(`v:\n${form.root.yaml.replace(/^/gm, '  ')}\n`).json };
}

const answers = {
  packages: () => packages(),
  open: () => {},
  close: (request, id) => close(id),
  form: (request, id) => formOf(sessions.get(id)),
  render: ({ values, options }, id) => (options ? sessions.get(id).render_with({ ...options, values }) : render(id, values)),
  probe: ({ values }, id) => sessions.get(id).render(values).text,
  base: ({ values }, id) => render(id, values),
  origins: ({ values }, id) => sessions.get(id).origins(values),
  source: ({ path }, id) => sessions.get(id).source(path),
  install: ({ options }, id) => told(() => sessions.get(id).installSet(options)),
  read: ({ values }) => read_values(values),
  rewrite: ({ commented, values }) => rewrite_values(commented, values),
  select: ({ options }) => told(() => select(options)),
  upgrade: ({ options }) => told(() => upgrade(options)),
  package: ({ name, options }) => told(() => engine[name](options)),
};

self.onmessage = async ({ data }) => {
  const { id, verb, request, session, from } = data;
  if (!verb) {
    take(data);
    return;
  }
  try {
    await Promise.all([rendering(), parts[verb]?.(), from?.name && templates()]);
    if (from) open(session, from);
    self.postMessage({ id, answer: answers[verb](request, session) });
  } catch (error) {
    // A trap leaves the module unusable, as does one that did not load: say so, and the page starts another worker.
    self.postMessage({ id, failure: String(error?.message ?? error), broken: !loaded || error instanceof WebAssembly.RuntimeError });
  }
};

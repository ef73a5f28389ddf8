// The engine, off the page's main thread: one session, one answer for each request.
import { packages, read_values, Session } from './pkg/haulout.js';
import { rendering, templates } from './parts.js';

let session;

/** What a verb needs beside what renders. */
const parts = { packages: templates, open: ({ name }) => name && templates() };

const answers = {
  packages: () => packages(),
  open: ({ name, files }) => {
    const opened = files ? Session.open_files(files) : Session.open_package(name);
    session?.free();
    session = opened;
  },
  form: () => session.form(),
  render: ({ values }) => session.render(values),
  probe: ({ values }) => session.render(values).text,
  read: ({ values }) => read_values(values),
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

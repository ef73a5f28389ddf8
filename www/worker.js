// The engine, off the page's main thread: one session, one answer for each request.
import init, { packages, Session } from './pkg/haulout.js';

const ready = init();
let session;

const answers = {
  packages: () => packages(),
  open: ({ name }) => { session?.free(); session = Session.open_package(name); },
  render: ({ values }) => session.render(values),
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

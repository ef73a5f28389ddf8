// This side of the engine: one worker for all sessions, one request at a time, the newest render wins, a broken worker is replaced.

/** What templates may hold together, in bytes. */
export const LARGEST = 20 << 20;
/** How long an answer may take before the worker is stopped, in milliseconds. */
const PATIENCE = 10_000;
/** What may keep a worker of another origin from starting: the browser does not tell a script which policy it was. */
const FORBIDDEN = ": its files are of another origin, and then the page's content security policy has to allow 'worker-src blob:' and its scripts";
/** What a newer request of a verb makes pointless in its session. */
const OVERTAKEN = { render: ['render', 'probe'], select: ['select'], install: ['install'], upgrade: ['upgrade'] };

/** Whether a name is of the form that the carried packages have; all else that names templates is a URL. */
export const isCarried = (name) => /^[\w-]+\/[\w-]+(@[\w.+-]+)?$/.test(name);

/** What a request fails with: `late` if the engine was stopped for want of an answer. */
export class Failure extends Error {
  constructor(message, late = false) {
    super(message);
    this.late = late;
  }
}

/** What is open: a package `{ name }` or files `{ files: [{ path, data }] }`. Outlives the worker. */
class Session {
  #ask;

  constructor(id, from, ask) {
    this.id = id;
    this.from = from;
    this.#ask = (verb, request) => ask(verb, request, this);
  }

  /** What to ask a person for: `{ declared, root, usual }`, `usual` the JSON of the defaults at `v`, or nothing if these cannot be read. */
  form() {
    return this.#ask('form');
  }

  /**
   * Renders with these data values (YAML text).
   * @param options more of the command line's flags: `RenderOptions` of `pkg/haulout.d.ts`
   * @returns {Promise<{text: string, error: string, diagnostics: object[]} | undefined>} nothing if a newer request overtook this one
   */
  render(values, options) {
    return this.#ask('render', { values, options });
  }

  /** The text of a render that is only looked at, when there is time; nothing if a render overtook it, empty if it failed. */
  probe(values) {
    return this.#ask('probe', { values });
  }

  /** A rendering that others are compared with: none overtakes it. */
  base(values) {
    return this.#ask('base', { values });
  }

  /** Where each line of a rendering came from: `{ files, lines: [[index of a file, line]] }`. */
  origins(values) {
    return this.#ask('origins', { values });
  }

  /** The text of one of its files; nothing if it has no such file. */
  source(path) {
    return this.#ask('source', { path });
  }

  /** The resources that install it: `{ files, install, uninstall, warnings }`, or `{ error }`. */
  installSet(options) {
    return this.#ask('install', { options });
  }

  /** Lets the engine forget it. */
  close() {
    return this.#ask('close').catch(() => {});
  }
}

export class Engine {
  #worker;
  /** Whether the worker has its module: loading it is not the request's time. */
  #loaded = false;
  /** The sessions that this worker holds. */
  #held = new Set();
  #queue = [];
  #current;
  #lastId = 0;
  /** What every worker of this page gets: the compiled module, and the carried templates if they are known to be needed. */
  #given;
  #carried = false;

  /** Starts the worker: who knows that it, and the carried templates, will be needed need not wait for the first request. */
  start({ carried } = {}) {
    this.#carried ||= carried;
    this.#worker ??= this.#started();
  }

  /** The packages that the engine holds: `[{ name, title, version }]`, the newest version of each first. */
  packages() {
    return this.#ask('packages');
  }

  /** A package `{ name }` or files `{ files: [{ path, data }] }`, which the first request opens. */
  session(from) {
    return new Session(++this.#lastId, from, (...request) => this.#ask(...request));
  }

  /** Opens a package or files, or fails. */
  async open(from) {
    const session = this.session(from);
    await this.#ask('open', {}, session);
    return session;
  }

  /** Values as the engine reads them: `{ json, error }`. */
  read(values) {
    return this.#ask('read', { values });
  }

  /** Values with the comments of another text: `{ text, lost }`. */
  rewrite(commented, values) {
    return this.#ask('rewrite', { commented, values });
  }

  /** Which version a PackageInstall gets: `{ version, filters, warnings }`, or `{ error, filters, warnings }`. */
  select(options) {
    return this.#ask('select', { options });
  }

  /** What another version changes: `{ changes, text }`, or `{ error }`. */
  upgrade(options) {
    return this.#ask('upgrade', { options });
  }

  /** Any of packaging's functions, by its name in `pkg/haulout.d.ts`: what it gives, or `{ error }`. */
  package(name, options) {
    return this.#ask('package', { name, options });
  }

  #ask(verb, request, session) {
    return new Promise((resolve, reject) => {
      for (const pointless of OVERTAKEN[verb] ?? []) this.#overtake(pointless, session);
      const entry = { id: ++this.#lastId, verb, request, session, resolve, reject };
      // What is only looked at waits for what was asked for.
      const before = verb === 'probe' ? -1 : this.#queue.findIndex((other) => other.verb === 'probe');
      if (before < 0) this.#queue.push(entry);
      else this.#queue.splice(before, 0, entry);
      this.#next();
    });
  }

  /** Answers what a newer request makes pointless: with nothing. */
  #overtake(verb, session) {
    const pointless = (entry) => entry?.verb === verb && entry.session === session;
    for (const entry of [this.#current, ...this.#queue].filter(pointless)) entry.resolve(undefined);
    this.#queue = this.#queue.filter((entry) => !pointless(entry));
  }

  #next() {
    if (this.#current || !this.#queue.length) return;
    this.#current = this.#queue.shift();
    const { id, verb, request, session } = this.#current;
    if (verb === 'close' && !this.#held.has(session)) {
      this.#settle({ id });
      return;
    }
    const from = session && !this.#held.has(session) ? session.from : undefined;
    this.start();
    this.#worker.postMessage({ id, verb, request, session: session?.id, from });
    if (this.#loaded) this.#wait();
  }

  #started() {
    const worker = startWorker();
    worker.onmessage = ({ data }) => this.#settle(data);
    worker.onerror = (event) => this.#replace(new Failure(event.message || `the engine could not be loaded${isOfThisOrigin() ? '' : FORBIDDEN}`));
    this.#given ??= this.#fetched();
    this.#given.then((given) => worker.postMessage(given));
    return worker;
  }

  /** Fetched here while the worker's script is on its way. A worker that is not given a part, as where a page's policy forbids it, fetches it itself. */
  async #fetched() {
    const [module, templates] = await Promise.all([
      WebAssembly.compileStreaming(fetch(new URL('./pkg/haulout_bg.wasm', import.meta.url))),
      this.#carried && fetch(new URL('./pkg/templates.json', import.meta.url)).then((answer) => answer.json()),
    ]).catch(() => {
      this.#given = undefined;
      return [];
    });
    return { module, templates };
  }

  #wait() {
    this.#current.timer = setTimeout(() => this.#replace(new Failure(`stopped: no result within ${PATIENCE / 1000} seconds`, true)), PATIENCE);
  }

  #settle({ loaded, id, answer, failure, broken }) {
    if (loaded) {
      this.#loaded = true;
      if (this.#current) this.#wait();
      return;
    }
    const entry = this.#current;
    if (entry?.id !== id) return;
    if (broken) {
      this.#replace(new Failure(failure));
      return;
    }
    this.#current = undefined;
    clearTimeout(entry.timer);
    if (failure === undefined) {
      if (entry.verb === 'close') this.#held.delete(entry.session);
      else if (entry.session) this.#held.add(entry.session);
      entry.resolve(answer);
    } else entry.reject(new Failure(failure));
    this.#next();
  }

  /** Ends the worker and fails what it was at; the next request starts another, which opens anew what is asked for. */
  #replace(failure) {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#loaded = false;
    this.#held.clear();
    const entry = this.#current;
    this.#current = undefined;
    clearTimeout(entry?.timer);
    entry?.reject(failure);
    this.#next();
  }
}

const isOfThisOrigin = () => new URL(import.meta.url).origin === self.origin;

/** The worker; from another origin, as of a content network, only a script of this page may start it. */
function startWorker() {
  if (isOfThisOrigin()) return new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  // Not said as above, where a bundler looks for the worker: what it makes of it is of this origin.
  const address = import.meta.url.replace(/[^/]*$/, 'worker.js');
  const script = URL.createObjectURL(new Blob([`import ${JSON.stringify(address)};`], { type: 'text/javascript' }));
  return new Worker(script, { type: 'module' });
}

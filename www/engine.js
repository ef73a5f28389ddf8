// The page's side of the engine: one worker, one request at a time, the newest render wins, a broken worker is replaced.

/** How long an answer may take before the worker is stopped, in milliseconds. */
const PATIENCE = 10_000;
/** What a newer request of a verb makes pointless. */
const OVERTAKEN = { render: ['render', 'probe'], base: ['base'], select: ['select'], install: ['install'], upgrade: ['upgrade'] };

/** What a request fails with: `late` if the engine was stopped for want of an answer. */
export class Failure extends Error {
  constructor(message, late = false) {
    super(message);
    this.late = late;
  }
}

export class Engine {
  #worker;
  /** What is open, by its slot: `main`, and what that is compared with, `other`. */
  #sources = {};
  #queue = [];
  #current;
  #lastId = 0;

  constructor() {
    this.#start();
  }

  /** The packages that the engine holds: `[{ name, title, version }]`, the newest version of each first. */
  packages() {
    return this.#ask('packages');
  }

  /** Opens a package `{ name }` or files `{ files: [{ path, data }] }`; later requests are of it. */
  async open(source, slot = 'main') {
    await this.#ask('open', { ...source, slot });
    this.#sources[slot] = source;
  }

  /** What to ask a person for: the form tree. */
  form() {
    return this.#ask('form');
  }

  /**
   * Renders with these data values (YAML text).
   * @returns {Promise<{text: string, error: string, diagnostics: object[]} | undefined>} nothing if a newer request overtook this one
   */
  render(values) {
    return this.#ask('render', { values });
  }

  /** The text of a render that is only looked at, when there is time; nothing if a render overtook it, empty if it failed. */
  probe(values) {
    return this.#ask('probe', { values });
  }

  /** What a rendering is compared with; nothing if it was overtaken. */
  base(values, slot = 'main') {
    return this.#ask('base', { values, slot });
  }

  /** Where each line of a rendering came from: `{ files, lines: [[index of a file, line]] }`. */
  origins(values) {
    return this.#ask('origins', { values });
  }

  /** The text of a file of what is open; nothing if it has no such file. */
  source(path) {
    return this.#ask('source', { path });
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

  /** The resources that install what is open: `{ files, install, uninstall, warnings }`, or `{ error }`. */
  installSet(options) {
    return this.#ask('install', { options });
  }

  /** What another version changes: `{ changes, text }`, or `{ error }`. */
  upgrade(options) {
    return this.#ask('upgrade', { options });
  }

  #start() {
    this.#worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
    this.#worker.onmessage = ({ data }) => this.#settle(data);
    this.#worker.onerror = (event) => this.#replace(new Failure(event.message || 'the engine could not be loaded'));
  }

  #ask(verb, request) {
    return new Promise((resolve, reject) => {
      for (const pointless of OVERTAKEN[verb] ?? []) this.#overtake(pointless);
      const entry = { id: ++this.#lastId, verb, request, resolve, reject };
      // What is only looked at waits for what was asked for.
      const before = verb === 'probe' ? -1 : this.#queue.findIndex((other) => other.verb === 'probe');
      if (before < 0) this.#queue.push(entry);
      else this.#queue.splice(before, 0, entry);
      this.#next();
    });
  }

  /** Answers what a newer request makes pointless: with nothing. */
  #overtake(verb) {
    this.#queue = this.#queue.filter((entry) => {
      if (entry.verb === verb) entry.resolve(undefined);
      return entry.verb !== verb;
    });
    if (this.#current?.verb === verb) this.#current.resolve(undefined);
  }

  #next() {
    if (this.#current || !this.#queue.length) return;
    this.#current = this.#queue.shift();
    const { id, verb, request } = this.#current;
    this.#current.timer = setTimeout(() => this.#replace(new Failure(`stopped: no result within ${PATIENCE / 1000} seconds`, true)), PATIENCE);
    this.#worker.postMessage({ id, verb, request });
  }

  #settle({ id, answer, failure, broken }) {
    const entry = this.#current;
    if (entry?.id !== id) return;
    if (broken) return this.#replace(new Failure(failure));
    this.#current = undefined;
    clearTimeout(entry.timer);
    if (failure === undefined) entry.resolve(answer);
    else entry.reject(new Failure(failure));
    this.#next();
  }

  /** Ends the worker, fails what it was at, and starts another that has the same open. */
  #replace(failure) {
    this.#worker.terminate();
    const entry = this.#current;
    this.#current = undefined;
    clearTimeout(entry?.timer);
    entry?.reject(failure);
    this.#start();
    for (const [slot, source] of Object.entries(this.#sources)) {
      this.#queue.unshift({ id: ++this.#lastId, verb: 'open', request: { ...source, slot }, resolve() {}, reject() {} });
    }
    this.#next();
  }
}

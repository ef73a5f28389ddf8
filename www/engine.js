// The page's side of the engine: requests to a worker, the newest wins, a broken worker is replaced.

/** How long a render may take before its worker is stopped, in milliseconds. */
const PATIENCE = 10_000;

export class Engine {
  #worker;
  #name;
  #waiting = new Map();
  #lastId = 0;

  constructor() {
    this.#start();
  }

  /** The packages that the engine holds: `[{ name, title, version }]`, the newest version of each first. */
  packages() {
    return this.#ask('packages');
  }

  /** Opens a package by name; later renders are of it. */
  async open(name) {
    this.#name = name;
    await this.#ask('open', { name });
  }

  /**
   * Renders with these data values (YAML text).
   * @returns {Promise<{text: string, error: string, diagnostics: object[]} | undefined>} nothing if a newer request overtook this one
   */
  async render(values) {
    const answer = this.#ask('render', { values });
    const id = this.#lastId;
    const result = await answer;
    return id === this.#lastId ? result : undefined;
  }

  #start() {
    this.#worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
    this.#worker.onmessage = ({ data }) => this.#settle(data);
    this.#worker.onerror = (event) => this.#replace(event.message || 'the engine could not be loaded');
  }

  #ask(verb, request) {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#replace(`stopped: no result within ${PATIENCE / 1000} seconds`), PATIENCE);
      this.#waiting.set(id, { resolve, reject, timer });
      this.#worker.postMessage({ id, verb, request });
    });
  }

  #settle({ id, answer, failure, broken }) {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    if (failure === undefined) return waiting.resolve(answer);
    waiting.reject(new Error(failure));
    if (broken) this.#replace(failure);
  }

  /** Ends the worker, fails what waits for it, and starts another with the same package open. */
  #replace(reason) {
    this.#worker.terminate();
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(new Error(reason));
    }
    this.#waiting.clear();
    this.#start();
    if (this.#name) this.#ask('open', { name: this.#name }).catch(() => {});
  }
}

// The view of <haulout-configurator>: the whole page in a frame of its own, so that neither page's styles reach the other.
//
// The frame has no address: it is written by its parent and lives under the parent's policy. A site that forbids frames of
// itself (`X-Frame-Options: DENY`) can have it, and the parent hears what happens in it.

const sheet = new CSSStyleSheet();
sheet.replaceSync(`
  iframe { display: block; width: 100%; height: var(--haulout-height, clamp(32rem, 85vh, 70rem)); border: 1px solid var(--haulout-border, light-dark(#c9d4da, #34454f)); border-radius: .4rem; }
`);

/** Variables of the element, and what the page calls them. */
const VARIABLES = { '--haulout-font': '--mono', '--haulout-accent': '--accent', '--haulout-bg': '--surface', '--haulout-fg': '--text', '--haulout-border': '--line' };

export class Frame {
  #host;
  #frame;
  /** What the frame was filled for, and what came of it first. */
  #filled = '';
  #newest;

  constructor(host) {
    this.#host = host;
    const { shadowRoot } = host;
    shadowRoot.adoptedStyleSheets = [...shadowRoot.adoptedStyleSheets, sheet];
  }

  /** Shows what the element says now. Resolves to the newest result. */
  follow() {
    const { src, base, lang } = this.#host;
    const wanted = JSON.stringify([src, base, lang]);
    // A frame that was taken from the page and put back is empty.
    if (wanted !== this.#filled || this.#root?.dataset.embedded === undefined) {
      this.#filled = wanted;
      this.#newest = this.#fill();
    }
    this.#dress();
    return this.#newest;
  }

  stop() {
    this.#filled = '';
  }

  get #root() {
    return this.#frame?.contentDocument?.documentElement;
  }

  async #fill() {
    const { src, lang, base } = this.#host;
    const page = new URL('index.html', new URL(base || '.', base ? document.baseURI : import.meta.url));
    const response = await fetch(page);
    if (!response.ok) throw new Error(`Requesting URL '${page}': ${response.status} ${response.statusText}`.trim());
    const parsed = new DOMParser().parseFromString(await response.text(), 'text/html');
    const frame = document.createElement('iframe');
    frame.title = 'haulout';
    frame.setAttribute('part', 'frame');
    frame.srcdoc = '<!doctype html>';
    const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
    this.#frame?.remove();
    this.#frame = frame;
    this.#host.shadowRoot.append(frame);
    await loaded;
    const inner = frame.contentDocument;
    if (!inner) return this.#newest;
    const first = this.#listen(inner);
    const root = inner.documentElement;
    root.lang = lang || 'en';
    root.dataset.embedded = '';
    root.dataset.src = src;
    root.dataset.values = this.#host.values ?? '';
    this.#dress();
    const style = inner.createElement('link');
    style.rel = 'stylesheet';
    style.href = new URL('style.css', page);
    const script = inner.createElement('script');
    script.type = 'module';
    script.src = new URL('app.js', page);
    await new Promise((resolve) => {
      style.addEventListener('load', resolve);
      style.addEventListener('error', resolve);
      inner.head.append(style);
    });
    inner.body.replaceChildren(...[...parsed.body.children].filter((child) => child.localName !== 'noscript').map((child) => inner.importNode(child, true)));
    inner.head.append(script);
    this.#host.showInside(false);
    return first;
  }

  /** Tells the element what the page in the frame tells. Resolves to its first result. */
  #listen(inner) {
    return new Promise((resolve) => {
      for (const name of ['render', 'error', 'change']) {
        inner.addEventListener(`haulout-${name}`, ({ detail }) => {
          // What comes from the frame is of its world; the parent gets its own.
          const copy = structuredClone(detail);
          if (name === 'change') this.#host.values = copy.values;
          this.#host.tell(name, copy);
          if (name !== 'change') {
            resolve(copy);
            this.#newest = Promise.resolve(copy);
          }
        });
      }
    });
  }

  /** Gives the frame the theme and the colours of the element. */
  #dress() {
    const root = this.#root;
    if (!root) return;
    root.dataset.theme = this.#host.theme;
    const own = getComputedStyle(this.#host);
    for (const [name, inner] of Object.entries(VARIABLES)) {
      const value = own.getPropertyValue(name);
      if (value) root.style.setProperty(inner, value);
      else root.style.removeProperty(inner);
    }
  }
}

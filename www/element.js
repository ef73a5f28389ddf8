// <haulout-preview> and <haulout-configurator>: ytt templates rendered inside any page. Nothing but this file is loaded
// until an element is about to be seen; each element then gets its view from preview.js or frame.js.

const supported = typeof WebAssembly === 'object' && typeof Worker === 'function';

const sheet = new CSSStyleSheet();
sheet.replaceSync(`
  :host { display: block; color-scheme: inherit; }
  :host([hidden]), [hidden] { display: none !important; }
  :host([theme=light]) { color-scheme: light; }
  :host([theme=dark]) { color-scheme: dark; }
`);

/** What both elements are: when to begin, when to follow a change, and what is there until then. */
class HauloutElement extends HTMLElement {
  #view;
  #observer;
  #begun = false;
  #due = false;

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [sheet];
    const slot = document.createElement('slot');
    const unsupported = document.createElement('slot');
    unsupported.name = 'unsupported';
    unsupported.hidden = supported;
    root.append(slot, unsupported);
  }

  connectedCallback() {
    if (!supported) return;
    // A property set before the element was defined hides the accessor of the same name.
    for (const name of this.constructor.properties) {
      if (!Object.hasOwn(this, name)) continue;
      const value = this[name];
      delete this[name];
      // Some navigation writes back what it read of an element that was not known yet: nothing.
      if (value !== undefined) this[name] = value;
    }
    if (this.#begun) this.#begin();
    else this.#await();
  }

  disconnectedCallback() {
    this.#observer?.disconnect();
    // An element that is only moved is back before this.
    queueMicrotask(() => { if (!this.isConnected) this.#view?.then((view) => { if (!this.isConnected) view.stop(); }, () => {}); });
  }

  attributeChangedCallback(name, before, after) {
    if (before === after) return;
    if (name === 'loading' && this.isConnected && supported && !this.#begun) this.#await();
    this.changed(name);
  }

  /** Hears that an attribute or a property is another; what follows from it is done once for all changes of a moment. */
  changed() {
    if (!this.#begun || this.#due) return;
    this.#due = true;
    queueMicrotask(() => {
      this.#due = false;
      if (this.isConnected) this.#begin();
    });
  }

  #waitNoLonger() {
    this.#observer?.disconnect();
    this.shadowRoot.querySelector('[part=start]')?.remove();
  }

  /** Waits for the moment that `loading` names: `lazy` (about to be seen), `click`, or `eager` (now). */
  #await() {
    this.#waitNoLonger();
    if (this.loading === 'eager') this.#begin();
    else if (this.loading === 'click') this.#offer();
    else {
      this.#observer = new IntersectionObserver((entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        this.render();
      }, { rootMargin: '200px' });
      this.#observer.observe(this);
    }
  }

  #offer() {
    const button = document.createElement('button');
    const words = document.createElement('slot');
    words.name = 'start';
    words.textContent = 'Show the live preview';
    button.type = 'button';
    button.setAttribute('part', 'start');
    button.append(words);
    button.addEventListener('click', () => this.render());
    this.shadowRoot.prepend(button);
  }

  /** The newest result of the view; starts it if need be. */
  async #begin() {
    this.#begun = true;
    this.#view ??= this.open();
    const said = this.shadowRoot.querySelector('[part=error].whole');
    try {
      const view = await this.#view;
      said?.remove();
      return await view.follow();
    } catch (failure) {
      // The view's files could not be loaded: what is inside the element stays, and the next change tries again.
      this.#view = undefined;
      return this.#fail(failure.message, said ?? document.createElement('p'));
    }
  }

  #fail(error, place) {
    place.className = 'whole';
    place.setAttribute('part', 'error');
    place.setAttribute('role', 'alert');
    place.textContent = error;
    this.shadowRoot.prepend(place);
    const detail = { error, diagnostics: [] };
    this.tell('error', detail);
    return detail;
  }

  /** Renders now. Resolves to what `haulout-render` or `haulout-error` tells. */
  render() {
    this.#waitNoLonger();
    return this.#begin();
  }

  /** Fires an event that leaves the shadow root. */
  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(`haulout-${name}`, { detail, bubbles: true, composed: true }));
  }

  /** Shows or hides what the page has inside the element. */
  showInside(on) {
    this.shadowRoot.querySelector('slot:not([name])').hidden = !on;
  }
}

/** Adds properties that are attributes. */
function reflect(type, ...names) {
  for (const name of names) {
    Object.defineProperty(type.prototype, name, {
      configurable: true,
      enumerable: true,
      get() { return this.getAttribute(name) ?? { loading: 'lazy', theme: 'auto' }[name] ?? ''; },
      set(value) {
        if (value == null) this.removeAttribute(name);
        else this.setAttribute(name, value);
      },
    });
  }
}

/** Rendered manifests of templates, which follow the values. */
export class HauloutPreview extends HauloutElement {
  static observedAttributes = ['src', 'values', 'show', 'loading', 'theme'];
  static properties = ['src', 'values', 'show', 'loading', 'theme', 'files'];
  #values;
  #files;

  /** The data values: YAML text. A map is taken too. */
  get values() {
    return this.#values ?? this.getAttribute('values') ?? '';
  }

  set values(values) {
    this.#values = typeof values === 'string' ? values : JSON.stringify(values ?? {}, null, 2);
    this.changed();
  }

  /** The templates in place of `src`: `[{ path, data }]`, or a map of paths to texts. */
  get files() {
    return this.#files;
  }

  set files(files) {
    this.#files = files == null || Array.isArray(files) ? files ?? undefined : Object.entries(files).map(([path, data]) => ({ path, data }));
    this.changed();
  }

  /** The data values as they stand. */
  exportValues() {
    return this.values;
  }

  changed(name) {
    if (name === 'values') this.#values = undefined;
    super.changed();
  }

  async open() {
    const { Preview } = await import('./preview.js');
    return new Preview(this);
  }
}
reflect(HauloutPreview, 'src', 'show', 'loading', 'theme');

/** The whole configurator: a form, its manifests, what to take away. */
export class HauloutConfigurator extends HauloutElement {
  static observedAttributes = ['src', 'theme', 'lang', 'loading', 'base'];
  static properties = ['src', 'theme', 'loading', 'base'];

  /** What differs from the defaults: YAML text. */
  exportValues() {
    return this.values ?? '';
  }

  async open() {
    const { Frame } = await import('./frame.js');
    return new Frame(this);
  }
}
reflect(HauloutConfigurator, 'src', 'theme', 'loading', 'base');

// Two copies of this file may be on a page: the first one serves.
for (const [name, type] of [['haulout-preview', HauloutPreview], ['haulout-configurator', HauloutConfigurator]]) {
  if (!customElements.get(name)) customElements.define(name, type);
}

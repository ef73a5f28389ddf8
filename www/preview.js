// The view of <haulout-preview>: values above, rendered manifests below, or what is wrong in the command line's words.
import { Engine } from './engine.js';
import { copy, element } from './dom.js';
import { highlight, replaceChildren, split } from './manifests.js';
import { sourceOf } from './templates.js';
import { sayIn } from './words.js';

/** One worker for all previews of a page. */
const engine = new Engine();

const sheet = new CSSStyleSheet();
sheet.replaceSync(`
  :host {
    --fg: var(--haulout-fg, light-dark(#14222a, #e3ecf1));
    --bg: var(--haulout-bg, light-dark(#ffffff, #172127));
    --border: var(--haulout-border, light-dark(#c9d4da, #34454f));
    --accent: var(--haulout-accent, light-dark(#0f5575, #7cc7e8));
    --quiet: color-mix(in srgb, var(--fg) 72%, var(--bg));
    --mono: var(--haulout-font, ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace);
    margin: 1em 0;
  }
  * { box-sizing: border-box; }
  .frame { border: 1px solid var(--border); border-radius: .4rem; background: var(--bg); color: var(--fg); text-align: start; overflow: hidden; }
  .frame:not(.ready) { opacity: .75; }
  .bar { display: flex; align-items: center; gap: .75rem; padding: .2rem .35rem .2rem .75rem; color: var(--quiet); font: .8rem/1.6 system-ui, sans-serif; }
  .frame > * + * { border-top: 1px solid var(--border); }
  .bar > :first-child { flex: 1; overflow-wrap: anywhere; }
  button { flex: none; border: 1px solid transparent; border-radius: .3rem; padding: .1rem .5rem; background: none; color: var(--accent); font: inherit; cursor: pointer; }
  button:hover { border-color: var(--border); }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
  label { display: block; padding: .2rem .75rem 0; color: var(--quiet); font: .8rem/1.6 system-ui, sans-serif; }
  .values:focus-within { background: color-mix(in srgb, var(--accent) 6%, var(--bg)); }
  textarea { display: block; width: 100%; border: 0; padding: .1rem .75rem .5rem; background: none; color: inherit; font: .84rem/1.5 var(--mono); resize: vertical; field-sizing: content; max-height: 20em; white-space: pre; overflow: auto; tab-size: 2; }
  textarea[aria-invalid=true] { box-shadow: inset 3px 0 light-dark(#9a1c1c, #ffb4ab); }
  pre { margin: 0; padding: .5rem .75rem; max-height: var(--haulout-height, 32em); overflow: auto; font: .84rem/1.5 var(--mono); tab-size: 2; }
  .document + .document { margin-top: .35rem; padding-top: .35rem; border-top: 1px solid var(--border); }
  .document, .line { display: block; min-width: max-content; }
  .stale { opacity: .55; }
  .key { color: light-dark(#0f5575, #8fd0ee); }
  .text { color: light-dark(#7a3e00, #f0c08a); }
  .atom { color: light-dark(#6b2a86, #dcb1f0); }
  .quiet { color: var(--quiet); }
  .error { color: light-dark(#9a1c1c, #ffb4ab); background: light-dark(#fdf0ef, #341a1a); }
  .error pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  .error button { margin: 0 0 .4rem .35rem; color: inherit; font: .8rem/1.6 var(--mono); text-decoration: underline; }
  .spoken { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
`);

/** What messages call the values: they are what `--data-values-file -` reads. */
const VALUES = 'stdin.yml';

/** The documents of a rendering that `show` names: `Kind` or `Kind/name`, with `*` for any kind; several with spaces between. */
function chosen({ text, documents }, show) {
  const parts = split(text, documents);
  const wanted = show.split(/[\s,]+/).filter(Boolean);
  if (!wanted.length) return parts;
  const fits = ({ kind, name }) => wanted.some((one) => {
    const [wantedKind, ...rest] = one.split('/');
    return (wantedKind === '*' || wantedKind.toLowerCase() === kind?.toLowerCase()) && (!rest.length || rest.join('/') === name);
  });
  return parts.filter(fits).map((part, index) => (index === 0 && part.lines[0] === '---' ? { ...part, lines: part.lines.slice(1) } : part));
}

export class Preview {
  #host;
  #say;
  #frame;
  #title;
  #values;
  #error;
  #output;
  #status;
  /** What is open, and in which order openings are done. */
  #session;
  #opening = Promise.resolve();
  /** The newest run, and the promise of what it gives. */
  #turn = 0;
  #newest;
  #documents = new Map();
  #text = '';
  #rendered = false;
  /** Whether a person has typed: only then is a result worth saying aloud. */
  #typed = false;
  #watch = new MutationObserver(() => this.#host.changed());

  constructor(host) {
    this.#host = host;
    this.#say = sayIn(host.closest('[lang]')?.lang ?? '');
    this.#build();
  }

  #build() {
    const say = this.#say;
    this.#title = element('span', { part: 'label' });
    this.#status = element('span', { class: 'spoken', role: 'status' });
    const copied = async () => {
      this.#status.textContent = say(await copy(this.#text) ? 'copied' : 'notCopied');
    };
    const box = element('textarea', {
      id: 'values', part: 'field', spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off', rows: 1,
      'aria-describedby': 'error', oninput: () => this.#type(),
    });
    this.#values = element('div', { class: 'values', hidden: true }, element('label', { for: 'values', part: 'label' }, say('values')), box);
    this.#error = element('div', { id: 'error', class: 'error', part: 'error', hidden: true });
    this.#output = element('pre', { part: 'preview', tabindex: 0, role: 'region', 'aria-label': say('manifests') });
    this.#frame = element('div', { class: 'frame', hidden: true },
      this.#values,
      this.#error,
      element('div', { class: 'bar', part: 'toolbar' }, this.#title,
        element('button', { type: 'button', part: 'copy', onclick: copied }, say('copy')), this.#status),
      this.#output);
    const { shadowRoot } = this.#host;
    shadowRoot.adoptedStyleSheets = [...shadowRoot.adoptedStyleSheets, sheet];
    shadowRoot.append(this.#frame);
  }

  /** Renders what the element says now. Resolves to the newest result, if this one is overtaken; to nothing once the element is gone. */
  async follow() {
    this.#newest = this.#run(++this.#turn);
    for (;;) {
      const run = this.#newest;
      const result = await run;
      if (run === this.#newest) return result;
    }
  }

  /** Lets go of what is held for an element that is no longer on the page. */
  stop() {
    this.#turn += 1;
    this.#watch.disconnect();
    this.#session?.close();
    this.#session = undefined;
  }

  async #run(turn) {
    const values = this.#showValues();
    this.#frame.setAttribute('aria-busy', 'true');
    let result;
    let started;
    try {
      this.#opening = this.#opening.catch(() => {}).then(() => this.#open(turn));
      const session = await this.#opening;
      if (turn !== this.#turn) return undefined;
      started = performance.now();
      result = await session.render(values);
    } catch (failure) {
      result = { text: '', documents: [], error: failure.message, diagnostics: [] };
    }
    if (turn !== this.#turn || !result) return undefined;
    this.#frame.removeAttribute('aria-busy');
    return result.error ? this.#showError(result) : this.#show(result, performance.now() - started);
  }

  /** Opens the element's templates, unless they are open. */
  async #open(turn) {
    const source = await this.#source();
    if (turn !== this.#turn) return undefined;
    if (this.#session?.from === source) return this.#session;
    this.#session?.close();
    this.#session = undefined;
    const session = await engine.open(source);
    if (turn !== this.#turn && !this.#host.isConnected) session.close();
    else this.#session = session;
    return session;
  }

  /** The element's templates: the same object as long as they are the same. */
  async #source() {
    const { files, src } = this.#host;
    this.#watch.disconnect();
    if (!files && src) {
      const source = await sourceOf(src, document.baseURI);
      return this.#former((former) => source.name && source.name === former.name) ?? source;
    }
    const given = files ?? await this.#inside();
    const isSame = (former) => former.files?.length === given.length
      && given.every(({ path, data }, index) => former.files[index].path === path && former.files[index].data === data);
    return this.#former(isSame) ?? { files: given };
  }

  #former(isSame) {
    const source = this.#session?.from;
    return source && isSame(source) ? source : undefined;
  }

  /** The templates that stand inside the element: each `<pre>`, by the name in its `data-path`. */
  async #inside() {
    if (document.readyState === 'loading') await new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve, { once: true }));
    this.#watch.observe(this.#host, { childList: true, characterData: true, subtree: true });
    const files = this.#blocks().map(([path, pre]) => ({ path, data: pre.textContent }));
    if (!files.length) throw new Error('expected templates: a src, or <pre> inside the element');
    return files;
  }

  #blocks() {
    return [...this.#host.querySelectorAll('pre')].map((pre, index) => [pre.dataset.path ?? `config${index ? `-${index + 1}` : ''}.yml`, pre]);
  }

  get #isInside() {
    return !this.#host.files && !this.#host.src;
  }

  // ── Values ──

  /** Shows the values for editing, if the author gave any. Returns them. */
  #showValues() {
    const { values } = this.#host;
    const box = this.#values.querySelector('textarea');
    this.#values.hidden = !this.#host.hasAttribute('values');
    if (box.value !== values) box.value = values;
    box.rows = Math.min(12, values.split('\n').length);
    return values;
  }

  #type() {
    const values = this.#values.querySelector('textarea').value;
    this.#typed = true;
    this.#host.values = values;
    this.#host.tell('change', { values, changed: values !== this.#host.getAttribute('values') });
  }

  // ── The result ──

  #show(result, ms) {
    const shown = chosen(result, this.#host.show);
    const kept = this.#documents;
    this.#documents = new Map();
    const bodies = shown.map(({ lines }, index) => {
      const source = `${index}\n${lines.join('\n')}`;
      const body = kept.get(source) ?? element('span', { class: 'document' }, ...lines.map((line) => element('span', { class: 'line' }, ...highlight(line), '\n')));
      this.#documents.set(source, body);
      return body;
    });
    replaceChildren(this.#output, bodies);
    this.#text = shown.map(({ lines }) => `${lines.join('\n')}\n`).join('');
    this.#title.textContent = shown.length === 1 && shown[0].kind ? `${shown[0].kind} ${shown[0].name ?? ''}`
      : this.#say(shown.length ? 'documents' : 'noMatch', shown.length);
    this.#rendered = true;
    this.#place(false);
    if (this.#typed) this.#status.textContent = this.#say('documents', shown.length);
    const detail = { text: result.text, documents: result.documents, ms };
    this.#host.tell('render', detail);
    return detail;
  }

  #showError({ error, diagnostics }) {
    this.#error.replaceChildren(element('pre', { tabindex: 0, role: 'region', 'aria-label': this.#say('errors', Math.max(1, diagnostics.length)) }, error.trim()), ...this.#ways(diagnostics));
    this.#place(true);
    if (this.#typed) this.#status.textContent = this.#say('errors', Math.max(1, diagnostics.length));
    const detail = { error, diagnostics };
    this.#host.tell('error', detail);
    return detail;
  }

  #place(failed) {
    this.#frame.hidden = false;
    this.#frame.classList.add('ready');
    this.#error.hidden = !failed;
    this.#output.classList.toggle('stale', failed);
    this.#values.querySelector('textarea').setAttribute('aria-invalid', String(failed));
    for (const part of [this.#title.parentElement, this.#output]) part.hidden = !this.#rendered;
    // Templates inside the element stay beside their result; what stands in for a result goes once there is one.
    this.#host.showInside(this.#isInside || !this.#rendered);
  }

  /** Ways to the lines that are wrong, where they are on the page. */
  #ways(diagnostics) {
    const blocks = this.#isInside ? this.#blocks() : [];
    const seen = new Set();
    return diagnostics.map(({ origin }) => {
      const { file, line } = origin ?? {};
      const name = `${file}:${line}`;
      const pre = blocks.find(([path]) => path === file)?.[1];
      const isValues = file === VALUES && !this.#values.hidden;
      if (!line || seen.has(name) || !(pre || isValues)) return null;
      seen.add(name);
      return element('button', { type: 'button', onclick: () => (pre ? selectLine(pre, line) : this.#selectValue(line)) }, name);
    }).filter(Boolean);
  }

  #selectValue(line) {
    const box = this.#values.querySelector('textarea');
    const lines = box.value.split('\n');
    const start = lines.slice(0, line - 1).reduce((length, text) => length + text.length + 1, 0);
    box.focus();
    box.setSelectionRange(start, start + (lines[line - 1] ?? '').length);
  }
}

/** Selects a line, from 1, of an element's text, and brings it into view. */
function selectLine(pre, line) {
  const range = document.createRange();
  range.selectNodeContents(pre);
  const texts = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT);
  let at = 1;
  let begun = line === 1;
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    for (let index = text.data.indexOf('\n'); index >= 0; index = text.data.indexOf('\n', index + 1)) {
      at += 1;
      if (at === line) range.setStart(text, index + 1);
      if (at === line) begun = true;
      if (at === line + 1) range.setEnd(text, index);
    }
  }
  if (!begun) return;
  getSelection().removeAllRanges();
  getSelection().addRange(range);
  pre.scrollIntoView({ block: 'nearest' });
}

// The rendered documents: outline, filter, highlighting, lit lines, a way to where a line comes from; differences.
import { element } from './dom.js';
import { lineDiff } from './diff.js';
import { coveredLines, highlight, replaceChildren, split } from './manifests.js';
import { say } from './words.js';

/** How many lines are made at once: more than a screen shows. */
const AT_ONCE = 100;
/** Lines around a difference that are shown with it. */
const AROUND = 3;

export class Output {
  #documents = [];
  #filter = '';
  #places;
  #seen;
  #lit = [];

  /**
   * @param places elements: `text` (a pre), `outline` (a list), `none` (said if the filter leaves nothing)
   * @param ask called with the index of a line of which a person asks where it comes from
   */
  constructor(places, ask) {
    this.#places = places;
    const { text } = places;
    text.addEventListener('click', ({ target }) => {
      const line = target.closest('.line');
      if (line && getSelection().isCollapsed) this.#ask(line, ask);
    });
    text.addEventListener('keydown', (event) => {
      const line = document.activeElement.closest('.line');
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (event.ctrlKey || event.metaKey || event.altKey || (!step && !(line && event.key === 'Enter'))) return;
      event.preventDefault();
      if (!step) this.#ask(line, ask);
      else this.#step(line, step);
    });
    // Colours are for what is seen: most of a long result never is.
    this.#seen = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        this.#seen.unobserve(target);
        this.#documents.find(({ element }) => element === target)?.paint();
      }
    }, { root: text, rootMargin: '300px 0px' });
  }

  /** Colours all, in sight or not. */
  paint() {
    for (const document of this.#documents) document.paint();
  }

  #ask(line, ask) {
    this.#places.text.querySelector('.asked')?.classList.remove('asked');
    line.classList.add('asked');
    ask(this.#indexOf(line));
  }

  #indexOf(line) {
    const { first, lines } = this.#documents.find((document) => document.element === line.parentElement);
    return first + lines.indexOf(line);
  }

  /** Leads the focus to the next line that is shown, or to the first one. */
  #step(line, step) {
    const lines = this.#documents.flatMap((document) => (document.element.hidden ? [] : document.lines));
    const next = lines[line ? lines.indexOf(line) + step : 0];
    if (!next) return;
    next.tabIndex = -1;
    next.focus();
  }

  /** Shows a rendering; a document that is as it was stays in place, and one of the same lines but some is changed where it stands. */
  show({ text, documents }) {
    const former = this.#documents;
    const kept = new Map(former.map((document) => [document.source, document]));
    const parts = split(text, documents).map((part) => ({ ...part, source: part.lines.join('\n') }));
    const same = parts.map(({ source }) => {
      const document = kept.get(source);
      kept.delete(source);
      return document;
    });
    const left = new Set(kept.values());
    let before = 0;
    this.#documents = parts.map((part, index) => {
      const document = same[index] ?? this.#changed(former[index], left, part) ?? this.#document(part, before > AT_ONCE);
      document.first = before;
      before += part.lines.length;
      return document;
    });
    for (const { element } of left) this.#seen.unobserve(element);
    const { text: pre, outline } = this.#places;
    replaceChildren(pre, this.#documents.map(({ element }) => element));
    replaceChildren(outline, this.#documents.map(({ entry }) => entry));
    this.filter(this.#filter);
  }

  /** Makes the lines that `show` left for later. */
  complete() {
    for (const document of this.#documents) document.make();
  }

  /** Leaves only the documents whose kind or name holds a text. */
  filter(text) {
    this.#filter = text;
    const wanted = text.trim().toLowerCase();
    let shown = 0;
    for (const document of this.#documents) {
      const on = `${document.kind ?? ''}/${document.name ?? ''} ${document.kind ?? ''} ${document.name ?? ''}`.toLowerCase().includes(wanted);
      document.element.hidden = document.entry.hidden = !on;
      shown += on;
    }
    this.#places.none.hidden = shown > 0 || !wanted;
  }

  /** Lights lines by their index in the whole text; marks their documents in the outline. */
  light(indices) {
    for (const line of this.#lit) line.classList.remove('lit');
    this.#lit = [];
    for (const document of this.#documents) {
      const within = [...indices].filter((index) => index >= document.first && index < document.first + document.count);
      this.#lit.push(...within.map((index) => document.lines[index - document.first]));
      document.entry.classList.toggle('lit', within.length > 0);
    }
    for (const line of this.#lit) line.classList.add('lit');
    if (this.#lit.length) scrollInto(this.#places.text, this.#lit[0]);
  }

  /** A document changed where it stands, if it is one of those left and has as many lines. */
  #changed(document, left, part) {
    if (!left.has(document) || document.kind !== part.kind || document.count !== part.lines.length) return undefined;
    left.delete(document);
    document.change(part);
    return document;
  }

  /** A new document; one that is not in sight may have its lines later. Those of a Secret are covered from the first. */
  #document(part, later) {
    const body = element('div', { class: 'document' });
    const button = element('button', { type: 'button', onclick: () => scrollInto(this.#places.text, body) });
    let rows;
    let shown = [];
    let covered = [];
    let isColoured = false;
    const fill = (index) => {
      rows[index].classList.toggle('covered', covered[index] && !isColoured);
      if (isColoured) rows[index].replaceChildren(...highlight(shown[index], covered[index]), '\n');
      else rows[index].textContent = `${shown[index]}\n`;
    };
    const document = {
      element: body,
      entry: element('li', {}, button),
      count: part.lines.length,
      get lines() {
        document.make();
        return rows;
      },
      make() {
        if (rows) return;
        rows = shown.map(() => element('span', { class: 'line' }));
        rows.forEach((row, index) => fill(index));
        body.replaceChildren(...rows);
      },
      change({ lines, source, kind, name }) {
        const before = { shown, covered };
        [shown, covered] = [lines, coveredLines(lines)];
        if (rows) lines.forEach((line, index) => { if (line !== before.shown[index] || covered[index] !== before.covered[index]) fill(index); });
        else if (later && !covered.includes(true)) body.textContent = `${source}\n`;
        else document.make();
        if (name !== document.name || !button.childNodes.length) button.replaceChildren(element('span', { class: 'kind' }, kind ?? say('other')), name ? ` ${name}` : '');
        Object.assign(document, { source, kind, name });
      },
      paint() {
        isColoured = true;
        document.lines.forEach((row, index) => fill(index));
      },
    };
    document.change(part);
    this.#seen.observe(body);
    return document;
  }
}

/** Scrolls a frame to something in it: to its top, or to its middle. */
export function scrollInto(frame, target, middle = false) {
  const top = target.getBoundingClientRect().top - frame.getBoundingClientRect().top + frame.scrollTop;
  const before = middle ? frame.clientHeight / 3 : 12;
  frame.scrollTo({ top: Math.max(0, top - before), behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth' });
}

/** Shows YAML in its colours, the values of Secrets covered. */
export function showYaml(place, text) {
  const rows = split(text).flatMap(({ lines }) => {
    const covered = coveredLines(lines);
    return lines.map((line, index) => element('span', { class: 'line' }, ...highlight(line, covered[index]), '\n'));
  });
  place.replaceChildren(...rows);
}

/** How many lines of a text are not in another, or the other way round. */
export const countDifference = (before, after) => (before === after ? 0 : lineDiff(before, after).filter(({ kind }) => kind !== 'same').length);

/** Shows how a text differs from another, with some lines around each difference. Returns how many lines differ. */
export function showDifference(place, before, after) {
  const lines = lineDiff(before, after);
  const covers = [before, after].map((text) => split(text).flatMap(({ lines }) => coveredLines(lines)));
  const near = new Uint8Array(lines.length);
  lines.forEach(({ kind }, index) => { if (kind !== 'same') near.fill(1, Math.max(0, index - AROUND), index + AROUND + 1); });
  const rows = [];
  let skipped = 0;
  const gap = () => {
    if (skipped) rows.push(element('div', { class: 'gap' }, `⋯ ${say('context', skipped)}`));
    skipped = 0;
  };
  const seen = [0, 0];
  lines.forEach(({ kind, line }, index) => {
    const covered = kind === 'removed' ? covers[0][seen[0]] : covers[1][seen[1]];
    if (kind !== 'added') seen[0] += 1;
    if (kind !== 'removed') seen[1] += 1;
    // What stands after the last line break is no line.
    if (index === lines.length - 1 && line === '') return;
    if (!near[index]) {
      skipped += 1;
      return;
    }
    gap();
    const sign = { same: ' ', added: '+', removed: '-' }[kind];
    const spoken = kind === 'same' ? null : element('span', { class: 'spoken' }, say(kind));
    rows.push(element('div', { class: `row ${kind}` }, element('span', { class: 'sign', 'aria-hidden': 'true' }, sign), spoken, ...highlight(line, covered)));
  });
  gap();
  const count = lines.filter(({ kind }) => kind !== 'same').length;
  place.replaceChildren(...(count ? rows : []));
  return count;
}

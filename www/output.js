// The rendered documents: outline, filter, highlighting, lit lines, and their difference from the defaults.
import { element } from './dom.js';
import { lineDiff } from './diff.js';
import { coveredLines, highlight, replaceChildren, split } from './manifests.js';
import { say } from './words.js';

/** Lines around a difference that are shown with it. */
const AROUND = 3;

export class Output {
  #documents = [];
  #filter = '';
  #places;

  /** @param places elements: `text` (a pre), `outline` (a list), `none` (said if the filter leaves nothing) */
  constructor(places) {
    this.#places = places;
  }

  /** Shows a rendering; a document that is as it was stays in place. */
  show({ text, documents }) {
    const kept = new Map(this.#documents.map((document) => [document.source, document]));
    this.#documents = split(text, documents).map(({ lines, kind, name }) => {
      const source = lines.join('\n');
      const former = kept.get(source);
      kept.delete(source);
      return former ?? this.#document(lines, source, kind, name);
    });
    const { text: pre, outline } = this.#places;
    let line = 0;
    for (const document of this.#documents) {
      document.first = line;
      line += document.lines.length;
    }
    replaceChildren(pre, this.#documents.map(({ element }) => element));
    replaceChildren(outline, this.#documents.map(({ entry }) => entry));
    this.filter(this.#filter);
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
  light(lines) {
    let first;
    for (const document of this.#documents) {
      let count = 0;
      document.lines.forEach((line, index) => {
        const on = lines.has(document.first + index);
        line.classList.toggle('lit', on);
        count += on;
        if (on) first ??= line;
      });
      document.entry.classList.toggle('lit', count > 0);
    }
    if (first) scrollInto(this.#places.text, first);
  }

  #document(lines, source, kind, name) {
    const covered = coveredLines(lines);
    const rows = lines.map((line, index) => element('span', { class: 'line' }, ...highlight(line, covered[index]), '\n'));
    const body = element('div', { class: 'document' }, ...rows);
    const document = { source, kind, name, element: body, lines: rows };
    const button = element('button', { type: 'button', onclick: () => scrollInto(this.#places.text, body) },
      element('span', { class: 'kind' }, kind ?? say('other')), name ? ` ${name}` : '');
    document.entry = element('li', {}, button);
    return document;
  }
}

function scrollInto(frame, target) {
  const top = target.getBoundingClientRect().top - frame.getBoundingClientRect().top + frame.scrollTop;
  frame.scrollTo({ top: Math.max(0, top - 12), behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth' });
}

/** Shows how a text differs from another, with some lines around each difference. Returns how many lines differ. */
export function showDifference(place, before, after) {
  const lines = lineDiff(before, after);
  const covers = [before, after].map((text) => split(text).flatMap(({ lines }) => coveredLines(lines)));
  const near = new Uint8Array(lines.length);
  let count = 0;
  lines.forEach(({ kind }, index) => {
    if (kind === 'same') return;
    count += 1;
    near.fill(1, Math.max(0, index - AROUND), index + AROUND + 1);
  });
  const rows = [];
  let skipped = 0;
  const gap = () => {
    if (skipped) rows.push(element('div', { class: 'gap' }, `⋯ ${say('context', skipped)}`));
    skipped = 0;
  };
  if (count) {
    const seen = [0, 0];
    lines.forEach(({ kind, line }, index) => {
      const covered = kind === 'removed' ? covers[0][seen[0]] : covers[1][seen[1]];
      if (kind !== 'added') seen[0] += 1;
      if (kind !== 'removed') seen[1] += 1;
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
  } else rows.push(element('p', { class: 'help' }, say('nothingDiffers')));
  place.replaceChildren(...rows);
  return count;
}

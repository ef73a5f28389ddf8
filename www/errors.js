// What is wrong, at its field and in a summary that leads there.
import { element } from './dom.js';
import { say } from './words.js';

const place = ({ file, line } = {}) => (file ? `${file}${line ? `:${line}` : ''}` : '');

/** A diagnostic in the command line's words, without where in the values it is: it stands at the field. */
export function wording({ message, found, expected, rule, hints = [] }) {
  const by = place(rule ?? undefined);
  const lines = message.startsWith('must be') || !expected
    ? [`${message}${by ? ` (by: ${by})` : ''}`, found && `found: ${found}`]
    : [found && `found: ${found}`, `expected: ${expected}`];
  return [...lines, ...hints.map((hint) => `hint: ${hint}`)].filter(Boolean).join('\n');
}

/**
 * Shows diagnostics at the fields of a form and in a summary.
 * @param go where the summary leads: `{ field(view), text(), source(place) }`
 * @returns how many belong to no field
 */
export function showErrors(diagnostics, form, summary, go) {
  const texts = new Map();
  let homeless = 0;
  const items = diagnostics.map((diagnostic) => {
    const home = diagnostic.path.length ? form?.at(diagnostic.path) : undefined;
    const text = wording(diagnostic);
    const path = diagnostic.path.join('.');
    if (home) {
      const { view, exact } = home;
      texts.set(view, [texts.get(view), exact ? text : `${path}: ${text}`].filter(Boolean).join('\n'));
      return item(text, [view.title, () => go.field(view)], element('code', {}, path), sourceLink(diagnostic.rule, go));
    }
    homeless += 1;
    if (path) return item(text, [path, go.text], say('elsewhere'));
    const place = sourceLink(diagnostic.origin, go);
    return place && item(text, place);
  });
  for (const view of form?.all.values() ?? []) view.fail(texts.get(view) ?? '');
  summary.replaceChildren(...items.filter(Boolean));
  summary.hidden = !summary.children.length;
  return homeless;
}

/** A way to a line of a file: not to what stands in a flag. */
function sourceLink(origin, go) {
  if (!origin?.line || origin.file.startsWith('(')) return null;
  // To the command line the values came by standard input.
  return origin.file === 'stdin.yml' ? [`${say('yaml')}:${origin.line}`, () => go.text(origin.line)] : [place(origin), () => go.source(origin)];
}

function item(text, ...parts) {
  const shown = parts.filter(Boolean).map((part) => (Array.isArray(part) ? element('button', { type: 'button', class: 'link', onclick: part[1] }, part[0]) : part));
  return element('li', {}, ...shown.flatMap((part) => [part, ' ']), element('span', { class: 'why' }, text));
}

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
 * @param openText called to lead to the YAML of the values, for what belongs to no field
 * @returns how many belong to no field
 */
export function showErrors(diagnostics, form, summary, openText) {
  const texts = new Map();
  let homeless = 0;
  const links = diagnostics.map((diagnostic) => {
    const home = diagnostic.path.length ? form?.at(diagnostic.path) : undefined;
    const text = wording(diagnostic);
    const path = diagnostic.path.join('.');
    if (!home) {
      homeless += 1;
      if (!path) return null;
      return item(path, text, say('elsewhere'), openText);
    }
    const { view, exact } = home;
    texts.set(view, [texts.get(view), exact ? text : `${path}: ${text}`].filter(Boolean).join('\n'));
    return item(view.title, text, path, () => {
      view.element.hidden = false;
      view.focus();
    });
  });
  for (const view of form?.all.values() ?? []) view.fail(texts.get(view) ?? '');
  summary.replaceChildren(...links.filter(Boolean));
  summary.hidden = !summary.children.length;
  return homeless;
}

function item(title, text, where, go) {
  const button = element('button', { type: 'button', class: 'link', onclick: go }, title);
  return element('li', {}, button, ' ', element('code', {}, where), element('span', { class: 'why' }, text));
}

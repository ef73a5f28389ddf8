// What a person takes away: the values, the manifests, the command line, a link.
import { copy, download, element } from './dom.js';
import { isCarried } from './engine.js';
import { isEmbedded } from './setting.js';
import { LONGEST, toFragment } from './share.js';
import { covered, mentionsSecret, withoutSecrets } from './secrets.js';
import { toYaml } from './yaml.js';
import { say } from './words.js';

const shellWord = (text) => (/^[\w./=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** The command line that gives the same result, or applies it: `then` goes on after it. */
export function commandFor({ name, own }, text, hasSecrets, program = 'haulout', then = '') {
  // What is behind a URL is a folder of its last name to whoever has it.
  const flags = own?.flags ?? (isCarried(name) ? undefined : [decodeURIComponent(name.split('/').filter(Boolean).at(-1))]);
  const command = flags ? [program, ...flags.map((flag) => `-f ${shellWord(flag)}`)].join(' ') : `haulout render ${name}`;
  if (!text.trim()) return command + then;
  if (hasSecrets) return `${command} --data-values-file values.yaml${then}`;
  let mark = 'END';
  while (text.split('\n').includes(mark)) mark += '_';
  return `${command} --data-values-file - <<'${mark}'${then}\n${text.trimEnd()}\n${mark}`;
}

/**
 * Builds the panel.
 * @param page `{ values(), rendering(), open(), importValues(name, text), notice(text) }`
 * @returns {{ update(): void, lookAgain(): Promise<void> }}
 */
export function buildTakeAway(panel, page) {
  const style = element('select', { id: 'values-style', onchange: () => update() },
    element('option', { value: 'plain' }, say('plain')), element('option', { value: 'annotated' }, say('annotated')));
  const annotated = (text) => (style.value === 'annotated' ? `#@data/values\n---\n${text}` : text);
  const valuesText = () => annotated(page.values().text);
  const shownValues = () => (mentionsSecret(page.values().text) ? annotated(toYaml(covered(page.values().tree))) : valuesText());
  const valuesFile = box('valuesFile', () => valuesText(), 'values.yaml',
    element('label', { for: 'values-style' }, say('valuesStyle')), style);
  const manifests = box('renderedYaml', () => page.rendering().text, 'manifests.yaml');
  const program = element('select', { 'aria-label': say('program'), onchange: () => update() }, new Option('haulout'), new Option('ytt'));
  const applies = element('input', { type: 'checkbox', onchange: () => update() });
  const command = box('command', () => {
    const { left } = withoutSecrets(page.values().tree);
    return commandFor(page.open(), page.values().text, left.length > 0, program.value, applies.checked ? ' | kubectl apply -f -' : '');
  }, undefined, program, element('label', { class: 'check' }, applies, say('applies')));
  manifests.pre.remove();
  command.pre.id = 'command';
  const file = element('input', {
    type: 'file', hidden: true, accept: '.yaml,.yml,text/yaml',
    onchange: async () => {
      const [chosen] = file.files;
      if (chosen) page.importValues(chosen.name, await chosen.text());
      file.value = '';
    },
  });
  const bring = element('button', { type: 'button', onclick: () => file.click() }, say('importValues'));
  valuesFile.tools.append(bring, file);
  const link = linkBox(page);
  panel.replaceChildren(valuesFile.element, manifests.element, command.element, link.element);
  const update = () => {
    valuesFile.pre.textContent = shownValues() || say('noValues');
    program.hidden = !page.open().own;
    command.pre.textContent = command.text();
  };
  /** What takes longer is done if it is looked at. */
  const lookAgain = () => (panel.hidden ? undefined : link.update());
  return { update, lookAgain };

  function box(title, text, name, ...more) {
    const heading = element('h3', { id: `take-${title}` }, say(title));
    const pre = element('pre', { tabindex: '0', role: 'region', 'aria-labelledby': heading.id });
    const tools = element('div', { class: 'tools' }, ...more, ...takeButtons(say(title), text, page.notice, name));
    return { element: element('div', { class: 'take' }, element('div', { class: 'bar' }, heading, tools), pre), pre, tools, text };
  }
}

/** Buttons that copy what `text` gives, and save it, or what `content` gives, as a file if that has a name. */
export function takeButtons(what, text, notice, name, content = text) {
  const save = name && element('button', { type: 'button', 'aria-label': say('downloadOf', what), onclick: () => download(name, content()) }, say('download'));
  return [copyButton(what, text, notice), save];
}

/** A button that copies what `text` gives. */
function copyButton(what, text, notice) {
  return element('button', {
    type: 'button', 'aria-label': say('copyOf', what),
    onclick: async ({ target }) => {
      const worked = await copy(await text());
      if (!worked) return notice(say('notCopied'));
      target.textContent = say('copied');
      setTimeout(() => { target.textContent = say('copy'); }, 2_000);
    },
  }, say('copy'));
}

function linkBox(page) {
  const input = element('input', { id: 'link', type: 'text', readonly: true, 'aria-labelledby': 'take-link', 'aria-describedby': 'link-help link-left', onfocus: () => input.select() });
  const left = element('p', { class: 'help', id: 'link-left' });
  const row = element('div', { class: 'row' }, input, copyButton(say('link'), () => input.value, page.notice));
  const whole = element('div', { class: 'take' }, element('h3', { id: 'take-link' }, say('link')), row,
    element('p', { class: 'help', id: 'link-help' }, say('linkHelp')), left);
  // A frame in another page has no address of its own.
  whole.hidden = isEmbedded;
  let latest;
  return {
    element: whole,
    async update() {
      const { tree, left: names } = withoutSecrets(page.values().tree);
      latest = tree;
      const fragment = await toFragment(page.open().name, toYaml(tree));
      if (tree !== latest) return;
      const address = `${location.origin}${location.pathname}${fragment}`;
      const own = Boolean(page.open().own);
      row.hidden = own || address.length > LONGEST;
      input.value = row.hidden ? '' : address;
      left.textContent = own ? say('linkFiles') : row.hidden ? say('linkLong') : names.length ? say('linkLeft', names.join(', ')) : '';
    },
  };
}

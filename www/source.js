// A template at a line: where a line of the result, or an error, comes from.
import { element, find } from './dom.js';
import { scrollInto } from './output.js';
import { say } from './words.js';

/** Code and comments of a template's line, apart from the text that it makes. */
function parts(line) {
  const [, text, code] = /^(.*?)(#[@!].*)?$/.exec(line);
  return code ? [text, element('span', { class: code[1] === '@' ? 'code-part' : 'quiet' }, code)] : [text];
}

export class SourceView {
  #read;
  #shown = {};
  #opener;

  /** @param read gives the text of a file by its path */
  constructor(read) {
    this.#read = read;
    find('source-close').addEventListener('click', () => this.close());
    find('source').addEventListener('keydown', ({ key }) => { if (key === 'Escape') this.close(); });
  }

  /**
   * Shows a file at a line.
   * @param behind a promise of what stands behind that line: `[{ title, value, go }]`, if there is any
   * @param take whether the focus goes there
   */
  async open({ file, line }, { behind, take = true } = {}) {
    const text = await this.#read(file);
    if (text === undefined) return;
    this.#opener = document.activeElement;
    const shown = { file, line };
    this.#shown = shown;
    const lines = text.replace(/\n$/, '').split('\n').map((one) => element('span', { class: 'line' }, ...parts(one), '\n'));
    find('source-text').replaceChildren(...lines);
    find('source-name').textContent = `${file === 'stdin.yml' ? say('yourValues') : file}:${line ?? 1}`;
    find('source').hidden = false;
    const there = lines[line - 1];
    if (there) {
      there.classList.add('lit');
      there.setAttribute('aria-current', 'true');
      scrollInto(find('source-text'), there, true);
    }
    if (take) find('source-text').focus({ preventScroll: true });
    find('source-behind').textContent = behind ? say('lookingBehind') : '';
    const values = await behind;
    if (!values || shown !== this.#shown) return;
    find('source-behind').replaceChildren(say(values.length ? 'behind' : 'nothingBehind'), ...values.map(({ title, value, go }) => element('span', {},
      element('button', { type: 'button', class: 'link', onclick: go }, title), ' ', element('code', {}, value))));
  }

  close() {
    find('source').hidden = true;
    this.#opener?.focus({ preventScroll: true });
  }
}

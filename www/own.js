// A person's own files: which of them count, in which order, and overlays written here.
import { element } from './dom.js';
import { list } from './lists.js';
import { openFiles, picker } from './drop.js';
import { say } from './words.js';

const BEGINNING = '#@ load("@ytt:overlay", "overlay")\n#@overlay/match by=overlay.all, expects="0+"\n---\n';

/** The files that count, and the flags that name them on the command line. */
export class OwnFiles {
  /** @param opened `{ name, folder, files }` */
  constructor({ name, folder, files }) {
    this.name = name;
    this.folder = folder;
    this.rows = files.map((file) => ({ ...file, isIn: true }));
    this.#first = this.rows;
  }

  #first;

  /** Adds files; one that has the path of another takes its place. */
  add(files) {
    const rows = [...this.rows];
    for (const file of files) {
      const at = rows.findIndex(({ path }) => path === file.path);
      rows.splice(at < 0 ? rows.length : at, at < 0 ? 0 : 1, { ...file, isIn: true, isAdded: true });
    }
    this.rows = rows;
  }

  /** An overlay to be written here. */
  overlay() {
    let number = 1;
    while (this.rows.some(({ path }) => path === `overlay-${number}.yaml`)) number += 1;
    return { path: `overlay-${number}.yaml`, data: BEGINNING, isIn: true, isAdded: true, isWritten: true };
  }

  get files() {
    return this.rows.filter(({ isIn }) => isIn).map(({ path, data }) => ({ path, data }));
  }

  /** The arguments of `-f`: the folder, or each file if they are not what the folder gives. */
  get flags() {
    const isFolder = ({ isAdded }) => !isAdded;
    const own = this.rows.filter(isFolder);
    const rest = this.rows.slice(own.length).filter(({ isIn }) => isIn);
    const isWhole = own.length === this.#first.length && own.every((row, index) => row.path === this.#first[index].path && row.isIn && this.rows[index] === row);
    const named = (row) => (this.folder && !row.isAdded ? `${row.path}=${this.folder}/${row.path}` : row.path);
    return this.folder && isWhole ? [this.folder, ...rest.map(named)] : this.rows.filter(({ isIn }) => isIn).map(named);
  }
}

/** Shows the files, to be put in order, left out, removed and added. `changed` is called after each change. */
export function buildOwn(place, own, changed, fail) {
  const count = element('summary', {});
  const told = () => {
    count.textContent = say('filesAndOrder', own.files.length);
    changed();
  };
  const made = list({ id: 'own-files', title: say('file'), add: say('addOverlay') }, {
    items: () => own.rows,
    write: (rows) => { own.rows = rows; made.build(); told(); },
    make: row,
    fresh: () => own.overlay(),
  });
  function row(index) {
    const file = own.rows[index];
    const isIn = element('input', { type: 'checkbox', onchange: () => { file.isIn = isIn.checked; told(); } });
    isIn.checked = file.isIn;
    if (!file.isWritten) return { element: element('label', { class: 'check' }, isIn, element('code', {}, file.path)), focus: () => isIn.focus(), update() {} };
    isIn.setAttribute('aria-label', file.path);
    const name = element('input', { type: 'text', value: file.path, 'aria-label': say('overlayName'), onchange: () => { file.path = name.value; told(); } });
    const text = element('textarea', { rows: '6', spellcheck: 'false', 'aria-label': say('overlayText', file.path), oninput: () => { file.data = text.value; told(); } });
    text.value = file.data;
    return { element: element('div', { class: 'written' }, element('div', { class: 'row' }, isIn, name), text), focus: () => text.focus(), update() {} };
  }
  const more = picker({}, 'addFiles', async (entries) => {
    try {
      own.add((await openFiles(entries)).files);
      made.build();
      told();
    } catch ({ message }) {
      fail(message);
    }
  });
  made.build();
  count.textContent = say('filesAndOrder', own.files.length);
  place.replaceChildren(element('details', {}, count, made.elements[0], element('div', { class: 'tools' }, made.elements[1], ...more)));
}

// Elements in a line each. Text is always text: nothing here reads markup.

/**
 * Makes an element. A property that is a function is a listener (`onclick`), `true` an empty attribute,
 * `false` or nothing is left out; strings among the children are text.
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === 'function') made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, '');
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child != null && child !== false));
  return made;
}

export const find = (id) => document.getElementById(id);

/** When the browser has shown what is there now; soon, if it shows nothing. */
export const painted = () => new Promise((resolve) => {
  const shownOr = setTimeout(resolve, 100);
  requestAnimationFrame(() => {
    clearTimeout(shownOr);
    setTimeout(resolve);
  });
});

/** Puts text on the clipboard; tells whether the browser let it. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Hands text to the person as a file. */
export function download(name, text) {
  const address = URL.createObjectURL(new Blob([text]));
  element('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Makes a list of tabs work by click and arrow keys: each tab names its panel by `aria-controls`. */
export function tabs(list, chosen = () => {}) {
  const all = [...list.querySelectorAll('[role=tab]')];
  const choose = (tab) => {
    for (const other of all) {
      const on = other === tab;
      other.setAttribute('aria-selected', String(on));
      other.tabIndex = on ? 0 : -1;
      find(other.getAttribute('aria-controls')).hidden = !on;
    }
    chosen(tab.id);
  };
  for (const [index, tab] of all.entries()) {
    tab.addEventListener('click', () => choose(tab));
    tab.addEventListener('keydown', ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (!step) return;
      const next = all[(index + step + all.length) % all.length];
      next.focus();
      choose(next);
    });
  }
  return (id) => choose(find(id));
}

// The changes: how what is rendered differs from the defaults, from another version with the same values, or from other files.
import { element, find } from './dom.js';
import { bringFiles, openFiles } from './drop.js';
import { showDifference } from './output.js';
import { sourceFor } from './setting.js';
import { say } from './words.js';

/**
 * Builds the panel.
 * @param page `{ engine, open(), versions(), values(), rendering(), busy(work) }`; `versions` are all that the page has of what is open
 */
export function buildCompare(page) {
  const choose = element('select', { id: 'base', onchange: () => { own.hidden = choose.value !== 'files'; page.busy(update); } });
  const own = element('div', { class: 'own', hidden: true });
  const state = element('span', { class: 'quiet', role: 'status' });
  let files;
  let held;
  find('compare').replaceChildren(element('label', { for: choose.id }, say('compareWith')), choose, state, own);
  bringFiles(own, async (entries) => {
    try {
      files = await openFiles(entries);
      list();
      await page.busy(update);
    } catch (failure) {
      state.textContent = say('filesFailed', failure.message);
    }
  }, say('otherFilesHere'));

  function list() {
    const { value } = choose;
    choose.replaceChildren(new Option(say('theDefaults'), ''), ...page.versions().filter(({ name }) => name !== page.open().name).map(({ name, version }) => new Option(say('thatVersion', version), name)),
      new Option(files ? files.name : say('otherFiles'), 'files'));
    choose.value = value;
    if (choose.selectedIndex < 0) choose.value = '';
    own.hidden = choose.value !== 'files';
  }

  /** What is compared with: `{ text, error }`; nothing if there is none yet. */
  async function base() {
    if (!choose.value) return { text: page.open().defaults };
    const source = choose.value === 'files' ? files : await sourceFor(page.versions().find(({ name }) => name === choose.value));
    if (!source) return undefined;
    const wanted = source.files ?? source.name;
    if (held?.of !== wanted) {
      held?.session.close();
      held = undefined;
      held = { of: wanted, session: await page.engine.open(source) };
    }
    return held.session.render(page.values().text).catch(({ message }) => ({ error: message }));
  }

  /** Compares anew, if the panel is looked at. */
  async function update() {
    if (find('changes-panel').hidden) return;
    const { text } = page.rendering();
    const other = await base();
    if (!other || text !== page.rendering().text) return;
    if (other.error) {
      state.textContent = say('baseRefuses');
      find('difference').replaceChildren(element('pre', { class: 'error' }, other.error));
      return;
    }
    const count = showDifference(find('difference'), other.text, text);
    state.textContent = say(count ? 'linesDiffer' : 'nothingDiffers', count);
  }
  list();
  return { list, update };
}

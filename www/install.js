// Carvel packaging: which version a PackageInstall gets, the resources that install the package, what an upgrade changes.
import { element } from './dom.js';
import { isCarried } from './engine.js';
import { takeButtons } from './take.js';
import { showYaml } from './output.js';
import { tar } from './tar.js';
import { say } from './words.js';

const words = (text) => text.split(/[\s,]+/).filter(Boolean);

/** `supervisor.pinniped.dev` of `pinniped/supervisor`; for other templates, one that serves as an example. */
function refNameOf(name) {
  const words = name.split('@')[0].split('/').filter(Boolean);
  const [family, app] = words;
  return !isCarried(name) ? `${decodeURIComponent(words.at(-1) ?? '').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'app'}.packages.example.com` : `${app}.${family}.dev`;
}

/**
 * Builds the panel.
 * @param page `{ engine, session(), open(), versions(), values(), busy(work), notice(text) }`; `versions` are all that the page has of what is open
 */
export function buildInstall(panel, page) {
  let made = 0;
  const changed = () => page.busy(update);
  const labelled = (word, input, help) => {
    input.id = `install-${++made}`;
    const hint = help && element('span', { class: 'help', id: `${input.id}-help` }, say(help));
    if (hint) input.setAttribute('aria-describedby', hint.id);
    return element('div', { class: 'setting' }, element('label', { for: input.id }, say(word)), input, hint);
  };
  const input = () => element('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', autocapitalize: 'off', oninput: changed });
  const choice = (...options) => element('select', { onchange: changed }, ...options.map(([value, word]) => new Option(say(word), value)));
  const [refName, namespace, version, constraints, available, bundle] = Array.from({ length: 6 }, input);
  const prereleases = element('input', { type: 'checkbox', id: 'prereleases', onchange: changed });
  const rbac = choice(['least', 'leastRbac'], ['cluster-admin', 'clusterAdmin']);
  const from = element('select', { onchange: changed });
  const [chosen, why, files, steps, upgrade] = ['p', 'div', 'div', 'div', 'pre'].map((tag) => element(tag, {}));
  chosen.setAttribute('role', 'status');
  chosen.className = 'chosen';
  upgrade.tabIndex = 0;
  const versionSetting = labelled('packageVersion', version);
  const part = (word, ...children) => element('div', { class: 'take' }, element('h3', {}, say(word)), ...children);
  const upgradePart = part('whatChanges', element('div', { class: 'settings' }, labelled('upgradeFrom', from)), upgrade);
  panel.replaceChildren(
    element('p', { class: 'help' }, say('installHelp')),
    part('whichVersion', element('div', { class: 'settings' },
      labelled('constraints', constraints, 'constraintsHelp'), labelled('available', available, 'availableHelp'),
      element('label', { class: 'check' }, prereleases, say('prereleases'))), chosen, why),
    part('whatInstalls', element('div', { class: 'settings' },
      labelled('refName', refName), versionSetting, labelled('installNamespace', namespace), labelled('permissions', rbac), labelled('bundle', bundle, 'bundleHelp')), files, steps),
    upgradePart);

  const list = (title, lines) => element('details', {}, element('summary', {}, title), element('ul', { class: 'reasons' }, ...lines.map((line) => element('li', {}, line))));

  /** Which version, and what each filter left. */
  function showSelected({ version, filters = [], warnings = [], error }) {
    chosen.textContent = version ? say('wouldGet', version) : error;
    chosen.classList.toggle('error', !version);
    why.replaceChildren(...warnings.map((line) => element('p', { class: 'help' }, line)),
      filters.length ? list(say('why'), filters.map(({ filter, left }) => `${filter}: ${left.join(', ') || say('nothingLeft')}`)) : '');
  }

  function showInstall({ files: resources = [], install = [], uninstall = [], warnings = [], error: message }) {
    if (message) {
      files.replaceChildren(element('pre', { class: 'error' }, message));
      steps.replaceChildren();
      return;
    }
    const whole = () => resources.map(({ text }) => text.replace(/^(?!---\n)/, '---\n')).join('');
    const folder = `${refName.value.split('.')[0]}-install`;
    const wasOpen = new Set([...files.querySelectorAll('details[open]')].map((place) => place.dataset.path));
    files.replaceChildren(
      element('div', { class: 'tools' }, ...takeButtons(say('whatInstalls'), whole, page.notice, `${folder}.tar`, () => tar(folder, resources))),
      // What the flag says, the help of the field says.
      ...warnings.filter((line) => !line.includes('--bundle-repo')).map((line) => element('p', { class: 'notice' }, line)),
      ...resources.map(({ path, text }) => {
        const pre = element('pre', { tabindex: '0', role: 'region', 'aria-label': path });
        showYaml(pre, text);
        return element('details', { 'data-path': path, open: wasOpen.has(path) },
          element('summary', {}, path, ' ', element('span', { class: 'quiet' }, kindsOf(text))),
          element('div', { class: 'tools' }, ...takeButtons(path, () => text, page.notice, path)), pre);
      }));
    install.splice(1, 0, '  tar -xf FOLDER.tar');
    steps.replaceChildren(...[install, uninstall].map((lines) => element('pre', { tabindex: '0', role: 'region', 'aria-label': lines[0] }, lines.join('\n').replaceAll('FOLDER', folder))));
  }

  /** Shows all anew, if the panel is looked at. */
  async function update() {
    if (panel.hidden) return;
    const { text } = page.values();
    const selection = { constraints: constraints.value.trim(), prereleases: prereleases.checked };
    const [selected, installed, changes] = await Promise.all([
      page.engine.select({ ...selection, refName: refName.value, available: words(available.value) }),
      page.session().installSet({ ...selection, refName: refName.value, version: version.value, namespace: namespace.value, rbac: rbac.value, repositoryBundle: bundle.value.trim(), values: text }),
      from.value && page.engine.upgrade({ package: page.open().name.split('@')[0], refName: refName.value, from: from.value, to: version.value, namespace: namespace.value, values: text }),
    ]);
    if (text !== page.values().text) return;
    if (selected) showSelected(selected);
    if (installed) showInstall(installed);
    if (!changes) return;
    upgrade.textContent = changes.error ?? (changes.changes ? changes.text : say('nothingDiffers'));
    upgrade.classList.toggle('error', Boolean(changes.error));
  }

  return {
    update,
    /** Begins anew: something else was opened. */
    begin() {
      const { name } = page.open();
      const own = !isCarried(name);
      const known = page.versions();
      const here = known.find((one) => one.name === name)?.version || '1.0.0';
      refName.value = refNameOf(name);
      namespace.value = 'installs';
      version.value = here;
      versionSetting.hidden = !own;
      constraints.value = own ? here : `>=${known.at(-1).version}`;
      available.value = own ? here : known.map((one) => one.version).join(' ');
      from.replaceChildren(...known.filter((one) => one.name !== name).map((one) => new Option(one.version)));
      upgradePart.hidden = !from.options.length;
      return update();
    },
  };
}

/** The kinds of a file's resources. */
const kindsOf = (text) => [...new Set([...text.matchAll(/^kind: (\w+)$/gm)].map(([, kind]) => kind))].join(', ');

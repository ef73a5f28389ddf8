// The page: pick a package, write values, see the manifests or the errors.
import { Engine } from './engine.js';

const find = (id) => document.getElementById(id);
const [choice, values, command, status, errors, output] =
  ['package', 'values', 'command', 'status', 'errors', 'output'].map(find);
const engine = new Engine();

/** The command line that gives the same result. */
function commandFor(name, text) {
  if (!text.trim()) return `haulout render ${name}`;
  return `haulout render ${name} --data-values-file - <<'END'\n${text.trimEnd()}\nEND`;
}

function plural(count, word) {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

async function render() {
  command.textContent = commandFor(choice.value, values.value);
  const started = performance.now();
  let result;
  try {
    result = await engine.render(values.value);
  } catch (failure) {
    result = { error: failure.message };
  }
  if (!result) return;
  const failed = Boolean(result.error);
  values.setAttribute('aria-invalid', String(failed));
  errors.hidden = !failed;
  output.classList.toggle('stale', failed);
  if (failed) {
    errors.textContent = result.error;
    status.textContent = 'Not rendered. Below is the last result that was.';
  } else {
    errors.textContent = '';
    output.textContent = result.text;
    const spent = Math.max(1, Math.round(performance.now() - started));
    status.textContent = `${plural(result.documents.length, 'document')} in ${spent} ms`;
  }
}

async function open() {
  await engine.open(choice.value);
  await render();
}

try {
  for (const { name, title, version } of await engine.packages()) {
    choice.append(new Option(`${title} ${version}`, name));
  }
  choice.disabled = values.disabled = false;
  choice.addEventListener('change', open);
  values.addEventListener('input', render);
  await open();
} catch (failure) {
  status.textContent = 'The engine could not be loaded.';
  errors.textContent = failure.message;
  errors.hidden = false;
}

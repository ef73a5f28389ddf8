// A person at the form: finds fields by their labels and fills them in.
import { isDeepStrictEqual } from 'node:util';
import { read_values, Session } from './engine.mjs';

/** Values as the engine reads them; nothing if they are not plain values. */
export function readValues(text) {
  const { json, error } = read_values(text);
  return error ? undefined : JSON.parse(json) ?? {};
}

/** What a package asks for. */
export function formOf(name) {
  const session = Session.open_package(name);
  const form = session.form();
  session.free();
  return form;
}

/** Each example of each field as values that hold nothing else: `[name, text]`. */
export function exampleSets({ fields = [] }, path = []) {
  return fields.flatMap((field) => {
    const place = [...path, field.key];
    const own = (field.examples ?? []).map(({ description, value }) => [
      `${place.join('.')}: ${description}`, JSON.stringify(place.reduceRight((inner, key) => ({ [key]: inner }), value))]);
    return [...own, ...exampleSets(field, place)];
  });
}

/** Whether a form has a way to say a value: its field is there and takes that type. */
export function canSay(field, value) {
  if (field.nullable && value === null) return true;
  if (field.fields) return isMap(value) && Object.keys(value).every((key) => field.fields.some((child) => child.key === key && canSay(child, value[key])));
  if (field.item) return Array.isArray(value) && value.every((item) => canSay(field.item, item));
  if (field.choices) return field.choices.includes(value);
  return { string: typeof value === 'string', integer: Number.isInteger(value), float: typeof value === 'number', boolean: typeof value === 'boolean' }[field.type] ?? true;
}

const isMap = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

/** Fills in the fields of a map, within a part of the page. */
export async function fillIn(scope, fields, values) {
  for (const [key, value] of Object.entries(values)) {
    const field = fields.find((one) => one.key === key);
    if (!isDeepStrictEqual(value, field.default)) await fill(scope, field, field.title ?? key, value);
  }
}

async function fill(scope, field, title, value) {
  const exact = { name: title, exact: true };
  if (field.choices) return scope.getByRole('combobox', exact).selectOption({ label: String(value) });
  if (field.nullable && value === null) return scope.getByRole('switch', { name: `Set ${title}`, exact: true }).uncheck();
  if (field.fields) return fillIn(scope.getByRole('group', exact), field.fields, value);
  if (field.item) {
    const group = scope.getByRole('group', exact);
    for (const [index, item] of value.entries()) {
      await scope.getByRole('button', { name: `Add to ${title}`, exact: true }).click();
      await fill(group, field.item, `${title} ${index + 1}`, item);
    }
    return undefined;
  }
  if (field.type === 'boolean') return scope.getByRole('checkbox', exact).setChecked(value);
  if (field.type === 'any') return isMap(value) && await adds(scope, title).isVisible() ? fillPairs(scope, title, value) : fillAny(scope, title, value);
  if (value === '' && !field.nullable) return scope.getByRole('button', { name: `Leave empty: ${title}`, exact: true }).click();
  if (value === '' && field.nullable) return scope.getByRole('switch', { name: `Set ${title}`, exact: true }).check();
  return scope.getByLabel(title, { exact: true }).fill(String(value));
}

const adds = (scope, title) => scope.getByRole('button', { name: `Add to ${title}`, exact: true });

/** Adds the keys and values of a free map, in rows. */
async function fillPairs(scope, title, value) {
  if (!Object.keys(value).length) await scope.getByRole('switch', { name: `Set ${title}`, exact: true }).check();
  const group = scope.getByRole('group', { name: title, exact: true });
  for (const [index, [key, item]] of Object.entries(value).entries()) {
    const name = `${title} ${index + 1}`;
    await adds(scope, title).click();
    await group.getByRole('textbox', { name: `${name}: key`, exact: true }).fill(key);
    if (typeof item !== 'string') await group.getByRole('combobox', { name: `${name}: text or YAML`, exact: true }).selectOption('YAML');
    await group.getByRole('textbox', { name: `${name}: value`, exact: true }).fill(typeof item === 'string' ? item : JSON.stringify(item));
  }
}

async function fillAny(scope, title, value) {
  const asYaml = scope.getByRole('button', { name: `As YAML: ${title}`, exact: true });
  if (await asYaml.isVisible()) await asYaml.click();
  await scope.getByRole('textbox', { name: title, exact: true }).fill(JSON.stringify(value));
}

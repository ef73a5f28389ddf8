// What is measured: inputs that a person could have, each in three sizes, so that the cost of twice as much can be told.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

const many = (count, line) => Array.from({ length: count }, (_, index) => line(index)).join('');

const documents = (count) =>
  `#@ def name(number):\n#@   return "config-{}".format(number)\n#@ end\n` +
  many(count, (i) => `---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: #@ name(${i})\n  labels:\n    app: bench\ndata:\n  number: #@ str(${i})\n`);

const overlay = (target) =>
  `#@overlay/match by=overlay.subset({"kind": "ConfigMap", "metadata": {"name": "config-${target}"}})\n---\ndata:\n  #@overlay/match missing_ok=True\n  changed: yes please\n`;

const overlays = (count, every) => '#@ load("@ytt:overlay", "overlay")\n' + many(count, (i) => overlay(i * every));

const values = (count, value) => many(count, (i) => `key_${i}: ${value(i)}\n`);

/** Each family: its name, what its sizes count, the sizes, and the files of a size. `recorded`: seconds of ytt by size. */
export const families = [
  {
    name: 'documents, each computed',
    sizes: [1000, 2000, 4000],
    files: (n) => ({ 'config.yml': documents(n) }),
  },
  {
    name: 'calls of a function',
    sizes: [5000, 10000, 20000],
    files: (n) => ({
      'config.yml': `#@ def double(number):\n#@   return number * 2\n#@ end\ncount: #@ len([double(i) for i in range(${n})])\n`,
    }),
  },
  {
    name: 'calls of a function that gives nodes',
    sizes: [5000, 10000, 20000],
    files: (n) => ({
      'config.yml': `#@ def port(number):\nname: #@ "port-{}".format(number)\nnumber: #@ number\n#@ end\nports:\n#@ for i in range(${n}):\n- #@ port(i)\n#@ end\n`,
    }),
  },
  {
    name: 'documents under 50 overlays',
    sizes: [1000, 2000, 4000],
    files: (n) => ({ 'config.yml': documents(n), 'overlays.yml': overlays(50, n / 50) }),
  },
  {
    name: 'documents under as many overlays',
    sizes: [200, 400, 800],
    files: (n) => ({ 'config.yml': documents(n), 'overlays.yml': overlays(n, 1) }),
    recorded: { 800: 1.7 },
  },
  {
    name: 'values checked by a schema',
    sizes: [1000, 2000, 4000],
    files: (n) => ({
      'schema.yml': '#@data/values-schema\n---\n' + many(n, (i) => `#@schema/validation min_len=1\nkey_${i}: ""\n`),
      'values.yml': '#@data/values\n---\n' + values(n, (i) => `value ${i}`),
      'config.yml': '#@ load("@ytt:data", "data")\nfirst: #@ data.values.key_0\n',
    }),
  },
  {
    name: 'templates that read 2,000 values',
    sizes: [50, 100, 200],
    files: (n) => ({
      'values.yml': '#@data/values\n---\n' + values(2000, (i) => `value ${i}`),
      ...Object.fromEntries(
        Array.from({ length: n }, (_, i) => [`config-${i}.yml`, `#@ load("@ytt:data", "data")\nvalue: #@ data.values.key_${i}\n`]),
      ),
    }),
    recorded: { 50: 6.2, 200: 31 },
  },
  {
    name: 'computed keys of one map',
    sizes: [2000, 4000, 8000],
    files: (n) => ({
      'config.yml': `#@yaml/text-templated-strings\nmap:\n#@ for i in range(${n}):\n  key_(@= str(i) @): 1\n#@ end\n`,
    }),
    recorded: { 4000: 1.6, 8000: 5.7 },
  },
  {
    name: 'keys of a map overlaid by as many',
    sizes: [2000, 4000, 8000],
    files: (n) => ({
      'config.yml': values(n, (i) => i),
      'overlay.yml':
        '#@ load("@ytt:overlay", "overlay")\n#@overlay/match by=overlay.all\n---\n' + values(n, (i) => i + 1),
    }),
  },
  {
    name: 'items of an array overlaid by as many',
    sizes: [200, 400, 800],
    files: (n) => ({
      'config.yml': 'items:\n' + many(n, (i) => `- name: item-${i}\n  number: ${i}\n`),
      'overlay.yml':
        '#@ load("@ytt:overlay", "overlay")\n#@overlay/match by=overlay.all\n---\nitems:\n' +
        many(n, (i) => `#@overlay/match by="name"\n- name: item-${i}\n  number: ${i + 1}\n`),
    }),
  },
  {
    name: 'lines of plain YAML',
    sizes: [10000, 20000, 40000],
    files: (n) => ({ 'config.yml': 'items:\n' + many(n / 4, (i) => `- name: item-${i}\n  number: ${i}\n  image: registry.example.com/item:${i}\n  enabled: true\n`) }),
  },
];

const pinniped = (name) => `${root}templates/pinniped/0.39.0/${name}`;

/** Writes the inputs into a folder; gives `{ name, size, folder, recorded }` for each, Pinniped's without a size. */
export function write(folder) {
  const cases = [
    { name: 'Concierge 0.39.0, as carried', folder: pinniped('concierge') },
    { name: 'Supervisor 0.39.0, as carried', folder: pinniped('supervisor') },
  ];
  // Unpacked sources of Pinniped, such as `git archive` gives: measured too if they are named.
  for (const name of ['concierge', 'supervisor']) {
    const upstream = process.env.PINNIPED && `${process.env.PINNIPED}/${name}`;
    if (upstream && existsSync(upstream)) cases.push({ name: `Pinniped’s own ${name} 0.39.0`, folder: upstream });
  }
  rmSync(folder, { recursive: true, force: true });
  families.forEach((family, number) => {
    for (const size of family.sizes) {
      const place = `${folder}/${number}-${size}`;
      mkdirSync(place, { recursive: true });
      for (const [path, text] of Object.entries(family.files(size))) writeFileSync(`${place}/${path}`, text);
      cases.push({ name: family.name, size, folder: place, recorded: family.recorded?.[size] });
    }
  });
  return cases;
}

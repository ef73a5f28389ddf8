// The engine with all its parts, in Node.
import { readFileSync } from 'node:fs';
import * as engine from '../../../www/pkg/haulout.js';

const read = (name) => readFileSync(new URL(`../../../www/pkg/${name}`, import.meta.url));
const exports = engine.initSync({ module: read('haulout_bg.wasm') });
new WebAssembly.Instance(new WebAssembly.Module(read('haulout_packaging.wasm')), { engine: exports });
engine.loadTemplates(JSON.parse(read('templates.json')));

export * from '../../../www/pkg/haulout.js';

// Data values as YAML text. Only writing is done here: the engine is the one that reads YAML.
import { Exact } from './values.js';

const PLAIN = /^[A-Za-z/][\w/.,@$()+=:-]*( [\w/.,@$()+=-][\w/.,@$()+=:-]*)*$/;
// Words that YAML 1.1 reads as something other than text.
const RESERVED = /^(y|n|yes|no|on|off|true|false|null)$/i;
const LITERAL = /^[!-~\u00a1-\ud7ff][ -~\n\u00a1-\ud7ff]*$/;
// What JSON lets stand in a string and YAML does not.
const HIDDEN = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g;

function quoted(text) {
  return JSON.stringify(text).replace(HIDDEN, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function inline(text) {
  return PLAIN.test(text) && !text.endsWith(':') && !text.includes(': ') && !RESERVED.test(text) ? text : quoted(text);
}

/** A scalar on the line of its key, or a literal block under it. */
function scalar(value, pad) {
  if (typeof value !== 'string') return value instanceof Exact ? value.source : String(value);
  const lines = value.split('\n');
  const ends = lines.at(-1) === '';
  if (lines.length < 2 + ends || !LITERAL.test(value) || (ends && lines.at(-2) === '')) return inline(value);
  if (ends) lines.pop();
  return `|${ends ? '' : '-'}\n${lines.map((line) => (line ? pad + line : '')).join('\n')}`;
}

const isCollection = (value) => value !== null && typeof value === 'object' && !(value instanceof Exact);

function block(value, pad) {
  if (Array.isArray(value)) {
    return value.map((item) => {
      if (!isCollection(item) || isEmpty(item)) return `${pad}- ${leaf(item, `${pad}  `)}\n`;
      return `${pad}- ${block(item, `${pad}  `).slice(pad.length + 2)}`;
    }).join('');
  }
  return Object.entries(value).map(([key, item]) => {
    const start = `${pad}${inline(key)}:`;
    if (!isCollection(item) || isEmpty(item)) return `${start} ${leaf(item, `${pad}  `)}\n`;
    return `${start}\n${block(item, Array.isArray(item) ? pad : `${pad}  `)}`;
  }).join('');
}

const isEmpty = (value) => Object.keys(value).length === 0;

function leaf(value, pad) {
  if (!isCollection(value)) return scalar(value, pad);
  return Array.isArray(value) ? '[]' : '{}';
}

/** A value as YAML text: a map or an array as a block, nothing for an empty map at the top. */
export function toYaml(value, top = true) {
  if (isCollection(value) && !isEmpty(value)) return block(value, '');
  return top && isCollection(value) && !Array.isArray(value) ? '' : `${leaf(value, '  ')}\n`;
}

// Reads weights files, version 1, as runtime/README.md defines them. Whether a file keeps every rule of the format is
// what the program finds (`logdepth info`, and the page asks it); here its hash says that it is as it was written.

import {Rational} from './exact_numbers.mjs';

/** Bad input: a file or a word that is not what the format states. */
export class Refusal extends Error {}

export const quoted = (text) => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);

const rational = (text) => {
  const [n, d = 1n] = text.split('/').map(BigInt);
  return Rational.of(n, d);
};

/** [[index, value], …] */
const vector = (entries) => entries.map(([index, value]) => [index, rational(value)]);

/** {rows, columns, lines: [{row, entries: [[column, value], …]}, …]}: the rows that are not zero. */
function matrix({rows, columns, entries}) {
  const lines = [];
  for (const [row, column, value] of entries) {
    if (lines.at(-1)?.row !== row) lines.push({row, entries: []});
    lines.at(-1).entries.push([column, rational(value)]);
  }
  return {rows, columns, lines};
}

/** The same object with some of its members, where they are there, read by `reader`. */
const withRead = (object, reader, names) => ({...object, ...Object.fromEntries(
  names.filter((name) => Array.isArray(object[name])).map((name) => [name, reader(object[name])]))});

const head = ({promise, ...rest}) => ({
  ...rest,
  ...Object.fromEntries(['query', 'key', 'value', 'output'].map((name) => [name, matrix(rest[name])])),
  promise: withRead(promise, vector, ['flag', 'when', 'prefer']),
});

/** The model in the object of a file: the same keys, with numbers in place of their texts. */
export function modelOf(file) {
  const position = withRead(file.position, vector, ['first', 'rest', 'parity']);
  const fills = (all) => all.map((fill) => ({...fill, scale: rational(fill.scale)}));
  return {
    ...file,
    position: {...withRead(position, fills, ['fills']), rows: position.rows?.map(vector)},
    embedding: new Map(Object.entries(file.embedding).map(([token, entries]) => [token, vector(entries)])),
    layers: file.layers.map(({block, attention, feedforward}) => ({
      block,
      attention: {mask: vector(attention.mask), heads: attention.heads.map(head)},
      feedforward: {mask: vector(feedforward.mask), in: matrix(feedforward.in), out: matrix(feedforward.out)},
    })),
    unembedding: matrix(file.unembedding),
  };
}

/** Keys in the order of UTF-8, which is that of code points. */
const order = (key) => Array.from(key, (letter) => letter.codePointAt(0).toString(16).padStart(6, '0')).join();

/** The text that is hashed. */
export function canonical(value) {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) {
    const plain = value.every((one) => one === null || typeof one !== 'object'), inner = value.map(canonical);
    return plain ? `[${inner.join()}]` : `[\n${inner.join(',\n')}\n]`;
  }
  const keys = Object.keys(value).sort((a, b) => (order(a) < order(b) ? -1 : 1));
  if (keys.length === 0) return '{}';
  return `{\n${keys.map((key) => `${JSON.stringify(key)}: ${canonical(value[key])}`).join(',\n')}\n}`;
}

/** Pages that came by plain HTTP from another machine have no hashes; there the file is taken as it is. */
async function requireHash({derived, sha256, ...content}) {
  const {subtle} = globalThis.crypto ?? {};
  if (!subtle) return;
  const bytes = await subtle.digest('SHA-256', new TextEncoder().encode(`${canonical(content)}\n`));
  const hash = Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
  if (sha256 !== hash) throw new Refusal(`sha256: the content has the hash ${hash}`);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Refusal(`not valid JSON: ${error.message}`);
  }
}

/** The model in the text of a file. Throws Refusal, with a message `NAME: …`. */
export async function readModel(text, name = 'model') {
  try {
    const file = parsed(text);
    if (file.format !== 'logdepth-weights' || file.version !== 1)
      throw new Refusal('expected the format logdepth-weights, version 1');
    await requireHash(file);
    return modelOf(file);
  } catch (error) {
    throw new Refusal(`${name}: ${error instanceof Refusal ? '' : 'not what the format states: '}${error.message}`);
  }
}

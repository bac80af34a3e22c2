// Words, raw inputs and graphs as tokens.
//
// An input is {size, tokens: [{kind, given}, …]}: the n of the unrolling; per token its kind and its given values.
// Words also have the token of their first letter, graphs the numbers of source and target.

import {Rational, Real, ZERO, rational} from './exact_numbers.mjs';
import {Refusal, quoted} from './weights_file.mjs';

const requireInput = (model, kind) => {
  if (model.input.kind !== kind) throw new Refusal(`expected an input of kind ${model.input.kind}, found ${kind}`);
};

/** A word: letters run together if all letters of the alphabet are single characters, else separated by white space. */
export function wordInput(model, text) {
  requireInput(model, 'word');
  const single = model.alphabet.every((letter) => [...letter].length === 1);
  const letters = single ? [...text] : text.split(/[ \t\n\v\f\r]+/).filter(Boolean);
  letters.forEach((letter, i) => {
    if (!model.alphabet.includes(letter))
      throw new Refusal(`letter ${quoted(letter)} at position ${i + 1} of the word is not in the alphabet`);
  });
  const {begin, end} = model.input;
  const kinds = [...(begin ? ['<begin>'] : []), ...letters, ...(end ? ['<end>'] : [])];
  return {size: letters.length, tokens: kinds.map((kind) => ({kind})), firstLetter: begin ? 1 : 0};
}

const valuesAt = (model, values) => {  // of a token: [[coordinate, number], …]
  const negated = (x) => x.scaled(rational(-1));
  return values.flatMap((x, k) => (model.input.mirrored ? [[k, x], [k + model.width / 2, negated(x)]] : [[k, x]]));
};

const FRACTION = '[0-9]{1,10000}(?:/[0-9]{1,10000})?';
const TERM = new RegExp(`([+-]?)(?:(?:(${FRACTION})\\*)?sqrt\\((${FRACTION})\\)|(${FRACTION}))`, 'y');

/** A value of a raw input, such as `1/2-3*sqrt(5)`. */
export function parseReal(text) {
  const bad = () => {
    throw new Refusal(`expected an exact number such as 1/2 - sqrt(3), found ${quoted(text)}`);
  };
  const fraction = (part) => {
    const [n, d = 1n] = part.split('/').map(BigInt);
    return d === 0n ? bad() : Rational.of(n, d);
  };
  let sum = ZERO;
  for (TERM.lastIndex = 0; TERM.lastIndex < text.length || text === ''; ) {
    const first = TERM.lastIndex === 0, match = TERM.exec(text);
    if (match === null || (!first && match[1] === '')) bad();
    const [, sign, factor = '1', root, plain] = match;
    const size = plain ? new Real(fraction(plain)) : Real.ofSignedSquare(fraction(root)).scaled(fraction(factor));
    sum = sign === '-' ? sum.minus(size) : sum.plus(size);
  }
  return sum;
}

/** A raw input: a line of names, then a line of values per token. */
export function cellsInput(model, text) {
  requireInput(model, 'cells');
  const lines = text.split('\n').map((line) => line.replace(/#.*/s, '').split(/[ \t\r\v\f]+/).filter(Boolean));
  const [head, ...rows] = lines.filter((words) => words.length > 0);
  const {names} = model.input;
  if (head === undefined || head.length !== names.length || names.some((name) => !head.includes(name)))
    throw new Refusal(`expected the names ${names.join(' ')} in the first line, each once`);
  const tokens = rows.map((words) => {
    const joined = words.join(' ').replace(/(^| )([+-])( |$)/g, (sign) => sign.trim()).split(' ');
    if (joined.length !== names.length)
      throw new Refusal(`expected ${names.length} values per line, found ${joined.length}`);
    const values = joined.map(parseReal);
    return {given: valuesAt(model, names.map((name) => values[head.indexOf(name)]))};
  });
  return {size: tokens.length, tokens};
}

/** A directed graph {vertices: [name, …], edges: [[name, name], …]}; source and target are names. */
export function graphInput(model, {vertices, edges}, source, target) {
  requireInput(model, 'graph');
  const {layout, size, padding} = model.input, n = size ?? vertices.length;
  if (vertices.length > n) return {tokens: [], outside: `more than ${n} vertices`};
  const number = (name) => {
    if (!vertices.includes(name)) throw new Refusal(`${quoted(name)} is not a vertex of the graph`);
    return vertices.indexOf(name);
  };
  const adjacent = Array.from({length: n}, () => Array(n).fill(false));
  for (const [from, to] of edges) adjacent[number(from)][number(to)] = true;
  const ends = {source: number(source), target: number(target)};
  if (layout === 'rows') {
    const row = (entries, i) => entries.map((edge, j) => new Real(rational(edge || i === j ? 1 : -1)));
    const tokens = adjacent.map((entries, i) => ({kind: '<vertex>', given: valuesAt(model, row(entries, i))}));
    return {size: n, tokens, ends, vertices};
  }
  const pads = {n3: n ** 3, 'n3-n2': n ** 3 - n ** 2, 'n4-n2': n ** 4 - n ** 2}[padding];
  const kinds = adjacent.flat().map((edge) => (edge ? '<edge>' : '<no-edge>'));
  for (const [kind, times] of [['<pad>', pads], ['<source>', ends.source + 1], ['<target>', ends.target + 1]])
    for (let i = 0; i < times; ++i) kinds.push(kind);
  return {size: n, tokens: kinds.map((kind) => ({kind})), ends, vertices};
}

/** A list of edges `from to`, or of single vertices; `#` begins a comment. */
export function edgeList(text) {
  const lines = text.split('\n').map((line) => line.replace(/#.*/s, '').split(/\s+/).filter(Boolean));
  const wrong = lines.findIndex((names) => names.length > 2);
  if (wrong >= 0) throw new Refusal(`line ${wrong + 1}: expected an edge "from to" or one vertex`);
  return {vertices: [...new Set(lines.flat())], edges: lines.filter((names) => names.length === 2)};
}

// A run of exact_runner.mjs as a page shows it: who reads whom and what every token holds, as texts.

import {Refusal, cellsInput, edgeList, graphInput, readOut, run, wordInput} from './exact_runner.mjs';
import {quoted} from './weights_file.mjs';

const MOST_VALUES = 4000000;  // texts of a run that are kept
const MOST_READ = 128;        // tokens that are read out after every layer

/**
 * The raw input of the division lemma: tokens 0, …, dividend. The program makes the same one of --divide and --by
 * (proofs-check/check/divisions.cpp). A name is that of a cell, and its component 0 or 1: the numbers i, m and d = i as
 * they are, a as phi(i), R as phi(i/m), I as phi(i), I8 as phi(i/8), where phi(x) = (x, 1)/sqrt(x^2 + 1).
 */
function divisionCells({names}, {dividend, divisor}) {
  const value = (name, i) => {
    const [, cell, above, component] = /^([imdaRI])(\d*)\.([01])$/.exec(name) ?? [];
    if (cell === undefined) throw new Refusal(`${quoted(name)} is no input of a division`);
    if ('imd'.includes(cell)) return component === '1' ? 1 : cell === 'm' ? divisor : i;
    const below = cell === 'R' ? divisor : Number(above || 1);
    return `sqrt(${(component === '1' ? below : i) ** 2}/${i * i + below * below})`;
  };
  const rows = Array.from({length: dividend + 1}, (_, i) => names.map((name) => value(name, i)).join(' '));
  return [names.join(' '), ...rows].join('\n');
}

/** Raw input of a file that takes cells, where a word is asked: the position codes (i, 1)/√(i² + 1) of five tokens. */
export function givenTo({input: {kind, names}}, input) {
  if (kind !== 'cells' || input.word === undefined) return input;
  const codes = (i) => (i === 0 ? ['0', '1'] : [`sqrt(${i * i}/${i * i + 1})`, `sqrt(1/${i * i + 1})`]);
  const rows = Array.from({length: 5}, (_, i) => names.map((_, k) => codes(i)[k] ?? '0').join(' '));
  return {cells: [names.join(' '), ...rows].join('\n')};
}

/** A word, {graph, source, target}, {division} or {cells} as the tokens of the model. */
export function inputOf(model, input) {
  if (input.word !== undefined) return wordInput(model, input.word);
  if (input.graph !== undefined) return graphInput(model, edgeList(input.graph), input.source, input.target);
  if (input.division !== undefined) return cellsInput(model, divisionCells(model.input, input.division));
  if (input.cells !== undefined) return cellsInput(model, input.cells);
  throw new Refusal(`expected an input of kind ${model.input.kind}`);
}

/** Names of coordinates, and facts of the file's own text. */
export function namesOf(text) {
  const file = JSON.parse(text), names = Array(file.width).fill(null).map((_, i) => `h${i}`);
  for (const [cell, {coordinates}] of Object.entries(file.cells ?? {}))
    coordinates.forEach((at, k) => (names[at] = coordinates.length > 1 ? `${cell}.${k}` : cell));
  const {name, source, construction, hypotheses, deviations, width, sha256} = file;
  const facts = {name, source, construction, hypotheses, deviations, width, sha256, depth: file.derived?.depth ?? ''};
  const weights = [];
  file.layers.forEach((layer, l) => {
    const matrix = (path, of) => of.entries.forEach(([row, column, value], entry) =>
      weights.push({path: ['layers', l, ...path, 'entries', entry, 2], row, column, value}));
    layer.attention.heads.forEach((head, h) => {
      for (const part of ['query', 'key', 'value', 'output']) matrix(['attention', 'heads', h, part], head[part]);
    });
    for (const part of ['in', 'out'])
      if (layer.feedforward[part]) matrix(['feedforward', part], layer.feedforward[part]);
  });
  return {
    names,
    facts,
    weights,
    output: file.output,
    contracts: file.layers.map((layer) => layer.attention.heads.map(({promise, causal}) => ({...promise, causal}))),
    blocks: file.layers.map((layer) => layer.block)
  };
}

const labels = ({tokens, vertices}) => tokens.map(({kind}, i) => (kind === '<vertex>' ? vertices[i] ?? '-'
  : kind?.replace(/^<(.*)>$/, '$1') ?? `${i}`));

/** A permutation as cycles, another map as its images; and the same as part of a sentence. */
function productTexts(images) {
  if (new Set(images).size < images.length) {
    const points = images.map((image, point) => `${point} to ${image}`).join(', ');
    return [images.join(images.length > 10 ? ' ' : ''), `the product takes point ${points}`];
  }
  const cycles = images.map((_, first) => {
    const cycle = [first];
    for (let at = images[first]; at !== first; at = images[at]) cycle.push(at);
    return cycle;
  });
  const written = cycles.filter((cycle, first) => cycle.length > 1 && Math.min(...cycle) === first);
  if (written.length === 0) return ['id', 'the product is the identity'];
  const text = written.map((cycle) => `(${cycle.join(' ')})`).join('');
  return [images.length > 10 ? text : text.replaceAll(' ', ''), `the product is ${text}`];
}

/** What a token says when it is read out, in short and as part of a sentence. */
function readText({product, state, sign}) {
  if (product) return productTexts(product);
  if (Number.isInteger(state)) return [`${state}`, `the state is ${state}`];
  if (sign) return sign > 0 ? ['+', 'accept'] : ['−', 'reject'];
  return ['', ''];
}

/** Which tokens a token has read, directly or through others, as ranges. */
function rangesOf(known) {
  const ranges = [];
  for (let at = 0; known >> BigInt(at); ++at)
    if (known >> BigInt(at) & 1n) ranges.at(-1)?.[1] === at - 1 ? (ranges.at(-1)[1] = at) : ranges.push([at, at]);
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(', ');
}

/**
 * {labels, steps: [{layer, sublayer, selections?, held?, knows?, says?}], decision, prefixes, depth, promises, …}
 * The last step of a layer has, by token, which tokens it `knows`, and what it `says` when it is read out there.
 */
export function observe(model, input, {names}) {
  const steps = [];
  let kept = 0, known = input.tokens.map((_, i) => 1n << BigInt(i));
  const answer = run(model, input, ({layer, sublayer, stream, selections}) => {
    const step = {layer, sublayer, selections};
    if ((kept += stream.length * names.length) <= MOST_VALUES)
      step.held = stream.map((h) => h.flatMap((x, at) => (x.isZero() ? [] : [[at, `${x}`]])));
    if (selections)
      known = known.map((own, i) => selections.flatMap((rows) => rows[i]).reduce((all, j) => all | known[j], own));
    if (sublayer !== 'attention' && stream.length <= MOST_READ)
      Object.assign(step, {knows: known.map(rangesOf), says: stream.map((h) => readText(readOut(model, h)))});
    steps.push(step);
  });
  const {decision, prefixes, depth, promises, broken, table} = answer;
  return {labels: labels(input), steps, decision, prefixes, depth, promises, broken,
          table: table?.map((row) => row.map(String)), quotients: quotientsOf(model, table)};
}

/** Of an output of two directions φ(x) = (x, 1)/√(x² + 1): the numbers x of the last token. */
function quotientsOf({output: {names}}, table) {
  if (!table || !names.includes('quotient.0')) return null;
  const of = (name) => {
    const [x, y] = [0, 1].map((k) => table.at(-1)[names.indexOf(`${name}.${k}`)]);
    return y.isZero() ? null : `${x.ratio(y)}`;
  };
  return {quotient: of('quotient'), remainder: of('remainder')};
}

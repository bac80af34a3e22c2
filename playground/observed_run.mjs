// A run of exact_runner.mjs as a page shows it: who reads whom and what every token holds, as texts.

import {Refusal, cellsInput, edgeList, graphInput, run, wordInput} from './exact_runner.mjs';
import {quoted} from './weights_file.mjs';

const MOST_VALUES = 4000000;  // texts of a run that are kept

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

/** {labels, steps: [{layer, sublayer, selections?, held?}], decision, prefixes, depth, promises, broken, table, …} */
export function observe(model, input, {names}) {
  const steps = [];
  let kept = 0;
  const answer = run(model, input, ({layer, sublayer, stream, selections}) => {
    const step = {layer, sublayer, selections};
    if ((kept += stream.length * names.length) <= MOST_VALUES)
      step.held = stream.map((h) => h.flatMap((x, at) => (x.isZero() ? [] : [[at, `${x}`]])));
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

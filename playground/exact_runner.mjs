// Runs weights files of logdepth exactly, in a browser or under node, with nothing but the language.
//
//   import {readModel, run, wordInput} from './exact_runner.mjs';
//   const model = await readModel(text, 'abb.json');      // throws Refusal: not a weights file
//   const answer = run(model, wordInput(model, 'aabb'));  // throws Outcome: no answer
//   answer.decision;                                      // 'accept', 'reject', 'undecided', ...
//
// Written from "The model" and "The weights file, version 1" of runtime/README.md. No code is shared with the other
// readers: where they differ, one of them or that page is wrong.
//
// The residual stream is an array of numbers per token. What a sublayer computes at a token depends on the coordinates
// under its mask alone, and is remembered by them. Attention compares every query with every key that it sees, in
// doubles with error bounds; where these do not decide, exactly.

import {Rational, Real, ZERO, dot, rational} from './exact_numbers.mjs';
import {cellsInput, edgeList, graphInput, wordInput} from './inputs.mjs';
import {Contracts} from './selection_contracts.mjs';
import {Refusal, readModel} from './weights_file.mjs';

export {Refusal, cellsInput, edgeList, graphInput, readModel, wordInput};

/** An input without an answer: 'outside the field' or 'outside the hypotheses'. */
export class Outcome extends Error {
  constructor(outcome, reason) {
    super(reason);
    this.outcome = outcome;
  }
}

// ----------------------------------------------------------------------------------------------- the initial stream

const circle = (t) => {  // a point of the unit circle, for a rational t
  const square = t.times(t), below = rational(1).plus(square);
  return [rational(1).plus(square.negated()).over(below), t.plus(t).over(below)];
};

const CODES = {
  circle: (p) => circle(rational(p + 1)),
  'two-circle': (p) => {
    const log = BigInt((p + 1).toString(2).length - 1);
    return [...circle(Rational.of(BigInt(p + 1), 1n << log)), ...circle(rational(log + 1n))];
  },
  fine: (p, {offset}) => {
    const a = rational(BigInt(offset) + 2n * BigInt(p)), square = a.times(a), below = square.plus(rational(1));
    return [square.plus(rational(-1)).over(below), a.plus(a).over(below)];
  },
};

function positionVector({position}, p) {  // [[coordinate, rational], …]
  if (position.kind === 'first-flag') return p === 0 ? position.first : position.rest;
  if (position.kind === 'table') return position.rows[p];
  const fills = position.fills.flatMap(({at, back, scale}) => {
    const code = CODES[position.kind](Math.max(p - back, 0), position);
    return at.map((coordinate, k) => [coordinate, code[k].times(scale)]);
  });
  return [...fills, ...(position.parity ?? []).map(([at, x]) => [at, p % 2 ? x.negated() : x])];
}

export function embedded(model, tokens) {
  return tokens.map(({kind, given = []}, p) => {
    const h = Array(model.width).fill(ZERO);
    const vectors = [...(kind === undefined ? [] : model.embedding.get(kind)), ...positionVector(model, p)];
    for (const [at, x] of [...vectors.map(([at, x]) => [at, new Real(x)]), ...given]) h[at] = h[at].plus(x);
    return h;
  });
}

export function iterations({unroll}, size) {
  if (unroll.kind === 'fixed') return unroll.loops;
  const base = BigInt(unroll.base ?? 2), a = BigInt(size - unroll.minus);
  let loops = 0;
  for (let reached = 1n; reached < a; reached *= base) ++loops;
  return loops;
}

// ------------------------------------------------------------------------------------------------------ sublayers

const apply = ({lines}, x) => lines.map(({entries}) => dot(entries, x));  // the rows that are not all zero
const textOf = (numbers) => numbers.join(' ');

/** Changes of the stream at one token by `matrix · x`, where x has the nonzero rows of `inner` alone. */
function follow(matrix, inner) {
  const place = new Map(inner.lines.map(({row}, i) => [row, i]));
  const lines = matrix.lines.map(({row, entries}) => ({
    row, entries: entries.filter(([column]) => place.has(column)).map(([column, x]) => [place.get(column), x]),
  }));
  return (x) => lines.map(({row, entries}) => [row, dot(entries, x)]);
}

/** √m·x/‖x‖, or 0 for x = 0. */
function normalised(x, norm) {
  const m = x.length, sum = (numbers) => numbers.reduce((a, b) => a.plus(b), ZERO);
  if (norm === 'layernorm') {
    const mean = sum(x).scaled(Rational.of(1n, BigInt(m)));
    if (!mean.isZero()) x = x.map((y) => y.minus(mean));
  }
  const divided = (y, squares) => {  // y has the rational squared norm `squares`
    const factor = Real.ofSignedSquare(rational(m).over(squares));
    return y.map((c) => (c.isZero() ? ZERO : factor.isRational() ? c.scaled(factor.rational) : c.times(factor)));
  };
  const squares = sum(x.filter((y) => !y.isZero()).map((y) => y.times(y)));
  if (squares.isZero()) return x;
  if (squares.isRational()) return divided(x, squares.rational);
  const pivot = x.find((y) => !y.isZero());
  const multiples = x.map((y) => y.ratio(pivot));
  if (multiples.includes(null)) throw new Outcome('outside the field', 'the squared norm of a mask is irrational');
  const oriented = multiples.map((c) => new Real(pivot.sign() < 0 ? c.negated() : c));
  return divided(oriented, sum(oriented.map((c) => c.times(c))).rational);
}

/** Results by the coordinates under a mask. */
class Sublayer {
  constructor({mask}, {norm, width}, compute) {
    Object.assign(this, {mask, norm, width, compute, known: new Map()});
  }
  at(h) {
    const read = this.mask.map(([at, weight]) => h[at].scaled(weight)), key = textOf(read);
    let result = this.known.get(key);
    if (result === undefined) {
      const x = Array(this.width).fill(ZERO);
      this.mask.forEach(([at], i) => (x[at] = read[i]));
      if (this.known.size > 100000) this.known.clear();
      this.known.set(key, (result = this.compute(normalised(x, this.norm))));
    }
    return result;
  }
}

const relu = (x) => (x.sign() > 0 ? x : ZERO);

const feedForward = (layer, model) => {
  const out = follow(layer.out, layer.in);
  return new Sublayer(layer, model, (z) => out(apply(layer.in, z).map(relu)));
};

/** A vector of queries or keys, with doubles. */
const scored = (numbers) => ({numbers, text: textOf(numbers), near: numbers.map((x) => x.near())});

class Head {
  constructor(head) {
    this.head = head;
    const {query, key, value, output} = head, keyAt = new Map(key.lines.map(({row}, i) => [row, i]));
    this.pairs = query.lines.map(({row}, i) => [i, keyAt.get(row)]).filter(([, k]) => k !== undefined);
    this.out = follow(output, value);
  }

  read(z) {
    const {query, key, value} = this.head;
    return {query: scored(apply(query, z)), key: scored(apply(key, z)), value: apply(value, z)};
  }

  /** The tokens j < visible whose score with the query is largest. */
  select(query, keys, visible) {
    const candidates = [];
    let best = -Infinity;  // no score is known to be larger than this
    for (let j = 0; j < visible; ++j) {
      const [low, high] = this.bounds(query.near, keys[j].near);
      if (high < best) continue;
      if (low > best) best = low;
      candidates.push([j, high]);
    }
    const left = candidates.filter(([, high]) => !(high < best)).map(([j]) => j);
    const distinct = new Map(left.map((j) => [keys[j].text, keys[j]]));
    if (distinct.size === 1) return left;
    let largest = null;
    const winners = new Set();
    for (const [text, key] of distinct) {
      const score = this.score(query, key), order = largest === null ? 1 : score.minus(largest).sign();
      if (order > 0) winners.clear();
      if (order >= 0) winners.add(text);
      if (order > 0) largest = score;
    }
    return left.filter((j) => winners.has(keys[j].text));
  }

  /** [low, high]: each product is off by less than 2⁻⁴⁷ of its sizes, and each addition by 2⁻⁵³ of their sum. */
  bounds(query, key) {
    let score = 0, size = 0;
    for (const [i, k] of this.pairs) {
      score += query[i][0] * key[k][0];
      size += query[i][1] * key[k][1];
    }
    const error = size * (this.pairs.length + 8) * 2 ** -48;
    return Number.isNaN(error) ? [-Infinity, Infinity] : [score - error, score + error];
  }

  score(query, key) {
    return this.pairs.reduce((sum, [i, k]) => sum.plus(query.numbers[i].times(key.numbers[k])), ZERO);
  }

  /** What the average of the selected values adds to the stream: [[coordinate, number], …] */
  change(values) {
    const times = new Map();
    for (const value of values) times.set(value, (times.get(value) ?? 0) + 1);
    const sum = values[0].map(() => ZERO);
    for (const [value, count] of times) {
      const part = Rational.of(BigInt(count), BigInt(values.length));
      value.forEach((x, i) => (sum[i] = sum[i].plus(x.scaled(part))));
    }
    return this.out(sum);
  }
}

/** The sublayers of a file, with what they remember. */
const preparations = new WeakMap();
function prepared(model) {
  if (!preparations.has(model)) {
    preparations.set(model, model.layers.map(({block, attention, feedforward}) => {
      const heads = attention.heads.map((head) => new Head(head));
      const read = new Sublayer(attention, model, (z) => heads.map((head) => head.read(z)));
      return {block, heads, attention: read, units: feedforward.in.rows, feedforward: feedForward(feedforward, model)};
    }));
  }
  return preparations.get(model);
}

// ---------------------------------------------------------------------------------------------------------- a run

export function* schedule(layers, loops) {
  const of = (block) => layers.filter((layer) => layer.block === block);
  yield* of('initial');
  for (let loop = 0; loop < loops; ++loop) yield* of('repeated');
  yield* of('final');
}

const add = (h, changes) => changes.forEach(([at, x]) => (h[at] = h[at].plus(x)));

/** Returns the selections of every head, [head][token] → tokens, and changes the stream. */
function attend({heads, attention}, stream, contracts) {
  const read = stream.map((h) => attention.at(h));  // before anything is added
  const selections = heads.map((head, k) => {
    const keys = read.map((heads) => heads[k].key), whole = new Map();
    const rows = stream.map((_, i) => {
      const {query} = read[i][k];
      if (head.head.causal) return head.select(query, keys, i + 1);
      if (!whole.has(query.text)) whole.set(query.text, head.select(query, keys, keys.length));
      return whole.get(query.text);
    });
    contracts.check(head, k, rows, stream, read.map((heads) => heads[k]));
    return rows;
  });
  heads.forEach((head, k) => {
    const known = new Map();
    stream.forEach((h, i) => {
      const values = selections[k][i].map((j) => read[j][k].value), one = values.length === 1;
      const changes = one && known.get(values[0]) || head.change(values);
      if (one) known.set(values[0], changes);
      add(h, changes);
    });
  });
  return selections;
}

/**
 * Runs a model on an input. `watch` is called with {layer, sublayer, stream, selections} after the embedding (layer 0)
 * and after every sublayer. The stream is an array of numbers per token, which the next sublayer changes.
 */
export function run(model, input, watch = () => {}) {
  const {size, tokens} = input, outside = (reason) => {
    throw new Outcome('outside the hypotheses', reason);
  };
  if (tokens.length === 0) outside(input.outside ?? 'the input has no token');
  if (size > (model.unroll.max_length ?? Infinity)) outside(`the file is for at most ${model.unroll.max_length}`);
  if (tokens.length > (model.position.rows?.length ?? Infinity))
    outside(`the table of positions has ${model.position.rows.length} rows`);
  const stream = embedded(model, tokens), contracts = new Contracts();
  watch({layer: 0, sublayer: 'embedding', stream});
  let depth = 0;
  for (const layer of schedule(prepared(model), iterations(model, size))) {
    contracts.layer = ++depth;
    const selections = layer.heads.length ? attend(layer, stream, contracts) : [];
    watch({layer: depth, sublayer: 'attention', selections, stream});
    if (layer.units) for (const h of stream) add(h, layer.feedforward.at(h));
    watch({layer: depth, sublayer: 'feedforward', stream});
  }
  return answer(model, input, stream, depth, contracts);
}

// --------------------------------------------------------------------------------------------------------- answers

/** The place of the largest of some numbers, or null for a tie. */
function largest(numbers) {
  let best = 0, tie = false;
  for (let i = 1; i < numbers.length; ++i) {
    const order = numbers[i].minus(numbers[best]).sign();
    tie = order === 0 || (tie && order < 0);
    if (order > 0) best = i;
  }
  return tie ? null : best;
}

/** The product of a prefix as a list of images, the state after it as a number; null for a tie. */
function prefixAnswer(prefix, logits) {
  const from = (row, rows) => largest(logits.slice(row, row + rows));
  if (prefix.kind === 'state') return from(prefix.first_row, prefix.states);
  if (prefix.kind === 'element') return prefix.elements[from(prefix.first_row, prefix.elements.length)] ?? null;
  let next = prefix.first_row;
  const images = prefix.images.map((choices) => {
    const row = next;
    next += choices.length;
    return choices[from(row, choices.length)] ?? null;
  });
  return images.includes(null) ? null : images;
}

function logitsOf({unembedding}, h) {
  const numbers = Array(unembedding.rows).fill(ZERO);
  for (const {row, entries} of unembedding.lines) numbers[row] = dot(entries, h);
  return numbers;
}

/** What the file's read-out says of the numbers of one token, after any layer: {product}, {state}, {sign} or {}. */
export function readOut(model, h) {
  const {prefix, kind, accept, reject} = model.output;
  if (!prefix && kind !== 'accept') return {};
  const logits = logitsOf(model, h);
  if (prefix) return {[prefix.kind === 'state' ? 'state' : 'product']: prefixAnswer(prefix, logits)};
  return {sign: logits[accept].minus(logits[reject]).sign()};
}

/** What the last stream says: `contracts` as Contracts has them. */
export function answer(model, input, stream, depth, contracts) {
  const {output} = model;
  const logits = (token) => logitsOf(model, stream[token]);
  const words = input.ends ? ['connected', 'not connected'] : ['accept', 'reject'];
  const decided = (sign) => (sign === 0 ? 'undecided' : words[sign > 0 ? 0 : 1]);
  const last = logits(stream.length - 1);
  const result = {depth, logits, last, promises: contracts.checked, broken: contracts.broken};
  if (output.kind === 'accept') {
    result.decision = decided(last[output.accept].minus(last[output.reject]).sign());
  } else if (output.kind === 'relation') {
    result.decision = decided(logits(input.ends.source)[input.ends.target].sign());
  } else {
    result.table = stream.map((_, token) => logits(token));
  }
  if (output.prefix && model.input.kind === 'word') {
    const at = (letter) => prefixAnswer(output.prefix, logits(letter + input.firstLetter));
    result.prefixes = Array.from({length: input.size}, (_, letter) => at(letter));
  }
  return result;
}

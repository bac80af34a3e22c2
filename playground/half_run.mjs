// The same network in float16: weights and position codes are rounded to it, and so is every number that an operation
// yields. Sums and averages are added in doubles and rounded once, which is kinder than most hardware. Attention takes
// the keys with the largest score, rounded; the read-out of the last stream is exact.

import {Rational, Real} from './exact_numbers.mjs';
import {answer, embedded, iterations, run, schedule, wordInput} from './exact_runner.mjs';

const LARGEST = 65504, LEAST_EXPONENT = -14, DIGITS = 10;  // of float16

/** The nearest float16; of two, the one with an even last digit. */
export function half(x) {
  if (x === 0 || !Number.isFinite(x)) return x;
  const unit = 2 ** (Math.max(LEAST_EXPONENT, Math.floor(Math.log2(Math.abs(x)))) - DIGITS);
  const scaled = x / unit, tie = Math.abs(scaled % 1) === 0.5;
  const rounded = (tie ? 2 * Math.round(scaled / 2) : Math.round(scaled)) * unit;
  return Math.abs(rounded) > LARGEST ? Math.sign(x) * Infinity : rounded;
}

const nearest = (rational) => half(new Real(rational).near()[0]);
const rounded = (matrix) => matrix.lines.map(({row, entries}) => [row, entries.map(([at, x]) => [at, nearest(x)])]);

const layersOf = (model) => model.layers.map(({block, attention, feedforward}) => ({
  block,
  mask: attention.mask.map(([at, x]) => [at, nearest(x)]),
  heads: attention.heads.map(({causal, ...head}) => ({causal, ...Object.fromEntries(
    ['query', 'key', 'value', 'output'].map((part) => [part, rounded(head[part])]))})),
  mask2: feedforward.mask.map(([at, x]) => [at, nearest(x)]),
  in: rounded(feedforward.in),
  out: rounded(feedforward.out),
}));

/** The rows of a product with the vector `x`, which may be sparse, as an object. */
function product(rows, x) {
  const found = {};
  for (const [row, entries] of rows)
    found[row] = half(entries.reduce((sum, [at, weight]) => sum + weight * (x[at] ?? 0), 0));
  return found;
}

/** √m·x/‖x‖ of the masked stream, 0 for 0. */
function normalised(mask, h, norm) {
  let x = Array(h.length).fill(0);
  for (const [at, weight] of mask) x[at] = half(h[at] * weight);
  const mean = norm === 'layernorm' ? half(x.reduce((sum, y) => sum + y, 0) / x.length) : 0;
  if (mean !== 0) x = x.map((y) => half(y - mean));
  const squares = x.reduce((sum, y) => sum + y * y, 0);
  return squares === 0 ? x : x.map((y) => half(y * Math.sqrt(x.length / squares)));
}

function add(h, changes) {
  for (const [at, x] of Object.entries(changes)) h[at] = half(h[at] + x);
}

function attend({mask, heads}, stream, norm) {
  const z = stream.map((h) => normalised(mask, h, norm));
  const changes = heads.map(({causal, query, key, value, output}) => {
    const keys = z.map((x) => product(key, x)), values = z.map((x) => product(value, x));
    return z.map((x, i) => {
      const asked = product(query, x), seen = causal ? i + 1 : z.length;
      const scores = keys.slice(0, seen).map((key) =>
        half(Object.entries(asked).reduce((sum, [row, y]) => sum + y * (key[row] ?? 0), 0)));
      const best = Math.max(...scores), chosen = values.slice(0, seen).filter((_, j) => scores[j] === best);
      const average = Object.fromEntries(Object.keys(values[0]).map((row) =>
        [row, half(chosen.reduce((sum, of) => sum + of[row], 0) / chosen.length)]));
      return product(output, average);
    });
  });
  for (const of of changes) stream.forEach((h, i) => add(h, of[i]));
}

/** What run() answers, of a run in float16; {decision: 'no number'} where numbers became too large. */
export function halfRun(model, input, layers = layersOf(model)) {
  const stream = embedded(model, input.tokens).map((h) => h.map((x) => half(x.near()[0])));
  let depth = 0;
  for (const layer of schedule(layers, iterations(model, input.size))) {
    ++depth;
    attend(layer, stream, model.norm);
    for (const h of stream) {
      const units = product(layer.in, normalised(layer.mask2, h, model.norm));
      for (const row of Object.keys(units)) units[row] = Math.max(0, units[row]);
      add(h, product(layer.out, units));
    }
  }
  if (!stream.flat().every(Number.isFinite)) return {depth, decision: 'no number'};
  const exactly = (x) => new Real(Rational.of(BigInt(x * 2 ** 24), 1n << 24n));
  return answer(model, input, stream.map((h) => h.map(exactly)), depth, {checked: 0, broken: null});
}

const LONG = [80, 96, 128, 160, 192];  // letters, behind every length up to EVERY
const EVERY = 64;

/** All words of at most `upTo` letters, then two of every length: a power of a letter, and letters drawn one by one. */
export function* triedWords(alphabet, upTo) {
  let words = [[]];
  for (let length = 0; length <= upTo; ++length) {
    yield* words;
    words = words.flatMap((word) => alphabet.map((letter) => [...word, letter]));
  }
  let seed = 1;
  const letter = () => alphabet[(seed = seed * 48271 % 2147483647) % alphabet.length];
  for (const length of [...Array.from({length: EVERY - upTo}, (_, i) => upTo + 1 + i), ...LONG])
    yield* [Array(length).fill(alphabet[0]), Array.from({length}, letter)];
}

/** {word, exact, found} of the first of these words that float16 answers otherwise, or null; how many were `tried`, of
 *  so many letters at most. Of words of more than `upTo` letters it need not be the first there is. */
export function firstWrong(model, upTo) {
  const separator = model.alphabet.every((letter) => [...letter].length === 1) ? '' : ' ';
  const layers = layersOf(model);
  let tried = 0;
  for (const letters of triedWords(model.alphabet, upTo)) {
    const word = letters.join(separator), input = wordInput(model, word);
    const [exact, found] = [run(model, input), halfRun(model, input, layers)];
    ++tried;
    const said = ({decision, prefixes}) => JSON.stringify([decision, prefixes]);
    if (said(exact) === said(found)) continue;
    return {tried, upTo, letters: letters.length, word, exact: exact.decision, found: found.decision};
  }
  return {tried, letters: LONG.at(-1), word: null};
}

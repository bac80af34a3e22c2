// Files with changed weights: ties, broken contracts, irrational numbers, and norms that leave the field, as the program finds them.
import assert from 'node:assert/strict';
import test from 'node:test';

import {dice} from './dice.mjs';
import {matrix, votes} from './small_files.mjs';
import {compareCells, compareWords, compile, contentOf, seal, summary, totals, wordsOver} from './native.mjs';

const FILES = [
  ['regular', '--regex', '(a|b)*abb'],
  ['regular', '--group', 'S3', '--positions', 'first-flag'],
  ['regular', '--regex', '(b|ab*a)*', '--norm', 'layernorm'],
  ['regular', '--group', 'Z3', '--positions', 'circle'],
  ['regular', '--group', 'Z3', '--construction', 'tree'],
  ['regular', '--regex', '(a|b)*a', '--construction', 'cascade'],
];

/** Every list of entries of the file that a run reads. */
function* weights(file) {
  for (const {attention, feedforward} of file.layers) {
    yield attention.mask;
    yield feedforward.mask;
    for (const {query, key, value, output} of attention.heads) for (const matrix of [query, key, value, output]) yield matrix.entries;
    yield feedforward.in.entries;
    yield feedforward.out.entries;
  }
  yield file.unembedding.entries;
  yield* Object.values(file.embedding);
  for (const vector of [file.position.first, file.position.rest, file.position.parity]) if (vector) yield vector;
}

/** Removes one weight, or changes its value, or moves it to a coordinate that is free. */
function change(file, {below, pick}) {
  const lists = [...weights(file)].filter((list) => list.length > 0), list = pick(lists), at = below(list.length);
  const how = below(4), entry = list[at];
  if (how === 0) list.splice(at, 1);
  else if (how === 1) entry[entry.length - 1] = pick(['1', '-1', '1/2', '2', '3', '-5/3', '123456789/1000']);
  else entry[entry.length - 1] = entry.at(-1).startsWith('-') ? entry.at(-1).slice(1) : `-${entry.at(-1)}`;
}

test('one to three changed weights', async () => {
  const random = dice(2);
  for (const options of FILES) {
    compile('m.json', ...options);
    const text = JSON.stringify(contentOf('m.json'));
    for (let round = 0; round < 9; ++round) {
      const file = JSON.parse(text);
      for (let i = random.below(3); i >= 0; --i) change(file, random);
      seal('changed.json', file);
      await compareWords('changed.json', wordsOver(file.alphabet, 2, [3, 4, 5], random));
    }
  }
  console.log(summary());
  assert.ok(totals.broken > 0 && totals.outcomes['outside the field'] > 0, summary());
});

test('ties of the decision, and of prefixes', async () => {
  compile('m.json', 'regular', '--group', 'S3');
  const file = contentOf('m.json'), {accept, reject, prefix} = file.output, {entries} = file.unembedding;
  for (const [row, other] of [[accept, reject], [prefix.first_row, prefix.first_row + 1]]) {
    const copied = entries.filter(([at]) => at === other).map(([, column, value]) => [row, column, value]);
    const tied = [...entries.filter(([at]) => at !== row), ...copied].sort(([a], [b]) => a - b);
    seal('tie.json', {...file, unembedding: {...file.unembedding, entries: tied}});
    const {results} = await compareWords('tie.json', ['', 'a', 'ab', 'abab', 'aabb', 'aa', 'bb', 'bab']);
    const undecided = results.filter(({outcome}) => outcome === 'undecided').length;
    const ties = results.flatMap(({prefixes}) => prefixes ?? []).filter((product) => product === null).length;
    assert.ok(row === accept ? undecided > 0 && ties === 0 : undecided === 0 && ties > 0, `${undecided} ${ties}`);
  }
});

/** Raw inputs: every token takes the average of the x of the tokens with the largest score, the scalar product. */
const nearest = {
  ...votes, input: {kind: 'cells', names: ['x', 'y', 'z']}, width: 4, output: {kind: 'cells', names: ['x']},
  unembedding: matrix(1, 4, [0, 3, '1']),
  layers: votes.layers.map((layer) => ({...layer, attention: {...layer.attention, heads: layer.attention.heads.map((head) => {
    const all = matrix(3, 4, [0, 0, '1'], [1, 1, '1'], [2, 2, '1']);
    return {...head, query: all, key: all, value: matrix(1, 4, [0, 0, '1'])};
  })}})),
};

test('scores that no double separates', async () => {
  seal('nearest.json', nearest);
  const permuted = ([x, y, z]) => [[x, y, z], [y, z, x], [z, x, y], [x, z, y], [z, y, x], [y, x, z]];
  const huge = `1${'0'.repeat(200)}`, almost = `1${'0'.repeat(199)}1`;
  // The scores of (1, 1, 1) with permutations are equal, and their sums in doubles are not.
  for (const values of [['1', '3', '7'], ['1/10', '2/10', '7/10'], ['1/3', '1/7', '-1/11'], ['sqrt(2)', 'sqrt(8)', '-sqrt(1/18)'],
                        [`1/${huge}`, `1/${almost}`, '0'], [huge, almost, '1'], [`${almost}/${huge}`, '1', '1'],
                        [`sqrt(${huge})`, `-sqrt(${almost})`, '0']])
    await compareCells('nearest.json', `x y z\n1 1 1\n${permuted(values).map((row) => `${row.join(' ')}\n`).join('')}-1 -1 -1\n`);
  console.log(summary());
});

// The runner in playground/ and the program on words: every value of every sublayer, selections, contracts, prefixes, decisions.
import assert from 'node:assert/strict';
import test from 'node:test';

import {dice} from './dice.mjs';
import {compareWords, compile, contentOf, seal, summary, wordsOver} from './native.mjs';

// The files that tests/claims/python_runner.cpp compiles, and the constructions that it leaves out.
const FILES = [
  [['--regex', '(a|b)*abb'], 4, [8, 9, 15, 17]],
  [['--group', 'Z6', '--positions', 'circle'], 3, [18]],
  [['--group', 'S3', '--positions', 'first-flag'], 3, [5, 8, 9]],
  [['--group', 'A5'], 3, [5, 8, 9, 17]],
  [['--regex', '(b|ab*ab*a)*', '--norm', 'layernorm'], 3, [9, 16]],
  [['--regex', '(b|ab*a)*', '--norm', 'layernorm', '--positions', 'first-flag'], 2, [5, 6]],
  [['--regex', '(a(ab)*b)*', '--strict'], 3, [9]],
  [['--group', 'S3', '--unroll', '9'], 2, [5, 8, 9, 10]],
  [['--group', 'Z5', '--construction', 'tree'], 2, [5, 8]],
  [['--group', 'S3', '--construction', 'radix', '--radix', '3'], 2, [9, 10, 28]],
  [['--regex', '(a|b)*a', '--construction', 'cascade'], 3, [9]],
];

test('files of every construction, position code and norm', async () => {
  const random = dice(1);
  for (const [options, longest, lengths] of FILES) {
    compile('m.json', 'regular', ...options);
    const file = contentOf('m.json');
    seal('plain.json', file);
    const native = await compareWords('plain.json', wordsOver(file.alphabet, longest, lengths, random));
    const outcomes = new Set(native.results.map(({outcome}) => outcome));
    assert.ok(outcomes.has('accept'), options.join(' '));
  }
  console.log(summary());
});

// Runs in float16 against numpy's float16 ($LOGDEPTH_PYTHON_PEERS), on words of all lengths at which the answers begin to
// be wrong. Exits with 77 where numpy is missing.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import test from 'node:test';

import {readModel, run, wordInput} from '../../playground/exact_runner.mjs';
import {firstWrong, half, halfRun, triedWords} from '../../playground/half_run.mjs';
import {dice} from './dice.mjs';
import {compile, path, read, wordsOver} from './native.mjs';

const python = `${process.env.LOGDEPTH_PYTHON_PEERS}/bin/python`;
if (!existsSync(python)) {
  console.log(`${python}: no numpy; run tests/install_python_peers.sh`);
  process.exit(77);
}
/** What a Python program prints of lines. */
function printed(args, lines) {
  const {status, stdout, stderr} = spawnSync(python, args, {input: `${lines.join('\n')}\n`, encoding: 'utf8', maxBuffer: 2 ** 28});
  assert.equal(status, 0, stderr);
  return stdout.trimEnd().split('\n');
}

test('a number is rounded as numpy rounds it, ties and the smallest and largest numbers among them', () => {
  const {below} = dice(3), numbers = [0, 65519.99, 65520, -65520, 1e300, 2 ** -24, 2 ** -25, 3 * 2 ** -25, 1 / 3];
  for (let i = 0; i < 2000; ++i) numbers.push((below(8192) - 4096) * 2 ** (below(45) - 37), Math.tan(below(1e6)) * 2 ** (below(30) - 22));
  const rounded = printed(['-W', 'ignore', '-c', 'import numpy, sys\nfor line in sys.stdin: print(float(numpy.float16(float(line))))'], numbers);
  numbers.forEach((x, i) => assert.equal(half(x), Number(rounded[i].replace('inf', 'Infinity')), `${x}`));
});

test('a network in float16 answers what numpy answers in float16, right and wrong', async () => {
  const random = dice(8);
  let wrong = 0, all = 0;
  for (const [name, ...args] of [['abb.json', '--regex', '(a|b)*abb'], ['a5.json', '--group', 'A5'], ['tree.json', '--group', 'S3', '--construction', 'tree'],
                                 ['mean.json', '--regex', '(a|b)*abb', '--norm', 'layernorm']]) {
    compile(name, 'regular', ...args);
    const model = await readModel(`${read(name)}`);
    const words = wordsOver(model.alphabet, 3, Array.from({length: 60}, (_, i) => 4 + i), random).slice(1);
    const oracle = printed([new URL('half_oracle.py', import.meta.url).pathname, path(name)], words);
    words.forEach((word, i) => {
      const {decision, prefixes} = halfRun(model, wordInput(model, word)), exact = run(model, wordInput(model, word));
      const products = oracle[i].split(' ');
      assert.equal(decision, products.pop(), `${name}: ${word}`);
      assert.equal(prefixes.length, products.length);
      prefixes.forEach((images, k) => images && assert.equal(`${images}`, products[k], `${name}: ${word}, prefix ${k + 1}`));
      wrong += `${decision} ${prefixes}` !== `${exact.decision} ${exact.prefixes}`;
      ++all;
    });
  }
  console.log(`${all} words, ${wrong} wrong in float16`);
  assert.ok(wrong > 50 && wrong < all);
});

test('the first wrong word comes in the order of all short words and then of lengths', async () => {
  const model = await readModel(`${read('abb.json')}`), {word, tried, exact, found} = firstWrong(model, 4);
  const before = [...triedWords(model.alphabet, 4)].map((letters) => letters.join('')).slice(0, tried);
  assert.equal(before.at(-1), word);
  assert.deepEqual(before.slice(0, 7), ['', 'a', 'b', 'aa', 'ab', 'ba', 'bb']);
  assert.notEqual(exact, found);
  for (const one of before.slice(0, -1)) {
    const [ours, theirs] = [run, halfRun].map((runner) => runner(model, wordInput(model, one)));
    assert.deepEqual([theirs.decision, theirs.prefixes], [ours.decision, ours.prefixes], one);
  }
});

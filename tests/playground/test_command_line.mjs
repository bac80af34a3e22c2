// node playground/exact_runner.mjs prints what `logdepth run` prints, with the same exit status; and it stands alone.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {readFileSync, readdirSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import test from 'node:test';

import {compile, folder, logdepth, seal, write} from './native.mjs';
import {adjacency, difference, textOf, votes, words} from './small_files.mjs';

const playground = fileURLToPath(new URL('../../playground/', import.meta.url));

function runner(...args) {
  const {status, stdout, stderr} = spawnSync(process.execPath, [`${playground}exact_runner.mjs`, ...args], {cwd: folder, encoding: 'utf8'});
  return {status, out: stdout, err: stderr};
}

/** Both print the same and end alike. */
function same(...args) {
  const mine = runner(...args), theirs = logdepth('run', ...args);
  assert.deepEqual({out: mine.out, status: mine.status}, {out: theirs.out, status: theirs.status}, `${args}: ${mine.err} ${theirs.err}`);
  return mine;
}

test('answers', () => {
  compile('m.json', 'regular', '--group', 'S3', '--unroll', '4');
  write('words.txt', '\na\nab\nabab\nababa\naabb');
  assert.equal(same('m.json', '--batch', 'words.txt').status, 3);
  assert.equal(same('m.json', '--prefixes', '--batch', 'words.txt').status, 3);
  seal('cells.json', difference);
  write('cells.txt', 'y x\n1/2 - sqrt(3) 2 # x - y\n3*sqrt(1/6) -3/5\n');
  assert.equal(same('cells.json', '--cells', 'cells.txt').out, 'x-y 2y\n3/2+sqrt(3) 1-sqrt(12)\n-3/5-sqrt(3/2) sqrt(6)\n');
  seal('all.json', adjacency);
  write('g.edges', 'a b\n');
  same('all.json', '--graph', 'g.edges', '--source', 'b', '--target', 'a');

  const {status, out} = runner('m.json', 'ab', 'aa');
  const prefixes = logdepth('run', 'm.json', '--input', 'ab', '--prefixes').out, verdict = logdepth('run', 'm.json', '--input', 'ab').out;
  assert.equal(status, 0);
  assert.ok(out.startsWith(prefixes + verdict + 'logits '), out);
  assert.equal(out.split('\n').length, 2 * 4 + 1);
});

test('exit statuses', () => {
  const uniform = structuredClone(words);
  uniform.layers[0].attention.heads[0].promise = {kind: 'rightmost', flag: []};
  uniform.layers[0].attention.heads[0].query.entries = [];
  seal('broken.json', uniform);
  write('words.txt', 'b\n');
  const broken = same('broken.json', '--batch', 'words.txt');
  assert.match(broken.err, /^selection contract violated: layer 1, head 0, token 1: /);
  seal('votes.json', votes);
  write('cells.txt', 'x y vote\n1 1+sqrt(2) 1\n1 2 1\n');
  const left = runner('votes.json', '--cells', 'cells.txt');
  assert.deepEqual([left.status, left.out], [3, 'outside the field\n']);
  write('hostile.json', textOf(words).replace('"small"', '"large"'));
  for (const args of [[], ['m.json'], ['m.json', 'abc'], ['none.json', 'a'], ['m.json', '--colour', 'a'], ['m.json', '--batch'], ['hostile.json', 'a'],
                      ['cells.json', 'a'], ['m.json', '--cells', 'cells.txt'], ['cells.json', '--prefixes', '--cells', 'cells.txt'],
                      ['all.json', '--graph', 'g.edges', '--source', 'a', '--target', 'z'], ['all.json', '--graph', 'g.edges']]) {
    const {status, out, err} = runner(...args);
    assert.deepEqual([status, out], [2, ''], `${args}: ${err}`);
    assert.ok(args.length < 2 || err.startsWith('usage:') || err.trim().split('\n').length === 1, err);
    assert.ok(!err.includes('    at '), err);
  }
});

test('the files of playground import each other and nothing else, and are short', () => {
  for (const name of readdirSync(playground).filter((name) => name.endsWith('.mjs'))) {
    const lines = readFileSync(playground + name, 'utf8').split('\n');
    assert.ok(lines.length <= 500, `${name}: ${lines.length} lines`);
    lines.forEach((line, i) => assert.ok([...line].length <= 120, `${name}:${i + 1}: ${line.length} columns`));
    for (const line of lines) {
      const from = /\bfrom '([^']*)'/.exec(line)?.[1];
      if (from) assert.ok(from.startsWith('./'), `${name}: ${from}`);
    }
  }
});

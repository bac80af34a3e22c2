// The runner in playground/ and the program on graphs and raw inputs, and on inputs of another kind.
import assert from 'node:assert/strict';
import test from 'node:test';

import {Refusal, cellsInput, graphInput, readModel, wordInput} from '../../playground/exact_runner.mjs';
import {dice} from './dice.mjs';
import {compareCells, compareGraph, compareWords, compile, contentOf, logdepth, read, seal, summary, totals, write} from './native.mjs';
import {adjacency, difference, rows, textOf, votes, words} from './small_files.mjs';

const modelOf = (file) => readModel(textOf(file));

const randomGraph = (n, {below}) => {
  const names = Array.from({length: n}, (_, i) => `v${i}`);
  const edges = names.flatMap((s) => names.filter(() => below(n + 1) < 2).map((t) => `${s} ${t}`));
  return `# edge list\n${[...names, ...edges].join('\n')}\n`;
};

test('graphs', async () => {
  const random = dice(3);
  seal('rows.json', rows);
  seal('all.json', adjacency);
  for (const name of ['rows.json', 'all.json']) await compareGraph(name, '# edge list\na b\n');
  compile('c.json', 'connectivity');
  compile('r.json', 'connectivity', '--construction', 'rows', '--size', '5');
  for (const name of ['c.json', 'r.json']) seal(name, contentOf(name));
  await compareGraph('c.json', randomGraph(2, random));
  await compareGraph('r.json', randomGraph(4, random));
  await compareGraph('r.json', randomGraph(6, random));
  assert.ok(totals.outcomes.connected && totals.outcomes['not connected'] && totals.outcomes['outside the hypotheses'], summary());
});

test('divisions', async () => {
  for (const norm of ['rms', 'layernorm']) {
    compile('d.json', 'division', '--norm', norm);
    seal('d.json', contentOf('d.json'));
    const row = (i) => {
      const a = (i * i) % (i + 1), root = `sqrt(1/${a * a + 1})`;
      return `${root} ${a}*${root} ${i} 1 3 1`;
    };
    await compareCells('d.json', ['a.1 a.0 i.0 i.1 m.0 m.1', ...[0, 1, 2, 3, 4, 5, 6, 7, 8].map(row), ''].join('\n'));
  }
});

test('raw inputs are spelled as runtime/README.md has it', async () => {
  seal('cells.json', difference);
  const model = await readModel(`${read('cells.json')}`);
  for (const text of ['x y\n1/2 3\n-2 sqrt(2)\n', '# names\n\ny x # in any order\n\n3 1/2\n sqrt(2)\t-2\n#\n', 'y x\r\n+2/4 6/2\r\n- 2 sqrt(8/4)',
                      'x y\n0+1/2 1 + 2\n-1-1 1/2*sqrt(8)\n', 'x y\r\n1/2\r3\r\n-2\v\fsqrt(2)\n', 'x y\n1/2 - sqrt(3) 2\n3*sqrt(1/6) -3/5\n',
                      'x y\n0*sqrt(7)-2 sqrt(2)+sqrt(8)-sqrt(18)\n', 'x y\n'])
    await compareCells('cells.json', text);
  const refused = ['1/0 1', 'sqrt(1/0) 1', '1 * sqrt(2) 1', '2sqrt(2) 1', 'sqrt(-1) 1', '--1 1', '1- 1', '1 1-', '0.5 1', '1e3 1', '1 - - 2 1',
                   'sqrt(sqrt(2)) 1', '1', '1 2 3', '1\xa01 2', '+ + 1 2', '1/-2 1', '1//2 1'].map((line) => `x y\n${line}\n`);
  for (const text of [...refused, 'x x\n1 1\n', 'x\n1\n', 'x y z\n1 1 1\n', 'x z\n1 1\n', '']) {
    assert.throws(() => cellsInput(model, text), Refusal, text);
    write('cells.txt', text);
    assert.equal(logdepth('run', 'cells.json', '--cells', 'cells.txt').status, 2, text);
  }
});

test('the end of the field, with and without a decision', async () => {
  seal('votes.json', votes);
  const outcomes = [];
  for (const other of ['2+sqrt(2) 3+2*sqrt(2)', '2+sqrt(2) 3+3*sqrt(2)']) {
    // (1, 1 + √2) and (1 + √2) times that: the same direction, and opposite votes.
    const [x, y] = other.split(' ');
    const {results: [{outcome, left_field}]} = await compareCells('votes.json', `x y vote\n1 1+sqrt(2) 1\n1+sqrt(2) ${y} -1-sqrt(2)\n`);
    assert.ok(left_field, x);
    outcomes.push(outcome);
  }
  assert.deepEqual(outcomes, ['undecided', 'reject']);
});

test('position codes', async () => {
  const {cells, ...plain} = words, parity = [[1, '1/3']], fills = [{at: [2, 3], back: 1, scale: '1/2'}];
  for (const position of [{kind: 'circle', fills, parity}, {kind: 'fine', offset: 2, fills}, {kind: 'fine', offset: 1, fills: [], parity},
                          {kind: 'two-circle', fills: [{at: [3, 1, 0, 2], back: 2, scale: '-3'}]},
                          {kind: 'first-flag', first: [[3, '1']], rest: [[2, '5/7']]},
                          {kind: 'table', rows: [[[2, '1']], [], [[3, '-1/2']], parity]}]) {
    seal('positions.json', {...plain, position});
    await compareWords('positions.json', ['', 'a', 'ba', 'bb', 'baabab', 'babbaabba']);
  }
});

test('words without a token, and inputs of another kind', async () => {
  const {cells, ...plain} = words;
  seal('no-begin.json', {...plain, input: {kind: 'word', begin: false}, embedding: {a: [], b: []}});
  await compareWords('no-begin.json', ['', 'a', 'ab']);
  seal('end.json', {...plain, input: {kind: 'word', begin: true, end: true}, embedding: {...words.embedding, '<end>': [[3, '1']]}});
  await compareWords('end.json', ['', 'a', 'ab', 'bab']);
  const letters = {alphabet: ['a', 'bc'], embedding: {'<begin>': [], a: [[0, '1']], bc: [[1, '1']]}};
  seal('letters.json', {...plain, ...letters});
  await compareWords('letters.json', ['', 'a bc', ' bc a  a ', 'a\tbc\ta']);
  const word = await modelOf(words), raw = await modelOf(difference), graph = await modelOf(rows);
  for (const input of [() => wordInput(raw, 'a'), () => wordInput(graph, 'a'), () => wordInput(word, 'abc'), () => cellsInput(word, 'x y\n'),
                       () => graphInput(word, {vertices: ['a'], edges: []}, 'a', 'a'), () => graphInput(graph, {vertices: ['a'], edges: []}, 'a', 'z')])
    assert.throws(input, Refusal);
  console.log(summary());
});

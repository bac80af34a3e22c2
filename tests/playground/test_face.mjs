// Questions of the page (playground/face.mjs) answered by the program: files, JSON objects and sentences are those of
// its commands.
import assert from 'node:assert/strict';
import test from 'node:test';

import {nativeProgram} from './ask.mjs';
import {answer} from '../../playground/face.mjs';
import {compile, logdepth, path, read, write} from './native.mjs';

const program = nativeProgram(process.env.LOGDEPTH_BINARY);
const ask = (question) => answer(program, question);
/** The JSON object that a command prints. */
const printed = (...args) => JSON.parse(logdepth(...args).out);
/** The members of an answer that the command prints too. */
const without = ({lines, status, messages, ...rest}) => rest;

test('compiled files, runs and facts', () => {
  compile('weights.json', 'regular', '--group', 'S3');
  const network = ask({ask: 'compile', kind: 'group', text: 'S3'});
  assert.equal(network.weights, read('weights.json').toString());
  assert.ok(network.lines.at(-1).startsWith('wrote weights.json: shape (0, 1, 0)'), network.lines.join('\n'));
  const {weights} = network;
  const run = ask({ask: 'run', weights, input: {word: 'abab'}, prefixes: true});
  assert.deepEqual(without(run), printed('run', 'weights.json', '--input', 'abab', '--json', '--prefixes'));
  assert.equal(run.results[0].prefixes.length, 4);
  assert.deepEqual(ask({ask: 'info', weights}), printed('info', 'weights.json', '--json'));
  assert.deepEqual(without(ask({ask: 'inspect', kind: 'regex', text: '(ab)*'})),
                   printed('inspect', '--regex', '(ab)*', '--json'));
});

test('other kinds of inputs', () => {
  const division = ask({ask: 'compile', kind: 'division'});
  const input = {division: {dividend: 17, divisor: 5}};
  const [answered] = ask({ask: 'run', weights: division.weights, input}).results;
  assert.deepEqual([answered.quotient, answered.remainder], ['3', '2']);
  const {weights} = ask({ask: 'compile', kind: 'connectivity', options: {size: 8}});
  const graph = 'a b\nb c\nd a\n';
  for (const [target, outcome] of [['c', 'connected'], ['d', 'not connected']])
    assert.equal(ask({ask: 'run', weights, input: {graph, source: 'a', target}}).results[0].outcome, outcome);
});

test('a refusal is the sentence of the command line', () => {
  const {err} = logdepth('compile', 'regular', '--regex', '(a|b', '-o', path('x.json'));
  assert.equal(`logdepth: ${ask({ask: 'compile', kind: 'regex', text: '(a|b'}).error}\n`, err);
  write('weights.json', '{');
  assert.equal(`logdepth: ${ask({ask: 'info', weights: '{'}).error}\n`, logdepth('info', 'weights.json').err);
  for (const question of [{ask: 'other'}, {ask: 'run'}, {ask: 'compile', kind: 'language', text: 'a'},
                          {ask: 'inspect', kind: 'cat'}, {ask: 'run', weights: '{}', input: {}}])
    assert.equal(typeof ask(question).error, 'string', JSON.stringify(question));
});

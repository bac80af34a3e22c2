// The program as WebAssembly and the native program: the same questions of the page, answers equal in every byte.
import assert from 'node:assert/strict';
import {readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import test from 'node:test';
import {gzipSync} from 'node:zlib';

import {builtFolder, nativeProgram, programOf} from './ask.mjs';
import {answer} from '../../playground/face.mjs';
import {dice} from './dice.mjs';

const folder = builtFolder();
if (folder === null) {
  console.log('the program as WebAssembly is not built, or not from these sources: run ./make_playground.sh');
  process.exit(77);
}
const wasm = await programOf(folder);
const native = nativeProgram(process.env.LOGDEPTH_BINARY);
const root = new URL('../../', import.meta.url);
const text = (name) => readFileSync(new URL(name, root), 'utf8');

let asked = 0;
/** The answer that both programs give. */
function both(question) {
  const ours = answer(wasm, question), theirs = answer(native, question);
  ++asked;
  assert.equal(JSON.stringify(ours), JSON.stringify(theirs), JSON.stringify({...question, weights: undefined}));
  return ours;
}

const REGEXES = ['(a|b)*abb', '(b|ab*ab*a)*', '(a(ab)*b)*', '(a|b)*a', 'a*b*', '(ab)*', '(aa)*', '(a|b)*a(a|b)(a|b)',
                 'a', 'b*ab*'];
const GROUPS = ['Z2', 'Z5', 'Z6', 'S3', 'D4', 'Q8', 'A4', 'A5', 'flipflop'];
const LANGUAGES = [...REGEXES.map((text) => ({kind: 'regex', text})), ...GROUPS.map((text) => ({kind: 'group', text}))];
const WAYS = [{}, {construction: 'tree'}, {construction: 'cascade'}, {construction: 'auto'},
              {options: {positions: 'first-flag'}}, {options: {positions: 'circle'}}, {options: {norm: 'layernorm'}},
              {options: {table: 'monoid'}}, {options: {unroll: 9}}, {options: {strict: true}}];
const CRASP = ['majority', 'dyck1'].map((name) => ({kind: 'crasp', text: text(`examples/crasp/${name}.crasp`)}));

test('weights files, messages and words', () => {
  const random = dice(7);
  let compiled = 0, refused = 0, words = 0;
  LANGUAGES.forEach((language, i) => {
    for (const way of [{}, WAYS[1 + i % 9], WAYS[1 + (i + 4) % 9]]) {
      const network = both({ask: 'compile', ...language, ...way});
      if (network.error !== undefined) {
        ++refused;
        continue;
      }
      ++compiled;
      const letters = JSON.parse(network.weights).alphabet;
      for (const length of [0, 1, 2, 3, 4, 7, 8, 9, 16, 33]) {
        if (length > 9 && way.options?.unroll) continue;
        const input = Array.from({length}, () => random.pick(letters)).join('');
        both({ask: 'run', weights: network.weights, input: {word: input}, prefixes: true});
        ++words;
      }
    }
  });
  console.log(`${compiled} files, ${refused} refusals, ${words} words`);
  assert.ok(compiled >= 50 && words >= 500);
});

test('other inputs and other questions', () => {
  for (const source of CRASP) {
    const {weights} = both({ask: 'compile', ...source});
    for (const input of ['', 'a', '()', '(()', 'ab', 'aab']) both({ask: 'run', weights, input: {word: input}});
  }
  const program = both({ask: 'compile', kind: 'program', text: text('examples/programs/flipflop.cells')});
  assert.ok(program.weights);
  const division = both({ask: 'compile', kind: 'division'});
  const quotient = both({ask: 'run', weights: division.weights, input: {division: {dividend: 17, divisor: 5}}});
  assert.equal(JSON.stringify([quotient.results[0].quotient, quotient.results[0].remainder]), '["3","2"]');
  const connectivity = both({ask: 'compile', kind: 'connectivity', options: {size: 8}});
  for (const target of ['c', 'd'])
    both({ask: 'run', weights: connectivity.weights, input: {graph: 'a b\nb c\nd a\n', source: 'a', target}});
  const s3 = both({ask: 'compile', kind: 'group', text: 'S3'});
  both({ask: 'info', weights: s3.weights});
  both({ask: 'inspect', kind: 'group', text: 'A5'});
  both({ask: 'inspect', kind: 'regex', text: '(a|b)*abb'});
  const goal = {goal: 'crasp:goal.crasp', files: {'goal.crasp': CRASP[0].text}, options: {'up-to': 6}};
  for (const question of [{kind: 'group', text: 'S3', options: {'up-to': 5}}, {kind: 'regex', text: '(a|b)*abb'}, goal])
    assert.equal(typeof both({ask: 'test', weights: s3.weights, ...question}).passed, 'boolean');
  for (const source of [{kind: 'group', text: 'S3'}, {kind: 'group', text: 'Z6', construction: 'cascade'}, CRASP[1],
                        {kind: 'group', text: 'A5', construction: 'tree'}, {kind: 'division'}])
    assert.equal(both({ask: 'certify', weights: both({ask: 'compile', ...source}).weights}).certified, true);
  for (const source of [{kind: 'group', text: 'A5', construction: 'cascade'}, {kind: 'ltl', text: 'a S (b & Y a)'}])
    assert.equal(both({ask: 'certify', weights: both({ask: 'compile', ...source}).weights}).certified, false);
  for (const args of [['run', 'm.json', '--input=abab', '--trace', 'trace.jsonl'], ['diff', 'm.json', '--input=abab', '--json']]) {
    const [ours, theirs] = [wasm, native].map((program) => program(args, {'m.json': s3.weights}));
    assert.deepEqual([ours.status, ours.output], [theirs.status, theirs.output]);
    assert.equal(ours.files['trace.jsonl'], theirs.files['trace.jsonl']);
  }
});

test('questions larger than the stack', () => {
  const {weights} = both({ask: 'compile', kind: 'regex', text: '(a|b)*abb'});
  both({ask: 'run', weights: weights.replace('{', `{${' '.repeat(5000000)}`), input: {word: 'aabb'}});
  const {error} = answer(wasm, {ask: 'run', weights, input: {word: `${'ab'.repeat(1000000)}c`}});
  assert.match(error, /^--input: letter 'c' at position 2000001 /);
});

test('sentences of refusals', () => {
  for (const question of [
    {ask: 'compile', kind: 'regex', text: '(a|b'}, {ask: 'compile', kind: 'group', text: 'S99x'},
    {ask: 'compile', kind: 'crasp', text: 'nonsense'}, {ask: 'compile', kind: 'automaton', text: '0 1 a b c d e'},
    {ask: 'info', weights: '{'}, {ask: 'info', weights: '{"format":1}'}, {ask: 'run', weights: '[]', input: {word: 'a'}},
    {ask: 'compile', kind: 'regex', text: 'a*', construction: 'scna'}, {ask: 'compile', kind: 'language', text: 'a'},
    {ask: 'inspect', kind: 'regex', text: '*'}, {ask: 'other'}, {ask: 'run', weights: '{}'}])
    assert.equal(typeof both(question).error, 'string', JSON.stringify(question));
});

test('what is left out is refused by name', () => {
  assert.ok(wasm.leftOut().length > 5);
  for (const [args, part] of [[['train', 'x'], 'train'], [['certify', 'm.json', '--float=float32', '--length=4'], 'floating point'],
                              [['test', 'g.json', '--against=graph:reachability'], 'a test of graphs'],
                              [['run', 'm.json', '--input=a', '--engine=float64'], 'floating point'],
                              [['draw', 'm.json', '-o', 'm.svg'], 'draw'], [['compile', 'formula', '-o', 'f.json'], 'compile formula'],
                              [['inspect', '--dot=m.dot'], 'Graphviz'], [['--man'], 'manual page']]) {
    const {weights} = answer(wasm, {ask: 'compile', kind: 'regex', text: 'a*'});
    const graph = answer(wasm, {ask: 'compile', kind: 'connectivity', options: {size: 8}}).weights;
    const {status, messages} = wasm(args, {'m.json': weights, 'g.json': graph, 'm.dot': 'digraph { a -> b }'});
    assert.equal(status, 2, messages);
    assert.match(messages, /is not part of the program in the browser; expected an installed logdepth/);
    assert.ok(messages.includes(part), messages);
  }
  // A command that was refused leaves nothing for the next one.
  assert.equal(wasm(['info', 'm.json']).status, 2);
  assert.equal(wasm(['info', '../m.json'], {'../m.json': '{}'}).status, 2);
});

test('size of the download', () => {
  const packed = (name) => gzipSync(readFileSync(join(folder, name)), {level: 9}).length;
  const sizes = ['logdepth.js', 'logdepth.wasm'].map(packed);
  console.log(`${asked} questions; ${statSync(join(folder, 'logdepth.wasm')).size} bytes; gzip ${sizes.join(' + ')}`);
  assert.ok(sizes[0] + sizes[1] <= 1300000, `${sizes}`);
});

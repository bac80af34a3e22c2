// Hostile weights files: the runner in playground/ refuses what the program refuses, in one sentence, at the same line.
import assert from 'node:assert/strict';
import test from 'node:test';
import {gzipSync} from 'node:zlib';

import {Refusal, readModel} from '../../playground/exact_runner.mjs';
import {sha256} from '../../playground/strict_json.mjs';
import {dice} from './dice.mjs';
import {logdepth, read, seal, write} from './native.mjs';
import {adjacency, difference, hashOf, rows, textOf, votes, words} from './small_files.mjs';

/** What the runner says of a file, or null. */
async function refusal(name) {
  try {
    await readModel(read(name), name);
    return null;
  } catch (error) {
    assert.ok(error instanceof Refusal, error.stack);
    assert.ok(error.message.length < 300 && !error.message.includes('\n'), error.message);
    return error.message;
  }
}

async function bothRefuse(name, place) {
  const mine = await refusal(name), {status, err} = logdepth('info', name);
  assert.equal(status, 2, `${place}: accepted by the program, not by the runner: ${mine}`);
  assert.ok(mine !== null, `${place}: accepted by the runner; ${err}`);
  const line = (message) => /:(\d+): /.exec(message)?.[1];
  assert.equal(line(mine), line(err), `${place}:\n${mine}\n${err}`);
  return mine;
}

// [text, what it becomes, what the runner says]
const EDITS = [
  ['"name": "small"', '"name": "small', 'not valid JSON'],
  ['"name": "small"', '"name": "\\ud800"', 'lone surrogate'],
  ['"name": "small"', '"name": "\\x"', 'invalid escape'],
  ['"name": "small"', '"name": "\t"', 'control character'],
  ['"name": "small"', '"name": "\0"', 'control character'],
  ['"name": "small"', '"name": NaN', 'not valid JSON: expected a value, found "N"'],
  ['"name": "small"', '"name": 1e999', 'beyond the range of double'],
  ['"name": "small"', '"name": 01', 'not valid JSON'],
  ['"name": "small"', '"name": .5', 'not valid JSON'],
  ['"name": "small"', "'name': 1", 'expected a key'],
  ['"name": "small"', '"name": "x",\n"name": "y"', 'the key name appears twice'],
  ['"name": "small"', '"name": "x",\n"colour": "y"', 'colour: unknown key'],
  ['"name": "small"', '"name": "x", // y\n"colour": "y"', 'not valid JSON'],
  ['"name": "small"', '"toString": "x"', 'toString: unknown key'],
  ['"name": "small"', '"__proto__": {}', '__proto__: unknown key'],
  ['"name": "small"', '"name": 7', 'name: expected a string, found an integer'],
  ['"hypotheses": ["none"]', '"hypotheses": ["none",]', 'not valid JSON'],
  ['"hypotheses": ["none"]', `"hypotheses": ${'['.repeat(40)}${']'.repeat(40)}`, 'levels of nesting'],
  ['"hypotheses": ["none"]', `"hypotheses": ${'['.repeat(100000)}`, 'levels of nesting'],
  ['"hypotheses": ["none"]', '"hypotheses": [7]', 'hypotheses[0]: expected a string'],
  ['"rate": 0.5', '"rate": 0.5,\n"rate": 0.5', 'the key parameters.rate appears twice'],
  ['"rate": 0.5', '"rate": 5e-1', 'sha256: the content has the hash'],
  ['"rate": 0.5', '"rate": 1e400', 'beyond the range of double'],
  ['"width": 4', '"width": 4.0', 'width: expected an integer from 1 to 1048576, found 4.0'],
  ['"width": 4', '"width": 4e0', 'width: expected an integer from 1 to 1048576, found 4e0'],
  ['"width": 4', '"width": "4"', 'width: expected an integer from 1 to 1048576, found a string'],
  ['"width": 4', '"width": 0', 'width: expected an integer'],
  ['"width": 4', '"width": -4', 'width: expected an integer'],
  ['"width": 4', '"width": 1048577', 'width: expected an integer'],
  ['"width": 4', `"width": ${'7'.repeat(40)}`, 'width: expected an integer'],
  ['"rows": 5', '"rows": 16777217', 'rows: expected an integer'],
  ['"rows": 5', '"rows": 16777216', 'row 5 of the unembedding has no meaning'],
  ...['6/8', '3/0', '3/1', '+3/4', '3/-4', '03/4', '3/04', '-0', ' 3/4', '3/4 ', '0.75', '', '3/4\\u0000', '1e2', '٣'].map((number) =>
    ['[1,0,"3/4"]', `[1,0,"${number}"]`, 'expected a rational number']),
  ['[1,0,"3/4"]', '[1,0,0.75]', 'entries[0][2]: expected a string, found the number 0.75'],
  ['[1,0,"3/4"]', `[1,0,"${'7'.repeat(20001)}"]`, 'a number of 20001 characters; the limit is 20000'],
  ['[1,0,"3/4"]', '[1,0,"0"]', 'the value is zero'],
  ['[1,0,"3/4"]', '[4,0,"3/4"]', 'entry (4,0) is outside 4 rows and 1 columns'],
  ['[1,0,"3/4"]', '[-1,0,"3/4"]', 'entries[0][0]: expected an integer'],
  ['[1,0,"3/4"]', '[1,0]', 'expected [row,column,"p/q"]'],
  ['[1,0,"3/4"]', '[1,0,"3/4"],\n[0,0,"3/4"]', 'entry (0,0) is not after'],
  ['[1,"1/2"]', '[4,"1/2"]', 'expected an integer from 0 to 3'],
  ['[1,"1/2"]', '[0,"1/2"]', 'index 0 does not increase'],
  ['"block": "initial"', '"block": "final"', 'the shape makes this layer initial'],
  ['"format": "logdepth-weights"', '"format": "weights"', 'format: expected "logdepth-weights", found "weights"'],
  ['"version": 1', '"version": 2', 'version: expected'],
  ['"begin": true', '"begin": true,\n"end": false', 'leave the key out instead of writing false'],
  ['"accept": 0', '"accept": 1', 'output.reject: row 1 already has another meaning'],
  ['"at": [2,3]', '"at": [2,2]', 'coordinate 2 is filled twice'],
  ['"max_length": 64', '"max_length": 65', 'sha256: the content has the hash'],
];

test('changes of the text', async () => {
  const valid = textOf(words);
  write('m.json', valid);
  assert.equal(await refusal('m.json'), null);
  for (const [part, replacement, expected] of EDITS) {
    const place = `${part} -> ${replacement.slice(0, 80)}`;
    assert.ok(valid.includes(part), place);
    write('m.json', valid.replace(part, () => replacement));
    const message = await bothRefuse('m.json', place);
    assert.ok(message.startsWith('m.json:') && message.includes(expected), `${place}\n${message}`);
  }
});

test('bytes that are no text, packed files, and layouts', async () => {
  const text = textOf(words), bytes = Buffer.from(text), packed = gzipSync(bytes);
  const some = (at, byte) => Buffer.concat([bytes.subarray(0, at), Buffer.from([byte]), bytes.subarray(at)]);
  for (const hostile of [Buffer.from(''), Buffer.from(' \n'), Buffer.from('{}'), Buffer.from('[]'), Buffer.from('null'), Buffer.from(`\ufeff${text}`),
                         some(bytes.indexOf('small'), 0xff), some(0, 0), Buffer.from(`${text}x`), Buffer.from(text.slice(0, -3)),
                         Buffer.from(text, 'utf16le'), packed.subarray(0, 100), Buffer.concat([packed, Buffer.from('x')]),
                         Buffer.concat([packed, packed]), packed.subarray(0, 2)]) {
    write('m.json', hostile);
    const mine = await refusal('m.json');
    assert.ok(mine !== null, `${hostile.subarray(0, 40)}`);
    assert.equal(logdepth('info', 'm.json').status, 2, mine);
  }
  const {sha256: hash} = JSON.parse(text);
  for (const same of [packed, Buffer.from(JSON.stringify(JSON.parse(text))), Buffer.from(text.replaceAll('\n', ' \r\n\t')),
                      Buffer.from(text.replace('"small"', '"\\u0073mall"'))]) {
    write('m.json', same);
    assert.equal(await refusal('m.json'), null);
    assert.equal(logdepth('info', 'm.json').status, 0);
  }
  assert.equal(hash, hashOf(words));
});

test('SHA-256 of the examples of FIPS 180', () => {
  const of = (text) => sha256(new TextEncoder().encode(text));
  assert.equal(of('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  assert.equal(of(''), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  assert.equal(of('a'.repeat(1000000)), 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0');
});

/** Every place of a value: [the object or array around it, its key]. */
function places(value, found = []) {
  for (const key of Object.keys(value)) {
    found.push([value, key]);
    if (value[key] !== null && typeof value[key] === 'object') places(value[key], found);
  }
  return found;
}

// The text has the right hash, so that only the rules of the format decide. Both readers have to decide alike.
test('changed members, with the hash of the changed content', async () => {
  const random = dice(4), files = [words, difference, rows, adjacency, votes], verdicts = [0, 0];
  for (let round = 0; round < 70; ++round) {
    const file = JSON.parse(JSON.stringify(random.pick(files))), [around, key] = random.pick(places(file)), value = around[key];
    const how = random.below(4), others = [null, true, false, -1, 0, 1, 2, 3, 5, 8, '', '0', '1', 'a', '2/4', [], {}, [0, '1'], [0, 1, '1/2']];
    if (how === 0 && !Array.isArray(around)) delete around[key];
    else if (how === 0) around.splice(key, 1);
    else if (how === 1 && Array.isArray(around)) around.push(value);
    else if (how === 1) around[`${key}2`] = value;
    else if (how === 2 && typeof value === 'number') around[key] = value + random.pick([-1, 1]);
    else around[key] = random.pick(others);
    seal('m.json', file);
    const mine = await refusal('m.json'), {status, err} = logdepth('info', 'm.json');
    assert.equal(mine !== null, status === 2, `${key} of ${JSON.stringify(around).slice(0, 200)}:\n${mine}\n${err}`);
    ++verdicts[Number(mine === null)];
  }
  assert.ok(verdicts[0] > 10 && verdicts[1] > 2, `${verdicts}`);
});

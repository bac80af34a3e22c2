// Weights files that were damaged or changed: the runner in playground/ refuses them in a sentence, as the program does.
import assert from 'node:assert/strict';
import test from 'node:test';

import {Refusal, readModel} from '../../playground/exact_runner.mjs';
import {dice} from './dice.mjs';
import {logdepth, write} from './native.mjs';
import {adjacency, difference, rows, textOf, votes, words} from './small_files.mjs';

async function bothRefuse(text, expected) {
  await assert.rejects(readModel(text, 'm.json'), (error) => {
    assert.ok(error instanceof Refusal && error.message.startsWith('m.json: '), error.stack);
    assert.match(error.message, expected);
    return true;
  });
  write('m.json', text);
  assert.equal(logdepth('info', 'm.json').status, 2, text.slice(0, 80));
}

test('texts that are no weights file', async () => {
  const text = textOf(words), hashed = (file) => textOf(file);
  for (const other of ['', ' \n', `\ufeff${text}`, `${text}x`, text.slice(0, -3), text.replace('"name": "small"', '"name": NaN')])
    await bothRefuse(other, /^m\.json: not valid JSON: /);
  for (const other of ['{}', '[]', '7', hashed({...words, version: 2}), hashed({...words, format: 'weights'})])
    await bothRefuse(other, /expected the format logdepth-weights, version 1$/);
  await bothRefuse('null', /not what the format states/);
  const {layers, ...without} = words;
  for (const other of [without, {...words, layers: [7]}, {...words, unembedding: {rows: 1, columns: 4, entries: [[0, 0, 'x']]}}])
    await bothRefuse(hashed(other), /not what the format states/);
});

/** Every place of a value: [the object or array around it, its key]. */
function places(value, found = []) {
  for (const key of Object.keys(value)) {
    found.push([value, key]);
    if (value[key] !== null && typeof value[key] === 'object') places(value[key], found);
  }
  return found;
}

test('a change of any member is seen by the hash, another layout is none', async () => {
  const random = dice(4), others = [null, true, -1, 7, '', '9/7', 'a', [], {}];
  for (const file of [words, difference, rows, adjacency, votes]) {
    const text = textOf(file), {length} = places(JSON.parse(text));
    for (const same of [text, JSON.stringify(JSON.parse(text)), text.replaceAll('\n', ' \r\n\t'), text.replace('"small"', '"\\u0073mall"')])
      await readModel(same);
    for (let at = 0; at < length; ++at) {
      const changed = JSON.parse(text), [around, key] = places(changed)[at], value = around[key];
      if (key === 'sha256') continue;
      around[key] = random.pick(others.filter((other) => JSON.stringify(other) !== JSON.stringify(value)));
      await assert.rejects(readModel(JSON.stringify(changed)), Refusal, `${key}: ${JSON.stringify(value)}`);
    }
  }
});

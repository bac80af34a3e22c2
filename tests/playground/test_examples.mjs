// The stored examples of the page are what the program writes.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {readFileSync, readdirSync} from 'node:fs';

import {path} from './native.mjs';

const folder = new URL('../../playground/', import.meta.url).pathname;
const {status, stderr} = spawnSync(`${folder}write_examples.sh`, [process.env.LOGDEPTH_BINARY, path('examples')], {encoding: 'utf8'});
assert.equal(status, 0, stderr);
assert.deepEqual(readdirSync(path('examples')), readdirSync(`${folder}examples`));
for (const name of readdirSync(path('examples')))
  assert.equal(readFileSync(`${folder}examples/${name}`, 'utf8'), readFileSync(path(`examples/${name}`), 'utf8'),
               `playground/examples/${name}: write it again with playground/write_examples.sh`);

// The files of playground import each other and nothing else, and are short.
for (const name of readdirSync(folder).filter((name) => name.endsWith('.mjs'))) {
  const lines = readFileSync(folder + name, 'utf8').split('\n');
  assert.ok(lines.length <= 500, `${name}: ${lines.length} lines`);
  assert.ok(!/\b(?:eval|Function)\(/.test(lines.join('\n')), `${name}: a text is evaluated`);
  lines.forEach((line, i) => assert.ok([...line].length <= 120, `${name}:${i + 1}: ${line.length} columns`));
  for (const line of lines) {
    const from = /\bfrom '([^']*)'/.exec(line)?.[1];
    if (from) assert.ok(from.startsWith('./'), `${name}: ${from}`);
  }
}

// The program, and its answers compared with those of the runner in playground/, value by value.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

import {Outcome, edgeList, cellsInput, graphInput, readModel, run, wordInput} from '../../playground/exact_runner.mjs';
import {hashOf} from './small_files.mjs';

export const folder = mkdtempSync(join(tmpdir(), 'logdepth-playground-'));
process.on('exit', () => rmSync(folder, {recursive: true, force: true}));

export const path = (name) => join(folder, name);
export const write = (name, text) => writeFileSync(path(name), text);
export const read = (name) => readFileSync(path(name));

export function logdepth(...args) {
  const {status, stdout, stderr, error} = spawnSync(process.env.LOGDEPTH_BINARY, args, {
    cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 30, timeout: 120000,
  });
  if (error) throw error;
  return {status, out: stdout, err: stderr};
}

export function compile(name, ...args) {
  const {status, err} = logdepth('compile', ...args, '-o', name);
  assert.equal(status, 0, err);
}

/** Stores a file with the hash of its content. */
export function seal(name, file) {
  file.sha256 = hashOf(file);
  write(name, JSON.stringify(file));
}

/** The object of a file, without what names its coordinates: traces then have every coordinate. */
export function contentOf(name) {
  const {cells, derived, ...file} = JSON.parse(read(name));
  return file;
}

/** All words of at most `longest` letters, and one of each of the lengths. */
export function wordsOver(alphabet, longest, lengths, {pick}) {
  const words = [''];
  for (let i = 0; words[i].length < longest; ++i) for (const letter of alphabet) words.push(words[i] + letter);
  for (const length of lengths) words.push(Array.from({length}, () => pick(alphabet)).join(''));
  return words;
}

// ------------------------------------------------------------------------------------------------- comparisons

/** What a run shows: its answer, and the lines of a trace as the program writes them. */
function observed(model, input) {
  const lines = [];
  const cells = (h) => Object.fromEntries(h.flatMap((x, at) => (x.isZero() ? [] : [[at, [`${x}`]]])));
  try {
    const answer = run(model, input(model), ({layer, sublayer, stream, selections = []}) => {
      selections.forEach((rows, head) => rows.forEach((selected, token) => lines.push({head, layer, selected, token})));
      stream.forEach((h, token) => lines.push({cells: cells(h), layer, sublayer, token}));
    });
    return {...answer, outcome: answer.decision ?? 'a table', lines};
  } catch (error) {
    if (!(error instanceof Outcome)) throw error;
    return {outcome: error.outcome, lines, promises: 0, broken: null};
  }
}

export const totals = {inputs: 0, lines: 0, prefixes: 0, broken: 0, outcomes: {}};
export const summary = () => JSON.stringify(totals);

/**
 * Compares outcomes, prefixes, tables, depth, contracts and every line of the traces of `logdepth run NAME` with those of the
 * runner. `inputs` are functions of the model; options(kept) has the options of the program for some of them. Where the numbers
 * leave the field, the program continues with nested radicals, which takes long: it is run on the first such input alone.
 */
export async function compare(name, inputs, options) {
  const model = await readModel(`${read(name)}`, name), all = inputs.map((input) => observed(model, input));
  const left = all.findIndex(({outcome}) => outcome === 'outside the field');
  const kept = all.flatMap(({outcome}, i) => (outcome !== 'outside the field' || i === left ? [i] : []));
  const prefixes = model.output.prefix && model.input.kind === 'word' ? ['--prefixes'] : [];
  const {status, out, err} = logdepth('run', name, ...options(kept), ...prefixes, '--json', '--trace', 'trace.jsonl');
  assert.ok([0, 1, 3].includes(status), err);

  const native = JSON.parse(out), traces = [];
  for (const line of `${read('trace.jsonl')}`.split('\n').filter(Boolean).map((line) => JSON.parse(line))) {
    if (line.schema) traces.push([]);
    else traces.at(-1).push(line);
  }
  assert.equal(native.results.length, kept.length);
  // The rows of a graph do not depend on source and target: the program runs them once.
  const runs = model.output.kind === 'relation' ? all.slice(0, 1) : all;
  if (runs.length < all.length) traces.push(...Array(kept.length - traces.length).fill(traces[0]));
  kept.forEach((i, k) => compareOne(model, all[i], native.results[k], traces, `${name}, input ${i}`));
  if (left < 0) {
    const broken = all.find((answer) => answer.broken !== null)?.broken;
    assert.equal(broken === undefined, native.promises.broken === undefined, `${name}: ${broken}, ${native.promises.broken}`);
    assert.equal(runs.reduce((sum, {promises}) => sum + promises, 0), native.promises.evaluated, name);
    totals.broken += broken !== undefined;
  }
  return native;
}

function compareOne(model, mine, theirs, traces, place) {
  ++totals.inputs;
  totals.outcomes[mine.outcome] = (totals.outcomes[mine.outcome] ?? 0) + 1;
  const left = theirs.left_field !== undefined || theirs.outcome === 'outside the field';
  assert.equal(mine.outcome === 'outside the field', left, place);
  const lines = mine.outcome === 'outside the hypotheses' && traces[0]?.length !== 0 ? [] : traces.shift();
  if (left) return;
  assert.deepEqual(mine.lines, lines, place);
  totals.lines += lines.length;
  if (mine.table) {
    const named = (row) => Object.fromEntries(row.map((x, i) => [model.output.names[i], `${x}`]));
    assert.deepEqual(Array.isArray(theirs.cells) ? mine.table.map(named) : named(mine.table.at(-1)), theirs.cells, place);
  } else {
    assert.equal(mine.outcome, theirs.outcome, place);
  }
  if (mine.depth !== undefined) assert.equal(mine.depth, theirs.depth, place);
  if (theirs.prefixes) assert.deepEqual(mine.prefixes, theirs.prefixes, place);
  totals.prefixes += theirs.prefixes?.length ?? 0;
}

export function compareWords(name, words) {
  return compare(name, words.map((word) => (model) => wordInput(model, word)), (kept) => {
    write('batch.txt', kept.map((i) => `${words[i]}\n`).join(''));
    return ['--batch', 'batch.txt'];
  });
}

export function compareCells(name, text) {
  write('cells.txt', text);
  return compare(name, [(model) => cellsInput(model, text)], () => ['--cells', 'cells.txt']);
}

/** All pairs of vertices. */
export function compareGraph(name, text) {
  const graph = edgeList(text), pairs = graph.vertices.flatMap((s) => graph.vertices.map((t) => [s, t]));
  write('graph.edges', text);
  return compare(name, pairs.map(([s, t]) => (model) => graphInput(model, graph, s, t)), (kept) => {
    write('pairs.txt', kept.map((i) => `${pairs[i].join(' ')}\n`).join(''));
    return ['--graph', 'graph.edges', '--batch', 'pairs.txt'];
  });
}

// Small files made by hand, and the text of one, to be changed.
import {createHash, webcrypto} from 'node:crypto';

import {canonical} from '../../playground/weights_file.mjs';

globalThis.crypto ??= webcrypto;  // of node 18

export const matrix = (rows, columns, ...entries) => ({rows, columns, entries});

const base = {
  format: 'logdepth-weights', version: 1, name: 'small', construction: 'none', source: 'none', hypotheses: ['none'], deviations: [],
  parameters: {}, alphabet: [], norm: 'rms', unroll: {kind: 'fixed', loops: 0}, embedding: {},
  position: {kind: 'first-flag', first: [], rest: []}, shape: {initial: 0, repeated: 0, final: 0}, layers: [],
};

const nothing = (width) => ({mask: [], in: matrix(0, width), out: matrix(width, 0)});

/** A word over a and b: a uniform head in the initial layer, a match in the repeated one, every kind of member. */
export const words = {
  ...base, alphabet: ['a', 'b'], input: {kind: 'word', begin: true}, width: 4, shape: {initial: 1, repeated: 1, final: 0},
  parameters: {positions: 'circle', rate: 0.5}, unroll: {kind: 'ceil_log2', of: 'letters', minus: 0, max_length: 64},
  position: {kind: 'circle', fills: [{at: [2, 3], back: 1, scale: '1/2'}]},
  embedding: {'<begin>': [[0, '1']], a: [[1, '-2/3']], b: [[0, '1'], [1, '2']]},
  output: {kind: 'accept', accept: 0, reject: 1, prefix: {kind: 'transformation', points: 2, images: [[0, 1], [1]], first_row: 2}},
  unembedding: matrix(5, 4, [0, 0, '1'], [1, 1, '1'], [2, 1, '-7']),
  layers: ['initial', 'repeated'].map((block, i) => ({
    block,
    attention: {
      mask: [[0, '1'], [1, '1/2']],
      heads: [{
        causal: true, query: matrix(1, 4, [0, 2 * i, '1']), key: matrix(1, 4, [0, 2 * i, '3/4']), value: matrix(1, 4, [0, 1, '2']),
        output: matrix(4, 1, [1, 0, '3/4']), promise: i ? {kind: 'match', selects: 'at-least-one'} : {kind: 'uniform'},
      }],
    },
    feedforward: {mask: [[1, '1']], in: matrix(2, 4, [0, 0, '1'], [1, 1, '-1']), out: matrix(4, 2, [0, 1, '5'])},
  })),
  cells: {one: {coordinates: [0], type: 'constant', lifetime: 'permanent'}},
};

/** Raw inputs x and y under layer norm; the answer is x − y and 2y. */
export const difference = {
  ...base, input: {kind: 'cells', names: ['x', 'y'], mirrored: true}, norm: 'layernorm', width: 8,
  output: {kind: 'cells', names: ['x-y', '2y']}, unembedding: matrix(2, 8, [0, 0, '1'], [0, 5, '1'], [1, 1, '2']),
};

/** The rows of a graph of two vertices, related by its edges; heads with three kinds of contracts. */
export const rows = (() => {
  const none = matrix(3, 9), first = matrix(3, 9, [0, 7, '1'], [2, 7, '1']), flag = [[7, '1']];
  const head = (key, promise) => ({causal: false, query: key, key, value: matrix(0, 9), output: matrix(9, 0), promise});
  return {
    ...base, input: {kind: 'graph', layout: 'rows', size: 2}, width: 9, output: {kind: 'relation'},
    unroll: {kind: 'ceil_log2', of: 'vertices', minus: 0}, position: {kind: 'first-flag', first: [[8, '1']], rest: [[8, '-1']]},
    embedding: {'<vertex>': flag}, unembedding: matrix(2, 9, [0, 0, '1'], [1, 1, '1']),
    shape: {initial: 1, repeated: 0, final: 0},
    layers: [{
      block: 'initial', feedforward: nothing(9),
      attention: {mask: flag, heads: [
        head(none, {kind: 'flagged', flag, when: [[8, '2']]}), head(none, {kind: 'flagged', flag}),
        head(first, {kind: 'find', terms: 1, prefer: true, selects: 'at-least-one'}),
        head(none, {kind: 'related', pairs: [[7, 7], [0, 1]], prefer: flag}), head(none, {kind: 'rightmost', flag}),
      ]},
    }],
  };
})();

/** A graph token by token; accepts all. */
export const adjacency = {
  ...base, input: {kind: 'graph', layout: 'adjacency', padding: 'n3-n2'}, width: 4, output: {kind: 'accept', accept: 0, reject: 1},
  unembedding: matrix(2, 4, [0, 3, '1']),
  embedding: Object.fromEntries(['edge', 'no-edge', 'pad', 'source', 'target'].map((kind) => [`<${kind}>`, [[3, '1']]])),
};

/** Directions (x, y) and votes: a token takes the votes of those whose directions are nearest to its own. */
export const votes = {
  ...base, input: {kind: 'cells', names: ['x', 'y', 'vote']}, width: 4, output: {kind: 'accept', accept: 0, reject: 1},
  unembedding: matrix(2, 4, [0, 3, '1']), shape: {initial: 1, repeated: 0, final: 0},
  layers: [{
    block: 'initial', feedforward: nothing(4),
    attention: {mask: [[0, '1'], [1, '1'], [2, '1']], heads: [{
      causal: false, query: matrix(2, 4, [0, 0, '1'], [1, 1, '1']), key: matrix(2, 4, [0, 0, '1'], [1, 1, '1']),
      value: matrix(1, 4, [0, 2, '1']), output: matrix(4, 1, [3, 0, '1']), promise: {kind: 'uniform'},
    }]},
  }],
};

export const hashOf = ({derived, sha256, ...content}) => createHash('sha256').update(`${canonical(content)}\n`).digest('hex');

/** The canonical text of a file, with its hash. */
export const textOf = (file) => `${canonical({...file, sha256: hashOf(file)})}\n`;

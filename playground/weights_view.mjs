// Choosing an entry of a matrix, and where the changed network first differs.

import {$, make} from './elements.mjs';

let all = [];

const matrixOf = ({path: [, layer, sublayer, ...rest]}) => `layer ${layer + 1} of the file, ` +
    (sublayer === 'attention' ? `head ${rest[1]}, ${rest[2]}` : `feed-forward ${rest[0]}`);

export function offerWeights(weights) {
  all = weights;
  const names = [...new Set(weights.map(matrixOf))];
  $('matrix').replaceChildren(...names.map((name) => make('option', {}, name)));
  offerEntries();
}

function offerEntries() {
  const chosen = all.map((weight, at) => [weight, at]).filter(([weight]) => matrixOf(weight) === $('matrix').value);
  $('entry').replaceChildren(...chosen.map(([{row, column, value}, at]) =>
    make('option', {value: at}, `(${row}, ${column}) = ${value}`)));
}

$('matrix').addEventListener('change', offerEntries);

export const chosenPlace = () => all[$('entry').value]?.path;

/** The sentence about a changed network. */
export function breakSentence({before, after, broken, first}) {
  if (first === null) return `No value of this run differs: ${after ?? 'the same values'}.`;
  const {layer, sublayer, token, head, name, expected, found} = first;
  const what = head === undefined ? `${name} at token ${token}` : `head ${head}, token ${token}`;
  const answers = before === after ? `the answer is still ${after ?? 'a value'}` :
                                     `the answer is ${after}, before it was ${before}`;
  return `First difference: layer ${layer}, ${sublayer}, ${what}: expected ${expected}, found ${found}; ${answers}.` +
    (broken ? ` Contract violated: ${broken}.` : '');
}

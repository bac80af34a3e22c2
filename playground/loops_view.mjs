// More than words: reachability loop by loop, and division as blocks.

import {$, make, table} from './elements.mjs';

export function showLoops(run, names, {kind, division, vertices}) {
  const parts = kind === 'graph' ? reachability(run, names, vertices) :
      kind === 'division'        ? blocks(run, division) :
                                   null;
  $('loops-section').hidden = parts === null;
  if (parts === null) return;
  $('loops-title').textContent = kind === 'graph' ? 'Reachability, loop by loop' : 'Division as blocks';
  $('loops').replaceChildren(...parts);
}

/** A file with a token per vertex holds in R.j of token i whether j was reached from i. */
function reachability(run, names, vertices) {
  const columns = vertices.map((_, j) => names.indexOf(`R.${j}`));
  if (columns.includes(-1) || !run.steps[0].held) return null;
  const tables = [];
  for (let layer = 0; layer <= run.depth; ++layer) {
    const {held} = run.steps.findLast((step) => step.layer === layer);
    const rows = vertices.map((name, i) => {
      const values = new Map(held[i]);
      return [
        name, ...columns.map((at) => (`${values.get(at) ?? '0'}`.startsWith('-') || !values.has(at) ? '·' : '●'))
      ];
    });
    tables.push(make(
        'div', {}, make('h3', {}, layer === 0 ? 'the graph' : `after layer ${layer}`),
        table(['from', ...vertices], rows)));
  }
  return [
    make('p', {className: 'small'}, 'Row: from; column: to. Each layer joins two walks, so their length doubles.'),
    make('div', {className: 'columns'}, ...tables)
  ];
}

function blocks(run, {dividend, divisor}) {
  const {quotient, remainder} = run.quotients ?? {};
  const of = (first, size, rest) => make(
      'span', {className: rest ? 'rest' : ''},
      size ? `${first}–${first + size - 1}`.replace(/^(\d+)–\1$/, '$1') : '');
  const parts = [];
  for (let first = 1; first <= dividend; first += divisor)
    parts.push(of(first, Math.min(divisor, dividend - first + 1), dividend - first + 1 < divisor));
  return [
    make(
        'p', {},
        `${dividend} = ${quotient} · ${divisor} + ${remainder}: the token ${dividend} holds the quotient ${quotient} ` +
            `and the remainder ${remainder}.`),
    make('div', {className: 'blocks'}, ...parts)
  ];
}

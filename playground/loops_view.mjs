// Reachability loop by loop.

import {$, make, table} from './elements.mjs';

export function showLoops(run, names, vertices) {
  const parts = vertices.length ? reachability(run, names, vertices) : null;
  $('loops-section').hidden = parts === null;
  if (parts !== null) $('loops').replaceChildren(...parts);
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

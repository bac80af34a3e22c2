// The language: what theory says of its depth, the minimal automaton, the eggboxes of its monoid.

import {$, draw, make, table} from './elements.mjs';

const MOST_DRAWN = 12, SIZE = 340, RADIUS = 16;

export function showLanguage({theory, algebra}) {
  $('language-section').hidden = !theory && !algebra;
  $('theory').replaceChildren(...(theory ? [theoryTable(theory)] : []));
  $('automaton').replaceChildren(...(algebra ? automaton(algebra) : []));
  $('eggboxes').replaceChildren(...(algebra ? eggboxes(algebra) : []));
}

function theoryTable({depth, algebra, monoid, minimal_states: states}) {
  const sizes = [
    states && `${states} states of the minimal automaton`, monoid && `${monoid.size} elements of its monoid`,
    monoid && `largest subgroup of order ${monoid.largest_subgroup}`
  ];
  const groups = algebra?.groups?.map(({name, solvable}) => `${name} (${solvable ? 'solvable' : 'not solvable'})`);
  const rows = [['depth', depth], ['circuits', algebra?.known], ['groups', groups?.join(', ')],
                ['sizes', sizes.filter(Boolean).join(', ')]];
  return table(['', 'theory'], rows.filter(([, text]) => text));
}

function automaton({letters, automaton: {initial, states}}) {
  const name = (to) => `${to}`;
  const rows = states.map(({accepts, to}, i) => [
    `${i}${i === initial ? ' (initial)' : ''}${accepts ? ' (accepting)' : ''}`, ...to.map(name)]);
  const drawn = states.length <= MOST_DRAWN ? [picture(letters, initial, states)] : [];
  const list = make('details', {open: drawn.length === 0}, make('summary', {}, 'Table of transitions'),
                    make('div', {className: 'boxes'}, table(['state', ...letters], rows)));
  return [
    make('h3', {}, `Minimal automaton, ${states.length} ${states.length === 1 ? 'state' : 'states'}`), ...drawn, list
  ];
}

function picture(letters, initial, states) {
  const middle = SIZE / 2, around = states.length === 1 ? 0 : middle - 62;
  const at = states.map((_, i) => {
    const angle = Math.PI + 2 * Math.PI * i / states.length;
    return [middle + around * Math.cos(angle), middle + around * Math.sin(angle)];
  });
  const edges = new Map();
  states.forEach(({to}, from) => to.forEach((target, letter) => {
    const key = `${from},${target}`;
    edges.set(key, [...(edges.get(key) ?? []), letters[letter]]);
  }));
  const svg = draw('svg', {viewBox: `0 0 ${SIZE} ${SIZE}`, width: SIZE, role: 'img', style: 'max-width:100%',
                           'aria-label': 'the minimal automaton; its transitions are in the table below'});
  svg.append(draw('defs', {}, draw('marker', {id: 'tip', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 8,
                                              markerHeight: 8, orient: 'auto-start-reverse'},
                                   draw('path', {d: 'M0 0L8 4L0 8z', class: 'tip'}))));
  for (const [key, names] of edges) svg.append(...arrow(...key.split(',').map(Number), names.join(','), at, middle));
  states.forEach(({accepts}, i) => {
    const [cx, cy] = at[i], text = draw('text', {x: cx, y: cy + 5, 'text-anchor': 'middle'});
    text.textContent = i;
    svg.append(draw('circle', {cx, cy, r: RADIUS, class: 'vertex'}));
    if (accepts) svg.append(draw('circle', {cx, cy, r: RADIUS - 4, class: 'inner'}));
    if (i === initial) svg.append(draw('path', {d: `M${cx - 34} ${cy - 30}L${cx - 12} ${cy - 11}`, class: 'edge',
                                                'marker-end': 'url(#tip)'}));
    svg.append(text);
  });
  return svg;
}

function arrow(from, to, label, at, middle) {
  const [[x, y], [u, v]] = [at[from], at[to]], text = draw('text', {'text-anchor': 'middle'});
  text.textContent = label.length > 12 ? `${label.slice(0, 11)}…` : label;
  const place = (px, py) => (text.setAttribute('x', px), text.setAttribute('y', py + 5));
  if (from === to) {  // a loop on the side away from the middle
    const far = Math.hypot(x - middle, y - middle) || 1,
          [dx, dy] = far === 1 ? [0, -1] : [(x - middle) / far, (y - middle) / far];
    const end = (turn) => [x + RADIUS * (dx * .8 - turn * dy * .6), y + RADIUS * (dy * .8 + turn * dx * .6)];
    const control = (turn) => [x + 42 * (dx - turn * dy * .55), y + 42 * (dy + turn * dx * .55)];
    place(x + 50 * dx, y + 46 * dy);
    return [
      draw('path', {d: `M${end(-1)}C${control(-1)} ${control(1)} ${end(1)}`, class: 'edge', 'marker-end': 'url(#tip)'}),
      text
    ];
  }
  const length = Math.hypot(u - x, v - y), [dx, dy] = [(u - x) / length, (v - y) / length];
  const bend = 22, [cx, cy] = [(x + u) / 2 - dy * bend, (y + v) / 2 + dx * bend];
  const edge = (px, py) => {
    const far = Math.hypot(cx - px, cy - py);
    return [px + RADIUS * (cx - px) / far, py + RADIUS * (cy - py) / far];
  };
  place((x + u) / 2 - dy * (bend / 2 + 9), (y + v) / 2 + dx * (bend / 2 + 9));
  return [
    draw('path', {d: `M${edge(x, y)}Q${cx} ${cy} ${edge(u, v)}`, class: 'edge', 'marker-end': 'url(#tip)'}), text
  ];
}

function eggboxes({size, boxes}) {
  const cell = (elements) => make('td', {}, elements.map(({word, idempotent}) =>
    `${word === '' ? 'ε' : word}${idempotent ? '*' : ''}`).join(' '));
  const tables = boxes.map((rows) => make('table', {className: 'egg'},
    make('tbody', {}, ...rows.map((row) => make('tr', {}, ...row.map(cell))))));
  return [make('h3', {}, `Monoid, ${size} elements in ${boxes.length} ${boxes.length === 1 ? 'J-class' : 'J-classes'}`),
          make('p', {className: 'small'}, 'Each table is a J-class; rows are R-classes, columns are L-classes. ' +
               'An element is a shortest word with that product; * marks idempotents.'),
          make('div', {className: 'boxes', tabIndex: 0, role: 'group', ariaLabel: 'eggboxes'}, ...tables)];
}

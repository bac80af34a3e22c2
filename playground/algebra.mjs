// The transition monoid that a file of prefix products names, its eggboxes, and the minimal automaton of its answers.

import {run, wordInput} from './exact_runner.mjs';

const MOST_ELEMENTS = 130;

/** {letters, elements: [{word, images}], right: [[element per letter]]}, from the products of single letters. */
function monoidOf(generators, letters) {
  const identity = generators[0].map((_, point) => point), elements = [{word: '', images: identity}], right = [];
  const known = new Map([[`${identity}`, 0]]);
  for (let i = 0; i < elements.length; ++i) {
    right.push(generators.map((images, letter) => {
      const product = elements[i].images.map((point) => images[point]), key = `${product}`;
      if (!known.has(key)) {
        known.set(key, elements.length);
        const separated = letters.every((one) => one.length === 1) ? '' : ' ';
        elements.push({word: `${elements[i].word}${elements[i].word && separated}${letters[letter]}`, images: product});
      }
      return known.get(key);
    }));
    if (elements.length > MOST_ELEMENTS) return null;
  }
  const left = elements.map(({images}) => generators.map((generator) =>
    known.get(`${generator.map((point) => images[point])}`)));
  return {letters, elements, right, left};
}

/** Numbers of the strongly connected components of a graph: what is reachable from each other. */
function components(edges) {
  const reach = edges.map((_, from) => {
    const seen = new Set([from]), todo = [from];
    while (todo.length) for (const to of edges[todo.pop()]) if (!seen.has(to)) seen.add(to), todo.push(to);
    return seen;
  });
  const names = new Map();
  return reach.map((seen, from) => {
    const members = [...seen].filter((to) => reach[to].has(from)), key = Math.min(...members);
    if (!names.has(key)) names.set(key, names.size);
    return names.get(key);
  });
}

/** J-classes as boxes: rows are R-classes, columns are L-classes, cells are lists of elements. */
function eggboxes({elements, right, left}) {
  const r = components(right), l = components(left), j = components(right.map((row, i) => [...row, ...left[i]]));
  const boxes = new Map();
  elements.forEach(({word, images}, i) => {
    if (!boxes.has(j[i])) boxes.set(j[i], {rows: new Map(), columns: []});
    const box = boxes.get(j[i]);
    if (!box.columns.includes(l[i])) box.columns.push(l[i]);
    if (!box.rows.has(r[i])) box.rows.set(r[i], new Map());
    const row = box.rows.get(r[i]);
    const idempotent = images.every((point) => images[point] === point);
    row.set(l[i], [...(row.get(l[i]) ?? []), {word, idempotent}]);
  });
  return [...boxes.values()].map(({rows, columns}) =>
    [...rows.values()].map((row) => columns.map((column) => row.get(column) ?? [])));
}

/** The minimal automaton of the elements as states, by the refinement of Moore. */
function minimal({right}, accepts) {
  let classes = accepts.map(Number);
  for (let before = 0; ;) {
    const names = new Map(), next = classes.map((own, i) => {
      const key = [own, ...right[i].map((to) => classes[to])].join();
      if (!names.has(key)) names.set(key, names.size);
      return names.get(key);
    });
    if (names.size === before) return states(right, accepts, next);
    before = names.size;
    classes = next;
  }
}

function states(right, accepts, classes) {
  const of = [];
  classes.forEach((own, i) => (of[own] ??= {accepts: accepts[i], to: right[i].map((to) => classes[to])}));
  return {initial: classes[0], states: of};
}

/** Null where the file yields no prefix products, or the monoid is larger than a page shows. */
export function algebraOf(model) {
  const letters = model.alphabet, {prefix} = model.output;
  if (model.input.kind !== 'word' || !prefix || prefix.kind === 'state' || letters.length > 26) return null;
  try {
    const generators = letters.map((letter) => run(model, wordInput(model, letter)).prefixes[0]);
    const monoid = generators.includes(null) ? null : monoidOf(generators, letters);
    if (monoid === null) return null;
    const accepts = monoid.elements.map(({word}) => run(model, wordInput(model, word)).decision === 'accept');
    return {letters, size: monoid.elements.length, automaton: minimal(monoid, accepts), boxes: eggboxes(monoid)};
  } catch {
    return null;  // a changed network
  }
}

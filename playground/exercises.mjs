// Seven exercises for a class: a goal, a number of layers, and a line of the visitor's, tested by the oracle of the
// program. What the visitor writes stands in the form of the page.

import {Real, rational} from './exact_numbers.mjs';
import {Refusal, cellsInput, run} from './exact_runner.mjs';

const BINARY = {'up-to': 8};
/** Around n letters a and n letters b, for n up to 40: the words over which a program that counts errs. */
const NEAR = Array.from({length: 40}, (_, n) => [[n, n, 0], [n, n + 1, 0], [n + 1, n, 0], [n, n, 1], [n, 1, 1]]).flat()
  .map(([a, b, late]) => 'a'.repeat(a) + 'b'.repeat(b) + 'a'.repeat(late)).join('\n');
const ANBN = `alphabet a b
late := #[Q_a and #[Q_b] >= 1]
D := #[Q_a] = #[Q_b] and late = 0
`;

/** goal: of `logdepth test --against`; most: layers for 1024 letters; stored: the file whose program is changed. */
export const EXERCISES = [
  {
    id: 'parity',
    title: '1 of 7. Parity in two layers',
    text: ['Write a regular expression for the words over a and b with an even number of b. A scan takes 10 layers ' +
           'for 1024 letters; choose the construction that takes two for every length.'],
    question: {kind: 'regex', text: '(a|bb)*', word: 'abab', construction: 'scan'},
    goal: {goal: 'regex:(a|ba*b)*', options: BINARY},
    most: 2,
  },
  {
    id: 'star-free',
    title: '2 of 7. No two a in a row',
    text: ['Write a formula of past temporal logic that holds at the last letter of the words without aa: Y is the ' +
           'letter before, O some letter so far, H every one, S since. The empty word is accepted.'],
    question: {kind: 'ltl', text: 'H(a -> Y b)', word: 'babba'},
    goal: {goal: 'regex:(b|ab)*a?', options: BINARY},
    alphabet: 'ab',
    most: 2,
  },
  {
    id: 'counting',
    title: '3 of 7. As many b behind the a',
    text: ['Write a C-RASP program for n letters a and then n letters b. No automaton does it. This one counts, and ' +
           'forgets the order.'],
    question: {kind: 'crasp', text: 'alphabet a b\nas := #[Q_a]\nbs := #[Q_b]\nD  := as = bs\n', word: 'aabb'},
    goal: {goal: 'crasp:goal.crasp', files: {'goal.crasp': ANBN, near: NEAR}, options: BINARY, batch: 'near'},
    most: 4,
  },
  {
    id: 'back',
    title: '4 of 7. Two letters back',
    text: ['Accept the words over a and b whose third letter from the end is a: a formula of past temporal logic, in ' +
           'two layers.'],
    question: {kind: 'ltl', text: 'Y a', word: 'babab'},
    goal: {goal: 'regex:(a|b)*a(a|b)(a|b)', options: BINARY},
    alphabet: 'ab',
    most: 2,
  },
  {
    id: 'hops',
    title: '5 of 7. Two hops in three layers',
    text: ['An induction head answers the letter behind the last letter like its own. Its pointer stands in J, and ' +
           'what it found in V. Add a final layer in which a second head matches J with the key I, and moves on what ' +
           'that token found: two hops.'],
    question: {kind: 'program', word: 'abcabdab'},
    stored: 'hop1.json',
    goal: {goal: 'khop:2', options: {'up-to': 5}},
    most: 3,
  },
  {
    id: 'doubling',
    title: '6 of 7. A product of 1024 permutations',
    text: ['Name the group of the even permutations of five points, which is not solvable. The tree of the paper ' +
           'takes two layers for every doubling: choose the construction that takes one.'],
    question: {kind: 'group', text: 'A4', word: 'abab', construction: 'tree'},
    goal: {goal: 'group:A5', options: BINARY},
    most: 10,
  },
  {
    id: 'offset',
    title: '7 of 7. An error of the paper',
    text: ['Lemma A.6 as printed: the output x of token i should be φ(i - 1), the position code of the token ' +
           'before it. Check it, and mend one line. fst is +1 at the first token and -1 elsewhere.'],
    question: {kind: 'program'},
    stored: 'lem-A.6.json',
    goal: {offset: true},
    most: 1,
  },
];

/** The first wrong one of tokens 1 to 8 of the program of Lemma A.6; right is φ(i - 1) = (i - 1, 1)/√((i - 1)² + 1). */
export function firstWrongOffset(model) {
  if (model.input.kind !== 'cells' || model.output.names?.length !== 2)
    throw new Refusal('expected a construction in text form with raw inputs and two outputs, as this exercise begins');
  const names = model.input.names, given = names.map((_, k) => (k === names.length - 1 ? '1' : '0')).join(' ');
  const {table} = run(model, cellsInput(model, [names.join(' '), ...Array(9).fill(given)].join('\n')));
  for (let token = 1; token < table.length; ++token) {
    const below = rational((token - 1) ** 2 + 1), unit = rational(1).over(below);
    const expected = [rational((token - 1) ** 2).over(below), unit].map((square) => `${Real.ofSignedSquare(square)}`);
    const got = table[token].slice(0, 2).map(String);
    if (`${got}` !== `${expected}`)
      return {passed: false, counterexample: {token, expected: `(${expected.join(', ')})`, got: `(${got.join(', ')})`}};
  }
  return {passed: true};
}

/** What a check found, as a sentence. */
export function checkSentence({most}, {depth, at, tested}) {
  const {passed, counterexample, exhaustive_words: words, up_to: upTo} = tested;
  if (!passed) {
    const {word, token, expected, got} = counterexample;  // words are tested in the order of their length
    const which = word === undefined ? `Token ${token} is wrong`
      : `${[...word].length > upTo ? 'A' : 'The smallest'} wrong word is “${word}”`;
    return `Not yet. ${which}: expected ${expected}, found ${got}.`;
  }
  const right = words ? `Right on all ${words} words of at most ${upTo} letters and on longer ones`
                      : 'Right at every token';
  const layers = `${depth} ${depth === 1 ? 'layer' : 'layers'} for ${at} letters`;
  return depth > most ? `${right}, but too deep: ${layers}; at most ${most} are allowed.`
                      : `Passed. ${right}, in ${layers}.`;
}

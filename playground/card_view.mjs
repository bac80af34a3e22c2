// The card of a language: which depth it needs, by theory, and two networks for it, each tested, certified where a
// theorem covers it, and run in float16; and what training found.

import {$, make, table} from './elements.mjs';
import {inPageWords} from './page_words.mjs';
import {TimedOut} from './questions.mjs';
import {storedText} from './stored_files.mjs';

const CONSTRUCTIONS = [['cascade', 'by a cascade (Krohn and Rhodes)'], ['scan', 'by a scan (MS25, Theorem 4.1)']];
const MOST_SHOWN = 24;  // letters of a word

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

const short = (word, letters) => {
  const shown = [...word].slice(0, MOST_SHOWN).join('');
  return `“${shown}${shown === word ? '' : '…'}” (${letters} letter${letters === 1 ? '' : 's'})`;
};

/** The rows of the table, and what each says of a part of an answer. */
const ROWS = [
  ['layers', 'size', ({depth_formula: formula, depth, at}) =>
    `${formula}${/^\d+$/.test(formula) ? ', for every length' : `; ${depth} for ${at} letters`}`],
  ['size', 'size', ({width, heads, units, nonzeros}) =>
    `width ${width}, ${heads} ${heads === 1 ? 'head' : 'heads'}, ${units} hidden units, ${nonzeros} nonzero weights`],
  ['tested', 'tested', ({passed, exhaustive_words: all, up_to: upTo, chosen_words: chosen, random_words: random,
                         counterexample}) => passed
    ? `right on all ${all} words of at most ${upTo} letters, and on ${chosen + random} longer ones`
    : `WRONG on “${counterexample.word}”: expected ${counterexample.expected}, found ${counterexample.got}`],
  ['in float16', 'half', ({word, letters, exact, found, tried, upTo}) => word === null
    ? `the same answers on all ${tried} words that were tried, of at most ${letters} letters`
    : `${letters > upTo ? `right on all words of at most ${upTo} letters, wrong on` : 'first wrong on'} ` +
      `${short(word, letters)}: ${exact === found ? 'a prefix is read otherwise' : `${found}, not ${exact}`}`],
  ['certified', 'certified', ({certified, outputs_certified: outputs, scope, theorem}) => certified && outputs
    ? `correct for every word of ${scope} (theorem ${theorem})` : 'no theorem of the checker covers this network'],
];

export class Card {
  constructor(questions) {
    this.questions = questions;
  }

  /** Fills the card of a language: what is known of it, and both networks, one after the other. */
  async show({kind, text, format, name: file}) {
    const source = {kind, text, format, name: file}, name = file ?? text;
    $('card').hidden = false;
    $('card-title').textContent = `What depth does ${name} need?`;
    const cells = Object.fromEntries(CONSTRUCTIONS.map(([construction]) =>
      [construction, ROWS.map(() => make('td', {}, '…'))]));
    const rows = ROWS.map(([title], row) => [title, ...CONSTRUCTIONS.map(([name]) => cells[name][row])]);
    const theory = make('div');
    $('card-body').replaceChildren(theory, make('h3', {}, 'Two networks for it'),
      table(['', ...CONSTRUCTIONS.map(([, title]) => title)], rows), ...await trained(source));
    try {
      await this.questions.ask({ask: 'theory', source}, (_, found) => theory.replaceChildren(theoryTable(found)));
      for (const [construction] of CONSTRUCTIONS) await this.#network(source, construction, cells[construction]);
    } finally {  // where there was an error, or another question
      for (const cell of Object.values(cells).flat()) if (cell.textContent === '…') cell.textContent = '–';
    }
  }

  async #network(source, construction, cells) {
    const put = (part, value) => ROWS.forEach(([, of, said], row) => {
      if (of === part) cells[row].textContent = said(value);
    });
    const refused = (sentence) => cells.forEach((cell, row) => (cell.textContent = row ? '' : inPageWords(sentence)));
    try {
      await this.questions.ask({ask: 'card', source, construction},
                               (part, value) => (part === 'refused' ? refused(value) : put(part, value)));
    } catch (error) {
      if (!(error instanceof TimedOut)) throw error;
      for (const cell of cells) if (cell.textContent === '…') cell.textContent = 'not within 30 s';
    }
  }
}

/** What training found of a group, from the stored records (write_examples.sh). */
async function trained({kind, text}) {
  const heading = make('h3', {}, 'What training found'), all = JSON.parse(await storedText('trained.json'));
  const found = kind === 'group' ? all.filter(({problem}) => problem === text) : [];
  if (found.length === 0) {
    const known = [...new Set(all.map(({problem}) => problem))].join(', ');
    const sentence = `No network was trained on this language here. Trained were ${known}.`;
    return [heading, make('p', {className: 'small'}, sentence)];
  }
  const rows = found.map(({steps, layers, n_star: lengths}) => [`${steps}`, `${layers}`, lengths.join(', ')]);
  return [heading, table(['steps', 'layers', 'n* of every seed'], rows), make('p', {className: 'small'},
    `One layer of width 128, trained to be repeated so often, on words over all elements of ${text}: other letters ` +
    'than those of the networks above. n* is the largest length up to which 95 % of the words are answered right at ' +
    'every letter. Most of the networks still improved when training ended.')];
}

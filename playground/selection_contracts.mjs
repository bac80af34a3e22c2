// Checks that every head selects what its selection contract (`promise` in the file) states, at every token.

import {ZERO, dot} from './exact_numbers.mjs';

const sameTokens = (a, b) => a.length === b.length && a.every((token, i) => token === b[i]);
const upTo = (visible) => Array.from({length: visible}, (_, j) => j);

/**
 * Functions (i, visible, selected) of a token and the number of tokens that it sees: the list of tokens that the head
 * has to select, or whether it may select what it did. `stream` is that before the sublayer, `read` has queries and
 * keys.
 */
const RULES = {
  uniform: () => (i, visible) => upTo(visible),

  match: ({promise, read}) => (i, visible, selected) =>
    (promise.selects === 'at-least-one' || selected.length === 1) &&
    selected.every((j) => read[j].key.text === read[selected[0]].key.text),

  rightmost: ({promise, stream}) => {
    const flags = stream.map((h) => dot(promise.flag, h)), last = [];  // last[j]: of the tokens 0, …, j
    flags.forEach((flag, j) => last.push(j > 0 && flag.minus(flags[last[j - 1]]).sign() < 0 ? last[j - 1] : j));
    return (i, visible) => [last[visible - 1]];
  },

  flagged: ({promise, stream}) => {
    const positive = (vector) => stream.map((h) => dot(vector, h).sign() > 0);
    const flags = positive(promise.flag), when = promise.when && positive(promise.when);
    return (i, visible, selected) => {
      const flagged = when === undefined || when[i] ? upTo(visible).filter((j) => flags[j]) : [];
      return flagged.length ? flagged : upTo(visible);
    };
  },

  find: ({promise, read, head}) => {
    const at = (matrix, numbers, row) => numbers[matrix.lines.findIndex((line) => line.row === row)] ?? ZERO;
    const {query, key} = head, known = new Map();
    const matches = (q, k) => {  // in every pair of rows the key is a positive multiple of the query
      for (let term = 0; term < promise.terms; ++term) {
        const [x, y] = [0, 1].map((row) => at(query, q.numbers, 2 * term + row));
        const [u, v] = [0, 1].map((row) => at(key, k.numbers, 2 * term + row));
        const parallel = x.times(v).minus(y.times(u)).isZero(), along = x.times(u).plus(y.times(v)).sign();
        const zero = [x, y, u, v].every((number) => number.isZero());
        if (!(zero || (parallel && along > 0))) return false;
      }
      return true;
    };
    const remembered = (q, k) => {
      const name = `${q.text};${k.text}`;
      if (!known.has(name)) known.set(name, matches(q, k));
      return known.get(name);
    };
    return (i, visible, selected) => {
      let found = upTo(visible).filter((j) => remembered(read[i].query, read[j].key));
      if (promise.prefer) {
        const preference = (j) => at(key, read[j].key.numbers, 2 * promise.terms);
        let best = found[0];
        for (const j of found) if (preference(j).minus(preference(best)).sign() > 0) best = j;
        found = found.filter((j) => preference(j).minus(preference(best)).isZero());
      }
      const enough = found.length === 1 || (found.length > 1 && promise.selects === 'at-least-one');
      return enough && sameTokens(found, selected);
    };
  },

  related: ({promise, stream}) => {
    const preferred = stream.map((h) => dot(promise.prefer, h).sign() > 0);
    const positive = stream.map((h) => new Set(promise.pairs.flat().filter((at) => h[at].sign() > 0)));
    return (i, visible) => {
      const keys = promise.pairs.filter(([query]) => positive[i].has(query)).map(([, key]) => key);
      const related = upTo(visible).filter((j) => keys.some((key) => positive[j].has(key)));
      const first = related.filter((j) => preferred[j]);
      return first.length ? first : related;
    };
  },
};

export class Contracts {
  checked = 0;
  broken = null;  // the first, in words
  layer = 0;

  check({head}, number, rows, stream, read) {
    const {promise, causal} = head, rule = RULES[promise.kind]({promise, head, stream, read});
    rows.forEach((selected, i) => {
      ++this.checked;
      const expected = rule(i, causal ? i + 1 : stream.length, selected);
      if (this.broken || (Array.isArray(expected) ? sameTokens(expected, selected) : expected)) return;
      this.broken = `layer ${this.layer}, head ${number}, token ${i}: ` +
        `the contract ${promise.kind} does not allow the selection ${selected.join(', ')}`;
    });
  }
}

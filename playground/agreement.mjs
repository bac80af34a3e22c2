// Compares an answer of exact_runner.mjs with the one of the program, member by member.

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** {agree, compared: [names], differ: [sentences]}; `other` names the other runner. */
export function compareRunners(mine, {results: [theirs], promises}, other = 'WebAssembly') {
  const compared = [], differ = [];
  const check = (name, a, b) => {
    if (a === undefined || a === null || b === undefined) return;
    compared.push(name);
    if (!same(a, b)) differ.push(`${name}: JavaScript ${JSON.stringify(a)}, ${other} ${JSON.stringify(b)}`);
  };
  if (mine.outcome !== undefined) {  // no answer of the JavaScript runner, which ends where the numbers leave the field
    if (mine.outcome === 'outside the field') return {agree: null, compared, differ, theirs};
    check('outcome', mine.outcome, theirs.outcome);
  } else {
    check('decision', mine.decision, theirs.outcome);
    check('prefixes', mine.prefixes, theirs.prefixes);
    check('depth', mine.depth, theirs.depth);
    check('contracts checked', mine.promises, promises?.evaluated);
    check('quotient', mine.quotients?.quotient, theirs.quotient);
    check('remainder', mine.quotients?.remainder, theirs.remainder);
  }
  return {agree: compared.length > 0 && differ.length === 0, compared, differ, theirs};
}

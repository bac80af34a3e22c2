// One changed entry of a weights file, and the first place where the run of the changed network differs.

import {Outcome, Refusal, run} from './exact_runner.mjs';
import {modelOf} from './weights_file.mjs';

/** The model of the file with another value at a path of keys. */
export function changed(text, path, value) {
  const file = JSON.parse(text);
  let inside = file;
  for (const key of path.slice(0, -1)) inside = inside?.[key];
  if (inside?.[path.at(-1)] === undefined) throw new Refusal(`the file has no entry ${path.join('.')}`);
  if (value === '0') {  // entries are nonzero: the entry is left out
    const entries = path.slice(0, -2).reduce((at, key) => at[key], file);
    entries.splice(path.at(-2), 1);
  } else {
    inside[path.at(-1)] = value;
  }
  return modelOf(file);
}

function recorded(model, input) {
  const steps = [];
  try {
    const answer = run(model, input, ({layer, sublayer, stream, selections = []}) =>
      steps.push({layer, sublayer, selections, held: stream.map((h) => h.map(String))}));
    return {steps, decision: answer.decision, broken: answer.broken};
  } catch (error) {
    if (!(error instanceof Outcome)) throw error;
    return {steps, decision: error.outcome, broken: null};
  }
}

/** {before, after, broken, first: {layer, sublayer, token, head?, name?, expected, found} or null} */
export function firstBreak(model, other, input, {names}) {
  const a = recorded(model, input), b = recorded(other, input);
  return {before: a.decision, after: b.decision, broken: b.broken, first: firstOf(a.steps, b.steps, names)};
}

function firstOf(expected, found, names) {
  for (let s = 0; s < Math.min(expected.length, found.length); ++s) {
    const {layer, sublayer, selections, held} = expected[s], other = found[s];
    for (let head = 0; head < selections.length; ++head)
      for (let token = 0; token < held.length; ++token)
        if (`${selections[head][token]}` !== `${other.selections[head][token]}`)
          return {layer, sublayer, token, head, expected: `tokens ${selections[head][token]}`,
                  found: `tokens ${other.selections[head][token]}`};
    for (let token = 0; token < held.length; ++token)
      for (let at = 0; at < names.length; ++at)
        if (held[token][at] !== other.held[token][at])
          return {layer, sublayer, token, name: names[at], expected: held[token][at], found: other.held[token][at]};
  }
  return null;
}

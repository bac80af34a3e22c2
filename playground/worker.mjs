// Answers one question at a time, away from the page: {id, ask, ...} in, {id, part, ...} out, and a last {id, done}.
//
// `program` is the compiler as WebAssembly, where the folder has it. All runs are also made by exact_runner.mjs.

import {algebraOf} from './algebra.mjs';
import {firstBreak, changed} from './changed_weights.mjs';
import {Outcome, Refusal, readModel} from './exact_runner.mjs';
import {inputOf, namesOf, observe} from './observed_run.mjs';
import {askProgram, programIsThere} from './program.mjs';
import {compareRunners} from './agreement.mjs';

const bytesOf = (text) => new TextEncoder().encode(text);
const examples = () => (examples.list ??= fetch('examples/examples.json').then((answer) => answer.json()));

/** The text of the weights file that a source names, and what the compiler printed. */
async function networkOf(source) {
  if (source.weights !== undefined) {
    if (await programIsThere())
      await askProgram({ask: 'load', weights: source.weights});  // its sentence, if it is refused
    return {weights: source.weights, lines: []};
  }
  const {kind, text, construction, options, format} = source;
  if (await programIsThere()) return askProgram({ask: 'compile', kind, text, construction, options, format});
  const stored = (await examples()).find((one) => one.kind === kind && one.text === text);
  if (stored === undefined) throw new Refusal('This folder has no compiler: expected one of the stored examples');
  return {weights: await (await fetch(`examples/${stored.file}`)).text(), lines: stored.lines, theory: stored.theory};
}

let last = {};  // the network of the last question: {key, network, model}
async function opened(source) {
  const key = JSON.stringify(source);
  if (last.key !== key) {
    const network = await networkOf(source);
    const model = await readModel(bytesOf(network.weights), source.name ?? 'the weights file');
    last = {key, network, model, names: namesOf(network.weights)};
  }
  return last;
}

/** What the program finds about the language, or what is stored of it. */
async function theoryOf({kind, text, format}, network) {
  if (network.theory) return network.theory;
  if (!['regex', 'group', 'automaton'].includes(kind) || !await programIsThere()) return null;
  return askProgram({ask: 'inspect', kind, text, format});
}

const outcomeOf = (error) => {
  if (error instanceof Outcome) return {outcome: error.outcome, reason: error.message};
  throw error;
};

const ANSWERS = {
  /** A network: what it is, its run on the input, whether both runners agree, the language's algebra. */
  async answer({source, input}, post) {
    const {network, model, names} = await opened(source);
    post('network', {lines: network.lines, constructions: network.constructions, facts: names.facts,
                     weights: network.weights, alphabet: model.alphabet, input: model.input, names});
    if (input !== null) {
      const prefixes = model.output.prefix !== undefined && input.word !== undefined;
      const asked = async () =>
          askProgram({ask: 'run', weights: network.weights, input: input.word ?? input, prefixes});
      let run;
      try {
        run = observe(model, inputOf(model, input), names);
      } catch (error) {
        if (error instanceof Refusal && await programIsThere()) await asked();  // its sentence
        run = outcomeOf(error);
      }
      post('run', {run});
      if (await programIsThere()) post('agree', compareRunners(run, await asked()));
    }
    const theory = await theoryOf(source, network);
    post('language', {theory, algebra: algebraOf(model)});
  },

  /** One changed entry: the answer of the changed network, and the first place where the runs differ. */
  async change({source, input, place, value}, post) {
    const {network, model, names} = await opened(source);
    const text = changed(network.weights, place, value);
    const other = await readModel(bytesOf(text), 'the changed file');
    post('changed', {weights: text, ...firstBreak(model, other, inputOf(model, input), names)});
  },

  /** The program's own picture of the word on its path through the levels of the language. */
  async levels({source: {kind, text, format}, input: {word}}, post) {
    post('levels', await askProgram({ask: 'picture', what: 'cascade', kind, text, format, word}));
  },

  async version(_, post) {
    const there = await programIsThere();
    post('version', {there, examples: await examples(), ...(there ? await askProgram({ask: 'version'}) : {})});
  },
};

onmessage = async ({data: {id, ask, ...question}}) => {
  try {
    await ANSWERS[ask](question, (part, value) => postMessage({id, part, value}));
    postMessage({id, done: true});
  } catch (error) {
    postMessage({id, done: true, error: error.message});
  }
};

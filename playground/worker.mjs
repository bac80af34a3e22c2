// Answers one question at a time, away from the page: {id, ask, ...} in, {id, part, ...} out, and a last {id, done}. An
// error that is no refusal is `fatal`: this worker is to be ended.
//
// Runs are made by exact_runner.mjs. The program, where the folder has it, comes as {loaded}; {version} answers. It
// compiles, analyses, and runs what exact_runner.mjs does not. Until then stored examples and files are answered all
// the same, and a question that needs it says {id, waits}.

import {checkedDivision, checkedValue} from './bounds.mjs';
import {firstBreak, changed} from './changed_weights.mjs';
import {Outcome, Refusal, readModel} from './exact_runner.mjs';
import {firstWrongOffset} from './exercises.mjs';
import {contentOf} from './given_file.mjs';
import {givenTo, inputOf, namesOf, observe} from './observed_run.mjs';
import {askProgram, programHasArrived, programIsThere, startProgram} from './program.mjs';
import {storedFile, storedText} from './stored_files.mjs';

const MOST_LETTERS = 512;  // a second; attention of exact_runner.mjs is quadratic
const MOST_WORDS = 1100;  // all words up to a length, on the card
const examples = () => (examples.list ??= storedText('examples.json').then(JSON.parse));

let running;  // the question's id
async function waitForProgram() {
  if (!programHasArrived()) {
    postMessage({id: running, waits: true});
    await programIsThere();
    postMessage({id: running, waits: false});
  }
  return programIsThere();
}
const programNow = async () => programHasArrived() && programIsThere();

/** The text of the weights file that a source names, and what the compiler printed. */
async function networkOf(source) {
  if (source.weights !== undefined) {
    // The sentence of the program, if it refuses the file.
    if (await programNow()) await askProgram({ask: 'info', weights: source.weights, name: source.name});
    return {weights: source.weights, lines: []};
  }
  const {kind, text, construction, options, format, name} = source;
  const stored = await programNow() ? undefined : (await examples()).find((one) =>
    one.kind === kind && one.text === text && (kind === 'connectivity' ? options.size === 8 : !construction));
  if (stored) return {weights: await storedText(stored.file), lines: stored.lines};
  if (await waitForProgram()) return askProgram({ask: 'compile', kind, text, construction, options, format, name});
  throw new Refusal('Without the program, this page does not compile: expected a stored example or a weights file.');
}

let last = {};  // the network of the last question: {key, network, model}
async function opened(source) {
  const key = JSON.stringify(source);
  if (last.key !== key) {
    const network = await networkOf(source);
    const model = await readModel(network.weights, source.name ?? 'the weights file');
    last = {key, network, model, names: namesOf(network.weights)};
  }
  return last;
}

/** The run as a page shows it; of a long word, and where the numbers leave the field, the program's answer alone. */
async function runOf({network: {weights}, model, names}, input, name) {
  try {
    if (!(input.word?.length > MOST_LETTERS)) return observe(model, inputOf(model, input), names);
  } catch (error) {
    if (!(error instanceof Outcome)) throw error;
    const {outcome, message: reason} = error;
    if (outcome !== 'outside the field' || !await programNow()) return {outcome, reason};
  }
  if (!await waitForProgram())
    throw new Refusal(`expected at most ${MOST_LETTERS} letters; longer words take the program, which is not here`);
  const prefixes = model.output.prefix !== undefined && input.word !== undefined;
  const answer = await askProgram({ask: 'run', weights, input, prefixes, name});
  const [{outcome, reason, cells, ...found}] = answer.results;
  if (reason !== undefined) return {outcome, reason};
  const numbers = cells && Object.entries([cells].flat().at(-1)).map(([name, x]) => `${name}=${x}`).join(' ');
  return {...found, decision: numbers ?? outcome};
}

const ANSWERS = {
  /** What a file is; without a Blob, a stored one. */
  async open({name, blob}, post) {
    post('file', await contentOf(name, blob ?? await storedFile(name)));
  },

  /** A network: what it is, and its run on the input. */
  async answer({source, input}, post) {
    const asked = await opened(source), {network, model, names} = asked;
    post('network', {lines: network.lines, facts: names.facts, weights: network.weights, names});
    post('run', {run: await runOf(asked, givenTo(model, input), source.name)});
  },

  /** One changed entry: the answer of the changed network, and the first place where the runs differ. */
  async change({source, input, place, value}, post) {
    const {network, model, names} = await opened(source);
    const other = changed(network.weights, place, checkedValue(value));
    post('changed', firstBreak(model, other, inputOf(model, givenTo(model, input)), names));
  },

  /** What is known of a language. */
  async theory({source}, post) {
    if (!await waitForProgram()) throw new Refusal('The card takes the program, which is not here.');
    post('theory', await askProgram({ask: 'inspect', ...source}));
  },

  /** A network of the card of a language, part by part; or why there is none. */
  async card({source, construction}, post) {
    let weights;
    try {
      ({weights} = await askProgram({ask: 'compile', ...source, construction}));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return post('refused', error.message);
    }
    const model = await readModel(weights), letters = model.alphabet.length;
    let upTo = 0;
    for (let words = 1, more = letters; upTo < 8 && words + more <= MOST_WORDS; ++upTo, more *= letters) words += more;
    post('size', await askProgram({ask: 'info', weights}));
    post('tested', await askProgram({ask: 'test', ...source, weights, options: {'up-to': upTo}}));
    post('half', (await import('./half_run.mjs')).firstWrong(model, upTo));
    post('certified', await askProgram({ask: 'certify', weights}));
  },

  /** A network of a visitor against the goal of an exercise. */
  async check({source, goal}, post) {
    const {network: {weights}, model} = await opened(source);
    if (!await waitForProgram()) throw new Refusal('A check takes the program, which is not here.');
    const {depth, at} = await askProgram({ask: 'info', weights});
    const test = (options) => askProgram({ask: 'test', ...goal, options, weights}).catch((error) => {
      throw new Refusal(`This network does not fit the goal: ${error.message}`);
    });
    let tested = goal.offset ? firstWrongOffset(model) : await test(goal.options);
    const longer = tested.passed && goal.batch ? await test({batch: goal.batch, 'up-to': 0, random: 0}) : tested;
    if (!longer.passed) tested = longer;
    post('checked', {depth, at, tested});
  },
};

onmessage = async ({data: {loaded, id, ask, ...question}}) => {
  if (loaded !== undefined) {
    startProgram(loaded);
    const there = await programIsThere();
    return postMessage({version: {there, ...(there ? await askProgram({ask: 'version'}) : {})}});
  }
  running = id;
  try {
    if (question.input?.division) question.input.division = checkedDivision(question.input.division);
    await ANSWERS[ask](question, (part, value) => postMessage({id, part, value}));
    postMessage({id, done: true});
  } catch (error) {
    postMessage({id, done: true, error: error.message, fatal: !(error instanceof Refusal)});
  }
};

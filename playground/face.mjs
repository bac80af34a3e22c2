// Questions of the page as commands of `logdepth`, and what the commands print as answers. No number is made here, and
// no sentence but of questions that name nothing.
//
// A program is a function (arguments, files) -> {status, output, messages, files}: the WebAssembly program
// (wasmProgram), or any other that does the same.

/** The program in a module of Emscripten (logdepth.js). */
export const wasmProgram = (module) => Object.assign(
  (args, files = {}) => JSON.parse(module.ccall('logdepth_command', 'string', ['string'],
                                                [JSON.stringify({arguments: args, files})])),
  {leftOut: () => JSON.parse(module.ccall('logdepth_left_out', 'string', [], []))});

class Refused extends Error {}
const refuse = (sentence) => { throw new Refused(sentence); };

const linesOf = (text) => text.split('\n').filter((line, i, all) => i + 1 < all.length || line !== '');
const PREFIX = 'logdepth: ';

/** What was refused, as the command line says it. */
function sentenceOf({messages}) {
  const lines = linesOf(messages);
  const last = lines.findLast((line) => line.startsWith(PREFIX));
  return last === undefined ? lines.join('\n') : last.slice(PREFIX.length);
}

/** The answer of a command; statuses other than these are refusals. */
function done(program, args, files, statuses = [0]) {
  const answer = program(args, files);
  if (!statuses.includes(answer.status)) refuse(sentenceOf(answer));
  return answer;
}

const text = (question, name) => typeof question[name] === 'string' ? question[name]
  : refuse(`${name}: expected a text`);

/** {size: 8, undirected: true} as --size 8 --undirected. */
const optionsOf = (options = {}) => Object.entries(options).flatMap(([name, value]) =>
  value === true ? [`--${name}`] : value === false ? [] : [`--${name}=${value}`]);

const CONSTRUCTIONS = {
  words: ['scan', 'tree', 'radix', 'cascade', 'auto'],
  connectivity: ['compact', 'paper', 'rows', 'radix', 'bounded'],
  division: ['compact', 'paper', 'floor'],
  graph: ['compact', 'pairwise'],
};
const AUTOMATA = {fst: '--fst', jff: '--jff', mata: '--mata', json: '--json-automaton', dot: '--dot'};

/** The options that name a language, and the files that they read. */
function languageOf(question) {
  const kind = question.kind;
  if (kind === 'regex' || kind === 'group') return {args: [`--${kind}=${text(question, 'text')}`], files: {}};
  if (kind !== 'automaton') refuse(`kind: ${JSON.stringify(kind)} is no language; expected regex, group or automaton`);
  const format = question.format ?? 'fst';
  if (AUTOMATA[format] === undefined)
    refuse(`format: unknown ${JSON.stringify(format)}; expected one of ${Object.keys(AUTOMATA).join(', ')}`);
  const name = `automaton.${format}`;
  return {args: [AUTOMATA[format], name], files: {[name]: text(question, 'text')}};
}

/** What is compiled: the subcommand, its arguments, files, and the names of its constructions. */
function sourceOf(question) {
  switch (question.kind) {
    case 'crasp':
      return {command: 'crasp', args: ['program.crasp'], files: {'program.crasp': text(question, 'text')}, offered: []};
    case 'program':
      return {command: 'program', args: ['program.cells'], files: {'program.cells': text(question, 'text')},
              offered: []};
    case 'division':
    case 'connectivity':
      return {command: question.kind, args: [], files: {}, offered: CONSTRUCTIONS[question.kind]};
    case 'graph':
      return {command: 'computation-graph', args: [], files: {}, offered: CONSTRUCTIONS.graph};
    default:
      return {command: 'regular', ...languageOf(question), offered: CONSTRUCTIONS.words};
  }
}

/** A word, or {graph, source, target}, {division: {dividend, divisor}}, {cells}. */
function inputOf(question) {
  const input = question.input ?? '';
  if (typeof input === 'string') return {args: [`--input=${input}`], files: {}};
  if (input.word !== undefined) return {args: [`--input=${input.word}`], files: {}};
  if (input.graph !== undefined) {
    const name = `graph.${input.format ?? 'edges'}`;
    const pair = input.source === undefined ? [] : [`--source=${input.source}`, `--target=${input.target}`];
    return {args: ['--graph', name, ...pair, ...(input.undirected ? ['--undirected'] : [])],
            files: {[name]: input.graph}};
  }
  if (input.division !== undefined)
    return {args: [`--divide=${input.division.dividend}`, `--by=${input.division.divisor}`], files: {}};
  if (input.cells !== undefined) return {args: ['--cells', 'input.cells'], files: {'input.cells': input.cells}};
  return refuse('input: expected a word, or an object with graph, division or cells');
}

/** A command on the weights file of a question and its input. */
function onWeights(question, program, command, extra, statuses) {
  const {args, files} = inputOf(question);
  return done(program, [command, 'weights.json', ...args, ...extra],
              {'weights.json': text(question, 'weights'), ...files}, statuses);
}

/** 0: done; 1: a contract is violated or a difference was found; 3: undecided. */
const ANSWERED = [0, 1, 3];

const ANSWERS = {
  version(_, program) {
    const {output} = done(program, ['--version'], {});
    return {version: output.trim().replace(/^logdepth /, ''), left_out: program.leftOut?.() ?? []};
  },

  inspect(question, program) {
    const {args, files} = languageOf(question);
    const {output, messages} = done(program, ['inspect', ...args, '--json', ...optionsOf(question.options)], files);
    return {...JSON.parse(output), lines: linesOf(messages)};
  },

  compile(question, program) {
    const {command, args, files, offered} = sourceOf(question);
    const construction = question.construction && offered.length > 0 ? [`--construction=${question.construction}`] : [];
    const answer = done(program, ['compile', command, ...args, ...construction, ...optionsOf(question.options),
                                  '-o', 'weights.json', '--json'], files);
    const summary = JSON.parse(answer.output);
    return {weights: answer.files['weights.json'], lines: linesOf(answer.messages), summary,
            depth: summary.depth_formula, constructions: offered};
  },

  /** A file of the user's: what it is, or the sentence that refuses it. */
  load(question, program) {
    return {weights: text(question, 'weights'), ...ANSWERS.info(question, program)};
  },

  info(question, program) {
    const {output} = done(program, ['info', 'weights.json', '--json', ...optionsOf(question.options)],
                          {'weights.json': text(question, 'weights')});
    return JSON.parse(output);
  },

  run(question, program) {
    const prefixes = question.prefixes ? ['--prefixes'] : [];
    const {status, output, messages} =
      onWeights(question, program, 'run', ['--json', ...prefixes, ...optionsOf(question.options)], ANSWERED);
    return {...JSON.parse(output), status, messages: linesOf(messages)};
  },

  /** Every value of every token after every sublayer, and which tokens every head selects. */
  trace(question, program) {
    const {status, files} = onWeights(question, program, 'run', ['--trace', 'trace.jsonl'], ANSWERED);
    return {status, lines: linesOf(files['trace.jsonl']).map((line) => JSON.parse(line))};
  },

  /** The first value that differs from the program in the file, or from `against`, a program in text form. */
  diff(question, program) {
    const {args, files} = inputOf(question);
    const against = question.against === undefined ? [] : ['--program', 'against.cells'];
    if (question.against !== undefined) files['against.cells'] = question.against;
    const {status, output} = done(program, ['diff', 'weights.json', ...args, ...against, '--json'],
                                  {'weights.json': text(question, 'weights'), ...files}, ANSWERED);
    return {...JSON.parse(output), status};
  },

  picture(question, program) {
    if (question.what === 'run')
      return {html: onWeights(question, program, 'draw', ['-o', 'run.html']).files['run.html']};
    if (question.what === 'eggbox' || question.what === 'cascade') {
      const {args, files} = languageOf(question);
      const picture = question.what === 'eggbox' ? ['--eggbox', 'picture.svg']
        : [`--word=${text(question, 'word')}`, '--levels', 'picture.svg'];
      return {svg: done(program, ['inspect', ...args, ...picture, '--json'], files).files['picture.svg']};
    }
    return refuse(`what: unknown ${JSON.stringify(question.what)}; expected run, eggbox or cascade`);
  },
};

/** The answer to a question; {error: sentence} where it is refused. */
export function answer(program, question) {
  try {
    const ask = Object.hasOwn(ANSWERS, question.ask) ? ANSWERS[question.ask]
      : refuse(`ask: unknown ${JSON.stringify(question.ask)}; expected one of ${Object.keys(ANSWERS).join(', ')}`);
    return ask(question, program);
  } catch (error) {
    if (error instanceof Refused) return {error: error.message};
    throw error;
  }
}

// Questions of the page as commands of `logdepth`, and what the commands print as answers. No number is made here, and
// no sentence but of questions that name nothing.
//
// A program is a function (arguments, files) -> {status, output, messages, files}: the WebAssembly program
// (wasmProgram), or any other that does the same.

/** The program in a module of Emscripten (logdepth.js). A question lies on its heap: the stack has 4 MB. */
export function wasmProgram(module) {
  const program = (args, files = {}) => {
    const question = module.allocateUTF8(JSON.stringify({arguments: args, files}));
    const answer = module.UTF8ToString(module._logdepth_command(question));
    module._free(question);
    return JSON.parse(answer);
  };
  return Object.assign(program, {leftOut: () => JSON.parse(module.UTF8ToString(module._logdepth_left_out()))});
}

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

export const CONSTRUCTIONS = ['scan', 'tree', 'radix', 'cascade', 'auto'];
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

/** What is compiled: the subcommand, its arguments and files. */
function sourceOf(question) {
  const file = {crasp: 'program.crasp', program: 'program.cells'}[question.kind];
  if (file) return {command: question.kind, args: [file], files: {[file]: text(question, 'text')}};
  if (question.kind === 'ltl') return {command: 'ltl', args: [text(question, 'text')], files: {}};
  if (['division', 'connectivity'].includes(question.kind)) return {command: question.kind, args: [], files: {}};
  return {command: 'regular', ...languageOf(question)};
}

/** {word}, {graph, source, target}, {division: {dividend, divisor}} or {cells}. */
function inputOf({input = {}}) {
  if (input.word !== undefined) return {args: [`--input=${input.word}`], files: {}};
  if (input.graph !== undefined)
    return {args: ['--graph', 'graph.edges', `--source=${input.source}`, `--target=${input.target}`],
            files: {'graph.edges': input.graph}};
  if (input.division !== undefined)
    return {args: [`--divide=${input.division.dividend}`, `--by=${input.division.divisor}`], files: {}};
  if (input.cells !== undefined) return {args: ['--cells', 'input.cells'], files: {'input.cells': input.cells}};
  return refuse('input: expected an object with word, graph, division or cells');
}

/** 0: done; 1: a contract is violated; 3: undecided. */
const ANSWERED = [0, 1, 3];

const ANSWERS = {
  version(_, program) {
    const {output} = done(program, ['--version'], {});
    return {version: output.trim().replace(/^logdepth /, ''), left_out: program.leftOut?.() ?? []};
  },

  inspect(question, program) {
    const {args, files} = languageOf(question);
    const {output, messages} = done(program, ['inspect', ...args, '--json'], files);
    return {...JSON.parse(output), lines: linesOf(messages)};
  },

  compile(question, program) {
    const {command, args, files} = sourceOf(question);
    const construction = question.construction && !['crasp', 'program', 'ltl'].includes(command)
      ? [`--construction=${question.construction}`] : [];
    const answer = done(program, ['compile', command, ...args, ...construction, ...optionsOf(question.options),
                                  '-o', 'weights.json', '--json'], files);
    return {weights: answer.files['weights.json'], lines: linesOf(answer.messages)};
  },

  info(question, program) {
    const {output} = done(program, ['info', 'weights.json', '--json'], {'weights.json': text(question, 'weights')});
    return JSON.parse(output);
  },

  run(question, program) {
    const {args, files} = inputOf(question), prefixes = question.prefixes ? ['--prefixes'] : [];
    const {status, output, messages} =
      done(program, ['run', 'weights.json', ...args, '--json', ...prefixes],
           {'weights.json': text(question, 'weights'), ...files}, ANSWERED);
    return {...JSON.parse(output), status, messages: linesOf(messages)};
  },

  /** A weights file against a language, or against `goal`, an oracle of `--against`, which may read `files`. */
  test(question, program) {
    const {goal, options} = question;
    const {args, files} = goal ? {args: [`--against=${goal}`], files: question.files} : languageOf(question);
    const {output} = done(program, ['test', 'weights.json', ...args, ...optionsOf(options), '--json'],
                          {...files, 'weights.json': text(question, 'weights')}, [0, 1]);
    return JSON.parse(output);
  },

  certify(question, program) {
    const files = {'weights.json': text(question, 'weights')};
    return JSON.parse(done(program, ['certify', 'weights.json', '--json'], files, [0, 1]).output);
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

// The program's sentences name options, files and commands of the command line. Here they are in the words of the page.

const FIELDS = {input: 'Word', word: 'Word', divide: 'Dividend', by: 'Divisor', source: 'From', target: 'To'};
const FILES = {weights: 'Weights file', automaton: 'Automaton', program: 'Program', graph: 'Graph'};

/** `name`: of the file that was given, if any. */
export function inPageWords(sentence, name) {
  const capital = (word) => `${word[0].toUpperCase()}${word.slice(1)}`;
  return sentence
      .replace(/^wrote \S+: /, 'weights file: ')
      .replace(/^((?:automaton|program): \w+) (?:automaton|program)\.\w+(?=,)/, '$1')
      .replace(/ \(see logdepth [^)]*\)/, '')
      .replace(/; (?:`[^`]*`|'[^']*'|--[a-z-]+) (?:makes|unpacks|reads|converts)\b[^;]*$/, '')  // commands that help
      .replace(/^--([a-z]+)(?=: )/, (_, option) => FIELDS[option] ?? capital(option))
      .replace(/(?<![\w'])--(?=[a-z])/g, '')
      .replace(/^(weights|automaton|program|graph)\.\w+(?::(\d+))?(?=: )/,
               (_, file, line) => `${name ?? FILES[file]}${line ? `, line ${line}` : ''}`);
}

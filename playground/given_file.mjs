// A file that was dropped, chosen or stored: its text, and what the text is. The content decides, as in the program
// (objects/text_format.hpp), and the name only where nothing else does.

import {Refusal} from './weights_file.mjs';

const MOST_MEGABYTES = 64;

/** Files of other programs, by their first bytes as characters. ONNX: a version, then the producer or the graph. */
const OTHERS = [
  [/^PK\x03\x04[^]*(?:\.pkl|\/data|\/version)|^\x80[\x02-\x05]/, 'a PyTorch file'],
  [/^PK\x03\x04/, 'a zip archive'],
  [/^[^]{4}\0{4}\{"/, 'a safetensors file'],
  [/^\x08[\x01-\x20][\x12\x1a\x22\x2a\x32\x3a\x42]/, 'an ONNX file'],
];

const TEXTS = [
  [/^\s*\{[^]*"logdepth-weights"/, 'weights'],
  [/^(?:#.*\n|\s)*logdepth-cells\b/, 'program'],
  [/^(?:\/\/.*\n|\s)*alphabet\b/, 'crasp'],
  [/^\s*@[NDA]FA/, 'mata'],
  [/^\s*(?:<[^]*)?<structure\b/, 'jff'],
  [/^\s*\{[^]*"(?:input_symbols|initial_state|final_states)"\s*:/, 'json'],
  [/^\s*(?:strict\s+)?(?:di)?graph\b[^[]*\{/, 'dot'],
  [/^\s*[{[]/, 'weights'],
];
const FORMATS = ['mata', 'jff', 'json', 'dot', 'fst'];  // of automata
const NAMES = {edges: 'graph', edgelist: 'graph', cells: 'program', fst: 'fst', crasp: 'crasp'};

/** One or two names on each line, and an edge among them. */
function isEdgeList(text) {
  const lengths = text.split('\n').map((line) => line.replace(/#.*/, '').trim().split(/\s+/).filter(Boolean).length);
  return lengths.every((length) => length <= 2) && lengths.includes(2);
}

function kindOf(name, text) {
  const [, found] = TEXTS.find(([pattern]) => pattern.test(text)) ?? [];
  const ending = NAMES[name.replace(/\.gz$/, '').split('.').pop()];
  if (found ?? ending) return found ?? ending;
  if (/^\s*\d+[ \t]+\d+[ \t]+\S/.test(text)) return 'fst';
  return isEdgeList(text) ? 'graph' : 'weights';  // whose reader has a sentence for every other text
}

async function textOf(name, blob) {
  const begin = String.fromCharCode(...new Uint8Array(await blob.slice(0, 400).arrayBuffer()));
  const [, other] = OTHERS.find(([pattern]) => pattern.test(begin)) ?? [];
  if (other)
    throw new Refusal(`${name} is ${other}: expected a weights file of logdepth, an automaton, an edge list, a ` +
                      'C-RASP program or a construction in text form');
  const packed = begin.startsWith('\x1f\x8b');
  const stream = packed ? blob.stream().pipeThrough(new DecompressionStream('gzip')) : blob.stream();
  const decoder = new TextDecoder(), reader = stream.getReader(), parts = [];
  for (let bytes = 0;;) {
    const {done, value} = await reader.read().catch(() => {
      throw new Refusal(`${name}: the gzip data is damaged`);
    });
    if (done) return parts.join('') + decoder.decode();
    if ((bytes += value.length) > MOST_MEGABYTES * 2 ** 20)
      throw new Refusal(`${name}: expected at most ${MOST_MEGABYTES} MB of text`);
    parts.push(decoder.decode(value, {stream: true}));
  }
}

/** word, graph, division or cells, with the names of these: what the network in a weights file takes. */
function takenBy(weights) {
  try {
    const {input, output} = JSON.parse(weights);
    const division = input.kind === 'cells' && output.names.includes('quotient.0');
    return {takes: division ? 'division' : input.kind, names: input.names};
  } catch {
    return {takes: 'word'};
  }
}

/** {kind, text}, of an automaton with its format, of weights with their input. */
export async function contentOf(name, blob) {
  const text = await textOf(name, blob), kind = kindOf(name, text);
  if (FORMATS.includes(kind)) return {kind: 'automaton', text, format: kind};
  return {kind, text, ...(kind === 'weights' ? takenBy(text) : {})};
}

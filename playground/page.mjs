// The page: the question of the form and of the address, and the parts of its answer.

import {readAddress, writeAddress} from './address.mjs';
import {AttentionView} from './attention_view.mjs';
import {BOUNDS, checkedDivision, checkedValue} from './bounds.mjs';
import {$, make, table} from './elements.mjs';
import {CONSTRUCTIONS} from './face.mjs';
import {GraphView} from './graph_view.mjs';
import {showLoops} from './loops_view.mjs';
import {Questions, Stopped} from './questions.mjs';
import {layerName, showAnswer, showContracts, showToken} from './token_view.mjs';
import {Tour} from './tour.mjs';
import {breakSentence, chosenPlace, offerWeights} from './weights_view.mjs';

const TEXTS = {regex: '(a|b)*abb', group: 'A5', crasp: '', program: '', division: '', graph: ''};
const MANY_LINES = ['crasp', 'program'], MOST_VERTICES = 8;
const GRAPH = '1 2\n2 3\n3 4\n4 5\n5 1\n6 7';
const FACE_KIND = {graph: 'connectivity'};  // names of the program

const state = {kind: 'regex', texts: {...TEXTS}, word: 'aabb', construction: 'auto', layer: 1, file: null};
let shown = {};  // of the last answer: {network, run}
let examples = [], programThere = false;

const questions = new Questions('worker.mjs', (sentence) => {
  $('stop').disabled = sentence === '';
  document.body.ariaBusy = `${sentence !== ''}`;
  $('state').textContent = sentence;
}, showVersion);
const graph = new GraphView($('graph-editor'), () => (offerEnds(), later()), MOST_VERTICES);
const attention = new AttentionView($('attention'), () => showChosen(), (by) => setLayer(state.layer + by));
const tour = new Tour((question, token) => {
  setState(question);
  state.token = token;
  ask();
}, () => share());

// ------------------------------------------------------------------------------------------------------- the question

const text = () => state.texts[state.kind] ?? '';

function setState({kind, text: given, word, construction, layer, source, target, dividend, divisor, file}) {
  if (kind !== undefined && (kind in TEXTS || kind === 'file')) state.kind = kind;
  if (given !== undefined && state.kind !== 'graph') state.texts[state.kind] = given;
  if (state.kind === 'graph') graph.setText(given ?? (graph.text || GRAPH));
  if (word !== undefined) state.word = word;
  state.construction = construction ?? 'auto';
  if (layer !== undefined && /^\d{1,6}$/.test(layer)) state.layer = Number(layer);
  if (dividend !== undefined) $('dividend').value = dividend;
  if (divisor !== undefined) $('divisor').value = divisor;
  if (file !== undefined) state.file = {stored: file, name: file};
  showForm();
  if (source !== undefined) $('source').value = source;
  if (target !== undefined) $('target').value = target;
}

function showForm() {
  const {kind} = state, words = !['division', 'graph'].includes(kind) && inputKind() === 'word';
  for (const radio of document.getElementsByName('kind')) radio.checked = radio.value === kind;
  $('text-line').hidden = !['regex', 'group'].includes(kind);
  $('lines-line').hidden = !MANY_LINES.includes(kind);
  $('graph-editor').hidden = kind !== 'graph' && !(kind === 'file' && inputKind() === 'graph');
  $('ends-line').hidden = $('graph-editor').hidden;
  $('division-line').hidden = kind !== 'division' && !(kind === 'file' && isDivision());
  $('word-line').hidden = !words;
  $('construction-line').hidden = !['regex', 'group'].includes(kind) || !programThere;
  $(MANY_LINES.includes(kind) ? 'lines' : 'text').value = text();
  $('word').value = state.word;
  offerConstructions();
  if (!$('graph-editor').hidden && graph.vertices.length === 0) graph.setText(GRAPH);
  if (!$('graph-editor').hidden) offerEnds();
}

const inputKind = () => (state.kind === 'file' ? shown.network?.input.kind ?? 'word' : 'word');
const isDivision = () => shown.network?.names.output.names?.includes('quotient.0') ?? false;

function offerConstructions() {
  const all = new Set(['auto', ...CONSTRUCTIONS, state.construction]);
  $('construction').replaceChildren(...[...all].map((name) => make('option', {}, name)));
  $('construction').value = state.construction;
}

function offerEnds() {
  for (const [id, place] of [['source', 0], ['target', -1]]) {
    const before = $(id).value, names = graph.vertices.map(({name}) => name);
    $(id).replaceChildren(...names.map((name) => make('option', {}, name)));
    $(id).value = names.includes(before) ? before : names.at(place) ?? '';
  }
}

async function source() {
  if (state.kind !== 'file') {
    const rows = state.kind === 'graph' ? {construction: 'rows', options: {size: MOST_VERTICES}} : {};
    const construction = state.construction === 'auto' ? undefined : state.construction;
    return {kind: FACE_KIND[state.kind] ?? state.kind, text: text(), construction, ...rows};
  }
  const {file} = state;
  if (!file) return null;
  if (file.stored && file.weights === undefined && file.kind === undefined) {
    const answer = await fetch(`examples/${encodeURIComponent(file.stored)}`);
    if (!answer.ok) throw new Error(`${file.stored}: expected the name of a stored example`);
    Object.assign(file, await content(file.stored, await answer.blob()));
  }
  if (file.kind !== undefined && file.kind !== 'automaton') {  // its text is edited in the form
    setState(file);
    return source();
  }
  return file.weights === undefined ?
      {kind: file.kind, text: file.text, name: file.name, format: file.name.split('.').pop()} :
      {weights: file.weights, name: file.name};
}

/** The input of the form, for a network with inputs of this kind. */
function input() {
  const division = () => ({division: checkedDivision({dividend: $('dividend').value, divisor: $('divisor').value})});
  if (state.kind === 'division') return division();
  if (state.kind === 'graph') return {graph: graph.text, source: $('source').value, target: $('target').value};
  if (state.kind !== 'file') return {word: state.word};
  const {weights} = state.file, file = JSON.parse(weights ?? '{"input":{"kind":"word"}}');
  if (file.input?.kind === 'graph')
    return {graph: graph.text || GRAPH, source: $('source').value || '1', target: $('target').value || '1'};
  if (file.input?.kind !== 'cells') return {word: state.word};
  if (file.output?.names?.includes('quotient.0')) return division();
  const names = file.input.names;  // positions: the codes of tokens 0, 1, …
  return {cells: [names.join(' '), ...Array.from({length: 5}, (_, i) => codes(names.length, i))].join('\n')};
}

const codes = (width, i) => {
  const code = i === 0 ? ['0', '1'] : [`sqrt(${i * i}/${i * i + 1})`, `sqrt(1/${i * i + 1})`];
  return Array.from({length: width}, (_, k) => code[k] ?? '0').join(' ');
};

function share() {
  const {kind, word, construction, layer, file} = state;
  writeAddress({kind, text: kind === 'graph' ? graph.text : text(), word: $('word-line').hidden ? null : word,
                construction: construction === 'auto' ? '' : construction, layer, tour: tour.number,
                ...(kind === 'graph' ? {source: $('source').value, target: $('target').value} : {}),
                ...(kind === 'division' ? {dividend: $('dividend').value, divisor: $('divisor').value} : {}),
                ...(kind === 'file' && file?.stored ? {file: file.stored} : {})});
}

// --------------------------------------------------------------------------------------------------------- the answer

function clear() {
  for (const id of ['verdict', 'depth', 'error', 'prefixes', 'break']) $(id).textContent = '';
  for (const id of ['attention-section', 'loops-section', 'language-section', 'change-section']) $(id).hidden = true;
  $('network').textContent = '';
}

async function ask() {
  clearTimeout(later.timer);
  share();
  clear();
  try {
    const of = await source();
    if (of === null) return void ($('state').textContent = 'Choose or drop a weights file, an automaton or a graph.');
    const given = {
      source: of,
      input: state.kind === 'file' && of.weights !== undefined && !isJson(of.weights) ? {word: state.word} : input()
    };
    shown = {given};
    await questions.ask({ask: 'answer', ...given}, (part, value) => PARTS[part](value));
    await showPictures();
  } catch (error) {
    fail(error);
  }
}

const isJson = (weights) => {
  try {
    return typeof JSON.parse(weights) === 'object';
  } catch {
    return false;
  }
};

function fail(error) {
  if (error instanceof Stopped) $('state').textContent = error.message || $('state').textContent;
  else $('error').textContent = error.message;
}

const PARTS = {
  network(network) {
    shown.network = network;
    const {facts, lines} = network;
    const about = [
      ...lines, `${facts.name}: ${facts.construction} (${facts.source})`, `depth ${facts.depth}, width ${facts.width}`,
      ...facts.hypotheses.map((line) => `hypothesis: ${line}`),
      ...facts.deviations.map((line) => `differs from the paper: ${line}`), `sha256 ${facts.sha256}`
    ];
    $('network').textContent = about.join('\n');
    $('depth').textContent = `depth ${facts.depth}`;
    showForm();
    $('change-section').hidden = false;
    offerWeights(network.names.weights);
  },

  run({run}) {
    if (run.outcome !== undefined) return void ($('verdict').textContent = `${run.outcome}: ${run.reason}`);
    $('verdict').className = showAnswer($('verdict'), $('depth'), run, shown.network.names);
    const lines = prefixLines(run, shown.network.names.output);
    $('prefixes').textContent = lines.join('\n');
    $('prefixes-box').hidden = lines.length === 0;
    if (!run.steps) return;  // of the program, which says what it answers alone
    shown.run = run;
    $('attention-section').hidden = false;
    attention.token = state.token ?? run.labels.length - 1;
    $('layer').max = run.depth;
    setLayer(Math.min(state.layer, run.depth));
    const vertices = shown.given.input.graph ? graph.vertices.map(({name}) => name) : [];
    showLoops(run, shown.network.names.names, vertices.slice(0, run.labels.length));
  },

  language({theory}) {
    $('language-section').hidden = !theory;
    if (theory) $('theory').replaceChildren(theoryTable(theory));
  },
};

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

/** What the program says of the language, a picture or lines of text, in the boxes that are open. */
const PICTURES = ['eggbox', 'levels'];

async function showPictures() {
  for (const of of PICTURES) {
    const box = $(`${of}-box`);
    box.hidden = !programThere;
    $(of).textContent = '';
    if (!box.open || box.hidden || $('language-section').hidden || questions.isBusy) continue;
    try {
      await questions.ask({ask: 'picture', of, ...shown.given}, (_, {svg, lines}) => $(of).replaceChildren(
        svg ? make('img', {alt: 'the J-classes of the monoid', src: `data:image/svg+xml,${encodeURIComponent(svg)}`})
            : make('pre', {}, lines)));
    } catch (error) {
      if (error instanceof Stopped) return fail(error);
      $(of).textContent = error.message;
    }
  }
}

/**
 * Per prefix its product or state, as `logdepth run --prefixes` prints it; per token the named values of the output.
 */
function prefixLines({prefixes = [], table = []}, {names}) {
  const values = (row) => row.map((x, k) => `${names[k]}=${x}`).join(' ');
  return [...prefixes.map((images) => (Array.isArray(images) ? `[${images}]` : `${images ?? 'undecided'}`)),
          ...table.map((row, i) => `token ${i}: ${values(row)}`)];
}

function setLayer(layer) {
  if (!shown.run) return;
  state.layer = Math.max(0, Math.min(shown.run.depth, layer));
  $('layer').value = state.layer;
  $('layer-name').textContent = layerName(state.layer, shown.run);
  attention.show(shown.run, state.layer);
  showContracts($('contracts'), shown.run, shown.network.names, state.layer);
  showChosen();
  clearTimeout(setLayer.timer);
  setLayer.timer = setTimeout(share, 200);
}

const chosenToken = {title: $('token-title'), body: $('token')};
const showChosen = () =>
    shown.run && showToken(chosenToken, shown.run, shown.network.names.names, state.layer, attention.token);

// ------------------------------------------------------------------------------------------------------------- events

/** Asks after a moment without another change. */
function later() {
  state.token = undefined;
  clearTimeout(later.timer);
  later.timer = setTimeout(ask, 300);
}

for (const radio of document.getElementsByName('kind'))
  radio.addEventListener('change', () => {
    state.construction = 'auto';
    setState({kind: radio.value});
    ask();
  });
for (const id of ['text', 'lines'])
  $(id).addEventListener('input', () => {
    state.texts[state.kind] = $(id).value;
    later();
  });
$('word').addEventListener('input', () => {
  state.word = $('word').value;
  later();
});
for (const id of ['dividend', 'divisor', 'source', 'target']) $(id).addEventListener('change', later);
$('construction').addEventListener('change', () => {
  state.construction = $('construction').value;
  ask();
});
for (const of of PICTURES) $(`${of}-box`).addEventListener('toggle', showPictures);
$('layer').addEventListener('input', () => setLayer(Number($('layer').value)));
$('question').addEventListener('submit', (event) => {
  event.preventDefault();
  ask();
});
$('stop').addEventListener('click', () => questions.stop());
$('share').addEventListener('click', async () => {
  share();
  await navigator.clipboard?.writeText(location.href).then(() => ($('state').textContent = 'The address was copied.'),
    () => ($('state').textContent = 'The address is in the address bar.'));
});
$('save').addEventListener('click', () => {
  const url = URL.createObjectURL(new Blob([shown.network.weights], {type: 'application/json'}));
  make('a', {href: url, download: 'weights.json'}).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
});
$('change').addEventListener('submit', async (event) => {
  event.preventDefault();
  $('break').textContent = '';
  try {
    const value = checkedValue($('value').value.trim());
    await questions.ask({ask: 'change', ...shown.given, place: chosenPlace(), value},
                        (_, found) => ($('break').textContent = breakSentence(found)));
  } catch (error) {
    if (error instanceof Stopped) fail(error);
    else $('break').textContent = error.message;
  }
});

/**
 * {kind, text} of an automaton, a graph or a program, as the name of the file says; else {weights}, plain or packed.
 */
async function content(name, blob) {
  const magic = new Uint8Array(await blob.slice(0, 2).arrayBuffer());
  const packed = magic[0] === 0x1f && magic[1] === 0x8b;
  const stream = packed ? blob.stream().pipeThrough(new DecompressionStream('gzip')) : blob.stream();
  const text = await new Response(stream).text().catch(() => '');
  const [, kind] = KINDS.find(([pattern]) => pattern.test(name)) ?? [];
  return kind ? {kind, text} : {weights: text};
}
const KINDS = [[/\.(edges|edgelist)$/i, 'graph'], [/\.(fst|jff|dot|mata)$/i, 'automaton'],
               [/\.crasp$/i, 'crasp'], [/\.cells$/i, 'program']];

async function take(file) {
  const found = await content(file.name, file);
  shown = {};
  if (found.kind === undefined || found.kind === 'automaton') state.file = {...found, name: file.name};
  setState(found.kind === undefined || found.kind === 'automaton' ? {kind: 'file'} : found);
  state.token = undefined;
  await ask();
}
$('file').addEventListener('change', () => $('file').files[0] && take($('file').files[0]));
const dropping = (on) => (event) => {
  event.preventDefault();
  document.body.classList.toggle('dropping', on);
  if (event.type === 'drop' && event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
};
addEventListener('dragover', dropping(true));
addEventListener('dragleave', dropping(false));
addEventListener('drop', dropping(false));
addEventListener('hashchange', () => {
  setState(readAddress());
  ask();
});

// -------------------------------------------------------------------------------------------------------------- start

function offerExamples() {
  $('examples').replaceChildren('Examples: ', ...examples.map(({title, ...question}) => {
    const button = make('button', {type: 'button'}, title);
    button.addEventListener('click', () => {
      setState({
        kind: question.face ?? question.kind,
        text: question.text || undefined,
        word: question.word,
        file: question.kind === 'file' ? question.file : undefined
      });
      ask();
    });
    return button;
  }));
}

function showVersion({there, version, left_out: leftOut = []}) {
  programThere = there;
  $('version').textContent = there ? `logdepth ${version}` :
      'This folder has no logdepth.wasm, or this browser has no WebAssembly: the stored examples and your own ' +
      'weights files run in JavaScript; nothing is compiled.';
  $('program-box').hidden = !there;
  $('left-out').replaceChildren(...leftOut.map((part) => make('li', {}, part)));
  showForm();
  showPictures();
}

/** The form and a stored answer come before the program, which may take long to load. */
async function start() {
  for (const [id, [min, max]] of Object.entries(BOUNDS)) Object.assign($(id), {min, max});
  const address = readAddress();
  setState(address);
  examples = await (await fetch('examples/examples.json')).json();
  for (const {face, text: example} of examples) if (face in TEXTS) state.texts[face] ||= example;
  showForm();
  offerExamples();
  if (address.tour) tour.show(Number(address.tour) - 1, !address.kind);
  if (!address.tour || address.kind) await ask();
  document.body.ariaBusy ??= 'false';  // where the form refused the question
  questions.load();
}

start().catch(fail);

// The page: the question of the form and of the address, and the parts of its answer.

import {readAddress, writeAddress} from './address.mjs';
import {AttentionView} from './attention_view.mjs';
import {BOUNDS, checkedDivision, checkedValue} from './bounds.mjs';
import {$, copied, make, ownAddress} from './elements.mjs';
import {EXERCISES} from './exercises.mjs';
import {CONSTRUCTIONS} from './face.mjs';
import {GraphView} from './graph_view.mjs';
import {showLoops} from './loops_view.mjs';
import {inPageWords} from './page_words.mjs';
import {Questions, Stopped} from './questions.mjs';
import {storedText} from './stored_files.mjs';
import {layerName, prefixLines, showAnswer, showContracts, showToken} from './token_view.mjs';
import {Tour} from './tour.mjs';
import {breakSentence, chosenPlace, offerWeights} from './weights_view.mjs';

const TEXTS = {regex: '(a|b)*abb', group: 'A5', ltl: 'b & Y(b & Y a)', crasp: '', program: '', division: '', graph: ''};
const KINDS = [...Object.keys(TEXTS), 'file'], MANY_LINES = ['crasp', 'program'];
const SIZES = [8, 16, 32, 64];  // of networks for graphs; the first one is stored
const GRAPH = '1 2\n2 3\n3 4\n4 5\n5 1\n6 7';
const LANGUAGES = ['regex', 'group', 'automaton'];  // sources that have a card
const FACE_KIND = {graph: 'connectivity'};  // names of the program
const NAMES = {crasp: 'this C-RASP program', program: 'this program', division: 'division', graph: 'reachability'};

const state = {kind: 'regex', texts: {...TEXTS}, word: 'aabb', construction: 'scan', layer: 1, file: null};
let shown = {};  // of the last answer: {network, run}
let examples = [], programThere = false, turns = 0;  // of questions

const questions = new Questions((sentence) => {
  $('stop').disabled = sentence === '';
  document.body.ariaBusy = `${sentence !== ''}`;
  $('state').textContent = sentence;
}, showVersion, (sentence) => ($('version').textContent = sentence));
const graph = new GraphView($('graph-editor'), () => (offerEnds(), later()), SIZES.at(-1));
const attention = new AttentionView($('attention'), () => showChosen(), (by) => setLayer(shown.layer + by));
attention.measured = placeWord;
const tour = new Tour((question, token) => {
  setState(question);
  state.token = token;
  ask();
}, () => share(), async ({goal}) => {
  openCard(false);
  await ask();  // of what was typed just now
  let found;
  const of = await source();
  if (of === null) throw new Error('Choose a file first.');
  await questions.ask({ask: 'check', source: of, goal}, (_, value) => (found = value));
  return found;
});

// ------------------------------------------------------------------------------------------------------- the question

const text = () => state.texts[state.kind] ?? '';

function setState({kind, text: given, word, construction, layer, source, target, dividend, divisor, file}) {
  if (kind !== undefined) state.kind = kind;
  if (given && state.kind !== 'graph') state.texts[state.kind] = given;
  if (state.kind === 'graph') graph.setText(given ?? (graph.text || GRAPH));
  if (word !== undefined) state.word = word;
  state.construction = construction ?? 'scan';
  if (layer !== undefined && /^\d{1,6}$/.test(layer)) state.layer = Number(layer);
  if (dividend !== undefined) $('dividend').value = dividend;
  if (divisor !== undefined) $('divisor').value = divisor;
  if (file !== undefined) state.file = {name: file};
  showForm();
  if (source !== undefined) $('source').value = source;
  if (target !== undefined) $('target').value = target;
}

function showForm() {
  const {kind} = state, takes = taken();
  for (const radio of document.getElementsByName('kind')) radio.checked = radio.value === kind;
  $('text-line').hidden = !['regex', 'group', 'ltl'].includes(kind);
  $('lines-line').hidden = !MANY_LINES.includes(kind);
  $('graph-editor').hidden = $('ends-line').hidden = takes !== 'graph';
  $('division-line').hidden = takes !== 'division';
  $('word-line').hidden = takes !== 'word';
  if (takes !== 'word' || tour.exercise) $('form-box').open = true;
  const name = NAMES[kind] ?? (kind === 'file' ? state.file?.name ?? 'a file' : text());
  $('form-line').textContent = `Choose another network than ${name}`;
  $('card-open').hidden = !programThere || !LANGUAGES.includes(kind === 'file' ? state.file?.kind : kind);
  $('construction-line').hidden = !['regex', 'group'].includes(kind) || !programThere;
  $(MANY_LINES.includes(kind) ? 'lines' : 'text').value = text();
  $('word').value = state.word;
  offerConstructions();
  if (takes === 'graph' && graph.vertices.length === 0 && !graph.wrong) graph.setText(GRAPH);
  if (takes === 'graph') offerEnds();
}

/** What the network takes: a word, a graph, a division or cells. */
const taken = () => {
  if (state.kind === 'file') return state.file?.takes ?? 'word';
  if (state.kind === 'program' && /^input cells/m.test(text())) return 'cells';
  return ['division', 'graph'].includes(state.kind) ? state.kind : 'word';
};

function offerConstructions() {
  $('construction').replaceChildren(...CONSTRUCTIONS.map((name) => make('option', {}, name)));
  $('construction').value = state.construction;
}

function offerEnds() {
  for (const [id, place] of [['source', 0], ['target', -1]]) {
    const before = $(id).value, names = graph.vertices.map(({name}) => name);
    $(id).replaceChildren(...names.map((name) => make('option', {}, name)));
    $(id).value = names.includes(before) ? before : names.at(place) ?? '';
  }
}

/** The network of the smallest of the sizes that the graph fits in. */
const rows = () => ({construction: 'rows', options: {size: SIZES.find((most) => graph.vertices.length <= most)}});

async function source() {
  const {kind, file} = state;
  if (kind !== 'file') {
    const construction = state.construction === 'scan' ? undefined : state.construction;  // the one without a choice
    const given = {kind: FACE_KIND[kind] ?? kind, text: text(), construction, ...(kind === 'graph' ? rows() : {})};
    return kind === 'ltl' && tour.exercise?.alphabet ? {...given, options: {alphabet: tour.exercise.alphabet}} : given;
  }
  if (!file) return null;
  if (file.kind === undefined)
    await questions.ask({ask: 'open', name: file.name, blob: file.blob}, (_, content) => Object.assign(file, content));
  const {name, text: content, format} = file;
  if (file.kind === 'weights') return {weights: content, name};
  if (file.kind === 'automaton') return {kind: 'automaton', text: content, name, format};
  setState({kind: file.kind, text: content});  // which is edited in the form
  return source();
}

/** The input of the form, for a network with inputs of this kind. */
function input() {
  switch (taken()) {
    case 'division':
      return {division: checkedDivision({dividend: $('dividend').value, divisor: $('divisor').value})};
    case 'graph':
      if (graph.wrong) throw graph.wrong;
      return {graph: graph.text, source: $('source').value, target: $('target').value};
    default:
      return {word: state.word};
  }
}

function share() {
  const {kind, word, construction, layer, file} = state;
  writeAddress({kind, text: kind === 'graph' ? graph.text : text(), word: $('word-line').hidden ? null : word,
                construction: construction === 'scan' ? '' : construction, layer, tour: tour.number,
                exercise: tour.exercise?.id, card: state.card ? '1' : '',
                ...(kind === 'graph' ? {source: $('source').value, target: $('target').value} : {}),
                ...(taken() === 'division' ? {dividend: $('dividend').value, divisor: $('divisor').value} : {}),
                ...(kind === 'file' && file && !file.blob ? {file: file.name} : {})});
}

// --------------------------------------------------------------------------------------------------------- the answer

function clear() {
  questions.stop('');
  for (const id of ['verdict', 'depth', 'error', 'prefixes', 'break']) $(id).textContent = '';
  for (const id of ['loops-section', 'change-section']) $(id).hidden = true;
  play(false);
  $('network').textContent = '';
  shown = {};
}

async function ask() {
  const turn = ++turns;
  clearTimeout(later.timer);
  clearTimeout(setLayer.timer);
  clear();
  try {
    const of = await source();
    if (turn !== turns) return;  // there is a newer question
    showForm();
    if (!LANGUAGES.includes(of?.kind)) openCard(false);
    const given = {source: of, input: input()};
    share();
    if (of === null) {
      hidePicture();
      return void ($('state').textContent = 'Choose or drop a weights file, an automaton or a graph.');
    }
    shown = {given};
    await questions.ask({ask: 'answer', ...given}, (part, value) => PARTS[part](value));
  } catch (error) {
    if (turn === turns) fail(error);
  }
  if (state.card && turn === turns && shown.given) await showCard();  // also where this word has no answer
}

async function showCard() {
  const {source: of} = shown.given;
  $('card-state').textContent = '';
  try {
    const {Card} = await import('./card_view.mjs');  // which few visitors need
    await new Card(questions).show(of);
  } catch (error) {
    $('card-state').textContent = error.message;
  }
}

function openCard(open) {
  state.card = open;
  $('card').hidden = !open;
}

/** Without a run there is no picture; while one is made, that of the last one stays. */
function hidePicture() {
  $('running').textContent = shown.network?.facts.name ?? 'A transformer that is run exactly';
  shown.run = undefined;
  play(false);
  for (const id of ['attention-section', 'player', 'reads-box']) $(id).hidden = true;
  attention.hide();
  $('word-line').classList.remove('over');
}

function fail(error) {
  hidePicture();
  if (error instanceof Stopped) $('state').textContent = error.message || $('state').textContent;
  else $('error').textContent = error.message;
}

const PARTS = {
  network(network) {
    shown.network = network;
    const {facts, lines} = network;
    const about = [
      ...lines.map((line) => inPageWords(line)), `${facts.name}: ${facts.construction} (${facts.source})`,
      `depth ${facts.depth}, width ${facts.width}`,
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
    if (!run.steps) hidePicture();
    if (run.outcome !== undefined) return void ($('verdict').textContent = `${run.outcome}: ${run.reason}`);
    $('verdict').className = showAnswer($('verdict'), $('depth'), run, shown.network.names);
    const lines = prefixLines(run, shown.network.names.output);
    $('prefixes').textContent = lines.join('\n');
    $('prefixes-box').hidden = lines.length === 0;
    if (!run.steps) return;  // of the program, which says what it answers alone
    shown.run = run;
    for (const id of ['attention-section', 'player', 'reads-box']) $(id).hidden = false;
    const counted = (n, what) => `${n} ${what}${n === 1 ? '' : 's'}`;
    $('running').textContent = `${shown.network.facts.name}: a transformer of ${counted(run.depth, 'layer')}, ` +
      `run exactly on ${counted(run.labels.length, 'token')}`;
    typeInPlace(run.labels);
    $('said-help').hidden = !run.steps.some(({says}) => says?.some(([short]) => short));
    attention.token = state.token ?? run.labels.length - 1;
    $('layer').max = run.depth;
    showLayer(state.layer);
    const vertices = shown.given.input.graph ? graph.vertices.map(({name}) => name) : [];
    showLoops(run, shown.network.names.names, vertices.slice(0, run.labels.length));
  },
};

/** A word of single characters stands over the labels of its tokens, so that they are edited in the picture. */
function typeInPlace(labels) {
  const letters = [...state.word], first = labels[0] === 'begin' ? 1 : 0, line = $('word-line');
  const over = !line.hidden && letters.every((letter, i) => labels[first + i] === letter) && labels.length < 1000;
  line.classList.toggle('over', over);
  attention.typed = over ? [first, first + letters.length] : [0, 0];
  $('type-help').hidden = !over;
}

/** Moves through the layers, from the first one where the last one is shown. */
function play(on = !play.timer) {
  clearInterval(play.timer);
  const next = () => (shown.layer < shown.run.depth ? setLayer(shown.layer + 1) : play(false));
  play.timer = on && shown.run ? setInterval(next, 900) : 0;
  $('play').textContent = play.timer ? 'Pause' : 'Play';
  if (play.timer && shown.layer >= shown.run.depth) setLayer(0);
}

/** The layer that is asked for; a shorter run has fewer, and shows its last one. */
function setLayer(layer) {
  if (!shown.run) return;
  state.layer = Math.max(0, Math.min(shown.run.depth, layer));
  showLayer(state.layer);
}

function showLayer(layer) {
  shown.layer = Math.min(shown.run.depth, layer);
  $('layer').value = shown.layer;
  $('layer-name').textContent = layerName(shown.layer, shown.run);
  attention.show(shown.run, shown.layer);
  showReads();
  showContracts($('contracts'), shown.run, shown.network.names, shown.layer);
  showChosen();
  clearTimeout(setLayer.timer);
  setLayer.timer = setTimeout(share, 200);
}

/** A line for every token that reads another one. */
function showReads() {
  if (!shown.run || !$('reads-box').open) return;
  $('reads').textContent = shown.run.labels.map((_, token) => attention.sentence(token)).join('\n');
}

/** The input over the picture has a place for each of its letters, and for one more. */
function placeWord() {
  if (!$('word-line').classList.contains('over')) return;
  const said = $('said-help').hidden ? '0px' : '18px', letters = [...state.word].length + 1;
  const place = {gap: attention.gap, first: attention.typed[0], letters, said};
  for (const [name, value] of Object.entries(place)) $('word-line').style.setProperty(`--${name}`, value);
}

const chosenToken = {title: $('token-title'), body: $('token')};
const showChosen = () =>
    shown.run && showToken(chosenToken, shown.run, shown.network.names.names, shown.layer, attention.token);

// ------------------------------------------------------------------------------------------------------------- events

/** Asks after a moment without another change. */
function later() {
  state.token = undefined;
  $('tour-result').textContent = '';
  clearTimeout(later.timer);
  later.timer = setTimeout(ask, 300);
}

for (const radio of document.getElementsByName('kind'))
  radio.addEventListener('change', () => {
    setState({kind: radio.value});
    later();  // the arrow keys pass through kinds that nobody asks for
  });
for (const id of ['text', 'lines'])
  $(id).addEventListener('input', () => {
    state.texts[state.kind] = $(id).value;
    later();
  });
for (const event of ['input', 'compositionend'])
  $('word').addEventListener(event, ({isComposing}) => {
    state.word = $('word').value;
    placeWord();
    if (!isComposing) later();
  });
for (const id of ['dividend', 'divisor', 'source', 'target']) $(id).addEventListener('change', later);
$('construction').addEventListener('change', () => {
  state.construction = $('construction').value;
  later();
});
$('reads-box').addEventListener('toggle', showReads);
$('word').addEventListener('keyup', ({key}) => {
  const over = $('word-line').classList.contains('over'), before = Math.max(0, $('word').selectionStart - 1);
  if (over && /^(Arrow(Left|Right)|Home|End)$/.test(key)) attention.choose(attention.typed[0] + before);
});
$('word').addEventListener('click', (event) => $('word-line').classList.contains('over') && attention.pick(event));
$('layer').addEventListener('input', () => setLayer(Number($('layer').value)));
$('question').addEventListener('submit', (event) => {
  event.preventDefault();
  ask();
});
$('stop').addEventListener('click', () => questions.stop());
$('play').addEventListener('click', () => play());
$('picture').addEventListener('click', () => save(attention.svg(), 'image/svg+xml', 'attention.svg'));
$('share').addEventListener('click', async () => {
  share();
  const said = location.protocol !== 'file:' ? 'The address was copied.'
    : 'Copied: the end of the address, which fits behind that of any copy of the page.';
  $('state').textContent = await copied(ownAddress()) ? said : ownAddress();
});
const save = (content, type, download) => {
  const href = URL.createObjectURL(new Blob([content], {type}));
  make('a', {href, download}).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
};
for (const [id, open] of [['card-open', true], ['card-close', false]])
  $(id).addEventListener('click', () => {
    openCard(open);
    $(open ? 'card-title' : 'card-open').focus();
    (open ? ask : share)();
  });
$('save').addEventListener('click', () => {
  if (shown.network) save(shown.network.weights, 'application/json', 'weights.json');
});
$('change').addEventListener('submit', async (event) => {
  event.preventDefault();
  $('break').textContent = '';
  try {
    const value = checkedValue($('value').value.trim());
    await questions.ask({ask: 'change', ...shown.given, place: chosenPlace(), value},
                        (_, found) => ($('break').textContent = breakSentence(found)));
  } catch (error) {
    if (error instanceof Stopped) $('state').textContent = error.message;
    else $('break').textContent = error.message;
  }
});

function take(blob) {
  state.file = {name: blob.name, blob};
  state.token = undefined;
  setState({kind: 'file'});
  ask();
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
addEventListener('hashchange', ({newURL}) => follow(readAddress(new URL(newURL).hash)));

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
      'Without the program, this page runs the stored examples and your own weights files. The program would also ' +
      'compile regular expressions, groups, automata and programs, analyse languages, and run words of more than 512 ' +
      'letters. It comes with the folder of the page on a server, as logdepth play shows it.';
  $('program-box').hidden = !there;
  $('left-out').replaceChildren(...leftOut.map((part) => make('li', {}, inPageWords(part))));
  showForm();
}

/** Answers the question of an address, which may be anybody's. */
async function follow(address) {
  const wrong = (key, expected) => {
    clear();
    fail(new Error(`Address: ${key}: expected ${expected}.`));
  };
  for (const [key, known] of [['kind', KINDS], ['construction', CONSTRUCTIONS]])
    if (!known.includes(address[key] ?? known[0])) return wrong(key, `one of ${known.join(', ')}`);
  setState({kind: 'regex', ...address});
  for (const key of ['source', 'target'])
    if (state.kind === 'graph' && !graph.wrong && $(key).value !== (address[key] ?? $(key).value))
      return wrong(key, 'a vertex of the graph');
  openCard(address.card === '1');
  const exercise = EXERCISES.findIndex(({id}) => id === address.exercise);
  if (address.exercise && exercise < 0) return wrong('exercise', `one of ${EXERCISES.map(({id}) => id).join(', ')}`);
  if (!address.exercise && !address.tour) tour.hide();
  if (address.exercise) tour.show(exercise, !address.kind, EXERCISES);
  else if (address.tour) tour.show(Number(address.tour) - 1, !address.kind);
  if (!address.tour && !address.exercise || address.kind) await ask();
}

/** The form and a stored answer come before the program, which may take long to load. */
async function start() {
  for (const [id, [min, max]] of Object.entries(BOUNDS)) Object.assign($(id), {min, max});
  examples = JSON.parse(await storedText('examples.json'));
  for (const {face, text: example} of examples) if (Object.hasOwn(TEXTS, face)) state.texts[face] ||= example;
  offerExamples();
  showForm();
  await follow(readAddress());
  document.body.ariaBusy ??= 'false';  // where the form refused the question
  questions.load();
}

start().catch(fail);

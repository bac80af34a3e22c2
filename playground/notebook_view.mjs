// A run in a notebook: the front end of Model.widget (python/logdepth/widget.py), with the views of the page.
//
// anywidget calls `render` with the traits: `weights`, the text of a weights file; `word`, or for other inputs `given`,
// an input of observed_run.mjs; `layer` and `token` that are shown.

import {AttentionView} from './attention_view.mjs';
import {make} from './elements.mjs';
import {Outcome, Refusal, readModel} from './exact_runner.mjs';
import {inputOf, namesOf, observe} from './observed_run.mjs';
import {layerName, showAnswer, showContracts, showToken} from './token_view.mjs';

const MOST_TOKENS = 256;  // the notebook waits for the run

class NotebookView {
  run = null;

  constructor(traits) {
    this.traits = traits;
    this.verdict = make('output', {className: 'verdict'});
    this.depth = make('span');
    this.error = make('p', {className: 'error', role: 'alert'});
    this.word = make('input', {className: 'word', spellcheck: false, autocapitalize: 'none'});
    this.layer = make('input', {className: 'layer', type: 'range', min: 0, max: 0});
    this.layerName = make('output');
    this.canvas = make('canvas', {tabIndex: 0, role: 'slider', ariaLabel: 'token', ariaValueMin: 0});
    this.token = {title: make('div', {className: 'title'}), body: make('div')};
    this.contracts = make('div');
    this.wordLine = make('label', {className: 'line'}, 'Word ', this.word);
    const help = 'Choose a token with the pointer or with the arrow keys; the arrows up and down change the layer.';
    this.shown = make('div', {hidden: true},
      make('label', {className: 'line'}, 'Layer ', this.layer, this.layerName),
      make('div', {className: 'scroll'}, this.canvas), make('p', {className: 'small'}, help),
      make('div', {className: 'columns'}, make('div', {}, this.token.title, this.token.body),
        make('div', {}, make('div', {className: 'title'}, 'Contracts of the heads'), this.contracts)));
    this.root = make('div', {className: 'logdepth-run'}, this.wordLine, this.error,
      make('div', {className: 'answer'}, this.verdict, this.depth), this.shown);
    this.attention = new AttentionView(this.canvas, () => this.#choose(), (by) => this.#set('layer', this.at + by));
    this.#listen();
  }

  /** The layer of the trait, within the run. */
  get at() {
    return Math.max(0, Math.min(this.run.depth, this.traits.get('layer')));
  }

  #set(name, value) {
    this.traits.set(name, name === 'layer' ? Math.max(0, Math.min(this.run.depth, value)) : value);
    this.traits.save_changes();
  }

  #listen() {
    this.layer.addEventListener('input', () => this.#set('layer', Number(this.layer.value)));
    this.word.addEventListener('input', () => this.#set('word', this.word.value));
    // The arrows are not those of the notebook, which choose cells.
    this.root.dataset.lmSuppressShortcuts = 'true';
    this.root.addEventListener('keydown', (event) => event.stopPropagation());
  }

  async open() {
    const text = this.traits.get('weights');
    this.names = namesOf(text);
    this.model = await readModel(text, this.names.facts.name);
    this.wordLine.hidden = this.model.input.kind !== 'word';
    this.ask();
    const changes = {word: () => this.ask(), layer: () => this.#show(),
                     token: () => this.run && this.traits.get('token') !== this.attention.token && this.#place()};
    for (const [name, change] of Object.entries(changes)) this.traits.on(`change:${name}`, change);
    const theme = new MutationObserver(() => this.attention.draw());
    theme.observe(document.body, {attributes: true});
    return () => {
      theme.disconnect();
      for (const [name, change] of Object.entries(changes)) this.traits.off(`change:${name}`, change);
    };
  }

  /** The run of the input, or a sentence. */
  ask() {
    const word = this.traits.get('word'), input = this.wordLine.hidden ? this.traits.get('given') : {word};
    if (this.word.value !== word) this.word.value = word;
    for (const part of [this.verdict, this.depth, this.error]) part.textContent = '';
    this.run = null;
    this.shown.hidden = true;
    try {
      const tokens = inputOf(this.model, input);
      if (tokens.tokens.length > MOST_TOKENS)
        throw new Refusal(`expected at most ${MOST_TOKENS} tokens, found ${tokens.tokens.length}`);
      this.run = observe(this.model, tokens, this.names);
    } catch (error) {
      if (!(error instanceof Outcome || error instanceof Refusal)) throw error;
      this.error.textContent = error.outcome ? `${error.outcome}: ${error.message}` : error.message;
      return;
    }
    this.verdict.className = `verdict ${showAnswer(this.verdict, this.depth, this.run, this.names)}`;
    this.layer.max = this.run.depth;
    this.shown.hidden = false;
    this.#place();
  }

  /** The token of the trait; a negative one counts from the last. */
  #place() {
    const token = this.traits.get('token'), {length} = this.run.labels;
    this.attention.token = Math.max(0, Math.min(length - 1, token < 0 ? length + token : token));
    this.#show();
  }

  #choose() {
    this.#set('token', this.attention.token);
    showToken(this.token, this.run, this.names.names, this.at, this.attention.token);
  }

  #show() {
    if (!this.run) return;
    this.layer.value = this.at;
    this.layerName.textContent = layerName(this.at, this.run);
    this.attention.show(this.run, this.at);
    showToken(this.token, this.run, this.names.names, this.at, this.attention.token);
    showContracts(this.contracts, this.run, this.names, this.at);
  }
}

export default {
  async render({model, el}) {
    const view = new NotebookView(model);
    el.append(view.root);
    return view.open();
  },
};

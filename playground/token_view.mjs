// What a run answers, what a token holds after a layer, as exact numbers, and what the contracts of the heads state.

import {counted} from './attention_view.mjs';
import {make, table} from './elements.mjs';

const LONGEST = 60;

const number = (text, changed) =>
  make('td', {className: `number${changed ? ' changed' : ''}`, title: text},
       text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

const after = (run, layer) => run.steps.findLast((step) => step.layer === layer);

const COLOURS = {accept: 'yes', connected: 'yes', reject: 'no', 'not connected': 'no'};

/** The answer and the number of layers, into these elements. Returns the class that colours a decision. */
export function showAnswer(verdict, layers, {decision, quotients, table, depth}, {facts, output}) {
  verdict.textContent = decision ??
      (quotients ? `quotient ${quotients.quotient}, remainder ${quotients.remainder}` :
                   table.at(-1).map((x, k) => `${output.names[k]}=${x}`).join(' '));
  layers.textContent = `${depth} ${depth === 1 ? 'layer' : 'layers'} (depth ${facts.depth})`;
  return COLOURS[decision] ?? '';
}

/**
 * Per prefix its product or state, as `logdepth run --prefixes` prints it; per token the named values of the output.
 */
export function prefixLines({prefixes = [], table = []}, {names}) {
  const values = (row) => row.map((x, k) => `${names[k]}=${x}`).join(' ');
  return [...prefixes.map((images) => (Array.isArray(images) ? `[${images}]` : `${images ?? 'undecided'}`)),
          ...table.map((row, i) => `token ${i}: ${values(row)}`)];
}

export const layerName = (layer, {depth}) => (layer === 0 ? '0 (embedding)' : `${layer} of ${depth}`);

/** Into the elements `title` and `body`. */
export function showToken({title, body}, run, names, layer, token) {
  title.textContent = `Token ${token} (${run.labels[token]}) after layer ${layer}`;
  const held = after(run, layer)?.held?.[token], before = new Map(after(run, layer - 1)?.held?.[token] ?? []);
  if (!held) {
    body.replaceChildren('The run is too large to show the numbers of every token.');
    return;
  }
  const step = run.steps.find((one) => one.layer === layer && one.sublayer === 'attention');
  const reads = (step?.selections ?? []).map((rows, head) =>
    make('p', {className: 'small'}, dot(head), `head ${head} reads ${counted(rows[token])}`));
  const rows = held.map(([at, text]) => [names[at], number(text, layer > 0 && before.get(at) !== text)]);
  const {knows, says} = after(run, layer);
  const known = knows && `token${/^\d+$/.test(knows[token]) ? '' : 's'} ${knows[token]}`;
  const words = known && make('p', {}, `It has read, itself or through others, ${known}.${
    says[token][1] && ` Read out after this layer, it says: ${says[token][1]}.`}`);
  body.replaceChildren(...reads, words ?? '', table(['coordinate', 'value'], rows),
                       make('p', {className: 'small'}, `The other ${names.length - held.length} of ` +
                         `${names.length} coordinates are 0. Bold: changed by this layer.`));
}

const dot = (head) => {
  const mark = make('span', {className: 'dot'});
  mark.style.background = `var(--head${head % 5})`;
  return mark;
};

const SENTENCES = {
  uniform: () => 'reads every token that it sees',
  match: ({selects}) => `reads ${many(selects)}, all with one key`,
  rightmost: () => 'reads the token with the largest flag; of several, the last',
  flagged: ({when}) => `reads every flagged token${when ? ' if its own flag is set' : ''}; without one, all tokens`,
  find: ({selects, prefer}) => `reads ${many(selects)} with the key that its query names` +
    (prefer ? ', those with the largest preference' : ''),
  related: () => 'reads every token that a pair of coordinates relates to it, preferred ones first',
};
const many = (selects) => (selects === 'at-least-one' ? 'at least one token' : 'exactly one token');

/** The layer of the file that runs as layer `layer` of a run of that depth. */
function layerOf(blocks, depth, layer) {
  const of = (block) => blocks.flatMap((own, at) => (own === block ? [at] : []));
  const initial = of('initial'), repeated = of('repeated'), final = of('final');
  if (layer <= initial.length) return initial[layer - 1];
  if (layer > depth - final.length) return final[layer - 1 - (depth - final.length)];
  return repeated[(layer - 1 - initial.length) % repeated.length];
}

export function showContracts(body, run, {contracts, blocks}, layer) {
  const heads = layer === 0 ? [] : contracts[layerOf(blocks, run.depth, layer)];
  const alike = new Map();  // sentences with their heads
  heads.forEach((promise, head) => {
    const sentence =
        `${SENTENCES[promise.kind](promise)}${promise.causal ? ' (of itself and the tokens before it)' : ''} ` +
        `[${promise.kind}]`;
    alike.set(sentence, [...(alike.get(sentence) ?? []), head]);
  });
  const lines = [...alike].map(([sentence, of]) => make('p', {}, ...of.map(dot), make('strong', {},
    `${of.length === 1 ? `head ${of[0]}` : `each of the heads ${of.join(', ')}`} `), sentence));
  const whole = run.broken ? `Violated: ${run.broken}.` :
                             `Checked at every token of the run: ${run.promises} rows, none violated.`;
  const empty = layer === 0 ? 'Layer 0 is the embedding of the tokens.' : 'This layer has no head.';
  body.replaceChildren(...(lines.length ? lines : [make('p', {}, empty)]), make('p', {className: 'small'}, whole));
}

// Five steps for a class, and exercises. Each sets a question, so that the page below shows what the text is about.

import {readAddress} from './address.mjs';
import {$, copied, make, ownAddress} from './elements.mjs';
import {EXERCISES, checkSentence} from './exercises.mjs';
import {storedPicture, storedText} from './stored_files.mjs';

const A5 = 'abaabbabababbaba';

export const STEPS = [
  {
    title: '1 of 5. Why log n',
    text: [
      'The word problem of A5 is the product of a word of permutations. One layer runs again and again: after ' +
          'layer l every token holds the product of the last 2^l letters. So 16 letters take 4 layers, and 32 ' +
          'take 5.',
      'Move the slider: each token reads the token 1, 2, 4, 8 positions back. Type more letters and see the depth.'
    ],
    question: {kind: 'group', text: 'A5', word: A5, layer: '1'},
  },
  {
    title: '2 of 5. Why exact',
    text: [
      'A head selects the keys with the largest score. Two scores of different tokens can be closer than any ' +
          'floating-point format can tell: the position codes of a long word are unit vectors that almost ' +
          'coincide.',
      'So weights and values are fractions and square roots here, and every comparison is decided. Choose a ' +
          'token: its codes E and I are points such as (-5/13, 12/13) of the unit circle.'
    ],
    question: {kind: 'regex', text: '(a|b)*abb', word: 'aababbaabb', layer: '2'},
  },
  {
    title: '3 of 5. Where the paper errs',
    text: [
      'Lemma A.6 lets every token i fetch the position code φ(i - k) of the token k positions before it. This is ' +
          'its construction as it is written, for k = 1, on five tokens. Token 1 should hold φ(0) = (0, 1).',
      'Choose token 1 after layer 1: x is (sqrt(1/2), sqrt(1/2)), which is φ(1). The head’s value 1 - (k+1)·1[j ' +
          '= 0] is off by one. With 1 - k·1[j = 0] the lemma holds: logdepth check lem-A.6 runs both forms.'
    ],
    question: {kind: 'file', file: 'lem-A.6.json', layer: '1'},
    token: 1,
  },
  {
    title: '4 of 5. What training finds',
    text: [
      'A transformer with one looped layer was trained on the word problem of S5. Left: its attention on eight ' +
          'letters. Right: the compiled network.',
      'In iteration l each token reads about 2^(l-1) positions back, as in the construction. This is one seed of ' +
          'S5; other seeds end at shorter lengths.'
    ],
    image: ['learned-S5.svg', 'Attention of a trained network on S5, next to the compiled one'],
    question: {kind: 'group', text: 'A5', word: 'abababab', layer: '2'},
  },
  {
    title: '5 of 5. A construction of one’s own',
    text: [
      'A construction can be written as text: the cells of a token, what they hold at first, and the statements ' +
          'of each layer. This one accepts the words with more ones than zeros. One head takes the mean of all ' +
          'tokens so far, and its sign is the answer.',
      'Change a number of the program, or the word, and see what a token holds.'
    ],
    question: {kind: 'program', word: '10110', layer: '1'},
  },
];

export class Tour {
  #steps = STEPS;
  #step = null;
  #kept = {};  // addresses, by exercise

  /** Calls asked(question, token) for a step, moved() when one is left, checked(exercise) for what a check finds. */
  constructor(asked, moved, checked) {
    Object.assign(this, {asked, moved, checked});
    $('tour-open').addEventListener('click', () => this.show(0));
    $('exercises-open').addEventListener('click', () => this.show(0, true, EXERCISES));
    $('tour-back').addEventListener('click', () => this.show(this.#step - 1, true, this.#steps));
    $('tour-next').addEventListener('click', () => this.show(this.#step + 1, true, this.#steps));
    $('tour-close').addEventListener('click', () => this.close());
    $('tour-check').addEventListener('click', () => this.#check());
  }

  get number() {
    return this.#step === null || this.#steps !== STEPS ? '' : `${this.#step + 1}`;
  }

  /** The exercise that is shown, if one is. */
  get exercise() {
    return this.#step === null || this.#steps !== EXERCISES ? null : EXERCISES[this.#step];
  }

  close() {
    this.hide();
    $('tour-open').focus();
    this.moved();
  }

  /** What a visitor wrote is there when the exercise is shown again. */
  #keep() {
    if (!this.exercise) return;
    this.moved();
    this.#kept[this.exercise.id] = readAddress();
  }

  hide() {
    this.#keep();
    this.#step = null;
    $('tour').hidden = true;
    $('form-home').append($('form-box'));
  }

  /** `ask`: whether the question of the step is asked too. */
  async show(step, ask = true, steps = STEPS) {
    if (!steps[step]) return;
    this.#keep();
    this.#steps = steps;
    this.#step = step;
    const {id, title, text, image, question, token, stored, goal} = steps[step];
    $('tour').hidden = false;
    $('tour-title').textContent = title;
    $('tour-text')
        .replaceChildren(
            ...text.map((part) => make('p', {}, part)),
            ...(image ? [make('img', {src: storedPicture(image[0]), alt: image[1]})] : []));
    $('tour-back').disabled = step === 0;
    $('tour-next').disabled = step === steps.length - 1;
    $('tour-check').hidden = !goal;
    $('tour-result').textContent = '';
    $(goal ? 'tour-form' : 'form-home').append($('form-box'));
    $('tour-title').focus();
    const program = stored && JSON.parse(await storedText(stored)).derived.program;
    const begun = program ? {...question, text: program} : question;
    if (ask && this.#step === step) this.asked(this.#kept[id] ?? begun, token);
  }

  async #check() {
    const exercise = this.exercise, result = $('tour-result');
    result.textContent = 'Checking …';
    try {
      const found = await this.checked(exercise);
      if (exercise !== this.exercise) return;
      result.textContent = checkSentence(exercise, found);
      const button = (text, act) => {
        const made = make('button', {type: 'button'}, text);
        made.addEventListener('click', act);
        result.append(' ', made);
      };
      const word = found.tested.counterexample?.word;
      const report = `${exercise.title}\n${result.textContent}\n${ownAddress()}`;
      if (word !== undefined) button('Run that word', () => this.asked({word}));
      button('Copy result', async ({target}) => (target.textContent = await copied(report) ? 'Copied' : report));
    } catch (error) {
      if (exercise === this.exercise) result.textContent = error.message;
    }
  }
}

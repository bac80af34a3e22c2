// Who reads whom in one layer: tokens in a row, an arc per head from each token to the tokens that it reads.

const GAP = 44, NARROW = 22, BASE = 26, HEADS = 5;
const MOST_ARCS = 6000, MOST_TOKENS = 1000;

export class AttentionView {
  token = 0;
  #run = null;
  #layer = 0;
  #pending = false;
  #fresh = false;  // a run that has not been drawn

  constructor(canvas, chosen, layerBy) {
    Object.assign(this, {canvas, chosen});
    canvas.addEventListener('pointermove', (event) => event.buttons === 0 && this.#pick(event));
    canvas.addEventListener('pointerdown', (event) => this.#pick(event));
    canvas.addEventListener('keydown', (event) => {
      const moves = {ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity}, turns = {ArrowUp: 1, ArrowDown: -1};
      if (event.key in moves) this.choose(this.token + moves[event.key]);
      else if (event.key in turns) layerBy(turns[event.key]);
      else return;
      event.preventDefault();
    });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
  }

  show(run, layer) {
    this.#fresh ||= this.#run !== run;
    this.#run = run;
    this.#layer = layer;
    this.token = Math.min(this.token, run.labels.length - 1);
    this.draw();
  }

  choose(token) {
    if (!this.#run) return;
    this.token = Math.max(0, Math.min(this.#run.labels.length - 1, token));
    this.draw();
    this.reveal();
    this.chosen();
  }

  /** Scrolls the picture to the chosen token. */
  reveal() {
    const frame = this.canvas.parentElement, at = (this.token + 0.5) * this.gap;
    if (at < frame.scrollLeft + this.gap || at > frame.scrollLeft + frame.clientWidth - this.gap)
      frame.scrollLeft = at - frame.clientWidth / 2;
  }

  get gap() {
    return this.#run.labels.length > 24 ? NARROW : GAP;
  }

  #pick({clientX}) {
    if (!this.#run) return;
    const token = Math.floor((clientX - this.canvas.getBoundingClientRect().left) / this.gap);
    if (token !== this.token) this.choose(token);
  }

  /** Draws before the next frame, once however often it is called. */
  draw() {
    if (this.#pending) return;
    this.#pending = true;
    requestAnimationFrame(() => {
      this.#pending = false;
      if (!this.#run) return;
      this.#paint();
      if (this.#fresh) this.reveal();
      this.#fresh = false;
    });
  }

  #paint() {
    const {labels, steps} = this.#run, gap = this.gap;
    this.canvas.hidden = labels.length > MOST_TOKENS;
    if (this.canvas.hidden) return;
    const step = steps.find(({layer, sublayer}) => layer === this.#layer && sublayer === 'attention');
    const selections = step?.selections ?? [];
    const furthest = Math.max(0, ...selections.flatMap((rows) => rows.map((read, i) => Math.abs(i - (read[0] ?? i)))));
    const height = Math.min(220, 40 + furthest * gap / 2), width = labels.length * gap;
    const scale = devicePixelRatio || 1, {canvas} = this, pen = canvas.getContext('2d');
    if (canvas.width !== width * scale || canvas.height !== (height + BASE) * scale) {
      Object.assign(canvas, {width: width * scale, height: (height + BASE) * scale});
      Object.assign(canvas.style, {width: `${width}px`, height: `${height + BASE}px`});
    }
    const style = getComputedStyle(canvas);
    const colour = (name) => style.getPropertyValue(name).trim().replace('currentcolor', style.color);
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height + BASE);
    this.#tokens(pen, labels, height, colour);
    const few =
        selections.reduce((sum, rows) => sum + rows.reduce((all, read) => all + read.length, 0), 0) <= MOST_ARCS;
    selections.forEach((rows, head) => {
      pen.strokeStyle = colour(`--head${head % HEADS}`);
      if (few) rows.forEach((read, i) => i !== this.token && this.#arcs(pen, i, read, height, 0.5, 1.5));
      this.#arcs(pen, this.token, rows[this.token], height, 1, 2.5);
    });
    canvas.setAttribute('aria-label', this.sentence(selections));
  }

  sentence(selections) {
    const {labels} = this.#run;
    const reads = selections.map((rows, head) => `head ${head} reads ${counted(rows[this.token])}`);
    return `Layer ${this.#layer}: token ${this.token} (${labels[this.token]}) ${
        reads.join(', ') || 'reads no other token'}`;
  }

  #tokens(pen, labels, height, colour) {
    pen.globalAlpha = 1;
    pen.font = '13px ui-monospace, "DejaVu Sans Mono", monospace';
    pen.textAlign = 'center';
    labels.forEach((label, i) => {
      if (i === this.token) {
        pen.fillStyle = colour('--mark');
        pen.fillRect(i * this.gap + 1, height + 3, this.gap - 2, BASE - 4);
      }
      pen.fillStyle = colour(i === this.token ? '--on-mark' : '--text');
      pen.fillText(label.length * 8 > this.gap ? `${label.slice(0, Math.floor(this.gap / 8) - 1)}…` : label,
                   (i + 0.5) * this.gap, height + 19);
    });
  }

  #arcs(pen, i, read, height, alpha, thick) {
    pen.globalAlpha = alpha;
    pen.lineWidth = thick;
    pen.beginPath();
    const x = (token) => (token + 0.5) * this.gap;
    for (const j of read) {
      if (i === j) {
        pen.moveTo(x(i) + 5, height - 6);
        pen.arc(x(i), height - 6, 5, 0, 2 * Math.PI);
        continue;
      }
      const up = Math.min(height - 8, Math.abs(i - j) * this.gap / 2 + 10);
      pen.moveTo(x(i), height);
      pen.bezierCurveTo(x(i), height - up * 1.2, x(j), height - up * 1.2, x(j), height);
    }
    pen.stroke();
  }
}

export const counted = (tokens) => (tokens.length === 1 ? `token ${tokens[0]}`
  : tokens.length > 12 ? `${tokens.length} tokens` : `tokens ${tokens.join(', ')}`);

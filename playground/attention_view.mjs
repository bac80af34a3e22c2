// Who reads whom in one layer: tokens in a row, an arc per head from each token to the tokens that it reads.

const GAP = 44, NARROW = 22, BASE = 26, SAID = 18, HEADS = 5;
const MOST_ARCS = 6000, MOST_TOKENS = 1000;

export class AttentionView {
  token = 0;
  typed = [0, 0];  // tokens whose labels stand in an input over the picture: the first, and the one after the last
  #run = null;
  #layer = 0;
  gap = GAP;       // the width of a token: where they fit, as wide as what they say
  measured = () => {};
  #furthest = 0;   // how far apart a token and one that it reads are, in any layer
  #arcs = 0;       // their height, the same for all layers of a run
  #said = 0;       // how wide the longest text below a token is; 0 without any
  #sizes = new ResizeObserver(() => {
    this.#fresh = true;
    if (this.#run) this.#measure();
  });
  #pending = false;
  #fresh = false;  // a run that has not been drawn

  constructor(canvas, chosen, layerBy) {
    Object.assign(this, {canvas, chosen});
    canvas.addEventListener('pointermove', (event) => event.buttons === 0 && this.pick(event));
    canvas.addEventListener('pointerdown', (event) => this.pick(event));
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
    if (this.#run !== run) {
      this.#run = run;
      const longest = Math.max(0, ...run.steps.flatMap(({says = []}) => says.map(([short]) => short.length)));
      this.#said = longest && 7 * (longest + 1);
      this.#furthest = 0;
      for (const {selections = []} of run.steps)
        for (const rows of selections)
          rows.forEach((read, i) => (this.#furthest = Math.max(this.#furthest, Math.abs(i - (read[0] ?? i)))));
      this.#sizes.observe(this.#frame);
      this.#measure();
    }
    this.#layer = layer;
    this.token = Math.min(this.token, run.labels.length - 1);
    this.draw();
  }

  get #frame() {
    return this.canvas.closest('.scroll');
  }

  #measure() {
    const {length} = this.#run.labels, gap = length > 24 ? NARROW : GAP;
    this.gap = length * this.#said < this.#frame.clientWidth ? Math.max(gap, this.#said) : gap;
    this.#arcs = Math.min(220, 40 + this.#furthest * this.gap / 2);
    this.measured();
    this.draw();
  }

  hide() {
    this.#run = null;
    this.canvas.hidden = true;
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
    const frame = this.#frame, at = (this.token + 0.5) * this.gap;
    if (at < frame.scrollLeft + this.gap || at > frame.scrollLeft + frame.clientWidth - this.gap)
      frame.scrollLeft = at - frame.clientWidth / 2;
  }

  /** Chooses the token below or above the pointer. */
  pick({clientX}) {
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
    const {labels} = this.#run, {canvas} = this, {width, height} = this.size, scale = devicePixelRatio || 1;
    canvas.hidden = labels.length > MOST_TOKENS;
    if (canvas.hidden) return;
    if (canvas.width !== width * scale || canvas.height !== height * scale) {
      Object.assign(canvas, {width: width * scale, height: height * scale});
      Object.assign(canvas.style, {width: `${width}px`, height: `${height}px`});
    }
    const pen = canvas.getContext('2d');
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    this.#drawWith(pen, this.typed);
  }

  /** The picture as the text of an SVG file. */
  svg() {
    const {width, height} = this.size, pen = new SvgPen(), box = `width="${width}" height="${height}"`;
    this.#drawWith(pen, [0, 0]);
    return `<svg xmlns="http://www.w3.org/2000/svg" ${box} viewBox="0 0 ${width} ${height}">\n` +
      `<title>${escaped(this.canvas.ariaValueText)}</title>\n<rect ${box} ` +
      `fill="${getComputedStyle(document.body).backgroundColor}"/>\n${pen.elements.join('\n')}\n</svg>\n`;
  }

  get #selections() {
    return this.#run.steps.find(({layer, selections}) => layer === this.#layer && selections)?.selections ?? [];
  }

  get size() {
    return {width: this.#run.labels.length * this.gap, height: this.#arcs + BASE + (this.#said && SAID)};
  }

  #drawWith(pen, typed) {
    const {labels} = this.#run, selections = this.#selections, height = this.#arcs, {canvas} = this;
    const style = getComputedStyle(canvas);
    const colour = (name) => style.getPropertyValue(name).trim().replace('currentcolor', style.color);
    this.#tokens(pen, labels, height, colour, typed);
    const few =
        selections.reduce((sum, rows) => sum + rows.reduce((all, read) => all + read.length, 0), 0) <= MOST_ARCS;
    selections.forEach((rows, head) => {
      pen.strokeStyle = colour(`--head${head % HEADS}`);
      if (few) rows.forEach((read, i) => i !== this.token && this.#drawArcs(pen, i, read, height, 0.7, 1.5));
      this.#drawArcs(pen, this.token, rows[this.token], height, 1, 2.5);
    });
    Object.assign(canvas, {ariaValueMax: labels.length - 1, ariaValueNow: this.token, ariaValueText: this.sentence()});
  }

  sentence(token = this.token) {
    const {labels} = this.#run;
    const reads = this.#selections.map((rows, head) => `head ${head} reads ${counted(rows[token])}`);
    return `Layer ${this.#layer}: token ${token} (${labels[token]}) ${reads.join(', ') || 'reads no other token'}`;
  }

  #tokens(pen, labels, height, colour, typed) {
    const text = (i, label, size, y) => {
      pen.font = `${size}px ui-monospace, "DejaVu Sans Mono", monospace`;
      const most = Math.floor(this.gap / size / 0.61);
      pen.fillText(label.length > most ? `${label.slice(0, most - 1)}…` : label, (i + 0.5) * this.gap, y);
    };
    const said = this.#run.steps.findLast(({layer}) => layer === this.#layer)?.says ?? [];
    pen.globalAlpha = 1;
    pen.textAlign = 'center';
    labels.forEach((label, i) => {
      pen.fillStyle = colour('--text');
      if (i < typed[0] || i >= typed[1]) text(i, label, 13, height + 19);
      pen.fillStyle = colour('--dim');
      if (said[i]) text(i, this.gap > said[i][0].length * 6.7 ? said[i][0] : '…', 11, height + BASE + 12);
    });
    pen.strokeStyle = colour('--mark');
    pen.lineWidth = 2;
    pen.strokeRect(this.token * this.gap + 2, height + 2, this.gap - 4, BASE + (this.#said && SAID) - 4);
  }

  #drawArcs(pen, i, read, height, alpha, thick) {
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

const escaped = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

/** What AttentionView calls of a pen of a canvas, as elements of SVG. */
class SvgPen {
  elements = [];
  #path = '';
  #line = () => `fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}" ` +
    `stroke-opacity="${this.globalAlpha}"`;
  beginPath() {
    this.#path = '';
  }
  moveTo(x, y) {
    this.#path += `M${x} ${y}`;
  }
  bezierCurveTo(...at) {
    this.#path += `C${at.join(' ')}`;
  }
  arc(x, y, r) {
    this.#path += `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
  }
  stroke() {
    if (this.#path) this.elements.push(`<path d="${this.#path}" ${this.#line()}/>`);
  }
  strokeRect(x, y, width, height) {
    this.elements.push(`<rect x="${x}" y="${y}" width="${width}" height="${height}" ${this.#line()}/>`);
  }
  fillText(text, x, y) {
    const [, size, family] = /^(\S+) (.*)$/.exec(this.font);
    this.elements.push(`<text x="${x}" y="${y}" text-anchor="middle" font-size="${size}" ` +
      `font-family="${escaped(family)}" fill="${this.fillStyle}">${escaped(text)}</text>`);
  }
}

export const counted = (tokens) => (tokens.length === 1 ? `token ${tokens[0]}`
  : tokens.length > 12 ? `${tokens.length} tokens` : `tokens ${tokens.join(', ')}`);

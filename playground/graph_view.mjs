// A directed graph that is drawn: a click adds a vertex, a drag from vertex to vertex an edge. A click on a vertex or
// an edge chooses it, and what is chosen can be removed.

import {draw, make} from './elements.mjs';
import {edgeList} from './inputs.mjs';
import {Refusal} from './weights_file.mjs';

const WIDTH = 420, HEIGHT = 280, FEW = 16;

export class GraphView {
  vertices = [];  // {name, x, y}
  edges = [];     // [from, to], names
  wrong = null;   // the error of the text, which has no graph
  #from = null;   // where a drag began
  #chosen = null; // the name of a vertex, or an edge of `edges`

  constructor(place, changed, most) {
    Object.assign(this, {changed, most});
    this.svg = draw('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'group', 'aria-label': 'the graph', tabindex: 0});
    this.hint = make(
        'p', {className: 'small'},
        'Click to add a vertex; drag from one vertex to another to add an edge. Click on a vertex or an edge ' +
            'to choose it. With keys, N adds a vertex, and Enter on two vertices adds an edge. Delete removes the ' +
            'vertex or edge in focus.');
    this.removal = make('button', {type: 'button'}, 'Remove');
    this.removal.addEventListener('click', () => this.remove(this.#chosen));
    this.list = make('textarea', {rows: 4, spellcheck: false, ariaLabel: 'edges, one per line'});
    this.list.addEventListener('change', () => this.setText(this.list.value, true));
    const text = make('details', {}, make('summary', {}, 'Edges as text'), this.list);
    place.append(this.svg, make('p', {className: 'row'}, this.removal), this.hint, text);
    this.svg.addEventListener('pointerdown', (event) => this.#down(event));
    this.svg.addEventListener('pointerup', (event) => this.#up(event));
    this.svg.addEventListener('keydown', (event) => this.#key(event));
    // A swipe scrolls the page, unless it begins on a vertex.
    const holds = (event) => this.#at(event.touches[0]) && event.preventDefault();
    this.svg.addEventListener('touchstart', holds, {passive: false});
  }

  get text() {
    const used = new Set(this.edges.flat());
    return [
      ...this.vertices.filter(({name}) => !used.has(name)).map(({name}) => name),
      ...this.edges.map((edge) => edge.join(' '))
    ].join('\n');
  }

  setText(text, tell = false) {
    let found;
    this.wrong = null;
    try {
      found = edgeList(text);
      if (found.vertices.length > this.most)
        throw new Refusal(`Graph: expected at most ${this.most} vertices, found ${found.vertices.length}.`);
    } catch (error) {
      this.wrong = error;
      found = {vertices: [], edges: []};
    }
    const names = found.vertices;
    this.edges = found.edges;
    this.#chosen = null;
    this.vertices = names.map((name, i) => {
      const angle = 2 * Math.PI * i / names.length - Math.PI / 2;
      const far = names.length > FEW && i % 2 ? 0.7 : 1;  // many vertices are on two rings
      return {name, x: WIDTH / 2 + 185 * far * Math.cos(angle), y: HEIGHT / 2 + 118 * far * Math.sin(angle)};
    });
    this.#draw();
    if (this.wrong) this.list.value = text;
    if (tell) this.changed();
  }

  addVertex(x, y) {
    if (this.vertices.length >= this.most) return;
    const free = Array.from({length: this.most}, (_, i) => `${i + 1}`).find((name) => !this.#named(name));
    this.vertices.push({name: free, x, y});
    this.#tell();
  }

  addEdge(from, to) {
    if (from === to || this.edges.some(([a, b]) => a === from && b === to)) return;
    this.edges.push([from, to]);
    this.#tell();
  }

  /** Removes an edge, or a vertex with its edges. */
  remove(chosen) {
    this.vertices = this.vertices.filter(({name}) => name !== chosen);
    this.edges = this.edges.filter((edge) => edge !== chosen && !edge.includes(chosen));
    this.#chosen = null;
    this.#tell();
  }

  #choose(chosen) {
    this.#chosen = this.#chosen === chosen ? null : chosen;
    this.#draw();
  }

  get #radius() {
    return this.vertices.length > FEW ? 9 : 15;
  }

  #named(name) {
    return this.vertices.find((vertex) => vertex.name === name);
  }
  #tell() {
    this.wrong = null;
    this.#draw();
    this.changed();
  }

  #place({clientX, clientY}) {
    const {x, y} = new DOMPoint(clientX, clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [x, y];
  }

  #at(event) {
    const [x, y] = this.#place(event);
    return this.vertices.find((vertex) => Math.hypot(vertex.x - x, vertex.y - y) <= this.#radius + 4);
  }

  #down(event) {
    this.#from = this.#at(event)?.name ?? this.edges[event.target.dataset.edge] ?? null;
  }

  #up(event) {
    const to = this.#at(event)?.name ?? null, from = this.#from;
    this.#from = null;
    if (from === null && to === null) this.addVertex(...this.#place(event));
    else if (from === to || Array.isArray(from)) this.#choose(from);
    else if (from !== null && to !== null) this.addEdge(from, to);
    else if (from !== null) {  // a vertex is moved
      const [x, y] = this.#place(event), least = this.#radius;
      const within = (at, size) => Math.max(least, Math.min(size - least, at));
      Object.assign(this.#named(from), {x: within(x, WIDTH), y: within(y, HEIGHT)});
      this.#draw();
    }
  }

  #key(event) {
    const {name, edge} = event.target.dataset;
    if (event.key.toLowerCase() === 'n') {
      const turn = this.vertices.length * 2.4;
      this.addVertex(WIDTH / 2 + 120 * Math.cos(turn), HEIGHT / 2 + 80 * Math.sin(turn));
    } else if (name !== undefined && (event.key === 'Enter' || event.key === ' ')) {
      const from = this.#chosen;
      if (this.#named(from)) this.addEdge(from, name);
      this.#choose(this.#named(from) ? from : name);
      this.svg.querySelector(`[data-name="${CSS.escape(name)}"]`)?.focus();
    } else if ((name ?? edge) !== undefined && (event.key === 'Delete' || event.key === 'Backspace')) {
      this.remove(name ?? this.edges[edge]);
      this.svg.focus();
    } else {
      return;
    }
    event.preventDefault();
  }

  #draw() {
    const radius = this.#radius;
    const size = {markerUnits: 'userSpaceOnUse', markerWidth: radius - 2, markerHeight: radius - 2};
    const tip = draw(
        'defs', {},
        draw(
            'marker', {id: 'graph-tip', viewBox: '0 0 8 8', refX: 7, refY: 4, orient: 'auto', ...size},
            draw('path', {d: 'M0 0L8 4L0 8z', class: 'tip'})));
    const mark = (one) => (this.#chosen === one ? ' chosen' : '');
    const lines = this.edges.flatMap((edge, i) => {
      const [from, to] = edge;
      const a = this.#named(from), b = this.#named(to), far = Math.hypot(b.x - a.x, b.y - a.y) || 1;
      const [dx, dy] = [(b.x - a.x) / far, (b.y - a.y) / far],
                 back = this.edges.some(([c, d]) => c === to && d === from) ? 5 : 0;
      const shift = ([x, y]) => `${x - dy * back} ${y + dx * back}`;
      const d = `M${shift([a.x + radius * dx, a.y + radius * dy])}L${shift([b.x - radius * dx, b.y - radius * dy])}`;
      const near = {tabindex: 0, role: 'button', 'data-edge': i, 'aria-label': `edge from ${from} to ${to}`};
      return [
        draw('path', {d, class: 'near', ...near}),
        draw('path', {d, class: `edge${mark(edge)}`, 'marker-end': 'url(#graph-tip)'})
      ];
    });
    const dots = this.vertices.map(({name, x, y}) => {
      const text = draw('text', {x, y: y + radius / 3, 'text-anchor': 'middle', class: radius < 15 ? 'tight' : ''});
      text.textContent = name;
      const to = this.edges.filter(([from]) => from === name).map(([, end]) => end);
      return draw('g', {}, draw('circle', {cx: x, cy: y, r: radius, tabindex: 0, role: 'button', 'data-name': name,
                                           class: `vertex${mark(name)}`,
                                           'aria-label': `vertex ${name}, edges to ${to.join(', ') || 'none'}`}), text);
    });
    this.svg.replaceChildren(tip, ...lines, ...dots);
    this.removal.disabled = this.#chosen === null;
    this.list.value = this.text;
  }
}

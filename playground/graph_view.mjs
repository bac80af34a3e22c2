// A directed graph that is drawn: a click adds a vertex, a drag from vertex to vertex an edge.

import {draw, make} from './elements.mjs';

const WIDTH = 420, HEIGHT = 280, RADIUS = 15;

export class GraphView {
  vertices = [];  // {name, x, y}
  edges = [];     // [from, to], names
  #from = null;   // where a drag began
  #chosen = null; // of the keyboard

  constructor(place, changed, most) {
    Object.assign(this, {changed, most});
    this.svg = draw('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'group', 'aria-label': 'the graph', tabindex: 0});
    this.hint = make(
        'p', {className: 'small'},
        'Click to add a vertex; drag from one vertex to another to add an edge. ' +
            'With keys: N adds a vertex; Enter on two vertices adds an edge; Delete removes a vertex.');
    this.list = make('textarea', {rows: 4, spellcheck: false, ariaLabel: 'edges, one per line'});
    this.list.addEventListener('change', () => this.setText(this.list.value, true));
    place.append(this.svg, this.hint, make('details', {}, make('summary', {}, 'Edges as text'), this.list));
    this.svg.addEventListener('pointerdown', (event) => this.#down(event));
    this.svg.addEventListener('pointerup', (event) => this.#up(event));
    this.svg.addEventListener('keydown', (event) => this.#key(event));
  }

  get text() {
    const used = new Set(this.edges.flat());
    return [
      ...this.vertices.filter(({name}) => !used.has(name)).map(({name}) => name),
      ...this.edges.map((edge) => edge.join(' '))
    ].join('\n');
  }

  setText(text, tell = false) {
    const lines = text.split('\n').map((line) => line.replace(/#.*/, '').trim().split(/\s+/).filter(Boolean));
    this.edges = lines.filter((names) => names.length === 2);
    const names = [...new Set(lines.flat())];
    this.vertices = names.map((name, i) => {
      const angle = 2 * Math.PI * i / names.length - Math.PI / 2;
      return {name, x: WIDTH / 2 + 160 * Math.cos(angle), y: HEIGHT / 2 + 105 * Math.sin(angle)};
    });
    this.#draw();
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

  remove(name) {
    this.vertices = this.vertices.filter((vertex) => vertex.name !== name);
    this.edges = this.edges.filter((edge) => !edge.includes(name));
    this.#tell();
  }

  #named(name) {
    return this.vertices.find((vertex) => vertex.name === name);
  }
  #tell() {
    this.#draw();
    this.changed();
  }

  #place({clientX, clientY}) {
    const {x, y} = new DOMPoint(clientX, clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [x, y];
  }

  #at(event) {
    const [x, y] = this.#place(event);
    return this.vertices.find((vertex) => Math.hypot(vertex.x - x, vertex.y - y) <= RADIUS + 6);
  }

  #down(event) {
    this.#from = this.#at(event)?.name ?? null;
  }

  #up(event) {
    const to = this.#at(event)?.name ?? null, from = this.#from;
    this.#from = null;
    if (from === null && to === null) this.addVertex(...this.#place(event));
    else if (from !== null && to !== null) this.addEdge(from, to);
    else if (from !== null) {  // a vertex is moved
      const [x, y] = this.#place(event);
      Object.assign(
          this.#named(from),
          {x: Math.max(RADIUS, Math.min(WIDTH - RADIUS, x)), y: Math.max(RADIUS, Math.min(HEIGHT - RADIUS, y))});
      this.#draw();
    }
  }

  #key(event) {
    const name = event.target.dataset?.name;
    if (event.key.toLowerCase() === 'n') {
      const turn = this.vertices.length * 2.4;
      this.addVertex(WIDTH / 2 + 120 * Math.cos(turn), HEIGHT / 2 + 80 * Math.sin(turn));
    } else if (name !== undefined && (event.key === 'Enter' || event.key === ' ')) {
      const from = this.#chosen;
      this.#chosen = from === null ? name : null;
      if (from !== null) this.addEdge(from, name);
      this.#draw();
      this.svg.querySelector(`[data-name="${CSS.escape(name)}"]`)?.focus();
    } else if (name !== undefined && (event.key === 'Delete' || event.key === 'Backspace')) {
      this.remove(name);
    } else {
      return;
    }
    event.preventDefault();
  }

  #draw() {
    const tip = draw(
        'defs', {},
        draw(
            'marker',
            {id: 'graph-tip', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 9, markerHeight: 9, orient: 'auto'},
            draw('path', {d: 'M0 0L8 4L0 8z', class: 'tip'})));
    const lines = this.edges.map(([from, to]) => {
      const a = this.#named(from), b = this.#named(to), far = Math.hypot(b.x - a.x, b.y - a.y) || 1;
      const [dx, dy] = [(b.x - a.x) / far, (b.y - a.y) / far],
                 back = this.edges.some(([c, d]) => c === to && d === from) ? 5 : 0;
      const shift = ([x, y]) => `${x - dy * back} ${y + dx * back}`;
      return draw('path', {
        class: 'edge',
        'marker-end': 'url(#graph-tip)',
        d: `M${shift([a.x + RADIUS * dx, a.y + RADIUS * dy])}L${shift([b.x - RADIUS * dx, b.y - RADIUS * dy])}`
      });
    });
    const dots = this.vertices.map(({name, x, y}) => {
      const text = draw('text', {x, y: y + 5, 'text-anchor': 'middle', 'pointer-events': 'none'});
      text.textContent = name;
      const to = this.edges.filter(([from]) => from === name).map(([, end]) => end);
      return draw('g', {}, draw('circle', {cx: x, cy: y, r: RADIUS, tabindex: 0, role: 'button', 'data-name': name,
                                           class: `vertex${this.#chosen === name ? ' chosen' : ''}`,
                                           'aria-label': `vertex ${name}, edges to ${to.join(', ') || 'none'}`}), text);
    });
    this.svg.replaceChildren(tip, ...lines, ...dots);
    this.list.value = this.text;
  }
}

// Strict JSON (RFC 8259) that keeps the spelling of numbers and refuses repeated keys; its canonical text; SHA-256.

import {isqrt} from './exact_numbers.mjs';

/** Bad input: a file or a word that is not what the format states. */
export class Refusal extends Error {}

const MAX_VALUES = 2 ** 26, MAX_DEPTH = 32;

/** A JSON value (Map, Array, string, boolean, null or Numeral) and where it begins in the text. */
class Node {
  constructor(value, at) {
    this.value = value;
    this.at = at;
  }
}

/** A JSON number, as it is spelled. */
export class Numeral {
  constructor(spelling) {
    this.spelling = spelling;
    this.isInteger = /^-?\d+$/.test(spelling);
  }
  toString() { return this.isInteger ? `${BigInt(this.spelling)}` : this.spelling; }
}

export const cut = (text) => (text.length > 80 ? `${text.slice(0, 80)}…` : text);
export const quoted = (text) => JSON.stringify(cut(text));

/** Ends reading: problem with the value at `node`, whose keys are `path`. The line is found by readModel. */
export function refuse(node, path, problem) {
  const refusal = new Refusal(path ? `${cut(path)}: ${problem}` : problem);
  refusal.at = node.at;
  throw refusal;
}

export function parseJson(text) {
  let at = 0, values = 0;
  const invalid = (expected) => {
    const found = at < text.length ? quoted(String.fromCodePoint(text.codePointAt(at))) : 'the end of the text';
    refuse({at}, '', `not valid JSON: expected ${expected}, found ${found}`);
  };
  const skipSpace = () => {
    while (' \t\n\r'.includes(text[at] ?? 'x')) ++at;
  };
  const take = (symbol) => {
    skipSpace();
    if (text[at] !== symbol) return false;
    ++at;
    return true;
  };
  const literal = (pattern) => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };

  const string = () => {
    const begin = at;
    let end = begin + 1;
    while (text[end] !== '"') {
      if (end >= text.length) refuse({at: begin}, '', 'not valid JSON: a string does not end');
      end += text[end] === '\\' ? 2 : 1;
    }
    let value;
    try {
      value = JSON.parse(text.slice(begin, end + 1));  // one string, with its escapes
    } catch {
      refuse({at: begin}, '', 'not valid JSON: a string has an invalid escape or a control character');
    }
    if (/\p{Surrogate}/u.test(value)) refuse({at: begin}, '', 'not valid JSON: a string has a lone surrogate');
    at = end + 1;
    return value;
  };

  const members = (path, depth) => {
    const map = new Map();
    if (take('}')) return map;
    do {
      skipSpace();
      const begin = at;
      if (text[at] !== '"') invalid('a key');
      const key = string(), place = path ? `${path}.${key}` : key;
      if (map.has(key)) refuse({at: begin}, '', `the key ${cut(place)} appears twice`);
      if (!take(':')) invalid('":"');
      map.set(key, value(place, depth));
    } while (take(','));
    if (!take('}')) invalid('"," or "}"');
    return map;
  };
  const elements = (path, depth) => {
    const array = [];
    if (take(']')) return array;
    do array.push(value(`${path}[${array.length}]`, depth));
    while (take(','));
    if (!take(']')) invalid('"," or "]"');
    return array;
  };

  const value = (path, depth) => {
    skipSpace();
    const begin = at;
    if (++values > MAX_VALUES) refuse({at}, '', `more than ${MAX_VALUES} JSON values`);
    const open = text[at] === '{' || text[at] === '[';
    if (open && depth === MAX_DEPTH) refuse({at}, '', `more than ${MAX_DEPTH} levels of nesting`);
    if (take('{')) return new Node(members(path, depth + 1), begin);
    if (take('[')) return new Node(elements(path, depth + 1), begin);
    if (text[at] === '"') return new Node(string(), begin);
    const word = literal(/true|false|null/y);
    if (word) {
      at += word.length;
      return new Node({true: true, false: false, null: null}[word], begin);
    }
    const number = literal(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y);
    if (!number) invalid('a value');
    at += number.length;
    if (!Number.isFinite(Number(number))) refuse({at: begin}, '', 'a number is beyond the range of double');
    return new Node(new Numeral(number), begin);
  };

  const root = value('', 0);
  skipSpace();
  if (at < text.length) invalid('the end of the text');
  return root;
}

const isScalar = ({value}) => !Array.isArray(value) && !(value instanceof Map);

const byBytes = ([a], [b]) => {  // the order of UTF-8 is that of code points
  const x = [...a], y = [...b];
  const i = x.findIndex((c, k) => c !== y[k]);
  if (i < 0) return x.length - y.length;
  return i < y.length ? x[i].codePointAt(0) - y[i].codePointAt(0) : 1;
};

export function canonical({value}, without = []) {
  if (Array.isArray(value)) {
    const inner = value.map((node) => canonical(node));
    return value.every(isScalar) ? `[${inner.join()}]` : `[\n${inner.join(',\n')}\n]`;
  }
  if (value instanceof Map) {
    const members = [...value].filter(([key]) => !without.includes(key)).sort(byBytes);
    if (members.length === 0) return '{}';
    return `{\n${members.map(([key, node]) => `${JSON.stringify(key)}: ${canonical(node)}`).join(',\n')}\n}`;
  }
  return typeof value === 'string' ? JSON.stringify(value) : `${value}`;
}

/** FIPS 180-4. Its constants are the first 32 bits behind the point of roots of primes, which are computed exactly. */
const [SHA_START, SHA_ROUNDS] = (() => {
  const primes = [];
  for (let p = 2; primes.length < 64; ++p) if (primes.every((q) => p % q)) primes.push(p);
  const cubeRoot = (n) => {  // by bisection
    let low = 0n, high = 1n << 40n;
    while (high - low > 1n) {
      const middle = (low + high) >> 1n;
      if (middle ** 3n <= n) low = middle;
      else high = middle;
    }
    return low;
  };
  const fraction = (root) => Number(BigInt.asIntN(32, root));
  return [primes.slice(0, 8).map((p) => fraction(isqrt(BigInt(p) << 64n))),
          Int32Array.from(primes, (p) => fraction(cubeRoot(BigInt(p) << 96n)))];
})();

export function sha256(bytes) {
  const size = (bytes.length + 72) & ~63, padded = new Uint8Array(size);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer), state = Int32Array.from(SHA_START), w = new Int32Array(64);
  view.setBigUint64(size - 8, BigInt(bytes.length) * 8n);
  const turn = (x, k) => (x >>> k) | (x << (32 - k));
  for (let block = 0; block < size; block += 64) {
    for (let t = 0; t < 64; ++t) {
      if (t < 16) {
        w[t] = view.getInt32(block + 4 * t);
      } else {
        const x = w[t - 15], y = w[t - 2];
        w[t] = w[t - 16] + (turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)) + w[t - 7] + (turn(y, 17) ^ turn(y, 19) ^ (y >>> 10));
      }
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let t = 0; t < 64; ++t) {
      const first = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + SHA_ROUNDS[t] + w[t]) | 0;
      const second = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [a, b, c, d, e, f, g, h] = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g];
    }
    [a, b, c, d, e, f, g, h].forEach((x, i) => (state[i] += x));
  }
  return Array.from(state, (x) => (x >>> 0).toString(16).padStart(8, '0')).join('');
}

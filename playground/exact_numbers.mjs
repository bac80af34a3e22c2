// Exact numbers: rationals, and rationals plus signed square roots of rationals.
//
// Equality and signs are decided, never estimated. Doubles come with error bounds, for those who can exclude with them.

export const isqrt = (n) => {  // the integer part of √n, for n ≥ 0
  if (n < 4503599627370496n) return BigInt(Math.floor(Math.sqrt(Number(n))));
  let root = 1n << BigInt((n.toString(16).length * 4 + 1) >> 1);  // above √n, so Newton's method descends
  for (let next; ; root = next) {
    next = (root + n / root) >> 1n;
    if (next >= root) return root;
  }
};

const SQUARES_MODULO_64 = new Set(Array.from({length: 64}, (_, r) => (r * r) % 64));

const exactRoot = (n) => {  // √n if that is an integer
  if (!SQUARES_MODULO_64.has(Number(n & 63n))) return null;
  const root = isqrt(n);
  return root * root === n ? root : null;
};

const gcd = (a, b) => {  // Euclid, in doubles as soon as the numbers are small enough
  while (b > 9007199254740991n) [a, b] = [b, a % b];
  if (b === 0n) return a;
  let x = Number(b), y = Number(a % b);
  while (y !== 0) [x, y] = [y, x % y];
  return BigInt(x);
};

const magnitude = (n) => (n < 0n ? -n : n);

/** n/d in lowest terms, d > 0. */
export class Rational {
  constructor(n, d) {
    this.n = n;
    this.d = d;
  }
  static of(n, d = 1n) {
    if (d === 1n) return new Rational(n, d);
    const common = d < 0n ? -gcd(magnitude(n), -d) : gcd(magnitude(n), d);
    return new Rational(n / common, d / common);
  }
  plus(x) { return Rational.of(this.n * x.d + x.n * this.d, this.d * x.d); }
  times(x) { return Rational.of(this.n * x.n, this.d * x.d); }
  over(x) { return Rational.of(this.n * x.d, this.d * x.n); }
  negated() { return new Rational(-this.n, this.d); }
  abs() { return new Rational(magnitude(this.n), this.d); }
  sign() { return this.n > 0n ? 1 : this.n < 0n ? -1 : 0; }
  toString() { return this.d === 1n ? `${this.n}` : `${this.n}/${this.d}`; }
  /** √this if that is rational, for numbers ≥ 0. */
  root() {
    const n = exactRoot(this.n), d = n === null ? null : exactRoot(this.d);
    return d === null ? null : new Rational(n, d);
  }
  /** The signed square x·|x|. Products of signed squares are the signed squares of products. */
  signedSquare() { return new Rational(this.n * magnitude(this.n), this.d * this.d); }
}

export const rational = (n) => new Rational(BigInt(n), 1n);

// -------------------------------------------------------------------------------------------------- real numbers

/**
 * A rational plus roots. A root is given by its signed square: s stands for √s if s > 0, for −√−s if s < 0. No root
 * is rational, no quotient of two roots is, and they are in the order of |s|. Such roots and 1 are linearly
 * independent over the rationals (Besicovitch 1940), so this form is unique, and zero only if it is written so.
 */
export class Real {
  constructor(rational, roots = NO_ROOTS) {
    this.rational = rational;
    this.roots = roots;
  }
  static of(n, d) { return new Real(Rational.of(BigInt(n), BigInt(d ?? 1))); }

  /** The number with this signed square. */
  static ofSignedSquare(s) {
    const root = s.abs().root();
    if (root === null) return new Real(rational(0), [s]);
    return new Real(s.n < 0n ? root.negated() : root);
  }

  plus(x) {
    if (x.isZero()) return this;
    if (this.isZero()) return x;
    const roots = x.roots.reduce(withRoot, this.roots);
    return new Real(this.rational.plus(x.rational), roots);
  }
  minus(x) { return this.plus(x.scaled(rational(-1))); }

  scaled(factor) {  // by a rational
    if (factor.n === 0n) return ZERO;
    if (factor.n === 1n && factor.d === 1n) return this;  // with its text and double
    const square = factor.signedSquare();
    return new Real(this.rational.times(factor), this.roots.length ? this.roots.map((s) => s.times(square)) : NO_ROOTS);
  }

  times(x) {
    let product = x.roots.length ? x.scaled(this.rational) : new Real(this.rational.times(x.rational));
    for (const s of this.roots) {
      product = product.plus(Real.ofSignedSquare(s.times(x.rational.signedSquare())));
      for (const t of x.roots) product = product.plus(Real.ofSignedSquare(s.times(t)));
    }
    return product;
  }

  /** The rational c with this = c · x, for x ≠ 0, or null. */
  ratio(x) {
    if (this.isZero()) return rational(0);
    const square = x.roots[0];
    let c = null;
    if (square === undefined || this.rational.n !== 0n) {
      c = x.rational.n === 0n ? null : this.rational.over(x.rational);
    } else {
      for (const s of this.roots) {
        const r = s.over(square), size = r.abs().root();
        if (size !== null) c = r.n < 0n ? size.negated() : size;
      }
    }
    return c !== null && this.minus(x.scaled(c)).isZero() ? c : null;
  }

  isZero() { return this.rational.n === 0n && this.roots.length === 0; }
  isRational() { return this.roots.length === 0; }

  /** Integers around 2^bits · x, with more and more bits; since x is not zero, they leave 0 one day. */
  sign() {
    if (this.roots.length === 0) return this.rational.sign();
    if (this.rational.n === 0n && this.roots.length === 1) return this.roots[0].sign();
    for (let bits = 64n; ; bits *= 2n) {
      let sum = (this.rational.n << bits) / this.rational.d;  // each term is off by less than 1
      for (const s of this.roots) {
        const root = isqrt((magnitude(s.n) << (2n * bits)) / s.d);
        sum += s.n < 0n ? -root : root;
      }
      if (magnitude(sum) > this.roots.length + 1) return sum > 0n ? 1 : -1;
    }
  }

  /** As the format prints it: `1/2 - sqrt(3)`. */
  toString() { return (this.text ??= this.print()); }
  print() {
    let text = this.rational.n !== 0n || this.roots.length === 0 ? `${this.rational}` : '';
    for (const s of this.roots) {
      const sign = s.n < 0n ? (text ? ' - ' : '-') : text ? ' + ' : '';
      text += `${sign}sqrt(${s.abs()})`;
    }
    return text;
  }

  /** [double, size]: the number is within 2⁻⁴⁹ · size of the double. NaN where doubles are no help. */
  near() { return (this.double ??= this.estimate()); }
  estimate() {
    let value = toDouble(this.rational), size = Math.abs(value);
    if (this.roots.length > 8) return [NaN, NaN];
    for (const s of this.roots) {
      const root = Math.sqrt(Math.abs(toDouble(s)));
      value += s.n < 0n ? -root : root;
      size += root;
    }
    return [value, size];
  }
}

const NO_ROOTS = [];
export const ZERO = new Real(rational(0));

/** The roots and one more. √|s| = r·√|t| with a rational r if |s/t| is a square; then s and t are one term. */
function withRoot(roots, s) {
  for (let i = 0; i < roots.length; ++i) {
    const t = roots[i], r = s.over(t).abs().root();
    if (r === null) continue;
    const factor = rational(t.sign()).plus(s.n < 0n ? r.negated() : r);
    const others = roots.filter((_, k) => k !== i);
    return factor.n === 0n ? others : inserted(others, factor.signedSquare().times(t.abs()));
  }
  return inserted(roots, s);
}

function inserted(roots, s) {
  const after = roots.findIndex((t) => magnitude(t.n) * s.d > magnitude(s.n) * t.d);
  return after < 0 ? [...roots, s] : [...roots.slice(0, after), s, ...roots.slice(after)];
}

/** The nearest double but for three roundings, so that products of two neither overflow nor underflow; or NaN. */
function toDouble(x) {
  if (x.n === 0n) return 0;
  const value = Number(x.n) / Number(x.d), size = Math.abs(value);
  return size > 1e-120 && size < 1e120 ? value : NaN;
}

/** Σ weight · x[column] over the entries [column, weight]. One reduction to lowest terms for the rational part. */
export function dot(entries, x) {
  if (entries.length === 1) return x[entries[0][0]].scaled(entries[0][1]);
  let n = 0n, d = 1n, rest = ZERO;
  for (const [column, weight] of entries) {
    const y = x[column];
    if (y.roots.length) {
      rest = rest.plus(y.scaled(weight));
    } else if (y.rational.n !== 0n) {
      const p = weight.n * y.rational.n, q = weight.d * y.rational.d;
      if (q === d) n += p;
      else if (d % q === 0n) n += p * (d / q);
      else [n, d] = [n * q + p * d, d * q];
    }
  }
  return n === 0n ? rest : rest.plus(new Real(Rational.of(n, d)));
}

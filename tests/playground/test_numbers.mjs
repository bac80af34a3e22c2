// The numbers of the runner in playground/, where the answer is known without them.
import assert from 'node:assert/strict';
import test from 'node:test';

import {Rational, Real, ZERO, dot, isqrt, rational} from '../../playground/exact_numbers.mjs';
import {parseReal} from '../../playground/inputs.mjs';
import {dice} from './dice.mjs';

const {below} = dice(5);
const integer = (bits) => {  // of at most so many bits
  let n = 0n;
  for (let left = below(bits) + 1; left > 0; left -= 30) n = (n << 30n) | BigInt(below(1 << Math.min(left, 30)));
  return below(2) ? n : -n;
};
const fraction = (bits) => Rational.of(integer(bits), integer(bits) || 1n);
const real = (bits, roots) => {
  let x = new Real(fraction(bits));
  for (let i = below(roots + 1); i > 0; --i) x = x.plus(Real.ofSignedSquare(fraction(bits)));
  return x;
};

test('integer square roots, around squares', () => {
  for (let round = 0; round < 300; ++round) {
    const k = integer(round) ** 2n + 1n, square = k * k;
    assert.deepEqual([isqrt(square - 1n), isqrt(square), isqrt(square + 1n), isqrt(square + 2n * k)], [k - 1n, k, k, k]);
  }
});

test('rationals are in lowest terms', () => {
  for (let round = 0; round < 500; ++round) {
    const common = integer(120) || 1n, n = integer(120), x = Rational.of(n * common, 7n * common), [p, q = '1'] = `${x}`.split('/');
    assert.ok(BigInt(p) * 7n === n * BigInt(q) && ['1', '7'].includes(q), `${x}`);
  }
});

test('reals are a field with an order', () => {
  for (let round = 0; round < 200; ++round) {
    const x = real(40, 3), y = real(40, 2), z = real(8, 2);
    const same = (a, b) => assert.equal(`${a}`, `${b}`);
    same(x.plus(y), y.plus(x));
    same(x.plus(y).plus(z), x.plus(y.plus(z)));
    same(x.times(y.plus(z)), x.times(y).plus(x.times(z)));
    same(x.times(y), y.times(x));
    same(x.minus(x), ZERO);
    same(parseReal(`${x}`.replaceAll(' ', '')), x);
    assert.equal(x.times(x).sign(), x.isZero() ? 0 : 1);
    assert.equal(x.minus(y).sign(), -y.minus(x).sign());
    assert.equal(x.times(y).sign(), x.sign() * y.sign());
    same(dot([[0, rational(2)], [1, rational(-3)]], [x, y]), x.scaled(rational(2)).minus(y.scaled(rational(3))));
    if (!x.isZero()) same(x.scaled(fraction(9)).ratio(x) === null, false);
    if (!x.isZero() && x.roots.length) assert.equal(x.plus(new Real(rational(1))).ratio(x), null);
  }
});

test('signs of numbers next to zero', () => {
  let [p, q] = [1n, 1n];  // p/q below and above √2 in turn, p² − 2q² = ∓1
  for (let k = 0; k < 600; ++k) {
    const distance = new Real(rational(p)).minus(Real.ofSignedSquare(rational(2n * q * q)));
    assert.equal(distance.sign(), k % 2 ? 1 : -1);
    [p, q] = [p + 2n * q, p + q];
  }
});

test('signs of two roots next to a rational', () => {
  const roots = Real.ofSignedSquare(rational(2)).plus(Real.ofSignedSquare(rational(3)));
  for (let bits = 50n; bits < 250n; ++bits) {
    const below = (isqrt(2n << 1000n) + isqrt(3n << 1000n)) >> (500n - bits);  // the integer part of 2^bits (√2 + √3)
    const off = (n) => roots.minus(new Real(Rational.of(n, 1n << bits))).sign();
    assert.deepEqual([off(below), off(below + 1n)], [1, -1], `${bits}`);
  }
});

test('doubles are as near as they claim', () => {
  for (let round = 0; round < 300; ++round) {
    const x = real(round % 3 ? 50 : 500, 9), [value, size] = x.near();
    if (Number.isNaN(value)) continue;
    const exactly = (double) => {  // a double as a rational
      let n = double, d = 1n;
      while (!Number.isInteger(n)) [n, d] = [n * 2, d * 2n];
      return Rational.of(BigInt(n), d);
    };
    const off = x.minus(new Real(exactly(value))), bound = new Real(exactly(size).times(Rational.of(1n, 1n << 49n)));
    assert.ok(bound.minus(off).sign() >= 0 && bound.plus(off).sign() >= 0, `${x}`);
  }
});

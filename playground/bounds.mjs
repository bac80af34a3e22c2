// Bounds of the numbers of a question. The form checks them, and the worker again.

import {Rational} from './exact_numbers.mjs';
import {Refusal} from './weights_file.mjs';

export const BOUNDS = {dividend: [0, 200], divisor: [1, 200]};

/** The numbers of {dividend, divisor}, which may be texts. */
export function checkedDivision(division) {
  const number = ([name, [least, most]]) => {
    const text = `${division[name]}`;
    if (!/^\d{1,9}$/.test(text) || Number(text) < least || Number(text) > most)
      throw new Refusal(`${name[0].toUpperCase()}${name.slice(1)}: expected a whole number from ${least} to ${most}.`);
    return [name, Number(text)];
  };
  return Object.fromEntries(Object.entries(BOUNDS).map(number));
}

/** The text of a rational number, as weights files have it. */
export function checkedValue(text) {
  const [, above, below = '1'] = /^(-?\d{1,1000})(?:\/(\d{1,1000}))?$/.exec(text) ?? [];
  if (above === undefined || BigInt(below) === 0n)
    throw new Refusal('New value: expected a rational number of at most 1000 digits, such as -3 or 1/2.');
  return `${Rational.of(BigInt(above), BigInt(below))}`;
}

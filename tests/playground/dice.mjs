// Random numbers from LOGDEPTH_SEED, or from one seed.

const seed = Number(process.env.LOGDEPTH_SEED ?? 20260301);
console.log(`LOGDEPTH_SEED=${seed}`);

/** Random numbers (mulberry32): below(n) is one of 0, …, n − 1. */
export function dice(salt) {
  let state = seed + salt;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), 1 | state);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return (x ^ (x >>> 14)) >>> 0;
  };
  const below = (n) => next() % n;
  return {below, pick: (list) => list[below(list.length)]};
}

// The question in the address: #kind=regex&text=…&word=…&construction=…&layer=…

const KEYS =
    ['kind', 'text', 'word', 'construction', 'layer', 'source', 'target', 'dividend', 'divisor', 'tour', 'exercise',
     'card', 'file'];

export function readAddress(hash = location.hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  return Object.fromEntries(KEYS.filter((key) => given.has(key)).map((key) => [key, given.get(key)]));
}

/** Replaces the address; members that are empty are left out, but for the empty word. */
export function writeAddress(state) {
  const address = new URLSearchParams();
  for (const key of KEYS)
    if (![undefined, null, key === 'word' ? null : ''].includes(state[key])) address.set(key, state[key]);
  history.replaceState(null, '', `#${address}`);
}

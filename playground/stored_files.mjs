// Where the page has its worker and its stored files from: the folder of the page, or playground.html itself, where
// one_file.py writes the texts of the files here.

import {Refusal} from './weights_file.mjs';

const INSIDE = null;

/** A file of examples/, as a Blob. */
export async function storedFile(name) {
  if (INSIDE === null) {
    const answer = await fetch(new URL(`examples/${encodeURIComponent(name)}`, import.meta.url));
    if (answer.ok) return answer.blob();
  } else if (Object.hasOwn(INSIDE, name)) {
    return new Blob([INSIDE[name]]);
  }
  throw new Refusal(`${name}: expected the name of a stored example`);
}

export const storedText = async (name) => (await storedFile(name)).text();

/** The address of a stored picture. */
export const storedPicture = (name) =>
  (INSIDE === null ? `examples/${name}` : `data:image/svg+xml,${encodeURIComponent(INSIDE[name])}`);

export function newWorker() {
  // A worker of a Blob is under the policy of the page; one of a file would be under none.
  const script = INSIDE === null ? `import ${JSON.stringify(new URL('worker.mjs', import.meta.url))};`
    : document.querySelector('script[type=module]').textContent;  // which starts worker.mjs in a worker
  const blob = new Blob([script], {type: 'text/javascript'});
  return new Worker(URL.createObjectURL(blob), {type: INSIDE === null ? 'module' : 'classic'});
}

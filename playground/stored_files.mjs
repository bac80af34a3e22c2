// Where the page has its worker and its stored files from: the folder of the page, or playground.html itself, where
// one_file.py writes the texts of the files here.

import {Refusal} from './weights_file.mjs';

const INSIDE = null;

/** A file of examples/, as a Blob. */
export async function storedFile(name) {
  if (INSIDE === null) {
    const answer = await fetch(`examples/${encodeURIComponent(name)}`);
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
  if (INSIDE === null) return new Worker('worker.mjs', {type: 'module'});
  const script = document.querySelector('script[type=module]').textContent;  // starts worker.mjs in a worker
  return new Worker(URL.createObjectURL(new Blob([script], {type: 'text/javascript'})));
}

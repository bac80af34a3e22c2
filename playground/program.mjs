// The compiler as WebAssembly: logdepth.mjs and logdepth.wasm beside the page, where make_playground.sh put them. The
// page loads the second once, and every worker starts the program from it.

import {answer as answered, wasmProgram} from './face.mjs';
import {inPageWords} from './page_words.mjs';
import {Refusal} from './weights_file.mjs';

/** {script, wasmBinary}; null where the folder or the browser has none, and on a disk. Calls loading(bytes). */
export async function loadProgram(loading) {
  if (typeof WebAssembly !== 'object' || location.protocol === 'file:') return null;
  try {
    const answer = await fetch('logdepth.wasm');
    if (!answer.ok) return null;
    const reader = answer.body.getReader(), parts = [];
    for (let bytes = 0, part; !(part = await reader.read()).done; loading(bytes)) {
      parts.push(part.value);
      bytes += part.value.length;
    }
    return {script: new URL('logdepth.mjs', location).href, wasmBinary: await new Blob(parts).arrayBuffer()};
  } catch {
    return null;
  }
}

let started;  // with the program; null where there is none
const start = new Promise((resolve) => (started = resolve));
let arrived = false;

/** In a worker: starts what loadProgram gave. */
export function startProgram(loaded) {
  arrived = true;
  const begin = async () => wasmProgram(await (await import(loaded.script)).default(loaded));
  started(loaded && begin().catch(() => null));
}

export const programHasArrived = () => arrived;

/** Whether there is a program, once that is known. */
export const programIsThere = async () => await start !== null;

/** The answer to a question, once the program has started. `name`: of the file that it is about. */
export async function askProgram(question) {
  const program = await start;
  let answer;
  try {
    answer = answered(program, question);
  } catch (error) {
    throw new Error(`The program in this page ended (${error.message}), perhaps without memory: expected a smaller ` +
                    'question. The next question starts it again.');
  }
  if (answer.error !== undefined) throw new Refusal(inPageWords(answer.error, question.name));
  return answer;
}

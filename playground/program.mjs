// The compiler as WebAssembly: logdepth.js and logdepth.wasm beside the page, where make_playground.sh put them. The
// page loads them once, and every worker starts the program from what was loaded.

import {answer as answered, wasmProgram} from './face.mjs';
import {Refusal} from './weights_file.mjs';

/** {script, wasmBinary}; null where the folder or the browser has none. */
export async function loadProgram() {
  if (typeof WebAssembly !== 'object') return null;
  const fetched = (name) => fetch(name).then((answer) => (answer.ok ? answer : Promise.reject(new Error(name))));
  try {
    const script = await (await fetched('logdepth.js')).text();
    return {script, wasmBinary: await (await fetched('logdepth.wasm')).arrayBuffer()};
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
  const begin = async () => wasmProgram(await new Function(`${loaded.script}; return logdepthModule;`)()(loaded));
  started(loaded && begin().catch(() => null));
}

export const programHasArrived = () => arrived;

/** Whether there is a program, once that is known. */
export const programIsThere = async () => await start !== null;

/** The answer to a question, once the program has started. An error is the sentence that the command line prints. */
export async function askProgram(question) {
  const program = await start;
  let answer;
  try {
    answer = answered(program, question);
  } catch (error) {
    throw new Error(`The program in this page ended (${error.message}), perhaps without memory: expected a smaller ` +
                    'question. The next question starts it again.');
  }
  if (answer.error !== undefined) throw new Refusal(answer.error);
  return answer;
}

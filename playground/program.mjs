// The compiler as WebAssembly: logdepth.js and logdepth.wasm beside the page, where make_playground.sh put them.

import {Refusal} from './strict_json.mjs';

async function load() {
  const answer = await fetch('logdepth.js').catch(() => null);
  if (!answer?.ok || typeof WebAssembly !== 'object') return null;
  const factory = new Function(`${await answer.text()}; return logdepthModule;`)();
  const module = await factory({locateFile: (name) => new URL(name, import.meta.url).href});
  const {answer: answered, wasmProgram} = await import('./face.mjs');
  const run = wasmProgram(module);
  return (question) => answered(run, question);
}

let loading = null;
const program = () => (loading ??= load().catch(() => null));

export const programIsThere = async () => (await program()) !== null;

/** The answer to a question. An error is the sentence that the command line prints. */
export async function askProgram(question) {
  const answer = (await program())(question);
  if (answer.error !== undefined) throw new Refusal(answer.error);
  return answer;
}

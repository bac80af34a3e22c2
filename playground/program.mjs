// The compiler as WebAssembly: logdepth.js and logdepth.wasm beside the page, where make_playground.sh put them.

import {Refusal} from './strict_json.mjs';

async function load() {
  const answer = await fetch('logdepth.js').catch(() => null);
  if (!answer?.ok || typeof WebAssembly !== 'object') return null;
  const factory = new Function(`${await answer.text()}; return logdepthModule;`)();
  return factory({locateFile: (name) => new URL(name, import.meta.url).href});
}

let loading = null;
const program = () => (loading ??= load().catch(() => null));

export const programIsThere = async () => (await program()) !== null;

/** The answer to a question. An error is the sentence that the command line prints. */
export async function askProgram(question) {
  const text = (await program()).ccall('logdepth_ask', 'string', ['string'], [JSON.stringify(question)]);
  const answer = JSON.parse(text);
  if (answer.error !== undefined) throw new Refusal(answer.error);
  return answer;
}

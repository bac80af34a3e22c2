// The native program, and logdepth.js and logdepth.wasm of a folder, as programs of playground/face.mjs.
import {spawnSync} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';

import {wasmProgram} from '../../playground/face.mjs';

/** The installed program, in a folder of its own for every command. */
export const nativeProgram = (binary) => (args, files = {}) => {
  const folder = mkdtempSync(join(tmpdir(), 'logdepth-ask-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const {status, stdout, stderr, error} =
      spawnSync(binary, args, {cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 30});
    if (error) throw error;
    const written = {};
    for (const name of readdirSync(folder)) {
      const text = readFileSync(join(folder, name), 'utf8');
      if (files[name] !== text) written[name] = text;
    }
    return {status, output: stdout, messages: stderr, files: written};
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
};

/** $LOGDEPTH_WASM, the folder that make_playground.sh builds the program in; null where it is not of these sources. */
export function builtFolder() {
  const folder = process.env.LOGDEPTH_WASM;
  if (!folder || !existsSync(join(folder, 'logdepth.wasm'))) return null;
  const {stdout} = spawnSync('ninja', ['-n', '-C', folder, 'logdepth_wasm'], {encoding: 'utf8'});
  return /no work to do/.test(stdout) ? folder : null;
}

/** The program in a folder with logdepth.js and logdepth.wasm. */
export async function programOf(folder) {
  const factory = createRequire(import.meta.url)(resolve(folder, 'logdepth.js'));
  return wasmProgram(await factory({wasmBinary: readFileSync(join(folder, 'logdepth.wasm'))}));
}

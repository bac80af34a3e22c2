// Model.widget in JupyterLab, in Chromium: cells are run by keys, the slider is moved by keys, a word is typed.
// $LOGDEPTH_PYTHON has logdepth; $LOGDEPTH_PYTHON_PEERS is the environment of tests/install_python_peers.sh, with JupyterLab.
// Exits with 77 where Chromium is missing.
import assert from 'node:assert/strict';
import {spawn, spawnSync} from 'node:child_process';
import {mkdirSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:net';

import {Browser} from './browser.mjs';
import {folder, path} from './native.mjs';

if (spawnSync('sh', ['-c', 'command -v chromium']).status !== 0) {
  console.log('chromium was not found; the widget was not tested');
  process.exit(77);
}

const SOURCES = [
  'import logdepth\na5 = logdepth.compile_regular(group="A5")\nshown = a5.widget("abaabbab", layer=2)\nshown',
  'print(shown.word, shown.layer, shown.token, shown.answer)',
  'print(shown.word)\nshown.word, shown.layer, shown.token = "abab", 1, -1',
  'roads = logdepth.compile_connectivity(construction="rows", size=4)\n' +
    'roads.widget(logdepth.Reach([("Berlin", "Prague"), ("Prague", "Vienna")], "Berlin", "Vienna"), token=0)',
];

/** A notebook, and a JupyterLab that shows it on a free port, with a kernel of $LOGDEPTH_PYTHON. */
async function startLab() {
  const server = createServer(), port = await new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
  await new Promise((resolve) => server.close(resolve));
  for (const name of ['work', 'data/kernels/logdepth', 'config/labconfig']) mkdirSync(path(name), {recursive: true});
  const cell = (source, i) => ({cell_type: 'code', id: `cell${i}`, metadata: {}, outputs: [], execution_count: null, source});
  const kernel = {display_name: 'logdepth', language: 'python'};
  writeFileSync(path('work/run.ipynb'), JSON.stringify({cells: SOURCES.map(cell), nbformat: 4, nbformat_minor: 5,
    metadata: {kernelspec: {name: 'logdepth', ...kernel}}}));
  writeFileSync(path('data/kernels/logdepth/kernel.json'), JSON.stringify({...kernel,
    argv: [process.env.LOGDEPTH_PYTHON, '-m', 'ipykernel_launcher', '-f', '{connection_file}']}));
  writeFileSync(path('config/labconfig/page_config.json'),  // it asks a server of its own for news
    JSON.stringify({disabledExtensions: {'@jupyterlab/apputils-extension:announcements': true}}));
  const lab = spawn(`${process.env.LOGDEPTH_PYTHON_PEERS}/bin/python`, ['-m', 'jupyterlab', '--no-browser', '--allow-root',
    '--ServerApp.ip=127.0.0.1', `--ServerApp.port=${port}`, '--ServerApp.port_retries=0', '--IdentityProvider.token=',
    `--ServerApp.root_dir=${path('work')}`], {cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], env: {...process.env,
      JUPYTER_DATA_DIR: path('data'), JUPYTER_CONFIG_DIR: path('config'), JUPYTER_RUNTIME_DIR: path('runtime'), HOME: folder,
      IPYTHONDIR: path('ipython')}});
  let log = '';
  lab.stderr.on('data', (text) => (log += text));
  const ended = new Promise((resolve) => lab.on('exit', resolve));
  const close = async () => {
    lab.kill();
    await ended;
  };
  for (let tries = 0; ; ++tries) {
    if (lab.exitCode !== null || tries > 600) throw new Error(`JupyterLab did not start; tests/install_python_peers.sh installs it\n${log}`);
    if (await fetch(`http://127.0.0.1:${port}/api/status`).then(({ok}) => ok, () => false)) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const origin = `http://127.0.0.1:${port}/`;
  return {origin, url: `${origin}doc/tree/run.ipynb`, close};
}

const lab = await startLab(), browser = await Browser.start();
const within = (number, selector, of = 'textContent') =>
  browser.value(`document.querySelectorAll('.logdepth-run')[${number}].querySelector('${selector}').${of}`);
/** The drawing follows in the next frame. */
const untilArcs = (number, text) =>
  browser.until(`document.querySelectorAll('.logdepth-run')[${number}]?.querySelector('canvas').ariaValueText === ${JSON.stringify(text)}`);
const focus = (selector) => browser.value(`document.querySelector('.logdepth-run ${selector}').focus()`);
const arrow = (key) => browser.key(key, {keyCode: {ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40}[key]});
const runCell = async (number) => {
  await browser.value(`document.querySelectorAll('.jp-CodeCell')[${number}].querySelector('.cm-content').focus()`);
  await browser.key('Enter', {keyCode: 13, text: '\r', modifiers: 8});
  await browser.until(`/\\[\\d+\\]/.test(document.querySelectorAll('.jp-CodeCell')[${number}].querySelector('.jp-InputPrompt').textContent)`);
};
const idle = async () => {  // changes of traits wait until the kernel is idle
  await new Promise((resolve) => setTimeout(resolve, 300));
  await browser.until('document.querySelector(".jp-Notebook-ExecutionIndicator")?.dataset.status === "idle"');
};
const printed = (number) =>
  browser.value(`document.querySelectorAll('.jp-CodeCell')[${number}].querySelector('.jp-OutputArea-output')?.textContent`);
try {
  await browser.send('Network.enable');
  await browser.send('Emulation.setDeviceMetricsOverride', {width: 1100, height: 1400, deviceScaleFactor: 1, mobile: false});
  await browser.send('Page.navigate', {url: lab.url});
  await browser.until('document.querySelectorAll(".jp-CodeCell .cm-content").length === 4', 60);
  await idle();
  await runCell(0);
  await untilArcs(0, 'Layer 2: token 8 (b) head 0 reads token 6');
  assert.equal(await within(0, '.verdict'), 'reject');

  await focus('.layer');
  await arrow('ArrowRight');
  await untilArcs(0, 'Layer 3: token 8 (b) head 0 reads token 4');
  await focus('canvas');
  await arrow('ArrowLeft');
  await untilArcs(0, 'Layer 3: token 7 (a) head 0 reads token 3');
  await arrow('ArrowDown');
  await untilArcs(0, 'Layer 2: token 7 (a) head 0 reads token 5');
  assert.equal(await browser.value('document.activeElement.tagName'), 'CANVAS', 'the arrows chose a cell');
  assert.equal(await within(0, '.title'), 'Token 7 (a) after layer 2');
  await idle();
  await runCell(1);
  assert.equal(await printed(1), 'abaabbab 2 7 <rejected>\n');

  await focus('.word');
  await browser.type('abx');
  assert.match(await within(0, '.error'), /^letter "x" at position 3 of the word is not in the alphabet$/);
  await browser.type('aaa');
  await browser.until('document.querySelector(".logdepth-run .verdict").textContent !== ""');
  assert.equal(await within(0, '.error'), '');
  await idle();
  await runCell(2);
  await browser.until('document.querySelector(".logdepth-run .word").value === "abab"');
  await untilArcs(0, 'Layer 1: token 4 (b) head 0 reads token 3');
  assert.equal(await printed(2), 'aaa\n');

  await runCell(3);
  await untilArcs(1, 'Layer 1: token 0 (Berlin) head 0 reads token 0, head 1 reads tokens 0, 1, head 2 reads token 1, head 3 reads tokens 0, 1');
  assert.equal(await within(1, '.verdict'), 'connected');
  assert.equal(await browser.value('document.querySelectorAll(".logdepth-run")[1].querySelector(".line").hidden'), true);
  assert.deepEqual(browser.errors, []);
  assert.deepEqual(browser.requests.filter((url) => !/^(blob:|data:)/.test(url) && !url.startsWith(lab.origin)), []);
  if (process.env.LOGDEPTH_SCREENSHOT) await browser.screenshot(process.env.LOGDEPTH_SCREENSHOT, {width: 1100, height: 1800, whole: false});
} finally {
  await browser.close();
  await lab.close();
}

// Chromium without a window, driven by its DevTools protocol over pipes, and a server of a folder's files.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {tmpdir} from 'node:os';
import {extname, join, normalize} from 'node:path';

const TYPES = {'.html': 'text/html', '.mjs': 'text/javascript', '.js': 'text/javascript', '.css': 'text/css',
               '.json': 'application/json', '.svg': 'image/svg+xml', '.wasm': 'application/wasm', '.txt': 'text/plain'};

/** In place of logdepth.mjs: the page's commands are run by the program of this machine. */
const STAND_IN = `export default async () => ({
  allocateUTF8: (text) => text, UTF8ToString: (text) => text, _free() {}, _logdepth_left_out: () => '[]',
  _logdepth_command(text) {
    if (text.includes('trap')) this.broken = true;  // as after a trap of the real one
    if (this.broken) throw new WebAssembly.RuntimeError('unreachable');
    const request = new XMLHttpRequest();
    request.open('POST', new URL('/command', import.meta.url), false);
    request.send(text);
    return request.responseText;
  }});`;

/**
 * Serves folders on a free port of loopback; `program`, if any, is a function (arguments, files) as in face.mjs, whose last bytes
 * the page gets after `ready`.
 */
export function serve(folders, program, ready = Promise.resolve()) {
  const served = {bytes: 0};
  const server = createServer((request, answer) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname)).replace(/\/$/, '/index.html');
    if (program && path === '/logdepth.mjs') return void answer.writeHead(200, {'Content-Type': TYPES['.js']}).end(STAND_IN);
    if (program && path === '/logdepth.wasm') {
      answer.write(Buffer.alloc(1000000));
      return void ready.then(() => answer.end());
    }
    if (program && path === '/command') {
      let text = '';
      request.on('data', (part) => (text += part)).on('end', () => {
        const {arguments: given, files} = JSON.parse(text);
        answer.end(JSON.stringify(program(given, files)));
      });
      return;
    }
    for (const folder of folders) {
      try {
        const bytes = readFileSync(join(folder, path));
        served.bytes += bytes.length;
        answer.writeHead(200, {'Content-Type': TYPES[extname(path)] ?? 'application/octet-stream'});
        return void answer.end(bytes);
      } catch { /* the next folder */ }
    }
    answer.writeHead(404).end();
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () =>
    resolve(Object.assign(served, {url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close()}))));
}

export class Browser {
  #next = 1;
  #waiting = new Map();
  errors = [];  // of the page: exceptions and lines of the console
  requests = [];  // addresses, after Network.enable

  static async start() {
    const browser = new Browser();
    browser.folder = mkdtempSync(join(tmpdir(), 'logdepth-chromium-'));
    browser.process = spawn('chromium', ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
      '--remote-debugging-pipe', '--no-first-run', `--user-data-dir=${browser.folder}`, 'about:blank'],
      {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
    let text = '';
    browser.process.stdio[4].setEncoding('utf8').on('data', (part) => {
      const messages = (text + part).split('\0');
      text = messages.pop();
      for (const message of messages) browser.#take(JSON.parse(message));
    });
    const {targetInfos} = await browser.send('Target.getTargets', {}, null);
    const {targetId} = targetInfos.find(({type}) => type === 'page');
    const {sessionId} = await browser.send('Target.attachToTarget', {targetId, flatten: true}, null);
    browser.session = sessionId;
    for (const domain of ['Page', 'Runtime', 'DOM', 'Log']) await browser.send(`${domain}.enable`);
    return browser;
  }

  #take({id, method, params, result, error}) {
    if (id !== undefined) {
      const {resolve, reject} = this.#waiting.get(id);
      this.#waiting.delete(id);
      return error ? reject(new Error(error.message)) : resolve(result);
    }
    if (method === 'Runtime.exceptionThrown') this.errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === 'Network.requestWillBeSent') this.requests.push(params.request.url);
    if (method === 'Log.entryAdded' && params.entry.level === 'error') this.errors.push(`${params.entry.text} ${params.entry.url ?? ''}`);
  }

  send(method, params = {}, sessionId = this.session) {
    const id = this.#next++;
    this.process.stdio[3].write(`${JSON.stringify({id, method, params, ...(sessionId ? {sessionId} : {})})}\0`);
    return new Promise((resolve, reject) => this.#waiting.set(id, {resolve, reject}));
  }

  async open(url) {
    await this.send('Page.navigate', {url: 'about:blank'});
    await this.until('location.href === "about:blank"');
    await this.send('Page.navigate', {url});
    await this.until('location.href !== "about:blank" && document.readyState === "complete" && typeof document.body?.ariaBusy === "string"');
  }

  /** The value of an expression in the page. */
  async value(expression) {
    const frozen = new Promise((_, reject) => setTimeout(reject, 30000, new Error(`the page is frozen: ${expression}`)).unref());
    const {result, exceptionDetails} = await Promise.race(
      [frozen, this.send('Runtime.evaluate', {expression, awaitPromise: true, returnByValue: true})]);
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  text(id) {
    return this.value(`document.getElementById(${JSON.stringify(id)}).textContent`);
  }

  /** What `test` does is done in the frame of this page, which has a process of its own. */
  async inFrame(test) {
    const {targetInfos} = await this.send('Target.getTargets', {filter: [{type: 'iframe'}]}, null), page = this.session;
    const {sessionId} = await this.send('Target.attachToTarget', {targetId: targetInfos[0].targetId, flatten: true}, null);
    this.session = sessionId;
    await test();
    this.session = page;
  }

  /** Waits until an expression is true. */
  async until(expression, seconds = 20) {
    const end = Date.now() + seconds * 1000;
    const left = ({message}) => assert.match(message, /^Inspected target navigated/);  // between two pages nothing is true
    while (!await this.value(expression).catch(left)) {
      if (Date.now() > end) assert.fail(`not within ${seconds} s: ${expression}\n${this.errors.join('\n')}\n${await this.value('document.body.innerText')}`);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }

  /** Until the page has no question; the answer to what was typed begins 300 ms later. */
  async settled() {
    await new Promise((resolve) => setTimeout(resolve, 350));
    await this.until('document.body.ariaBusy === "false"');
  }

  async key(key, {code = key, text, modifiers = 0, keyCode = 0} = {}) {
    await this.send('Input.dispatchKeyEvent', {type: text ? 'keyDown' : 'rawKeyDown', key, code, text, modifiers, windowsVirtualKeyCode: keyCode});
    await this.send('Input.dispatchKeyEvent', {type: 'keyUp', key, code, modifiers, windowsVirtualKeyCode: keyCode});
  }
  tab(backwards = false) { return this.key('Tab', {keyCode: 9, modifiers: backwards ? 8 : 0}); }
  enter() { return this.key('Enter', {keyCode: 13, text: '\r'}); }

  /** Replaces the text of the element in focus, letter by letter. */
  async type(text) {
    await this.key('a', {code: 'KeyA', modifiers: 2, keyCode: 65});
    await this.value('document.activeElement.select()');
    await this.key('Backspace', {keyCode: 8});
    for (const letter of text) await this.send('Input.insertText', {text: letter});
  }

  async focusAndType(id, text) {
    await this.value(`(() => {
      const element = document.getElementById(${JSON.stringify(id)});
      element.closest('#form-box')?.setAttribute('open', '');
      element.focus();
    })()`);
    await this.type(text);
  }

  /** Presses the pointer at one place of the window and lets go at another. */
  async drag([x, y], [u, v]) {
    const mouse = (type, place, buttons) => this.send('Input.dispatchMouseEvent',
      {type, x: place[0], y: place[1], button: 'left', buttons, clickCount: 1});
    await mouse('mouseMoved', [x, y], 0);
    await mouse('mousePressed', [x, y], 1);
    await mouse('mouseMoved', [(x + u) / 2, (y + v) / 2], 1);
    await mouse('mouseMoved', [u, v], 1);
    await mouse('mouseReleased', [u, v], 0);
  }

  /** The same with a finger. */
  async swipe([x, y], [u, v]) {
    const touch = (type, ...points) => this.send('Input.dispatchTouchEvent', {type, touchPoints: points.map(([x, y]) => ({x, y}))});
    await touch('touchStart', [x, y]);
    for (let i = 1; i <= 10; ++i) await touch('touchMove', [x + (u - x) * i / 10, y + (v - y) * i / 10]);
    await new Promise((resolve) => setTimeout(resolve, 200));  // the finger rests: nothing scrolls on
    await touch('touchEnd');
  }

  async place(selector) {
    const [x, y] = await this.value(`(() => { const e = document.querySelector(${JSON.stringify(selector)}); e.closest('#form-box')?.setAttribute('open', ''); e.scrollIntoView({block: 'center'});
      const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`);
    return [x, y];
  }

  async click(selector) {
    const at = await this.place(selector);
    await this.drag(at, at);
  }

  /** Drops files {name: text} on the page. */
  async drop(files) {
    const paths = Object.entries(files).map(([name, text]) => {
      writeFileSync(join(this.folder, name), text);
      return join(this.folder, name);
    });
    const data = {items: [], files: paths, dragOperationsMask: 1};
    for (const type of ['dragEnter', 'dragOver', 'drop'])
      await this.send('Input.dispatchDragEvent', {type, x: 200, y: 100, data});
  }

  async screenshot(file, {width, height = 900, dark = false, whole = true}) {
    await this.send('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: 1, mobile: width < 500});
    await this.send('Emulation.setEmulatedMedia', {features: [{name: 'prefers-color-scheme', value: dark ? 'dark' : 'light'}]});
    await new Promise((resolve) => setTimeout(resolve, 200));
    const {data} = await this.send('Page.captureScreenshot', {captureBeyondViewport: whole});
    if (file) writeFileSync(file, Buffer.from(data, 'base64'));
  }

  async close() {
    const ended = new Promise((resolve) => this.process.on('exit', resolve));
    await this.send('Browser.close', {}, null).catch(() => {});
    await ended;
    rmSync(this.folder, {recursive: true, force: true, maxRetries: 5});
  }
}

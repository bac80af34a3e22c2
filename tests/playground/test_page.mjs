// The page in Chromium: it types, drags, drops broken files, stops a worker, walks by keys.
// Twice: with the compiler, which is logdepth.wasm where make_playground.sh built it from these sources, else a stand-in that has
// the page's commands run by the program of this machine; and without, served by `logdepth play`.
// Exits with 77 where Chromium is missing.
import assert from 'node:assert/strict';
import {spawn, spawnSync} from 'node:child_process';
import {copyFileSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {request} from 'node:http';
import {createInterface} from 'node:readline';
import {gunzipSync, gzipSync} from 'node:zlib';

import {builtFolder, nativeProgram} from './ask.mjs';
import {Browser, serve} from './browser.mjs';
import {compile, folder, logdepth, path, read} from './native.mjs';

if (spawnSync('sh', ['-c', 'command -v chromium']).status !== 0) {
  console.log('chromium was not found; the page was not tested');
  process.exit(77);
}

const root = new URL('../..', import.meta.url).pathname;
const built = builtFolder();
const page = path('page'), whole = path('whole');
const copyPage = (...args) => assert.equal(spawnSync(`${root}/playground/copy_page.sh`, args).status, 0);
copyPage(page);
copyPage(whole, ...(built ? [built] : []));
assert.equal(spawnSync(`${root}/make_playground.sh`, [root]).status, 2);
assert.equal(spawnSync(`${root}/make_playground.sh`, ['--help']).status, 2);

/** {url, end}: the program as a server; `end` checks how Ctrl-C ends it. */
function play(from, ...args) {
  const server = spawn(process.env.LOGDEPTH_BINARY, ['play', '--no-open', '--folder', from, ...args], {cwd: folder});
  const ended = new Promise((resolve) => server.on('exit', (status, signal) => resolve(signal ?? status)));
  return new Promise((resolve) => createInterface({input: server.stdout}).once('line', (url) => resolve({url, end: async () => {
    server.kill('SIGINT');
    assert.equal(await ended, 'SIGINT');
  }})));
}

const respond = (asked) => new Promise((resolve, reject) => request(asked, (answer) => {
  const parts = [];
  answer.on('data', (part) => parts.push(part)).on('end', () =>
    resolve({status: answer.statusCode, type: answer.headers['content-type'], headers: answer.headers, body: Buffer.concat(parts)}));
}).on('error', reject).end());

async function testServer() {
  compile('abb.json', 'regular', '--regex', '(a|b)*abb');
  writeFileSync(`${page}/small.wasm`, Buffer.from('\0asm'));
  mkdirSync(path('odd'));
  writeFileSync(path('odd/a b&#.json'), read('abb.json'));
  const {url, end} = await play(page, 'odd/a b&#.json'), at = new URL(url);
  assert.equal(at.hostname, '127.0.0.1');
  assert.equal(at.hash, '#kind=file&file=a%20b%26%23.json');
  const types = {'': 'text/html; charset=utf-8', 'page.mjs': 'text/javascript; charset=utf-8', 'style.css': 'text/css; charset=utf-8',
                 'examples/abb.json': 'application/json', 'examples/learned-S5.svg': 'image/svg+xml', 'small.wasm': 'application/wasm'};
  for (const [name, type] of Object.entries(types)) {
    const answer = await respond(new URL(name, at.origin));
    assert.deepEqual([answer.status, answer.type], [200, type], name);
  }
  assert.deepEqual((await respond(new URL('/examples/a%20b%26%23.json', at.origin))).body, read('abb.json'));
  const server = {host: at.hostname, port: at.port}, style = readFileSync(`${page}/style.css`);
  const packed = await respond({...server, path: '/style.css', headers: {'Accept-Encoding': 'gzip, deflate'}});
  assert.equal(packed.headers['content-encoding'], 'gzip');
  assert.deepEqual(gunzipSync(packed.body), style);
  const head = await respond({...server, path: '/style.css', method: 'HEAD'});
  assert.deepEqual([head.status, head.headers['content-length'], head.body.length], [200, `${style.length}`, 0]);
  const status = async (path, options = {}) => (await respond({...server, path, ...options})).status;
  for (const name of ['/none', '/examples', '/../abb.json', '/..%2fabb.json', '/examples/../../abb.json', '//abb.json', '/%00', '/%'])
    assert.equal(await status(name), 404, name);
  assert.equal(await status('/', {method: 'POST'}), 405);
  assert.equal(await status('/', {headers: {Host: `example.org:${at.port}`}}), 403);
  assert.equal(await status('/', {headers: {Host: `localhost:${at.port}`}}), 200);
  assert.ok([431, 'ECONNRESET', 'EPIPE'].includes(await status('/', {headers: {Long: 'x'.repeat(70000)}}).catch(({code}) => code)));
  await end();
  for (const [args, message] of [
    [['--folder', 'none'], 'logdepth: --folder: expected a folder with index.html, found \'none\'; ./make_playground.sh makes one\n'],
    [['--folder', page, 'none.json'], /^logdepth: none\.json: /], [['--folder', page, '--port', '70000'], /^logdepth: --port: /]]) {
    const {status, err} = logdepth('play', '--no-open', ...args);
    assert.equal(status, 2);
    if (message instanceof RegExp) assert.match(err, message);
    else assert.equal(err, message);
  }
}

const shows = async (browser, expected) => {
  for (const [id, text] of Object.entries(expected)) {
    const found = await browser.text(id);
    if (text instanceof RegExp) assert.match(found, text, id);
    else assert.equal(found, text, id);
  }
};

const TESTS = {
  /** The address asks; the answer is the one of the program. */
  async addresses(browser, origin) {
    const word = 'abaabbab', {out} = logdepth('run', 'a5.json', '--input', word, '--prefixes');
    await browser.open(`${origin}/#kind=group&text=A5&word=${word}&layer=2`);
    await browser.until('document.getElementById("verdict").textContent !== ""');
    await browser.settled();
    await shows(browser, {verdict: 'reject', prefixes: out.trimEnd(), depth: '3 layers (depth ceil(log2 n))', error: '',
                          'layer-name': '2 of 3'});
    assert.match(await browser.value('document.getElementById("attention").ariaValueText'),
                 /^Layer 2: token 8 \(b\) head 0 reads token 6$/);
    for (const [hash, verdict] of [['kind=division&dividend=17&divisor=5', 'quotient 3, remainder 2'],
                                   ['kind=graph&text=1 2%0A2 3&source=1&target=3', 'connected'],
                                   ['kind=graph&text=1 2%0A2 3&source=3&target=1', 'not connected']]) {
      await browser.open(`${origin}/#${hash}`);
      await browser.until('document.getElementById("verdict").textContent !== ""');
      await shows(browser, {verdict, error: ''});
    }
    for (const [hash, expected] of [
      ...['toString', '__proto__', 'cat'].map((kind) => [`kind=${kind}&text=a`, 'kind: expected one of regex, group, ltl, crasp, program, division, graph, file']),
      ['construction=scna', 'construction: expected one of scan, tree, radix, cascade, auto'],
      ['kind=graph&text=1 2&source=1&target=3', 'target: expected a vertex of the graph']]) {
      await browser.open(`${origin}/#${hash}`);
      await shows(browser, {verdict: '', error: `Address: ${expected}.`});
    }
    // The last of several is answered: while another is read, answered, or written to the address.
    const last = 'kind=group&text=A5&word=ab';
    for (const others of [['text=(a|b)*abb&word=abb'], ['kind=file&file=lem-A.6.json'], ['kind=graph', 'kind=file&file=lem-A.6.json'], ['tour=3']]) {
      await browser.value(`(async () => {
        for (const hash of ${JSON.stringify([...others, last])}) {
          location.hash = hash;
          await new Promise((next) => addEventListener('hashchange', next, {once: true}));
        }
      })()`);
      await browser.settled();
      await shows(browser, {verdict: 'reject', error: '', network: /^automaton: group A5/});
      assert.equal(await browser.value('document.getElementById("word").value'), 'ab');
    }
    await browser.value('location.hash = "tour=3"');
    await browser.until('document.getElementById("tour-title").textContent.startsWith("3 of 5")');
    await browser.settled();
  },

  /** No text becomes a script: neither one that the page makes, nor one that is written into it. */
  async policy(browser, origin) {
    for (const name of ['index.html', 'playground.html']) {
      await browser.open(`${origin}/${name}`);
      const {length} = browser.errors;
      const {exceptionDetails} = await browser.send('Runtime.evaluate', {expression: 'Function("return 1")()', allowUnsafeEvalBlockedByCSP: false});
      assert.match(exceptionDetails.exception.description, /^EvalError/);
      await browser.value('(() => { const script = document.createElement("script"); script.textContent = "window.ran = 1"; document.body.append(script); })()');
      assert.equal(await browser.value('window.ran'), undefined);
      for (const error of browser.errors.splice(length)) assert.match(error, /Content Security Policy/);
    }
  },

  async typing(browser, origin, compiler) {
    await browser.open(`${origin}/`);
    await browser.until('document.getElementById("verdict").textContent === "accept"');
    await browser.focusAndType('word', 'aabbab');
    await browser.settled();
    await shows(browser, {verdict: 'reject', error: ''});
    assert.match(await browser.value('location.hash'), /word=aabbab/);
    await browser.focusAndType('word', 'abc');
    await browser.settled();
    await shows(browser, {verdict: '', error: 'letter "c" at position 3 of the word is not in the alphabet'});
    await browser.focusAndType('word', 'abb');
    await browser.settled();
    await shows(browser, {verdict: 'accept', error: ''});
    if (!compiler) return;
    await browser.focusAndType('text', 'a*(b');
    await browser.settled();
    await shows(browser, {verdict: '', error: logdepth('compile', 'regular', '--regex', 'a*(b', '-o', 'x.json').err.replace(/^logdepth: /, '').trimEnd()});
    await browser.focusAndType('text', 'a*b');
    await browser.settled();
    await shows(browser, {verdict: 'reject', error: ''});
  },

  /** A graph that is drawn: vertices by clicks, edges by drags, and both by keys. */
  async drawing(browser, origin) {
    await browser.open(`${origin}/#kind=graph&text=1 2&source=1&target=2`);
    await browser.until('document.getElementById("verdict").textContent === "connected"');
    await browser.place('#graph-editor svg');
    const [left, top] = await browser.value('(() => { const r = document.querySelector("#graph-editor svg").getBoundingClientRect(); return [r.x, r.y]; })()');
    await browser.drag([left + 60, top + 60], [left + 60, top + 60]);
    const at = (name) => browser.value(`(() => { const r = document.querySelector('[data-name="${name}"]').getBoundingClientRect();
      return [r.x + r.width / 2, r.y + r.height / 2]; })()`);
    await browser.drag(await at(2), await at(3));
    await browser.settled();
    assert.equal(await browser.value('document.querySelector("#graph-editor textarea").value'), '1 2\n2 3');
    await browser.value('(() => { const t = document.getElementById("target"); t.value = "3"; t.dispatchEvent(new Event("change")); })()');
    await browser.settled();
    await shows(browser, {verdict: 'connected', loops: /after layer 3/});
    await browser.value('document.querySelector(\'[data-name="2"]\').focus()');
    await browser.key('Delete', {keyCode: 46});
    await browser.settled();
    await shows(browser, {verdict: 'not connected'});
    await browser.value('document.querySelector(\'[data-name="1"]\').focus()');
    await browser.enter();
    await browser.value('document.querySelector(\'[data-name="3"]\').focus()');
    await browser.enter();
    await browser.settled();
    await shows(browser, {verdict: 'connected'});
    const edges = () => browser.value('document.querySelector("#graph-editor textarea").value');
    await browser.click('[data-edge="0"]');
    await browser.click('#graph-editor button');
    await browser.settled();
    assert.equal(await edges(), '1\n3');
    await shows(browser, {verdict: 'not connected'});
    await browser.place('#graph-editor svg');
    await browser.drag(await at(3), await at(1));
    await browser.value('document.querySelector(\'[data-edge="0"]\').focus()');
    await browser.key('Delete', {keyCode: 46});
    assert.equal(await edges(), '1\n3');
    await browser.click('[data-name="3"]');
    await browser.click('#graph-editor button');
    assert.equal(await edges(), '1');
  },

  /** On a telephone: a swipe over a graph scrolls the page, and a finger draws an edge. */
  async touching(browser, origin) {
    await browser.open(`${origin}/#kind=graph&text=1 2%0A3`);
    await browser.send('Emulation.setDeviceMetricsOverride', {width: 390, height: 844, deviceScaleFactor: 1, mobile: true});
    await browser.send('Emulation.setTouchEmulationEnabled', {enabled: true});
    const [x, y] = await browser.place('#graph-editor svg'), scrolled = await browser.value('scrollY');
    await browser.swipe([x, y], [x, y - 200]);
    await browser.until(`scrollY > ${scrolled + 100}`);
    const edges = () => browser.value('document.querySelector("#graph-editor textarea").value');
    assert.equal(await edges(), '3\n1 2');
    await browser.place('[data-name="2"]');
    const ends = await browser.value(`[2, 3].map((name) => document.querySelector(\`[data-name="\${name}"]\`).getBoundingClientRect())
      .map((r) => [r.x + r.width / 2, r.y + r.height / 2])`);
    await browser.swipe(...ends);
    assert.equal(await edges(), '1 2\n2 3');
    await browser.send('Emulation.setTouchEmulationEnabled', {enabled: false});
    await browser.send('Emulation.clearDeviceMetricsOverride');
  },

  /** Graphs of up to 64 vertices, and the sentence of a graph that cannot be drawn. */
  async vertices(browser, origin) {
    const path = (size) => Array.from({length: size - 1}, (_, i) => `${i} ${i + 1}`).join('%0A');
    for (const [size, found] of [[64, {verdict: 'connected', error: ''}], [65, {verdict: '', error: /at most 64 vertices, found 65/}]]) {
      await browser.open(`${origin}/#kind=graph&text=${path(size)}&source=0&target=${size - 1}`);
      await browser.settled();
      await shows(browser, found);
    }
    await browser.open(`${origin}/#kind=graph&text=1 2 3`);
    await browser.settled();
    await shows(browser, {verdict: '', error: 'line 1: expected an edge "from to" or one vertex'});
  },

  /** Files: a good one, and broken ones with the sentence of the reader. */
  async dropping(browser, origin) {
    await browser.open(`${origin}/#word=abb`);
    await browser.until('document.getElementById("verdict").textContent === "accept"');
    await browser.drop({'tree.json': read('tree.json')});
    await browser.settled();
    await shows(browser, {verdict: 'accept', error: '', network: /tree/});
    const text = `${read('abb.json')}`;
    for (const [name, content, error] of [['half.json', text.slice(0, 500), /not valid JSON/], ['empty.json', '', /./],
                                          ['list.json', '[]', /./], ['hash.json', text.replace('"1"', '"2"'), /sha256/],
                                          ['noise.gz', Buffer.from([0x1f, 0x8b, 1, 2, 3]), /./]]) {
      await browser.drop({[name]: content});
      await browser.settled();
      await shows(browser, {verdict: '', error});
    }
    await browser.drop({'abb.json': text});
    await browser.settled();
    await shows(browser, {verdict: 'accept', error: ''});
    for (const way of [['--unit-inputs'], ['--own-argument'], ['--construction', 'paper'], ['--construction', 'floor', '--for-length', '64']]) {
      compile('division.json', 'division', ...way);
      await browser.drop({'division.json': read('division.json')});
      await browser.settled();
      await shows(browser, {verdict: 'quotient 2, remainder 1', error: ''});
    }
  },

  /** The content of a file is recognised, whatever it is called; other programs' files are named. */
  async contents(browser, origin, compiler) {
    await browser.open(`${origin}/#word=abb`);
    await browser.until('document.getElementById("verdict").textContent === "accept"');
    const example = (name) => readFileSync(`${root}/examples/${name}`), word = {verdict: 'accept', error: ''};
    compile('x.json', 'regular', '--regex', '(a|b)*abb', '--emit', 'abb-automaton.json');
    const network = (format) => ({...word, network: new RegExp(`^automaton: ${format}, `)});
    const files = [
      ['graph.txt', '# a comment\n1 2\n2 3\n', {verdict: 'connected', error: ''}], ['weights', gzipSync(read('abb.json')), word],
      ['old.pt', Buffer.from([0x80, 2, 0x8a, 10]), {verdict: '', error: /^old\.pt is a PyTorch file: expected a weights file/}],
      ['new.bin', Buffer.from('PK\x03\x04\0\0archive/data.pkl'), {verdict: '', error: /^new\.bin is a PyTorch file: /}],
      ['net', Buffer.from('\x08\x08\x12\x07pytorch'), {verdict: '', error: /^net is an ONNX file: /}],
      ['large.json.gz', gzipSync(Buffer.alloc(2 ** 27, ' ')), {verdict: '', error: 'large.json.gz: expected at most 64 MB of text'}],
      ...(compiler ? [['abb.txt', example('automata/ends_in_abb.jff'), network('jff')], ['abb', example('automata/ends_in_abb.mata'), network('mata')],
        ['abb.data', read('abb-automaton.json'), network('json')], ['even', '0 0 b\n0 1 a\n1 0 a\n1 1 b\n1\n', network('fst')],
        ['majority.txt', '# ones\nlogdepth-cells 1\nnonsense\n', {verdict: '', error: /^Program, line 3: /}],
        ['g.gml', 'graph [ node [ id 1 ] ]', {verdict: '', error: 'g.gml: expected a weights file, found GML'}],
        ['crasp.txt', example('crasp/majority.crasp'), {verdict: 'reject', error: ''}]] : [])
    ];
    await browser.value('(() => { let last = Date.now(); window.longest = 0; setInterval(() => { const now = Date.now(); longest = Math.max(longest, now - last); last = now; }, 5); })()');
    for (const [name, content, found] of files) {
      await browser.drop({[name]: content});
      await browser.settled();
      await shows(browser, found);
    }
    assert.ok(await browser.value('longest') < 300, 'a file was read on the main thread');
  },

  /** A program in text form, a C-RASP program and a construction that is chosen; the sentences of their errors. */
  async compiling(browser, origin, compiler) {
    if (!compiler) return;
    await browser.open(`${origin}/#kind=group&text=S3&word=abba&construction=cascade`);
    await browser.until('document.getElementById("verdict").textContent !== ""');
    await browser.settled();
    await shows(browser, {network: /cascade/, error: ''});
    compile('auto.json', 'regular', '--group', 'S3', '--construction', 'auto');
    await browser.value('(() => { const c = document.getElementById("construction"); c.value = "auto"; c.dispatchEvent(new Event("change")); })()');
    await browser.settled();
    assert.ok((await browser.text('network')).endsWith(`sha256 ${JSON.parse(read('auto.json')).sha256}`));
    for (const [kind, right, wrong, command] of [['program', '10110', 'fetch count', 'program'], ['crasp', 'aab', ':=', 'crasp']]) {
      await browser.click(`input[value=${kind}]`);
      await browser.focusAndType('word', right);
      await browser.settled();
      await shows(browser, {verdict: 'accept'});
      const text = (await browser.value('document.getElementById("lines").value')).replace(wrong, 'x');
      await browser.value('document.getElementById("lines").focus()');
      await browser.value(`document.getElementById("lines").value = ${JSON.stringify(text)}`);
      await browser.value('document.getElementById("lines").dispatchEvent(new Event("input"))');
      await browser.settled();
      const name = {program: 'program.cells', crasp: 'program.crasp'}[command];
      writeFileSync(path(name), text);
      const {err} = logdepth('compile', command, name, '-o', 'x.json');
      await shows(browser, {verdict: '', error: err.replace(/^logdepth: program\.\w+:/, 'Program, line ').trimEnd()});
    }
  },

  /** Every field of a number, out of its bounds: one sentence of the form, and of the worker. */
  /** Both networks of a language, with what the program finds of them, at an address of its own. */
  async card(browser, origin) {
    await browser.open(`${origin}/#card=1&kind=regex&text=(a|b)*abb&word=aabb`);
    const cells = '[...document.querySelectorAll("#card table:nth-of-type(1) tbody tr")].map((row) => row.innerText)';
    await browser.until('/shift-scan/.test(document.getElementById("card-body").textContent)');
    const rows = (await browser.value(cells)).map((row) => row.split('\t'));
    const row = (name) => rows.find(([title]) => title === name).slice(1);
    assert.deepEqual(row('layers'), ['4, for every length', 'ceil(log2 n); 10 for 1024 letters']);
    for (const said of row('tested')) assert.match(said, /^right on all 511 words of at most 8 letters, and on \d+ longer ones$/);
    for (const said of row('in float16')) assert.match(said, /^right on all words of at most 8 letters, wrong on “[ab]+” \((1\d|2\d) letters\): (accept, not reject|reject, not accept)$/);
    assert.deepEqual(row('certified').map((said) => said.replace(/.*\(|\)/g, '')), ['theorem resets', 'theorem shift-scan']);
    await shows(browser, {error: '', 'card-title': 'What depth does (a|b)*abb need?', 'card-state': ''});
    // The card follows the language; of a group it has what training found.
    await browser.value('location.hash = "card=1&kind=group&text=S3&word=ab"');
    await browser.until('/15, 14, 14, 15/.test(document.getElementById("card-body").textContent)');
    await browser.until('/shift-scan/.test(document.getElementById("card-body").textContent)');
    await browser.click('#card-close');
    assert.doesNotMatch(await browser.value('location.hash'), /card/);
    await browser.drop({'even.mata': '@NFA-explicit\n%Alphabet-auto\n%Initial q\n%Final q\nq a r\nr a q\n'});
    await browser.settled();
    await browser.click('#card-open');
    await browser.until('/even.mata/.test(document.getElementById("card-title").textContent)');
    await browser.until('/shift-scan/.test(document.getElementById("card-body").textContent)');
    // What is not a language has no card; where an answer fails, nothing is left open, and the next one has no old error.
    await browser.value('location.hash = "card=1&kind=crasp"');
    await browser.until('document.getElementById("card").hidden');
    await browser.settled();
    await browser.value('location.hash = "card=1&kind=regex&text=(a|b"');
    await browser.until('/expected/.test(document.getElementById("card-state").textContent)');
    assert.doesNotMatch(await browser.text('card-body'), /…/);
    await browser.value('location.hash = "card=1&kind=regex&text=(a|b)*&word=ab"');
    await browser.until('/…/.test(document.getElementById("card-body").textContent)');
    await browser.click('#stop');
    await browser.until('!/…|not within/.test(document.getElementById("card-body").textContent)');
    await browser.value('location.hash = "card=1&kind=regex&text=(a|b)*&word=a"');
    await browser.until('/shift-scan/.test(document.getElementById("card-body").textContent)');
    await shows(browser, {'card-state': ''});
  },

  /** Every exercise refuses what it begins with, names the smallest wrong input, and takes a solution. */
  async exercises(browser, origin) {
    const result = async (fragment) => {
      await browser.open(`${origin}/#${fragment}`);
      await browser.settled();
      await browser.click('#tour-check');
      await browser.until('/^(Not yet|Right|Passed)/.test(document.getElementById("tour-result").textContent)');
      await shows(browser, {error: ''});
      return browser.text('tour-result');
    };
    const anbn = 'alphabet a b\nearly := #[Q_b] = 0\nlate := #[Q_a and not early]\nD := #[Q_a] = #[Q_b] and late = 0\n';
    const begun = await result('exercise=hops').then(() => browser.value('document.getElementById("lines").value'));
    const two = begun.replace('\noutput', '\nfinal\n  fetch again causal match J key I\n    copy next_V V\n  move V next_V\n  erase next_V\n\noutput');
    const offset = await result('exercise=offset').then(() => browser.value('document.getElementById("lines").value'));
    const cases = [
      ['parity', 'regex', '(a|ba*b)*', /“bab”.*expected accept/, '&construction=cascade'],
      ['star-free', 'ltl', '!O(a & Y a)', /“a”: expected accept/],
      ['counting', 'crasp', anbn, /“ba”: expected reject/],
      ['back', 'ltl', 'Y Y a', /“a[ab]”: expected reject/],
      ['hops', 'program', two, /“aba”: expected none=1/],
      ['doubling', 'group', 'A5', /expected/],
      ['offset', 'program', offset.replace('+ 1/2 one - 1/2 fst', '- fst'), /Token 1 is wrong: expected \(0, 1\), found/],
    ];
    for (const [id, kind, text, wrong, more = ''] of cases) {
      assert.match(await result(`exercise=${id}`), wrong, id);
      const solved = await result(`exercise=${id}&kind=${kind}&text=${encodeURIComponent(text)}${more}`);
      assert.match(solved, /^Passed\. Right .*, in \d+ layers? for 1024 letters\./, id);
    }
    assert.match(await result('exercise=parity&kind=regex&text=(a|ba*b)*'), /too deep: 10 layers for 1024 letters; at most 2 /);
    await result('exercise=back');
    await browser.click('#tour-result button');  // runs the wrong word
    await browser.settled();
    await shows(browser, {verdict: 'accept'});
    assert.match(await browser.value('location.hash'), /exercise=back$/);
    await browser.value('navigator.clipboard.writeText = async (text) => (window.copied = text)');
    await browser.click('#tour-result button:last-child');
    await browser.until('/^4 of 7.*\\nNot yet.*\\nhttp.*exercise=back/.test(window.copied)');
    // A program that is right on all short words is tried on long ones; an edit takes the result away, and stays.
    const near = anbn.replace('= #[Q_b] and', `= #[Q_b]${' + late'.repeat(30)} and`).replace(' and late = 0', '');
    assert.match(await result(`exercise=counting&kind=crasp&text=${encodeURIComponent(near)}`), /^Not yet. A wrong word is “a{30}/);
    await browser.focusAndType('lines', 'alphabet a b\nD := #[Q_a] = #[Q_b]\n');
    await shows(browser, {'tour-result': ''});
    await browser.click('#tour-next');
    await browser.settled();
    await browser.click('#tour-back');
    await browser.settled();
    assert.equal(await browser.value('document.getElementById("lines").value'), 'alphabet a b\nD := #[Q_a] = #[Q_b]\n');
    assert.match(await result('exercise=parity&kind=ltl&text=a S b'), /^Not yet/);
    await browser.value('location.hash = "kind=regex&text=a*b&word=b"');
    await browser.until('document.getElementById("tour").hidden');
    await browser.value('location.hash = "exercise=none"');
    await browser.until('/^Address: exercise: expected one of parity, /.test(document.getElementById("error").textContent)');
  },

  async bounds(browser, origin) {
    await browser.open(`${origin}/#kind=division&dividend=7&divisor=0`);
    await browser.until('document.getElementById("error").textContent !== ""');
    await shows(browser, {verdict: '', error: 'Divisor: expected a whole number from 1 to 200.'});
    const fields = await browser.value('[...document.querySelectorAll("input[type=number]")].map(({id, value, min, max, labels}) => ' +
                                       '({id, least: min, most: max, label: labels[0].textContent.trim()}))');
    assert.equal(fields.length, 2);
    const answered = (division) => browser.value(`new Promise((resolve) => {
      const worker = new Worker('worker.mjs', {type: 'module'});
      worker.onmessage = ({data: {error, part}}) => resolve(error ?? part);
      worker.postMessage({id: 1, ask: 'answer', source: {kind: 'division', text: ''}, input: {division: ${JSON.stringify(division)}}});
    })`);
    for (const {id, least, most, label} of fields)
      for (const value of ['', '-1', '0.5', '1e99', `${least - 1}`, `${Number(most) + 1}`, '5']) {
        await browser.value(`(() => { const e = document.getElementById('${id}'); e.value = '${value}'; e.dispatchEvent(new Event('change')); })()`);
        await browser.settled();
        const error = value === '5' ? '' : `${label}: expected a whole number from ${least} to ${most}.`;
        if (id === 'divisor' || value !== '5') await shows(browser, {error});
        if (value !== '5') assert.equal(await answered({dividend: 7, divisor: 3, [id]: value}), error);
      }
    await shows(browser, {verdict: 'quotient 1, remainder 0', error: ''});
    for (const hash of ['layer=-1', 'layer=1e9', 'layer=99999999', 'tour=0&kind=regex', 'tour=1e9&kind=regex', 'tour=x&kind=regex']) {
      await browser.open(`${origin}/#${hash}`);
      await browser.until('document.getElementById("verdict").textContent === "accept"');
    }
  },

  /** The empty word is a word, also in the address. */
  async emptyWord(browser, origin, compiler) {
    for (const [kind, text, verdict] of [['regex', '(a|b)*abb', 'reject'], ['group', 'A5', 'accept'], ['regex', '(ab)*', 'accept'],
                                         ['crasp', '', 'reject'], ['program', '', 'reject']]) {
      if (!compiler && text !== '(a|b)*abb') continue;
      await browser.open(`${origin}/#kind=${kind}&text=${text}&word=${kind === 'program' ? '10' : 'ab'}`);
      await browser.until('document.getElementById("verdict").textContent !== ""');
      await browser.focusAndType('word', '');
      for (const how of ['typed', 'from the address']) {
        await browser.settled();
        await shows(browser, {verdict, error: ''});
        if (how === 'typed') await browser.open(await browser.value('location.href'));
        assert.equal(await browser.value('document.getElementById("word").value'), '');
      }
    }
  },

  /** A file of more bytes than the program has stack. */
  async large(browser, origin) {
    await browser.open(`${origin}/#word=abb`);
    await browser.until('document.getElementById("verdict").textContent === "accept"');
    await browser.drop({'wide.json': `${read('abb.json')}`.replace('{', `{${' '.repeat(5000000)}`)});
    await browser.settled();
    await shows(browser, {verdict: 'accept', error: ''});
  },

  /** A word that is too long for JavaScript has the answer of the program, and no picture. */
  async long(browser, origin, compiler) {
    const word = 'abbab'.repeat(120), {out} = logdepth('run', 'a5.json', '--input', word, '--prefixes');
    await browser.open(`${origin}/#kind=group&text=A5&word=${word}`);
    await browser.settled();
    await shows(browser, compiler ? {verdict: /^(accept|reject)$/, prefixes: out.trimEnd(), error: ''} :
                                    {verdict: '', error: /^expected at most 512 letters/});
    assert.equal(await browser.value('document.getElementById("attention-section").hidden'), true);
    if (!compiler) return;
    for (const [ending, found] of [['bb', {verdict: 'reject', error: ''}], ['ac', {verdict: '', error: /^Word: letter 'c' at position 100000 /}]]) {
      const begin = Date.now();
      await browser.value(`location.hash = "text=(a|b)*abb&word=" + "ab".repeat(49999) + "${ending}"`);
      await browser.settled();
      await shows(browser, found);
      assert.ok(Date.now() - begin < 3350, `10^5 letters take ${Date.now() - begin} ms`);
    }
    await shows(browser, {depth: 'depth ceil(log2 n)'});
  },

  /** A question that takes long is stopped; the next one is answered by another worker. */
  async stopping(browser, origin) {
    await browser.open(`${origin}/#kind=group&text=A5&word=${'ab'.repeat(256)}`);
    await browser.until('document.body.ariaBusy === "true"');
    await browser.click('#stop');
    await shows(browser, {state: 'Stopped.', verdict: ''});
    assert.equal(await browser.value('document.getElementById("stop").disabled'), true);
    await browser.focusAndType('word', 'ab');
    await browser.settled();
    await shows(browser, {verdict: 'reject'});
  },

  /** One weight is changed: where the network breaks first, as a comparison of the program's traces finds it. */
  async changing(browser, origin) {
    await browser.open(`${origin}/#word=aabb`);
    await browser.until('document.getElementById("verdict").textContent === "accept"');
    await browser.settled();
    await browser.value('(() => { const m = document.getElementById("matrix"); m.value = [...m.options].find((o) => o.text.endsWith("output")).value; m.dispatchEvent(new Event("change")); })()');
    await browser.click('#change button');
    await browser.until('document.getElementById("break").textContent !== ""');
    const [, name, expected, found] = /^First difference: layer 1, attention, (\S+) at token \d: expected (\S+), found (\S+);/
      .exec(await browser.text('break'));
    assert.equal(name, 'sE.0');
    assert.notEqual(expected, found);
    const refusal = 'New value: expected a rational number of at most 1000 digits, such as -3 or 1/2.';
    for (const value of ['x/', '', '1/0', '1e5', '9'.repeat(1001), '2/4']) {
      await browser.focusAndType('value', value);
      await browser.enter();
      await browser.settled();
      assert.equal(await browser.text('break') === refusal, value !== '2/4', value);
    }
  },

  /** The first screen is the picture: typed in place, read out below every token, played, and saved. */
  async picture(browser, origin) {
    const word = 'abaabbab', {out} = logdepth('run', 'a5.json', '--input', word, '--prefixes');
    for (const [width, height] of [[1280, 720], [390, 844]]) {
      await browser.send('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: 1, mobile: width < 500});
      await browser.open(`${origin}/#kind=group&text=A5&word=${word}&layer=3`);
      await browser.until('document.getElementById("verdict").textContent === "reject"');
      await browser.settled();
      for (const id of ['running', 'verdict', 'play', 'layer', 'attention', 'word'])
        assert.ok(await browser.value(`document.getElementById("${id}").getBoundingClientRect().bottom`) < height, `${id} at ${width}`);
    }
    await browser.send('Emulation.clearDeviceMetricsOverride');
    await shows(browser, {running: 'group A5: a transformer of 3 layers, run exactly on 9 tokens'});
    for (const [i, line] of out.trimEnd().split('\n').entries()) {  // the last layer's read-out is the program's
      await browser.value(`document.getElementById("attention").focus()`);
      await browser.key('Home', {keyCode: 36});
      for (let k = 0; k <= i; ++k) await browser.key('ArrowRight', {keyCode: 39});
      const images = JSON.parse(line), seen = new Set(), cycles = images.map((_, first) => {
        const cycle = [];
        for (let at = first; !seen.has(at); at = images[at]) seen.add(at), cycle.push(at);
        return cycle.length > 1 ? `(${cycle.join(' ')})` : '';
      }).join('');
      const said = `It has read, itself or through others, tokens ${i < 7 ? 0 : 1}–${i + 1}. Read out after this layer, it says: the product is ${cycles || 'the identity'}.`;
      assert.ok((await browser.text('token')).includes(said), `${said} ${await browser.text('token')}`);
    }
    await browser.value('document.getElementById("reads-box").open = true');
    await browser.until('document.getElementById("reads").textContent !== ""');
    assert.equal((await browser.text('reads')).split('\n')[8], 'Layer 3: token 8 (b) head 0 reads token 4');
    await browser.click('#play');
    await shows(browser, {play: 'Pause', 'layer-name': '0 (embedding)'});
    await browser.until('document.getElementById("play").textContent === "Play"');
    await shows(browser, {'layer-name': '3 of 3'});
    const saved = await browser.value(`(async () => {
      const create = URL.createObjectURL;
      const made = new Promise((resolve) => (URL.createObjectURL = (blob) => (blob.text().then(resolve), create(blob))));
      document.getElementById('picture').click();
      const svg = new DOMParser().parseFromString(await made, 'image/svg+xml');
      return ['text', 'path', 'rect', 'parsererror'].map((name) => svg.querySelectorAll(name).length);
    })()`);
    assert.deepEqual(saved, [18, 9, 2, 0]);  // labels and read-outs; the arcs of every token; background and mark
    await browser.value('document.getElementById("word").focus()');
    assert.equal(await browser.value('document.getElementById("word-line").className'), 'over');
    await browser.key('Home', {keyCode: 36});
    await shows(browser, {'token-title': 'Token 1 (a) after layer 3'});
    await browser.send('Input.insertText', {text: 'b'});
    await browser.settled();
    await shows(browser, {running: /on 10 tokens$/, error: ''});
    assert.equal(await browser.value('document.activeElement.id + document.activeElement.selectionStart'), 'word1');
    const [left, token] = await browser.value(`["word-line", "attention"].map((id) => document.getElementById(id).getBoundingClientRect().left)`);
    assert.ok(Math.abs(left - token - await browser.value('document.getElementById("attention").clientWidth / 10')) < 1);
    await browser.send('Input.insertText', {text: 'c'});
    await browser.settled();
    await shows(browser, {running: 'group A5', error: 'letter "c" at position 2 of the word is not in the alphabet'});
    assert.equal(await browser.value('document.activeElement.id + document.getElementById("attention").hidden'), 'wordtrue');
    // A short word shows fewer layers; the next one shows the layer that was asked for.
    for (const [text, layer, running] of [['', '0 (embedding)', /on 1 token$/], ['a', '0 (embedding)', /on 2 tokens$/], [word, '3 of 3', /on 9 tokens$/]]) {
      await browser.focusAndType('word', text);
      await browser.settled();
      await shows(browser, {'layer-name': layer, running, error: ''});
    }
    // Letters stand over their tokens whatever was shown before, and where the window changes; the chosen token is in view.
    const aligned = async (length) => {
      const [gap, width, letter, left, right] = await browser.value(`(() => {
        const canvas = document.getElementById('attention'), frame = canvas.closest('.scroll').getBoundingClientRect();
        const box = canvas.getBoundingClientRect(), style = document.getElementById('word-line').style;
        const token = canvas.ariaValueNow, gap = box.width / ${length + 1};
        return [gap, box.width, Number(style.getPropertyValue('--gap')), box.left + token * gap - frame.left, frame.right - box.left - (+token + 1) * gap];
      })()`);
      assert.ok(Math.abs(gap - letter) < 0.01, `${gap} and ${letter} of ${width}`);
      assert.ok(left >= 0 && right >= 0, `${left} ${right}`);
    };
    for (const length of [30, 100, 25, 8]) {
      await browser.focusAndType('word', 'abaab'.repeat(20).slice(0, length));
      await browser.until(`document.getElementById("running").textContent.endsWith("on ${length + 1} tokens")`);
      await browser.until('new Promise(requestAnimationFrame).then(() => true)');
      await aligned(length);
    }
    for (const width of [390, 1280]) {
      await browser.send('Emulation.setDeviceMetricsOverride', {width, height: 800, deviceScaleFactor: 1, mobile: false});
      await browser.settled();
      await aligned(8);
    }
    await browser.send('Emulation.clearDeviceMetricsOverride');
  },

  /** With keys alone: to the word, the answer, the layers and the tokens, and through the tour. */
  async keys(browser, origin) {
    await browser.open(`${origin}/#layer=1`);
    await browser.until('document.getElementById("verdict").textContent === "accept"');
    await browser.settled();
    const tabTo = async (id) => {
      for (let i = 0; i < 60; ++i) {
        await browser.tab();
        if (await browser.value('document.activeElement.id') === id) return;
      }
      assert.fail(`Tab does not lead to ${id}`);
    };
    await tabTo('word');
    await browser.type('bba');
    await browser.enter();
    await browser.settled();
    await shows(browser, {verdict: 'reject'});
    await browser.value('document.getElementById("tour-open").focus()');
    await tabTo('layer');
    await browser.key('ArrowRight', {keyCode: 39});
    await shows(browser, {'layer-name': '2 of 2'});
    await tabTo('attention');
    await browser.key('Home', {keyCode: 36});
    await browser.key('ArrowRight', {keyCode: 39});
    await shows(browser, {'token-title': 'Token 1 (b) after layer 2'});
    await browser.key('ArrowDown', {keyCode: 40});
    await shows(browser, {'token-title': 'Token 1 (b) after layer 1'});
    await browser.value('document.getElementById("tour-open").focus()');
    await browser.enter();
    for (let step = 1; step <= 5; ++step) {
      await browser.until(`document.getElementById("tour-title").textContent.startsWith("${step} of 5")`);
      await browser.settled();
      assert.equal(await browser.value('document.activeElement.id'), 'tour-title');
      await shows(browser, {error: '', verdict: /./});
      if (step === 3) await shows(browser, {'token-title': 'Token 1 (1) after layer 1', token: /x\.0sqrt\(1\/2\)x\.1sqrt\(1\/2\)/});
      if (step === 4) await browser.until('document.querySelector("#tour img").naturalWidth > 0');
      if (step < 5) await tabTo('tour-next').then(() => browser.enter());
    }
  },

  /** Three widths, light and dark: nothing is wider than the window. Slider of 64 letters: frames in a second. */
  async looking(browser, origin) {
    await browser.open(`${origin}/#kind=group&text=A5&word=${'abbab'.repeat(13).slice(0, 64)}`);
    await browser.until('document.getElementById("attention-section").hidden === false');
    await browser.settled();
    for (const width of [360, 800, 1280])
      for (const dark of [false, true]) {
        const name = process.env.LOGDEPTH_SCREENSHOTS && `${process.env.LOGDEPTH_SCREENSHOTS}/${width}-${dark ? 'dark' : 'light'}.png`;
        await browser.screenshot(name, {width, dark});
        assert.ok(await browser.value('document.documentElement.scrollWidth') <= width, `${width}`);
      }
    const milliseconds = await browser.value(`(async () => {
      const slider = document.getElementById('layer'), times = [];
      for (let i = 0; i < 60; ++i) {
        const begin = performance.now();
        slider.value = i % (Number(slider.max) + 1);
        slider.dispatchEvent(new Event('input'));
        times.push(performance.now() - begin);
        await new Promise(requestAnimationFrame);
      }
      return times.sort((a, b) => a - b)[10];
    })()`);
    console.log(`a move of the slider: ${milliseconds.toFixed(1)} ms`);
    assert.ok(milliseconds < 16, `a move of the slider takes ${milliseconds} ms`);
  },
};

/** Before the program has come: form, stored examples, files. What needs it waits, and the thirty seconds do not run. */
async function testSlowLine(browser) {
  let come;
  const server = await serve([whole], native, new Promise((resolve) => (come = resolve)));
  const thirty = (milliseconds) => browser.send('Page.addScriptToEvaluateOnNewDocument', {
    source: `{const after = setTimeout;
      window.setTimeout = (call, time) => after(call, time === 30000 ? ${milliseconds} : time);}`});
  const shorter = await thirty(1000);
  await browser.open(`${server.url}#kind=group&text=A5&word=ab`);
  const loading = 'The program is loading: 1.0 MB …', waits = {state: loading, error: '', version: loading};
  await browser.until('document.getElementById("verdict").textContent === "reject"');
  console.log(`${server.bytes} bytes before the first answer`);
  assert.ok(server.bytes < 5 * 50000, 'more than five seconds at 50 kB/s');
  assert.equal(await browser.value('document.querySelectorAll("#examples button").length'), 7);
  await browser.focusAndType('word', '');
  await browser.until('document.getElementById("verdict").textContent === "accept"');
  await browser.drop({'abb.json': `${read('abb.json')}`});
  await browser.until('document.getElementById("verdict").textContent === "reject"');
  await browser.settled();
  await shows(browser, {state: '', error: '', version: loading});
  await browser.open(`${server.url}#text=a*b&word=aab`);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await shows(browser, {...waits, verdict: ''});
  come();
  await browser.settled();
  await shows(browser, {verdict: 'accept', version: /^logdepth \d/, error: ''});
  await browser.send('Page.removeScriptToEvaluateOnNewDocument', shorter);
  const shortest = await thirty(1);  // no machine is as fast
  await browser.open(`${server.url}#kind=group&text=A5&word=${'ab'.repeat(256)}`);
  await browser.until('document.getElementById("state").textContent === "Stopped after 30 seconds."');
  await browser.send('Page.removeScriptToEvaluateOnNewDocument', shortest);
  server.close();
}

/** After an error of the program: its sentence, and the next question has another worker. */
async function testTrap(browser) {
  const server = await serve([whole], native);
  await browser.open(`${server.url}#word=abb`);
  await browser.until('document.getElementById("version").textContent.startsWith("logdepth ")');
  await browser.focusAndType('text', 'trap');
  await browser.settled();
  await shows(browser, {verdict: '', error: /^The program in this page ended \(unreachable\)/});
  await browser.focusAndType('text', '(a|b)*b');
  await browser.settled();
  await shows(browser, {verdict: 'accept', error: ''});
  server.close();
}

/** The page in one file, from a disk: it loads nothing else, and what it copies fits behind every address of a page. */
async function testFile(browser, compiler) {
  const packed = gzipSync(readFileSync(`${page}/playground.html`), {level: 9}).length;
  console.log(`playground.html: ${packed} bytes with gzip`);
  assert.ok(packed < 150000);
  mkdirSync(path('disk'));
  copyFileSync(`${page}/playground.html`, path('disk/playground.html'));
  copyFileSync(`${page}/index.html`, path('disk/index.html'));
  const {length} = browser.errors;
  await browser.open(`file://${path('disk/index.html')}#text=(a|b)*abb&word=bb`);
  await browser.until('document.getElementById("verdict")?.textContent === "reject"');
  for (const error of browser.errors.splice(length)) assert.match(error, /page\.mjs|style\.css|CORS/);  // of the page that is left
  await browser.send('Network.enable');
  assert.match(await browser.value('location.pathname'), /playground\.html$/);
  await shows(browser, {error: '', version: /^Without the program, .* also compile regular expressions, .*logdepth play/});
  await browser.focusAndType('word', 'abb');
  await browser.settled();
  await shows(browser, {verdict: 'accept', error: ''});
  await browser.drop({'tree.json': read('tree.json')});
  await browser.settled();
  await shows(browser, {verdict: 'accept', network: /tree/});
  await browser.value('location.hash = "tour=4&kind=group&text=A5&word=abab&layer=2"');
  await browser.until('document.querySelector("#tour img")?.naturalWidth > 0');
  await browser.settled();
  await browser.value('navigator.clipboard.writeText = async (text) => (window.copied = text)');
  await browser.click('#share');
  await browser.until('window.copied !== undefined');
  const fragment = await browser.value('copied');
  assert.deepEqual(browser.requests.filter((url) => !/^(about|data|blob):|^file:.*html(#|$)/.test(url)), []);
  await browser.send('Network.disable');
  // The same file where there is a server, in a frame that may run scripts and nothing else, and with the program.
  const frame = await serve([page]), {origin} = new URL(compiler);
  writeFileSync(path('disk/frame.html'), `<body aria-busy="false"><iframe sandbox="allow-scripts" src="${frame.url}playground.html${fragment}"></iframe>`);
  const answered = async () => {
    await browser.until('document.getElementById("verdict").textContent === "reject"');
    await shows(browser, {'tour-title': /^4 of 5/, 'layer-name': '2 of 2', error: ''});
  };
  for (const place of [`${origin}/`, `${origin}/playground.html`]) {
    await browser.open(`${place}${fragment}`);
    await answered();
  }
  await browser.open(`file://${path('disk/frame.html')}`);
  await browser.inFrame(answered);
  await browser.open(`${origin}/playground.html#text=a*b&word=aab`);
  await browser.settled();
  await shows(browser, {verdict: 'accept', error: '', version: /^logdepth \d/});
  await browser.value('location.hash = "card=1&kind=group&text=Z2&word=b"');
  await browser.until('document.getElementById("card-body").textContent.split("wrong on").length === 3');
  frame.close();
}

/** What README's line at the top makes is all that it starts. */
async function testFirstLine(browser) {
  const [, make, start] = /^`(\S+) && ([^`]*)`/m.exec(readFileSync(`${root}/README.md`, 'utf8'));
  assert.equal(make, './make_playground.sh');
  const out = path('clone/build/playground');
  mkdirSync(out, {recursive: true});
  copyPage(out);
  const server = spawn('sh', ['-c', `exec ${start} 0`], {cwd: path('clone'), env: {...process.env, PYTHONUNBUFFERED: '1'}});
  try {
    const url = await new Promise((resolve, reject) => {
      createInterface({input: server.stdout}).once('line', (line) => resolve(/http:\/\/[^)]*/.exec(line)?.[0]));
      server.on('exit', (status) => reject(new Error(`${start}: ended with ${status}`)));
    });
    await browser.open(url);
    await browser.until('document.getElementById("verdict").textContent === "accept"');
    await browser.settled();
    browser.errors.splice(browser.errors.findIndex((text) => text.includes(`${url}logdepth.wasm`)), 1);
  } finally {
    server.kill();
  }
}

compile('a5.json', 'regular', '--group', 'A5');
compile('tree.json', 'regular', '--regex', '(a|b)*abb', '--construction', 'tree');
await testServer();
const native = nativeProgram(process.env.LOGDEPTH_BINARY);
const compiling = built ? await play(whole) : await serve([whole], native);
const stored = await play(page), browser = await Browser.start();
console.log(built ? 'the compiler is logdepth.wasm' : 'the compiler is a stand-in: logdepth.wasm is not built');
const WITHOUT = ['addresses', 'typing', 'dropping', 'emptyWord', 'long'];  // also without the compiler
try {
  const unlabelled = `[...document.querySelectorAll('input, select, textarea, canvas, svg[role]')]
    .filter((e) => !e.labels?.length && !e.getAttribute('aria-label')).map((e) => e.outerHTML.slice(0, 80))`;
  for (const [{url}, names] of [[compiling, Object.keys(TESTS)], [stored, WITHOUT]])
    for (const name of names) {
      if (process.argv[2] && !name.startsWith(process.argv[2])) continue;
      const begin = Date.now();
      await TESTS[name](browser, new URL(url).origin, url === compiling.url);
      assert.deepEqual(await browser.value(unlabelled), [], `${name}: what a screen reader has no name for`);
      console.log(`${name}: ${Date.now() - begin} ms`);
    }
  for (const test of [testSlowLine, testTrap, testFile, testFirstLine])
    if (!process.argv[2] || test.name === process.argv[2]) await test(browser, compiling.url);
  const expected = (text) => /404/.test(text) && text.includes(`${new URL(stored.url).origin}/logdepth.wasm`);
  assert.deepEqual(browser.errors.filter((text) => !expected(text)), []);
} finally {
  await browser.close();
  await stored.end();
  await (built ? compiling.end() : compiling.close());
}

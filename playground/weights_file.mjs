// Reads weights files, version 1, as runtime/README.md defines them. Everything else is refused in one sentence.
//
// A reader is a function of a node and the path to it. Readers of parts are put together to readers of wholes.

import {Rational} from './exact_numbers.mjs';
import {Numeral, Refusal, canonical, cut, parseJson, quoted, refuse, sha256} from './strict_json.mjs';

const MAX_TEXT = 2 ** 28, MAX_WIDTH = 2 ** 20, MAX_ROWS = 2 ** 24, MAX_LAYERS = 4096, MAX_DIGITS = 20000;

const found = ({value}) =>
  value === null ? 'null'
  : Array.isArray(value) ? 'an array'
  : value instanceof Map ? 'an object'
  : value instanceof Numeral ? (value.isInteger ? 'an integer' : `the number ${cut(value.spelling)}`)
  : typeof value === 'string' ? 'a string'
  : 'a boolean';

const expect = (holds, node, path, what) => holds || refuse(node, path, `expected ${what}, found ${found(node)}`);

const string = (node, path) => {
  expect(typeof node.value === 'string', node, path, 'a string');
  return node.value;
};
const boolean = (node, path) => {
  expect(typeof node.value === 'boolean', node, path, 'a boolean');
  return node.value;
};
const onlyTrue = (node, path) =>
  boolean(node, path) || refuse(node, path, 'leave the key out instead of writing false');

const count = (least = 0, most = Number.MAX_SAFE_INTEGER) => (node, path) => {
  const {value} = node, number = value instanceof Numeral && value.isInteger ? Number(value.spelling) : NaN;
  if (number >= least && number <= most) return number + 0;  // no -0
  const other = value instanceof Numeral ? cut(value.spelling) : found(node);
  return refuse(node, path, `expected an integer from ${least} to ${most}, found ${other}`);
};

const word = (...words) => (node, path) => {
  if (words.includes(node.value)) return node.value;
  const other = typeof node.value === 'string' ? quoted(node.value) : found(node);
  return refuse(node, path, `expected ${words.map(quoted).join(' or ')}, found ${other}`);
};

const list = (element) => (node, path) => {
  expect(Array.isArray(node.value), node, path, 'an array');
  return node.value.map((each, i) => element(each, `${path}[${i}]`));
};

const object = (node, path) => {
  expect(node.value instanceof Map, node, path, 'an object');
  return node.value;
};

const under = (path, key) => (path ? `${path}.${key}` : key);

const dictionary = (member) => (node, path) =>
  new Map([...object(node, path)].map(([key, each]) => [key, member(each, under(path, key))]));

const record = (members, optional = {}) => (node, path) => {
  const present = object(node, path), result = {};
  for (const key of present.keys()) {
    if (!(Object.hasOwn(members, key) || Object.hasOwn(optional, key)))
      refuse(present.get(key), under(path, key), 'unknown key');
  }
  for (const key of Object.keys(members))
    if (!present.has(key)) refuse(node, path, `the key ${quoted(key)} is missing`);
  for (const [key, member] of Object.entries({...members, ...optional}))
    if (present.has(key)) result[key] = member(present.get(key), under(path, key));
  return result;
};

/** A record whose form depends on one of its members, which is a word. */
const variant = (tag, forms) => (node, path) => {
  const named = object(node, path).get(tag) ?? refuse(node, path, `the key ${quoted(tag)} is missing`);
  return forms[word(...Object.keys(forms))(named, under(path, tag))](node, path);
};

const tuple = (text, ...parts) => (node, path) => {
  if (!Array.isArray(node.value) || node.value.length !== parts.length) refuse(node, path, `expected ${text}`);
  return parts.map((part, i) => part(node.value[i], `${path}[${i}]`));
};

const rational = (node, path) => {
  const text = string(node, path), form = /^(-?(?:0|[1-9][0-9]*))(?:\/([1-9][0-9]*))?$/;
  if (text.length > MAX_DIGITS) refuse(node, path, `a number of ${text.length} characters; the limit is ${MAX_DIGITS}`);
  const parts = form.exec(text), value = parts && Rational.of(BigInt(parts[1]), BigInt(parts[2] ?? 1));
  if (value === null || `${value}` !== text)
    refuse(node, path, `expected a rational number "p" or "p/q" in lowest terms, found ${quoted(text)}`);
  return value;
};

const nonzero = (node, path) => {
  const value = rational(node, path);
  return value.n === 0n ? refuse(node, path, 'the value is zero') : value;
};

/** [[index, value], …] */
const vector = (width) => (node, path) => {
  const entries = list(tuple('[index,"p/q"]', count(0, width - 1), nonzero))(node, path);
  entries.forEach(([index], i) => {
    if (i > 0 && index <= entries[i - 1][0]) refuse(node.value[i], `${path}[${i}]`, `index ${index} does not increase`);
  });
  return entries;
};

/** {rows, columns, lines: [{row, entries: [[column, value], …]}, …]}: the rows that are not zero. */
const matrix = (dimensions) => (node, path) => {
  const size = count(0, Math.max(MAX_ROWS, MAX_WIDTH));
  const {rows, columns, entries} = record({
    rows: size, columns: size, entries: list(tuple('[row,column,"p/q"]', size, size, nonzero)),
  })(node, path);
  for (const [key, expected] of Object.entries(dimensions)) {
    const value = key === 'rows' ? rows : columns;
    if (value !== expected) refuse(node.value.get(key), `${path}.${key}`, `expected ${expected}, found ${value}`);
  }
  const lines = [];
  entries.forEach(([row, column, value], i) => {
    const at = node.value.get('entries').value[i];
    const bad = (problem) => refuse(at, `${path}.entries[${i}]`, `entry (${row},${column}) ${problem}`);
    if (row >= rows || column >= columns) bad(`is outside ${rows} rows and ${columns} columns`);
    const last = lines.at(-1);
    if (last && (row < last.row || (row === last.row && column <= last.entries.at(-1)[0])))
      bad('is not after the one before it');
    if (last?.row === row) last.entries.push([column, value]);
    else lines.push({row, entries: [[column, value]]});
  });
  return {rows, columns, lines};
};

const kind = string, of = word('letters', 'vertices'), points = list(count());

/** Everything about a file that can be seen where it is written. What concerns several places is in checkRules. */
const fileOf = (width) => {
  const at = count(0, width - 1);
  const mask = vector(width), across = matrix({columns: width}), down = matrix({rows: width});
  const selects = word('exactly-one', 'at-least-one');
  const logarithm = {kind, of, minus: count(0, 1)}, limit = {max_length: count()};
  const fills = (coordinates) => list(record({
    at: tuple(`${coordinates} coordinates`, ...Array(coordinates).fill(at)), back: count(), scale: nonzero,
  }));
  const parity = {parity: mask};
  return record({
    format: word('logdepth-weights'), version: count(1, 1),
    name: string, construction: string, source: string,
    hypotheses: list(string), deviations: list(string), parameters: object,
    alphabet: list(string),
    input: variant('kind', {
      word: record({kind, begin: boolean}, {end: onlyTrue}),
      cells: record({kind, names: list(string)}, {mirrored: onlyTrue}),
      graph: variant('layout', {
        adjacency: record({kind, layout: kind, padding: word('n3', 'n3-n2', 'n4-n2')}, {size: count(1)}),
        rows: record({kind, layout: kind, size: count(1)}, {mirrored: onlyTrue}),
      }),
    }),
    output: variant('kind', {
      accept: record({kind, accept: count(), reject: count()}, {
        prefix: variant('kind', {
          transformation: record({kind, points: count(1), images: list(points), first_row: count()}),
          element: record({kind, elements: list(points), first_row: count()}),
          state: record({kind, states: count(1), first_row: count()}),
        }),
      }),
      cells: record({kind, names: list(string)}),
      relation: record({kind}),
    }),
    norm: word('rms', 'layernorm'),
    width: count(1, MAX_WIDTH),
    shape: record({initial: count(0, MAX_LAYERS), repeated: count(0, MAX_LAYERS), final: count(0, MAX_LAYERS)}),
    unroll: variant('kind', {
      ceil_log2: record(logarithm, limit),
      ceil_log: record({...logarithm, base: count(3)}, limit),
      fixed: record({kind, loops: count()}, limit),
    }),
    position: variant('kind', {
      'first-flag': record({kind, first: mask, rest: mask}),
      circle: record({kind, fills: fills(2)}, parity),
      'two-circle': record({kind, fills: fills(4)}, parity),
      fine: record({kind, fills: fills(2), offset: count(1)}, parity),
      table: record({kind, rows: list(mask)}),
    }),
    embedding: dictionary(mask),
    layers: list(record({
      block: word('initial', 'repeated', 'final'),
      attention: record({
        mask,
        heads: list(record({
          causal: boolean, query: across, key: across, value: across, output: down,
          promise: variant('kind', {
            uniform: record({kind}),
            match: record({kind, selects}),
            rightmost: record({kind, flag: mask}),
            flagged: record({kind, flag: mask}, {when: mask}),
            find: record({kind, terms: count(1), prefer: boolean, selects}),
            related: record({kind, pairs: list(tuple('[query,key]', at, at)), prefer: mask}),
          }),
        })),
      }),
      feedforward: record({mask, in: across, out: down}),
    })),
    unembedding: across,
    sha256: string,
  }, {
    cells: dictionary(record({coordinates: list(at), type: string, lifetime: string})),
    derived: object,
  });
};

export const addedKinds = (input) =>
  input.kind === 'word' ? [...(input.begin ? ['<begin>'] : []), ...(input.end ? ['<end>'] : [])]
  : input.kind === 'cells' ? []
  : input.layout === 'rows' ? ['<vertex>']
  : ['<edge>', '<no-edge>', '<pad>', '<source>', '<target>'];

/** The rules between the members of a file. */
function checkRules(model, root) {
  const bad = (path, problem) => {
    let node = root;  // the innermost value on the path that exists
    for (const key of path.split(/[.[\]]+/)) node = node.value.get?.(key) ?? node.value[key] ?? node;
    refuse(node, path, problem);
  };
  const distinct = (names, path) => names.forEach((name, i) => {
    if (name === '') bad(`${path}[${i}]`, 'a name is empty');
    if (names.indexOf(name) < i) bad(`${path}[${i}]`, `the name ${quoted(name)} appears twice`);
  });
  const equal = (number, expected, path, what) =>
    number === expected || bad(path, `expected ${expected} (${what}), found ${number}`);
  const {width, input, output, alphabet, shape, unroll, position} = model;

  distinct(alphabet, 'alphabet');
  alphabet.forEach((letter, i) => {
    if (/[\0- \x7f]|^<(begin|end)>$/.test(letter))
      bad(`alphabet[${i}]`, 'a letter must not be "<begin>" or "<end>" or contain white space or control characters');
  });
  if ((input.kind === 'word') !== alphabet.length > 0) bad('alphabet', 'words have letters, other inputs have none');
  const given = input.names?.length ?? (input.layout === 'rows' ? input.size : 0);
  if (input.names) distinct(input.names, 'input.names');
  if (input.mirrored && width % 2) bad('input', `mirrored values need an even width, found ${width}`);
  if (given > (input.mirrored ? width / 2 : width)) bad('input', `${given} values for a width of ${width}`);

  const kinds = new Set([...alphabet, ...addedKinds(input)]);
  for (const token of model.embedding.keys()) if (!kinds.has(token)) bad(`embedding.${token}`, 'no such token kind');
  for (const token of kinds)
    if (!model.embedding.has(token)) bad('embedding', `the token kind ${quoted(token)} has no embedding`);
  if (unroll.of && (unroll.of === 'vertices') !== (input.kind === 'graph'))
    bad('unroll.of', 'graphs have vertices, all other inputs have letters');

  const filled = new Set((position.parity ?? []).map(([index]) => index));
  if (position.parity?.length === 0) bad('position.parity', 'the vector is zero; leave it out');
  (position.fills ?? []).forEach(({at}, i) => at.forEach((coordinate, k) => {
    if (filled.has(coordinate)) bad(`position.fills[${i}].at[${k}]`, `coordinate ${coordinate} is filled twice`);
    filled.add(coordinate);
  }));

  const blocks = Object.entries(shape).flatMap(([block, layers]) => Array(layers).fill(block));
  if (blocks.length > MAX_LAYERS) bad('shape', `more than ${MAX_LAYERS} layers`);
  equal(model.layers.length, blocks.length, 'layers', 'the layers of the shape');
  model.layers.forEach(({block, attention, feedforward}, l) => {
    const layer = `layers[${l}]`;
    if (block !== blocks[l]) bad(`${layer}.block`, `the shape makes this layer ${blocks[l]}`);
    attention.heads.forEach(({query, key, value, output, promise}, h) => {
      const head = `${layer}.attention.heads[${h}]`;
      equal(key.rows, query.rows, `${head}.key.rows`, 'the rows of the query');
      equal(output.columns, value.rows, `${head}.output.columns`, 'the rows of the value');
      if (promise.kind === 'find' && query.rows < 2 * promise.terms + promise.prefer)
        bad(`${head}.promise.terms`, `more than the ${query.rows} rows of the query have room for`);
      if (promise.pairs?.length === 0) bad(`${head}.promise.pairs`, 'expected at least one pair');
    });
    equal(feedforward.out.columns, feedforward.in.rows, `${layer}.feedforward.out.columns`, 'the rows of `in`');
  });

  const {rows} = model.unembedding, byRows = input.layout === 'rows';
  if (output.kind === 'cells') {
    distinct(output.names, 'output.names');
    equal(output.names.length, rows, 'output.names', 'the rows of the unembedding');
  } else if (output.kind === 'relation') {
    if (!byRows) bad('output', 'a relation is read from a graph of layout "rows"');
    equal(rows, input.size, 'unembedding.rows', 'the vertices of the input');
  } else {
    if (byRows) bad('output', 'no token of the layout "rows" knows source and target');
    checkAcceptRows(output, rows, bad);
  }
  if (model.cells?.size === 0) bad('cells', 'expected at least one cell; leave the key out');
}

/** Every row of the unembedding has exactly one meaning. */
function checkAcceptRows({accept, reject, prefix}, rows, bad) {
  const used = new Set();
  const use = (row, path) => {
    if (row >= rows) bad(path, `row ${row} is outside the unembedding of ${rows} rows`);
    if (used.has(row)) bad(path, `row ${row} already has another meaning`);
    used.add(row);
  };
  use(accept, 'output.accept');
  use(reject, 'output.reject');
  let row = prefix?.first_row;
  const next = () => use(row++, 'output.prefix.first_row');
  if (prefix?.kind === 'state') for (let q = 0; q < prefix.states; ++q) next();
  if (prefix?.kind === 'transformation') {
    if (prefix.images.length !== prefix.points)
      bad('output.prefix.images', `expected one list per point (${prefix.points}), found ${prefix.images.length}`);
    prefix.images.forEach((images, q) => {
      const place = `output.prefix.images[${q}]`;
      if (images.length === 0) bad(place, 'a point has no possible image');
      images.forEach((image, i) => {
        if (image >= prefix.points) bad(`${place}[${i}]`, `image ${image} is not a point`);
        if (i > 0 && image <= images[i - 1]) bad(`${place}[${i}]`, 'images do not increase');
        next();
      });
    });
  }
  if (prefix?.kind === 'element') {
    const size = prefix.elements[0]?.length;
    if (!size) bad('output.prefix.elements', 'expected at least one element, with the images of all points');
    const seen = new Set();
    prefix.elements.forEach((images, e) => {
      const place = `output.prefix.elements[${e}]`;
      if (images.length !== size) bad(place, `expected the images of ${size} points`);
      if (images.some((image) => image >= size)) bad(place, 'an image is not a point');
      if (seen.has(images.join())) bad(place, 'the element appears twice');
      seen.add(images.join());
      next();
    });
  }
  for (let r = 0; r < rows; ++r) if (!used.has(r)) bad('output', `row ${r} of the unembedding has no meaning`);
}

// ------------------------------------------------------------------------------------------------- a file as bytes

async function unpacked(bytes) {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  const parts = [];
  let size = 0;
  for (let {done, value} = await reader.read(); !done; {done, value} = await reader.read()) {
    parts.push(value);
    if ((size += value.length) > MAX_TEXT) refuse({}, '', `the text is longer than ${MAX_TEXT} bytes`);
  }
  // The last four bytes of a member are its unpacked size.
  if (new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.length - 4, true) !== size)
    refuse({}, '', 'expected one gzip member with nothing after it');
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

async function textOf(bytes) {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    bytes = await unpacked(bytes).catch((error) => {
      throw error instanceof Refusal ? error : new Refusal('not a complete gzip file');
    });
  }
  if (bytes.length > MAX_TEXT) refuse({}, '', `the text is longer than ${MAX_TEXT} bytes`);
  try {
    return new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(bytes);
  } catch {
    return refuse({}, '', 'not valid UTF-8');
  }
}

/** The model in a file: an object with the keys of the format. Throws Refusal, with a message `NAME:LINE: …`. */
export async function readModel(bytes, name = 'model') {
  let text = '';
  try {
    text = await textOf(bytes);
    const root = parseJson(text);
    const width = object(root, '').get('width') ?? refuse(root, '', 'the key "width" is missing');
    const model = fileOf(count(1, MAX_WIDTH)(width, 'width'))(root, '');
    checkRules(model, root);
    const hash = sha256(new TextEncoder().encode(`${canonical(root, ['derived', 'sha256'])}\n`));
    if (model.sha256 !== hash) refuse(root.value.get('sha256'), 'sha256', `the content has the hash ${hash}`);
    return model;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const line = error.at === undefined ? '' : `${text.slice(0, error.at).split('\n').length}:`;
    throw new Refusal(`${name}:${line} ${error.message}`);
  }
}

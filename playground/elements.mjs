// Elements of the page by their id, and new ones.

export const $ = (id) => document.getElementById(id);

/** make('td', {className: 'number'}, 'text', child, …) */
export function make(name, members = {}, ...children) {
  const element = Object.assign(document.createElement(name), members);
  element.append(...children);
  return element;
}

/** The same for SVG, with attributes. */
export function draw(name, attributes = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Into the clipboard; false in a frame, or on a page of plain HTTP. */
export const copied = (text) => navigator.clipboard?.writeText(text).then(() => true, () => false) ?? false;

/** The address of this question; on a disk its end, which fits behind that of any copy of the page. */
export const ownAddress = () => (location.protocol === 'file:' ? location.hash : location.href);

export function table(head, rows) {
  const row = (cells, tag) => make('tr', {}, ...cells.map((cell) =>
    (cell instanceof HTMLTableCellElement ? cell : make(tag, {}, cell))));
  return make(
      'table', {}, make('thead', {}, row(head, 'th')), make('tbody', {}, ...rows.map((cells) => row(cells, 'td'))));
}

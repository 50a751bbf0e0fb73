'use strict';
// Reads the data. All that comes from captures becomes text nodes and attribute values, never markup.
const byId = (id) => document.getElementById(id);
const json = (id) => JSON.parse(byId(id).textContent);
const words = json('words'), totals = json('summary');
const judged = totals.verdicts !== undefined;
const hosts = json('hosts').map(({record, ...row}, index) => ({...record, ...row, index}));

// `P` lines define parts that records share, `S` lines are sessions: a row, then the pieces of the record.
const parts = [], sessions = [];
for (const line of byId('records').textContent.split('\n')) {
  const tab = line.indexOf('\t');
  if (tab < 0) continue;
  if (line[0] === 'P') {
    parts.push(line.slice(tab + 1));
    continue;
  }
  const end = line.indexOf('\t', tab + 1);
  const session = JSON.parse(line.slice(tab + 1, end));
  session.time = time(session.start);
  session.index = sessions.length;
  session.pieces = line.slice(end + 1);
  sessions.push(session);
}
function time(text) {
  return text === null ? NaN : Date.parse(text.replace(/(\.\d{3})\d+/, '$1'));
}
// Texts and numbers of parts take turns.
const rawRecord = (session) => session.pieces.split('\t').map((piece, index) =>
  index % 2 === 0 ? piece : parts[Number(piece)]).join('');

const svgNames = new Set(['svg', 'rect', 'text', 'line', 'title']);
const el = (name, attributes, ...children) => {
  const element = svgNames.has(name) ? document.createElementNS('http://www.w3.org/2000/svg', name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? '' : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === '') continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
};
const text = (value, name) => el('span', {class: name ? 't ' + name : 't'}, value);
const link = (words, onclick) => el('button', {type: 'button', class: 'link', onclick}, words);

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ',');
const count = (number, noun) => grouped(number) + ' ' + noun + (number === 1 ? '' : 's');
const label = (host, port) => (host.includes(':') && /^[0-9a-f:.]+$/i.test(host) ? '[' + host + ']' : host) + ':' + port;
const shortName = (host) => host.label.replace(/:443$/, '');
// The kind of a verdict: a pass that rests on a key is one of its own.
const kind = (s) => s.verdict === 'pass' && s.relaxed ? 'relaxed' : s.verdict || 'plain';
const kinds = ['fail', 'unknown', 'exempt', 'relaxed', 'pass', 'plain'];
const kindWords = {fail: 'FAIL', unknown: 'UNKNOWN', exempt: 'EXEMPT', relaxed: 'PASS (relaxed)', pass: 'PASS'};
const badge = (s, words) => el('span', {class: 'v ' + kind(s)}, words || kindWords[kind(s)]);
const tally = (counts) => kinds.filter((k) => counts[k]).map((k) => grouped(counts[k]) + ' '
  + (k === 'plain' ? 'observed' : kindWords[k])).join(', ');
const clock = (time) => new Date(time).toISOString().replace('T', ' ').slice(0, 19) + ' UTC';
const moment = (time) => time.replace('T', ' ').replace(/(\.\d{3})\d+/, '$1').replace('Z', ' UTC');
const facts = (rows) => el('dl', {class: 'facts'}, rows.filter(([, value]) =>
  value !== null && value !== undefined && value !== '').map(([name, value]) =>
  [el('dt', {}, text(name)), el('dd', {}, value instanceof Node || Array.isArray(value) ? value : text(value))]));

// A table in a region that scrolls, and that is a list of cards on a narrow screen. A column is {title, cell, number, key}:
// with `key`, the rows are sorted by it when its button is pressed.
const table = (name, columns, rows, sort) => {
  const head = columns.map((column) => {
    const isSorted = sort && sort.column === column;
    const direction = isSorted ? (sort.isDescending ? 'descending' : 'ascending') : 'none';
    const button = sort && column.key ? el('button', {type: 'button', class: 'sort', onclick: () => sort.by(column)},
      column.title) : column.title;
    return el('th', {scope: 'col', role: 'columnheader', class: column.number ? 'n' : null,
      'aria-sort': sort && column.key ? direction : null}, button);
  });
  return el('div', {class: 'scroll', role: 'region', tabindex: '0', 'aria-label': 'Table: ' + name},
    el('table', {role: 'table', class: 'cards'}, el('thead', {role: 'rowgroup'}, el('tr', {role: 'row'}, head)),
      el('tbody', {role: 'rowgroup'}, rows.map((row) => el('tr', {role: 'row'}, columns.map((column) =>
        el('td', {role: 'cell', class: column.number ? 'n' : null, 'data-label': column.title}, column.cell(row))))))));
};
const pager = (container, page, pages, go, noun) => {
  container.replaceChildren();
  if (pages < 2) return;
  container.append(
    el('button', {type: 'button', disabled: page === 0, onclick: () => go(page - 1), 'aria-label': 'Previous ' + noun},
      'Previous'),
    el('span', {}, 'page ' + (page + 1) + ' of ' + pages),
    el('button', {type: 'button', disabled: page >= pages - 1, onclick: () => go(page + 1), 'aria-label': 'Next ' + noun},
      'Next'));
};
// A table that its columns sort, a page at a time.
const sortedTable = (container, pagerContainer, name, columns, rows, size) => {
  const sort = {column: columns[0], isDescending: false, by: (column) => {
    sort.isDescending = sort.column === column ? !sort.isDescending : false;
    sort.column = column;
    draw(0);
    container.querySelectorAll('th')[columns.indexOf(column)].querySelector('button').focus();
  }};
  let shown = rows;
  const draw = (page) => {
    const key = sort.column.key;
    const compare = (a, b) => {
      const [first, second] = [key(a), key(b)];
      return first < second ? -1 : first > second ? 1 : 0;
    };
    const sorted = [...shown].sort((a, b) => (sort.isDescending ? -1 : 1) * compare(a, b) || a.index - b.index);
    container.replaceChildren(table(name, columns, sorted.slice(page * size, (page + 1) * size), sort));
    pager(pagerContainer, page, Math.ceil(shown.length / size), draw, name.toLowerCase());
  };
  draw(0);
  return (kept) => {
    shown = kept;
    draw(0);
  };
};

// Filters, search and the list of sessions, a page at a time.
const pageSize = 100;
const fills = new WeakMap();
let shown = [];
const options = (select, list) => {
  for (const [value, name] of list) select.append(el('option', {value}, name));
};
options(byId('verdict'), [['', 'any'], ...['fail', 'unknown', 'exempt', 'relaxed', 'pass'].map((k) => [k, kindWords[k]])]);
const rulesOf = (s) => [...s.failing, ...s.undecided, ...s.relaxedRules, ...s.refused, ...s.advice];
const observedRules = new Set();
for (const s of sessions) for (const id of rulesOf(s)) observedRules.add(id);
options(byId('rule'), [['', 'any'], ...Object.keys(words.rules).filter((id) => observedRules.has(id)).map((id) =>
  [id, words.rules[id] + ' (' + id + ')'])]);
options(byId('order'), [...(judged ? [['worst', 'worst first'], ['score', 'lowest score first']] : []), ['host', 'by host'],
  ['capture', 'as captured']]);
if (!judged) {
  byId('l-verdict').hidden = true;
  byId('l-rule').hidden = true;
}
const hasText = (s, wanted) => wanted.every((part) =>
  [label(s.host, s.port), s.address, s.process, s.protocol, s.file, s.subject, s.verdict, ...s.remarks, ...rulesOf(s)]
    .some((field) => field && field.toLowerCase().includes(part)));
const keeps = (s, wanted) => (!filter.verdict || kind(s) === filter.verdict)
  && (!filter.rule || rulesOf(s).includes(filter.rule))
  && (!filter.host || label(s.host, s.port).toLowerCase() === filter.host.toLowerCase())
  && (filter.process === null || (s.process || '') === filter.process)
  && (filter.from === null || (s.time >= filter.from && s.time < filter.to))
  && (wanted.length === 0 || hasText(s, wanted));
const orders = {
  capture: (a, b) => a.index - b.index,
  worst: (a, b) => kinds.indexOf(kind(a)) - kinds.indexOf(kind(b)) || b.severity - a.severity || a.index - b.index,
  score: (a, b) => (a.score === null ? 101 : a.score) - (b.score === null ? 101 : b.score) || a.index - b.index,
  host: (a, b) => (a.host < b.host ? -1 : a.host > b.host ? 1 : a.port - b.port || a.index - b.index)};
let verdictOfHosts = '';
function apply() {
  if (verdictOfHosts !== filter.verdict) keepHosts(hosts.filter((h) => !filter.verdict || kind(h) === filter.verdict));
  verdictOfHosts = filter.verdict;
  for (const tile of tiles) tile.setAttribute('aria-pressed', String(tile.dataset.verdict === filter.verdict));
  for (const bin of bins) bin.button.setAttribute('aria-pressed', String(filter.from === bin.from));
  byId('verdict').value = filter.verdict;
  byId('rule').value = filter.rule;
  byId('order').value = filter.order;
  const wanted = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  shown = sessions.filter((s) => keeps(s, wanted)).sort(orders[filter.order]);
  let said = shown.length === sessions.length ? count(sessions.length, 'session')
    : grouped(shown.length) + ' of ' + count(sessions.length, 'session');
  if (filter.host) said += ', host ' + filter.host;
  if (filter.process !== null) said += ', process ' + (filter.process || 'not known');
  if (filter.from !== null) said += ', from ' + clock(filter.from);
  byId('count').replaceChildren(text(said));
  drawPage(0);
}
function drawPage(page) {
  byId('list').replaceChildren(...shown.slice(page * pageSize, (page + 1) * pageSize).map(sessionBox));
  pager(byId('pager'), page, Math.ceil(shown.length / pageSize), (next) => {
    drawPage(next);
    byId('sessions').focus();
  }, 'sessions');
}
function sessionBox(s) {
  const score = s.score === null ? '' : 'score ' + s.score + (s.grade ? ' ' + s.grade : '');
  const box = el('details', {class: 's'}, el('summary', {},
    judged ? badge(s) : null, text(label(s.host, s.port), 'h'),
    el('span', {class: 'p'}, s.protocol), score ? el('span', {}, score) : null,
    s.process ? text(s.process, 'd') : null,
    el('span', {class: 'd w'}, [s.start && moment(s.start), 'frame ' + s.frame].filter(Boolean).join(', ')),
    s.failing.length ? el('span', {class: 'line fail'}, s.failing.map((id) => words.rules[id] || id).join(', ')) : null,
    s.remarks.length ? text(s.remarks.join('; '), 'line d') : null));
  const fill = () => { if (box.children.length === 1) box.append(details(s)); };
  box.addEventListener('toggle', () => { if (box.open) fill(); });
  fills.set(box, {fill, session: s});
  return box;
}
byId('filters').addEventListener('submit', (event) => event.preventDefault());
let waiting = 0;
byId('search').addEventListener('input', (event) => {
  clearTimeout(waiting);
  waiting = setTimeout(() => { filter.text = event.target.value; apply(); }, 120);
});
for (const name of ['verdict', 'rule', 'order']) {
  byId(name).addEventListener('change', (event) => { filter[name] = event.target.value; apply(); });
}
byId('clear').addEventListener('click', () => {
  Object.assign(filter, {verdict: '', rule: '', host: '', process: null, text: '', from: null, to: null});
  byId('search').value = '';
  apply();
});

// Charts: inline SVG with a text alternative as its title.
const figure = (title, alternative, svg) => {
  const id = 'chart-' + title.toLowerCase().replace(/[^a-z]+/g, '-');
  svg.prepend(el('title', {id}, title + '. ' + alternative));
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-labelledby', id);
  byId('charts').append(el('figure', {}, el('figcaption', {}, title), svg));
};
const percent = (number) => number.toFixed(3) + '%';
// One row for each entry: its name, its numbers, and a bar of segments {kind, count}. The numbers have a line of their own if they and the
// name have more letters than fit next to each other on paper, where the chart is narrowest.
const barChart = (title, entries, most, letters) => {
  const limit = 9;
  const svg = el('svg', {width: '100%'});
  let bottom = 0;
  const row = (name, said) => {
    const down = name.length + said.length > letters ? 15 : 0;
    svg.append(
      el('text', {x: 0, y: bottom + 13, class: 'name'}, name), el('text', {x: '100%', y: bottom + down + 13, class: 'number'}, said));
    bottom += down + 32;
  };
  entries.slice(0, limit).forEach((entry) => {
    row(entry.name, entry.said);
    const y = bottom - 14;
    svg.append(el('rect', {x: 0, y, width: '100%', height: 8, class: 'track'}));
    let x = 0;
    for (const segment of entry.segments) {
      const width = 100 * segment.count / most;
      svg.append(el('rect', {x: percent(x), y, width: percent(width), height: 8, class: segment.kind}));
      x += width;
    }
  });
  if (entries.length > limit) row('and ' + (entries.length - limit) + ' more', '');
  svg.setAttribute('height', bottom);
  figure(title, entries.map((entry) => entry.name + ': ' + entry.said).join('; ') + '.', svg);
};
// Sessions by a name, which is null for those without: color shows verdicts, as everywhere in the page.
const verdictChart = (title, nameOf, order) => {
  const counts = new Map();
  for (const s of sessions) {
    const name = nameOf(s);
    if (name === null) continue;
    const entry = counts.get(name) || {total: 0};
    entry.total += 1;
    entry[kind(s)] = (entry[kind(s)] || 0) + 1;
    counts.set(name, entry);
  }
  const entries = [...counts].sort(order).map(([name, entry]) => ({
    name, said: judged ? tally(entry) : grouped(entry.total),
    segments: kinds.filter((k) => entry[k]).map((k) => ({kind: k, count: entry[k]}))}));
  if (entries.length) barChart(title + ' (sessions)', entries, Math.max(...[...counts.values()].map((entry) => entry.total)), 28);
};
const drawRules = () => {
  const rules = new Map();
  const add = (ids, k) => {
    for (const id of ids) {
      const entry = rules.get(id) || {fail: 0, unknown: 0, relaxed: 0};
      entry[k] += 1;
      rules.set(id, entry);
    }
  };
  for (const s of sessions) {
    add(s.failing, 'fail');
    add(s.undecided, 'unknown');
    add(s.relaxedRules, 'relaxed');
  }
  const sum = (entry) => entry.fail + entry.unknown + entry.relaxed;
  const entries = [...rules].sort(([, a], [, b]) => b.fail - a.fail || sum(b) - sum(a)).map(([id, entry]) => ({
    name: words.rules[id] || id, said: tally(entry),
    segments: ['fail', 'unknown', 'relaxed'].filter((k) => entry[k]).map((k) => ({kind: k, count: entry[k]}))}));
  if (entries.length) barChart('Verdicts by rule (sessions)', entries, sessions.length, 44);
};
const drawVersions = () => {
  const rank = (name) => name === 'cleartext' ? 9 : name === 'TLS 1.3' ? 0 : name === 'TLS 1.2' ? 1 : 2;
  verdictChart('TLS versions', (s) => s.version || 'no ServerHello', ([a], [b]) => rank(a) - rank(b) || (a < b ? 1 : -1));
};
const drawKeyExchanges = () => verdictChart('Key exchange', (s) => s.keyExchange, ([, a], [, b]) => b.total - a.total);
// When the server certificates expire, each certificate once, counted from the newest session.
const drawExpiry = () => {
  const leaves = new Map();
  let now = -Infinity;
  for (const s of sessions) {
    if (!Number.isNaN(s.time)) now = Math.max(now, s.time);
    if (s.notAfter) leaves.set(s.subject + ' ' + s.notAfter, time(s.notAfter));
  }
  if (!leaves.size || now === -Infinity) return;
  const days = [...leaves.values()].map((end) => (end - now) / 86400000);
  const bins = [['expired', -Infinity, 0, 'fail'], ['0\u201330', 0, 30, 'unknown'], ['30\u201390', 30, 90, 'neutral'],
    ['90\u2013200', 90, 200, 'neutral'], ['200\u2013400', 200, 400, 'neutral'], ['later', 400, Infinity, 'neutral']]
    .map(([name, from, to, style]) => ({name, style, count: days.filter((day) => day >= from && day < to).length}));
  const most = Math.max(...bins.map((bin) => bin.count));
  const svg = el('svg', {width: '100%', height: 150});
  const width = 100 / bins.length;
  bins.forEach((bin, index) => {
    const height = Math.round(100 * bin.count / most);
    const middle = percent((index + 0.5) * width);
    svg.append(
      el('rect', {x: percent((index + 0.18) * width), y: 122 - height, width: percent(width * 0.64), height, class: bin.style}),
      el('text', {x: middle, y: 116 - height, class: 'middle'}, bin.count ? grouped(bin.count) : ''),
      el('text', {x: middle, y: 140, class: 'middle dim'}, bin.name));
  });
  svg.append(el('line', {x1: 0, x2: '100%', y1: 122.5, y2: 122.5}));
  figure('Days from ' + clock(now).slice(0, 10) + ' to expiry (server certificates)',
    bins.map((bin) => bin.name + ': ' + bin.count).join('; ') + '.', svg);
};
drawRules();
drawVersions();
drawKeyExchanges();
drawExpiry();
byId('charts-section').hidden = !byId('charts').firstChild;

// Summary, what to do first, time line, hosts and processes.
byId('title').append(words.title);
document.title = 'atscope: ' + words.title;
byId('about').append(...facts(words.about.map(({label, items}) =>
  [label, items.map((item) => el('div', {}, text(item)))])).children);
const filter = {verdict: '', rule: '', host: '', process: null, text: '', from: null, to: null, order: judged ? 'worst' : 'capture'};
const showHost = (host) => {
  Object.assign(filter, {host, verdict: '', rule: '', process: null, from: null, to: null});
  apply();
  byId('sessions').focus();
};
// Of many hosts, the page lists only the worst.
const atLeast = Object.values(words.furtherHosts).some((number) => number > 0) ? 'at least ' : '';
const tiles = [];
if (judged) {
  const byKind = (verdicts) => ({...verdicts, pass: verdicts.pass - verdicts.relaxed});
  const further = byKind(words.furtherHosts), bySession = byKind(totals.verdicts);
  for (const name of ['fail', 'unknown', 'exempt', 'relaxed', 'pass']) {
    if (name === 'relaxed' && bySession.relaxed === 0) continue;
    const hostCount = hosts.filter((host) => kind(host) === name).length + further[name];
    const tile = el('button', {type: 'button', class: name, 'aria-pressed': 'false', 'data-verdict': name, onclick: () => {
      filter.verdict = filter.verdict === name ? '' : name;
      apply();
    }}, el('span', {}, kindWords[name]), ' ', el('b', {}, grouped(hostCount)), ' ',
    el('span', {}, hostCount === 1 ? 'host' : 'hosts'), ' ', el('small', {}, count(bySession[name], 'session')));
    tiles.push(tile);
    byId('tiles').append(tile);
  }
}
const drawFixes = () => {
  const limit = 8;
  const item = (entry, lead) => {
    const hostList = el('span', {class: 'hosts'});
    const draw = (number) => hostList.replaceChildren(...entry.hosts.slice(0, number).flatMap((index, i) =>
      [i ? ', ' : '', link(text(shortName(hosts[index])), () => showHost(hosts[index].label))]),
    ...(entry.hosts.length > number ? [' ', link('and ' + grouped(entry.hosts.length - number) + ' more', () =>
      draw(entry.hosts.length))] : []));
    draw(limit);
    const rules = entry.rules.slice(0, 3).map((id) => words.rules[id] || id);
    if (entry.rules.length > 3) rules.push('and ' + count(entry.rules.length - 3, 'more rule'));
    const reason = entry.verdict === 'exempt' ? '; ATS is off, but the system still rejects the load' : '';
    return el('li', {}, el('span', {class: 'v ' + entry.verdict}, kindWords[entry.verdict]), el('div', {},
      entry.steps.map((step) => el('div', {class: 'do'}, lead, text(lead ? step : step.slice(0, 1).toUpperCase() + step.slice(1)))), el('span', {class: 'd'}, atLeast + count(entry.hosts.length, 'host') + ': '), hostList,
      el('span', {class: 'd rules'}, rules.join(', ') + reason)));
  };
  const entries = [...words.fixes.map((entry) => [entry, '']), ...words.settlements.map((entry) => [entry, 'To settle: '])];
  const drawList = (number) => {
    byId('fixes').replaceChildren(...entries.slice(0, number).map((entry) => item(...entry)));
    if (entries.length > number) {
      byId('fixes').append(el('li', {}, el('span', {}), el('div', {}, link('and ' + grouped(entries.length - number) + ' more', () =>
        drawList(entries.length)))));
    }
  };
  drawList(20);
  if (words.commands.length) {
    byId('fixes').append(el('li', {}, el('span', {}), el('div', {}, el('span', {class: 'd'}, 'Commands that fetch certificates (openssl, network):'),
      el('pre', {class: 'commands'}, text(words.commands.join('\n'))))));
  }
  byId('fixes-section').hidden = entries.length === 0;
};
drawFixes();
const bins = [];
const drawTimes = () => {
  let first = Infinity, last = -Infinity;
  for (const s of sessions) {
    if (Number.isNaN(s.time)) continue;
    first = Math.min(first, s.time);
    last = Math.max(last, s.time);
  }
  if (first > last || sessions.length < 2) return;
  byId('timeline').hidden = false;
  const number = 60, width = (last - first) / number || 1;
  for (let i = 0; i < number; i += 1) bins.push({from: first + i * width, to: first + (i + 1) * width, counts: {}, sum: 0});
  for (const s of sessions) {
    if (Number.isNaN(s.time)) continue;
    const bin = bins[Math.min(number - 1, Math.floor((s.time - first) / width))];
    bin.counts[kind(s)] = (bin.counts[kind(s)] || 0) + 1;
    bin.sum += 1;
  }
  bins[number - 1].to = last + 1;
  const most = Math.max(...bins.map((bin) => bin.sum));
  bins.forEach((bin, index) => {
    const name = new Date(bin.from).toISOString() + ': ' + (tally(bin.counts) || 'no session');
    bin.button = el('button', {type: 'button', tabindex: index === 0 ? '0' : '-1', 'aria-label': name, title: name,
      'aria-pressed': 'false', onclick: () => {
        const isOn = filter.from === bin.from;
        filter.from = isOn ? null : bin.from;
        filter.to = isOn ? null : bin.to;
        apply();
      }}, [...kinds].reverse().filter((k) => bin.counts[k]).map((k) => el('span', {class: k, 'data-n': bin.counts[k]})));
    for (const bar of bin.button.children) bar.style.height = 100 * Number(bar.dataset.n) / most + '%';
    byId('bins').append(bin.button);
  });
  byId('bins').addEventListener('keydown', (event) => {
    const now = bins.findIndex((bin) => bin.button === document.activeElement);
    const step = {ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: number - 1}[event.key];
    if (now < 0 || step === undefined || step < 0 || step >= number) return;
    event.preventDefault();
    bins[now].button.tabIndex = -1;
    bins[step].button.tabIndex = 0;
    bins[step].button.focus();
  });
  const exact = (time) => last - first < 60000 ? new Date(time).toISOString().replace('T', ' ').replace('Z', ' UTC') : clock(time);
  byId('span').append(el('span', {}, exact(first)), el('span', {}, exact(last)));
};
drawTimes();
let keepHosts = () => {};
const drawHosts = () => {
  if (hosts.length === 0) return;
  byId('hosts-section').hidden = false;
  const worst = (value) => value === null ? 101 : value;
  const columns = [
    {title: 'Verdict', key: (h) => h.index, cell: (h) => badge(h)},
    {title: 'Host', key: (h) => h.label, cell: (h) => [link(text(shortName(h)), () => showHost(h.label)),
      h.remarks.map((remark) => el('div', {class: 'd'}, text(remark)))]},
    {title: 'Protocol', key: (h) => h.protocols.join(', '), cell: (h) => h.protocols.join(', ')},
    {title: 'Sessions', key: (h) => -h.sessions, number: true, cell: (h) => grouped(h.sessions)},
    {title: 'Score', key: (h) => worst(h.score), number: true, cell: (h) => h.score === null ? ''
      : h.score === h.bestScore ? h.score + (h.grade ? ' ' + h.grade : '') : h.score + '\u2013' + h.bestScore},
    {title: 'Failing rules', key: (h) => -h.failingRules.length, cell: (h) => h.failingRules.map((id) =>
      el('div', {title: id}, words.rules[id] || id))}];
  keepHosts = sortedTable(byId('hosts-table'), byId('hosts-pager'), 'Hosts', columns, hosts, 50);
};
drawHosts();
const drawProcesses = () => {
  const found = new Map();
  for (const s of sessions) {
    const entry = found.get(s.process) || {name: s.process, sum: 0, hosts: new Set(), counts: {}, index: found.size};
    entry.sum += 1;
    entry.hosts.add(label(s.host, s.port));
    entry.counts[kind(s)] = (entry.counts[kind(s)] || 0) + 1;
    found.set(s.process, entry);
  }
  if (found.size === 0 || (found.size === 1 && found.has(null))) return;
  byId('processes-section').hidden = false;
  const columns = [
    {title: 'Process', key: (p) => p.name || '', cell: (p) => link(text(p.name === null ? 'not known' : p.name), () => {
      filter.process = p.name === null ? '' : p.name;
      apply();
      byId('sessions').focus();
    })},
    {title: 'Hosts', key: (p) => -p.hosts.size, number: true, cell: (p) => grouped(p.hosts.size)},
    {title: 'Sessions', key: (p) => -p.sum, number: true, cell: (p) => grouped(p.sum)},
    {title: 'Verdicts of sessions', cell: (p) => tally(p.counts)}];
  sortedTable(byId('processes-table'), byId('processes-pager'), 'Processes', columns, [...found.values()], 50);
};
drawProcesses();

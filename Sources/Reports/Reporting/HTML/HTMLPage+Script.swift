extension HTMLPage {
  /// The page's script, in parts. It makes elements and text nodes and never markup from text.
  static let script = [scriptData, scriptOverview, scriptSessions, scriptDetails].joined(separator: "\n")

  /// Reads the data: `P` lines define parts, `S` lines are sessions.
  private static let scriptData = #"""
    'use strict';
    const byId = (id) => document.getElementById(id);
    const json = (id) => JSON.parse(byId(id).textContent);
    const run = json('run'), hosts = json('hosts'), totals = json('summary'), words = json('words');
    const judged = totals.verdicts !== undefined;
    const parts = [], sessions = [];
    for (const line of byId('records').textContent.split('\n')) {
      const tab = line.indexOf('\t');
      if (tab < 0) continue;
      if (line[0] === 'P') { parts.push(line.slice(tab + 1)); continue; }
      const end = line.indexOf('\t', tab + 1);
      const s = JSON.parse(line.slice(tab + 1, end));
      const time = s[8] === null ? NaN : Date.parse(s[8].replace(/(\.\d{3})\d+/, '$1'));
      sessions.push({verdict: s[0], relaxed: s[1], host: s[2], port: s[3], process: s[4], protocol: s[5], score: s[6],
        grade: s[7], start: s[8], file: s[9], frame: s[10], failing: s[11], open: s[12], advice: s[13], address: s[14],
        subject: s[15], time, index: sessions.length, pieces: line.slice(end + 1)});
    }
    // Texts and numbers of parts take turns.
    const rawRecord = (session) => session.pieces.split('\t').map((piece, index) =>
      index % 2 === 0 ? piece : parts[Number(piece)]).join('');
    const el = (name, attributes, ...children) => {
      const element = document.createElement(name);
      for (const [key, value] of Object.entries(attributes || {})) {
        if (value === null || value === undefined || value === false) continue;
        if (key === 'class') element.className = value;
        else if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
        else element.setAttribute(key, value === true ? '' : value);
      }
      for (const child of children.flat(Infinity)) {
        if (child === null || child === undefined || child === '') continue;
        element.append(child instanceof Node ? child : document.createTextNode(String(child)));
      }
      return element;
    };
    const text = (value, name) => el('span', {class: name ? 't ' + name : 't'}, value);
    const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ',');
    const count = (number, noun) => grouped(number) + ' ' + noun + (number === 1 ? '' : 's');
    const label = (host, port) => (host.includes(':') && /^[0-9a-f:.]+$/i.test(host) ? '[' + host + ']' : host) + ':' + port;
    const word = (s) => s.verdict === null ? '' : s.verdict === 'pass' && s.relaxed ? 'PASS (relaxed)'
      : s.verdict.toUpperCase();
    const kind = (s) => s.verdict === 'pass' && s.relaxed ? 'relaxed' : s.verdict || 'plain';
    const kinds = ['fail', 'unknown', 'exempt', 'relaxed', 'pass', 'plain'];
    const clock = (time) => new Date(time).toISOString().replace('T', ' ').slice(0, 19) + ' UTC';
    const moment = (time) => time.replace('T', ' ').replace(/(\.\d{3})\d+/, '$1').replace('Z', ' UTC');
    const table = (heads, rows, numbers) => el('div', {class: 'scroll'}, el('table', {},
      el('thead', {}, el('tr', {}, heads.map((head, i) =>
        el('th', {scope: 'col', class: numbers && numbers.includes(i) ? 'n' : null}, head)))),
      el('tbody', {}, rows.map((row) => el('tr', {}, row.map((cell, i) =>
        el('td', {class: numbers && numbers.includes(i) ? 'n' : null}, cell)))))));
    const pager = (place, page, pages, go, noun) => {
      place.replaceChildren();
      if (pages < 2) return;
      place.append(
        el('button', {type: 'button', disabled: page === 0, onclick: () => go(page - 1),
          'aria-label': 'Previous ' + noun}, 'Previous'),
        el('span', {}, 'page ' + (page + 1) + ' of ' + pages),
        el('button', {type: 'button', disabled: page >= pages - 1, onclick: () => go(page + 1),
          'aria-label': 'Next ' + noun}, 'Next'));
    };
    """#

  /// Summary, time line, hosts and processes.
  private static let scriptOverview = #"""
    byId('title').append(words.title);
    document.title = 'atscope: ' + words.title;
    for (const [name, value] of words.about) byId('about').append(el('dt', {}, text(name)), el('dd', {}, text(value)));
    const filter = {verdict: '', rule: '', host: '', process: null, text: '', from: null, to: null, order: 'capture'};
    const tiles = [];
    if (judged) {
      const v = totals.verdicts;
      const list = [['fail', v.fail, 'fail'], ['unknown', v.unknown, 'unknown'], ['exempt', v.exempt, 'exempt'],
        ['relaxed', v.relaxed, 'pass, relaxed'], ['pass', v.pass - v.relaxed, 'pass']];
      for (const [name, number, words] of list) {
        if (number === 0 && name === 'relaxed') continue;
        const tile = el('button', {type: 'button', class: name, 'aria-pressed': 'false', onclick: () => {
          filter.verdict = filter.verdict === name ? '' : name;
          apply();
        }}, el('b', {}, grouped(number)), words);
        tile.dataset.verdict = name;
        tiles.push(tile);
        byId('tiles').append(tile);
      }
    }
    const bins = [];
    const drawTimes = () => {
      let first = Infinity, last = -Infinity;
      for (const s of sessions) if (!Number.isNaN(s.time)) {
        first = Math.min(first, s.time);
        last = Math.max(last, s.time);
      }
      if (first > last || sessions.length < 2) return;
      byId('timeline').hidden = false;
      const number = 60, width = (last - first) / number || 1;
      for (let i = 0; i < number; i += 1) bins.push({from: first + i * width, to: first + (i + 1) * width, counts: {}, sum: 0});
      for (const s of sessions) if (!Number.isNaN(s.time)) {
        const bin = bins[Math.min(number - 1, Math.floor((s.time - first) / width))];
        bin.counts[kind(s)] = (bin.counts[kind(s)] || 0) + 1;
        bin.sum += 1;
      }
      bins[number - 1].to = last + 1;
      const most = Math.max(...bins.map((bin) => bin.sum));
      bins.forEach((bin, index) => {
        const said = kinds.filter((k) => bin.counts[k]).map((k) => bin.counts[k] + ' ' + (k === 'plain' ? 'sessions' : k));
        const name = new Date(bin.from).toISOString() + ': ' + (said.join(', ') || 'no session');
        bin.button = el('button', {type: 'button', tabindex: index === 0 ? '0' : '-1', 'aria-label': name, title: name,
          'aria-pressed': 'false', onclick: () => {
            const isOn = filter.from === bin.from;
            filter.from = isOn ? null : bin.from;
            filter.to = isOn ? null : bin.to;
            apply();
          }},
          [...kinds].reverse().filter((k) => bin.counts[k]).map((k) => el('span', {class: k, 'data-n': bin.counts[k]})));
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
    const hostPage = 50;
    const drawHosts = (page) => {
      const rows = hosts.slice(page * hostPage, (page + 1) * hostPage).map((h) => [
        el('span', {class: 'v ' + (h.verdict === 'pass' && h.relaxed ? 'relaxed' : h.verdict)}, word(h)),
        el('button', {type: 'button', class: 'link', onclick: () => {
          filter.host = label(h.host, h.port);
          apply();
          byId('sessions').focus();
        }}, text(label(h.host, h.port))),
        grouped(h.sessions), h.score === null ? '' : h.score === h.bestScore ? h.score : h.score + '\u2013' + h.bestScore,
        h.best, h.failingRules.join(', ')]);
      byId('hosts-table').replaceChildren(table(['Verdict', 'Host', 'Sessions', 'Score', 'Best', 'Rules that fail'], rows, [2, 3]));
      pager(byId('hosts-pager'), page, Math.ceil(hosts.length / hostPage), drawHosts, 'hosts');
    };
    if (hosts.length > 0) {
      byId('hosts-section').hidden = false;
      drawHosts(0);
    }
    const drawProcesses = () => {
      const found = new Map();
      for (const s of sessions) {
        const entry = found.get(s.process) || {sum: 0, hosts: new Set()};
        entry.sum += 1;
        entry.hosts.add(label(s.host, s.port));
        entry[kind(s)] = (entry[kind(s)] || 0) + 1;
        found.set(s.process, entry);
      }
      if (found.size === 0 || (found.size === 1 && found.has(null))) return;
      byId('processes-section').hidden = false;
      const rows = [...found].slice(0, 200).map(([name, entry]) => [
        el('button', {type: 'button', class: 'link', onclick: () => {
          filter.process = name === null ? '' : name;
          apply();
          byId('sessions').focus();
        }}, text(name === null ? 'not known' : name)),
        grouped(entry.hosts.size), grouped(entry.sum),
        kinds.filter((k) => k !== 'plain' && entry[k]).map((k) => entry[k] + ' ' + k).join(', ')]);
      byId('processes-table').replaceChildren(table(['Process', 'Hosts', 'Sessions', 'Verdicts'], rows, [1, 2]));
    };
    drawProcesses();
    """#

  /// Filters, search and the list of sessions, a page at a time.
  private static let scriptSessions = #"""
    const pageSize = 100;
    const fills = new WeakMap();
    let shown = [];
    const options = (select, list) => {
      for (const [value, name] of list) select.append(el('option', {value}, name));
    };
    options(byId('verdict'), [['', 'any'], ['fail', 'fail'], ['unknown', 'unknown'], ['exempt', 'exempt'],
      ['relaxed', 'pass, relaxed'], ['pass', 'pass']]);
    const seenRules = new Set();
    for (const s of sessions) for (const id of [...s.failing, ...s.open, ...s.advice]) seenRules.add(id);
    options(byId('rule'), [['', 'any'], ...Object.keys(words.rules).filter((id) => seenRules.has(id)).map((id) =>
      [id, id + ': ' + words.rules[id]])]);
    options(byId('order'), [['capture', 'as captured'], ...(judged ? [['worst', 'worst first'],
      ['score', 'least score first']] : []), ['host', 'by host']]);
    if (!judged) {
      byId('l-verdict').hidden = true;
      byId('l-rule').hidden = true;
    }
    const hasText = (s, wanted) => wanted.every((part) =>
      [label(s.host, s.port), s.address, s.process, s.protocol, s.file, s.subject, s.verdict, ...s.failing, ...s.open,
        ...s.advice].some((field) => field && field.toLowerCase().includes(part)));
    const keeps = (s, wanted) => (!filter.verdict || kind(s) === filter.verdict)
      && (!filter.rule || s.failing.includes(filter.rule) || s.open.includes(filter.rule) || s.advice.includes(filter.rule))
      && (!filter.host || label(s.host, s.port).toLowerCase() === filter.host.toLowerCase())
      && (filter.process === null || (s.process || '') === filter.process)
      && (filter.from === null || (s.time >= filter.from && s.time < filter.to))
      && (wanted.length === 0 || hasText(s, wanted));
    const orders = {
      capture: (a, b) => a.index - b.index,
      worst: (a, b) => kinds.indexOf(kind(a)) - kinds.indexOf(kind(b)) || a.index - b.index,
      score: (a, b) => (a.score === null ? 101 : a.score) - (b.score === null ? 101 : b.score) || a.index - b.index,
      host: (a, b) => (a.host < b.host ? -1 : a.host > b.host ? 1 : a.port - b.port || a.index - b.index)};
    function apply() {
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
        judged ? el('span', {class: 'v ' + kind(s)}, word(s)) : null, text(label(s.host, s.port), 'h'),
        el('span', {}, s.protocol), el('span', {}, score), text(s.failing.join(', '), 'fail'),
        s.process ? text(s.process, 'd') : null,
        el('span', {class: 'd w'}, [s.start && moment(s.start), 'frame ' + s.frame].filter(Boolean).join(', '))));
      const fill = () => { if (box.children.length === 1) box.append(details(s)); };
      box.addEventListener('toggle', () => { if (box.open) fill(); });
      fills.set(box, fill);
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
    """#

  /// A session in full: rules with their evidence, certificates, and the raw record.
  private static let scriptDetails = #"""
    const facts = (rows) => el('dl', {class: 'facts'}, rows.filter(([, value]) =>
      value !== null && value !== undefined && value !== '').map(([name, value]) =>
      [el('dt', {}, name), el('dd', {}, value instanceof Node ? value : text(value))]));
    // Of a rotated capture each frame has its number in its own file.
    const place = (capture, frame) => {
      const part = (capture.parts || []).filter((part) => part.framesBefore < frame).pop();
      return part ? frame - part.framesBefore + ' of ' + part.file.split(/[/!]/).pop() : String(frame);
    };
    const frames = (list, capture) => list && list.length
      ? (list.length === 1 ? 'frame ' : 'frames ') + list.map((frame) => place(capture, frame)).join(', ') : '';
    const endpoint = (e) => e ? label(e.address, e.port) : '';
    function details(s) {
      const raw = rawRecord(s), record = JSON.parse(raw);
      const tls = record.tls, ats = record.ats, evidence = record.evidence || {};
      const rows = [
        ['session', record.id],
        ['capture', record.capture.file + ', ' + (record.capture.parts ? '' : 'frames ')
          + [record.capture.firstFrame, record.capture.lastFrame].map((frame) =>
            (record.capture.parts ? 'frame ' : '') + place(record.capture, frame)).join(record.capture.parts ? ' to ' : '-')],
        ['time', [record.start, record.end].filter(Boolean).map((time) => time.replace('T', ' ').replace('Z', ' UTC')).join(' to ')],
        ['from', endpoint(record.client) + ' to ' + endpoint(record.server)],
        ['process', s.process],
        ['name from', record.serverNameSource],
        ['inside', (record.tunnel || []).join(', ')]];
      if (tls) rows.push(['version', tls.version === null ? 'not seen' : s.protocol], ['ALPN', tls.alpn],
        ['outcome', tls.outcome + (tls.resumed ? ', resumed' : '')],
        ['alerts', [...(tls.clientAlerts || []).map((a) => 'client: ' + (a.name || a.description) + ' (frame ' + a.frame + ')'),
          ...(tls.serverAlerts || []).map((a) => 'server: ' + (a.name || a.description) + ' (frame ' + a.frame + ')')].join(', ')]);
      if (record.http) for (const r of record.http.requests) rows.push(['request', r.method + ' ' + (r.host || '') + r.path
        + (r.status === null ? '' : ' -> ' + r.status) + (r.redirectHost ? ' to ' + r.redirectScheme + '://' + r.redirectHost : '')
        + ' (frame ' + r.frame + ')']);
      const body = el('div', {class: 'body'}, facts(rows));
      if (ats) body.append(judgement(ats, record));
      if ((record.certificates || []).length) body.append(el('h3', {}, 'Certificates'), record.certificates.map(certificate)
        .reduce((all, card) => { all.append(card); return all; }, el('div', {})));
      body.append(el('h3', {}, 'Evidence'), facts([
        ...['clientHello', 'serverHello', 'certificates', 'certificateStatus', 'serverKeyExchange'].map((name) =>
          [name, evidence[name] ? [evidence[name], frames((evidence.frames || {})[name], record.capture)].filter(Boolean).join(', ') : null]),
        ['outcome', frames((evidence.frames || {}).outcome, record.capture)], ['incomplete', evidence.incomplete],
        ['missing bytes', evidence.missingBytes || null], ['notes', (evidence.notes || []).join(', ')]]));
      const pre = el('pre', {class: 't', tabindex: '0', 'aria-label': 'Raw record'});
      const rawBox = el('details', {class: 'r'}, el('summary', {}, 'Raw record'), pre);
      rawBox.addEventListener('toggle', () => {
        if (rawBox.open && !pre.firstChild) pre.append(JSON.stringify(record, null, 2));
      });
      body.append(rawBox);
      return body;
    }
    function judgement(ats, record) {
      const box = el('div', {});
      const error = ats.predictedError;
      box.append(facts([
        ['exempt because', ats.exemption],
        ['confidence', ats.score === null ? null : ats.confidence],
        ['device reports', error ? error.domain + ' ' + error.code + (error.underlying ? ' (' + error.underlying.code + ')' : '')
          + (error.alternatives || []).map((code) => ', or ' + code).join('') + (error.trust ? '; trust error ' + error.trust.code : '') : null],
        ['Info.plist', ats.noExceptionReason || ats.narrowestException.map((s) =>
          s.key + ' = ' + s.value + (s.entry ? ' for ' + s.entry : '')).join('; ') || null]]));
      const order = {fail: 0, unknown: 1, relaxed: 2, pass: 3, notApplicable: 4};
      const passed = ats.passed.map((id) => ({id, outcome: 'pass', required: true}));
      const rules = [...ats.rules, ...passed]
        .map((rule, index) => ({rule, index}))
        .sort((a, b) => (order[a.rule.outcome] + (a.rule.required ? 0 : 5)) - (order[b.rule.outcome] + (b.rule.required ? 0 : 5))
          || a.index - b.index).map((item) => item.rule);
      const colour = (r) => r.outcome === 'fail' ? (r.required ? 'fail' : 'plain') : r.outcome;
      const ruleTable = (list) => table(['Rule', 'Outcome', 'Seen', 'Asked', 'Evidence', 'Remarks'], list.map((r) => [
        el('span', {class: 'id', title: words.rules[r.id] || ''}, r.id),
        el('span', {class: 'v ' + colour(r)}, r.required ? r.outcome : r.outcome === 'fail' ? 'advice' : r.outcome + ' (not required)'),
        text(r.observed || ''), text(r.expected || ''), frames(r.frames, record.capture),
        [r.relaxedBy ? text('Key ' + r.relaxedBy.key + (r.relaxedBy.entry ? ' of ' + r.relaxedBy.entry : '') + '. ') : null,
          r.missing ? text('Not seen: ' + r.missing + '. ') : null, text((r.notes || []).join(' ')),
          r.settledBy ? text(' Settled by ' + r.settledBy.join(', or ')) : null,
          r.fix ? text(' Put right by: ' + r.fix) : null]]));
      const told = rules.filter((r) => r.outcome !== 'pass' && (r.required || r.outcome !== 'unknown'));
      const rest = rules.filter((r) => !told.includes(r));
      box.append(el('h3', {}, 'Rules'));
      if (told.length) box.append(ruleTable(told));
      if (rest.length) {
        box.append(el('details', {class: 'r p'}, el('summary', {}, told.length ? count(rest.length, 'further rule') + ' passed or not required'
          : count(rest.length, 'rule') + ' passed'), ruleTable(rest)));
      }
      const none = ats.notApplicable;
      if (none.length) box.append(el('p', {class: 'hint'}, 'Not applicable: ' + none.join(', ')));
      box.append(el('details', {class: 'r'}, el('summary', {}, 'Policy in force'), facts(
        [['host', ats.policy.host], ['release', ats.policy.os], ['entry', ats.policy.matched],
          ['HTTPS required', ats.policy.httpsRequired ? 'yes' : 'no'], ['minimum TLS version', ats.policy.minimumTLSVersion],
          ['cipher suites', ats.policy.cipherPolicy], ['forward secrecy required', ats.policy.forwardSecrecyRequired ? 'yes' : 'no']])));
      return box;
    }
    function certificate(c, index) {
      const key = c.publicKey;
      return el('div', {class: 'card'}, el('h4', {}, index === 0 ? 'Leaf' : 'Issuer ' + index), facts([
        ['subject', c.subject], ['issuer', c.issuer], ['valid', [c.notBefore, c.notAfter].filter(Boolean).join(' to ')],
        ['names', [...(c.dnsNames || []), ...(c.ipAddresses || [])].join(', ')],
        ['key', key ? key.algorithm + (key.curve ? ' ' + key.curve : '') + (key.bits ? ' ' + key.bits + ' bits' : '') : null],
        ['signature', c.signatureAlgorithm], ['serial', c.serial], ['SHA-256', c.sha256], ['key SHA-256', c.spkiSHA256],
        ['SCTs', c.scts || null], ['cannot be decoded', c.decodingError]]));
    }
    apply();
    let opened = [];
    addEventListener('beforeprint', () => {
      opened = [...document.querySelectorAll('details.s')].filter((box) => !box.open);
      for (const box of opened) {
        fills.get(box)();
        box.open = true;
      }
      const inner = [...document.querySelectorAll('details.p')].filter((box) => !box.open);
      for (const box of inner) box.open = true;
      opened.push(...inner);
    });
    addEventListener('afterprint', () => { for (const box of opened) box.open = false; });
    """#
}

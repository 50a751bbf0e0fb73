// A session in full: findings with their evidence, certificates, and the raw record.
const folded = (title, name, content) => el('details', {class: 'r ' + name}, el('summary', {}, title), content);
// Of a rotated capture each frame has its number in its own file.
const frameName = (capture, frame) => {
  const part = (capture.parts || []).filter((part) => part.framesBefore < frame).pop();
  return part ? frame - part.framesBefore + ' of ' + part.file.split(/[/!]/).pop() : String(frame);
};
const frames = (list, capture) => list && list.length
  ? (list.length === 1 ? 'frame ' : 'frames ') + list.map((frame) => frameName(capture, frame)).join(', ') : '';
const endpoint = (e) => e ? label(e.address, e.port) : '';
const alerts = (list, peer) => (list || []).map((a) => peer + ': ' + (a.name || a.description) + ' (frame ' + a.frame + ')');
const validity = (c) => [c.notBefore, c.notAfter].filter(Boolean).map((time) => time.slice(0, 10)).join(' to ');
const leafWords = (list) => list && list.length ? (list[0].subject || list[0].decodingError || '') + ', valid ' + validity(list[0]) : null;
const nameSources = {sni: 'SNI', connect: 'CONNECT', 'http-host': 'the Host field', address: 'the address'};
const sources = {earlierSession: 'the session that this one resumes', supplied: '--chain',
  captured: 'another session of the same host (--chain captured)',
  probable: 'another session of the same host; not judged'};

function details(s) {
  const raw = rawRecord(s), record = JSON.parse(raw);
  const tls = record.tls, ats = record.ats;
  // Names of regions are told apart by their session.
  const of = ' of ' + label(s.host, s.port) + ', session ' + record.id;
  const body = el('div', {class: 'body'});
  if (ats) body.append(...findings(ats, record, of, s));
  const capture = record.capture;
  const rows = [
    ['capture', capture.file + ', ' + (capture.parts ? '' : 'frames ') + [capture.firstFrame, capture.lastFrame].map((frame) =>
      (capture.parts ? 'frame ' : '') + frameName(capture, frame)).join(capture.parts ? ' to ' : '-')],
    ['time', [record.start, record.end].filter(Boolean).map((time) => time.replace('T', ' ').replace('Z', ' UTC')).join(' to ')],
    ['endpoints', endpoint(record.client) + ' to ' + endpoint(record.server)],
    ['name from', nameSources[record.serverNameSource]],
    ['tunnel', (record.tunnel || []).join(', ')]];
  if (tls) {
    rows.push(['ALPN', tls.alpn],
      ['outcome', tls.outcome + (tls.resumed ? ', resumed' : '')],
      ['alerts', [...alerts(tls.clientAlerts, 'client'), ...alerts(tls.serverAlerts, 'server')].join(', ')],
      ['certificate', leafWords(record.certificates)],
      ['certificate from elsewhere', (record.assumedCertificates || []).length ? leafWords(record.assumedCertificates) + ', from '
        + (sources[record.assumedCertificatesSource] || record.assumedCertificatesSource) : null],
      ['client certificate', leafWords(record.clientCertificates)]);
  }
  if (record.http) for (const r of record.http.requests) rows.push(['request', r.method + ' ' + (r.host || '') + r.path
    + (r.status === null || r.status === undefined ? '' : ' -> ' + r.status)
    + (r.redirectHost ? ' to ' + r.redirectScheme + '://' + r.redirectHost : '') + ' (frame ' + r.frame + ')']);
  rows.push(['session', record.id]);
  body.append(el('h3', {}, 'Connection'), facts(rows));
  const chains = [['Certificates', 'Server certificate', record.certificates],
    ['Certificates from elsewhere', 'Server certificate', record.assumedCertificates],
    ['Client certificates', 'Client certificate', record.clientCertificates]];
  for (const [title, first, list] of chains) {
    if (list && list.length) body.append(folded(title + ' (' + list.length + ')', 'certificates',
      list.map((c, index) => certificate(c, index === 0 ? first : 'Issuer ' + index))));
  }
  body.append(folded('Evidence', 'evidence', evidence(record)));
  const pre = el('pre', {class: 't', tabindex: '0', role: 'region', 'aria-label': 'Raw record' + of});
  const rawBox = folded('Raw record', 'raw', pre);
  rawBox.addEventListener('toggle', () => {
    if (rawBox.open && !pre.firstChild) pre.append(JSON.stringify(record, null, 2));
  });
  body.append(rawBox);
  return body;
}
function evidence(record) {
  const evidence = record.evidence || {}, numbers = evidence.frames || {};
  return facts([
    ...['clientHello', 'serverHello', 'certificates', 'certificateStatus', 'serverKeyExchange'].map((name) =>
      [name, evidence[name] ? [words.unseen[evidence[name]] || evidence[name], frames(numbers[name], record.capture)].filter(Boolean).join(', ') : null]),
    ['outcome', frames(numbers.outcome, record.capture)], ['incomplete', evidence.incomplete],
    ['missing bytes', evidence.missingBytes || null], ['notes', (evidence.notes || []).join(', ')]]);
}
const errorWords = (error, dependsOnOffer) => error ? error.domain + ' ' + error.code + (error.underlying ? ' (' + error.underlying.code + ')' : '')
  + (error.alternatives || []).map((code) => ', or ' + code + ' on some systems').join('') + (error.trust ? '; trust error ' + error.trust.code : '')
  + (dependsOnOffer ? words.offerCaution : '') : null;
const exceptionWords = (ats, record, limited) => {
  if (ats.noExceptionReason) return ats.noExceptionReason;
  const value = (e) => e.value === true ? 'YES' : e.value === false ? 'NO' : e.value;
  return ats.narrowestException.map((e) => (e.entry ? e.entry + ': ' : '') + e.key + ' = ' + value(e)).join('; ')
    + (!ats.narrowestException.length ? '' : record.application === 'http' ? words.cleartextCaution : limited ? words.offerCaution : '');
};
// Inputs that settle a rule, in the words and the order of the other reports: chains first.
const ways = (inputs) => {
  const isChain = (input) => input.startsWith('--chain ');
  return [...inputs.filter(isChain), ...inputs.filter((input) => !isChain(input))]
    .map((input) => isChain(input) ? words.insteadOfChain || 'add ' + input : words.ways[input] || input).join(', or ');
};
// Rules that the same inputs settle share a row, which names the rules if there are several rows. A new recording, if there is one,
// settles all.
const settlements = (rules, recording) => {
  const settled = new Map();
  for (const r of rules) {
    const inputs = (r.settledBy || []).length && recording || ways(r.settledBy || []);
    if (inputs) settled.set(inputs, [...(settled.get(inputs) || []), words.rules[r.id] || r.id]);
  }
  return [...settled].map(([inputs, names]) => ['to settle', settled.size > 1 ? names.join(', ') + ': ' + inputs : inputs]);
};
function findings(ats, record, of, {refused, limited, errorDependsOnOffer, recording}) {
  const order = {fail: 0, unknown: 1, relaxed: 2, pass: 3};
  const isRefused = (r) => refused.includes(r.id);
  const counts = (r) => r.required || isRefused(r);
  const rank = (r) => order[r.outcome] + (counts(r) ? 0 : 5);
  const all = ats.rules.map((rule, index) => ({rule, index}))
    .sort((a, b) => rank(a.rule) - rank(b.rule) || a.index - b.index).map((item) => item.rule);
  const main = all.filter((r) => r.outcome !== 'pass' && counts(r));
  const advice = all.filter((r) => r.outcome === 'fail' && !counts(r));
  const rest = all.filter((r) => !main.includes(r) && !advice.includes(r));
  const ruleName = (id) => [el('span', {class: 'id'}, words.rules[id] || id), el('div', {class: 'd m'}, id)];
  const columns = [
    {title: 'Rule', cell: (r) => ruleName(r.id)},
    {title: 'Outcome', cell: (r) => el('span', {class: 'v ' + (r.outcome === 'fail' && !counts(r) ? 'plain' : r.outcome)},
      r.required ? r.outcome : isRefused(r) ? 'rejected by the system' : r.outcome === 'fail' ? 'advice' : r.outcome + ' (not required)')},
    {title: 'Observed', cell: (r) => text(r.observed || (r.missing ? words.unseen[r.missing] || r.missing : ''))},
    {title: 'Required', cell: (r) => text(r.expected || '')},
    {title: 'Evidence', cell: (r) => frames(r.frames, record.capture)},
    {title: 'Remarks and fix', cell: (r) => {
      return [
        r.relaxedBy ? el('div', {}, text('Key: ' + r.relaxedBy.key + (r.relaxedBy.entry ? ' of ' + r.relaxedBy.entry : ''))) : null,
        (r.notes || []).map((note) => el('div', {class: 'd'}, text(note))),
        r.fix ? el('div', {}, el('b', {}, 'Fix: '), text(r.fix)) : null];
    }}];
  const made = [];
  if (main.length) made.push(table('Findings' + of, columns, main));
  made.push(facts([...settlements(main, recording),
    ['exempt', ats.exemption], ['device error', errorWords(ats.predictedError, errorDependsOnOffer)], ['exception', exceptionWords(ats, record, limited)],
    ['confidence', ats.score === null || ats.confidence === 1 ? null : ats.confidence]]));
  if (advice.length) made.push(folded('Advice (' + advice.length + ')', 'advice', table('Advice' + of, columns, advice)));
  if (rest.length) made.push(folded('Not required (' + rest.length + ')', 'rest', [table('Not required' + of, columns, rest), facts(settlements(rest, recording))]));
  const names = (ids) => ids.map((id) => (words.rules[id] || id) + ' (' + id + ')').join(', ');
  if (ats.passed.length) made.push(folded('Passed (' + ats.passed.length + ')', 'passed', el('p', {}, names(ats.passed))));
  const policy = ats.policy;
  made.push(folded('Policy', 'policy', facts([['host', policy.host], ['release', policy.os], ['entry', policy.matched],
    ['HTTPS required', policy.httpsRequired ? 'yes' : 'no'], ['minimum TLS version', policy.minimumTLSVersion],
    ['cipher suites', policy.cipherPolicy], ['forward secrecy required', policy.forwardSecrecyRequired ? 'yes' : 'no'],
    ['not applicable', names(ats.notApplicable)]])));
  return made;
}
function certificate(c, title) {
  const key = c.publicKey;
  return el('div', {class: 'card'}, el('h4', {}, title), facts([
    ['subject', c.subject], ['issuer', c.issuer], ['valid', [c.notBefore, c.notAfter].filter(Boolean).join(' to ')],
    ['names', [...(c.dnsNames || []), ...(c.ipAddresses || [])].join(', ')],
    ['key', key ? key.algorithm + (key.curve ? ' ' + key.curve : '') + (key.bits ? ' ' + key.bits + ' bits' : '') : null],
    ['signature', c.signatureAlgorithm], ['serial', c.serial], ['SHA-256', c.sha256], ['key SHA-256', c.spkiSHA256],
    ['SCTs', c.scts || null], ['cannot be decoded', c.decodingError]]));
}
apply();
// On paper, failing sessions and those that pass by a key are opened with their findings; what else they hold stays folded.
let opened = [];
addEventListener('beforeprint', () => {
  opened = [...document.querySelectorAll('details.s')].filter((box) =>
    !box.open && ['fail', 'relaxed'].includes(kind(fills.get(box).session)));
  for (const box of opened) {
    fills.get(box).fill();
    box.classList.add('brief');
    box.open = true;
  }
});
addEventListener('afterprint', () => {
  for (const box of opened) {
    box.open = false;
    box.classList.remove('brief');
  }
});

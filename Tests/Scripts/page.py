#!/usr/bin/env python3
"""Opens the HTML reports in a headless Chromium without a network, uses them as a reader would, and takes pictures of them.

  page.py ATSCOPE [--pictures FOLDER]

Checks that the page requests only its own file and runs only its own scripts; that names from a capture are shown as text; that filters,
search, sorting, keys, printing and narrow screens work; that every control has a name for screen readers; that axe-core finds no violation;
and that 10,000 sessions open within a second. Needs Chromium (CHROMIUM names another program); axe-core comes with the Python package
axe-playwright-python.
"""
import importlib.util
import json
import os
import plistlib
import re
import shutil
import subprocess
import sys
import tempfile

from chromium import Browser

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# Nine sessions: five hosts that fail in different ways, and one host with each other verdict.
NINE = ["captures/variants/hosts/failing-hosts.pcapng", "captures/demo/demo.pcapng"]
faults = []


def check(condition, what):
    if not condition:
        faults.append(what)


def report(program, arguments, path):
    # The captures' own CA replaces the system anchors, so that pages and pictures do not depend on this machine.
    result = subprocess.run([program, *arguments, "--system-anchors", "captures/anchors/example-ca.pem", "--format", "html",
                             "-o", path], stderr=subprocess.DEVNULL)
    if result.returncode not in (0, 1, 2):
        sys.exit(f"page: atscope {' '.join(arguments)}: exit status {result.returncode}")


def no_requests(browser, path, what):
    for complaint in browser.complaints(path):
        faults.append(f"{what}: {complaint}")


def several_hosts(browser, path, folder):
    browser.open(path)
    total = browser.run("sessions.length")
    check(total == 7, f"several hosts: {total} sessions")
    check(browser.run("document.querySelectorAll('details.s').length") == total, "several hosts: not every session is listed")
    # By keyboard only: Enter opens the first session.
    browser.run("document.querySelector('details.s summary').focus()")
    browser.press("Enter", text="\r")
    check(browser.until("document.querySelector('details.s .body') !== null"), "keys: Enter does not open a session")
    shown = browser.run("document.querySelector('details.s .body').textContent")
    for words in ("Rule", "Fix: ", "Certificates", "Evidence", "Raw record", "frame"):
        check(words in shown, f"an opened session lacks {words}")
    check("[object" not in shown, "an opened session shows [object Object]")
    browser.run("document.querySelectorAll('details.s')[1].open = true")
    browser.run("document.querySelectorAll('details.s details.r').forEach((box) => { box.open = true; })")
    texts = "[...document.querySelectorAll('details.s pre')].map((pre) => pre.textContent).find(Boolean) || ''"
    browser.until(f"({texts}) !== ''")
    raw = browser.run(texts)
    check(raw.startswith("{") and json.loads(raw)["schema"] == "atscope.session/1", "the raw record is not shown")
    if folder:
        browser.run("document.querySelectorAll('details.s details.r').forEach((box) => { box.open = false; })")
        browser.run("document.querySelector('main').querySelectorAll('section').forEach((s) => { s.hidden = s.id !== 'sessions'; })")
        browser.picture(os.path.join(folder, "report-session.png"), height=1400)
        browser.run("document.querySelector('main').querySelectorAll('section').forEach((s) => { s.hidden = false; })")
    # Filters.
    browser.run("document.querySelector('#tiles button.fail').click()")
    failing = browser.run("document.querySelectorAll('details.s').length")
    check(failing == browser.run("sessions.filter((s) => s.verdict === 'fail').length"), "the verdict filter lists other sessions")
    browser.run("byId('clear').click()")
    browser.run("byId('search').value = 'legacy'; byId('search').dispatchEvent(new Event('input'))")
    check(browser.until("document.querySelectorAll('details.s').length === 1"), "the search does not find one session")
    check("1 of 7 sessions" in browser.run("byId('count').textContent"), "the count is not shown")
    browser.run("byId('clear').click()")
    browser.run("document.querySelector('#bins button').focus()")
    browser.press("End")
    check(browser.run("document.activeElement === bins[59].button"), "keys: End does not move in the time line")
    # Names for screen readers.
    for node in browser.call("Accessibility.getFullAXTree")["nodes"]:
        role = node.get("role", {}).get("value")
        if not node.get("ignored") and role in ("button", "textbox", "searchbox", "combobox", "DisclosureTriangle"):
            check(node.get("name", {}).get("value", "").strip(), f"a {role} has no name")
    no_requests(browser, path, "several hosts")


def hostile_names(browser, path, folder):
    browser.open(path)
    browser.run("document.querySelectorAll('details.s').forEach((box) => { box.open = true; })")
    browser.until("[...document.querySelectorAll('details.s')].every((box) => box.querySelector('.body'))")
    browser.run("document.querySelectorAll('details.r').forEach((box) => { box.open = true; })")
    browser.until("[...document.querySelectorAll('details.r > pre')].every((pre) => pre.firstChild)")
    shown = browser.run("document.body.innerText")
    for name in ("<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "\\x1b[31mred\\x07.example", "\\u{202e}", "=cmd|"):
        check(name in shown, f"hostile names: {name!r} is not shown as text")
    made = browser.run("document.querySelectorAll('img, iframe, object, embed, link, a[href^=http], script[src]').length"
                       " + document.querySelectorAll('svg').length - document.querySelectorAll('figure > svg').length")
    check(made == 0, "hostile names: a name became an element")
    check(browser.run("document.scripts.length") == 6, "hostile names: the page does not have 6 scripts")
    # The Content Security Policy stops even an injected script.
    browser.run("const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s)")
    check(browser.run("window.ran") is None, "an injected script runs")
    browser.events = [e for e in browser.events if "Content Security Policy" not in json.dumps(e)]
    no_requests(browser, path, "hostile names")
    if folder:
        browser.run("document.querySelectorAll('details').forEach((box) => { box.open = false; })")
        browser.picture(os.path.join(folder, "report-hostile-names.png"), height=1150)


# Lists what a printed page would hide: elements that extend beyond the page or scroll, and text that is clipped or overlapped.
CLIPPED = """(() => {
  const found = [], width = document.documentElement.clientWidth;
  const name = (e) => e.tagName + '.' + (e.getAttribute('class') || '') + ': ' + e.textContent.slice(0, 60);
  for (const e of document.body.querySelectorAll('*')) {
    if (!e.getClientRects().length || e.closest('.skip')) continue;
    const style = getComputedStyle(e);
    if (style.display !== 'inline' && !e.closest('svg') && style.overflowX !== 'visible' && e.scrollWidth > e.clientWidth + 1) {
      found.push('scrolls: ' + name(e));
    }
    if (e.getBoundingClientRect().right > width + 1) found.push('beyond the page: ' + name(e));
  }
  for (const svg of document.querySelectorAll('figure > svg')) {
    const box = svg.getBoundingClientRect(), texts = [...svg.querySelectorAll('text')].filter((t) => t.textContent)
      .map((t) => [t, t.getBoundingClientRect()]);
    for (const [text, rect] of texts) {
      if (rect.right > box.right + 1 || rect.left < box.left - 1 || rect.bottom > box.bottom + 1) found.push('clipped: ' + name(text));
      for (const [other, r] of texts) {
        if (other !== text && r.top < rect.bottom - 2 && r.bottom > rect.top + 2 && r.left < rect.right && r.right > rect.left) {
          found.push('overlaps: ' + name(text));
        }
      }
    }
  }
  return found;
})()"""


def paper(browser, path, folder):
    """Checks that nine sessions print on at most three A4 pages, with nothing hidden except passing rules and raw records."""
    browser.open(path)
    check(browser.run("sessions.length") == 9, "paper: not nine sessions")
    pdf = browser.pdf()
    pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
    check(pdf.startswith(b"%PDF") and 1 <= pages <= 3, f"paper: nine sessions take {pages} pages")
    # The width between the margins of A4, in CSS pixels.
    browser.screen(int((210 - 24) / 25.4 * 96))
    browser.call("Emulation.setEmulatedMedia", media="print")
    browser.run("dispatchEvent(new Event('beforeprint'))")
    failing = browser.run("document.querySelectorAll('details.s[open]').length")
    check(failing == browser.run("sessions.filter((s) => s.verdict === 'fail').length"), "paper: failing sessions are not opened")
    for fault in browser.run(CLIPPED)[:10]:
        faults.append("paper: " + fault)
    shown = browser.run("document.body.innerText")
    for fix in browser.run("words.fixes.flatMap((fix) => fix.steps)"):
        check(" ".join(fix.split())[1:] in " ".join(shown.split()), f"paper: the fix {fix!r} is not shown")
    check(browser.run("[...document.querySelectorAll('.passed, .raw')].every((e) => !e.getClientRects().length)"),
          "paper: rules that pass are not folded")
    check(browser.run("[...document.querySelectorAll('#bins span, #tiles button')].every((e) => "
                      "getComputedStyle(e).printColorAdjust === 'exact')"), "paper: the time line is not printed")
    browser.run("dispatchEvent(new Event('afterprint'))")
    check(browser.run("document.querySelectorAll('details.s[open]').length") == 0, "paper: sessions stay open after printing")
    browser.call("Emulation.setEmulatedMedia", media="")
    if folder and shutil.which("pdftoppm"):
        with tempfile.NamedTemporaryFile(suffix=".pdf") as file:
            file.write(pdf)
            file.flush()
            subprocess.run(["pdftoppm", "-r", "90", "-png", "-f", "1", "-l", "1", "-singlefile", file.name,
                            os.path.join(folder, "report-print")], check=True)


def first_things(browser, path, folder):
    """Checks that the page begins with the list of fixes, the worst first, and counts hosts in its headline and tiles."""
    browser.open(path)
    if folder:
        browser.picture(os.path.join(folder, "report.png"), height=1650)
        browser.picture(os.path.join(folder, "report-dark.png"), height=1650, dark=True)
    lines = browser.run("[...document.querySelectorAll('#fixes > li')].map((li) => li.innerText)")
    check(len(lines) == browser.run("words.fixes.length + words.settlements.length + 1") and len(lines) == 8,
          f"fix list: {len(lines)} lines")
    check("HTTPS" in lines[0] and "203.0.113.7" in lines[0], f"fix list: begins with {lines[0]!r}")
    check("UNKNOWN" in lines[-2] and "To settle" in lines[-2], f"fix list: ends with {lines[-2]!r}")
    check("atscope certificates --missing" in lines[-1], f"fix list: ends with {lines[-1]!r}")
    check(browser.run("hosts[0].failingRules.includes('ATS-HTTPS') && hosts[1].failingRules.includes('ATS-CERT-TRUST')"),
          "hosts: the worst are not listed first")
    check(browser.run("shown[0].failing.includes('ATS-HTTPS') && shown[1].failing.includes('ATS-CERT-TRUST')"),
          "sessions: the worst are not listed first")
    check("7 hosts: 5 fail" in browser.run("byId('title').textContent"), "the headline does not count hosts")
    tile = browser.run("document.querySelector('#tiles .fail').innerText.replace(/\\s+/g, ' ')")
    check(tile == "FAIL 5 hosts 6 sessions", f"a tile shows {tile!r}")
    browser.run("document.querySelector('#tiles .fail').click()")
    check(browser.run("document.querySelectorAll('#hosts-table tbody tr').length") == 5, "a tile does not filter hosts")
    browser.run("byId('clear').click()")
    titles = browser.run("[...document.querySelectorAll('figure > svg[role=img]')].map((svg) => svg.querySelector('title').textContent)")
    check(len(titles) == 4 and all(": " in title for title in titles), f"charts: text alternatives {titles}")
    check(not any("FAIL sessions" in title for title in titles), f"charts: counts without their noun's form in {titles}")
    check(any("0\u201330: " in title and "30\u201390: " in title for title in titles), f"charts: days to expiry overlap in {titles}")
    scores = browser.run("sessions.filter((s) => ['unknown', 'exempt'].includes(s.verdict) && (s.score !== null || s.grade !== null)).length")
    check(scores == 0, "a session that is UNKNOWN or EXEMPT has a score or grade")
    browser.run("barChart('Probe', [{name: 'x25519', said: '6 FAIL, 36 UNKNOWN, 7 PASS', segments: []}], 1, 28)")
    lines = browser.run("[...byId('charts').lastChild.querySelectorAll('text')].map((text) => text.getAttribute('y'))")
    check(len(set(lines)) == 2, "charts: long numbers cover the name next to them on paper")


def sorting(browser, path):
    """Checks that column headers sort by keyboard and show the order in aria-sort."""
    browser.open(path)
    names = "[...document.querySelectorAll('#hosts-table tbody td:nth-child(2)')].map((td) => td.innerText)"
    state = "document.querySelectorAll('#hosts-table th')[1].getAttribute('aria-sort')"
    check(browser.run(state) == "none", "sorting: a column has an order before it is sorted")
    browser.run("document.querySelectorAll('#hosts-table th button')[1].focus()")
    for direction in ("ascending", "descending"):
        browser.press("Enter", text="\r")
        browser.until(f"{state} === '{direction}'")
        listed = browser.run(names)
        check(browser.run(state) == direction, f"sorting: aria-sort is not {direction}")
        check(listed == sorted(listed, reverse=direction == "descending"), f"sorting: {direction}: {listed}")
        check(browser.run("document.activeElement.textContent") == "Host", "sorting: the focus is lost")


def narrow(browser, path, folder, what):
    """Checks that at 375 pixels the page does not scroll sideways, rows are cards, and scrolling regions can be reached by keyboard."""
    browser.open(path)
    browser.screen(375)
    browser.run("document.querySelectorAll('details.s').forEach((box) => { box.open = true; })")
    browser.until("[...document.querySelectorAll('details.s')].every((box) => box.querySelector('.body'))")
    wide = browser.run("document.documentElement.scrollWidth")
    check(wide <= 375, f"{what} at 375 pixels: {wide} pixels wide")
    check(browser.run("[...document.querySelectorAll('table')].every((table) => getComputedStyle(table.querySelector('tbody tr') || table)"
                      ".display === 'block')"), f"{what} at 375 pixels: rows are not cards")
    check(browser.run("[...document.querySelectorAll('.scroll')].every((box) => box.tabIndex === 0 && box.getAttribute('role') === 'region' "
                      "&& box.getAttribute('aria-label'))"), f"{what}: a scrolling region cannot be reached by keyboard or has no label")
    if folder:
        browser.run("document.querySelectorAll('details.s').forEach((box) => { box.open = false; })")
        browser.picture(os.path.join(folder, "report-phone.png"), width=375, height=1500)


def hosts_of_changes(browser, path):
    """Checks that long remarks and digests next to them do not break the hosts of a comparison into many lines."""
    browser.open(path)
    browser.screen(1100)
    lines = browser.run("Math.max(...[...document.querySelectorAll('td[data-label=Host] > span')].map((e) => e.getClientRects().length))")
    check(lines <= 2, f"diff at 1100 pixels: a host takes {lines} lines")


def accessible(browser, pages):
    """Checks that axe-core finds no violation at 375 and 1280 pixels, in light and dark mode."""
    spec = importlib.util.find_spec("axe_playwright_python")
    if not spec:
        print("page: axe: skipped: the Python package axe-playwright-python is not installed")
        return
    with open(os.path.join(os.path.dirname(spec.origin), "axe.min.js"), encoding="utf-8") as file:
        axe = file.read()
    for what, path in pages.items():
        browser.open(path)
        browser.run("document.querySelectorAll('details.s').forEach((box, i) => { box.open = i < 3; })")
        browser.until("[...document.querySelectorAll('details.s[open]')].every((box) => box.querySelector('.body'))")
        browser.run("document.querySelectorAll('details.r').forEach((box) => { box.open = true; })")
        browser.run(axe + "; 0")
        passed = 0
        for width in (375, 1280):
            for dark in (False, True):
                browser.screen(width, dark)
                result = browser.run("axe.run(document).then((r) => ({passed: r.passes.length, violations: r.violations.map((v) => "
                                     "v.id + ' ' + v.nodes.length + ' ' + v.nodes[0].html.slice(0, 120))}))")
                passed = max(passed, result["passed"])
                for violation in result["violations"]:
                    faults.append(f"axe: {what} at {width} pixels{', dark' if dark else ''}: {violation}")
        check(passed > 15, f"axe: {what}: only {passed} rules applied")
        print(f"page: axe: {what}: {passed} rules passed")


def ten_thousand(browser, program, folder):
    """Checks a page of 10,000 sessions: saved sessions repeated with other times and hosts."""
    saved = os.path.join(folder, "saved.ndjson")
    page = os.path.join(folder, "many.html")
    lines = subprocess.run([program, "captures", "--format", "ndjson"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                           text=True, encoding="utf-8").stdout.splitlines()
    sessions = [json.loads(line) for line in lines if line.startswith('{"schema":"atscope.session/')]
    with open(saved, "w", encoding="utf-8") as file:
        file.write(lines[0] + "\n")
        for number in range(10_000):
            session = dict(sessions[number % len(sessions)])
            session["client"] = {"address": f"10.0.{number >> 8 & 255}.{number & 255}", "port": 50000}
            if session.get("serverName") and session["serverNameSource"] == "sni":
                name = f"host{number % 700}.example.com"
                session["serverName"] = name
                session["tls"] = {**session["tls"], "sni": name}
            session["start"] = f"2026-05-01T10:{number // 200 % 60:02}:{number % 60:02}.{number % 1000000:06}Z"
            file.write(json.dumps(session, ensure_ascii=False, separators=(",", ":")) + "\n")
    report(program, [saved], page)
    # The best of five, because other work on the machine slows some runs.
    seconds = min(browser.open(page) for _ in range(5))
    total = browser.run("sessions.length")
    check(total == 10_000, f"10,000 sessions: {total} on the page")
    nodes = browser.run("document.querySelectorAll('*').length")
    check(nodes < 10_000, f"10,000 sessions: {nodes} elements at once")
    check(seconds < 1, f"10,000 sessions: {seconds:.2f} s to open")
    filtering = browser.run("(() => { const t = performance.now(); filter.text = 'host7'; apply(); return performance.now() - t; })()")
    check(filtering < 1000, f"10,000 sessions: {filtering:.0f} ms to search")
    browser.run("byId('clear').click(); document.querySelector('#pager button:last-child').click()")
    check("page 2 of 100" in browser.run("byId('pager').textContent"), "10,000 sessions: the pager does not show page 2 of 100")
    no_requests(browser, page, "10,000 sessions")
    size = os.path.getsize(page) / 1e6
    print(f"page: 10,000 sessions: {size:.1f} MB, opened in {seconds:.2f} s, searched in {filtering:.0f} ms, {nodes} elements")


def other_pages(program, folder):
    """Writes a page with each command that supports HTML, and returns the paths by command."""
    pages = {what: os.path.join(folder, what + ".html") for what in ("audit", "sessions", "lint", "diff")}
    report(program, NINE, pages["audit"])
    settings = os.path.join(folder, "Info.plist")
    with open(settings, "wb") as file:
        plistlib.dump({"NSAppTransportSecurity": {"NSAllowsArbitraryLoads": True, "NSExceptionDomains": {
            "https://a.example": {"NSExceptionAllowsInsecureHTTPLoads": True}, "b.example": {"NSExceptionMinimumTLSVersion": "TLSv1.9"}}}}, file)
    for command in (["sessions", *NINE], ["lint", settings], ["diff", NINE[1], NINE[0]]):
        subprocess.run([program, *command, "--format", "html", "-o", pages[command[0]]], stderr=subprocess.DEVNULL)
        if not os.path.exists(pages[command[0]]):
            sys.exit(f"page: atscope {' '.join(command)} wrote no page")
    return pages


def main():
    arguments = [word for word in sys.argv[1:] if word != "--pictures"]
    if len(arguments) != (2 if "--pictures" in sys.argv else 1):
        sys.exit(__doc__)
    program = os.path.abspath(arguments[0])
    pictures = os.path.abspath(arguments[1]) if len(arguments) > 1 else None
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") \
        or shutil.which("google-chrome")
    if not chromium:
        sys.exit("page: Chromium is not installed")
    os.chdir(ROOT)
    if pictures:
        os.makedirs(pictures, exist_ok=True)
    browser = Browser(chromium)
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "report.html")
        report(program, ["captures/variants/hosts/several-hosts.pcap"], page)
        several_hosts(browser, page, pictures)
        report(program, ["captures/variants/hosts/hostile-names.pcap"], page)
        hostile_names(browser, page, pictures)
        ten_thousand(browser, program, folder)
        pages = other_pages(program, folder)
        paper(browser, pages["audit"], pictures)
        first_things(browser, pages["audit"], pictures)
        sorting(browser, pages["audit"])
        hosts_of_changes(browser, pages["diff"])
        for what, path in pages.items():
            narrow(browser, path, pictures if what == "audit" else None, what)
        accessible(browser, pages)
        browser.close()
    for line in faults:
        print("page: " + line)
    print(f"page: {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

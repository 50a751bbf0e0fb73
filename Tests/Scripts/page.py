#!/usr/bin/env python3
"""Opens the HTML report in a headless Chromium that has no network, uses it as people do, and takes pictures of it.

  page.py ATSCOPE [--pictures FOLDER]

Shown is: nothing is asked for but the file itself, no script but the page's runs, names from a capture are text; filters, search, keys and
printing work; every control has a name for screen readers; 10,000 sessions can be used. Needs Chromium (CHROMIUM names another program).
"""
import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
FLAGS = ["--headless", "--force-prefers-reduced-motion", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-default-apps", "--host-resolver-rules=MAP * ~NOTFOUND",
         "--remote-debugging-pipe"]
faults = []


def check(condition, what):
    if not condition:
        faults.append(what)


class Browser:
    """Chromium, spoken to through pipes."""

    def __init__(self, program):
        self.folder = tempfile.mkdtemp()
        to_browser, self.writing = os.pipe()
        self.reading, from_browser = os.pipe()

        def place():
            # The browser reads from 3 and writes to 4, whatever numbers the pipes have here.
            reading, writing = os.dup(to_browser), os.dup(from_browser)
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        self.process = subprocess.Popen(
            [program, *FLAGS, "--user-data-dir=" + self.folder, "about:blank"], preexec_fn=place, close_fds=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.number, self.pending, self.events, self.session = 0, b"", [], None

    def receive(self, until):
        while b"\0" not in self.pending:
            ready, _, _ = select.select([self.reading], [], [], max(0, until - time.monotonic()))
            if not ready:
                return None
            data = os.read(self.reading, 1 << 20)
            if not data:
                sys.exit("page: the browser ended")
            self.pending += data
        message, _, self.pending = self.pending.partition(b"\0")
        return json.loads(message)

    def call(self, method, timeout=60, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.writing, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + timeout
        while True:
            answer = self.receive(until)
            if answer is None:
                sys.exit(f"page: {method}: no answer")
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"page: {method}: {answer['error']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def wait(self, method, timeout=60):
        until = time.monotonic() + timeout
        while not any(event["method"] == method for event in self.events):
            answer = self.receive(until)
            if answer is None:
                sys.exit(f"page: no {method}")
            if "method" in answer:
                self.events.append(answer)

    def open(self, path):
        """Opens a file in a page of its own; returns the seconds it took."""
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log", "Accessibility"):
            self.call(domain + ".enable")
        self.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
        self.events.clear()
        begin = time.monotonic()
        self.call("Page.navigate", url="file://" + path)
        self.wait("Page.loadEventFired")
        return time.monotonic() - begin

    def run(self, script):
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            sys.exit(f"page: {script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def until(self, condition, seconds=20):
        """Waits until a condition holds in the page, which a busy machine may take long to draw; false where it never does."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.run(condition):
                return True
            time.sleep(0.05)
        return False

    def press(self, key, code=None, text=None):
        for kind in ("keyDown", "keyUp"):
            extra = {"text": text} if text and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key,
                      windowsVirtualKeyCode={"Enter": 13, "Tab": 9, "ArrowRight": 39, "End": 35}.get(key, 0), **extra)

    def picture(self, path, width=1180, height=None, dark=False):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)
        full = int(self.run("document.documentElement.scrollHeight"))
        size = {"x": 0, "y": 0, "width": width, "height": min(height or full, full), "scale": 1}
        data = self.call("Page.captureScreenshot", format="png", clip=size, captureBeyondViewport=True)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
        self.call("Emulation.clearDeviceMetricsOverride")

    def complaints(self, path):
        """What was asked for besides the page, and what went wrong in it."""
        found = []
        for event in self.events:
            method, parameters = event["method"], event["params"]
            if method == "Network.requestWillBeSent" and parameters["request"]["url"] != "file://" + path:
                found.append("asks for " + parameters["request"]["url"])
            elif method in ("Runtime.exceptionThrown", "Page.javascriptDialogOpening"):
                found.append(f"{method}: {json.dumps(parameters)[:300]}")
            elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                found.append(parameters["entry"]["text"])
            elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning"):
                found.append(json.dumps(parameters["args"])[:300])
        return found

    def close(self):
        self.session = None
        self.call("Browser.close")
        self.process.wait(timeout=20)
        shutil.rmtree(self.folder, ignore_errors=True)


def report(program, arguments, path):
    # The captures' own authority is taken for the system's, so that pages and pictures do not depend on the machine.
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
    if folder:
        browser.picture(os.path.join(folder, "report.png"), height=1150)
        browser.picture(os.path.join(folder, "report-dark.png"), height=1150, dark=True)
    # By keys alone: the first session is opened with Enter.
    browser.run("document.querySelector('details.s summary').focus()")
    browser.press("Enter", text="\r")
    check(browser.until("document.querySelector('details.s .body') !== null"), "keys: Enter does not open a session")
    shown = browser.run("document.querySelector('details.s .body').textContent")
    for words in ("Rules", "Certificates", "Evidence", "Raw record", "frame"):
        check(words in shown, f"a session in full lacks {words}")
    check("[object" not in shown, "a session in full is not put together")
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
    check(failing == browser.run("sessions.filter((s) => s.verdict === 'fail').length"), "the filter of verdicts")
    browser.run("byId('clear').click()")
    browser.run("byId('search').value = 'legacy'; byId('search').dispatchEvent(new Event('input'))")
    check(browser.until("document.querySelectorAll('details.s').length === 1"), "the search")
    check("1 of 7 sessions" in browser.run("byId('count').textContent"), "the count is not told")
    browser.run("byId('clear').click()")
    browser.run("document.querySelector('#bins button').focus()")
    browser.press("End")
    check(browser.run("document.activeElement === bins[59].button"), "keys: End does not move in the time line")
    # Names for screen readers.
    for node in browser.call("Accessibility.getFullAXTree")["nodes"]:
        role = node.get("role", {}).get("value")
        if not node.get("ignored") and role in ("button", "textbox", "searchbox", "combobox", "DisclosureTriangle"):
            check(node.get("name", {}).get("value", "").strip(), f"a {role} has no name")
    pdf = base64.b64decode(browser.call("Page.printToPDF")["data"])
    check(pdf.startswith(b"%PDF") and len(pdf) > 20_000, "printing")
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
    made = browser.run("document.querySelectorAll('img, iframe, object, embed, link, a[href^=http], script[src], svg').length")
    check(made == 0, "hostile names: a name became an element")
    check(browser.run("document.scripts.length") == 6, "hostile names: another number of scripts")
    # Even a script that got in would not run.
    browser.run("const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s)")
    check(browser.run("window.ran") is None, "a script that is not the page's runs")
    browser.events = [e for e in browser.events if "Content Security Policy" not in json.dumps(e)]
    no_requests(browser, path, "hostile names")
    if folder:
        browser.run("document.querySelectorAll('details').forEach((box) => { box.open = false; })")
        browser.picture(os.path.join(folder, "report-hostile-names.png"), height=1150)


def ten_thousand(browser, program, folder):
    """A page of 10,000 sessions, made of saved sessions told over and over at other times with other hosts."""
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
    seconds = browser.open(page)
    total = browser.run("sessions.length")
    check(total == 10_000, f"10,000 sessions: {total} are there")
    nodes = browser.run("document.querySelectorAll('*').length")
    check(nodes < 10_000, f"10,000 sessions: {nodes} elements at once")
    check(seconds < 15, f"10,000 sessions: {seconds:.1f} s to open")
    filtering = browser.run("(() => { const t = performance.now(); filter.text = 'host7'; apply(); return performance.now() - t; })()")
    check(filtering < 1000, f"10,000 sessions: {filtering:.0f} ms to search")
    browser.run("byId('clear').click(); document.querySelector('#pager button:last-child').click()")
    check("page 2 of 100" in browser.run("byId('pager').textContent"), "10,000 sessions: the pager")
    no_requests(browser, page, "10,000 sessions")
    size = os.path.getsize(page) / 1e6
    print(f"page: 10,000 sessions: {size:.1f} MB, opened in {seconds:.1f} s, searched in {filtering:.0f} ms, {nodes} elements")


def main():
    arguments = [word for word in sys.argv[1:] if word != "--pictures"]
    if len(arguments) != (2 if "--pictures" in sys.argv else 1):
        sys.exit(__doc__)
    program = os.path.abspath(arguments[0])
    pictures = os.path.abspath(arguments[1]) if len(arguments) > 1 else None
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") \
        or shutil.which("google-chrome")
    if not chromium:
        sys.exit("page: there is no Chromium here")
    os.chdir(ROOT)
    if pictures:
        os.makedirs(pictures, exist_ok=True)
    browser = Browser(chromium)
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "report.html")
        report(program, ["captures/variants/several-hosts.pcap"], page)
        several_hosts(browser, page, pictures)
        report(program, ["captures/variants/hostile-names.pcap"], page)
        hostile_names(browser, page, pictures)
        ten_thousand(browser, program, folder)
        browser.close()
    for line in faults:
        print("page: " + line)
    print(f"page: {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

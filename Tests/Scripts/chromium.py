"""A headless Chromium without network access, controlled by the Chrome DevTools Protocol on pipes."""
import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

FLAGS = ["--headless", "--force-prefers-reduced-motion", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-default-apps", "--host-resolver-rules=MAP * ~NOTFOUND",
         "--remote-debugging-pipe"]


class Browser:
    """A running Chromium, controlled by the Chrome DevTools Protocol on pipes."""

    def __init__(self, program):
        self.folder = tempfile.mkdtemp()
        to_browser, self.writing = os.pipe()
        self.reading, from_browser = os.pipe()

        def place():
            # With --remote-debugging-pipe, the browser reads from descriptor 3 and writes to 4.
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
                sys.exit("page: the browser exited")
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
                sys.exit(f"page: {method}: no response")
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
                sys.exit(f"page: no event {method}")
            if "method" in answer:
                self.events.append(answer)

    def open(self, path):
        """Opens a file in a new page; returns the seconds until it was loaded."""
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
        """Waits until a condition holds in the page, which a busy machine may render slowly; returns False after the time limit."""
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
        self.screen(width, dark)
        full = int(self.run("document.documentElement.scrollHeight"))
        size = {"x": 0, "y": 0, "width": width, "height": min(height or full, full), "scale": 1}
        data = self.call("Page.captureScreenshot", format="png", clip=size, captureBeyondViewport=True)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
        self.call("Emulation.clearDeviceMetricsOverride")

    def screen(self, width, dark=False, height=800):
        """Emulates a screen of a given size, with the light or the dark color scheme."""
        self.call("Emulation.setEmulatedMedia", media="", features=[{"name": "prefers-color-scheme",
                                                                     "value": "dark" if dark else "light"}])
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def pdf(self):
        """Returns the page as a PDF on A4."""
        return base64.b64decode(self.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69)["data"])

    def complaints(self, path):
        """Lists the requests for anything but the page itself, and the exceptions, dialogs, errors and warnings of the page."""
        found = []
        for event in self.events:
            method, parameters = event["method"], event["params"]
            if method == "Network.requestWillBeSent" and parameters["request"]["url"] != "file://" + path:
                found.append("requests " + parameters["request"]["url"])
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

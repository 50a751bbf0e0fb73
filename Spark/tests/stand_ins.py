"""A replacement for the program that crashes, hangs, or writes much output, and checks for processes that it leaves."""
from __future__ import annotations

import shutil
import sys
from pathlib import Path

import psutil
from conftest import PROGRAM, ROOT

STAND_IN = """#!{python}
import json, os, signal, subprocess, sys, time
REAL = {program!r}
if "--files-from=-" not in sys.argv:
    os.execv(REAL, [REAL, *sys.argv[1:]])
entries = [json.loads(line) for line in sys.stdin.buffer]
bad = next((e for e in entries if any(word in os.path.basename(e["name"]) for word in ("crash", "hang", "flood"))), None)
good = entries[:entries.index(bad)] if bad else entries
good = [e for e in good if not bad or e["unit"] != bad["unit"]]
time.sleep({pause})
subprocess.run([REAL, *sys.argv[1:]], input="".join(json.dumps(e) + chr(10) for e in good).encode(), stderr=subprocess.DEVNULL)
if bad and "crash" in os.path.basename(bad["name"]):
    sys.stderr.write("about to crash")
    sys.stderr.flush()
    os.kill(os.getpid(), signal.SIGSEGV)
if bad and "hang" in os.path.basename(bad["name"]):
    # A child in the same process group, which has to be killed too.
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", {marker!r}])
    time.sleep(600)
if bad:
    line = '{{"schema":"atscope.session/1","id":"00","capture":{{"file":"x"}},"pad":"' + "x" * 100000 + '"}}' + chr(10)
    print('{{"schema":"atscope.run/1"}}')
    for _ in range(2000):
        sys.stdout.write(line)
    print('{{"schema":"atscope.summary/1"}}')
"""


def stand_in(folder: Path, pause: float = 0) -> str:
    """Writes a program that crashes, hangs or floods its output if the name of an input contains such a word. Returns its path."""
    path = folder / "stand-in"
    path.write_text(STAND_IN.format(python=sys.executable, program=PROGRAM, marker=str(path), pause=pause))
    path.chmod(0o755)
    return str(path)


def left_over(program: str) -> list[psutil.Process]:
    """Returns the running processes of a stand-in and those that it started."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        if process.info["status"] != psutil.STATUS_ZOMBIE and program in " ".join(process.info["cmdline"] or []):
            found.append(process)
    return found


def spoiled(folder: Path, *names: str) -> Path:
    """Makes a folder of captures, with further copies under the given names, at which a stand-in fails."""
    source = folder / "captures"
    source.mkdir()
    for name in ("a.pcap", "b.pcap", "y.pcap", "z.pcap", *names):
        shutil.copy(ROOT / "captures/tls12/ecdhe-rsa-gcm.pcap", source / name)
    return source

#!/usr/bin/env python3
"""Checks the outputs of atscope: files, links, closed streams, names that are not UTF-8, signals, and commands to CI systems.

  outputs.py ATSCOPE
"""
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
CAPTURE = os.path.join(ROOT, "captures/tls12/ecdhe-rsa-gcm.pcap")
HIDDEN = os.path.join(ROOT, "captures/tls13/x25519.pcap")


class Check:
    """Runs the program in a scratch folder and records failed expectations."""

    def __init__(self, program):
        self.program = os.path.abspath(program)
        self.checked = 0
        self.complaints = []

    def run(self, *arguments, **more):
        return subprocess.run([self.program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)

    def expect(self, what, condition, detail=b""):
        self.checked += 1
        if not condition:
            self.complaints.append(f"{what} {detail!r}")


def content(path):
    with open(path, "rb") as file:
        return file.read()


def replacing(check):
    """Checks that an output never replaces an input, keeps the mode of the file it replaces, and follows links."""
    shutil.copy(CAPTURE, "own.pcap")
    before = content("own.pcap")
    os.mkdir("folder")
    shutil.copy(CAPTURE, "folder/a.pcap")
    for arguments, output in [(["own.pcap"], "own.pcap"), (["folder"], "folder/a.pcap"), (["."], "folder/a.pcap"),
                              (["own.pcap", "folder/"], "folder/a.pcap")]:
        done = check.run("audit", *arguments, "-o", output)
        check.expect(f"{output} is an input of {arguments}", done.returncode == 64 and content(output) == before, done.stderr)
    os.mkdir("chains")
    for name in ["chains/host.pem", "chains/index.json", ".atscope.json"]:
        with open(name, "w", encoding="utf-8") as file:
            file.write("{}")
        done = check.run("audit", "own.pcap", "--chain", "chains", "-o", name)
        check.expect(f"{name} is an input", done.returncode == 64 and content(name) == b"{}", done.stderr)
    with open("base.json", "w", encoding="utf-8") as kept, open(".atscope.json", "w", encoding="utf-8") as project:
        kept.write("{}")
        project.write('{"baseline": "base.json"}')
    done = check.run("diff", "own.pcap", "-o", "base.json")
    check.expect("the baseline of the project file is an input", done.returncode == 64 and content("base.json") == b"{}", done.stderr)
    os.remove(".atscope.json")
    with open("own.pcap", "rb") as source:
        done = check.run("audit", "-", "-o", "own.pcap", stdin=source)
    check.expect("the file that is standard input is an input", done.returncode == 64 and content("own.pcap") == before, done.stderr)
    for _ in range(2):
        done = check.run("audit", "folder", "-o", "folder/report.txt")
        check.expect("a report below an input folder is replaced", done.returncode in (0, 1) and content("folder/report.txt"), done.stderr)
    with open("old.txt", "w"):
        pass
    os.chmod("old.txt", 0o640)
    os.symlink("old.txt", "link.txt")
    os.symlink("nowhere.txt", "dangling.txt")
    done = check.run("audit", "own.pcap", "-o", "link.txt")
    check.expect("a link is followed", os.path.islink("link.txt") and content("old.txt"), done.stderr)
    check.expect("the mode is kept", stat.S_IMODE(os.stat("old.txt").st_mode) == 0o640)
    done = check.run("audit", "own.pcap", "-o", "dangling.txt")
    check.expect("a dangling link is refused", done.returncode == 2 and b"link" in done.stderr, done.stderr)
    check.expect("no temporary file is left", not [name for name in os.listdir(".") if name.startswith(".atscope")])


def closed(check):
    """Checks that files do not get standard descriptors that the caller closed, and that an unusable stream gives status 2."""
    expected = content_of_report(check)
    for closed_ones in [(0,), (1,), (2,), (0, 1), (0, 1, 2)]:
        def close():
            for descriptor in closed_ones:
                os.close(descriptor)
        done = subprocess.run([check.program, "audit", "own.pcap", "-o", "out.txt", "--report", "csv=out.csv"],
                              preexec_fn=close)
        check.expect(f"closed {closed_ones}", done.returncode in (0, 1) and content("out.txt") == expected)
    done = subprocess.run([check.program, "audit", "own.pcap"], preexec_fn=lambda: os.close(1), stderr=subprocess.PIPE)
    check.expect("a report that cannot be written gives status 2", done.returncode == 2, done.stderr)
    done = subprocess.run([check.program, "audit", "-"], preexec_fn=lambda: os.close(0), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    check.expect("an input that cannot be read gives status 2", done.returncode == 2, done.stderr)


def content_of_report(check):
    check.run("audit", "own.pcap", "-o", "expected.txt")
    return content("expected.txt")


def names(check):
    """Checks that names that are not UTF-8, or of the maximum length, are read, written and distinguished."""
    for name in [b"a\xff.pcap", b"a\xfe.pcap", b"\xf4\x8f\xbf\xbf.pcap"]:
        shutil.copy(CAPTURE, name)
    done = check.run("audit", "--format", "csv", b"a\xff.pcap", b"a\xfe.pcap", b"\xf4\x8f\xbf\xbf.pcap")
    for shown in [b"a\\xff.pcap", b"a\\xfe.pcap", b"\\xf4\\x8f\\xbf\\xbf.pcap"]:
        check.expect("named inputs are distinguished", shown in done.stdout, done.stdout[:300] + done.stderr)
    done = check.run("audit", "--format", "csv", ".")
    check.expect("found inputs are distinguished", b"a\\xff.pcap" in done.stdout and b"a\\xfe.pcap" in done.stdout, done.stderr)
    long = b"l" * 251 + b".txt"
    for output in [b"out\xff.txt", long]:
        done = check.run("audit", "own.pcap", "-o", output)
        check.expect(f"{output[:20]!r} is written", os.path.exists(output), done.stderr)


def usage(check):
    """Checks that a usage error shows no control or bidirectional characters of the arguments that it repeats."""
    for argument in [b"--\x1b[2Jx", b"--os=\x1b]0;x\x07", b"--os=a\nb", b"--format=\xe2\x80\xae"]:
        done = check.run("audit", argument, "own.pcap")
        check.expect(f"usage error of {argument!r}", done.returncode == 64 and b"\x1b" not in done.stderr
                     and b"\xe2\x80\xae" not in done.stderr and b"a\nb" not in done.stderr, done.stderr)


def sandbox(check):
    """Checks that a file put in place of an input after the program entered its sandbox is not read."""
    if b"Landlock" not in check.run("--version").stdout:
        print("outputs: sandbox skipped: Landlock is not available")
        return
    with tempfile.TemporaryDirectory() as folder:
        pipe, link, secret = (os.path.join(folder, name) for name in ["pipe", "link.pcap", "secret.pcap"])
        os.mkfifo(pipe)
        shutil.copy(CAPTURE, secret)
        shutil.copy(CAPTURE, os.path.join(folder, "first.pcap"))
        os.symlink("first.pcap", link)
        with subprocess.Popen([check.program, "--format", "json", pipe, link], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            with open(pipe, "wb") as writer, open(CAPTURE, "rb") as capture:
                # The pipe opens only after the program opened it too, and the program enters its sandbox before that.
                os.remove(link)
                os.symlink("secret.pcap", link)
                writer.write(capture.read())
            output, errors = run.communicate()
        check.expect("another file is not read", run.returncode == 2 and b"permission denied" in errors, errors)
        check.expect("the input before it is read", len(json.loads(output)["sessions"]) == 1, output)


def signals(check):
    """Checks that a run ended by a signal leaves no file."""
    if not hasattr(os, "mkfifo"):
        return
    os.mkfifo("pipe")
    for number in [signal.SIGKILL, signal.SIGHUP]:
        run = subprocess.Popen([check.program, "audit", "pipe", "-o", "never.txt"], stderr=subprocess.DEVNULL,
                               preexec_fn=lambda: signal.signal(number, signal.SIG_DFL) if number != signal.SIGKILL else None)
        with open("pipe", "wb") as feed:
            feed.write(content("own.pcap")[:100])
            feed.flush()
            time.sleep(0.2)
            run.send_signal(number)
            run.wait()
        left = [name for name in os.listdir(".") if "never" in name or name.startswith(".atscope")]
        check.expect(f"signal {number} leaves nothing", not left, left)


ACTION = os.path.join(ROOT, "Packaging/action/audit.sh")


def workflow_commands(check):
    """Checks that text from a capture runs no workflow command in GitHub Actions: it is printed while `stop-commands` is in effect."""
    os.mkdir("bin")
    with open("bin/atscope", "w", encoding="utf-8") as stand_in:
        stand_in.write("#!/bin/sh\nfor last; do case $last in *=*.md|*.txt) printf '::error::x\\n##[error]x\\n' >\"${last#*=}\";; esac; done\n"
                       "echo '::set-env name=A::b'; echo '::error::y' >&2; exit 1\n")
    os.chmod("bin/atscope", 0o755)
    environment = dict(os.environ, PATH=os.path.abspath("bin") + ":" + os.environ["PATH"], CAPTURES="own.pcap",
                       ARGUMENTS="", BASELINE="baseline.json", MIN_SESSIONS="1", GITHUB_STEP_SUMMARY="summary.md")
    done = subprocess.run(["bash", ACTION], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lines = done.stdout.decode().splitlines()
    stopped = None
    for line in lines:
        started = re.match(r"::stop-commands::([0-9a-f]{32})$", line)
        if started:
            stopped = started.group(1)
        elif stopped and line == f"::{stopped}::":
            stopped = None
        else:
            check.expect("a captured line runs no command", stopped or not re.search(r"^\s*::|##\[", line), line)
    check.expect("commands are allowed again", stopped is None)
    check.expect("the job's status is that of the comparison", done.returncode == 1, done.stdout)
    done = subprocess.run(["bash", ACTION], env=environment | {"CAPTURES": "own.pcap other.pcap"}, capture_output=True)
    check.expect("a baseline takes one capture", done.returncode == 64 and b"not 2" in done.stderr, done.stderr)
    with open("bin/atscope", "w", encoding="utf-8") as stand_in:
        stand_in.write("#!/bin/sh\n[ $1 = diff ] && exit 1\nexit 2\n")
    done = subprocess.run(["bash", ACTION], env=environment, capture_output=True)
    check.expect("an unreadable input is more than a regression", done.returncode == 2, done.stderr)
    check.expect("no report of an earlier job is left", not os.path.exists("atscope-diff.md"))


def at_terminal(check, *arguments):
    """Returns what a terminal shows of a run."""
    terminal, inside = os.openpty()
    subprocess.run([check.program, *arguments], stdout=inside, stderr=inside, check=False)
    os.close(inside)
    shown = b""
    try:
        while piece := os.read(terminal, 65536):
            shown += piece
    except OSError:
        pass
    os.close(terminal)
    return shown


def faults(check):
    """Checks that an unreadable input is reported once, and that nothing else is reported if it is the only input."""
    message = b"atscope: nosuch.pcap: no such file or directory; no session was judged"
    with open("ignored.plist", "w", encoding="utf-8") as file:
        file.write("<plist><dict><key>NSAppTransportSecurity</key><dict><key>NSNoKey</key><true/></dict></dict></plist>")
    shown = at_terminal(check, "--info-plist", "ignored.plist", CAPTURE)
    check.expect("a terminal shows an ignored setting once", shown.count(b"NSNoKey") == 1, shown)
    with open("address.plist", "w", encoding="utf-8") as file:
        file.write("<plist><dict><key>NSAppTransportSecurity</key><dict><key>NSExceptionDomains</key><dict><key>192.0.2.1</key><dict/>"
                   "</dict></dict></dict></plist>")
    shown = at_terminal(check, "--info-plist", "address.plist", "--os", "ios16", CAPTURE)
    check.expect("a terminal shows an entry that is not read once", shown.count(b"192.0.2.1:") == 1, shown)
    done = check.run("--info-plist", "ignored.plist", CAPTURE)
    check.expect("both streams name an ignored setting", b"NSNoKey" in done.stdout and b"NSNoKey" in done.stderr, done.stderr)
    shown = at_terminal(check, "nosuch.pcap")
    check.expect("a terminal shows a fault once", shown.count(b"no such file") == 1, shown)
    check.expect("an unreadable input has one line", shown.replace(b"\r\x1b[K", b"").splitlines() == [message], shown)
    done = check.run("nosuch.pcap")
    check.expect("only standard error names the fault", done.stdout == b"" and done.stderr.splitlines() == [message], done.stderr)
    done = check.run("nosuch.pcap", CAPTURE)
    check.expect("both streams name a fault among others", b"no such file" in done.stdout and b"no such file" in done.stderr, done.stderr)
    done = check.run("show", "--frame", "1", CAPTURE, "--host", "other.example")
    check.expect("a session that is not selected is not denied", b"that --host selects" in done.stderr, done.stderr)
    for identifier in ["--frame=99999", "0000"]:
        with open("kept.txt", "wb") as file:
            file.write(b"precious")
        done = check.run("show", identifier, CAPTURE, "-o", "kept.txt")
        check.expect("a session that is not found replaces nothing", done.returncode == 1 and content("kept.txt") == b"precious", done.stderr)
    shutil.copy(HIDDEN, "hidden.pcap")
    with open("list", "w", encoding="utf-8") as file:
        file.write("hidden.pcap\n")
    shutil.copy(HIDDEN, "named.pcap")
    for named in [], ["named.pcap"]:
        done = check.run("certificates", "--missing", *named, "--files-from", "list")
        command = f"certificates --missing --script {' '.join([*named, 'hidden.pcap'])} > ".encode()
        check.expect("the commands for hidden chains name listed inputs", command in done.stdout, done.stdout)
    with open("empty.plist", "w", encoding="utf-8") as file:
        file.write('<plist version="1.0"><dict/></plist>')
    chain = ["chain", os.path.join(ROOT, "captures/anchors/example-ca.pem"), "--host", "a.example", "--at", "2026-12-01T00:00:00Z"]
    for command in ["policy", "a.example"], chain:
        done = check.run(*command, "--info-plist", "A=empty.plist", "--info-plist", "B=empty.plist")
        check.expect("the first of several settings is named", b"the settings for A apply" in done.stderr, done.stderr)
    with open("saved.ndjson", "wb") as file:
        file.write(check.run("--format", "ndjson", CAPTURE).stdout)
    with open("kept.pcapng", "wb") as file:
        file.write(b"precious")
    done = check.run("extract", "saved.ndjson", "-o", "kept.pcapng")
    check.expect("an extract without packets replaces nothing", done.returncode == 2 and content("kept.pcapng") == b"precious", done.stderr)
    for arguments in [["--version"], ["diff", "--help"]] if os.path.exists("/dev/full") else []:
        with open("/dev/full", "wb") as full:
            done = subprocess.run([check.program, *arguments], stdout=full, stderr=subprocess.PIPE)
        check.expect(f"{arguments} on a full disk give status 2", done.returncode == 2, done.stderr)
    done = check.run("--format", "ndjson", "nosuch.pcap")
    check.expect("records of an unreadable input are complete",
        [json.loads(line)["schema"] for line in done.stdout.splitlines()] == ["atscope.run/1", "atscope.summary/1"], done.stdout)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    check = Check(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        for step in [replacing, faults, closed, names, usage, sandbox, signals, workflow_commands]:
            step(check)
        os.chdir(ROOT)
    for complaint in check.complaints:
        print("outputs: " + complaint)
    print(f"outputs: {check.checked} checks, {len(check.complaints)} complaints")
    return 1 if check.complaints else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs commands other than a plain audit, validates the JSON that they write and checks their exit status.

  forms.py ATSCOPE      requires the Python package jsonschema, for validate.py
"""
import glob
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import validate

ROOT = pathlib.Path(__file__).resolve().parents[2]


def other(folder, start):
    path = os.path.join(folder, f"other-{len(os.listdir(folder))}.json")
    pathlib.Path(path).write_text(start + "\n")
    return path


def project(program, folder, capture):
    """Checks that a project file in the working directory is used and reported, that --no-config ignores it, and that a FIFO with its name
    is not read; returns the number of faults."""
    capture = os.path.abspath(capture)
    root = os.path.join(folder, "project")
    os.mkdir(root)
    file = pathlib.Path(root, ".atscope.json")
    faults = 0

    def run(arguments, told, recorded):
        result = subprocess.run([os.path.abspath(program), *arguments, "--format", "ndjson", capture], cwd=root, timeout=60,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        record = json.loads(result.stdout.splitlines()[0])
        if (told in result.stderr.decode()) is False or record.get("project") != recorded or record["options"]["os"] != (
                "ios18" if recorded else newest):
            print(f"forms: project file with {arguments}: {result.stderr.decode()} {record.get('project')}")
            return 1
        return 0

    newest = json.loads(subprocess.run([program, "audit", "--format", "ndjson", capture], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL).stdout.splitlines()[0])["options"]["os"]
    file.write_text('{"os": "ios18"}')
    named = {"file": ".atscope.json", "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
    faults += run([], "using .atscope.json in the working directory", named)
    faults += run(["--no-config"], "", None)
    file.unlink()
    os.mkfifo(file)
    faults += run([], "not a regular file", None)
    return faults


def replacing(folder, capture, plist):
    """Returns commands whose output would replace one of their inputs, by its path or through a symbolic link, with the exit status."""
    copy = os.path.join(folder, "copy.pcap")
    shutil.copyfile(capture, copy)
    settings = os.path.join(folder, "copy.plist")
    shutil.copyfile(plist, settings)
    name = os.path.join(folder, "name.pcap")
    os.symlink("copy.pcap", name)
    return [(arguments, 64) for arguments in (
        ["audit", copy, "-o", name], ["audit", copy, "--report", f"html={name}"], ["extract", copy, "-o", copy],
        ["audit", copy, "--info-plist", f"A={settings}", "-o", settings], ["sessions", name, "-o", copy],
        ["lint", settings, "-o", settings], ["recommend", copy, "-o", copy], ["diagnose", copy, "-o", copy],
        ["diff", copy, copy, "--write-baseline", copy], ["diff", copy, capture, "--write-baseline", copy],
        ["chain", copy, "--host", "a.example", "--at", "2026-05-01T00:00:00Z", "-o", copy],
        ["policy", "a.example", "--info-plist", settings, "-o", settings])]


def main(program):
    program = os.path.abspath(program)
    os.chdir(ROOT)
    captures = sorted(glob.glob("captures/**/*.pcap*", recursive=True))
    # The variants include damaged captures.
    captures = [p for p in captures if not p.endswith(".json") and "/variants/" not in p]
    plist = "docs/examples/Info.plist"
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        broken = os.path.join(folder, "broken.plist")
        pathlib.Path(broken).write_text("<plist><dict><key>a</key></plist>")
        loose = os.path.join(folder, "loose.plist")
        keys = "<key>NSAppTransportSecurity</key><dict><key>NSAllowsArbitraryLoads</key><true/></dict>"
        pathlib.Path(loose).write_text(f'<plist version="1.0"><dict>{keys}</dict></plist>')
        chain = ["chain", "captures/anchors/example-ca.pem", "--host", "a.example", "--at", "2026-12-01T00:00:00Z"]
        nested = os.path.join(folder, "nested.plist")
        pathlib.Path(nested).write_text("<plist>" + "<array>" * 100_000)
        cases = [
            (["lint", "--format", "json", plist], 1),
            (["lint", "--format", "json", broken, nested, plist], 2),
            (["lint", "--format", "ndjson", broken, plist], 2),
            *[(["lint", "--format", form, plist], 1) for form in ("text", "csv", "html", "sarif", "junit", "markdown")],
            (["lint"], 64),
            (["explain", "--format", "json"], 0),
            (["explain", "--format", "json", "-9802"], 0),
            (["explain", "-1022"], 0),
            (["explain", "--format", "json", "LINT-ALIAS"], 0),
            (["explain", "ATS-NOTHING"], 64),
            (["certificates", "--missing", "--format", "json", *captures], 0),
            (["certificates", "--script", captures[0]], 64),
            (["certificates", captures[0], "--format", "plist", "-o", os.path.join(folder, "pins.plist")], 64),
            (["certificates", captures[0], "-o", "-"], 64),
            (["policy", "--format", "json", "example.com", "192.168.1.4", "::1", "--info-plist", plist], 0),
            (["policy", "example.com", "--info-plist", broken], 2),
            (["policy", "example.com", "--info-plist", plist, "--info-plist", plist], 64),
            (["policy", "https://example.com"], 64),
            (["policy", "*.example.com"], 64),
            (["policy", "a..b"], 64),
            (["policy", "."], 64),
            (["policy", "example.com."], 0),
            (chain, 1),
            ([*chain, "--info-plist", loose], 0),
            ([*chain, "--info-plist", f"App={loose}"], 0),
            ([*chain, "--chain", "captures/anchors/example-ca.pem"], 64),
            (["recommend", "--format", "json", *captures], 0),
            (["recommend", "--format", "json", "--info-plist", plist, *captures], 0),
            (["recommend", "--format", "json", "--info-plist", plist, "--info-plist", f"ExampleApp={loose}", *captures,
              "captures/variants/process/pktap.pcap"], 0),
            (["recommend", "--info-plist", nested, *captures], 2),
            (["diagnose", "--format", "json", "--more-rows", *captures], 0),
            (["diagnose", "nowhere.pcap"], 2),
            (["audit", captures[0], "--host", ""], 64),
            # Other JSON files that atscope writes are not saved sessions, and an output must not replace an input.
            *[(["sessions", other(folder, start)], 2) for start in (
                '{"run":{', '{"schema":"atscope.baseline/1",', '{"schema":"atscope.policy/1","host":"a.example"}')],
            *replacing(folder, captures[0], plist),
        ]
        faults += project(program, folder, captures[0])
        files = []
        for number, (arguments, status) in enumerate(cases):
            result = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if result.returncode != status:
                faults += 1
                print(f"forms: {' '.join(arguments)[:100]}: exit status {result.returncode}, expected {status}")
            if "json" in arguments or "ndjson" in arguments:
                files.append(os.path.join(folder, f"{number}.json"))
                pathlib.Path(files[-1]).write_bytes(result.stdout)
        faults += validate.main(files)
    print(f"forms: {len(cases)} commands, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))

#!/usr/bin/env python3
"""Records the project's own captures: real servers and clients on a private loopback.

    record.py              records everything again, under a new certificate authority
    record.py NAME...      records these (a group such as `tls` selects all its captures)
    record.py --list       lists every capture and what it shows
    record.py --readme     writes the README.md of every folder
    record.py --verify     checks the captures against the table, with tshark
    record.py --facts      prints what tshark sees in them

Requires Linux and root, and lists the commands that are missing. All traffic stays on a private loopback of this
machine. Run `derive.py` afterwards to make the variants again.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from recording import application_scenarios, certificate_scenarios, chromium_scenarios  # noqa: E402
from recording import ech_scenarios, facts, ftp_scenarios, gnutls_scenarios, protocol_scenarios  # noqa: E402
from recording import quic_scenarios, readme, refusal_scenarios, stage  # noqa: E402
from recording.authority import Authority  # noqa: E402

SCENARIOS = (
    protocol_scenarios.SCENARIOS
    + certificate_scenarios.SCENARIOS
    + refusal_scenarios.SCENARIOS
    + application_scenarios.SCENARIOS
    + ftp_scenarios.SCENARIOS
    + quic_scenarios.SCENARIOS
    + chromium_scenarios.SCENARIOS
    + gnutls_scenarios.SCENARIOS
    + ech_scenarios.SCENARIOS
)
ANCHORS = os.path.join(HERE, "anchors", "example-ca.pem")
REVOCATIONS = os.path.join(HERE, "anchors", "example-ca.crl.pem")


def chosen(names):
    """The scenarios with these names or in these groups; without names, all of them."""
    picked = [
        scenario
        for scenario in SCENARIOS
        if not names or any(scenario.name == name or scenario.name.startswith(name + "/") for name in names)
    ]
    if not picked:
        sys.exit("record.py: no capture or group has this name; --list shows the names")
    return picked


def capture_path(scenario, ending=".pcap"):
    """The path of a scenario's file with this ending."""
    return os.path.join(HERE, scenario.name + ending)


def record_one(scenario, directory, python):
    """Plays one scenario and copies its capture, and its key log if it has one, into its folder."""
    keylog = os.path.join(directory, "keylog")
    for left_over in [keylog, os.path.join(directory, "server.log")]:
        if os.path.exists(left_over):
            os.remove(left_over)
    played = stage.Stage(Authority(directory), directory, python)
    file = os.path.join(directory, "capture.pcap")
    try:
        with stage.Capture(file, scenario.packets):
            scenario.play(played)
    finally:
        played.close()
    os.makedirs(os.path.dirname(capture_path(scenario)), exist_ok=True)
    shutil.copyfile(file, capture_path(scenario))
    if scenario.keylog:
        shutil.copyfile(keylog, capture_path(scenario, ".keylog"))


def has_module(python, module):
    """Returns whether the Python interpreter at `python` has a module."""
    return subprocess.run([python, "-c", "import " + module], capture_output=True).returncode == 0


def record(names, authority, python):
    """Records the scenarios, then writes the anchors."""
    lacks = stage.missing_requirements()
    if lacks:
        sys.exit("record.py: requires " + "; ".join(lacks))
    stage.enter_namespace()
    stage.prepare_network()
    directory = os.path.join(stage.WORK, "work")
    if authority and os.path.isdir(authority):
        shutil.copytree(authority, directory)
    Authority(directory).need("root", "issuing")
    failed = 0
    for scenario in chosen(names):
        if scenario.needs and not has_module(python, scenario.needs):
            print(f"{scenario.name}: not recorded: requires the Python module {scenario.needs} (--python)")
            continue
        try:
            record_one(scenario, directory, python)
            print(f"{scenario.name}: {os.path.getsize(capture_path(scenario))} bytes")
        except (stage.StageError, RuntimeError) as error:
            failed += 1
            print(f"{scenario.name}: FAILED\n{error}", file=sys.stderr)
    write_anchors(directory, keep_old=bool(names))
    if authority:
        keep = lambda _, files: [name for name in files if name.endswith((".pcap", ".log", ".temp"))]
        shutil.copytree(directory, authority, ignore=keep, dirs_exist_ok=True)
    return 1 if failed else 0


def write_anchors(directory, keep_old):
    """Writes the root and the revocation list. With `keep_old`, those of earlier authorities stay in the files."""
    os.makedirs(os.path.dirname(ANCHORS), exist_ok=True)
    made = Authority(directory)
    made.revocation_list("issuing", "issuing.crl.pem")
    for target, source in [(ANCHORS, "root.pem"), (REVOCATIONS, "issuing.crl.pem")]:
        with open(made.path(source)) as file:
            text = file.read()
        if keep_old and os.path.exists(target):
            with open(target) as file:
                old = file.read()
            if source == "issuing.crl.pem" and was_issued_by(old, made.path("issuing.pem")):
                old = ""
            text = old if text in old else old + text
        with open(target, "w") as file:
            file.write(text)


def was_issued_by(revocations, certificate):
    """Returns whether the first revocation list in the text was signed with the certificate's key."""
    done = subprocess.run(
        ["openssl", "crl", "-noout", "-verify", "-CAfile", certificate],
        input=revocations,
        capture_output=True,
        text=True,
    )
    return "verify OK" in done.stderr


def verify(names):
    """Compares what tshark sees with what the tables expect."""
    if not facts.available():
        sys.exit("record.py: --verify requires tshark and openssl")
    print(facts.version())
    faults = 0
    for scenario in chosen(names):
        path = capture_path(scenario)
        if not os.path.exists(path):
            found = [f"{scenario.name}.pcap is missing"]
        else:
            found = facts.shortcomings(facts.connections(path, decode=scenario.decode), scenario.expect)
            keylog = capture_path(scenario, ".keylog")
            if scenario.decrypted:
                opened = facts.connections(path, decode=scenario.decode, keylog=keylog)
                found += facts.shortcomings(opened, scenario.decrypted)
        for fault in found:
            print(f"{scenario.name}: {fault}")
        faults += len(found)
    for fault in confusable() + readme.faults(table(), "made by"):
        print(fault)
        faults += 1
    print(f"{len(chosen(names))} captures, {faults} faults")
    return 1 if faults else 0


def table():
    """The rows of the README.md files: file, what it shows, how it was made."""
    return [(scenario.name + ".pcap", scenario.shows, scenario.how) for scenario in SCENARIOS]


def confusable():
    """A message for captures of one folder whose names differ in digits only, since they would be read as a rotated series."""
    seen = {}
    for scenario in SCENARIOS:
        folder, name = scenario.name.split("/")
        seen.setdefault((folder, re.sub(r"[0-9]", "", name)), []).append(scenario.name)
    return [" and ".join(names) + " differ in digits only" for names in seen.values() if len(names) > 1]


def main():
    parser = argparse.ArgumentParser(description="Records the captures of this folder.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="a capture or a group; default: all")
    parser.add_argument("--list", action="store_true", help="lists every capture and what it shows")
    parser.add_argument("--readme", action="store_true", help="writes the README.md of every folder")
    parser.add_argument("--verify", action="store_true", help="checks the captures with tshark")
    parser.add_argument("--facts", action="store_true", help="prints what tshark sees, per connection")
    parser.add_argument(
        "--authority", metavar="DIR", help="reads the authority's keys from DIR and keeps them there"
    )
    parser.add_argument(
        "--python",
        metavar="PATH",
        default=sys.executable,
        help="a Python with the modules tlslite, aioquic, OpenSSL and go",
    )
    arguments = parser.parse_args()
    if arguments.list:
        for scenario in chosen(arguments.names):
            print(f"{scenario.name:40} {scenario.shows}")
    elif arguments.readme:
        readme.update(table(), "made by")
    elif arguments.facts:
        for scenario in chosen(arguments.names):
            for words in facts.connections(capture_path(scenario), decode=scenario.decode):
                print(f"{scenario.name}: {' '.join(words)}")
    elif arguments.verify:
        return verify(arguments.names)
    else:
        return record(arguments.names, arguments.authority, arguments.python)
    return 0


if __name__ == "__main__":
    sys.exit(main())

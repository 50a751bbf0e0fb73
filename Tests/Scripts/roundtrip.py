#!/usr/bin/env python3
"""Audits every capture with the settings that `atscope recommend` proposes for it, and compares with the audit without settings.

  roundtrip.py ATSCOPE [CAPTURE or FOLDER...]

No verdict may get worse. Exactly the sessions that the plan claims to allow must stop failing. Sessions that keys "may help" must not be
among them, and must not pass with those keys: then the plan should have claimed to allow them. `atscope lint` must find no error and no
warning in the settings except those in INTENDED, which are the purpose of such keys. Without captures, reads those below captures/.
"""
import concurrent.futures
import json
import os
import plistlib
import subprocess
import sys
import tempfile

from folders import files_below

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
ENDINGS = (".pcap", ".pcapng", ".cap", ".dmp", ".gz", ".zst", ".zip", ".tgz", ".ndjson")
# The captures' own CA is trusted, so that sessions pass; this machine's root store would only cost time.
ANCHORS = ["--no-system-anchors", "--anchors", "captures/anchors/example-ca.pem"]
ASSUMPTIONS = [[], ["--context", "web"], ["--assume", "app-overrides-trust"], ["--os", "ios16"]]
INTENDED = {"LINT-TLS-LOW", "LINT-PFS-INSECURE"}
RANKS = {"fail": 0, "unknown": 1, "pass": 2, "exempt": 2}


class Fault(Exception):
    """A requirement that is not met."""


def run(program, *arguments):
    done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in (0, 1, 2):
        raise Fault(f"{' '.join(arguments)}: exit status {done.returncode}")
    return done.stdout.decode()


def audited(program, capture, options, settings=None):
    """Returns the judged sessions in their order."""
    more = ["--info-plist", settings] if settings else []
    output = run(program, "audit", capture, *ANCHORS, *options, *more, "--format", "ndjson")
    records = [json.loads(line) for line in output.splitlines()]
    return [record for record in records if record["schema"] == "atscope.session/1"]


def outcomes(session, outcome):
    """Returns the IDs of the required rules with an outcome."""
    return {r["id"] for r in session["ats"]["rules"] if r["outcome"] == outcome and r.get("required", True)}


def is_left(before, after):
    """Whether a session that failed still fails, or is unknown only because a rule that failed is now undecided."""
    verdict = after["ats"]["verdict"]
    # Even with ATS off, the system rejects untrusted chains and cipher suites that it never offers.
    if verdict == "exempt":
        return any(r["id"].startswith("ATS-") and r["outcome"] == "fail" for r in after["ats"]["rules"])
    return verdict == "fail" or verdict == "unknown" and bool(outcomes(before, "fail") & outcomes(after, "unknown"))


def is_refused(session):
    """Whether the system rejects a load although ATS is off for it."""
    return session["ats"]["verdict"] == "exempt" and bool(session["ats"]["narrowestException"] or session["ats"]["noExceptionReason"])


def dictionary(settings):
    """Returns the NSAppTransportSecurity dictionary that a list of settings describes."""
    result = {}
    for setting in settings:
        target = result
        if setting["dictionary"] is not None:
            target = result.setdefault(setting["dictionary"], {}).setdefault(setting["entry"], {})
        if setting["key"] is not None:
            target[setting["key"]] = setting["value"]
    return result


def with_options(dictionary, options):
    """Returns a copy of the dictionary with the keys of one option that may help."""
    changed = json.loads(json.dumps(dictionary))
    for option in options:
        target = changed
        if option["entry"] is not None:
            target = changed.setdefault("NSExceptionDomains", {}).setdefault(option["entry"], {})
        target[option["key"]] = option["value"]
    return changed


def check(program, capture, options, directory):
    """Checks one capture; returns the numbers of its sessions, and of those that fail, are allowed by keys, and may be helped."""
    before = audited(program, capture, options)
    # If nothing fails, checking the plan without options is enough.
    if not before or options and not any(session["ats"]["verdict"] == "fail" for session in before):
        return (len(before), 0, 0, 0)
    plan = json.loads(run(program, "recommend", capture, *ANCHORS, *options, "--format", "json"))
    settings = dictionary(plan["settings"])
    file = os.path.join(directory, "Info.plist")

    def write(settings):
        with open(file, "wb") as target:
            plistlib.dump({"NSAppTransportSecurity": settings}, target)

    write(settings)
    system = [part for part in options if part == "--os" or part.startswith("ios")]
    lint = json.loads(run(program, "lint", file, *system, "--format", "json"))
    if not lint["files"]:
        raise Fault("lint read no settings")
    for finding in (finding for listed in lint["files"] for finding in listed["findings"]):
        if finding["severity"] in ("error", "warning") and finding["id"] not in INTENDED:
            raise Fault(f"lint finds {finding['id']} in the recommended settings: {finding['message']}")
    # An empty dictionary has no effect.
    after = audited(program, capture, options, file) if settings else before
    if [s["id"] for s in before] != [s["id"] for s in after]:
        raise Fault("the sessions of the two audits differ")
    failed = left = undecided = 0
    refused = []
    for index, (first, second) in enumerate(zip(before, after)):
        verdicts = first["ats"]["verdict"], second["ats"]["verdict"]
        if RANKS[verdicts[1]] < RANKS[verdicts[0]]:
            raise Fault(f"{first['serverName']} at frame {first['capture']['firstFrame']}: {verdicts[0]}, then {verdicts[1]}")
        if verdicts[0] == "fail" or is_refused(first):
            failed += 1
            if "http-request-lost" in first["evidence"]["notes"] and verdicts[1] == "unknown":
                # The lost request may be for another host, which the key does not allow. The plan counts the session as undecided.
                undecided += 1
            elif is_left(first, second):
                left += 1
                refused.append(index)
            elif verdicts[1] == "unknown":
                undecided += 1
    counts = plan["sessions"]
    if counts["leftOut"] == 0:
        claimed = counts["impossible"] + counts["mayHelp"] + counts["changeURL"]
        if counts["byKeys"] != failed - left - undecided or claimed != left:
            raise Fault(f"{failed} fail, then {left}; the plan claims to allow {counts['byKeys']} but not {claimed}")
    for item in plan["mayHelp"]:
        for option in item["options"]:
            write(with_options(settings, option))
            tried = audited(program, capture, options, file)
            helped = [
                index for index in refused
                if before[index]["capture"]["firstFrame"] == item["first"]["frame"]
                and before[index]["capture"]["file"] == item["first"]["file"]
                and tried[index]["ats"]["verdict"] == "pass"
            ]
            if helped:
                raise Fault(f"{item['host']}: the plan says that these keys may help, but they do: {option}")
    return (len(before), failed, failed - left, counts["mayHelp"])


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = os.path.abspath(sys.argv[1])
    given = [os.path.abspath(argument) for argument in sys.argv[2:]]
    os.chdir(ROOT)
    chosen = [path for argument in given or ["captures"] for path in files_below(argument, ENDINGS)]
    faults = []
    totals = [0, 0, 0, 0]

    def one(capture):
        with tempfile.TemporaryDirectory() as directory:
            results = []
            for options in ASSUMPTIONS:
                try:
                    results.append(check(program, capture, options, directory))
                except (Fault, ValueError) as fault:
                    faults.append(f"{capture} {' '.join(options)}: {fault}")
                    print("roundtrip: " + faults[-1], flush=True)
            return results

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for results in pool.map(one, chosen):
            for result in results:
                totals = [total + value for total, value in zip(totals, result)]
    print(f"roundtrip: {len(chosen)} captures in {len(ASSUMPTIONS)} ways, {totals[0]} sessions, {totals[1]} fail, "
          f"{totals[2]} are allowed by the keys, {totals[3]} may be helped, {len(faults)} faults")
    if totals[2] == 0 or totals[3] == 0:
        print("roundtrip: no session is allowed by keys, or none may be helped; this run checks nothing")
        return 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

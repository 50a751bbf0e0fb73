#!/usr/bin/env python3
"""Records golden reports: the JSON report of every capture below captures/ in NAME.json beside it, and others of selected inputs.

  golden.py [--check] ATSCOPE

With --check, writes nothing, prints the reports that differ and exits with 1 if there are any. Review changes before committing them: a
golden report is a promise about the output.
"""
import os
import subprocess
import sys

from folders import files_below

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
FOLDER = "captures"
ENDINGS = (".pcap", ".pcapng")
HOSTILE = "captures/variants/hosts/hostile-names.pcap"
# Inputs read in one run, by the name of its report: captures that add to the evidence of others, and the files of a rotated capture.
TOGETHER = {
    "resumed-elsewhere": ["captures/variants/resumed-elsewhere/first.pcap", "captures/variants/resumed-elsewhere/later.pcap"],
    "missing-intermediate": ["captures/certificates/wildcard.pcap", "captures/certificates/missing-intermediate.pcap"],
    "rotated": ["captures/variants/rotated"],
}
# Captures compared by `atscope diff`, by the name of the report; captures/NAME/root.pem is the system's root store.
COMPARED = {
    "intercepted": ["captures/intercepted/without-proxy.pcap", "captures/intercepted/through-proxy.pcap"],
}
FORMS = {"text": "txt", "ndjson": "ndjson", "csv": "csv", "html": "html", "sarif": "sarif", "junit": "xml", "markdown": "md",
         "ecs": "ecs"}
# Sessions of captures/demo/demo.pcapng that `atscope show` prints, by verdict.
SHOWN = {"fail": "2a48ca07ef8ba86c", "pass": "ab51c9f5b6906950", "unknown": "7b6dc72c9e54285e", "exempt": "6477db405487e98c"}


# This machine's root store is not used, so that reports do not depend on it; the root CA of captures/ is an added anchor.
ANCHORS = ["--no-system-anchors", "--anchors", "captures/anchors/example-ca.pem"]


def report(program, inputs, form, command="audit", anchors=ANCHORS):
    """Returns the report of inputs, whose paths are relative to the top of the repository."""
    result = subprocess.run([program, command, "--format", form, *anchors, *inputs], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL)
    if result.returncode not in (0, 1, 2):
        sys.exit(f"golden: {inputs[0]}: exit status {result.returncode}")
    return result.stdout


def main():
    checks = sys.argv[1:2] == ["--check"]
    if len(sys.argv) != 2 + checks:
        sys.exit(__doc__)
    program = os.path.abspath(sys.argv[-1])
    os.chdir(ROOT)
    captures = list(files_below(FOLDER, ENDINGS))
    changed = 0
    wanted = [([capture], "json", capture + ".json") for capture in captures]
    wanted += [([HOSTILE], form, f"{HOSTILE}.{ending}") for form, ending in FORMS.items()]
    os.makedirs("captures/together", exist_ok=True)
    for name, inputs in TOGETHER.items():
        wanted += [(inputs, form, f"captures/together/{name}.{ending}") for form, ending in (("json", "json"), ("text", "txt"))]
    for name, inputs in COMPARED.items():
        anchors = ["--system-anchors", f"captures/{name}/root.pem"]
        wanted.append((inputs, "text", f"captures/together/{name}.diff.txt", "diff", anchors))
    for verdict, identifier in SHOWN.items():
        wanted.append(([identifier, "captures/demo/demo.pcapng"], "text", f"captures/together/show-{verdict}.txt", "show"))
    for inputs, form, path, *command in wanted:
        text = report(program, inputs, form, *command)
        try:
            with open(path, "rb") as file:
                before = file.read()
        except FileNotFoundError:
            before = None
        if text != before:
            if not checks:
                with open(path, "wb") as file:
                    file.write(text)
            print(f"golden: {'new' if before is None else 'changed'}: {path}")
            changed += 1
    for path in list(files_below(FOLDER)):
        if path.endswith(tuple(ending + ".json" for ending in ENDINGS)) and path[: -len(".json")] not in captures:
            if not checks:
                os.remove(path)
            print(f"golden: stale, its capture does not exist: {path}")
            changed += 1
    print(f"golden: {len(captures)} captures, {changed} reports changed")
    return 1 if checks and changed else 0


if __name__ == "__main__":
    sys.exit(main())

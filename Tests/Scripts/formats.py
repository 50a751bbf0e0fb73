#!/usr/bin/env python3
"""Reads the reports of every capture below captures/ in every format with independent parsers, and compares their contents.

  formats.py ATSCOPE [CAPTURE...]

JSON and NDJSON are validated against docs/schemas, SARIF against its official schema (sarif-2.1.0-rtm.4.json in this folder). Uses the
Python packages junitparser, sarif-tools, markdown-it-py, jsonschema and referencing; checks that need a missing package are skipped
with a message.
"""
import concurrent.futures
import csv
import html.parser
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unicodedata
import xml.etree.ElementTree

from folders import files_below

try:
    import junitparser
    import markdown_it
    import sarif.loader
except ImportError:
    junitparser = markdown_it = sarif = None
try:
    import jsonschema
    import validate
except ImportError:
    jsonschema = validate = None

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# Secrets that an extract needs to show the same handshake; none of them decrypts application data.
EXTRACTED = ("CLIENT_HANDSHAKE_TRAFFIC_SECRET", "SERVER_HANDSHAKE_TRAFFIC_SECRET", "ECH_SECRET", "ECH_CONFIG")
FORMS = {"json": "json", "ndjson": "ndjson", "csv": "csv", "html": "html", "sarif": "sarif", "junit": "xml",
         "markdown": "md", "text": "txt", "ecs": "ecs"}
# The root CA of captures/ is trusted, so that chains are judged too, and no report depends on this machine's root store.
ANCHORS = ["--no-system-anchors", "--anchors", "captures/anchors/example-ca.pem"]
faults = []


def fault(capture, form, what):
    faults.append(f"{capture}: {form}: {what}")


def check(condition, capture, form, what):
    if not condition:
        fault(capture, form, what)


def controls(text, allowed):
    """Returns the first control or format character that a report must not contain, or None."""
    for character in text:
        if character not in allowed and unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp"):
            return f"U+{ord(character):04X}"
    return None


def csv_rows(capture, text, report):
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    check(text.endswith("\r\n"), capture, "csv", "does not end with CR LF")
    check(len(rows) == len(report["sessions"]) + 1, capture, "csv", "the number of rows differs from that of sessions")
    for row, session in zip(rows[1:], report["sessions"]):
        named = dict(zip(rows[0], row))
        check(len(row) == len(rows[0]), capture, "csv", "a row has the wrong number of cells")
        check(named["id"] == session["id"], capture, "csv", "wrong session ID")
        check(named["verdict"] == session["ats"]["verdict"], capture, "csv", "wrong verdict")
        check(all(cell[:1] not in "=+-@" or cell == "" for cell in row), capture, "csv", "a cell could be a formula")


def junit(capture, data, report):
    xml.etree.ElementTree.fromstring(data)
    if junitparser is None:
        return
    document = junitparser.JUnitXml.fromstring(data)
    suites = {suite.name: suite for suite in document}
    check(document.tests == sum(len(list(suite)) for suite in suites.values()), capture, "junit", "wrong number of tests")
    for host in report["hosts"]:
        name = f"[{host['host']}]" if ":" in host["host"] and re.fullmatch(r"[0-9a-f:.]+", host["host"]) else host["host"]
        suite = suites.get(f"{name}:{host['port']}")
        if suite is None:
            fault(capture, "junit", f"no suite for {name}:{host['port']}")
            continue
        failing = {case.name for case in suite if any(isinstance(r, junitparser.Failure) for r in case.result)}
        check(failing == set(host["failingRules"]), capture, "junit", f"wrong failures of {name}")
        skipped = {case.name for case in suite if any(isinstance(r, junitparser.Skipped) for r in case.result)}
        check(host["verdict"] != "unknown" or skipped, capture, "junit", f"no skipped test for the unknown host {name}")


def sarif_valid(capture, path, schemas):
    """Validates a log against the schemas and reads it with sarif-tools; returns its run."""
    with open(path, encoding="utf-8") as file:
        log = json.load(file)
    run = log["runs"][0]
    if sarif is not None:
        loaded = sarif.loader.load_sarif_file(path)
        check(loaded.get_result_count() == len(run["results"]), capture, "sarif", "sarif-tools reads another number of results")
        check(len(loaded.get_records()) == len(run["results"]), capture, "sarif", "sarif-tools reads another number of records")
    for schema in schemas:
        for error in schema.iter_errors(log):
            fault(capture, "sarif", f"{'/'.join(map(str, error.path))}: {error.message[:200]}")
    code_scanning(capture, run)
    return run


def code_scanning(capture, run):
    """Checks what GitHub and DefectDojo require of a run beyond the schema."""
    driver = run["tool"]["driver"]
    check(driver["informationUri"].startswith("https://"), capture, "sarif", "no informationUri")
    check(re.fullmatch(r"atscope/[a-z]+/", run["automationDetails"]["id"]), capture, "sarif", "no category")
    for rule in driver["rules"]:
        if not rule["id"].startswith(("ATS-", "ADV-", "LINT-")):
            continue
        severity, tags = float(rule["properties"]["security-severity"]), rule["properties"]["tags"]
        check(0 < severity <= 10 and rule["helpUri"].startswith("https://"), capture, "sarif", f"{rule['id']}: severity {severity}")
        check({"MASVS-NETWORK-1", "MASVS-NETWORK-2"} & set(tags), capture, "sarif", f"{rule['id']} has no MASVS control")
        check(rule["id"].startswith("ATS-") <= any(tag.startswith("external/cwe/cwe-") for tag in tags), capture, "sarif",
              f"{rule['id']} has no CWE")
    for result in run["results"]:
        for location in result["locations"]:
            check(location["physicalLocation"]["region"]["startLine"] >= 1, capture, "sarif", "a result has no line")


def sarif_log(program, capture, path, report, schemas):
    run = sarif_valid(capture, path, schemas)
    check(all(result["kind"] != "open" for result in run["results"]), capture, "sarif", "unknown rules without --strict")
    unknown = sum(host["verdict"] == "unknown" for host in report["hosts"])
    notes = [note["message"]["text"] for note in run["invocations"][0]["toolExecutionNotifications"]]
    check(any(note.startswith(f"not listed: {unknown} unknown host") for note in notes) == bool(unknown), capture, "sarif",
          "wrong notification about omitted unknown hosts")
    if unknown:
        subprocess.run([program, "audit", capture, *ANCHORS, "--strict", "--format", "sarif", "-o", path], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)
        strict = sarif_valid(capture, path, schemas)
        hosts = {(result["properties"]["host"], result["properties"]["port"]) for result in strict["results"] if result["kind"] == "open"}
        check(len(hosts) >= unknown, capture, "sarif", "--strict does not list all unknown hosts")
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        check(rules[result["ruleIndex"]]["id"] == result["ruleId"], capture, "sarif", "ruleIndex refers to another rule")
        check((result["kind"] == "fail") != (result["level"] == "none"), capture, "sarif", "kind and level contradict each other")
        check(result["locations"], capture, "sarif", "a result has no location")
    errors = {(r["properties"]["host"], r["properties"]["port"], r["ruleId"]) for r in run["results"] if r["level"] == "error"}
    failing = {(h["host"], h["port"], rule) for h in report["hosts"] for rule in h["failingRules"]}
    check(errors == failing, capture, "sarif", "errors differ from failing rules")
    damaged = any(i["error"] for i in report["summary"]["inputs"])
    check(run["invocations"][0]["executionSuccessful"] != damaged, capture, "sarif", "executionSuccessful does not match the inputs")


def markdown(capture, text, report):
    if markdown_it is None:
        return
    page = markdown_it.MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    tags = set(re.findall(r"<([a-zA-Z][a-zA-Z0-9]*)", page))
    ours = {"h1", "h2", "h3", "ul", "li", "p", "code", "strong", "table", "thead", "tbody", "tr", "th", "td"}
    check(tags <= ours, capture, "markdown", f"unexpected elements, as from a name: {tags - ours}")
    for table in re.findall(r"<table>(.*?)</table>", page, re.S):
        rows = re.findall(r"<tr>\n(.*?)</tr>", table, re.S)
        check(all(row.count("<td") == rows[0].count("<th") for row in rows[1:]), capture, "markdown", "a name adds a cell")
    check(page.count("<strong>") >= len(report["hosts"]), capture, "markdown", "hosts are missing")


class Page(html.parser.HTMLParser):
    """A parser that collects the elements of a page and the text of its scripts with an ID."""

    def __init__(self):
        super().__init__()
        self.tags, self.data, self.at = [], {}, None

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        attributes = dict(attributes)
        for name in attributes:
            if name.startswith("on") or name in ("src", "href") and not attributes[name].startswith("#"):
                self.tags.append(f"{tag} {name}")
        self.at = attributes.get("id") if tag == "script" else None

    def handle_data(self, data):
        if self.at:
            self.data[self.at] = self.data.get(self.at, "") + data


def html_page(capture, text, lines):
    page = Page()
    page.feed(text)
    check(not [tag for tag in page.tags if " " in tag], capture, "html", "an element could load something or run a script")
    check(page.tags.count("script") == 6, capture, "html", "wrong number of scripts")
    check("default-src 'none'" in text, capture, "html", "no Content-Security-Policy")
    parts, records = [], []
    for line in page.data.get("records", "").split("\n"):
        fields = line.split("\t")
        if fields[0] == "P":
            parts.append(fields[1])
        elif fields[0] == "S":
            json.loads(fields[1])
            records.append("".join(field if i % 2 == 0 else parts[int(field)] for i, field in enumerate(fields[2:])))
    check([json.loads(record) for record in records] == [json.loads(line) for line in lines], capture, "html",
          "records differ from NDJSON")
    for name in ("run", "hosts", "summary", "words"):
        json.loads(page.data[name])


def comparisons(program, folder, schemas, json_schemas):
    """Checks the reports of `atscope diff` in every format, for captures that differ, that are the same, and that are missing."""
    before, after = "captures/variants/hosts/several-hosts.pcap", "captures/variants/hosts/hostile-names.pcap"
    for baseline, current in ((before, after), (after, before), (before, before), ("captures/tls12", before), (before, "nowhere.pcap")):
        name = f"diff {baseline} {current}"
        paths = {form: os.path.join(folder, "diff." + ending) for form, ending in FORMS.items() if form != "ecs"}
        reports = [word for form, path in paths.items() for word in ("--report", f"{form}={path}")]
        result = subprocess.run([program, "diff", baseline, current, *ANCHORS, *reports], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        check(result.returncode in (0, 1, 2), name, "all", f"exit status {result.returncode}")
        text = {}
        for form, path in paths.items():
            with open(path, encoding="utf-8", newline="") as file:
                text[form] = file.read()
            found = controls(text[form], "\n" + {"csv": "\r"}.get(form, ""))
            check(found is None, name, form, f"contains {found}")
        report = json.loads(text["json"])
        valid(name, "json", [("atscope.diff/1", report)], json_schemas)
        check(text["ndjson"].count("\n") == 1 and json.loads(text["ndjson"]) == report, name, "ndjson", "not the JSON report on one line")
        regressions = len(report["regressions"])
        run = sarif_valid(name, paths["sarif"], schemas)
        check(sum(r["level"] == "error" for r in run["results"]) == regressions, name, "sarif", "errors differ from regressions")
        xml.etree.ElementTree.fromstring(text["junit"])
        check(text["junit"].count("<failure ") == regressions, name, "junit", "failures differ from regressions")
        rows = list(csv.reader(io.StringIO(text["csv"], newline=""), strict=True))
        check(sum(row[0] == "regression" for row in rows) == regressions, name, "csv", "rows differ from regressions")
        check(all(cell[:1] not in "=+-@" or cell == "" for row in rows for cell in row), name, "csv", "a cell could be a formula")
        page = Page()
        page.feed(text["html"])
        check(not [tag for tag in page.tags if " " in tag or tag == "script"], name, "html", "an element could load something")


def annotations(program):
    """Checks the formats of `atscope lint` for Xcode, GitHub and GitLab (Code Quality): one line or object for each finding."""
    plist = "docs/examples/Info.plist"
    text = {form: subprocess.run([program, "lint", plist, "--format", form], stdout=subprocess.PIPE).stdout.decode()
            for form in ("json", "xcode", "github", "codeclimate")}
    found = json.loads(text["json"])["files"][0]["findings"]
    expected = [(finding["id"], finding["line"] or 1) for finding in found]
    xcode = re.compile(r"docs/examples/Info\.plist:(\d+): (?:error|warning|note): .* \[([A-Z0-9-]+)\]")
    github = re.compile(r"::(?:error|warning|notice) file=docs/examples/Info\.plist,line=(\d+),title=([A-Z0-9-]+)::\S.*")
    for form, pattern in (("xcode", xcode), ("github", github)):
        matches = [pattern.fullmatch(line) for line in text[form].splitlines()]
        check([(m[2], int(m[1])) for m in matches if m] == expected and all(matches), plist, form, "findings differ from JSON")
    issues = json.loads(text["codeclimate"])
    check([(issue["check_name"], issue["location"]["lines"]["begin"]) for issue in issues] == expected, plist, "codeclimate",
          "findings differ from JSON")
    check(len({issue["fingerprint"] for issue in issues}) == len(issues), plist, "codeclimate", "a fingerprint is repeated")
    check(all(issue["severity"] in ("info", "minor", "major", "critical", "blocker") for issue in issues), plist, "codeclimate",
          "invalid severity")


def reviews(program, folder, schemas, json_schemas):
    """Checks the reports of `atscope lint` in every format."""
    for arguments, status in (([], 1), (["--fail-on", "warning"], 1), (["--fail-on", "remark", "--no-config"], 1), (["--strict"], 1)):
        result = subprocess.run([program, "lint", "docs/examples/Info.plist", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        check(result.returncode == status, "lint docs/examples/Info.plist", " ".join(arguments), f"exit status {result.returncode}")
    annotations(program)
    for plist in ("docs/examples/Info.plist", "nowhere.plist"):
        for form, ending in FORMS.items():
            if form == "ecs":
                continue
            path = os.path.join(folder, "lint." + ending)
            result = subprocess.run([program, "lint", plist, "--format", form, "-o", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            name = f"lint {plist}"
            check(result.returncode in (1, 2), name, form, f"exit status {result.returncode}")
            with open(path, encoding="utf-8", newline="") as file:
                text = file.read()
            found = controls(text, "\n" + {"csv": "\r"}.get(form, ""))
            check(found is None, name, form, f"contains {found}")
            if form in ("json", "ndjson"):
                valid(name, form, [("atscope.lint/1", json.loads(text))], json_schemas)
            elif form == "sarif":
                sarif_valid(name, path, schemas)
            elif form == "junit":
                xml.etree.ElementTree.fromstring(text)
            elif form == "html":
                page = Page()
                page.feed(text)
                check(not [tag for tag in page.tags if " " in tag or tag == "script"], name, form, "an element could load something")


def secrets(program, folder):
    """Checks that no report contains a secret of a key log, and an extract none but those of EXTRACTED; returns the number of key logs."""
    logs = list(files_below("captures", ".keylog"))
    for log in logs:
        captures = [log[: -len(".keylog")] + ending for ending in (".pcap", ".pcapng")]
        capture = next((path for path in captures if os.path.exists(path)), None)
        if capture is None:
            continue
        with open(log, encoding="ascii") as file:
            lines = [line.split() for line in file if len(line.split()) == 3 and not line.startswith("#")]
        paths = {form: os.path.join(folder, "keys." + ending) for form, ending in FORMS.items()}
        reports = [word for form, path in paths.items() for word in ("--report", f"{form}={path}")]
        subprocess.run([program, capture, "--keylog", log, *ANCHORS, *reports], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        paths["extract"] = os.path.join(folder, "keys.pcapng")
        subprocess.run([program, "extract", capture, "--keylog", log, "-o", paths["extract"]], stderr=subprocess.DEVNULL)
        for form, path in paths.items():
            with open(path, "rb") as file:
                text = file.read().lower()
            for label, _, secret in lines:
                kept = form == "extract" and label in EXTRACTED
                check(kept or secret.lower().encode() not in text, capture, form, f"contains a secret of {log}: {label}")
    return len(logs)


def valid(capture, form, records, json_schemas):
    if json_schemas is None:
        return
    for name, record in records:
        for error in json_schemas(name).iter_errors(record):
            fault(capture, form, f"{'/'.join(map(str, error.path))}: {error.message[:200]}")


def one(program, capture, schemas, json_schemas):
    with tempfile.TemporaryDirectory() as folder:
        paths = {form: os.path.join(folder, "report." + ending) for form, ending in FORMS.items()}
        reports = [word for form, path in paths.items() for word in ("--report", f"{form}={path}")]
        result = subprocess.run([program, capture, *ANCHORS, *reports], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if result.returncode not in (0, 1, 2):
            fault(capture, "all", f"exit status {result.returncode}")
            return
        text = {}
        for form, path in paths.items():
            with open(path, "rb") as file:
                data = file.read()
            text[form] = data.decode("utf-8")
            found = controls(text[form], "\n" + {"csv": "\r", "html": "\t"}.get(form, ""))
            check(found is None, capture, form, f"contains {found}")
        check(result.stdout.decode("utf-8") == text["text"], capture, "text", "the file differs from standard output")
        report = json.loads(text["json"])
        records = [json.loads(line) for line in text["ndjson"].splitlines()]
        valid(capture, "json", [("report.schema.json", report)], json_schemas)
        valid(capture, "ndjson", [(record["schema"], record) for record in records], json_schemas)
        lines = [line for line in text["ndjson"].split("\n") if line.startswith('{"schema":"atscope.session/')]
        check([json.loads(line) for line in lines] == report["sessions"], capture, "ndjson", "sessions differ from JSON")
        csv_rows(capture, text["csv"], report)
        junit(capture, text["junit"].encode(), report)
        sarif_log(program, capture, paths["sarif"], report, schemas)
        markdown(capture, text["markdown"], report)
        html_page(capture, text["html"], lines)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = os.path.abspath(sys.argv[1])
    os.chdir(ROOT)
    schemas, json_schemas = [], None
    if jsonschema is not None:
        json_schemas = validate.validators()
        with open("Tests/Scripts/sarif-2.1.0-rtm.4.json", encoding="utf-8") as file:
            content = json.load(file)
        schemas.append(jsonschema.validators.validator_for(content)(content))
    captures = sys.argv[2:] or list(files_below("captures", (".pcap", ".pcapng")))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda capture: one(program, capture, schemas, json_schemas), captures))
    with tempfile.TemporaryDirectory() as folder:
        comparisons(program, folder, schemas, json_schemas)
        reviews(program, folder, schemas, json_schemas)
        logs = secrets(program, folder)
    for line in faults:
        print("formats: " + line)
    if junitparser is None:
        print("formats: junitparser, sarif-tools or markdown-it-py is missing: they did not read JUnit, SARIF and Markdown")
    if jsonschema is None:
        print("formats: jsonschema or referencing is missing: JSON, NDJSON and SARIF were not validated")
    print(f"formats: {len(captures)} captures and 5 comparisons in {len(FORMS)} forms, {logs} key logs, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

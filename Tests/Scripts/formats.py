#!/usr/bin/env python3
"""Reads every form of report of every capture below captures/ with what reads such forms elsewhere, and compares them.

  formats.py ATSCOPE [CAPTURE...]

Every JSON and NDJSON is validated against docs/schemas, SARIF against its official schema
(sarif-2.1.0-rtm.4.json beside this file). The Python packages junitparser, sarif-tools, markdown-it-py, jsonschema and referencing read the
forms; without one of them its part is skipped and said.
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

try:
    import junitparser
    import markdown_it
    import sarif.loader
except ImportError:
    junitparser = markdown_it = sarif = None
try:
    import jsonschema
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import validate
except ImportError:
    jsonschema = validate = None

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# Secrets that an extract needs to show the same handshake, and that open no application data.
EXTRACTED = ("CLIENT_HANDSHAKE_TRAFFIC_SECRET", "SERVER_HANDSHAKE_TRAFFIC_SECRET", "ECH_SECRET", "ECH_CONFIG")
FORMS = {"json": "json", "ndjson": "ndjson", "csv": "csv", "html": "html", "sarif": "sarif", "junit": "xml",
         "markdown": "md", "text": "txt", "ecs": "ecs"}
# The captures' own authority is trusted, so that chains count too, and no report depends on the machine.
ANCHORS = ["--no-system-anchors", "--anchors", "captures/anchors/example-ca.pem"]
faults = []


def fault(capture, form, what):
    faults.append(f"{capture}: {form}: {what}")


def check(condition, capture, form, what):
    if not condition:
        fault(capture, form, what)


def controls(text, allowed):
    """The first control or format character that a report should not hold."""
    for character in text:
        if character not in allowed and unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp"):
            return f"U+{ord(character):04X}"
    return None


def csv_rows(capture, text, report):
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    check(text.endswith("\r\n"), capture, "csv", "does not end with CR LF")
    check(len(rows) == len(report["sessions"]) + 1, capture, "csv", "another number of rows than sessions")
    for row, session in zip(rows[1:], report["sessions"]):
        named = dict(zip(rows[0], row))
        check(len(row) == len(rows[0]), capture, "csv", "a row has another number of cells")
        check(named["id"] == session["id"], capture, "csv", "another session")
        check(named["verdict"] == session["ats"]["verdict"], capture, "csv", "another verdict")
        check(all(cell[:1] not in "=+-@" or cell == "" for cell in row), capture, "csv", "a cell could be a formula")


def junit(capture, data, report):
    xml.etree.ElementTree.fromstring(data)
    if junitparser is None:
        return
    document = junitparser.JUnitXml.fromstring(data)
    suites = {suite.name: suite for suite in document}
    check(document.tests == sum(len(list(suite)) for suite in suites.values()), capture, "junit", "tests are not counted right")
    for host in report["hosts"]:
        name = f"[{host['host']}]" if ":" in host["host"] and re.fullmatch(r"[0-9a-f:.]+", host["host"]) else host["host"]
        suite = suites.get(f"{name}:{host['port']}")
        if suite is None:
            fault(capture, "junit", f"no suite for {name}:{host['port']}")
            continue
        failing = {case.name for case in suite if any(isinstance(r, junitparser.Failure) for r in case.result)}
        check(failing == set(host["failingRules"]), capture, "junit", f"other failures of {name}")
        skipped = {case.name for case in suite if any(isinstance(r, junitparser.Skipped) for r in case.result)}
        check(host["verdict"] != "unknown" or skipped, capture, "junit", f"nothing unknown is skipped for {name}")


def sarif_valid(capture, path, schemas):
    """The log, held against the schemas and read by sarif-tools."""
    with open(path, encoding="utf-8") as file:
        log = json.load(file)
    run = log["runs"][0]
    if sarif is not None:
        loaded = sarif.loader.load_sarif_file(path)
        check(loaded.get_result_count() == len(run["results"]), capture, "sarif", "read with another number of results")
        check(len(loaded.get_records()) == len(run["results"]), capture, "sarif", "not every result is a record")
    for schema in schemas:
        for error in schema.iter_errors(log):
            fault(capture, "sarif", f"{'/'.join(map(str, error.path))}: {error.message[:200]}")
    code_scanning(capture, run)
    return run


def code_scanning(capture, run):
    """What GitHub and DefectDojo require of a run beyond the schema."""
    driver = run["tool"]["driver"]
    check(driver["informationUri"].startswith("https://"), capture, "sarif", "no informationUri")
    check(re.fullmatch(r"atscope/[a-z]+/", run["automationDetails"]["id"]), capture, "sarif", "no category")
    for rule in driver["rules"]:
        if not rule["id"].startswith(("ATS-", "ADV-", "LINT-")):
            continue
        severity, tags = float(rule["properties"]["security-severity"]), rule["properties"]["tags"]
        check(0 < severity <= 10 and rule["helpUri"].startswith("https://"), capture, "sarif", f"{rule['id']}: {severity}")
        check({"MASVS-NETWORK-1", "MASVS-NETWORK-2"} & set(tags), capture, "sarif", f"{rule['id']} has no control of MASVS")
        check(rule["id"].startswith("ATS-") <= any(tag.startswith("external/cwe/cwe-") for tag in tags), capture, "sarif",
              f"{rule['id']} has no weakness")
    for result in run["results"]:
        for location in result["locations"]:
            check(location["physicalLocation"]["region"]["startLine"] >= 1, capture, "sarif", "a result has no line")


def sarif_log(program, capture, path, report, schemas):
    run = sarif_valid(capture, path, schemas)
    check(all(result["kind"] != "open" for result in run["results"]), capture, "sarif", "unknown rules without --strict")
    unknown = sum(host["verdict"] == "unknown" for host in report["hosts"])
    notes = [note["message"]["text"] for note in run["invocations"][0]["toolExecutionNotifications"]]
    check(any(note.startswith(f"not listed: {unknown} unknown host") for note in notes) == bool(unknown), capture, "sarif",
          "does not say that unknown rules are left out")
    if unknown:
        subprocess.run([program, "audit", capture, *ANCHORS, "--strict", "--format", "sarif", "-o", path], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)
        strict = sarif_valid(capture, path, schemas)
        hosts = {(result["properties"]["host"], result["properties"]["port"]) for result in strict["results"] if result["kind"] == "open"}
        check(len(hosts) >= unknown, capture, "sarif", "--strict lacks unknown rules")
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        check(rules[result["ruleIndex"]]["id"] == result["ruleId"], capture, "sarif", "ruleIndex leads to another rule")
        check((result["kind"] == "fail") != (result["level"] == "none"), capture, "sarif", "kind and level do not go together")
        check(result["locations"], capture, "sarif", "a result lies nowhere")
    errors = {(r["properties"]["host"], r["properties"]["port"], r["ruleId"]) for r in run["results"] if r["level"] == "error"}
    failing = {(h["host"], h["port"], rule) for h in report["hosts"] for rule in h["failingRules"]}
    check(errors == failing, capture, "sarif", "other errors than failing rules")
    damaged = any(i["error"] for i in report["summary"]["inputs"])
    check(run["invocations"][0]["executionSuccessful"] != damaged, capture, "sarif", "reports success for a damaged input")


def markdown(capture, text, report):
    if markdown_it is None:
        return
    page = markdown_it.MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    tags = set(re.findall(r"<([a-zA-Z][a-zA-Z0-9]*)", page))
    ours = {"h1", "h2", "h3", "ul", "li", "p", "code", "strong", "table", "thead", "tbody", "tr", "th", "td"}
    check(tags <= ours, capture, "markdown", f"markup of a name: {tags - ours}")
    for table in re.findall(r"<table>(.*?)</table>", page, re.S):
        rows = re.findall(r"<tr>\n(.*?)</tr>", table, re.S)
        check(all(row.count("<td") == rows[0].count("<th") for row in rows[1:]), capture, "markdown", "a name adds a cell")
    check(page.count("<strong>") >= len(report["hosts"]), capture, "markdown", "hosts are missing")


class Page(html.parser.HTMLParser):
    """The elements of a page and the text of its data."""

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
    check(page.tags.count("script") == 6, capture, "html", "another number of scripts")
    check("default-src 'none'" in text, capture, "html", "no policy")
    parts, records = [], []
    for line in page.data.get("records", "").split("\n"):
        fields = line.split("\t")
        if fields[0] == "P":
            parts.append(fields[1])
        elif fields[0] == "S":
            json.loads(fields[1])
            records.append("".join(field if i % 2 == 0 else parts[int(field)] for i, field in enumerate(fields[2:])))
    check([json.loads(record) for record in records] == [json.loads(line) for line in lines], capture, "html",
          "other records than those of NDJSON")
    for name in ("run", "hosts", "summary", "words"):
        json.loads(page.data[name])


def comparisons(program, folder, schemas, json_schemas):
    """A comparison in every form, of captures that differ in everything that can differ."""
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
            check(found is None, name, form, f"holds {found}")
        report = json.loads(text["json"])
        valid(name, "json", [("atscope.diff/1", report)], json_schemas)
        check(text["ndjson"].count("\n") == 1 and json.loads(text["ndjson"]) == report, name, "ndjson", "not the object on a line")
        regressions = len(report["regressions"])
        run = sarif_valid(name, paths["sarif"], schemas)
        check(sum(r["level"] == "error" for r in run["results"]) == regressions, name, "sarif", "other errors than regressions")
        xml.etree.ElementTree.fromstring(text["junit"])
        check(text["junit"].count("<failure ") == regressions, name, "junit", "other failures than regressions")
        rows = list(csv.reader(io.StringIO(text["csv"], newline=""), strict=True))
        check(sum(row[0] == "regression" for row in rows) == regressions, name, "csv", "other rows than regressions")
        check(all(cell[:1] not in "=+-@" or cell == "" for row in rows for cell in row), name, "csv", "a cell could be a formula")
        page = Page()
        page.feed(text["html"])
        check(not [tag for tag in page.tags if " " in tag or tag == "script"], name, "html", "an element could load something")


def annotations(program):
    """The review as lines of Xcode and GitHub, and as GitLab's code quality report: a line or an object a finding."""
    plist = "docs/examples/Info.plist"
    text = {form: subprocess.run([program, "lint", plist, "--format", form], stdout=subprocess.PIPE).stdout.decode()
            for form in ("json", "xcode", "github", "codeclimate")}
    found = json.loads(text["json"])["files"][0]["findings"]
    expected = [(finding["id"], finding["line"] or 1) for finding in found]
    xcode = re.compile(r"docs/examples/Info\.plist:(\d+): (?:error|warning|note): .* \[([A-Z0-9-]+)\]")
    github = re.compile(r"::(?:error|warning|notice) file=docs/examples/Info\.plist,line=(\d+),title=([A-Z0-9-]+)::\S.*")
    for form, pattern in (("xcode", xcode), ("github", github)):
        matches = [pattern.fullmatch(line) for line in text[form].splitlines()]
        check([(m[2], int(m[1])) for m in matches if m] == expected and all(matches), plist, form, "not the findings")
    issues = json.loads(text["codeclimate"])
    check([(issue["check_name"], issue["location"]["lines"]["begin"]) for issue in issues] == expected, plist, "codeclimate", "not the findings")
    check(len({issue["fingerprint"] for issue in issues}) == len(issues), plist, "codeclimate", "a fingerprint is repeated")
    check(all(issue["severity"] in ("info", "minor", "major", "critical", "blocker") for issue in issues), plist, "codeclimate", "a severity")


def reviews(program, folder, schemas, json_schemas):
    """The review of an Info.plist in every form."""
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
            check(found is None, name, form, f"holds {found}")
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
    """Nothing of a key log is in any report; an extract has the secrets of handshakes alone. Returns how many key logs there are."""
    logs = sorted(os.path.join(parent, name) for parent, _, names in os.walk("captures") for name in names if name.endswith(".keylog"))
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
                check(kept or secret.lower().encode() not in text, capture, form, f"holds a secret of {log}: {label}")
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
            check(found is None, capture, form, f"holds {found}")
        check(result.stdout.decode("utf-8") == text["text"], capture, "text", "another text in the file")
        report = json.loads(text["json"])
        records = [json.loads(line) for line in text["ndjson"].splitlines()]
        valid(capture, "json", [("report.schema.json", report)], json_schemas)
        valid(capture, "ndjson", [(record["schema"], record) for record in records], json_schemas)
        lines = [line for line in text["ndjson"].split("\n") if line.startswith('{"schema":"atscope.session/')]
        check([json.loads(line) for line in lines] == report["sessions"], capture, "ndjson", "other sessions than in JSON")
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
    captures = sys.argv[2:] or sorted(
        os.path.join(parent, name) for parent, _, names in os.walk("captures") for name in names
        if name.endswith((".pcap", ".pcapng")))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda capture: one(program, capture, schemas, json_schemas), captures))
    with tempfile.TemporaryDirectory() as folder:
        comparisons(program, folder, schemas, json_schemas)
        reviews(program, folder, schemas, json_schemas)
        logs = secrets(program, folder)
    for line in faults:
        print("formats: " + line)
    if junitparser is None:
        print("formats: junitparser, sarif-tools and markdown-it-py are not here: JUnit, SARIF and Markdown were not read by them")
    if jsonschema is None:
        print("formats: jsonschema and referencing are missing: JSON, NDJSON and SARIF were not validated")
    print(f"formats: {len(captures)} captures and 5 comparisons in {len(FORMS)} forms, {logs} key logs, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

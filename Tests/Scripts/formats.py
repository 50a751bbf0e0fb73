#!/usr/bin/env python3
"""Reads every form of report of every capture below captures/ with what reads such forms elsewhere, and compares them.

  formats.py ATSCOPE [CAPTURE...]

Needs the Python packages junitparser, sarif-tools and markdown-it-py (pip install junitparser sarif-tools markdown-it-py jsonschema
referencing). With ATSCOPE_SARIF_SCHEMA=FILE, SARIF is validated against that copy of the official schema as well.
"""
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

import junitparser
import markdown_it
import sarif.loader

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
FORMS = {"json": "json", "ndjson": "ndjson", "csv": "csv", "html": "html", "sarif": "sarif", "junit": "xml",
         "markdown": "md", "text": "txt"}
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
    document = junitparser.JUnitXml.fromstring(data)
    suites = {suite.name: suite for suite in document}
    check(document.tests == sum(len(list(suite)) for suite in suites.values()), capture, "junit", "tests are not counted right")
    xml.etree.ElementTree.fromstring(data)
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


def sarif_log(capture, path, report, schema):
    with open(path, encoding="utf-8") as file:
        log = json.load(file)
    loaded = sarif.loader.load_sarif_file(path)
    run = log["runs"][0]
    check(loaded.get_result_count() == len(run["results"]), capture, "sarif", "read with another number of results")
    check(len(loaded.get_records()) == len(run["results"]), capture, "sarif", "not every result is a record")
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        check(rules[result["ruleIndex"]]["id"] == result["ruleId"], capture, "sarif", "ruleIndex leads to another rule")
        check((result["kind"] == "fail") != (result["level"] == "none"), capture, "sarif", "kind and level do not go together")
        check(result["locations"], capture, "sarif", "a result lies nowhere")
    errors = {(r["properties"]["host"], r["properties"]["port"], r["ruleId"]) for r in run["results"] if r["level"] == "error"}
    failing = {(h["host"], h["port"], rule) for h in report["hosts"] for rule in h["failingRules"]}
    check(errors == failing, capture, "sarif", "other errors than failing rules")
    damaged = any(i["error"] for i in report["summary"]["inputs"])
    check(run["invocations"][0]["executionSuccessful"] != damaged, capture, "sarif", "says of a damaged input that all went well")
    if schema:
        for error in schema.iter_errors(log):
            fault(capture, "sarif", f"{'/'.join(map(str, error.path))}: {error.message[:200]}")


def markdown(capture, text, report):
    page = markdown_it.MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    tags = set(re.findall(r"<([a-zA-Z][a-zA-Z0-9]*)", page))
    ours = {"h1", "h2", "h3", "ul", "li", "p", "code", "strong", "table", "thead", "tbody", "tr", "th", "td"}
    check(tags <= ours, capture, "markdown", f"markup of a name: {tags - ours}")
    cells = re.findall(r"<tr>\n(.*?)</tr>", page, re.S)
    check(all(row.count("<td") in (0, 4, 5) for row in cells), capture, "markdown", "a name adds a cell")
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
    check(not [tag for tag in page.tags if " " in tag], capture, "html", "an element could ask for something or run a script")
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


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = os.path.abspath(sys.argv[1])
    os.chdir(ROOT)
    schema = None
    if os.environ.get("ATSCOPE_SARIF_SCHEMA"):
        import jsonschema
        with open(os.environ["ATSCOPE_SARIF_SCHEMA"], encoding="utf-8") as file:
            schema = jsonschema.validators.validator_for(content := json.load(file))(content)
    captures = sys.argv[2:] or sorted(
        os.path.join(parent, name) for parent, _, names in os.walk("captures") for name in names
        if name.endswith((".pcap", ".pcapng")))
    for capture in captures:
        with tempfile.TemporaryDirectory() as folder:
            paths = {form: os.path.join(folder, "report." + ending) for form, ending in FORMS.items()}
            reports = [word for form, path in paths.items() for word in ("--report", f"{form}={path}")]
            result = subprocess.run([program, capture, *reports], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            if result.returncode not in (0, 1, 2):
                fault(capture, "all", f"exit status {result.returncode}")
                continue
            text = {}
            for form, path in paths.items():
                with open(path, "rb") as file:
                    data = file.read()
                text[form] = data.decode("utf-8")
                found = controls(text[form], "\n" + {"csv": "\r", "html": "\t"}.get(form, ""))
                check(found is None, capture, form, f"holds {found}")
            check(result.stdout.decode("utf-8") == text["text"], capture, "text", "another text in the file")
            report = json.loads(text["json"])
            lines = [line for line in text["ndjson"].split("\n") if line.startswith('{"schema":"atscope.session/')]
            check([json.loads(line) for line in lines] == report["sessions"], capture, "ndjson", "other sessions than in JSON")
            csv_rows(capture, text["csv"], report)
            junit(capture, text["junit"].encode(), report)
            sarif_log(capture, paths["sarif"], report, schema)
            markdown(capture, text["markdown"], report)
            html_page(capture, text["html"], lines)
    for line in faults:
        print("formats: " + line)
    print(f"formats: {len(captures)} captures in {len(FORMS)} forms, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Checks what users of session records rely on: their size, compact records, and columns that do not depend on hosts.

  records.py ATSCOPE [FOLDER...]

A judged record takes at most 2.4 times the bytes of the same record without its judgement (median over the captures in FOLDER, by default
captures/; 1.6 is the aim). With the packages duckdb and pandas, the examples in docs/guide/reports.md run too.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

try:
    import duckdb
    import pandas
except ImportError:
    duckdb = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZE_LIMIT = 2.4
# Captures with several similar hosts, and two of those hosts.
HOSTS = {
    "captures/variants/hosts/tls13-hosts.pcapng": ("weather-data.mobile.example.net", "gateway.edge.example.net"),
    "captures/http/many-hosts.pcap": ("video.example.org", "images.example.org"),
}
DEMO = "captures/demo/demo.pcapng"
LEFT_OUT = ("der", "ocspResponse", "sctList")
faults = []


def hold(holds, fault):
    if not holds:
        faults.append(fault)


def run(program, *arguments):
    """Returns the completed process of a run, with its output and errors."""
    result = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    hold(result.returncode in (0, 1, 2), f"{' '.join(arguments)}: exit status {result.returncode}")
    return result


def ratios(program, capture):
    """Returns the size of each judged record, divided by the size of the record without its judgement."""
    lines = run(program, "audit", capture, "--format", "ndjson", "--no-system-anchors").stdout.splitlines()
    found = []
    for line in lines:
        if line.startswith(b'{"schema":"atscope.session/1"'):
            judgement = line.index(b',"ats":{')
            found.append(len(line) / (judgement + 1))
    return found


def sizes(program, folders):
    """Checks the median size ratio over all captures below the folders."""
    captures = [str(path) for folder in folders for path in sorted(pathlib.Path(folder).rglob("*"))
                if path.is_file() and path.suffix in (".pcap", ".pcapng", ".cap")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [ratio for part in pool.map(lambda capture: ratios(program, capture), captures) for ratio in part]
    hold(found, f"no sessions below {' '.join(folders)}")
    median = statistics.median(found) if found else 0
    hold(median <= SIZE_LIMIT, f"a judged record takes {median:.2f} times the bytes of an unjudged one; the limit is {SIZE_LIMIT}")
    print(f"records: {len(found)} records in {len(captures)} captures, {median:.2f} times the size when judged (median)")


def members(value):
    """Yields every member name in a record."""
    if isinstance(value, dict):
        yield from value
        for item in value.values():
            yield from members(item)
    elif isinstance(value, list):
        for item in value:
            yield from members(item)


def compact(program, folder):
    """Checks that compact records lack only certificates, OCSP responses and SCT lists, and cannot be judged again."""
    capture = "captures/tls12/ecdhe-rsa-gcm.pcap"
    file = os.path.join(folder, "compact.ndjson")
    run(program, "audit", capture, "--format", "ndjson", "--fields", "compact", "-o", file)
    whole = run(program, "audit", capture, "--format", "ndjson").stdout.splitlines()
    lines = pathlib.Path(file).read_bytes().splitlines()
    hold(not set(members([json.loads(line) for line in lines])) & set(LEFT_OUT), "compact records have certificates")
    hold(b'"der"' in whole[1], "records have no certificates")
    shortened = re.sub(rb',"(?:der|ocspResponse|sctList)":"[^"]*"', b"", whole[1])
    hold(lines[1] == shortened, "compact records lack more than certificates")
    hold(json.loads(lines[0]).get("rejudgeable") is False, "the run record of compact records does not contain rejudgeable: false")
    again = run(program, "audit", file)
    hold(again.returncode == 2 and b"saved with --fields compact" in again.stderr, f"compact records are judged: {again.stderr[:200]}")


def columns(file):
    """The columns that DuckDB infers."""
    return duckdb.sql(f"DESCRIBE SELECT * FROM read_json('{file}', sample_size = -1)").fetchall()


def readers(program, folder):
    """Checks that DuckDB infers the same columns for all hosts, and that the examples of the documents run."""
    for capture, hosts in HOSTS.items():
        found = []
        for number, host in enumerate(hosts):
            file = os.path.join(folder, f"host{number}.ndjson")
            run(program, "audit", capture, "--host", host, "--format", "ndjson", "-o", file)
            found.append(columns(file))
        hold(found[0] == found[1], f"{capture}: columns differ between {hosts[0]} and {hosts[1]}")
        hold(any(name == "communityID" for name, *_ in found[0]), f"{capture}: no column communityID")
    work = pathlib.Path(folder)
    text = run(program, "audit", DEMO, "--format", "ndjson").stdout
    (work / "audit.ndjson").write_bytes(text)
    sessions = [record for record in map(json.loads, text.splitlines()) if record["schema"] == "atscope.session/1"]
    (work / "conn.log").write_text("".join(
        json.dumps({"uid": f"C{number}", "community_id": session["communityID"]}) + "\n" for number, session in enumerate(sessions)))
    os.chdir(folder)
    document = (ROOT / "docs" / "guide" / "reports.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```(sql|python)\n(.*?)^```$", document, re.DOTALL | re.MULTILINE)
    hold({language for language, _ in examples} == {"sql", "python"}, "docs/guide/reports.md lacks SQL or Python examples")
    for language, example in examples:
        try:
            if language == "sql":
                hold(duckdb.sql(example).fetchall(), f"an example gives no rows: {example}")
            else:
                exec(compile(example, "docs/guide/reports.md", "exec"), {})
        except Exception as error:  # Any exception of an example is a fault of the document.
            faults.append(f"an example fails: {error}: {example}")
    print(f"records: {len(examples)} examples with DuckDB {duckdb.__version__} and pandas {pandas.__version__}")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = os.path.abspath(sys.argv[1])
    folders = [os.path.abspath(folder) for folder in sys.argv[2:]]
    os.chdir(ROOT)
    sizes(program, folders or ["captures"])
    with tempfile.TemporaryDirectory() as folder:
        compact(program, folder)
        if duckdb is None:
            print("records: examples skipped: the Python packages duckdb and pandas are not installed")
        else:
            readers(program, folder)
        os.chdir(ROOT)
    for fault in faults:
        print("records: " + fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

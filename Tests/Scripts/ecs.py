#!/usr/bin/env python3
"""Compares `--format ecs` with the published fields of the Elastic Common Schema, the index template and the session records.

  ecs.py ATSCOPE [CAPTURE...]

ecs-8.12.csv contains rows of the field list that the ECS project publishes (ecs-8.12.LICENSE.txt names the source). Every leaf of every
line must be one of these fields or a field of `atscope`, and have the type to which docs/guide/elastic/index-template.json maps it; for
fields of ECS the template must have ECS's type.
"""
import csv
import ipaddress
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
TEMPLATE = "docs/guide/elastic/index-template.json"
GUIDE = "docs/guide/elastic/README.md"
ANCHORS = ["--no-system-anchors", "--anchors", "captures/anchors/example-ca.pem"]
DATE = re.compile(r"-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z")
faults = []


def check(condition, text):
    if not condition and text not in faults:
        faults.append(text)


def is_of(kind, value):
    if kind in ("keyword", "wildcard", "match_only_text"):
        return isinstance(value, str) and value != ""
    if kind == "long":
        return isinstance(value, int) and not isinstance(value, bool) and -2**63 <= value < 2**63
    if kind == "boolean":
        return isinstance(value, bool)
    if kind == "date":
        return isinstance(value, str) and DATE.fullmatch(value) is not None
    if kind == "ip":
        try:
            return bool(ipaddress.ip_address(value))
        except ValueError:
            return False
    return False


def leaves(value, path=""):
    """Yields the fields of a line with their values; a list is one value."""
    if isinstance(value, dict):
        check(value, f"{path} is an empty object")
        for key, item in value.items():
            yield from leaves(item, f"{path}.{key}" if path else key)
    else:
        yield path, value


def mapped(properties, path=""):
    for key, item in properties.items():
        name = f"{path}.{key}" if path else key
        if "properties" in item:
            yield from mapped(item["properties"], name)
        else:
            yield name, item["type"]


def run(program, *arguments):
    result = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return [json.loads(line) for line in result.stdout.decode().splitlines()]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = os.path.abspath(sys.argv[1])
    os.chdir(ROOT)
    with open(os.path.join(HERE, "ecs-8.12.csv"), encoding="utf-8") as file:
        fields = {row["Field"]: row for row in csv.DictReader(file)}
    with open(TEMPLATE, encoding="utf-8") as file:
        types = dict(mapped(json.load(file)["template"]["mappings"]["properties"]))
    for name, kind in types.items():
        check(name.startswith("atscope.") or name in fields and fields[name]["Type"] == kind, f"ECS does not map {name} as {kind}")
    seen = set()
    count = 0
    for command in ("audit", "sessions"):
        arguments = [command, *(sys.argv[2:] or ["captures"]), *(ANCHORS if command == "audit" else [])]
        lines = run(program, *arguments, "--format", "ecs")
        records = [record for record in run(program, *arguments, "--format", "ndjson") if record["schema"] == "atscope.session/1"]
        check(len(lines) == len(records) > 0, f"{len(lines)} lines of {command}, {len(records)} records")
        for line, record in zip(lines, records):
            count += 1
            check(line["event"]["id"] == record["id"] and line["network"]["community_id"] == record["communityID"],
                  f"the line of session {record['id']} belongs to another session")
            check(line.get("atscope", {}).get("verdict") == record.get("ats", {}).get("verdict"), f"wrong verdict of {record['id']}")
            check(line.get("@timestamp") == record["start"], f"wrong time of {record['id']}")
            for name, value in leaves(line):
                seen.add(name)
                check(name in types, f"{name} is not in the template")
                is_list = isinstance(value, list)
                for item in value if is_list else [value]:
                    check(is_of(types.get(name), item), f"{name}: {item!r} is not a {types.get(name)}")
                if name in fields:
                    check(is_list == (fields[name]["Normalization"] == "array"), f"{name} is{' not' if not is_list else ''} a list")
                else:
                    check(name.startswith("atscope."), f"{name} is not a field of ECS")
    with open(GUIDE, encoding="utf-8") as file:
        guide = file.read()
    for name in types:
        if name.startswith("atscope."):
            check(f"`{name.removeprefix('atscope.')}`" in guide, f"the guide does not list {name}")
    for fault in faults[:30]:
        print("ecs: " + fault)
    print(f"ecs: {count} lines, {len(seen)} of {len(types)} mapped fields, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Validates the output of atscope against docs/schemas. Needs the Python packages jsonschema and referencing.

  validate.py FILE...    each NDJSON or one JSON object

The schemas allow unknown fields, for readers of later versions. Here they are errors, so that the schemas describe every field that is
written.
"""

import json
import pathlib
import sys

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

SCHEMAS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "schemas"
BY_NAME = {
    "atscope.run/1": "run.schema.json",
    "atscope.session/1": "session.schema.json",
    "atscope.summary/1": "summary.schema.json",
    "atscope.input/1": "input.schema.json",
    "atscope.judgement/1": "judgement.schema.json",
    "atscope.policy/1": "policy.schema.json",
    "atscope.diff/1": "diff.schema.json",
    "atscope.baseline/1": "baseline.schema.json",
    "atscope.lint/1": "lint.schema.json",
    "atscope.chain/1": "chain.schema.json",
    "atscope.certificates/1": "certificates.schema.json",
    "atscope.missing/1": "missing.schema.json",
    "atscope.recommendation/1": "recommendation.schema.json",
    "atscope.diagnosis/1": "diagnosis.schema.json",
    "atscope.explain/1": "explain.schema.json",
}


def closed(schema):
    """Returns the schema with no other fields allowed in any object that lists its fields."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(value) for key, value in schema.items()}
    if result.get("type") in ("object", ["object", "null"]) and isinstance(result.get("properties"), dict):
        result.setdefault("additionalProperties", False)
    return result


def unique(pairs):
    keys = [key for key, _ in pairs]
    if len(keys) != len(set(keys)):
        raise ValueError("a key occurs twice: " + ", ".join(keys))
    return dict(pairs)


def is_one_object(text):
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def validators():
    """Returns a function that maps a schema file name, or the `schema` member of a record, to its validator."""
    registry = Registry()
    for path in SCHEMAS.glob("*.schema.json"):
        schema = closed(json.loads(path.read_text()))
        Draft202012Validator.check_schema(schema)
        registry = registry.with_resource(schema["$id"], Resource.from_contents(schema))

    def validator(name):
        return Draft202012Validator(registry.contents(BY_NAME.get(name, name)), registry=registry)

    return validator


def main(paths):
    validator = validators()
    faults = 0
    checked = 0
    for path in paths:
        text = pathlib.Path(path).read_text(encoding="utf-8")
        if text.startswith('{"run":'):
            records = [("report.schema.json", 1, text)]
        elif text.startswith(('{"schema":"atscope.diff/', '{"schema":"atscope.baseline/')):
            records = [(None, 1, text)]
        elif is_one_object(text):
            records = [(None, 1, text)]
        else:
            records = [(None, number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        for name, number, line in records:
            record = json.loads(line, object_pairs_hook=unique)
            name = name or BY_NAME.get(record.get("schema"))
            if name is None:
                print(f"{path}:{number}: unknown schema {record.get('schema')!r}")
                faults += 1
                continue
            checked += 1
            for error in validator(name).iter_errors(record):
                print(f"{path}:{number}: {'/'.join(map(str, error.path))}: {error.message[:300]}")
                faults += 1
    print(f"{checked} records, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

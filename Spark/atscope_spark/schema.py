"""Derives column types from the JSON Schemas of the program's records, which are part of this package."""
from __future__ import annotations

import functools
import json
from importlib import resources
from typing import Any

from pyspark.sql.types import (
    ArrayType, BooleanType, DataType, DoubleType, LongType, MapType, StringType, StructField, StructType, TimestampType,
)

_SIMPLE: dict[str, type[DataType]] = {"boolean": BooleanType, "integer": LongType, "number": DoubleType, "string": StringType}


@functools.lru_cache(maxsize=None)
def document(name: str) -> dict[str, Any]:
    """Returns a schema by its file name, such as ``session.schema.json``."""
    found: dict[str, Any] = json.loads((resources.files("atscope_spark") / "schemas" / name).read_text(encoding="utf-8"))
    return found


def record_type(name: str) -> StructType:
    """Returns the column type of a record: ``session``, ``input``, ``run`` or ``judgement``."""
    file = f"{name}.schema.json"
    found = _type(document(file), file)
    assert isinstance(found, StructType)
    return found


def _resolve(reference: str, file: str) -> tuple[dict[str, Any], str]:
    """Returns the schema that a ``$ref`` in a file refers to, and the file that contains it."""
    target, _, pointer = reference.partition("#")
    file = target or file
    found: Any = document(file)
    for part in filter(None, pointer.split("/")):
        found = found[part.replace("~1", "/").replace("~0", "~")]
    return found, file


def _type(schema: Any, file: str) -> DataType:
    """Returns the column type of a schema. Null is ignored, since all columns are nullable; a union of other types becomes text."""
    if not isinstance(schema, dict):
        return StringType()
    if "$ref" in schema:
        found, target = _resolve(schema["$ref"], file)
        if schema["$ref"] == "common.schema.json#/$defs/time":
            return TimestampType()
        return _type(found, target)
    if "anyOf" in schema or "oneOf" in schema:
        branches = [branch for branch in schema.get("anyOf") or schema["oneOf"] if branch.get("type") != "null"]
        types = [_type(branch, file) for branch in branches]
        return types[0] if types and all(found == types[0] for found in types) else StringType()
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    kinds = [kind for kind in kinds if kind != "null"]
    if not kinds:
        values = [schema["const"]] if "const" in schema else [value for value in schema.get("enum", []) if value is not None]
        return BooleanType() if values and all(isinstance(value, bool) for value in values) else StringType()
    if len(kinds) > 1:
        return StringType()
    if kinds[0] == "object":
        return _object(schema, file)
    if kinds[0] == "array":
        return ArrayType(_type(schema.get("items"), file))
    return _SIMPLE[kinds[0]]()


def _object(schema: dict[str, Any], file: str) -> DataType:
    further = schema.get("additionalProperties")
    if isinstance(further, dict):
        return MapType(StringType(), _type(further, file))
    properties = schema.get("properties")
    if not properties:
        return StringType()
    return StructType([StructField(name, _type(value, file)) for name, value in properties.items()])


def unknown_members(value: Any, kind: DataType, path: str = "") -> set[str]:
    """Returns the paths of a record's members that do not fit a column type."""
    if value is None:
        return set()
    if isinstance(kind, StructType) and isinstance(value, dict):
        found: set[str] = set()
        for name, member in value.items():
            inner = f"{path}.{name}"
            found |= unknown_members(member, kind[name].dataType, inner) if name in kind.names else {inner}
        return found
    if isinstance(kind, MapType) and isinstance(value, dict):
        return set().union(*(unknown_members(member, kind.valueType, f"{path}.*") for member in value.values()))
    if isinstance(kind, ArrayType) and isinstance(value, list):
        return set().union(*(unknown_members(member, kind.elementType, f"{path}[]") for member in value))
    python: dict[type[DataType], tuple[type, ...]] = {
        BooleanType: (bool,), LongType: (int,), DoubleType: (int, float), TimestampType: (str,),
        # Unions, and objects without properties, are kept as JSON text.
        StringType: (object,),
    }
    fits = isinstance(value, python.get(type(kind), ())) and (not isinstance(value, bool) or type(kind) in (BooleanType, StringType))
    return set() if fits else {f"{path}: {type(value).__name__} for {kind.simpleString()}"}

"""Compares two sets of sessions host by host with ``atscope diff``, in parallel."""
from __future__ import annotations

import json
import os as system
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructField, StructType

from .options import Policy, find_program
from .runner import ProgramError, check, scratch_folder

#: The columns of a change: the list of ``atscope.diff/1`` that contains it (see ``_CHANGES``), the host, and what changed. In rows with
#: the list ``commonHosts``, ``after`` is the number of hosts that both sides have.
SCHEMA = StructType([
    StructField(name, StringType()) for name in ("list", "host", "subject", "before", "after", "details", "record")
])
_ARROW = pa.schema([(field.name, pa.string()) for field in SCHEMA.fields])
_CHANGES = ("regressions", "noLongerVisible", "improvements", "moved", "accepted", "newHosts", "vanishedHosts")


def compare(
    baseline: DataFrame,
    current: DataFrame,
    policy: Policy | None = None,
    baseline_policy: Policy | None = None,
    *,
    program: str = "atscope",
    partitions: int = 1,
) -> DataFrame:
    """Compares two sets of sessions under one policy or two. Returns a row for each change that ``atscope diff`` finds.

    Both sets have the columns unit, capture_uri, ordinal and record. Intermediates of other sessions are not used (``--intermediates
    none``), so that the result does not depend on how hosts are divided among ``partitions`` processes. A process keeps all its hosts in
    memory; use one partition for every few thousand hosts.
    """
    after = policy or Policy()
    before = baseline_policy or after
    path = find_program(program)
    options = [_arguments(before), _arguments(after)]
    for arguments in options:
        check(path, ["audit", "--format=ndjson", *arguments])
    # `atscope diff` matches hosts by name, or by address if there is none. All sessions of a host must be in one part.
    host = F.lower(F.coalesce(F.get_json_object("record", "$.serverName"), F.get_json_object("record", "$.server.address")))
    parts = F.pmod(F.xxhash64(host), F.lit(partitions)).cast("int")
    sides = [
        side.select("unit", "capture_uri", "ordinal", "record").withColumn("side", F.lit(number)).withColumn("part", parts)
        for number, side in enumerate((baseline, current))
    ]
    both = sides[0].unionByName(sides[1])
    if partitions > 1:
        both = _joined(both, partitions)
    ordered = both.repartition(partitions, "part").sortWithinPartitions("part", "side", "unit", "ordinal").select("part", "side", "record")

    def compared(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from _compare(batches, program, options)

    return ordered.mapInArrow(compared, SCHEMA)


def _arguments(policy: Policy) -> list[str]:
    return ["--no-config", *([] if "none" in (policy.intermediates or []) else ["--intermediates=none"]), *policy.arguments()]


def _joined(both: DataFrame, partitions: int) -> DataFrame:
    """Merges parts until each has process names on both sides, if the whole comparison has them.

    The program distinguishes hosts by process only if both sides name processes. A part that names them on one side only would be compared
    without processes, unlike the whole.
    """
    named = F.max(F.get_json_object("record", "$.process.name").isNotNull())
    flags: dict[int, list[bool]] = {part: [False, False] for part in range(partitions)}
    for row in both.groupBy("part", "side").agg(named.alias("named")).collect():
        flags[row["part"]][row["side"]] = bool(row["named"])
    if not all(any(flag[side] for flag in flags.values()) for side in (0, 1)) or all(all(flag) for flag in flags.values()):
        return both
    target: dict[int, int] = {}
    group: list[int] = []
    last = None
    for part in range(partitions):
        group.append(part)
        if all(any(flags[member][side] for member in group) for side in (0, 1)):
            last = part
            target.update((member, part) for member in group)
            group = []
    if last is not None:
        target.update((member, last) for member in group)
    mapping = F.create_map(*[F.lit(value) for pair in (target or {part: 0 for part in range(partitions)}).items() for value in pair])
    return both.withColumn("part", mapping[F.col("part")])


def _compare(batches: Iterator[pa.RecordBatch], program: str, options: list[list[str]]) -> Iterator[pa.RecordBatch]:
    folder = tempfile.mkdtemp(prefix="atscope-", dir=scratch_folder())
    files: list[Any] = []
    part: int | None = None
    try:
        for batch in batches:
            for own, side, record in zip(*(column.to_pylist() for column in batch.columns)):
                if own != part:
                    if part is not None:
                        yield _changes(files, program, options, folder)
                    part = own
                    files = [open(system.path.join(folder, name), "wb") for name in ("baseline", "current")]
                files[side].write(record.encode() + b"\n")
        if part is not None:
            yield _changes(files, program, options, folder)
    finally:
        for file in files:
            file.close()
        shutil.rmtree(folder, ignore_errors=True)


def _changes(files: list[Any], program: str, options: list[list[str]], folder: str) -> pa.RecordBatch:
    for file in files:
        # A side without sessions of these hosts must still be valid saved sessions: it is a run without any.
        if file.tell() == 0:
            file.write(b'{"schema":"atscope.run/1"}\n')
        file.close()
    baseline, current = (file.name for file in files)
    path = find_program(program)
    if options[0] != options[1]:
        kept = system.path.join(folder, "kept.json")
        _run([path, "diff", *options[0], f"--write-baseline={kept}", "--format=ndjson", baseline, baseline], folder)
        baseline = kept
    found = json.loads(_run([path, "diff", *options[1], "--format=ndjson", baseline, current], folder))
    rows: list[tuple[str | None, ...]] = []
    for name in _CHANGES:
        for entry in found[name]:
            text = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
            after = entry.get("after") if name != "newHosts" else entry["verdict"]
            before = entry.get("before") if name != "vanishedHosts" else entry["verdict"]
            rows.append((name, entry["host"], entry.get("subject"), before, after, entry.get("details"), text))
    rows.append(("commonHosts", None, None, None, str(found["commonHosts"]), None, None))
    return pa.RecordBatch.from_arrays([pa.array(column, type=pa.string()) for column in zip(*rows)], schema=_ARROW)


def _run(command: list[str], folder: str) -> bytes:
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder)
    if result.returncode not in (0, 1):
        raise ProgramError(f"atscope: diff ended with status {result.returncode}: {result.stderr.decode('utf-8', 'replace')[-2000:]}")
    return result.stdout

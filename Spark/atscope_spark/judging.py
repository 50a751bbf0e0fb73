"""Judges stored sessions under any policy, without their captures."""
from __future__ import annotations

import contextlib
import itertools
import json
import re
import shutil
import tempfile
import threading
from collections import deque
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import LongType, StringType, StructField, StructType

from .options import Paths, Policy, find_program
from .process import Process
from .runner import ProgramError, check, scratch_folder

#: The columns that identify a session: its unit, its capture, and its index in the unit.
KEY = ("unit", "capture_uri", "ordinal")

#: The columns of a judgement: the key of the session, its id, and the program's ``atscope.judgement/1`` record.
SCHEMA = StructType([
    StructField("unit", StringType()),
    StructField("capture_uri", StringType()),
    StructField("ordinal", LongType()),
    StructField("id", StringType()),
    StructField("record", StringType()),
])
_ARROW = pa.schema([
    ("unit", pa.string()), ("capture_uri", pa.string()), ("ordinal", pa.int64()), ("id", pa.string()), ("record", pa.string()),
])

#: Begins a unit: with ``--isolated``, a run record keeps the sessions after it independent of those before.
_BEGIN = b'{"schema":"atscope.run/1"}\n'
_ID = re.compile(r'"id":"([0-9a-f]+)"')
#: The number of sessions that are written to the program at once, before the available judgements are collected.
_SLICE = 200
_BATCH = 2000


def judge_arguments(policy: Policy) -> list[str]:
    """Returns the program arguments for judging saved sessions from standard input."""
    return ["audit", "--format=ndjson", "--fields=judgement", "--no-config", *policy.arguments()]


def judge(
    sessions: DataFrame,
    *,
    program: str = "atscope",
    partitions: int | None = None,
    memory: int = 4 << 30,
    os: str | None = None,
    info_plist: Paths | None = None,
    **policy: Any,
) -> DataFrame:
    """Judges sessions under a policy. Returns a row for each session, with its key and the program's judgement.

    ``sessions`` has the columns unit, capture_uri, ordinal and record: the table of sessions, or rows of the data source of kind
    session. The judgements equal those of an audit of the captures in the same units. The other options are those of ``Policy``; every
    executor opens the files that they name. Raises OptionError on the driver if the program rejects an option.
    """
    chosen = Policy(os=os, info_plist=info_plist, **policy)
    arguments = judge_arguments(chosen)
    run = check(find_program(program), arguments)
    count = partitions or int(sessions.sparkSession.conf.get("spark.sql.shuffle.partitions") or 200)
    ordered = sessions.select(*KEY, "record").repartition(count, "unit").sortWithinPartitions("unit", "ordinal")

    def judged(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from _judge(batches, program, arguments, run, memory)

    return ordered.mapInArrow(judged, SCHEMA)


def _judge(
    batches: Iterator[pa.RecordBatch], program: str, arguments: list[str], run: str, memory: int
) -> Iterator[pa.RecordBatch]:
    """Pipes the sessions of a partition through one process."""
    first = next((batch for batch in batches if batch.num_rows), None)
    if first is None:
        return
    path = find_program(program)
    if (here := check(path, arguments)) != run:
        raise ProgramError(f"atscope: this executor would judge differently from the driver: {here}, not {run}")
    folder = tempfile.mkdtemp(prefix="atscope-", dir=scratch_folder())
    process = Process([path, *arguments, "--isolated", "-"], memory, folder)
    try:
        yield from _exchange(process, first, batches)
    finally:
        process.close()
        shutil.rmtree(folder, ignore_errors=True)


class _Collector:
    """Reads judgements in a thread, so that full pipes cannot block the program and this process at once."""

    def __init__(self, process: Process) -> None:
        self.lines: deque[bytes] = deque()
        self.error: BaseException | None = None
        self._process = process
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            for line in self._process.lines():
                if line.startswith(b'{"schema":"atscope.judgement/1"'):
                    self.lines.append(line)
                elif line.startswith(b'{"schema":"atscope.summary/1"'):
                    # The summary reports a line that the program could not read, where it stopped.
                    for entry in json.loads(line)["inputs"]:
                        if entry["error"] is not None:
                            raise ProgramError(f"atscope: stored sessions cannot be judged: {entry['error']['text']}")
        except BaseException as error:
            self.error = error


def _exchange(process: Process, first: pa.RecordBatch, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    collector = _Collector(process)
    waiting: deque[tuple[str, str, int, str]] = deque()
    rows: list[tuple[str, str, int, str, str]] = []
    unit: str | None = None
    with contextlib.suppress(BrokenPipeError):  # The process has ended; missing judgements are reported below.
        for piece in _pieces(first, batches):
            lines: list[bytes] = []
            for own, capture, ordinal, record in zip(*piece):
                if own != unit or unit is None:
                    unit = own
                    lines.append(_BEGIN)
                lines.append(record.encode() + b"\n")
                match = _ID.search(record)
                waiting.append((own, capture, ordinal, match[1] if match else ""))
            process.write(b"".join(lines))
            rows += _collected(collector, waiting)
            if len(rows) >= _BATCH:
                yield _batch(rows)
                rows = []
    process.finish()
    collector.thread.join()
    status = process.wait()
    if collector.error is not None:
        raise collector.error
    rows += _collected(collector, waiting)
    if waiting or status not in (0, 1, 2):
        at = f", at session {waiting[0][2]} of {waiting[0][0]}" if waiting else ""
        raise ProgramError(f"atscope: {process.ending().describe()}{at}")
    if rows:
        yield _batch(rows)


def _pieces(first: pa.RecordBatch, batches: Iterator[pa.RecordBatch]) -> Iterator[list[list[Any]]]:
    for batch in itertools.chain([first], batches):
        for start in range(0, batch.num_rows, _SLICE):
            yield [column.to_pylist() for column in batch.slice(start, _SLICE).columns]


def _collected(collector: _Collector, waiting: deque[tuple[str, str, int, str]]) -> Iterator[tuple[str, str, int, str, str]]:
    """Returns the judgements received so far, each with the key of its session."""
    while collector.lines:
        record = collector.lines.popleft().rstrip(b"\n").decode()
        match = _ID.search(record)
        unit, capture, ordinal, name = waiting.popleft()
        if match is None or match[1] != name:
            raise ProgramError(f"atscope: the judgement of session {ordinal} of {unit} is that of another session: {record[:120]}")
        yield unit, capture, ordinal, name, record


def _batch(rows: list[tuple[str, str, int, str, str]]) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array(column, type=item.type) for column, item in zip(zip(*rows), _ARROW)], schema=_ARROW)

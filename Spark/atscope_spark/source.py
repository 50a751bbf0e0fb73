"""The data source: ``spark.read.format("atscope").load(PATH)`` returns a row for each record in the program's report."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import LongType, StringType, StructField, StructType, TimestampType

from .options import ReadOptions, read_options
from .runner import ProgramError, Row, Runner
from .storage import Storage
from .units import Unit, group, load, pack

#: The columns of the source; see ``runner.Row``.
SCHEMA = StructType([
    StructField("unit", StringType()),
    StructField("kind", StringType()),
    StructField("capture_uri", StringType()),
    StructField("ordinal", LongType()),
    StructField("length", LongType()),
    StructField("modified", TimestampType()),
    StructField("record", StringType()),
])

ARROW_SCHEMA = pa.schema([
    ("unit", pa.string()),
    ("kind", pa.string()),
    ("capture_uri", pa.string()),
    ("ordinal", pa.int64()),
    ("length", pa.int64()),
    ("modified", pa.timestamp("us", tz="UTC")),
    ("record", pa.string()),
])

_BATCH_ROWS = 2000
_BATCH_BYTES = 8 << 20


@dataclass
class Task(InputPartition):
    """The units that one task reads, and the run record that the options gave on the driver."""

    units: list[Unit]
    run: str


class AtscopeSource(DataSource):
    """The Spark data source ``atscope``: its rows are the records that the program reports for captures."""

    @classmethod
    def name(cls) -> str:
        return "atscope"

    def schema(self) -> StructType:
        return SCHEMA

    def reader(self, schema: StructType) -> DataSourceReader:
        # Spark stores option names in lower case.
        return AtscopeReader(read_options(dict(self.options)))


class AtscopeReader(DataSourceReader):
    """Divides captures into tasks on the driver, and reads those of a task on an executor."""

    def __init__(self, options: ReadOptions) -> None:
        self._options = options

    def partitions(self) -> list[Any]:
        # Tests the options before any task runs: a wrong one fails here, with the program's own message.
        run = Runner(self._options).check()
        tasks = pack(list_units(self._options), self._options.files_per_task, self._options.bytes_per_task)
        return [Task(units, run) for units in tasks] or [Task([], run)]

    def read(self, partition: Any) -> Iterator[pa.RecordBatch]:
        if not isinstance(partition, Task) or not partition.units:
            return
        runner = Runner(self._options)
        run = runner.check()
        if run != partition.run:
            raise ProgramError(f"atscope: this executor would report differently from the driver: {run}, not {partition.run}")
        yield from batches(runner.run(partition.units))


def list_units(options: ReadOptions) -> Iterator[Unit]:
    """Returns the units that the options select."""
    if options.listing is not None:
        return load(options.listing)
    assert options.path is not None
    captures = Storage(options.endpoint, options.region).list(options.path, options.glob)
    return iter(group(captures, options.unit))


def batches(rows: Iterator[Row]) -> Iterator[pa.RecordBatch]:
    """Yields rows as record batches of bounded size."""
    held: list[Row] = []
    size = 0
    for row in rows:
        held.append(row)
        size += len(row.record)
        if len(held) >= _BATCH_ROWS or size >= _BATCH_BYTES:
            yield _batch(held)
            held, size = [], 0
    if held:
        yield _batch(held)


def _batch(rows: list[Row]) -> pa.RecordBatch:
    columns = [pa.array(values, type=field.type) for values, field in zip(zip(*rows), ARROW_SCHEMA)]
    return pa.RecordBatch.from_arrays(columns, schema=ARROW_SCHEMA)

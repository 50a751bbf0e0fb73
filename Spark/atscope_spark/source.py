"""The data source: ``spark.read.format("atscope").load(PATH)`` gives a row for each line of the program's report."""
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
    """Units that one task reads, with the run record that the driver had for the options."""

    units: list[Unit]
    run: str


class AtscopeSource(DataSource):
    """Captures as rows of what the program atscope reports of them."""

    @classmethod
    def name(cls) -> str:
        return "atscope"

    def schema(self) -> StructType:
        return SCHEMA

    def reader(self, schema: StructType) -> DataSourceReader:
        # Spark keeps options by their lower-case names.
        return AtscopeReader(read_options(dict(self.options)))


class AtscopeReader(DataSourceReader):
    """Divides captures into tasks, on the driver, and reads those of a task, on an executor."""

    def __init__(self, options: ReadOptions) -> None:
        self._options = options

    def partitions(self) -> list[Any]:
        # The options are tried before any task: a wrong one fails here, with the program's own message.
        run = Runner(self._options).check()
        tasks = pack(list_units(self._options), self._options.files_per_task, self._options.bytes_per_task)
        return [Task(units, run) for units in tasks] or [Task([], run)]

    def read(self, partition: Any) -> Iterator[pa.RecordBatch]:
        if not isinstance(partition, Task) or not partition.units:
            return
        runner = Runner(self._options)
        run = runner.check()
        if run != partition.run:
            raise ProgramError(f"atscope: this executor judges otherwise than the driver: {run}, not {partition.run}")
        yield from batches(runner.run(partition.units))


def list_units(options: ReadOptions) -> Iterator[Unit]:
    """The units that the options name."""
    if options.listing is not None:
        return load(options.listing)
    assert options.path is not None
    captures = Storage(options.endpoint, options.region).list(options.path, options.glob)
    return iter(group(captures, options.unit))


def batches(rows: Iterator[Row]) -> Iterator[pa.RecordBatch]:
    """Rows as record batches of bounded size."""
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

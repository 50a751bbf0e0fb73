"""The tables of a lake of sessions (inputs, sessions, runs, judgements), stored as Parquet in one folder, and the jobs that fill them.

``inputs`` is the ledger. A job writes the sessions first and the inputs last, in a partition whose name is a digest of the options and
captures that it reads. Repeating an unfinished job therefore overwrites its partition, and units in the ledger are not read again.
"""
from __future__ import annotations

import contextlib
import hashlib
import json
import os as system
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import BooleanType, LongType, StringType, StructField, StructType

from .judging import SCHEMA as JUDGEMENT
from .judging import judge, judge_arguments
from .options import Paths, Policy, ReadOptions, checked, find_program
from .runner import Runner, check, shown
from .schema import record_type
from .source import SCHEMA, AtscopeSource, list_units
from .units import Unit, save

#: The column for a capture that crashed the program, or that it could not read within its limits: how the process ended.
FAILURE = StructType([
    StructField("status", LongType()),
    StructField("signal", StringType()),
    StructField("timeout", BooleanType()),
    StructField("stderr", StringType()),
])
_MICROSECONDS = {
    # Readers of Parquet take the default, INT96, for nanoseconds.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.sources.partitionOverwriteMode": "dynamic",
}


def register(spark: SparkSession) -> None:
    """Registers the format ``atscope`` with a Spark session."""
    spark.dataSource.register(AtscopeSource)


@dataclass(frozen=True)
class Lake:
    """A folder with the tables, given as a path or URI that Spark can open."""

    spark: SparkSession
    path: str

    def table(self, name: str) -> DataFrame | None:
        """Returns all stored rows of a table, including those of unfinished jobs, or None if there are none yet."""
        from pyspark.errors import AnalysisException

        try:
            return self.spark.read.option("mergeSchema", "true").parquet(f"{self.path.rstrip('/')}/{name}")
        except AnalysisException as error:
            # The table does not exist or has no files. Any other error must not look like an empty lake.
            if error.getCondition() in ("PATH_NOT_FOUND", "UNABLE_TO_INFER_SCHEMA"):
                return None
            raise

    def write(self, rows: DataFrame, name: str, *partition: str) -> None:
        """Writes rows, replacing the partitions that they belong to."""
        writer = rows.write.mode("overwrite").partitionBy(*partition).option("partitionOverwriteMode", "dynamic")
        writer.option("compression", "zstd").parquet(f"{self.path.rstrip('/')}/{name}")


@dataclass(frozen=True)
class Ingested:
    """The result of an ingest job."""

    #: The name of the job, which is a column of its rows; None if nothing had to be read.
    ingest_id: str | None
    #: The number of units that were read, and the number that the ledger already contained.
    units: int
    known: int


def ingest(spark: SparkSession, source: str, lake: str, *, settle: float = 0, **options: Any) -> Ingested:
    """Reads the captures at ``source`` into the tables of ``lake``: only facts, which ``judge_table`` judges later.

    A unit is read if it is new, or if one of its captures is new, changed or removed since the last job. The options are those of
    ``ReadOptions``. A unit with a capture that changed within the last ``settle`` seconds is left for the next job.
    """
    chosen = checked(ReadOptions(path=source, **options))
    run = Runner(chosen).check()
    units = list(list_units(chosen))
    if settle:
        newest = (time.time() - settle) * 1e6
        units = [unit for unit in units if all(capture.modified <= newest for capture in unit.captures)]
    tables = Lake(spark, lake)
    pending = _pending(tables, units)
    if not pending:
        return Ingested(None, 0, len(units))
    name = _digest([run, *(asdict(unit) for unit in pending)])
    with _settings(spark), tempfile.TemporaryDirectory() as folder:
        listing = system.path.join(folder, "units.jsonl")
        save(pending, listing)
        rows = _load(spark, replace(chosen, path=None, listing=listing)).persist(StorageLevel.DISK_ONLY)
        try:
            _write_run(tables, run)
            tables.write(_session_rows(rows, name), "sessions", "ingest_id")
            tables.write(_input_rows(rows, name, _digest(run), _sequence(tables)), "inputs", "ingest_id")
        finally:
            rows.unpersist()
    return Ingested(name, len(pending), len(units) - len(pending))


def watch(
    spark: SparkSession, source: str, lake: str, *, every: float = 60, settle: float = 5, rounds: int | None = None, **options: Any
) -> Iterator[Ingested]:
    """Ingests new and changed captures in rounds, ``every`` seconds apart. Yields the result of each. ``rounds`` None: without end.

    The ledger determines what is new: an overwritten capture is read again, one that is still being written is left for a later round,
    and an interrupted watch can be started again without repeating work.
    """
    number = 0
    while rounds is None or number < rounds:
        if number:
            time.sleep(every)
        yield ingest(spark, source, lake, settle=settle, **options)
        number += 1


def inputs(spark: SparkSession, lake: str) -> DataFrame:
    """Returns the ledger and table of errors: a row for each capture as last read and, with ``member``, for each member of an archive."""
    found = Lake(spark, lake).table("inputs")
    if found is None:
        return spark.createDataFrame([], _input_schema())
    return found.join(_latest(found), ["unit", "ingest_id"], "left_semi")


def sessions(spark: SparkSession, lake: str) -> DataFrame:
    """Returns the facts of all sessions of the captures as last read: the program's ``record``, and columns derived from it."""
    tables = Lake(spark, lake)
    ledger, found = tables.table("inputs"), tables.table("sessions")
    if ledger is None or found is None:
        return spark.createDataFrame([], _session_schema())
    return found.join(_latest(ledger), ["unit", "ingest_id"], "left_semi")


def runs(spark: SparkSession, lake: str) -> DataFrame:
    """Returns the runs by ``policy_id``: the options and the version of the program that read or judged."""
    found = Lake(spark, lake).table("runs")
    kind = record_type("run")
    return found if found is not None else spark.createDataFrame([], StructType([StructField("record", StringType()), *kind.fields]))


def judgements(spark: SparkSession, lake: str, policy_id: str | None = None) -> DataFrame:
    """Returns the judgements of the sessions that ``sessions`` returns, under one policy or all."""
    tables = Lake(spark, lake)
    ledger, found = tables.table("inputs"), tables.table("judgements")
    if ledger is None or found is None:
        return spark.createDataFrame([], _judgement_schema())
    found = found.join(_latest(ledger), ["unit", "ingest_id"], "left_semi")
    return found if policy_id is None else found.where(F.col("policy_id") == policy_id)


def judge_table(
    spark: SparkSession, lake: str, *, program: str = "atscope", os: str | None = None, info_plist: Paths | None = None, **policy: Any
) -> str:
    """Judges the sessions of a lake that have no judgement under a policy yet. Returns the ``policy_id``."""
    chosen = Policy(os=os, info_plist=info_plist, **policy)
    run = check(find_program(program), judge_arguments(chosen))
    policy_id = _digest(run)
    tables = Lake(spark, lake)
    facts, known = sessions(spark, lake), tables.table("judgements")
    if known is not None:
        done = known.where(F.col("policy_id") == policy_id).select("ingest_id").distinct()
        facts = facts.join(done, "ingest_id", "left_anti")
    if facts.isEmpty():
        return policy_id
    units = facts.select("unit", "ingest_id").distinct()
    rows = _judgement_rows(judge(facts, program=program, **asdict(chosen))).join(units, "unit").withColumn("policy_id", F.lit(policy_id))
    with _settings(spark):
        _write_run(tables, run)
        tables.write(rows, "judgements", "policy_id", "ingest_id")
    return policy_id


# The rows of the tables.


def _load(spark: SparkSession, options: ReadOptions) -> DataFrame:
    register(spark)
    reader = spark.read.format("atscope")
    for name, value in asdict(options).items():
        if value is not None and name != "policy":
            reader = reader.option(name.replace("_", ""), value)
    return reader.load()


def _typed(rows: DataFrame, kind: StructType) -> DataFrame:
    """Adds the members of the record as columns."""
    parsed = F.from_json("record", kind)
    return rows.select("*", *[parsed[name].alias(name) for name in kind.names if name != "schema"])


def _session_kind() -> StructType:
    """Returns the type of a session's facts. Judgements are in their own table."""
    return StructType([field for field in record_type("session").fields if field.name not in ("schema", "ats")])


def _session_rows(rows: DataFrame, ingest_id: str) -> DataFrame:
    chosen = rows.where(F.col("kind") == "session").select("unit", "capture_uri", "ordinal", "record")
    return _typed(chosen, _session_kind()).withColumn("ingest_id", F.lit(ingest_id))


def _input_kind() -> StructType:
    record = record_type("input")
    members = record["input"].dataType
    assert isinstance(members, StructType)
    return StructType([*members.fields, *(field for field in record.fields if field.name not in ("schema", "unit", "input"))])


def _input_rows(rows: DataFrame, ingest_id: str, run_id: str, sequence: int) -> DataFrame:
    record = record_type("input")
    parsed = F.from_json("record", record)
    listed = F.col("kind") != "member"
    columns: list[Column] = []
    for field in _input_kind().fields:
        found = parsed[field.name] if field.name in record.names else parsed["input"][field.name]
        columns.append(found.alias(field.name))
    return rows.where(F.col("kind").isin("input", "member", "failure")).select(
        "unit",
        F.when(listed, F.col("capture_uri")).alias("capture_uri"),
        F.when(~listed, F.col("capture_uri")).alias("member"),
        F.col("length"),
        F.col("modified"),
        F.when(F.col("kind") != "failure", F.col("record")).alias("record"),
        F.when(F.col("kind") == "failure", F.from_json("record", FAILURE)).alias("failure"),
        *columns,
        F.lit(run_id).alias("run_id"),
        F.lit(sequence).cast("bigint").alias("sequence"),
        F.lit(ingest_id).alias("ingest_id"),
    )


def _input_schema() -> StructType:
    own = [SCHEMA["unit"], SCHEMA["capture_uri"], StructField("member", StringType()), SCHEMA["length"], SCHEMA["modified"]]
    further = [StructField("record", StringType()), StructField("failure", FAILURE), *_input_kind().fields]
    ends = [StructField("run_id", StringType()), StructField("sequence", LongType()), StructField("ingest_id", StringType())]
    return StructType([*own, *further, *ends])


def _session_schema() -> StructType:
    own = [SCHEMA["unit"], SCHEMA["capture_uri"], SCHEMA["ordinal"], SCHEMA["record"]]
    return StructType([*own, *_session_kind().fields, StructField("ingest_id", StringType())])


def _judgement_kind() -> StructType:
    found = record_type("judgement")["ats"].dataType
    assert isinstance(found, StructType)
    return found


def _judgement_rows(judged: DataFrame) -> DataFrame:
    parsed = F.from_json("record", record_type("judgement"))["ats"]
    return judged.select("*", *[parsed[name].alias(name) for name in _judgement_kind().names])


def _judgement_schema() -> StructType:
    ends = [StructField("policy_id", StringType()), StructField("ingest_id", StringType())]
    return StructType([*JUDGEMENT.fields, *_judgement_kind().fields, *ends])


def _write_run(tables: Lake, run: str) -> None:
    """Writes a run unless the table contains it."""
    name = _digest(run)
    known = tables.table("runs")
    if known is not None and known.where(F.col("policy_id") == name).limit(1).count():
        return
    rows = tables.spark.createDataFrame([(run,)], "record string")
    tables.write(_typed(rows, record_type("run")).withColumn("policy_id", F.lit(name)), "runs", "policy_id")


# The ledger.


def _latest(ledger: DataFrame) -> DataFrame:
    """Returns the job that last read each unit."""
    return ledger.groupBy("unit").agg(F.max_by("ingest_id", "sequence").alias("ingest_id"))


def _sequence(tables: Lake) -> int:
    ledger = tables.table("inputs")
    if ledger is None:
        return 1
    row = ledger.agg(F.max("sequence")).first()
    return (row[0] if row and row[0] is not None else 0) + 1


def _pending(tables: Lake, units: list[Unit]) -> list[Unit]:
    """Returns the units that differ from the ledger, or are not in it."""
    ledger = tables.table("inputs")
    if ledger is None:
        return units
    listed = [(shown(unit.name), shown(capture.uri), capture.length, capture.modified) for unit in units for capture in unit.captures]
    columns = ["unit", "capture_uri", "length", "modified"]
    types = [pa.string(), pa.string(), pa.int64(), pa.int64()]
    arrays = [pa.array(values, type=kind) for values, kind in zip(zip(*listed), types)] if listed else [pa.array([], kind) for kind in types]
    now = tables.spark.createDataFrame(pa.table(arrays, names=columns))
    known = ledger.join(_latest(ledger), ["unit", "ingest_id"], "left_semi").where(F.col("member").isNull())
    known = known.select("unit", "capture_uri", "length", F.unix_micros("modified").alias("modified"))
    # New and changed captures are missing from the ledger; removed ones only it contains.
    gone = known.join(now.select("unit").distinct(), "unit", "left_semi").exceptAll(now)
    changed = now.exceptAll(known).union(gone).select("unit").distinct()
    names = {row["unit"] for row in changed.toLocalIterator()}
    return [unit for unit in units if shown(unit.name) in names]


def _digest(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]


@contextlib.contextmanager
def _settings(spark: SparkSession) -> Iterator[None]:
    """Applies the Spark settings for writing, and restores the earlier ones afterwards."""
    before = {name: spark.conf.get(name, None) for name in _MICROSECONDS}
    try:
        for name, value in _MICROSECONDS.items():
            spark.conf.set(name, value)
        yield
    finally:
        for name, earlier in before.items():
            if earlier is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, earlier)

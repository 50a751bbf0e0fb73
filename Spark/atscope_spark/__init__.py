"""Judges any number of captures against App Transport Security on Apache Spark, with the program ``atscope``.

    import atscope_spark

    atscope_spark.register(spark)
    lines = spark.read.format("atscope").option("unit", "folder").load("s3://lab/2026")
    atscope_spark.ingest(spark, "s3://lab/2026", "s3://lab/tables", unit="folder")
    judged = atscope_spark.judge(atscope_spark.sessions(spark, "s3://lab/tables"), os="ios26.5", info_plist="App.plist")

The program reads the captures and judges them; this package lists captures, runs the program, and stores and joins its records.
"""
from __future__ import annotations

from .comparing import compare
from .judging import judge
from .options import OptionError, Policy, ReadOptions, read_options
from .runner import ProgramError, Row, Runner
from .source import AtscopeSource
from .tables import Ingested, Lake, ingest, inputs, judge_table, judgements, register, runs, sessions, watch

__all__ = [
    "AtscopeSource", "Ingested", "Lake", "OptionError", "Policy", "ProgramError", "ReadOptions", "Row", "Runner", "compare", "ingest", "inputs",
    "judge", "judge_table", "judgements", "read_options", "register", "runs", "sessions", "watch",
]

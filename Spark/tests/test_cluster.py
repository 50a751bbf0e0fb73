"""Tests with a local cluster of two executors: one is killed while a job runs, and a Spark session ends while a program hangs."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PROGRAM, ROOT, lines_of
from stand_ins import left_over, stand_in

pytest.importorskip("pyspark")

SCRIPT = """
import json, sys, threading, time
import psutil
from pyspark.sql import SparkSession
import atscope_spark as ats
from stand_ins import left_over

source, hanging, lake, slow, hang = sys.argv[1:]
spark = (SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false").config("spark.sql.shuffle.partitions", "2").config("spark.driver.memory", "1g").getOrCreate())
spark.sparkContext.setLogLevel("OFF")

def executors():
    return [p for p in psutil.process_iter(["cmdline"]) if "CoarseGrainedExecutorBackend" in " ".join(p.info["cmdline"] or [])
        and psutil.Process() in p.parents()]

def kill():
    while not left_over(slow):
        time.sleep(0.05)
    time.sleep(1.5)
    executors()[0].kill()
    print("killed", file=sys.stderr)

killer = threading.Thread(target=kill)
killer.start()
ats.ingest(spark, source, lake, program=slow, files_per_task=3)
killer.join()
rows = [list(row) for row in ats.sessions(spark, lake).select("unit", "capture_uri", "ordinal", "record").collect()]
inputs = [row[0] for row in ats.inputs(spark, lake).select("capture_uri").collect()]
again = ats.ingest(spark, source, lake, program=slow, files_per_task=3).units

def never():
    try:
        spark.read.format("atscope").option("program", hang).load(hanging).count()
    except BaseException:
        pass

threading.Thread(target=never, daemon=True).start()
while not left_over(hang):
    time.sleep(0.05)
time.sleep(1)
spark.stop()
print(json.dumps({"rows": rows, "inputs": inputs, "again": again}))
"""


def test_a_lost_executor_costs_no_row_and_doubles_none_and_a_stopped_session_leaves_no_process(tmp_path: Path) -> None:
    source, hanging = tmp_path / "source", tmp_path / "hanging"
    source.mkdir()
    hanging.mkdir()
    for number in range(24):
        shutil.copy(ROOT / "captures/demo/demo.pcapng", source / f"{number:02}.pcapng")
    shutil.copy(ROOT / "captures/demo/demo.pcapng", hanging / "hang.pcapng")
    (tmp_path / "slow").mkdir()
    (tmp_path / "hung").mkdir()
    slow, hang = stand_in(tmp_path / "slow", pause=0.7), stand_in(tmp_path / "hung")
    result = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(source), str(hanging), str(tmp_path / "lake"), slow, hang],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=900,
    )
    assert result.returncode == 0, result.stderr[-4000:]
    assert "killed" in result.stderr
    found = json.loads(result.stdout.splitlines()[-1])
    expected = [[str(path), str(path), ordinal, line] for path in sorted(source.iterdir())
                for ordinal, line in enumerate(lines_of("sessions", "--format=ndjson", path))]
    assert sorted(found["rows"]) == expected and len(expected) == 96
    assert sorted(found["inputs"]) == [str(path) for path in sorted(source.iterdir())]
    assert found["again"] == 0
    assert left_over(slow) == [] and left_over(hang) == []

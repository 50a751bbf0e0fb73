"""Measures Spark, xargs and DuckDB on the same captures, and updates the table in a document.

  bench.py ATSCOPE DOCUMENT

Makes copies of captures/ and one capture of 1.5 GB in .build-bench. CPU seconds are user and system time of all processes together.
"""
from __future__ import annotations

import os
import platform
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".build-bench" / "spark"
COUNT = 8000
LARGE = 1500 << 20
BEGIN, END = "<!-- make spark-bench -->", "<!-- end -->"


def small() -> Path:
    """Makes 8,000 captures: copies of the small files in captures/."""
    folder = FOLDER / "small"
    if len(list(folder.rglob("*.pcap*"))) == COUNT:
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    sources = sorted(path for path in (ROOT / "captures").rglob("*") if path.suffix in (".pcap", ".pcapng") and path.stat().st_size < 1 << 20)
    for number in range(COUNT):
        source = sources[number % len(sources)]
        target = folder / f"{number // 500:02}" / f"{number:04}{source.suffix}"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    return folder


def large() -> Path:
    path = FOLDER / "large.pcap"
    if not path.exists() or path.stat().st_size < LARGE:
        packet = struct.pack("<IIII", 1, 0, 1400, 1400) + bytes(12) + b"\x08\x00" + bytes(1386)
        with open(path, "wb") as file:
            file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
            while file.tell() < LARGE:
                file.write(packet * 700)
    return path


class Measured:
    """A context manager that measures CPU and wall-clock seconds."""

    def __enter__(self) -> Measured:
        self._began, self._cpu = time.monotonic(), self._seconds()
        return self

    def __exit__(self, *error: object) -> None:
        self.wall, self.cpu = time.monotonic() - self._began, self._seconds() - self._cpu

    def _seconds(self) -> float:
        import psutil

        total = 0.0
        for process in [psutil.Process(), *psutil.Process().children(recursive=True)]:
            try:
                times = process.cpu_times()
                total += times.user + times.system + times.children_user + times.children_system
            except psutil.NoSuchProcess:
                pass
        return total


def shell(script: str, *arguments: object) -> Measured:
    with Measured() as measured:
        subprocess.run(["sh", "-c", script, "sh", *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return measured


def worker_memory(program: str, path: Path) -> tuple[int, float]:
    """Returns the MiB that piping a capture adds to a Python process, and the CPU seconds."""
    code = """
import re, sys
from atscope_spark import storage
from atscope_spark.options import ReadOptions
from atscope_spark.runner import Runner
from atscope_spark.units import Capture, Unit
def peak():
    # VmHWM covers this program only: ru_maxrss starts at the peak of the process that started it.
    return int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])

program, path, size = sys.argv[1:]
storage.Storage.open = lambda self, uri: open(path, "rb")
runner = Runner(ReadOptions(path="x", program=program, stream_bytes=0))
runner.check()
before = peak()
list(runner.run([Unit("u", (Capture("s3://lab/large.pcap", int(size), 0),))]))
print((peak() - before) // 1024)
"""
    with Measured() as measured:
        result = subprocess.run([sys.executable, "-c", code, program, str(path), str(path.stat().st_size)], stdout=subprocess.PIPE, check=True)
    return int(result.stdout), measured.cpu


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, document = os.path.abspath(sys.argv[1]), Path(sys.argv[2])
    os.environ.update(ATSCOPE=program, PYSPARK_PYTHON=sys.executable, PYTHONPATH=str(ROOT / "Spark"))
    sys.path.insert(0, str(ROOT / "Spark"))
    import duckdb
    from pyspark.sql import SparkSession

    import atscope_spark as ats

    captures, bulk = small(), large()
    rows: list[tuple[str, str, str]] = []

    def note(what: str, measured: Measured, more: str = "") -> None:
        rows.append((what, f"{measured.cpu:.1f}", more or f"{measured.wall:.1f} s on the clock"))
        print(*rows[-1], sep="  ", flush=True)

    with tempfile.TemporaryDirectory(dir=FOLDER) as scratch:
        listed = os.path.join(scratch, "list")
        subprocess.run(["sh", "-c", 'find "$1" -name "*.pcap*" -print0 | sort -z > "$2"', "sh", captures, listed], check=True)
        note("`xargs -n 1 -P 2`: a process for each capture",
             shell('xargs -0 -n 1 -P 2 "$1" sessions --format ndjson < "$2" > "$3/each"', program, listed, scratch))
        note("`xargs -n 500 -P 2`, `--isolated`",
             shell('cd "$3" && xargs -0 -n 500 -P 2 "$1" sessions --format ndjson --isolated < "$2" > "$3/many"', program, listed, scratch))
        facts = os.path.join(scratch, "facts.ndjson")
        note("one process, `--files-from --isolated`",
             shell('"$1" sessions --format ndjson --isolated --files-from "$2" --null -o "$3"', program, listed, facts))
        with Measured() as measured:
            duckdb.sql(f"COPY (SELECT * FROM read_ndjson('{facts}', union_by_name = true, sample_size = -1) WHERE schema = 'atscope.session/1') "
                       f"TO '{scratch}/duck.parquet'")
        note("these lines to Parquet by DuckDB", measured)

        builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
        with Measured() as measured:
            spark = builder.config("spark.sql.shuffle.partitions", "4").config("spark.driver.memory", "1g").getOrCreate()
            spark.sparkContext.setLogLevel("OFF")
            ats.register(spark)
            warm = spark.read.format("atscope").load(str(captures / "00"))
            warm.write.mode("overwrite").parquet(f"{scratch}/warm")
        note("Spark: start and a first job of 500 captures", measured)
        with Measured() as measured:
            spark.read.format("atscope").load(str(captures)).write.parquet(f"{scratch}/lines")
        note("Spark `local[2]`: lines to Parquet, after that job", measured)
        count = spark.read.parquet(f"{scratch}/lines").where("kind = 'session'").count()
        with Measured() as measured:
            ats.ingest(spark, str(captures), f"{scratch}/lake")
        note("Spark: `ingest` into typed tables", measured)
        with Measured() as measured:
            ats.ingest(spark, str(captures), f"{scratch}/lake")
        note("Spark: `ingest` again, nothing new", measured)
        with Measured() as measured:
            ats.judge_table(spark, f"{scratch}/lake", os="ios15.4")
        note(f"Spark: `judge` of its {count:,} sessions", measured)
        note("the same by the program alone",
             shell('"$1" audit --no-config --isolated --format ndjson --fields judgement --os ios15.4 - < "$2"', program, facts))
        spark.stop()

        note("1.5 GB capture, from a file", shell('"$1" sessions --format ndjson "$2"', program, bulk))
        added, seconds = worker_memory(program, bulk)
        rows.append(("1.5 GB capture, piped by a Python worker", f"{seconds:.1f}", f"adds {added} MiB to the worker"))
        print(*rows[-1], sep="  ", flush=True)

    table = [BEGIN, "", f"{COUNT:,} captures, {count:,} sessions; {os.cpu_count()} cores, {platform.machine()}, {platform.system()}:", "",
             "| what | CPU s | |", "| --- | --- | --- |", *(f"| {' | '.join(row)} |" for row in rows), "", END]
    text = document.read_text(encoding="utf-8")
    start, end = text.index(BEGIN), text.index(END) + len(END)
    document.write_text(text[:start] + "\n".join(table) + text[end:], encoding="utf-8")


if __name__ == "__main__":
    main()

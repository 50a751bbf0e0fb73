"""Fixtures and helpers for the tests: the program, captures, and one Spark session for all tests."""
from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("ATSCOPE") or str(next((p for p in (ROOT / ".build/release/atscope", ROOT / ".build/debug/atscope") if p.exists()), "atscope"))
REPORTS = {".json", ".ndjson", ".csv", ".html", ".sarif", ".txt", ".xml", ".md", ".py", ".keylog", ".pem"}
CORPUS = ROOT.parent / "shared" / "corpus"

os.environ["ATSCOPE"] = PROGRAM
# Spark's workers need the package, the modules of the tests, and credentials for the S3 server of the tests.
os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "Spark"), str(Path(__file__).parent)])
os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ.update(AWS_ACCESS_KEY_ID="test", AWS_SECRET_ACCESS_KEY="test", AWS_EC2_METADATA_DISABLED="true")


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    from pyspark.sql import SparkSession

    import atscope_spark

    folder = tmp_path_factory.mktemp("spark")
    session = (
        SparkSession.builder.master("local[2]").appName("tests")
        .config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "3").config("spark.default.parallelism", "3")
        .config("spark.driver.memory", "1g").config("spark.local.dir", str(folder / "local"))
        .config("spark.sql.warehouse.dir", str(folder / "warehouse")).config("spark.sql.session.timeZone", "America/New_York")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    atscope_spark.register(session)
    yield session
    session.stop()


def captures_below(*folders: Path) -> list[Path]:
    """Returns the files below folders, without reports and other files that are not captures, in the order in which they are listed."""
    found = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return sorted((path for path in found if path.suffix not in REPORTS), key=lambda path: os.fsencode(path))


def lines_of(*arguments: str | Path, schema: str = "session") -> list[str]:
    """Runs the program once. Returns the lines of its output with the given schema."""
    result = subprocess.run([PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert result.returncode in (0, 1, 2), result.stderr
    start = f'{{"schema":"atscope.{schema}/1"'
    return [line for line in result.stdout.decode().splitlines() if line.startswith(start)]


@pytest.fixture(scope="session")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders with captures of several kinds, copies of a capture under difficult names, a truncated copy, and a text file."""
    folder = tmp_path_factory.mktemp("mixed")
    for name in ("tls12", "tls13", "http", "resumption", "together", "certificates"):
        for path in captures_below(ROOT / "captures" / name)[:6]:
            target = folder / name / path.name
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(path.read_bytes())
    demo = (ROOT / "captures/demo/demo.pcapng").read_bytes()
    (folder / "tls12" / "with space é 日本.pcapng").write_bytes(demo)
    (folder / "tls12" / "_hidden & 100%.pcapng").write_bytes(demo)
    (folder / "tls12" / "cut.pcapng").write_bytes(demo[:9000])
    (folder / "notes.txt").write_text("not a capture")
    return folder

"""Tests of jobs in a Spark session: rows, tables, judgements, comparisons, storage and cancellation."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from conftest import CORPUS, PROGRAM, ROOT, captures_below, lines_of
from stand_ins import left_over, spoiled, stand_in

pytest.importorskip("pyspark")

import atscope_spark as ats  # noqa: E402
from atscope_spark.__main__ import main  # noqa: E402

ANCHORS = str(ROOT / "captures/anchors/example-ca.pem")
LISTS = ("regressions", "noLongerVisible", "improvements", "moved", "accepted", "newHosts", "vanishedHosts")
FOLDERS = [ROOT / "captures", *([CORPUS / "captures"] if CORPUS.exists() else [])]


def rows_of(frame: Any, kind: str = "session") -> list[Any]:
    return sorted(frame.where(f"kind = '{kind}'").collect(), key=lambda row: (row["unit"], row["ordinal"]))


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All captures, copied below one folder."""
    target = tmp_path_factory.mktemp("tree")
    for number, folder in enumerate(FOLDERS):
        for path in captures_below(folder):
            copy = target / str(number) / path.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
    return target


@pytest.fixture(scope="module")
def single(tree: Path) -> dict[str, dict[str, list[str]]]:
    """The session lines of the command for each unit, from a separate process per unit."""
    files = captures_below(tree)
    folders: dict[str, list[Path]] = {}
    for path in files:
        folders.setdefault(str(path.parent), []).append(path)
    options = ["audit", "--format=ndjson", "--series=never", "--no-config", f"--anchors={ANCHORS}"]
    with ThreadPoolExecutor(2) as pool:
        by_file = dict(zip(map(str, files), pool.map(lambda path: lines_of(*options, path), files)))
        by_folder = dict(zip(folders, pool.map(lambda paths: lines_of(*options, *paths), folders.values())))
    return {"file": by_file, "folder": by_folder}


@pytest.mark.parametrize("unit", ["file", "folder"])
@pytest.mark.parametrize("packing", [(13, "1m"), (97, "256m"), (100000, "1g")])
def test_rows_of_a_unit_are_the_lines_of_the_command(spark: Any, tree: Path, single: Any, unit: str, packing: tuple[int, str]) -> None:
    reader = spark.read.format("atscope").option("unit", unit).option("anchors", ANCHORS)
    reader = reader.option("filesPerTask", packing[0]).option("bytesPerTask", packing[1])
    rows = reader.load(str(tree)).where("kind = 'session'").collect()
    found: dict[str, dict[int, str]] = {name: {} for name in single[unit]}
    for row in rows:
        assert row["ordinal"] not in found[row["unit"]]
        found[row["unit"]][row["ordinal"]] = row["record"]
    assert sum(map(len, found.values())) > 400
    differing = [name for name, lines in single[unit].items() if [text for _, text in sorted(found[name].items())] != lines]
    assert differing == []


@pytest.mark.skipif(not CORPUS.exists(), reason="no corpus here")
def test_every_hostile_capture_has_one_row(spark: Any) -> None:
    listed = [str(path) for path in (CORPUS / "hostile").rglob("*") if path.is_file()]
    frame = spark.read.format("atscope").load(str(CORPUS / "hostile")).where("kind IN ('input', 'failure')")
    assert sorted(row["capture_uri"] for row in frame.collect()) == sorted(listed)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"os": "ios99"}, "The value 'ios99' is invalid for '--os <name>'"),
        ({"infoPlist": "missing.plist"}, "missing.plist: no such file or directory"),
        ({"infoPlist": str(ROOT / "README.md")}, "not a usable Info.plist"),
        ({"keylog": str(ROOT / "README.md")}, "not a key log"),
        ({"systemAnchors": "missing.pem"}, "missing.pem: no such file or directory"),
        ({"colour": "red"}, "unknown option"),
        ({"program": "missing"}, "the program 'missing' is not here"),
    ],
)
def test_a_wrong_option_fails_before_any_task(spark: Any, mixed: Path, options: dict[str, str], message: str) -> None:
    before = len(spark.sparkContext.statusTracker().getJobIdsForGroup(None))
    with pytest.raises(Exception) as error:
        spark.read.format("atscope").options(**options).load(str(mixed)).collect()
    assert message in str(error.value)
    assert len(spark.sparkContext.statusTracker().getJobIdsForGroup(None)) == before


def test_nothing_to_read_is_no_error(spark: Any, tmp_path: Path) -> None:
    assert spark.read.format("atscope").load(str(tmp_path)).count() == 0
    assert "no such file" in str(pytest.raises(Exception, spark.read.format("atscope").load(str(tmp_path / "none")).count).value)


def contents(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(path.relative_to(folder)): (path.stat().st_size, path.stat().st_mtime_ns) for path in folder.rglob("*") if path.is_file()}


def test_tables_hold_everything_once_and_a_second_job_changes_nothing(spark: Any, mixed: Path, tmp_path: Path) -> None:
    source, lake = tmp_path / "source", tmp_path / "lake"
    shutil.copytree(mixed, source)
    files = [str(path) for path in sorted(source.rglob("*")) if path.is_file()]
    done = ats.ingest(spark, str(source), str(lake), unit="folder")
    assert done.known == 0 and done.ingest_id is not None
    expected = [line for folder in {str(Path(file).parent) for file in files}
                for line in lines_of("sessions", "--format=ndjson", "--series=never", *[f for f in files if str(Path(f).parent) == folder])]
    assert sorted(row["record"] for row in ats.sessions(spark, str(lake)).select("record").collect()) == sorted(expected)
    listed = ats.inputs(spark, str(lake)).where("member IS NULL")
    assert sorted(row["capture_uri"] for row in listed.select("capture_uri").collect()) == files
    # The typed columns must equal the members of the records.
    for row in ats.sessions(spark, str(lake)).selectExpr("*", "date_format(to_utc_timestamp(start, current_timezone()), 'yyyy-MM-dd HH:mm:ss') AS at").collect():
        record = json.loads(row["record"])
        assert row["id"] == record["id"] and row["server"].asDict() == record["server"] and row["capture"]["file"] == record["capture"]["file"]
        assert row["at"] == record["start"][:19].replace("T", " ")
        assert (row["tls"] and row["tls"]["offeredCipherSuites"]) == (record.get("tls") and record["tls"]["offeredCipherSuites"])
    cut = listed.where("capture_uri LIKE '%cut.pcapng'").first()
    assert cut["error"]["cutOff"] and cut["failure"] is None
    before = contents(lake)
    assert ats.ingest(spark, str(source), str(lake), unit="folder") == ats.Ingested(None, 0, done.units)
    assert contents(lake) == before
    # A unit is read again if one of its captures is new, changed or removed, but not while one may still be being written (`settle`).
    time.sleep(0.01)
    (source / "http" / "new.pcap").write_bytes((ROOT / "captures/alpn/h2.pcap").read_bytes())
    os.unlink(next((source / "tls13").iterdir()))
    os.utime(source / "tls12", None)
    assert ats.ingest(spark, str(source), str(lake), unit="folder", settle=3600).units == 0
    done = next(ats.watch(spark, str(source), str(lake), rounds=1, unit="folder", settle=0))
    assert done.units == 2
    fresh = tmp_path / "fresh"
    ats.ingest(spark, str(source), str(fresh), unit="folder")
    both = [sorted(tuple(row) for row in ats.sessions(spark, str(folder)).select("unit", "capture_uri", "ordinal", "record").collect()) for folder in (lake, fresh)]
    assert both[0] == both[1]
    assert ats.runs(spark, str(lake)).count() == 1


def test_a_name_that_is_not_utf8_is_known_to_the_next_job(spark: Any, tmp_path: Path) -> None:
    source, lake = tmp_path / "captures", str(tmp_path / "lake")
    source.mkdir()
    shutil.copy(ROOT / "captures/alpn/h2.pcap", source / "a.pcap")
    shutil.copy(ROOT / "captures/alpn/h2.pcap", os.fsencode(source) + b"/b\xff.pcap")
    assert ats.ingest(spark, str(source), lake).units == 2
    assert ats.ingest(spark, str(source), lake) == ats.Ingested(None, 0, 2)
    assert ats.sessions(spark, lake).count() == 1



def test_a_job_that_ended_halfway_is_done_over(spark: Any, mixed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lake = str(tmp_path / "lake")
    write = ats.Lake.write

    def fail(self: ats.Lake, rows: Any, name: str, *partition: str) -> None:
        if name == "inputs":
            raise OSError("the disk is full")
        write(self, rows, name, *partition)

    with monkeypatch.context() as patch:
        patch.setattr(ats.Lake, "write", fail)
        with pytest.raises(OSError, match="the disk is full"):
            ats.ingest(spark, str(mixed), lake)
    assert ats.sessions(spark, lake).count() == 0
    ats.ingest(spark, str(mixed), lake)
    keys = [tuple(row) for row in ats.sessions(spark, lake).select("unit", "capture_uri", "ordinal").collect()]
    assert len(keys) == len(set(keys)) == sum(len(lines_of("sessions", "--format=ndjson", path)) for path in captures_below(mixed))


def judgement(line: str) -> str:
    """Returns the text of the judgement in a session line."""
    return line[line.index(',"ats":'):]


@pytest.mark.parametrize("unit", ["file", "folder"])
def test_judging_stored_facts_is_auditing_the_captures(spark: Any, tree: Path, unit: str, tmp_path: Path) -> None:
    plist = tmp_path / "Info.plist"
    shutil.copy(ROOT / "docs/examples/Info.plist", plist)
    facts = spark.read.format("atscope").option("unit", unit).load(str(tree)).where("kind = 'session'")
    for policy in ({"os": "ios15.4"}, {"info_plist": str(plist), "anchors": ANCHORS, "os": "macos12"}):
        reader = spark.read.format("atscope").option("unit", unit).options(**{name.replace("_", ""): value for name, value in policy.items()})
        audited = {(row["unit"], row["ordinal"]): judgement(row["record"]) for row in rows_of(reader.load(str(tree)))}
        judged = ats.judge(facts, partitions=3, **policy).collect()
        assert len(judged) == len(audited) > 400
        assert [row for row in judged if judgement(row["record"]) != audited[row["unit"], row["ordinal"]]] == []


def test_judgements_are_stored_once_for_each_policy(spark: Any, mixed: Path, tmp_path: Path) -> None:
    lake = str(tmp_path / "lake")
    ats.ingest(spark, str(mixed), lake)
    first = ats.judge_table(spark, lake, os="ios9")
    before = contents(tmp_path / "lake")
    assert ats.judge_table(spark, lake, os="ios9") == first and contents(tmp_path / "lake") == before
    second = ats.judge_table(spark, lake)
    count = ats.sessions(spark, lake).count()
    found = ats.judgements(spark, lake).groupBy("policy_id").count().collect()
    assert {(row[0], row[1]) for row in found} == {(first, count), (second, count)} and first != second
    row = ats.judgements(spark, lake, second).first()
    assert row["verdict"] == json.loads(row["record"])["ats"]["verdict"]
    assert {row["command"] for row in ats.runs(spark, lake).collect()} == {"sessions", "audit"}
    with pytest.raises(ats.OptionError, match="ios99"):
        ats.judge_table(spark, lake, os="ios99")


@pytest.mark.parametrize("partitions", [1, 4])
def test_comparing_is_what_diff_does(spark: Any, tree: Path, tmp_path: Path, partitions: int) -> None:
    """Covers sides with process names and sides without."""
    sources = [captures_below(tree / "0" / name) for name in ("tls12", "tls10", "chromium")] + [captures_below(tree)]
    sides = []
    for number, (paths, options) in enumerate([(sources[0], []), (sources[3], []), (sources[3], [])]):
        file = tmp_path / f"{number}.ndjson"
        lines = lines_of("sessions", "--format=ndjson", "--series=never", *options, *paths)
        if number == 2:
            lines = [line for line in lines if '"firstFrame":4' in line]
        file.write_text("\n".join(lines) + "\n")
        rows = [("u", "c", index, line) for index, line in enumerate(lines)]
        sides.append((file, spark.createDataFrame(rows, "unit string, capture_uri string, ordinal bigint, record string")))
    for before, after in ((0, 1), (1, 2), (2, 1)):
        command = [PROGRAM, "diff", "--no-config", "--intermediates=none", "--os=ios15.4", "--format=json", str(sides[before][0]), str(sides[after][0])]
        expected = json.loads(subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout)
        wanted = Counter((name, json.dumps(entry, sort_keys=True)) for name in LISTS for entry in expected[name])
        rows = ats.compare(sides[before][1], sides[after][1], ats.Policy(os="ios15.4"), partitions=partitions).collect()
        common = sum(int(row["after"]) for row in rows if row["list"] == "commonHosts")
        found = Counter((row["list"], json.dumps(json.loads(row["record"]), sort_keys=True)) for row in rows if row["list"] != "commonHosts")
        assert common == expected["commonHosts"]
        assert found == wanted and wanted


def test_two_policies_are_compared_as_with_a_kept_baseline(spark: Any, mixed: Path, tmp_path: Path) -> None:
    file, kept = tmp_path / "s.ndjson", tmp_path / "kept.json"
    lines = lines_of("sessions", "--format=ndjson", "--series=never", *captures_below(mixed))
    file.write_text("\n".join(lines) + "\n")
    frame = spark.createDataFrame([("u", "c", index, line) for index, line in enumerate(lines)], "unit string, capture_uri string, ordinal bigint, record string")
    base = [PROGRAM, "diff", "--no-config", "--intermediates=none", "--format=json"]
    subprocess.run([*base, "--os=ios9", f"--write-baseline={kept}", str(file), str(file)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    expected = json.loads(subprocess.run([*base, str(kept), str(file)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout)
    rows = ats.compare(frame, frame, ats.Policy(), ats.Policy(os="ios9"), partitions=2).collect()
    assert Counter(row["list"] for row in rows if row["list"] != "commonHosts") == Counter(
        {name: len(expected[name]) for name in LISTS if expected[name]})


def test_s3_gives_the_rows_of_local_files(spark: Any, mixed: Path) -> None:
    pytest.importorskip("moto")
    from moto.server import ThreadedMotoServer
    from pyarrow import fs

    import gzip

    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        endpoint = f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{port}"
        (mixed / "tls13" / "packed é.pcap.gz").write_bytes(gzip.compress((ROOT / "captures/demo/demo.pcapng").read_bytes()))
        bucket = fs.S3FileSystem(endpoint_override=endpoint.partition("://")[2], scheme="http", allow_bucket_creation=True)
        bucket.create_dir("lab")
        for path in mixed.rglob("*"):
            if path.is_file():
                with bucket.open_output_stream(f"lab/2026/{path.relative_to(mixed)}", compression=None) as output:
                    output.write(path.read_bytes())
        for unit in ("file", "folder"):
            local = spark.read.format("atscope").option("unit", unit).load(str(mixed)).drop("modified").collect()
            reader = spark.read.format("atscope").option("unit", unit).option("endpoint", endpoint).option("region", "us-east-1")
            remote = reader.load("s3://lab/2026").drop("modified").collect()
            expected = [tuple(value.replace(str(mixed), "s3://lab/2026") if isinstance(value, str) else value for value in row) for row in local]
            assert sorted(map(str, expected)) == sorted(str(tuple(row)) for row in remote)
            assert any("packed é.pcap.gz" in row["record"] and '"compression":"gzip"' in row["record"] for row in remote)
    finally:
        server.stop()


def wait_until(condition: Any, seconds: float = 20) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.1)
    return False


def test_a_crash_and_a_hang_cost_one_row_each_and_leave_no_process(spark: Any, tmp_path: Path) -> None:
    source, program = spoiled(tmp_path, "crash.pcap", "hang.pcap"), stand_in(tmp_path)
    lake = str(tmp_path / "lake")
    ats.ingest(spark, str(source), lake, program=program, seconds=1.5)
    rows = {Path(row["capture_uri"]).name: row for row in ats.inputs(spark, lake).collect()}
    assert len(rows) == 6 and [name for name, row in rows.items() if row["failure"] is not None] == [name for name in rows if name in ("crash.pcap", "hang.pcap")]
    assert rows["crash.pcap"]["failure"]["signal"] == "SIGSEGV" and rows["hang.pcap"]["failure"]["timeout"]
    assert ats.sessions(spark, lake).count() == 4
    assert left_over(program) == []


def test_cancelling_a_job_leaves_no_process(spark: Any, tmp_path: Path) -> None:
    source, program = spoiled(tmp_path, "hang.pcap"), stand_in(tmp_path)
    context = spark.sparkContext
    failed: list[BaseException] = []

    def run() -> None:
        context.setJobGroup("hanging", "hangs", interruptOnCancel=True)
        try:
            spark.read.format("atscope").option("program", program).load(str(source)).count()
        except BaseException as error:
            failed.append(error)

    from pyspark import InheritableThread

    thread = InheritableThread(target=run)
    thread.start()
    assert wait_until(lambda: any("sleep(600)" in " ".join(process.cmdline()) for process in left_over(program)))
    context.cancelJobGroup("hanging")
    thread.join(30)
    assert failed and not thread.is_alive()
    assert wait_until(lambda: not left_over(program)), left_over(program)


def test_commands_fill_judge_and_compare(spark: Any, mixed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lake = str(tmp_path / "lake")
    assert main(["ingest", str(mixed), lake, "--unit", "folder", "--program", PROGRAM]) == 0
    assert "cut.pcapng" in capsys.readouterr().err
    assert main(["judge", lake, "--os", "ios9"]) == 0
    assert "judge: policy_id" in capsys.readouterr().out
    assert main(["compare", lake, lake]) == 0
    assert main(["compare", lake, lake, "--baseline-os", "ios9"]) == 1
    assert "regressions\t{" in capsys.readouterr().out
    assert main(["judge", lake, "--os", "ios99"]) == 64
    assert "ios99" in capsys.readouterr().err

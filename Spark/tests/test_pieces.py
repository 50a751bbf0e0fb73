"""Tests of the parts that need no Spark session: units, options, names, schemas and processes."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from conftest import CORPUS, PROGRAM, ROOT, captures_below, lines_of
from stand_ins import left_over, spoiled, stand_in

from atscope_spark.options import OptionError, Policy, ReadOptions, find_program, read_options
from atscope_spark.runner import Runner, unescaped
from atscope_spark.schema import record_type, unknown_members
from atscope_spark.storage import Storage
from atscope_spark.units import Capture, Unit, group, load, pack, save

GIVEN = {"path": "x", "program": PROGRAM}


def captures(*names: str) -> list[Capture]:
    return [Capture(name, 10, 0) for name in names]


def test_units_are_files_folders_or_what_a_pattern_names_alike() -> None:
    listed = captures("/a/x-1.pcap", "/a/x-2.pcap", "/b/x-1.pcap", "/b/other")
    assert [unit.name for unit in group(listed, "file")] == [capture.uri for capture in listed]
    assert [(unit.name, len(unit.captures)) for unit in group(listed, "folder")] == [("/a", 2), ("/b", 2)]
    assert [(unit.name, len(unit.captures)) for unit in group(listed, r"(.*)-\d+\.pcap")] == [("/a/x", 2), ("/b/x", 1), ("/b/other", 1)]


def test_tasks_hold_the_largest_units_first_and_divide_none() -> None:
    units = [Unit(str(size), (Capture(str(size), size, 0),)) for size in (5, 100, 30, 1, 30)]
    tasks = [[unit.length for unit in task] for task in pack(units, files=3, length=40)]
    assert tasks == [[100], [30], [30, 5, 1]]
    assert [[len(unit.captures) for unit in task] for task in pack([Unit("u", tuple(captures("a", "b", "c")))], 1, 1)] == [[3]]


def test_units_are_saved_and_loaded(tmp_path: Path) -> None:
    units = group(captures("/ä b/1", "/ä b/2", "/\udcff"), "folder")
    save(units, str(tmp_path / "units"))
    assert list(load(str(tmp_path / "units"))) == units


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pth": "x"}, "unknown option 'pth'; the options are"),
        ({}, "give a path"),
        ({"path": "x", "command": "diff"}, "sessions or audit"),
        ({"path": "x", "unit": "("}, "file, folder or a regular expression"),
        ({"path": "x", "filesPerTask": "0"}, "greater than 0"),
        ({"path": "x", "bytesPerTask": "many"}, "a number such as"),
        ({"path": "x", "command": "sessions", "os": "ios15.4"}, "judges nothing"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(OptionError, match=message.replace("(", r"\(")):
        read_options(options)


def test_options_become_arguments() -> None:
    found = read_options({"path": "x", "infoPlist": "A.plist", "systemAnchors": "none", "memory": "64m"})
    assert found.command == "audit" and found.memory == 64 << 20
    assert found.arguments()[-2:] == ["--info-plist=A.plist", "--system-anchors=none"]
    assert Policy(anchors=["a", "b"]).arguments() == ["--anchors=a", "--anchors=b"]
    assert "--no-config" not in ReadOptions(path="x").arguments()


def test_a_program_is_found_in_a_shipped_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "unpacked/bin").mkdir(parents=True)
    shutil.copy("/bin/sh", tmp_path / "unpacked/bin/atscope")
    monkeypatch.chdir(tmp_path)
    assert find_program("unpacked") == str(tmp_path / "unpacked/bin/atscope")
    with pytest.raises(OptionError, match="--archives"):
        find_program("nowhere")


def test_names_are_read_back_from_reports(tmp_path: Path) -> None:
    names = ["plain", "back\\slash", "tab\tline\nbell\x07del\x7f", "c1\x85", "rtl\u202e\u2066\u200e\u061c", "é 日本 \U0001f600", "nbsp\xa0\xad\u2028\ufeff"]
    target = ROOT / "captures/alpn/h2.pcap"
    entries = "".join(json.dumps({"path": str(target), "name": name, "unit": name}) + "\n" for name in names)
    (tmp_path / "list").write_text(entries)
    lines = lines_of("sessions", "--format", "ndjson", "--isolated", "--files-from", tmp_path / "list", schema="input")
    assert [unescaped(json.loads(line)["input"]["file"]) for line in lines] == names


def test_every_member_of_every_record_has_a_column(tmp_path: Path) -> None:
    """Finds members that the program writes but the schemas of the package lack."""
    unknown, seen = set(), {"session": 0, "input": 0, "run": 0, "judgement": 0}
    folders = [ROOT / "captures", *([CORPUS / "captures", CORPUS / "hostile"] if CORPUS.exists() else [])]
    listed = tmp_path / "list"
    listed.write_text("".join(f"{path}\n" for path in captures_below(*folders) if "\n" not in str(path)))
    for fields in ("all", "judgement"):
        command = [PROGRAM, "audit", "--format=ndjson", "--isolated", "--digest", f"--fields={fields}", f"--files-from={listed}"]
        for line in subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout.splitlines():
            record = json.loads(line)
            kind = record["schema"].split(".")[1].split("/")[0]
            if kind in seen:
                seen[kind] += 1
                unknown |= unknown_members(record, record_type(kind), kind)
    assert unknown == set()
    assert all(seen.values()), seen


def test_a_member_that_no_schema_has_is_noticed() -> None:
    record = json.loads(lines_of("sessions", "--format=ndjson", ROOT / "captures/alpn/h2.pcap")[0])
    record["tls"]["new"] = 1
    record["client"]["port"] = "text"
    assert unknown_members(record, record_type("session")) == {".tls.new", ".client.port: str for bigint"}


def test_the_package_ships_the_schemas_of_the_documents(tmp_path: Path) -> None:
    pytest.importorskip("setuptools")
    shutil.copytree(ROOT / "Spark", tmp_path / "Spark", ignore=shutil.ignore_patterns("tests", "*.egg-info", "build"))
    code = "from setuptools.build_meta import build_wheel; import sys; print(build_wheel(sys.argv[1]))"
    result = subprocess.run([sys.executable, "-c", code, str(tmp_path)], cwd=tmp_path / "Spark", stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 0, result.stderr
    with zipfile.ZipFile(tmp_path / result.stdout.splitlines()[-1]) as wheel:
        for schema in (ROOT / "docs/schemas").glob("*.json"):
            assert wheel.read(f"atscope_spark/schemas/{schema.name}") == schema.read_bytes()
        assert "atscope_spark/py.typed" in wheel.namelist()


def test_a_folder_is_listed_with_everything_in_it_and_no_links(tmp_path: Path) -> None:
    for name in ("b.pcap", "_a.pcap", ".hidden", "sub dir/ü.pcap.gz"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "link").symlink_to(tmp_path / "b.pcap")
    os.mkfifo(tmp_path / "fifo")
    found = [capture.uri[len(str(tmp_path)) + 1:] for capture in Storage().list(str(tmp_path))]
    assert found == [".hidden", "_a.pcap", "b.pcap", "sub dir/ü.pcap.gz"]
    assert [capture.uri[-7:] for capture in Storage().list(str(tmp_path), "*.gz")] == ["pcap.gz"]
    assert list(Storage().list(str(tmp_path), "other/*")) == []
    with pytest.raises(OptionError, match="no such file"):
        list(Storage().list(str(tmp_path / "none")))


def test_a_name_that_is_not_utf8_is_reported(tmp_path: Path) -> None:
    target = os.fsencode(tmp_path) + b"/a\xff.pcap"
    with open(target, "wb") as file:
        file.write((ROOT / "captures/alpn/h2.pcap").read_bytes())
    runner = Runner(read_options(GIVEN), str(tmp_path))
    rows = list(runner.run(group(Storage().list(str(tmp_path), "*.pcap"), "file")))
    assert [(row.kind, row.capture_uri) for row in rows] == [("failure", f"{tmp_path}/a\\xff.pcap")]


@pytest.mark.parametrize("unit", ["file", "folder"])
def test_a_crash_and_a_hang_cost_their_captures_alone(tmp_path: Path, unit: str) -> None:
    source, program = spoiled(tmp_path, "crash.pcap", "hang.pcap"), stand_in(tmp_path)
    options = ReadOptions(path=str(source), unit=unit, program=program, seconds=1.5)
    rows = list(Runner(options, str(tmp_path)).run(group(Storage().list(str(source)), unit)))
    failures = {Path(row.capture_uri or "").name: json.loads(row.record) for row in rows if row.kind == "failure"}
    assert failures == {
        "crash.pcap": {"status": None, "signal": "SIGSEGV", "timeout": False, "stderr": "about to crash"},
        "hang.pcap": {"status": None, "signal": None, "timeout": True, "stderr": ""},
    }
    assert sorted(Path(row.capture_uri or "").name for row in rows if row.kind == "input") == ["a.pcap", "b.pcap", "y.pcap", "z.pcap"]
    good = [source / name for name in ("a.pcap", "b.pcap", "y.pcap", "z.pcap")]
    runs = [good] if unit == "folder" else [[path] for path in good]
    expected = [line for paths in runs for line in lines_of("sessions", "--format=ndjson", "--series=never", *paths)]
    assert sorted(row.record for row in rows if row.kind == "session") == sorted(expected)
    assert left_over(program) == []
    assert [path for path in tmp_path.iterdir() if path.name.startswith("atscope-")] == []


MEMORY = """
import re, struct, sys
from atscope_spark.options import ReadOptions
from atscope_spark.runner import Runner
from atscope_spark.units import Capture, Unit
from atscope_spark import storage

class Bulk:
    '''A 1.5 GB capture that is generated while it is read.'''
    def __init__(self):
        packet = struct.pack("<IIII", 1, 0, 1400, 1400) + bytes(1400)
        self.block, self.left, self.first = packet * 700, 1500 << 20, struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    def read(self, count):
        if self.first:
            first, self.first = self.first, b""
            return first
        self.left -= len(self.block)
        return self.block if self.left > 0 else b""
    def __enter__(self): return self
    def __exit__(self, *error): pass

storage.Storage.open = lambda self, uri: Bulk()
def peak():
    # VmHWM covers this program only: ru_maxrss starts at the peak of the process that started it.
    return int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])

program, uri, stream = sys.argv[1:]
options = ReadOptions(path="x", program=program, stream_bytes=int(stream))
runner = Runner(options)
runner.check()
before = peak()
rows = list(row.kind for row in runner.run([Unit("u", (Capture(uri, 1500 << 20, 0),))]))
assert rows.count("input") + rows.count("failure") == 1, rows
print(len(rows), (peak() - before) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured on Linux")
@pytest.mark.parametrize("what", ["piped", "copied", "lines"])
def test_a_large_capture_adds_at_most_64_mib_to_the_worker(tmp_path: Path, what: str) -> None:
    program, uri, stream = PROGRAM, "s3://lab/large.pcap", 0
    if what == "copied":
        stream = 8 << 30
    elif what == "lines":
        # One unit with 200 MB of lines, which are spooled until it is complete.
        program, uri = stand_in(tmp_path), str(tmp_path / "flood.pcap")
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    result = subprocess.run([sys.executable, "-c", MEMORY, program, uri, str(stream)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 0, result.stderr
    rows, added = map(int, result.stdout.split())
    assert added <= 64
    assert rows == (2001 if what == "lines" else 1)


def test_a_capture_that_is_piped_gives_the_rows_of_one_that_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = ROOT / "captures/demo/demo.pcapng"
    unit = Unit("u", (Capture("s3://lab/demo.pcapng", source.stat().st_size, 0), Capture("s3://lab/again.pcapng", source.stat().st_size, 0)))
    monkeypatch.setattr(Storage, "open", lambda self, uri: open(source, "rb"))
    rows = [list(Runner(ReadOptions(path="x", program=PROGRAM, stream_bytes=limit), str(tmp_path)).run([unit])) for limit in (0, 1 << 30)]
    assert rows[0] == rows[1] and [row.kind for row in rows[0]].count("input") == 2


def test_storage_that_fails_is_no_damaged_capture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Storage, uri: str) -> object:
        raise OSError("connection reset")

    monkeypatch.setattr(Storage, "open", fail)
    with pytest.raises(OSError, match="connection reset"):
        list(Runner(ReadOptions(path="x", program=PROGRAM), str(tmp_path)).run([Unit("u", (Capture("s3://lab/x.pcap", 10, 0),))]))
    assert list(tmp_path.iterdir()) == []

"""Runs the program on units: many in one process, each reported as a separate run would report it. Does not use Spark.

The rows of a unit depend only on its captures and the options, not on the other units of the task or on earlier attempts.
"""
from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import struct
import subprocess
import tempfile
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import asdict
from typing import IO, NamedTuple

from .options import OptionError, ReadOptions, find_program
from .process import Ending, Process, TimedOut, widen
from .storage import Storage, is_local, local_path
from .units import Capture, Unit

#: The bytes of a unit's lines that are held in memory until it is complete; more are spooled to the local disk.
SPOOL = 32 << 20
#: The bytes of captures that are copied to the local disk ahead of the program.
_AHEAD = 256 << 20
_COPY = 1 << 20
#: A capture without packets, for trying out options.
_NO_PACKETS = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)

_SCHEMA = re.compile(rb'\{"schema":"atscope\.(\w+)/1"')
# Quotation marks inside JSON strings are escaped, so that text from a capture cannot match.
_CAPTURE = re.compile(rb'"capture":(?:\{"file":)?("(?:[^"\\]|\\.)*")')
_FILE = re.compile(rb'"input":\{"file":("(?:[^"\\]|\\.)*")')


class Row(NamedTuple):
    """A line of the output, or the failure of a capture that the program could not report."""

    unit: str
    #: session, judgement, input (one for each capture), member (other inputs that the program reports, such as those in archives), failure.
    kind: str
    capture_uri: str | None
    #: The index of a session in its unit, from 0.
    ordinal: int | None
    length: int | None
    modified: int | None
    record: str


class ProgramError(RuntimeError):
    """The program failed, or its output is not as expected."""


_ESCAPE = re.compile(r"\\(?:\\|x([0-7][0-9a-f])|u\{([0-9a-f]{1,6})\})")


def unescaped(text: str) -> str:
    """Returns the name that reports show as ``text``. Bytes that are not UTF-8 remain ``\\xNN``."""
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda match: chr(int(match[1] or match[2], 16)) if match[1] or match[2] else "\\", text)


def check(program: str, arguments: Sequence[str]) -> str:
    """Tests the arguments on a capture without packets. Returns the run record, without inputs.

    Raises OptionError with the program's own message if it rejects an argument, or cannot use a file that an argument names.
    """
    with tempfile.TemporaryDirectory() as folder:
        try:
            result = subprocess.run(
                [program, *arguments, "-"], input=_NO_PACKETS, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, timeout=120
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise OptionError(f"atscope: {program}: {error}") from None
    lines = result.stdout.splitlines()
    if result.returncode != 0 or not lines or not lines[0].startswith(b'{"schema":"atscope.run/1"'):
        message = result.stderr.decode("utf-8", "replace").strip()
        message = "\n".join(line for line in message.splitlines() if ": warning: " not in line) or message
        raise OptionError(message or f"atscope: {program} ended with status {result.returncode} and reported nothing")
    run = json.loads(lines[0])
    run["inputs"] = []
    return json.dumps(run, separators=(",", ":"), ensure_ascii=False)


class _Feeder:
    """Passes units to a process in a thread: copies remote captures to the local disk ahead of the program, or pipes them to it."""

    def __init__(self, units: Sequence[Unit], process: Process, storage: Storage, scratch: str, stream_bytes: int) -> None:
        self.error: BaseException | None = None
        #: When the program was last passed data.
        self.progress = time.monotonic()
        #: Whether the thread is waiting for storage; no deadline applies then.
        self.is_waiting = False
        self._units, self._process, self._storage, self._stream_bytes = units, process, storage, stream_bytes
        self._folder = tempfile.mkdtemp(dir=scratch)
        self._held: dict[str, list[str]] = {}
        self._bytes: dict[str, int] = {}
        self._changed = threading.Condition()
        self._is_over = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def done(self, unit: Unit) -> None:
        """Deletes the local copies of a unit that the program has finished."""
        with self._changed:
            paths = self._held.pop(unit.name, [])
            self._bytes.pop(unit.name, None)
            self._changed.notify()
        for path in paths:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)

    def stop(self) -> None:
        """Stops the thread and removes its copies. The process must have ended."""
        with self._changed:
            self._is_over = True
            self._changed.notify()
        while self._thread.is_alive():
            # Opening a FIFO for writing blocks until it has a reader: opening it here unblocks the thread.
            for name in os.listdir(self._folder):
                with contextlib.suppress(OSError):
                    os.close(os.open(os.path.join(self._folder, name), os.O_RDONLY | os.O_NONBLOCK))
            self._thread.join(0.1)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self) -> None:
        streams: list[tuple[Capture, str]] = []
        try:
            for number, unit in enumerate(self._units):
                self._wait_for_room()
                for index, capture in enumerate(unit.captures):
                    if self._is_over:
                        return
                    path = self._hand_over(unit, capture, f"{number}-{index}")
                    if path is not None:
                        streams.append((capture, path))
            # The program begins to read a unit only when the list of its captures is complete.
            self._process.finish()
            for capture, path in streams:
                with open(path, "wb") as pipe:
                    widen(pipe.fileno())
                    self._copy(capture, pipe)
        except (BrokenPipeError, ValueError):
            pass  # The process has ended, which the reader of its output reports.
        except BaseException as error:
            self.error = error
        finally:
            self._process.finish()

    def _wait_for_room(self) -> None:
        # The program finishes a unit only when the next one is listed, so that one more is always allowed.
        with self._changed:
            self._changed.wait_for(lambda: self._is_over or len(self._held) < 2 or sum(self._bytes.values()) < _AHEAD)

    def _hand_over(self, unit: Unit, capture: Capture, name: str) -> str | None:
        """Lists a capture, copied if it is remote. Returns the path of a FIFO if it has to be streamed instead."""
        if is_local(capture.uri):
            self._write(unit, capture, local_path(capture.uri))
            return None
        path = os.path.join(self._folder, name)
        with self._changed:
            self._held.setdefault(unit.name, []).append(path)
            self._bytes[unit.name] = self._bytes.get(unit.name, 0) + capture.length
        is_streamed = capture.length > self._stream_bytes
        if is_streamed:
            os.mkfifo(path)
        else:
            with open(path, "wb") as file:
                self._copy(capture, file)
        self._write(unit, capture, path)
        return path if is_streamed else None

    def _copy(self, capture: Capture, output: IO[bytes]) -> None:
        self.is_waiting = True
        with self._storage.open(capture.uri) as source:
            while not self._is_over and (chunk := source.read(_COPY)):
                self.is_waiting = False
                output.write(chunk)
                self.progress = time.monotonic()
                self.is_waiting = True
        self.is_waiting = False

    def _write(self, unit: Unit, capture: Capture, path: str) -> None:
        entry = {"path": path, "name": capture.uri, "unit": unit.name}
        self._process.write((json.dumps(entry, ensure_ascii=False) + "\n").encode())
        self.progress = time.monotonic()


class Runner:
    """Reads units with the program."""

    def __init__(self, options: ReadOptions, scratch: str | None = None) -> None:
        self._options = options
        self._program = find_program(options.program)
        self._scratch = scratch or scratch_folder()
        self._storage = Storage(options.endpoint, options.region)

    def check(self) -> str:
        """Returns the run record of a run without inputs. Raises OptionError if the program rejects the options."""
        return check(self._program, self._options.arguments())

    def run(self, units: Sequence[Unit]) -> Iterator[Row]:
        """Yields the rows of units. Those of a unit are consecutive, and are yielded only once all of it was read.

        Raises OSError if storage fails, so that the task fails and Spark retries it.
        """
        folder = tempfile.mkdtemp(prefix="atscope-", dir=self._scratch)
        try:
            for unit in units:
                yield from self._unnameable(unit)
            left = [named for unit in units if (named := _nameable(unit)).captures]
            while left:
                finished, ending = 0, None
                # A unit with a streamed capture gets its own process.
                count = next((number for number, unit in enumerate(left) if self._is_streamed(unit)), len(left))
                attempt = self._attempt(left[:max(1, count)], folder)
                with contextlib.closing(attempt):
                    for result in attempt:
                        if isinstance(result, Ending):
                            ending = result
                        elif result is None:
                            finished += 1
                        else:
                            yield result
                if ending is not None:
                    yield from self._one_by_one(left[finished], ending, folder)
                    finished += 1
                left = left[finished:]
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _is_streamed(self, unit: Unit) -> bool:
        return any(capture.length > self._options.stream_bytes and not is_local(capture.uri) for capture in unit.captures)

    def _one_by_one(self, unit: Unit, ending: Ending, folder: str) -> Iterator[Row]:
        """Finds the captures that make the program fail. Yields the rows of the unit without them, and a failure for each."""
        guilty: dict[Capture, Ending] = {}
        if len(unit.captures) == 1 and ending.timeout:
            guilty[unit.captures[0]] = ending
        else:
            for capture in unit.captures:
                found = self._try(Unit(unit.name, (capture,)), folder)
                if isinstance(found, Ending):
                    guilty[capture] = found
        rest = Unit(unit.name, tuple(capture for capture in unit.captures if capture not in guilty))
        if rest.captures:
            again = self._attempt([rest], folder)
            with contextlib.closing(again):
                for result in again:
                    if isinstance(result, Ending):
                        # Each can be read alone, but not all together.
                        guilty.update((capture, result) for capture in rest.captures)
                    elif result is not None:
                        yield result
        for capture, found in guilty.items():
            yield _failure(unit, capture, found)

    def _try(self, unit: Unit, folder: str) -> Ending | None:
        attempt = self._attempt([unit], folder)
        with contextlib.closing(attempt):
            for result in attempt:
                if isinstance(result, Ending):
                    return result
        return None

    def _attempt(self, units: Sequence[Unit], folder: str) -> Generator[Row | Ending | None, None, None]:
        """Yields for each unit its rows from one process, then None. If the process fails, yields its ending instead and stops."""
        arguments = self._options.arguments()
        process = Process([self._program, *arguments, "--isolated", "--files-from=-"], self._options.memory, folder)
        feeder = _Feeder(units, process, self._storage, folder, self._options.stream_bytes)
        try:
            for unit in units:
                with tempfile.SpooledTemporaryFile(max_size=SPOOL, dir=folder) as spool:
                    ending = self._gather(process, feeder, spool)
                    if feeder.error is not None:
                        raise feeder.error
                    if ending is not None:
                        yield ending
                        return
                    feeder.done(unit)
                    spool.seek(0)
                    yield from _rows(unit, spool)
                yield None
        finally:
            process.end()
            feeder.stop()
            process.close()

    def _gather(self, process: Process, feeder: _Feeder, spool: IO[bytes]) -> Ending | None:
        """Spools the lines of the next unit up to its summary. Returns how the process ended if it did before that."""
        began = time.monotonic()

        def deadline() -> float | None:
            return None if feeder.is_waiting else max(began, feeder.progress) + self._options.seconds

        try:
            for line in process.lines(deadline):
                began = time.monotonic()
                if line.startswith(b'{"schema":"atscope.summary/1"') and line.endswith(b"\n"):
                    return None
                spool.write(line)
        except TimedOut:
            process.end()
            return process.ending(timeout=True)
        if feeder.error is not None:
            return None
        status = process.wait()
        if status == 64:
            raise ProgramError(process.errors())
        return process.ending()

    @staticmethod
    def _unnameable(unit: Unit) -> Iterator[Row]:
        for capture in unit.captures:
            if not _is_text(capture.uri):
                yield _failure(unit, capture, Ending(None, None, False, "the file name is not UTF-8; rename the file"))


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _nameable(unit: Unit) -> Unit:
    """Returns the unit without captures whose names are not UTF-8, which a list cannot contain."""
    return Unit(shown(unit.name), tuple(capture for capture in unit.captures if _is_text(capture.uri)))


def shown(name: str) -> str:
    """Returns the name with bytes that are not UTF-8 as ``\\xNN``."""
    return name if _is_text(name) else os.fsencode(name).decode("utf-8", "backslashreplace")


def _failure(unit: Unit, capture: Capture, ending: Ending) -> Row:
    record = json.dumps(asdict(ending), separators=(",", ":"))
    return Row(shown(unit.name), "failure", shown(capture.uri), None, capture.length, capture.modified, record)


def _text(match: re.Match[bytes] | None) -> str:
    return unescaped(json.loads(match[1])) if match else ""


def _rows(unit: Unit, lines: Iterator[bytes] | IO[bytes]) -> Iterator[Row]:
    """Yields the rows of a unit from the lines of its report, and a failure for each capture that it lacks."""
    missing = {capture.uri: capture for capture in unit.captures}
    ordinal = 0
    for line in lines:
        match = _SCHEMA.match(line)
        kind = match[1].decode() if match else ""
        record = line.rstrip(b"\n").decode()
        if kind in ("session", "judgement"):
            yield Row(unit.name, kind, _text(_CAPTURE.search(line)), ordinal, None, None, record)
            ordinal += 1
        elif kind == "input":
            name = _text(_FILE.search(line))
            capture = missing.pop(name, None)
            if capture is not None:
                yield Row(unit.name, "input", capture.uri, None, capture.length, capture.modified, record)
            else:
                yield Row(unit.name, "member", name, None, None, None, record)
        elif kind != "run":
            raise ProgramError(f"the program wrote a line that is not a record: {record[:200]}")
    for capture in missing.values():
        yield _failure(unit, capture, Ending(0, None, False, "the program did not report this capture"))


def scratch_folder() -> str:
    """Returns the folder for a worker's temporary files: preferably one of Spark's, which it empties when an executor ends."""
    for name in os.environ.get("SPARK_LOCAL_DIRS", "").split(","):
        if name and os.path.isdir(name) and os.access(name, os.W_OK):
            return name
    return tempfile.gettempdir()

"""Runs the program in a process: with limits, read line by line, and killed together with everything it started."""
from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

_CHUNK = 1 << 18
#: The requested size of the pipes in bytes (Linux: F_SETPIPE_SZ).
_PIPE = 1 << 20
_ERROR_TEXT = 4096


@dataclass(frozen=True)
class Ending:
    """The way a process ended that did not finish its work."""

    status: int | None
    signal: str | None
    timeout: bool
    stderr: str

    def describe(self) -> str:
        """Returns a description of the ending for messages."""
        how = "timed out" if self.timeout else f"was killed by {self.signal}" if self.signal else f"ended with status {self.status}"
        return f"the program {how}" + (f": {self.stderr}" if self.stderr else "")


class TimedOut(Exception):
    """The program wrote no output before the deadline."""


#: Kills a process group unless it reads "done" first. It reads the end of the pipe instead if the process that started it was killed.
_GUARD = 'read group; read done || kill -9 "-$group"'


def widen(pipe: int) -> None:
    """Enlarges the buffer of a pipe, if the system allows it."""
    import fcntl

    with contextlib.suppress(OSError, AttributeError):
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE)  # type: ignore[attr-defined,unused-ignore]


class Process:
    """A running program with pipes to its standard input and output, in a separate process group.

    A guard process kills the group when this Python process ends, even by SIGKILL: it waits for the end of a pipe that only this process
    has open.
    """

    def __init__(self, command: Sequence[str], memory: int, scratch: str) -> None:
        self._errors = tempfile.TemporaryFile(dir=scratch)
        self._guard = subprocess.Popen(
            ["sh", "-c", _GUARD], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, bufsize=0, start_new_session=True
        )
        try:
            self._child = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, cwd=scratch, bufsize=0, start_new_session=True
            )
            self._tell_guard(f"{self._child.pid}\n")
        except OSError:
            self._dismiss_guard()
            raise
        assert self._child.stdin is not None and self._child.stdout is not None
        #: Unbuffered: a write may accept only part of the bytes.
        self.stdin = self._child.stdin
        widen(self.stdin.fileno())
        self._output = self._child.stdout.fileno()
        self._rest = b""
        self._ready: deque[bytes] = deque()
        widen(self._output)
        if sys.platform == "linux":
            import resource

            with contextlib.suppress(ProcessLookupError, ValueError, PermissionError):
                resource.prlimit(self._child.pid, resource.RLIMIT_AS, (memory, memory))

    def _tell_guard(self, text: str) -> None:
        assert self._guard.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            self._guard.stdin.write(text.encode())

    def _dismiss_guard(self) -> None:
        self._tell_guard("\ndone\n")
        if self._guard.stdin is not None:
            self._guard.stdin.close()
        self._guard.wait()

    def lines(self, deadline: Callable[[], float | None] = lambda: None) -> Iterator[bytes]:
        """Yields the lines of the output, each with its line feed; the last may lack it. A further call continues with the next line.

        ``deadline`` returns the time (of ``time.monotonic``) after which TimedOut is raised, or None for no deadline at present.
        """
        poll = select.poll()
        poll.register(self._output, select.POLLIN | select.POLLHUP)
        while True:
            while self._ready:
                yield self._ready.popleft()
            if not poll.poll(200):
                limit = deadline()
                if limit is not None and time.monotonic() > limit:
                    raise TimedOut
                continue
            chunk = os.read(self._output, _CHUNK)
            if not chunk:
                if self._rest:
                    line, self._rest = self._rest, b""
                    yield line
                return
            *lines, self._rest = (self._rest + chunk).split(b"\n")
            self._ready.extend(line + b"\n" for line in lines)

    def end(self) -> None:
        """Kills the process and everything it started. May be called twice."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._child.pid, signal.SIGKILL)
        self._child.wait()

    def write(self, data: bytes) -> None:
        """Writes to the standard input. Raises BrokenPipeError if the process no longer reads it."""
        view = memoryview(data)
        while view:
            view = view[self.stdin.write(view):]

    def finish(self) -> None:
        """Closes the standard input."""
        with contextlib.suppress(OSError):
            self.stdin.close()

    def wait(self) -> int:
        """Waits for the process. Returns its exit status; negative for a signal. Read all output first."""
        return self._child.wait()

    def ending(self, timeout: bool = False) -> Ending:
        """Returns how the process ended, after ``wait`` or ``end``."""
        status = self._child.returncode
        name = None
        if status is not None and status < 0:
            try:
                name = signal.Signals(-status).name
            except ValueError:
                name = f"signal {-status}"
        return Ending(None if status is None or status < 0 else status, None if timeout else name, timeout, self.errors())

    def errors(self) -> str:
        """Returns the last 4 KiB of the standard error."""
        length = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, length - _ERROR_TEXT))
        return self._errors.read().decode("utf-8", "replace").strip()

    def close(self) -> None:
        """Kills the process and closes its pipes. No other thread may still write to it."""
        self.end()
        self._dismiss_guard()
        for file in (self._child.stdin, self._child.stdout, self._errors):
            if file is not None:
                with contextlib.suppress(OSError, ValueError):
                    file.close()

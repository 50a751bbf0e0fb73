"""Runs a program and measures its exit status, CPU time and peak memory."""
import os
import platform
import subprocess
import threading
from dataclasses import dataclass


@dataclass
class Outcome:
    # The exit status; negative for the signal that ended the program.
    status: int
    # Whether the program was killed at the timeout.
    timed_out: bool
    # User and system CPU time, in seconds.
    cpu: float
    # The peak resident memory, in bytes. On Linux, never less than that of this interpreter, which starts the program.
    peak: int


def run(command, timeout, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, cwd=None,
        address_space=None):
    """Runs `command` for at most `timeout` seconds; on Linux, `address_space` limits its virtual memory, in bytes."""
    if address_space and platform.system() == "Linux":
        command = ["sh", "-c", f'ulimit -v {address_space // 1024}; exec "$@"', "sh", *command]
    process = subprocess.Popen(command, stdout=stdout, stderr=stderr, stdin=stdin, cwd=cwd)
    state = {"timed_out": False}

    def end():
        state["timed_out"] = True
        process.kill()

    timer = threading.Timer(timeout, end)
    timer.start()
    _, status, usage = os.wait4(process.pid, 0)
    timer.cancel()
    process.returncode = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
    scale = 1 if platform.system() == "Darwin" else 1024
    return Outcome(process.returncode, state["timed_out"], usage.ru_utime + usage.ru_stime, usage.ru_maxrss * scale)

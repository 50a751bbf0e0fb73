"""The options of the data source: what a job reads and under which policy it judges, checked and turned into program arguments."""
from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Union

Paths = Union[str, Sequence[str]]


def _list(value: Paths | None) -> list[str]:
    return [] if value is None else [value] if isinstance(value, str) else list(value)


@dataclass(frozen=True)
class Policy:
    """The options under which sessions are judged, named like those of the program. None means the program's default."""

    os: str | None = None
    info_plist: Paths | None = None
    context: str | None = None
    anchors: Paths | None = None
    system_anchors: str | None = None
    intermediates: Paths | None = None
    ct_log_list: str | None = None
    revocations: Paths | None = None
    chain: Paths | None = None
    at: str | None = None
    assume: str | None = None

    def arguments(self) -> list[str]:
        """Returns the program arguments for this policy."""
        found: list[str] = []
        for item in fields(self):
            for value in _list(getattr(self, item.name)):
                found.append(f"--{item.name.replace('_', '-')}={value}")
        return found


class OptionError(ValueError):
    """An unknown option, or an option with an invalid value."""


@dataclass(frozen=True)
class ReadOptions:
    """The options for reading captures."""

    #: A file, a folder or a prefix: a path, or a URI of s3, gs or hdfs.
    path: str | None = None
    #: A file that ``units.save`` wrote: one JSON object per line with the captures of a unit. Replaces ``path``.
    listing: str | None = None
    #: A pattern for the names of the files to read; with a slash, for their paths below ``path``.
    glob: str | None = None
    #: ``file``, ``folder``, or a regular expression: captures with the same first group (or match, without groups) form a unit.
    unit: str = "file"
    #: ``sessions`` (facts) or ``audit`` (facts and judgement).
    command: str = "sessions"
    #: A key log (SSLKEYLOGFILE) that every executor can open.
    keylog: str | None = None
    policy: Policy = field(default_factory=Policy)
    #: The maximum number of captures per task. A unit is never divided, so that a larger one exceeds it.
    files_per_task: int = 500
    #: The maximum number of bytes per task, exceeded only by a larger unit.
    bytes_per_task: int = 256 << 20
    #: The seconds without progress in a unit after which its process is killed.
    seconds: float = 3600
    #: The address-space limit of a process, in bytes.
    memory: int = 4 << 30
    #: The size in bytes above which a capture in object storage is piped to the program instead of copied to the local disk.
    stream_bytes: int = 8 << 30
    #: The endpoint of an S3 server other than Amazon's, as ``http://host:port``.
    endpoint: str | None = None
    region: str | None = None
    #: The program: a path, or a name that is looked up in the working directory, among shipped files, and on PATH.
    program: str = "atscope"

    def arguments(self) -> list[str]:
        """Returns the program arguments, without inputs."""
        found = [self.command, "--format=ndjson", "--series=never"]
        if self.keylog:
            found.append(f"--keylog={self.keylog}")
        if self.command != "sessions":
            found += ["--no-config", *self.policy.arguments()]
        return found


#: The options of the data source: the field that each sets, by lower-case name.
_SPARK_OPTIONS = {
    "path": "path", "listing": "listing", "glob": "glob", "unit": "unit", "command": "command", "keylog": "keylog",
    "filespertask": "files_per_task", "bytespertask": "bytes_per_task", "seconds": "seconds", "memory": "memory",
    "streambytes": "stream_bytes", "endpoint": "endpoint", "region": "region", "program": "program",
}
_POLICY_OPTIONS = {item.name.replace("_", ""): item.name for item in fields(Policy)}
_NUMBERS = {"files_per_task", "bytes_per_task", "memory", "stream_bytes"}


def read_options(given: Mapping[str, str]) -> ReadOptions:
    """Returns the options given to ``spark.read.format("atscope")``. Without ``command``, an option of the policy selects ``audit``."""
    values: dict[str, Any] = {}
    policy: dict[str, Any] = {}
    for key, value in given.items():
        name = key.lower()
        if name in _SPARK_OPTIONS:
            values[_SPARK_OPTIONS[name]] = value
        elif name in _POLICY_OPTIONS:
            policy[_POLICY_OPTIONS[name]] = value
        else:
            known = ", ".join(sorted({*_SPARK_OPTIONS, *_POLICY_OPTIONS}))
            raise OptionError(f"atscope: unknown option {key!r}; the options are {known}")
    for name in _NUMBERS & set(values):
        values[name] = _number(name, values[name])
    if "seconds" in values:
        try:
            values["seconds"] = float(values["seconds"])
        except ValueError:
            raise OptionError(f"atscope: seconds is a number, not {values['seconds']!r}") from None
    values.setdefault("command", "audit" if policy else "sessions")
    return checked(ReadOptions(policy=Policy(**policy), **values))


def _number(name: str, text: str) -> int:
    """Parses a number of files or bytes, such as ``500`` or ``64m``."""
    match = re.fullmatch(r"(\d+)([kmgt]?)", str(text).strip().lower())
    if match is None:
        raise OptionError(f"atscope: {name} is a number such as 500 or 64m, not {text!r}")
    return int(match[1]) << {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}[match[2]]


def checked(options: ReadOptions) -> ReadOptions:
    """Returns the options. Raises OptionError if one is invalid or contradicts another."""
    if (options.path is None) == (options.listing is None):
        raise OptionError("atscope: give a path to read: .load(PATH) or .option(\"path\", PATH)")
    if options.command not in ("sessions", "audit"):
        raise OptionError(f"atscope: command is sessions or audit, not {options.command!r}")
    if options.command == "sessions" and options.policy != Policy():
        raise OptionError("atscope: command sessions reports facts and judges nothing; remove the policy options, or use command audit")
    for name in ("files_per_task", "bytes_per_task", "seconds", "memory"):
        if getattr(options, name) <= 0:
            raise OptionError(f"atscope: {name} must be greater than 0")
    if options.unit not in ("file", "folder"):
        try:
            re.compile(options.unit)
        except re.error as error:
            raise OptionError(f"atscope: unit is file, folder or a regular expression; {options.unit!r}: {error}") from None
    return options


def find_program(name: str) -> str:
    """Returns the path of the program on this machine: as given, shipped with ``--archives`` or ``--files``, or on PATH."""
    name = os.environ.get("ATSCOPE", name) if name == "atscope" else name
    folders = [""]
    try:
        from pyspark import SparkFiles

        folders.append(SparkFiles.getRootDirectory())
    except Exception:  # Spark is not installed, or not started.
        pass
    for folder in folders:
        path = os.path.join(folder, name)
        for candidate in (path, os.path.join(path, "atscope"), os.path.join(path, "bin", "atscope")):
            if os.path.isfile(candidate) and os.access(candidate, os.X_OK):
                return os.path.abspath(candidate)
    found = shutil.which(name)
    if found is None:
        raise OptionError(
            f"atscope: the program {name!r} is not here: install it, ship it with --archives atscope.tar.gz#atscope, or give its path "
            "with the option program"
        )
    return os.path.abspath(found)

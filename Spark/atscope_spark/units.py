"""Groups captures into units, and packs units into tasks."""
from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Capture:
    """A file found by listing storage."""

    #: The path or URI, which reports use as the name of the capture.
    uri: str
    #: The size in bytes.
    length: int
    #: The modification time in microseconds since 1970, UTC.
    modified: int


@dataclass(frozen=True)
class Unit:
    """Captures that are read like the inputs of one run of the program. They may help to judge each other, but no other unit."""

    name: str
    captures: tuple[Capture, ...]

    @property
    def length(self) -> int:
        return sum(capture.length for capture in self.captures)


def group(captures: Iterable[Capture], by: str) -> list[Unit]:
    """Groups captures by file, by folder, or by the match of a regular expression in their URIs. Keeps their order in each unit."""
    pattern = None if by in ("file", "folder") else re.compile(by)
    units: dict[str, list[Capture]] = {}
    for capture in captures:
        name = capture.uri
        if by == "folder":
            name = posixpath.dirname(capture.uri)
        elif pattern is not None and (match := pattern.search(capture.uri)):
            name = (match[1] if pattern.groups else match[0]) or capture.uri
        units.setdefault(name, []).append(capture)
    return [Unit(name, tuple(members)) for name, members in units.items()]


def pack(units: Iterable[Unit], files: int, length: int) -> list[list[Unit]]:
    """Packs units into tasks of at most ``files`` files and ``length`` bytes, the largest units first. Never divides a unit."""
    tasks: list[list[Unit]] = []
    room_files = room_length = 0
    for unit in sorted(units, key=lambda unit: (-unit.length, unit.name)):
        if not tasks or len(unit.captures) > room_files or unit.length > room_length:
            tasks.append([])
            room_files, room_length = files, length
        tasks[-1].append(unit)
        room_files -= len(unit.captures)
        room_length -= unit.length
    return tasks


def save(units: Sequence[Unit], path: str) -> None:
    """Writes units to a file, one per line."""
    with open(path, "w", encoding="utf-8", errors="surrogatepass") as file:
        for unit in units:
            file.write(json.dumps(asdict(unit), ensure_ascii=True) + "\n")


def load(path: str) -> Iterator[Unit]:
    """Reads the units that ``save`` wrote."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            yield Unit(record["name"], tuple(Capture(**capture) for capture in record["captures"]))

"""Lists and opens captures in local folders and, via pyarrow, in S3, Google Cloud Storage and HDFS."""
from __future__ import annotations

import fnmatch
import os
import re
import stat
from collections.abc import Iterator
from typing import Any

from .options import OptionError
from .units import Capture

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/]*)/?(.*)", re.S)
#: Hadoop's URI schemes and their names in pyarrow.
_NAMES = {"s3a": "s3", "s3n": "s3", "gcs": "gs"}


def is_local(uri: str) -> bool:
    """Whether the program can open the path itself."""
    match = _SCHEME.match(uri)
    return match is None or match[1].lower() == "file"


def local_path(uri: str) -> str:
    """Returns the path of a local URI."""
    return uri[len("file://"):] if uri.startswith("file://") else uri


class Storage:
    """Access to the storage of captures. pyarrow finds the credentials: in the environment, a profile or the instance role."""

    def __init__(self, endpoint: str | None = None, region: str | None = None) -> None:
        self._endpoint, self._region = endpoint, region
        self._systems: dict[tuple[str, str], Any] = {}

    def list(self, path: str, glob: str | None = None) -> Iterator[Capture]:
        """Yields the files at or below a path, sorted by path. Skips special files and symbolic links below it.

        Raises OptionError if nothing is there.
        """
        found = self._list_local(local_path(path)) if is_local(path) else self._list_remote(path)
        base = path.rstrip("/") + "/"
        for capture in sorted(found, key=lambda capture: os.fsencode(capture.uri)):
            below = capture.uri[len(base):] if capture.uri.startswith(base) else ""
            if glob is None or not below or fnmatch.fnmatchcase(below if "/" in glob else below.rsplit("/", 1)[-1], glob):
                yield capture

    def open(self, uri: str) -> Any:
        """Opens a capture as it is stored. Does not decompress files whose names end in .gz: the program does."""
        system, path = self._resolve(uri)
        return system.open_input_stream(path, compression=None)

    @staticmethod
    def _list_local(path: str) -> Iterator[Capture]:
        try:
            first = os.stat(path)
        except OSError as error:
            raise OptionError(f"atscope: {path}: {(error.strerror or str(error)).lower()}") from None
        if not stat.S_ISDIR(first.st_mode):
            yield Capture(path, first.st_size, first.st_mtime_ns // 1000)
            return
        folders = [path.rstrip("/") or "/"]
        while folders:
            folder = folders.pop()
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    elif entry.is_file(follow_symlinks=False):
                        found = entry.stat(follow_symlinks=False)
                        yield Capture(entry.path, found.st_size, found.st_mtime_ns // 1000)

    def _list_remote(self, uri: str) -> Iterator[Capture]:
        from pyarrow import fs

        system, path = self._resolve(uri)
        prefix = uri[: len(uri.rstrip("/")) - len(path)] if uri.rstrip("/").endswith(path) else uri
        info = system.get_file_info(path)
        if info.type == fs.FileType.NotFound:
            raise OptionError(f"atscope: {uri}: no such file or folder")
        infos = [info] if info.type == fs.FileType.File else system.get_file_info(fs.FileSelector(path, recursive=True))
        for info in infos:
            if info.type == fs.FileType.File:
                yield Capture(prefix + info.path, info.size, (info.mtime_ns or 0) // 1000)

    def _resolve(self, uri: str) -> tuple[Any, str]:
        """Returns the file system of a URI, and the path in it. Does not decode percent-encoding in the path."""
        from pyarrow import fs

        match = _SCHEME.match(uri)
        if match is None or match[1].lower() == "file":
            return fs.LocalFileSystem(), local_path(uri)
        scheme, host, path = _NAMES.get(match[1].lower(), match[1].lower()), match[2], match[3].rstrip("/")
        in_bucket = scheme in ("s3", "gs")
        key = (scheme, "" if in_bucket else host)
        if key not in self._systems:
            self._systems[key] = self._open_system(scheme, host)
        return self._systems[key], f"{host}/{path}".rstrip("/") if in_bucket else "/" + path

    def _open_system(self, scheme: str, host: str) -> Any:
        from pyarrow import fs

        if scheme == "s3":
            given: dict[str, Any] = {}
            if self._endpoint:
                protocol, _, address = self._endpoint.rpartition("://")
                given.update(endpoint_override=address, scheme=protocol or "https")
            if self._region:
                given["region"] = self._region
            return fs.S3FileSystem(**given)
        if scheme == "gs":
            return fs.GcsFileSystem()
        try:
            return fs.FileSystem.from_uri(f"{scheme}://{host}/")[0]
        except (ValueError, NotImplementedError) as error:
            raise OptionError(f"atscope: {scheme}://{host}: {error}; give a local path, or a URI of s3, gs or hdfs") from None

#!/usr/bin/env python3
"""Packs a folder into a tar.gz: archive.py FOLDER FILE TIME

The same files give the same bytes on every system: names are sorted, owners are root, and every time is TIME, in seconds since 1970.
"""
import gzip
import os
import sys
import tarfile


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    folder, target, moment = os.path.normpath(sys.argv[1]), sys.argv[2], int(sys.argv[3])

    def plain(member):
        member.uid = member.gid = 0
        member.uname = member.gname = ""
        member.mtime = moment
        member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
        return member

    with open(target, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        # add() sorts the entries of folders.
        archive.add(folder, os.path.basename(folder), filter=plain)


if __name__ == "__main__":
    main()

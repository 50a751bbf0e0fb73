#!/usr/bin/env python3
"""Copies static libraries so that the linker can leave out what nothing refers to: collectable.py FOLDER LIBRARY...

Swift's compiler marks what it cannot see a use of (SHF_GNU_RETAIN), and the linker keeps what is marked. The mark is removed from code and
data (.text, .rodata, .data, .bss), which only references reach. It stays on the sections whose names are words (swift5_...): the runtime finds
those by their beginning and end, such as the conformances that a cast looks for.
"""
import os
import struct
import sys

RETAIN = 0x200000


def unmark(library, start):
    """Removes the mark in the object file of 64 bits, of little endian, that starts here."""
    headers, = struct.unpack_from("<Q", library, start + 0x28)
    size, count, names = struct.unpack_from("<HHH", library, start + 0x3A)
    at = [start + headers + size * index for index in range(count)]
    # Numbers of sections that do not fit are in the first header.
    if at == [] or names == 0xFFFF:
        count = count or struct.unpack_from("<Q", library, start + headers + 0x20)[0]
        names = struct.unpack_from("<I", library, start + headers + 0x28)[0] if names == 0xFFFF else names
        at = [start + headers + size * index for index in range(count)]
    texts, = struct.unpack_from("<Q", library, at[names] + 0x18)
    for header in at:
        name, _, flags = struct.unpack_from("<IIQ", library, header)
        if flags & RETAIN and library[start + texts + name] == ord("."):
            struct.pack_into("<Q", library, header + 8, flags & ~RETAIN)


def main():
    folder, *libraries = sys.argv[1:]
    for path in libraries:
        with open(path, "rb") as file:
            library = bytearray(file.read())
        if library[:8] != b"!<arch>\n":
            sys.exit(f"collectable: {path} is not an archive")
        member = 8
        while member + 60 <= len(library):
            length = int(library[member + 48:member + 58])
            if library[member + 60:member + 66] == b"\x7fELF\x02\x01":
                unmark(library, member + 60)
            member += 60 + length + length % 2
        with open(os.path.join(folder, os.path.basename(path)), "wb") as file:
            file.write(library)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Copies static libraries so that the linker can omit unreferenced sections: collectable.py FOLDER LIBRARY...

Swift's compiler sets SHF_GNU_RETAIN on sections whose use it cannot see, and the linker keeps these. The copies lack the flag on code and
data (.text, .rodata, .data, .bss), which are reached only by references. They keep it on sections whose names are C identifiers
(swift5_...): the runtime finds those, such as the conformances that a cast looks up, by the start and end of the section.
"""
import os
import struct
import sys

RETAIN = 0x200000


def unmark(library, start):
    """Clears the flag in the 64-bit little-endian ELF file at offset `start`."""
    headers, = struct.unpack_from("<Q", library, start + 0x28)
    size, count, names = struct.unpack_from("<HHH", library, start + 0x3A)
    at = [start + headers + size * index for index in range(count)]
    # A section count or index that does not fit the ELF header is in the first section header.
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

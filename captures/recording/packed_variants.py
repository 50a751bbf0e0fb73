"""Variants of the base capture that are compressed, or in archives among other files."""

import bz2
import functools
import io
import lzma
import struct
import tarfile
import zipfile
import zlib

from .variant import BASE, Variant, source_path

# The other files of the archives; none is a capture.
OTHERS = [("bundle/README.txt", b"not a capture\n"), ("bundle/logs/empty.log", b"")]
NAME = "bundle/logs/trace.pcap"


@functools.lru_cache(maxsize=None)
def plain():
    """The bytes of the base capture."""
    with open(source_path(BASE), "rb") as file:
        return file.read()


def gzipped(data):
    """A gzip file (RFC 1952) with a fixed header, so that its bytes do not depend on time or system."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = deflate.compress(data) + deflate.flush()
    return bytes.fromhex("1f8b0800000000000203") + body + struct.pack("<II", zlib.crc32(data), len(data))


def zstd():
    """A Zstandard frame of raw blocks (RFC 8878), which requires no library and is the same everywhere."""
    data = plain()
    frame = struct.pack("<IBI", 0xFD2FB528, 0xA0, len(data))
    for start in range(0, len(data), 0x10000):
        block = data[start: start + 0x10000]
        last = start + len(block) == len(data)
        frame += (len(block) << 3 | last).to_bytes(3, "little") + block
    return frame


def xxh32(data):
    """The checksum of LZ4's frame header, for fewer than four bytes."""
    mask = 0xFFFFFFFF
    value = 0x165667B1 + len(data) & mask
    for byte in data:
        value = value + byte * 0x165667B1 & mask
        value = (value << 11 | value >> 21) & mask
        value = value * 0x9E3779B1 & mask
    value = (value ^ value >> 15) * 0x85EBCA77 & mask
    value = (value ^ value >> 13) * 0xC2B2AE3D & mask
    return value ^ value >> 16


def lz4():
    """An LZ4 frame of one uncompressed block."""
    descriptor = bytes([0x60, 0x70])
    frame = struct.pack("<I", 0x184D2204) + descriptor + bytes([xxh32(descriptor) >> 8 & 0xFF])
    return frame + struct.pack("<I", len(plain()) | 0x80000000) + plain() + bytes(4)


def tgz():
    """A tar archive in gzip, with a folder and a link in it."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        folder = tarfile.TarInfo("bundle/logs")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        link = tarfile.TarInfo("bundle/latest.pcap")
        link.type, link.linkname = tarfile.SYMTYPE, "logs/trace.pcap"
        archive.addfile(link)
        for name, content in [*OTHERS, (NAME, plain())]:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return gzipped(out.getvalue())


def zipped():
    """A ZIP archive; the capture in it is also compressed with gzip."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in [*OTHERS, (NAME + ".gz", gzipped(plain()))]:
            archive.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue()


def cut():
    """The gzip file without its last third."""
    whole = gzipped(plain())
    return whole[: len(whole) * 2 // 3]


VARIANTS = [
    Variant("packed/trace.pcap.gz", "compressed with gzip", lambda: gzipped(plain()), expect=None),
    Variant("packed/trace.pcap.zst", "in a Zstandard frame", zstd, expect=None),
    Variant("packed/trace.pcap.lz4", "in an LZ4 frame", lz4, expect=None),
    Variant("packed/trace.pcap.xz", "compressed with xz", lambda: lzma.compress(plain()), expect=None),
    Variant("packed/trace.pcap.bz2", "compressed with bzip2", lambda: bz2.compress(plain()), expect=None),
    Variant("packed/bundle.tgz", "in a compressed tar archive, among files that are not captures", tgz, expect=None),
    Variant("packed/bundle.zip", "compressed with gzip, in a ZIP archive among files that are not captures", zipped, expect=None),
    Variant("packed/cut.gz", "compressed with gzip, the last third missing", cut, expect=None),
]

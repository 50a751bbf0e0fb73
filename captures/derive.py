#!/usr/bin/env python3
"""Derives the captures in `variants/` and `demo/` from recorded ones: the same sessions under other circumstances.

    derive.py              writes all variants
    derive.py NAME...      writes these (a kind such as `link` selects all its variants)
    derive.py --check      lists the files that differ from what would be written
    derive.py --list       lists every variant and what it shows
    derive.py --readme     writes the README.md of every folder
    derive.py --verify     checks the variants with tshark
    derive.py --facts      prints what tshark sees in them

Pure Python, no clock, no randomness: the same recordings give the same bytes.
"""

import argparse
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from recording import facts, hostile_variants, layer_variants, link_variants, race_variants, readme  # noqa: E402
from recording import decoy_variants, host_variants, packed_variants, series_variants, signature_variants, stream_variants  # noqa: E402
from recording import tunnel_variants  # noqa: E402

TABLES = [stream_variants, race_variants, decoy_variants, link_variants, layer_variants, tunnel_variants, hostile_variants,
          host_variants, packed_variants, series_variants, signature_variants]
VARIANTS = [variant for table in TABLES for variant in table.VARIANTS]


def chosen(names):
    """The variants with these names or of these kinds; without names, all of them."""
    picked = [variant for variant in VARIANTS
              if not names or any(variant.name == name or variant.name.startswith(name + "/") for name in names)]
    if not picked:
        sys.exit("derive.py: no variant or kind has this name; --list shows the names")
    return picked


def path(variant):
    """The path of a variant."""
    return os.path.join(HERE, variant.folder, variant.name)


def write(names):
    """Writes the variants."""
    for variant in chosen(names):
        os.makedirs(os.path.dirname(path(variant)), exist_ok=True)
        with open(path(variant), "wb") as file:
            file.write(variant.make())
    return 0


def check(names):
    """Compares the files with what would be written."""
    faults = 0
    for variant in chosen(names):
        try:
            with open(path(variant), "rb") as file:
                same = file.read() == variant.make()
        except FileNotFoundError:
            same = False
        if not same:
            faults += 1
            print(f"{variant.folder}/{variant.name}: differs")
    print(f"{len(chosen(names))} variants, {faults} differ")
    return 1 if faults else 0


def verify(names):
    """Compares what tshark sees with what the tables expect."""
    if not facts.available():
        sys.exit("derive.py: --verify requires tshark and openssl")
    print(facts.version())
    faults = 0
    for variant in chosen(names):
        found = []
        if variant.expect is not None:
            seen = facts.connections(path(variant), decode=variant.decode)
            found = facts.shortcomings(seen, variant.expect)
        for fault in found:
            print(f"{variant.folder}/{variant.name}: {fault}")
        faults += len(found)
    for fault in readme.faults(table(), "made from"):
        faults += 1
        print(fault)
    print(f"{len(chosen(names))} variants, {faults} faults")
    return 1 if faults else 0


def table():
    """The rows of the README.md files: file, what it shows, what it was made from."""
    return [(f"{variant.folder}/{variant.name}", variant.shows, variant.source) for variant in VARIANTS]


def main():
    parser = argparse.ArgumentParser(description="Derives the variants of the recorded captures.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="a derived capture; default: all")
    parser.add_argument("--check", action="store_true", help="lists the files that differ")
    parser.add_argument("--list", action="store_true", help="lists every variant and what it shows")
    parser.add_argument("--readme", action="store_true", help="writes the README.md of every folder")
    parser.add_argument("--verify", action="store_true", help="checks the variants with tshark")
    parser.add_argument("--facts", action="store_true", help="prints what tshark sees, per connection")
    arguments = parser.parse_args()
    if arguments.list:
        for variant in chosen(arguments.names):
            print(f"{variant.name:32} {variant.shows}")
    elif arguments.readme:
        readme.update(table(), "made from")
    elif arguments.facts:
        for variant in chosen(arguments.names):
            for words in facts.connections(path(variant), decode=variant.decode):
                print(f"{variant.name}: {' '.join(words)}")
    elif arguments.verify:
        return verify(arguments.names)
    elif arguments.check:
        return check(arguments.names)
    else:
        return write(arguments.names)
    return 0


if __name__ == "__main__":
    sys.exit(main())

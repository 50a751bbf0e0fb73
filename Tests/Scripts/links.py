#!/usr/bin/env python3
"""Checks that every link in a document leads to a file, and to a heading in it, that exist."""
import glob
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")


def prose(text):
    """A document without its code, in which brackets mean other things."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M))


def anchors(text):
    """The anchors of the headings, as web pages of repositories name them."""
    headings = re.findall(r"^#+\s+(.*)$", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def main():
    os.chdir(ROOT)
    documents = sorted(glob.glob("*.md") + glob.glob("docs/**/*.md", recursive=True) + glob.glob("captures/*.md"))
    count, broken = 0, []
    for path in documents:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for target in LINK.findall(prose(text)):
            if re.match(r"[a-z]+:", target):
                continue
            count += 1
            name, _, anchor = target.partition("#")
            destination = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            if not os.path.exists(destination):
                broken.append(f"{path}: {target} does not exist")
            elif anchor and destination.endswith(".md"):
                with open(destination, encoding="utf-8") as file:
                    if anchor not in anchors(file.read()):
                        broken.append(f"{path}: {target}: no such heading")
    for line in broken:
        print("links: " + line)
    print(f"links: {count} links in {len(documents)} documents, {len(broken)} broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())

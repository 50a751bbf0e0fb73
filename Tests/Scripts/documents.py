#!/usr/bin/env python3
"""Checks the links of the documents, and the citations in Sources/.

Every link must lead to an existing file and heading. docs/references.md must list every specification that Sources/ cites, and
docs/policy.md must contain every section of the policy text that comments there cite."""
import glob
import os
import re
import sys

from lint import comments_of

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# A short citation of the policy text, such as (C.4).
SECTION = re.compile(r"(?<![\w.-])([A-J]\.\d{1,2})(?![\w.]\w)")
LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")


def prose(text):
    """Returns a document without its code, where brackets are not links."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M))


def anchors(text):
    """Returns the anchors that GitHub gives the headings."""
    headings = re.findall(r"^#+\s+(.*)$", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def uncited():
    """Returns a line for each specification or section that Sources/ cites and the documents lack."""
    cited, sections, strangers = {}, {}, []
    for path in glob.glob("Sources/**/*.swift", recursive=True):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for name in re.findall(r"RFC \d+|draft-ietf-[a-z0-9-]+[a-z0-9]", text):
            cited.setdefault(name, path)
        for name in re.findall(r"policy text ([A-Z](?:\.\d+)?)\b", text):
            sections.setdefault(name, path)
        if path.startswith("Sources/Judgement/"):
            for name in SECTION.findall(re.sub(r"(?i)(?:appendix|section|§) ?[A-Z]\.\d+", "", comments_of(text))):
                sections.setdefault(name, path)
        if re.search(r"\bcontract section\b", comments_of(text)):
            strangers.append(f"{path}: cites a contract that is not in the repository")
    with open("docs/references.md", encoding="utf-8") as file:
        references = file.read()
    with open("docs/policy.md", encoding="utf-8") as file:
        headings = set(re.findall(r"^#+ ([A-Z](?:\.\d+)?)\b", file.read(), re.M))
    return strangers + [f"{path}: {name} is not in docs/references.md" for name, path in sorted(cited.items())
            if not re.search(re.escape(name) + r"(?!\w)", references)] \
        + [f"{path}: section {name} is not in docs/policy.md" for name, path in sorted(sections.items())
           if name not in headings]


def main():
    os.chdir(ROOT)
    documents = sorted(glob.glob("*.md") + glob.glob("docs/**/*.md", recursive=True) + glob.glob("captures/*.md") + glob.glob("Spark/*.md"))
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
    missing = uncited()
    for line in broken + missing:
        print("documents: " + line)
    print(f"documents: {count} links in {len(documents)} documents, {len(broken)} broken; {len(missing)} dangling citations")
    return 1 if broken or missing else 0


if __name__ == "__main__":
    sys.exit(main())

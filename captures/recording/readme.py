"""Keeps the tables of README.md in step with the tables of the scripts."""

import os

README = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "README.md")


def rows(table):
    """A Markdown table of (file, what it shows, how it was made); a heading row for each folder."""
    lines = ["| file | shows | made by |", "| --- | --- | --- |"]
    for file, shows, made in table:
        lines.append("| `{}` | {} | {} |".format(file, *[text.replace("|", "\\|") for text in (shows, made)]))
    return "\n".join(lines) + "\n"


def split(block):
    """The text before, within and after a block."""
    with open(README) as file:
        text = file.read()
    start, end = f"<!-- {block} -->\n", f"<!-- end of {block} -->\n"
    before, found, rest = text.partition(start)
    within, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"README.md has no block {block}")
    return before + start, within, end + after


def update(block, table):
    """Writes a table into its block."""
    before, _, after = split(block)
    with open(README, "w") as file:
        file.write(before + rows(table) + after)


def faults(block, table):
    """What is wrong with the table in README.md, in words."""
    return (
        [] if split(block)[1] == rows(table) else [f"README.md: the block {block} is out of date (--readme)"]
    )

#!/usr/bin/env python3
"""Writes the man page, from what the program says of itself.

  manual.py ATSCOPE > atscope.1
"""
import json
import subprocess
import sys


def escaped(text):
    """Text for roff: no dash becomes a hyphen, and no line begins a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in ".'" else line for line in text.split("\n"))


def name(argument):
    names = ["\\-" * (2 if n["kind"].startswith("long") and n["kind"] != "longWithSingleDash" else 1) + escaped(n["name"])
             for n in sorted(argument.get("names", []), key=lambda n: len(n["name"]))]
    value = argument.get("valueName", "value")
    if argument["kind"] == "positional":
        return f"\\fI{escaped(value)}\\fR" + (" ..." if argument.get("isRepeating") else "")
    joined = ", ".join(f"\\fB{n}\\fR" for n in names)
    return joined if argument["kind"] == "flag" else f"{joined} \\fI{escaped(value)}\\fR"


def paragraphs(text):
    """A discussion: lines that are set in stay as they are, all else is filled."""
    lines = []
    for block in text.split("\n\n"):
        if block.startswith("  "):
            lines += [".PP", ".nf", escaped(block), ".fi"]
        else:
            lines += [".PP", escaped(block)]
    return lines[1:]


def options(command):
    lines = []
    for argument in command.get("arguments", []):
        if not argument.get("shouldDisplay", True) or argument.get("valueName") in ("help", "version"):
            continue
        text = " ".join(filter(None, [argument.get("abstract"), argument.get("discussion")]))
        values = argument.get("allValues")
        if values:
            text += f" One of {', '.join(values)}."
        if argument.get("defaultValue"):
            text += f" Default: {argument['defaultValue']}."
        lines += [".TP", name(argument), escaped(text)]
    return lines


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    dump = subprocess.run([sys.argv[1], "--experimental-dump-help"], stdout=subprocess.PIPE, check=True).stdout
    version = subprocess.run([sys.argv[1], "--version"], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()[0]
    tool = json.loads(dump)["command"]
    lines = [f'.TH ATSCOPE 1 "" "{escaped(version)}" "User Commands"', ".SH NAME",
             f"atscope \\- {escaped(tool['abstract'].rstrip('.'))}", ".SH SYNOPSIS", ".B atscope",
             "[\\fIcommand\\fR] [\\fIoptions\\fR] \\fIinput\\fR ...", ".SH DESCRIPTION", *paragraphs(tool.get("discussion", ""))]
    for command in tool["subcommands"]:
        if command["commandName"] == "help":
            continue
        lines += [f".SH ATSCOPE {escaped(command['commandName'].upper())}", escaped(command.get("abstract", ""))]
        if command.get("discussion"):
            lines += [".PP", *paragraphs(command["discussion"])]
        lines += options(command)
    lines += [".SH EXIT STATUS", ".TP", ".B 0", "everything was read; no verdict that \\-\\-fail\\-on names", ".TP", ".B 1",
              "a verdict that \\-\\-fail\\-on names, a regression, or an error of a review", ".TP", ".B 2",
              "an input cannot be opened, is not what it is named as, or is damaged or cut", ".TP", ".B 64", "wrong usage",
              ".SH ENVIRONMENT", ".TP", ".B NO_COLOR", "no colour, whatever listens", ".TP", ".B CLICOLOR_FORCE",
              "colour, whatever listens", ".SH FILES", ".TP", ".B .atscope.json",
              "what a project says once for all its runs: Info.plist, release, baseline, accepted findings"]
    print("\n".join(lines))


if __name__ == "__main__":
    main()

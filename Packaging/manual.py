#!/usr/bin/env python3
"""Writes the man page from the program's --experimental-dump-help.

  manual.py ATSCOPE > atscope.1
"""
import json
import subprocess
import sys


EXAMPLES = [
    ("Judge a capture by the ATS defaults:", "atscope trace.pcapng"),
    ("Judge it under an app's settings, for one release:", "atscope --info-plist MyApp.app --os ios18 trace.pcapng"),
    ("Decrypt TLS 1.3 and QUIC handshakes:", "atscope --keylog keys.log trace.pcapng"),
    ("Record until Ctrl-C, then report:", "sudo tcpdump -i en0 -w - | atscope -"),
    ("Write a page and a log for code scanning:", "atscope --report html=report.html --report sarif=atscope.sarif trace.pcapng"),
    ("Fail a CI job on a regression:", "atscope diff --strict baseline.json nightly.pcapng"),
    ("Collect the chains that TLS 1.3 hides, and judge with them:",
     "atscope certificates --missing --script trace.pcapng > collect.sh; sh collect.sh chains; atscope --chain chains trace.pcapng"),
    ("Explain an error code:", "atscope explain -9802"),
]


def escaped(text):
    """Returns text escaped for roff: hyphens are printed as such, and no line begins a request."""
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
    """Returns the roff lines of a discussion: indented blocks keep their line breaks, other text is filled."""
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
    lines.append(".SH EXAMPLES")
    for about, example in EXAMPLES:
        lines += [".TP", escaped(about), f".B {escaped(example)}"]
    lines += [".SH EXIT STATUS", ".TP", ".B 0", "everything was read; no verdict is in \\-\\-fail\\-on", ".TP", ".B 1",
              "a verdict is in \\-\\-fail\\-on; for diff, a regression; for lint, an error", ".TP", ".B 2",
              "an input cannot be opened, is damaged or truncated, or is not of the expected type", ".TP", ".B 64", "usage error",
              ".SH ENVIRONMENT", ".TP", ".B NO_COLOR", "no color, even on a terminal", ".TP", ".B CLICOLOR_FORCE",
              "color, even without a terminal", ".SH FILES", ".TP", ".B .atscope.json",
              "settings for all runs of a project: Info.plist, release, baseline, accepted findings",
              ".SH SEE ALSO", ".BR tcpdump (1), ", ".BR tshark (1), ", ".BR openssl\\-s_client (1)"]
    print("\n".join(lines))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Checks completion in bash, zsh and fish: completions.py ATSCOPE

Each installed shell loads the completions that `make install` writes. For bash and zsh, the beginning of a command line and a tab are typed
on a pseudoterminal; fish lists its completions with `complete -C`. Prints one line for each fault, and exits with 1 if there are any.
"""
import fcntl
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
COMMANDS = {"audit", "sessions", "recommend", "diagnose", "policy", "lint", "certificates", "chain", "diff", "extract", "explain"}
FORMATS = {"text", "json", "ndjson", "csv", "html", "sarif", "junit", "markdown"}
# What is typed before the tab, what must be offered, and what must not be.
CASES = [
    ("atscope ", COMMANDS | {"own.pcap", "own.pcapng.zst"}, {"text"}),
    ("atscope au", {"audit"}, {"diff"}),
    ("atscope ow", {"own.pcap", "own.pcapng.zst"}, {"audit"}),
    ("atscope own.pcap ow", {"own.pcap", "own.pcapng.zst"}, {"audit"}),
    ("atscope --fo", {"--format"}, {"--files-from"}),
    ("atscope --format ", FORMATS, COMMANDS),
    ("atscope --format=", FORMATS, COMMANDS),
    ("atscope audit --format s", {"sarif"}, {"text"}),
    ("atscope lint --format x", {"xcode"}, {"text"}),
    ("atscope recommend --format ", {"plist", "json"}, {"text"}),
    ("atscope --os ios1", {"ios18.4", "ios10"}, {"ios9"}),
    ("atscope --os at", {"at-session"}, {"ios9"}),
    ("atscope lint --os macos15", {"macos15.4"}, {"at-session"}),
    ("atscope --context ", {"app", "web", "media"}, COMMANDS),
    ("atscope --group-by ", {"host", "session", "process"}, COMMANDS),
    ("atscope --fields ", {"all", "compact", "judgement"}, COMMANDS),
    ("atscope --series ", {"auto", "always", "never"}, COMMANDS),
    ("atscope --color ", {"auto", "always", "never"}, COMMANDS),
    ("atscope --assume ", {"app-overrides-trust"}, COMMANDS),
    ("atscope --fail-on ", {"fail", "unknown", "exempt", "refused", "relaxed"}, COMMANDS),
    ("atscope --fail-on fail,un", {"fail,unknown"}, {"fail"}),
    ("atscope diff --fail-on v", {"vanished"}, {"fail"}),
    ("atscope lint --fail-on ", {"error", "warning", "remark"}, {"fail"}),
    ("atscope policy --direct ", {"auto", "yes", "no"}, COMMANDS),
    ("atscope --report s", {"sarif="}, {"html="}),
    ("atscope --system-anchors m", {"machine"}, {"apple"}),
    ("atscope --ct-log-list ", {"apple", "none", "own.pcap"}, COMMANDS),
    ("atscope --chain c", {"captured"}, {"own.pcap"}),
    ("atscope --keylog ow", {"own.pcap"}, {"audit"}),
    ("atscope explain ATS-C", {"ATS-CIPHER", "ATS-CT", "ATS-CERT-TRUST"}, {"ATS-PFS"}),
    ("atscope explain LINT-TLS", {"LINT-TLS-LOW"}, {"ATS-PFS"}),
    ("atscope explain NSExceptionM", {"NSExceptionMinimumTLSVersion"}, {"ATS-PFS"}),
    ("atscope diff own.pcap ow", {"own.pcap", "own.pcapng.zst"}, {"audit"}),
    ("atscope chain --ho", {"--host"}, {"--filter"}),
    ("atscope help po", {"policy"}, {"audit"}),
]
# Makes the tab insert every completion, and `atscope` print its arguments between marks.
PRELUDE = {
    "bash": """PS1='% '; bind 'set enable-bracketed-paste off'; bind '"\\t": insert-completions'; source {script}; atscope() {{ printf '<%s>' "$@"; echo '<end>'; }}\n""",
    "zsh": """PS1='% '; unsetopt zle_bracketed_paste; autoload -Uz compinit; compinit -u -D; source {script}; """
           """_all() {{ _main_complete; compstate[insert]=all; compstate[list]=; }}; zle -C all complete-word _all; bindkey '^I' all; """
           """zstyle ':completion:*' completer _complete; atscope() {{ printf '<%s>' "$@"; echo '<end>'; }}\n""",
}
START = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}


class Terminal:
    """An interactive shell on a pseudoterminal."""

    def __init__(self, shell, script, folder):
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(shell, START[shell], {**os.environ, "TERM": "dumb", "COLUMNS": "20000", "HOME": folder, "HISTFILE": ""})
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 20000, 0, 0))
        self.read(1)
        self.write(PRELUDE[shell].format(script=script))
        self.write("echo ready-$((40 + 2))\n")
        self.read(20, "ready-42")

    def write(self, text):
        os.write(self.descriptor, text.encode())

    def read(self, seconds, until=None):
        """Returns the output up to a text, or what arrives within the time."""
        output, end = "", time.monotonic() + seconds
        while time.monotonic() < end and (until is None or until not in output):
            if select.select([self.descriptor], [], [], 0.05)[0]:
                try:
                    output += os.read(self.descriptor, 65536).decode(errors="replace")
                except OSError:
                    break
        return output

    def offered(self, line):
        """Returns the completions that the shell offers for a line."""
        self.write(line + "\t")
        self.read(0.25)
        self.write("\n")
        output = self.read(10, "<end>")
        words = re.findall(r"<([^<>]*)>", output)[:-1] if "<end>" in output else []
        # The words before the completed one were typed.
        return set(words[len(line.split(" ")) - 2:])

    def close(self):
        os.close(self.descriptor)
        os.waitpid(self.pid, 0)


def in_fish(script, folder, line):
    """Returns the completions that fish offers for a line."""
    done = subprocess.run(["fish", "--no-config", "-c", 'source $argv[1]; complete -C $argv[2]', script, line], cwd=folder,
                          stdout=subprocess.PIPE, text=True, env={**os.environ, "HOME": folder})
    return {row.split("\t")[0] for row in done.stdout.splitlines()}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program, faults, tried = os.path.abspath(sys.argv[1]), [], []
    for shell in ["bash", "zsh", "fish"]:
        if shutil.which(shell) is None:
            print(f"completions: {shell} skipped: not installed")
            continue
        tried.append(shell)
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, ".completions")
            with open(script, "w", encoding="utf-8") as file:
                subprocess.run([sys.executable, os.path.join(ROOT, "Packaging", "completions.py"), program, shell], stdout=file, check=True)
            for name in ["own.pcap", "own.pcapng.zst"]:
                open(os.path.join(folder, name), "w", encoding="utf-8").close()
            terminal = None if shell == "fish" else Terminal(shell, script, folder)
            for line, wanted, unwanted in CASES:
                offered = in_fish(script, folder, line) if terminal is None else terminal.offered(line)
                # Shells differ in whether they repeat what precedes an equals sign.
                offered |= {word.split("=", 1)[1] for word in offered if word.startswith("--") and "=" in word}
                if wanted - offered or unwanted & offered:
                    faults.append(f"{shell}: {line!r}: missing {sorted(wanted - offered)}, unexpected {sorted(unwanted & offered)}")
            if terminal:
                terminal.close()
    for fault in faults:
        print(f"completions: {fault}")
    print(f"completions: {len(CASES)} lines in {', '.join(tried)}, {len(faults)} faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes shell completions from the program's --experimental-dump-help.

  completions.py ATSCOPE bash|zsh|fish

Unlike those of --generate-completion-script, they complete the options of the default command without its name, every option value from
a fixed list, comma-separated lists, and any file as an input.
"""
import json
import re
import subprocess
import sys

DEFAULT = "audit"


class Option:
    """An option, flag or positional argument, with the words that complete it."""

    def __init__(self, argument):
        self.isFlag = argument["kind"] == "flag"
        self.isPositional = argument["kind"] == "positional"
        self.names = [("-" if name["kind"] == "short" else "--") + name["name"] for name in argument.get("names") or []]
        self.about = (argument.get("abstract") or "").split(". ")[0].rstrip(".")
        kind = argument.get("completionKind") or {}
        value = argument.get("valueName", "")
        self.values = argument.get("allValues") or argument.get("allValueStrings") or kind.get("list", {}).get("values") or []
        # A value name such as apple|machine|file gives the words, and shows that a file is possible.
        parts = value.split("|")
        words = [word for word in parts if len(parts) > 1 and re.fullmatch("[a-z]+", word) and word not in ("file", "folder")]
        self.values = self.values or (words if "file" in kind else [])
        self.takesFiles = "file" in kind
        self.isList = value == "list"
        self.isReport = value == "format=file"


def commands(tool):
    """Returns the abstract and the options of each command, by name."""
    found = {}
    for command in tool["subcommands"]:
        options = [Option(a) for a in command.get("arguments", []) if a.get("shouldDisplay", True)]
        formats = next((o.values for o in options if "--format" in o.names), [])
        for option in options:
            if option.isReport:
                option.values = [value + "=" for value in formats]
        found[command["commandName"]] = (command.get("abstract", ""), options)
    found["help"] = ("Show the help of a command", [])
    return found


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def table(found):
    """Returns the body of a shell `case` that sets the variables words, files and list for `COMMAND OPTION`."""
    lines = []
    for command, (_, options) in found.items():
        for option in options:
            if option.isFlag:
                continue
            keys = "|".join(f"{quoted(command + ' ' + name)}" for name in option.names or [""])
            files = 1 if option.takesFiles or option.isReport else 0
            lines.append(f"    {keys}) words={quoted(' '.join(option.values))} files={files} list={int(option.isList)} ;;")
    lines.append(f"    'help ') words={quoted(' '.join(name for name in found if name != 'help'))} files=0 list=0 ;;")
    return "\n".join(lines)


def flags(found):
    """Returns the body of a shell `case` that sets the variable options for a command."""
    return "\n".join(f"    {command}) options={quoted(' '.join(name for option in options for name in option.names))} ;;"
                     for command, (_, options) in found.items())


def takers(found):
    """Returns the names of the options that take a value."""
    return " ".join(sorted({name for _, options in found.values() for o in options if not o.isFlag for name in o.names}))


BASH = r"""# bash completion for atscope
_atscope_values() {
  words= files=0 list=0
  case "$1 $2" in
@TABLE@
  esac
}

_atscope_options() {
  options=
  case $1 in
@FLAGS@
  esac
}

_atscope() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=@DEFAULT@ words files list options option= prefix=
  # Readline divides words at =.
  if [[ $current == = ]]; then
    current=
    option=$previous
  elif [[ $previous == = ]]; then
    option=${COMP_WORDS[COMP_CWORD-2]}
  elif [[ " @TAKERS@ " == *" $previous "* ]]; then
    option=$previous
  fi
  [[ $COMP_CWORD -gt 1 && " @COMMANDS@ " == *" ${COMP_WORDS[1]} "* ]] && command=${COMP_WORDS[1]}
  COMPREPLY=()
  if [[ -z $option && $current == -* ]]; then
    _atscope_options "$command"
    COMPREPLY=($(compgen -W "$options" -- "$current"))
    return
  fi
  _atscope_values "$command" "$option"
  # The file of FORMAT=FILE or HOST=FILE.
  [[ -n $option && $option != -* ]] && words= files=1
  if [[ $list == 1 && $current == *,* ]]; then
    prefix=${current%,*},
    current=${current##*,}
  fi
  COMPREPLY=($(compgen -P "$prefix" -W "$words" -- "$current"))
  [[ ${COMPREPLY[*]} == *= ]] && compopt -o nospace
  if [[ $files == 1 ]]; then
    local IFS=$'\n'
    COMPREPLY+=($(compgen -f -- "$current"))
    compopt -o filenames
  fi
  if [[ -z $option && $COMP_CWORD -eq 1 ]]; then
    local IFS=$' \t\n'
    COMPREPLY+=($(compgen -W "@COMMANDS@" -- "$current"))
  fi
}

complete -F _atscope atscope
"""

ZSH = r"""#compdef atscope
_atscope() {
  local option= command=@DEFAULT@ values= files=0 list=0 options=
  local -a commands
  commands=(@COMMANDS@)
  (( CURRENT > 2 && ${commands[(Ie)$words[2]]} )) && command=$words[2]
  if [[ $words[CURRENT] == --*=* ]]; then
    option=${words[CURRENT]%%=*}
    compset -P '--[a-z-]#='
  elif [[ " @TAKERS@ " == *" $words[CURRENT-1] "* ]]; then
    option=$words[CURRENT-1]
  fi
  if [[ -z $option && $PREFIX == -* ]]; then
    case $command in
@FLAGS@
    esac
    compadd -- ${=options}
    return
  fi
  local words_of= # set by the table below
  case "$command $option" in
@TABLE@
  esac
  values=$words_of
  if [[ $files == 1 && $PREFIX == *=* && -n $option ]]; then
    compset -P '*='
    _files
    return
  fi
  (( list )) && compset -P '*,'
  [[ $values == *= ]] && compadd -S '' -- ${=values} || compadd -- ${=values}
  [[ $files == 1 ]] && _files
  [[ -z $option && $CURRENT -eq 2 ]] && compadd -- $commands
  return 0
}

if [[ $funcstack[1] == _atscope ]]; then
  _atscope "$@"
else
  compdef _atscope atscope
fi
"""

FISH = r"""# fish completion for atscope
function __atscope_command
    set -l tokens (commandline -opc)
    set -l command @DEFAULT@
    if test (count $tokens) -gt 1; and contains -- $tokens[2] @COMMANDS@
        set command $tokens[2]
    end
    test $command = $argv[1]
end

function __atscope_list
    set -l written (string replace -r '[^,]*$' '' -- (commandline -ct | string replace -r '^--[a-z-]*=' ''))
    for word in $argv
        echo $written$word
    end
end

function __atscope_first
    test (count (commandline -opc)) -eq 1
end

"""


def fish(found):
    lines = []
    for command, (about, options) in found.items():
        lines.append(f"complete -c atscope -n __atscope_first -a {command} -d {quoted(about)}")
        condition = quoted("__atscope_command " + command)
        for option in options:
            words = " ".join(option.values)
            if option.isList:
                words = f"(__atscope_list {words})"
            if option.isPositional:
                lines.append(f"complete -c atscope -n {condition} {'-F' if option.takesFiles else '-f'}" + (f" -a {quoted(words)}" if words else ""))
                continue
            names = " ".join(("-l " + n[2:]) if n.startswith("--") else ("-s " + n[1:]) for n in option.names)
            value = "" if option.isFlag else " -r" + (" -F" if option.takesFiles or option.isReport else " -f") + (f" -a {quoted(words)}" if words else "")
            lines.append(f"complete -c atscope -n {condition} {names}{value} -d {quoted(option.about)}")
    lines.append(f"complete -c atscope -n '__atscope_command help' -f -a {quoted(' '.join(name for name in found if name != 'help'))}")
    return "\n".join(lines) + "\n"


def main():
    if len(sys.argv) != 3 or sys.argv[2] not in ("bash", "zsh", "fish"):
        sys.exit(__doc__)
    dump = subprocess.run([sys.argv[1], "--experimental-dump-help"], stdout=subprocess.PIPE, check=True).stdout
    found = commands(json.loads(dump)["command"])
    text = {"bash": BASH, "zsh": ZSH, "fish": FISH}[sys.argv[2]]
    rows = table(found)
    if sys.argv[2] == "zsh":
        # In zsh, `words` is the command line.
        rows = rows.replace(") words=", ") words_of=")
    for name, value in {"TABLE": rows, "FLAGS": flags(found), "DEFAULT": DEFAULT, "TAKERS": takers(found),
                        "COMMANDS": " ".join(found)}.items():
        text = text.replace(f"@{name}@", value)
    print(text + (fish(found) if sys.argv[2] == "fish" else ""), end="")


if __name__ == "__main__":
    main()

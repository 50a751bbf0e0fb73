"""Checks for lint.py that code which only one system supports is conditional.

docs/platforms.md has a row for each file that depends on the system, and lists the C library constants that every system must have.
"""
import itertools
import re

SYSTEMS = {
    "linux": {"os(Linux)", "canImport(Glibc)", "canImport(Musl)", "defined(__linux__)", "defined(__ELF__)", "defined(__GLIBC__)"},
    "macos": {"os(macOS)", "canImport(Darwin)", "defined(__APPLE__)"},
}
ELSEWHERE = {"os(Windows)", "os(OpenBSD)", "os(FreeBSD)", "os(Android)", "os(iOS)", "defined(_WIN32)"}

# Modules, functions, constants, members and headers that only one of the systems has.
ONLY = {
    "linux": r"\bimport\s+(?:Glibc|Musl)\b|\b(?:Glibc|Musl)\.|#\s*include\s*<(?:linux/|asm/|sys/(?:prctl|syscall|epoll|inotify|"
             r"eventfd|signalfd|timerfd|sendfile|sysinfo|auxv|random|vfs)\.h|features\.h|gnu/|malloc\.h|byteswap\.h|endian\.h|error\.h)"
             r"|\b(?:prctl|syscall|memfd_create|splice|tee|vmsplice|epoll_\w+|inotify_\w+|eventfd|signalfd|timerfd_\w+|pipe2|dup3|accept4|renameat2|"
             r"statx|copy_file_range|fallocate|fallocate64|posix_fadvise\w*|posix_fallocate\w*|readahead|sync_file_range|mremap|gettid|getrandom|"
             r"sched_[sg]etaffinity|sched_getcpu|pthread_[sg]etaffinity_np|secure_getenv|canonicalize_file_name|get_current_dir_name|strchrnul|"
             r"mempcpy|memrchr|euidaccess|execvpe|open64|lseek64|stat64|fstat64|readdir64|mmap64|tcgetpgrp64|malloc_usable_size|malloc_trim|"
             r"explicit_bzero|fopencookie|open_memstream64|ppoll|sigtimedwait|sigwaitinfo|getauxval|"
             r"clock_nanosleep|program_invocation_\w+|close_range|openat2|pidfd_\w+)\s*\("
             r"|\b(?:__)?O_TMPFILE\b|\bO_(?:PATH|DIRECT|LARGEFILE|NOATIME)\b|\bF_(?:SET|GET)PIPE_SZ\b|\bF_ADD_SEALS\b|\bF_SEAL_\w+|\bMFD_\w+"
             r"|\bMAP_(?:POPULATE|HUGETLB|LOCKED|STACK|GROWSDOWN|UNINITIALIZED|FIXED_NOREPLACE)\b|\bMADV_(?:HUGEPAGE|DONTDUMP|REMOVE|DODUMP|COLLAPSE)\b"
             r"|\bAT_(?:EMPTY_PATH|NO_AUTOMOUNT|STATX_\w+)\b|\bRENAME_(?:NOREPLACE|WHITEOUT)\b|\bPR_[SG]ET_\w+|\bCLOCK_(?:BOOTTIME|\w+_COARSE)\b"
             r"|\bSOCK_(?:CLOEXEC|NONBLOCK)\b|\bEPOLL\w+|\bPOLLRDHUP\b|\bRTLD_DEEPBIND\b|\bSIG(?:PWR|STKFLT|POLL|RTMIN|RTMAX)\b|\bST_(?:NOATIME|RELATIME)\b"
             r"|\b__sigaction_handler\b|\.st_[amc]tim\b|\bsighandler_t\b|\bE(?:BADE|BADR|UNATCH|NOMEDIUM|RFKILL|HWPOISON|RESTART|STRPIPE|USERS)\b",
    "macos": r"\bimport\s+(?:Darwin|os|Security|CoreFoundation|Dispatch|MachO|ObjectiveC|System)\b|\bDarwin\.|#\s*include\s*<(?:mach/|mach-o/|libkern/|os/|"
             r"TargetConditionals|Availability|CommonCrypto/|sys/(?:clonefile|attr|sysctl|event)\.h|copyfile\.h|sandbox\.h)"
             r"|\b(?:kqueue|kevent|mach_\w+|sysctlbyname|fcopyfile|copyfile|clonefile\w*|renamex_np|renameatx_np|arc4random\w*|sandbox_init|"
             r"getattrlist\w*|proc_pidpath|_NSGetExecutablePath)\s*\("
             r"|\bF_(?:FULLFSYNC|NOCACHE|GETPATH|PREALLOCATE|RDADVISE|BARRIERFSYNC)\b|\bO_(?:EVTONLY|SYMLINK|NOFOLLOW_ANY|EXLOCK|SHLOCK|SEARCH)\b"
             r"|\bRENAME_(?:SWAP|EXCL)\b|\bMAP_(?:JIT|RESILIENT_\w+)\b|\b__sigaction_u\b|\.st_(?:[amc]|birth)timespec\b|\bSIG(?:INFO|EMT)\b|\bsig_t\b",
}

# C library constants, by family. Those in code for all systems must be listed in docs/platforms.md.
CONSTANT = re.compile(r"(?<![.\w])(?:O_[A-Z]+|S_I[A-Z]+|SIG_?[A-Z]{3,}|SA_[A-Z]+|F_[A-Z]+|AT_[A-Z_]+|MAP_[A-Z]+|PROT_[A-Z]+|MADV_[A-Z]+|POLL[A-Z]+|"
                      r"SEEK_[A-Z]+|TIOC[A-Z]+|RLIMIT_[A-Z]+|CLOCK_[A-Z]+|E[A-Z]{2,}\d*|ST(?:DIN|DOUT|DERR|DOUT)_FILENO|DT_[A-Z]+)\b")


# Tools and options in scripts that only Linux has, and the scripts that run only there.
LINUX_TOOLS = re.compile(r"\bsed -i\b(?! '')|\bstat -c|\breadlink -[a-z]*f|\bdate (?:-u )?-d\b|\bnproc\b|\bsha256sum\b|\bxargs -r|\btar\b[^|]*--(?:sort|owner|mtime)"
                         r"|\bgrep -[A-Za-z]*P|\btouch -[a-z]*d|-printf\b|\bcp --|\bmktemp --|\btimeout \d|\bhead -n -|\bsetpriv\b|\bunshare\b|\bdpkg\b|"
                         r"\bobjdump\b|\breadelf\b|\bldd\b|--remove-section|/proc/")
LINUX_SCRIPTS = {"Packaging/deb.sh", "Packaging/Dockerfile", "Tests/Scripts/packages.sh"}


def check_script(path, text):
    """Returns the uses of Linux-only tools in a shell script or the Makefile.

    A use is allowed if its line or the line before tests for the tool or the system.
    """
    if path in LINUX_SCRIPTS or not (path.endswith(".sh") or path in ("Makefile", ".ci/run")):
        return []
    found = []
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        match = LINUX_TOOLS.search(re.sub(r"(^|\s)#.*", "", line))
        around = " ".join(lines[max(0, number - 2):number])
        if match and not re.search(r"\buname\b|command -v", around):
            found.append((number, f"only Linux has {match.group().strip()}; test for it with command -v or uname, in this line or the one before"))
    return found


def holds(condition, system):
    """Returns whether a condition can be true on a system, and whether it must be."""
    words = []
    for word in re.findall(r"!|&&|\|\||\w+\s*\([^()]*\)|[()]|[\w.]+|[<>=]+", re.sub(r"//.*", "", condition)):
        compact = re.sub(r"\s", "", word)
        if compact in ("!", "&&", "||"):
            words.append({"!": " not ", "&&": " and ", "||": " or "}[compact])
        elif compact in ("(", ")"):
            words.append(compact)
        elif any(compact in names for names in SYSTEMS.values()) or compact in ELSEWHERE:
            words.append(str(compact in SYSTEMS[system]))
        else:
            words.append("?")
    unknown = words.count("?")
    if unknown > 6:
        return True, False
    outcomes = []
    for values in itertools.product(["True", "False"], repeat=unknown):
        left = iter(values)
        try:
            # The expression consists of True, False, not, and, or and parentheses only.
            outcomes.append(eval("".join(next(left) if word == "?" else word for word in words)))
        except SyntaxError:
            return True, False
    return any(outcomes), all(outcomes)


def depends(condition):
    """Whether a condition names a system."""
    compact = re.sub(r"\s", "", condition)
    return any(name in compact for names in [*SYSTEMS.values(), ELSEWHERE] for name in names)


def systems_by_line(code):
    """Returns the systems that each line is compiled on, and the numbers of the lines whose condition names a system."""
    everywhere = set(SYSTEMS)
    stack, lines, named = [], [], []
    for number, line in enumerate(code.split("\n"), 1):
        directive = re.match(r"\s*#\s*(ifdef|ifndef|if|elseif|elif|else|endif)\b(.*)", line)
        if directive:
            kind, condition = directive.groups()
            if kind in ("ifdef", "ifndef"):
                kind, condition = "if", ("!" if kind == "ifndef" else "") + f"defined({condition.strip()})"
            if kind in ("if", "elseif", "elif") and depends(condition):
                named.append(number)
            if kind == "if":
                around = stack[-1]["now"] if stack else everywhere
                stack.append({"around": around, "left": set(around), "now": set()})
            if kind == "endif":
                if stack:
                    stack.pop()
            elif stack:
                top = stack[-1]
                if kind == "else":
                    top["now"], top["left"] = top["left"], set()
                else:
                    facts = {system: holds(condition, system) for system in top["left"]}
                    top["now"] = {system for system, (can, _) in facts.items() if can}
                    top["left"] = {system for system, (_, must) in facts.items() if not must}
        lines.append(set(stack[-1]["now"]) if stack else everywhere)
    return lines, named


def check(path, code, constants):
    """Returns the findings of a Swift, C or assembly file.

    `code` has no comments and string contents; `constants` are those in docs/platforms.md. A finding is a use of what only one system has,
    in a line that other systems compile as well, or a C library constant that is not in `constants`.
    """
    compiled, _ = systems_by_line(code)
    found = []
    imports_library = path.endswith(".swift") and re.search(r"(?m)^\s*import (?:Glibc|Darwin)\b", code)
    for number, line in enumerate(code.split("\n"), 1):
        systems = compiled[number - 1]
        for system, pattern in ONLY.items():
            for match in re.finditer(pattern, line):
                if systems - {system}:
                    found.append((number, f"only {system} has {match.group().strip()}: put it in an #if, and list it in docs/platforms.md"))
        if imports_library and len(systems) > 1:
            for match in CONSTANT.finditer(line):
                if match.group() not in constants:
                    found.append((number, f"{match.group()} is not among the constants in docs/platforms.md that every system has"))
    return found


def conditional(code):
    """Whether a file has a condition that names a system."""
    return bool(systems_by_line(code)[1])


def documented(text):
    """Returns what docs/platforms.md lists: the files with conditions, and the constants."""
    files = set(re.findall(r"(?m)^\| `((?:Sources|Tests)/[^`]+)`", text))
    section = re.search(r"(?ms)^## Constants$(.*?)(?=^## |\Z)", text)
    constants = set(re.findall(r"`([A-Z_0-9]+)`", section[1])) if section else set()
    return files, constants


def check_document(conditional_files, text):
    """Returns the findings of docs/platforms.md: files with conditions that it does not list, and listed files without conditions."""
    listed = documented(text)[0]
    return [f"docs/platforms.md has no row for {path}, which depends on the system" for path in sorted(conditional_files - listed)] \
        + [f"docs/platforms.md has a row for {path}, which does not depend on the system" for path in sorted(listed - conditional_files)]

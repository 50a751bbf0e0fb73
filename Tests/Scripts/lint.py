#!/usr/bin/env python3
"""Checks what the compiler and `swift format` do not.

  lint.py            checks the working tree, prints one line per finding, exits with 1 if there are any

The tables below list what is refused, and why. Code is checked without its comments and string literals.
"""
import functools
import io
import json
import os
import re
import subprocess
import sys
import tokenize

import platforms

# Stages in the order of the data flow. A module may depend only on earlier stages and on earlier rows of its own stage.
STAGES = ["Bytes", "Captures", "Packets", "Protocols", "Sessions", "Judgement", "Reports", "Product"]

# Modules of other packages, and the modules that may import them (None: all).
OUTSIDE = {
    "Glibc": None,
    "Darwin": None,
    "FoundationEssentials": {"ATScope", "ATScopeCommand"},
    # Tables that are never shared (docs/decisions/0007).
    "BasicContainers": {"Reassembly", "SessionTracking"},
    "DequeModule": {"Reassembly", "SessionTracking", "TLSObservation"},
    "HeapModule": {"SessionTracking"},
    "Crypto": {"SessionModel", "TLSObservation", "SessionRecords", "ReportFormats", "SessionReading", "PacketExtraction", "ATScope",
               "CertificateSignatures", "TrustEvaluation", "CertificateTransparency", "Revocation", "HandshakeDecryption"},
    "CryptoExtras": {"CertificateSignatures", "HandshakeDecryption"},
    "ArgumentParser": {"ATScopeCommand"},
}

# The only files of Sources/ with `unsafe` code, and the reason.
UNSAFE = {
    "Sources/Bytes/ByteParsing/ByteAccess.swift": "loads of integers, copies and moves of bytes, all with bounds checks",
    "Sources/Captures/ArchiveReading/LibArchive.swift": "calls libarchive",
    "Sources/Captures/Decompression/Decompressors.swift": "calls zlib, zstd, liblzma and brotli",
    "Sources/Captures/SystemCalls/SystemCalls.swift": "calls the file functions of the C library",
    "Sources/Packets/PacketFiltering/FilterProgram.swift": "calls libpcap's filter compiler",
    "Sources/Judgement/AppleTrust/EmbeddedData.swift": "borrows the bytes that the C target CAppleTrust embeds",
    "Sources/Judgement/PropertyLists/XML/XMLParser.swift": "calls libexpat",
    "Sources/Reports/ReportFormats/HTML/HTMLPage+Assets.swift": "copies the script and style that the C target CPage embeds",
    "Sources/Product/ATScopeCommand/Output/StandardStreams.swift": "calls the C library for signals, memory, environment and terminal",
    "Sources/Product/ATScopeCommand/Sandbox/Sandbox.swift": "calls Landlock with paths",
}

# Refused in the code of Sources/ and Tests/.
FORBIDDEN = [
    (r"\bInlineArray\b", "InlineArray needs macOS 26"),
    (r"\bUTF8Span\b|\.utf8Span\b", "UTF8Span needs macOS 26"),
    (r"\bimport\s+Synchronization\b", "Synchronization needs macOS 15"),
    (r"\bString\s*\(\s*validating\b", "String(validating:as:) needs macOS 15"),
    (r"\bU?Int128\b", "Int128 needs macOS 15"),
]

# Refused in the code of Sources/ alone.
FORBIDDEN_IN_SOURCES = [
    (r"\bimport\s+(?:\w+\s+)?Foundation(?:XML|Networking)?\b(?!\w)", "Foundation is not linked; FoundationEssentials at most"),
    (r"\btry!", "try! traps"),
    (r"\bas!", "as! traps"),
    (r"(?<!\btry)(?<!\bas)(?<=[\w)\]}>?\"`])!(?!=)", "forced unwrapping traps"),
    (r"\bfatalError\b", "no input may end the process"),
    (r"@unchecked\b|\bnonisolated\s*\(\s*unsafe\s*\)", "unchecked concurrency"),
    (r"\b(?:socket|getaddrinfo|gethostbyname|URLSession|NWConnection)\s*\(|\bimport\s+Network\b", "atscope opens no sockets"),
]

# Refused in Sources/ except in some files: the pattern, the reason, and whether a file is an exception.
RESTRICTED = [
    (r"\bgetenv\b|\bProcessInfo\b", "only ATScopeCommand reads the environment",
     lambda path: path.startswith("Sources/Product/ATScopeCommand/")),
    (r"\b(?:gettimeofday|clock_gettime|ContinuousClock|SuspendingClock)\b|\bDate\(\)|\btime\(nil\)",
     "results do not depend on the clock, except for the expiry of accepted findings",
     lambda path: path in ("Sources/Product/ATScopeCommand/Output/ProgressBar.swift",
                           "Sources/Product/ATScopeCommand/Arguments/ExpiryArguments.swift")),
    (r"\bprint\s*\(", "only ATScopeCommand writes output, through its streams", lambda path: False),
]

# Refused in every text file, because it is meaningless to other readers.
MENTIONS = [
    (r"(?<![\w.])/(?:work|home|Users|root)/\w", "a path on one machine"),
    (r"\b(?:TODO|FIXME|HACK)\b", "a note to self: do it, or open an issue"),
]
# Refused only in documents, and in comments and string literals of Swift; "PKCS #1" and "UTS #46" are names.
ISSUE = (r"(?i)\b(?:issues?|pull request|PR|GH|bug|see|refs?|fix(?:es|ed)?|close[sd]?)[ -]?#\d+\b|\bGH-\d+\b",
         "an issue number")

# Files and folders at the top of the repository; the last two are generated.
TOP = {".ci", ".dockerignore", ".git", ".github", ".gitignore", ".swift-format", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "Package.swift",
       "Packaging", "README.md", "SECURITY.md", "Scripts", "Sources", "Spark", "Tests", "captures", "docs", "Package.resolved", "out"}

# Words that user-visible text does not use, and what to write instead. `prose_of` returns that text. JSON members such as `settledBy` are
# identifiers, not words.
WORDS = [
    (r"ask(?:s|ed|ing)?", "requires, requests"),
    (r"put(?:s|ting)? (?:\w+ )?right|mend(?:s|ed|ing)?", "fix"),
    (r"device reports", "device error"),
    (r"settled by", "to settle, settle with"),
    (r"st(?:ands?|ood)(?!-)", "is, appears in; represents"),
    (r"at hand", "available"),
    (r"giv(?:e|es|en|ing) up|gave up", "abandoned, evicted; drops"),
    (r"(?<!there\s)(?:is|are|was|were) (?-i:no) (?!longer|more|less|later|earlier|greater|one)", "is not a"),
    (r"tell(?:s|ing)?|told", "shows, indicates, reports; distinguishes"),
    (r"sa(?:y|ys|id) of|it is said", "reports X as"),
    (r"in front of", "before"),
    (r"behind(?! (?:a|an|the|one|it)\b(?: \w+)? ?(?:prox|NAT|firewall))", "after"),
    (r"cuts? off|cut-off|cut short", "truncated"),
    (r"by the way of|whoever|nobody|somebody", "via; the caller, a client, no one"),
    (r"wish(?:es|ed)?(?: for)?", "target"),
    (r"of (?:its|their|our|one's) own", "its own; separate"),
    (r"so many more", "N more"),
    (r"worth while|glimpse[sd]?", "worthwhile; prefetch"),
    (r"h[eo]ld (?:\w+ )?against", "compared with"),
    (r"taken? for", "treated as"),
    (r"passed over", "skipped"),
    (r"anew", "again"),
    (r"l(?:ie|ies|ay) (?:in|at|within|behind|there|where)", "is in"),
]

TEXT = {".swift", ".md", ".py", ".sh", ".c", ".h", ".S", ".rb", ".json", ".toml", ".js", ".yml", ".modulemap", ""}


def parts_of(text):
    """Yields the kind, start and end of each comment and string literal of a Swift file, in order."""
    end, n = 0, len(text)
    opening = re.compile(r'//|/\*|(#*)("""|")')
    while found := opening.search(text, end):
        start, end = found.span()
        if found.group() == "//":
            end = text.find("\n", start)
            end = n if end < 0 else end
            yield "comment", start, end
        elif found.group() == "/*":
            depth = 1
            while end < n and depth:
                if text.startswith("/*", end):
                    depth, end = depth + 1, end + 2
                elif text.startswith("*/", end):
                    depth, end = depth - 1, end + 2
                else:
                    end += 1
            yield "comment", start, end
        else:
            end = end_of_text(text, end, found.group(2), found.group(1))
            yield "text", start, end


def blanked(text):
    """Returns a text with every character except line breaks replaced by a space."""
    return "".join(c if c == "\n" else " " for c in text)


@functools.cache
def code_of(text):
    """Returns the code of a Swift file on its original lines: comments and the contents of string literals are blanked."""
    out, last = [], 0
    for kind, start, end in parts_of(text):
        out.append(text[last:start])
        if kind == "text":
            out.append('"' + blanked(text[start + 1:end - 1]) + ('"' if end - start > 1 else ""))
        else:
            out.append(blanked(text[start:end]))
        last = end
    return "".join(out) + text[last:]


def texts_of(text):
    """Returns the string literals of a Swift file on their original lines, without interpolated code."""
    out, last = [], 0
    for kind, start, end in parts_of(text):
        if kind == "text":
            literal = text[start:end]
            # A backslash at the end of a line continues the text on the next one; without it, patterns match across both.
            literal = re.sub(r"\\\n", " \n", without_interpolation(literal))
            out += [blanked(text[last:start]), literal]
            last = end
    return "".join(out) + blanked(text[last:])


def without_interpolation(literal):
    """Returns a literal with its interpolated code replaced by underscores."""
    escape = "\\" + literal[:len(literal) - len(literal.lstrip("#"))] + "("
    i = literal.find(escape)
    while i >= 0:
        end, depth = i + len(escape), 1
        while end < len(literal) and depth:
            inner = re.compile(r'(#*)("""|")').match(literal, end)
            if inner:
                end = end_of_text(literal, inner.end(), inner.group(2), inner.group(1))
                continue
            depth += {"(": 1, ")": -1}.get(literal[end], 0)
            end += 1
        literal = literal[:i] + re.sub(r"[^\n]", "_", literal[i:end]) + literal[end:]
        i = literal.find(escape, end)
    return literal


def end_of_text(text, i, quote, hashes):
    """Returns the index after a literal that opens with `hashes` and `quote`; `i` is the index after the opening delimiter."""
    escape = "\\" + hashes
    while i < len(text):
        if text.startswith(quote + hashes, i):
            return i + len(quote) + len(hashes)
        if text.startswith(escape + "(", i):
            i, depth = i + len(escape) + 1, 1
            while i < len(text) and depth:
                inner = re.compile(r'(#*)("""|")').match(text, i)
                if inner:
                    i = end_of_text(text, inner.end(), inner.group(2), inner.group(1))
                    continue
                depth += {"(": 1, ")": -1}.get(text[i], 0)
                i += 1
        elif text.startswith(escape, i):
            i += len(escape) + 1
        elif text[i] == "\n" and quote == '"':
            return i
        else:
            i += 1
    return len(text)


def comments_of(text):
    """Returns the comments of a Swift file and the contents of its string literals, on their original lines."""
    code = code_of(text)
    return "".join(a if a == "\n" or b == " " else " " for a, b in zip(text, code))


def matches(pattern, text):
    """Returns the line number of each match of a pattern."""
    return [text.count("\n", 0, m.start()) + 1 for m in re.finditer(pattern, text, re.M)]


def check_swift(path, text, unsafe=UNSAFE):
    """The findings of one Swift file, as (line, reason)."""
    code = code_of(text)
    found = []

    def refuse(pattern, reason):
        found.extend((line, reason) for line in matches(pattern, code))

    for pattern, reason in FORBIDDEN:
        refuse(pattern, reason)
    if path.startswith("Sources/"):
        for pattern, reason in FORBIDDEN_IN_SOURCES:
            refuse(pattern, reason)
        for pattern, reason, may in RESTRICTED:
            if not may(path):
                refuse(pattern, reason)
        if path not in unsafe:
            refuse(r"\bunsafe\b|\bUnsafe\w+|\bUnmanaged\b", "unsafe code outside the files that lint.py lists")
    return found


def check_doc_comments(path, text):
    """Returns the doc comments of Sources/ that begin with "Whether" although the declaration is not a Bool, as (line, reason)."""
    if not path.startswith("Sources/"):
        return []
    lines = text.split("\n")
    found = []
    for number, line in enumerate(lines):
        if not re.match(r" */// Whether\b", line) or number > 0 and re.match(r" *///", lines[number - 1]):
            continue
        declaration = ""
        for part in lines[number:]:
            if re.match(r" *///", part) or re.fullmatch(r" *@[\w()]+", part):
                continue
            declaration += " " + part
            if declaration.count("(") == declaration.count(")") and not re.search(r"[,)]$", part):
                break
        if not re.search(r"\bBool\b|= (?:true|false)\b|\((?:true|false)\)", declaration):
            found.append((number + 1, 'a doc comment begins with "Whether", but the declaration is not a Bool'))
    return found


def check_mentions(path, text):
    """Returns the findings of `MENTIONS` and `ISSUE` in a text file."""
    found = []
    for pattern, reason in MENTIONS:
        found.extend((line, reason) for line in matches(pattern, text))
    prose = text if path.endswith(".md") else comments_of(text) if path.endswith(".swift") else ""
    found.extend((line, ISSUE[1]) for line in matches(ISSUE[0], prose))
    return found


def strings_of(text, with_docstrings):
    """Returns the strings of a Python file that contain a space, on their original lines.

    Docstrings of functions and classes are included only if `with_docstrings` is true.
    """
    lines = [""] * (text.count("\n") + 2)
    last = None
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1)):
            if " " in token.string and (last != tokenize.INDENT or with_docstrings):
                for row, line in enumerate(re.sub(r"\{[^{}]*\}", "_", token.string).split("\n"), token.start[0] - 1):
                    lines[row] += " " + line
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            last = token.type
    return "\n".join(lines)


def prose_of(path, text):
    """Returns the user-visible text of a file on its original lines; None if it has none."""
    extension = os.path.splitext(path)[1]
    if extension == ".swift":
        return texts_of(text) if path.startswith("Sources/") else None
    if extension == ".md" or path.startswith("docs/schemas/") or path.startswith("docs/ci/"):
        return text
    if extension == ".py" and path not in ("Tests/Scripts/lint.py", "Tests/Scripts/test_lint.py"):
        return strings_of(text, with_docstrings=path.startswith("Spark/atscope_spark/"))
    if extension == ".js":
        return re.sub(r"//[^\n]*", "", text)
    if extension == ".sh":
        return re.sub(r"^\s*#(?!!).*", "", text, flags=re.M)
    if path == "Makefile":
        return re.sub(r"^#.*", "", text, flags=re.M)
    return None


def check_length(text, limit):
    """Returns the lines longer than `limit`, which `swift format` accepts in comments. A line with only a string literal may be longer."""
    return [(number, f"{len(line)} characters; {limit} at most")
            for number, line in enumerate(text.split("\n"), 1)
            if len(line) > limit and not re.fullmatch(r'\s*".*",?', line)]


def check_sizes(path, text):
    """Returns findings for a file of more than 400 lines in Sources/, and for its functions of more than 60 lines."""
    if not path.startswith("Sources/"):
        return []
    lines = text.split("\n")
    found = [(401, f"{len(lines) - 1} lines in a file; 400 at most")] if len(lines) > 401 else []
    begun = None
    for number, line in enumerate(lines, 1):
        if (head := re.match(r"( *)(?:[\w@()]+ )*(?:func |init[?]?[<(])", line)) and not line.endswith("}"):
            begun = (number, head[1])
        if begun and line == begun[1] + "}":
            if number - begun[0] >= 60:
                found.append((begun[0], f"{number - begun[0] + 1} lines in a function; 60 at most"))
            begun = None
    return found


def check_modules(names):
    """Returns findings for modules of more than 4,500 lines in Sources/."""
    lines = {}
    for path in names:
        if path.startswith("Sources/") and path.endswith(".swift"):
            with open(path, encoding="utf-8") as file:
                module = "/".join(path.split("/")[:3])
                lines[module] = lines.get(module, 0) + len(file.readlines())
    return [f"{module}: {count} lines in a module; 4,500 at most" for module, count in lines.items() if count > 4500]


def check_words(path, text):
    """Returns the findings of `WORDS` in the user-visible text of a file."""
    prose = prose_of(path, text)
    if prose is None:
        return []
    return [(line, f"'{' '.join(word.split())}': write {instead}")
            for pattern, instead in WORDS
            for line, word in matched(r"(?i)\b(?:" + pattern.replace(" ", r"\s+") + r")\b", prose)]


def matched(pattern, text):
    """Returns the line number and text of each match of a pattern."""
    return [(text.count("\n", 0, m.start()) + 1, m.group()) for m in re.finditer(pattern, text)]


def modules_of(manifest):
    """Returns the targets of the manifest in its order: name, folder, and names of the targets and the products it depends on."""
    rows = []
    for target in manifest["targets"]:
        # The rules do not apply to targets that only tests use.
        if target["type"] == "test" or (target.get("path") or "").startswith("Tests/"):
            continue
        inner = [d["byName"][0] for d in target["dependencies"] if "byName" in d]
        outer = [d["product"][0] for d in target["dependencies"] if "product" in d]
        rows.append((target["name"], target.get("path") or "", inner, outer))
    return rows


def check_manifest(rows):
    """Returns the findings on the order and dependencies of modules."""
    found = []
    seen = []
    last = 0
    for name, path, inner, outer in rows:
        stage = path.split("/")[1] if path.startswith("Sources/") else None
        if stage not in STAGES:
            found.append(f"{name}: not in the folder of a stage ({path})")
            continue
        if STAGES.index(stage) < last:
            found.append(f"{name}: a row of stage {stage} after a later stage")
        last = max(last, STAGES.index(stage))
        for other in inner:
            if other not in seen:
                found.append(f"{name}: depends on {other}, which is not an earlier row")
        for other in outer:
            allowed = OUTSIDE.get(other, set())
            if allowed is not None and name not in allowed:
                found.append(f"{name}: may not depend on {other}")
        seen.append(name)
    return found


def types_of(path, text):
    """The types that a Swift file declares or extends, and the name of the file itself."""
    declared = re.findall(r"\b(?:struct|class|enum|protocol|actor|typealias|extension)\s+((?:[A-Z]\w*\.)*[A-Z]\w*)", code_of(text))
    return {name.split(".")[-1] for name in declared} | {os.path.splitext(os.path.basename(path))[0]}


def check_test_name(path, types):
    """Returns a finding if a unit test file is not named after one of `types`: the types and files of the modules under test."""
    name = re.fullmatch(r"([^+]+)(?:\+\w+)?Tests\.swift", os.path.basename(path))
    return [(1, f"no type or file {name[1]} in a module under test: TYPETests.swift or TYPE+AspectTests.swift")] \
        if name and name[1] not in types else []


def imports_of(text):
    """Returns the line and the module name of every import in a Swift file."""
    pattern = r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+" \
        r"(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)"
    code = code_of(text)
    return [(code.count("\n", 0, m.start(1)) + 1, m.group(1)) for m in re.finditer(pattern, code, re.M)]


def check_duplicate_imports(text):
    """Returns the imports that repeat an earlier one under the same `#if` conditions, as (line, reason)."""
    code = code_of(text).split("\n")
    imports = dict(imports_of(text))
    found, seen, conditions = [], set(), []
    for number, line in enumerate(code, 1):
        if condition := re.match(r"\s*#(if|elseif|else|endif)\b", line):
            if condition[1] != "if" and conditions:
                conditions.pop()
            if condition[1] != "endif":
                conditions.append(number)
        elif number in imports:
            import_ = (*conditions, " ".join(line.split("import", 1)[1].split()))
            if import_ in seen:
                found.append((number, f"imports {imports[number]} again"))
            seen.add(import_)
    return found


def check_imports(path, text, name, inner, outer):
    """Returns the findings on the imports of a file of module `name`."""
    found = []
    for line, module in imports_of(text):
        if module in inner:
            continue
        allowed = OUTSIDE.get(module)
        if module in OUTSIDE and allowed is not None and name not in allowed:
            found.append((line, f"{name} may not import {module}"))
        elif module not in outer and module not in ("Glibc", "Darwin", "FoundationEssentials"):
            found.append((line, f"Package.swift does not list {module} as a dependency of {name}"))
    return found


def files_of_the_tree():
    """Returns the paths of all files that git tracks or does not ignore."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True, check=True)
        names = [name for name in listed.stdout.decode().split("\0") if name and os.path.isfile(name)]
    except (OSError, subprocess.CalledProcessError):
        names = []
        for folder, folders, files in os.walk("."):
            folders[:] = [f for f in folders if not f.startswith(".build") and f not in (".git", "__pycache__")]
            names += [os.path.relpath(os.path.join(folder, f), ".") for f in files]
    return sorted(names)


def check_place(path):
    """Returns a finding for an unknown file or folder at the top of the repository, where tools may leave files."""
    return [] if path.split("/")[0] in TOP else [(1, "an unknown file or folder at the top")]


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    dump = subprocess.run(["swift", "package", "--ignore-lock", "dump-package"], capture_output=True)
    if dump.returncode != 0:
        sys.stderr.write(dump.stderr.decode())
        return 1
    manifest = json.loads(dump.stdout)
    rows = modules_of(manifest)
    names = files_of_the_tree()
    findings = ["Package.swift: " + finding for finding in check_manifest(rows)] + check_modules(names)
    with open("docs/platforms.md", encoding="utf-8") as file:
        document = file.read()
    with open(".swift-format", encoding="utf-8") as file:
        limit = json.load(file)["lineLength"]
    types, tests = {}, {}
    constants, conditional = platforms.documented(document)[1], set()
    for path in sorted(set(UNSAFE) - set(names)):
        findings.append(f"Tests/Scripts/lint.py: lists {path}, which does not exist")
    for path in names:
        findings += [f"{path}:{line}: {reason}" for line, reason in check_place(path)]
        if os.path.splitext(path)[1] not in TEXT or path == "Tests/Scripts/lint.py":
            continue
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except UnicodeDecodeError:
            continue
        found = check_mentions(path, text) + check_words(path, text) + platforms.check_script(path, text)
        if path.endswith((".swift", ".c", ".h", ".S")) and not path.startswith("Tests/Scripts/macos/"):
            code = code_of(text)
            found += platforms.check(path, code, constants) + check_length(text, limit)
            if path.startswith(("Sources/", "Tests/")) and platforms.conditional(code):
                conditional.add(path)
        if path.endswith(".swift") and not path.startswith("Tests/Scripts/macos/"):
            found += check_swift(path, text) + check_doc_comments(path, text) + check_duplicate_imports(text) + check_sizes(path, text)
            if module := re.match(r"(?:Sources/\w+|Tests/Fuzzing/Sources)/(\w+)/", path):
                types.setdefault(module[1], set()).update(types_of(path, text))
            elif path.startswith("Tests/Unit/"):
                tests.setdefault(path.split("/")[2], []).append(path)
            for name, folder, inner, outer in rows:
                if folder and path.startswith(folder + "/"):
                    found += check_imports(path, text, name, inner, outer)
            if path in UNSAFE and not re.search(r"\bunsafe\b", code_of(text)):
                found.append((1, "listed in lint.py as unsafe, but contains no unsafe code"))
        findings += [f"{path}:{line}: {reason}" for line, reason in sorted(found)]
    for target in manifest["targets"]:
        known = set().union(*(types.get(d["byName"][0], ()) for d in target["dependencies"] if "byName" in d))
        findings += [f"{path}:{line}: {reason}" for path in tests.get(target["name"], []) for line, reason in check_test_name(path, known)]
    findings += platforms.check_document(conditional, document)
    for finding in findings:
        print(finding)
    print(f"lint.py: {len(names)} files, {len(rows)} modules, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())

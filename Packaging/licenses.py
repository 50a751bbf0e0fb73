#!/usr/bin/env python3
"""Prints the licenses of everything that is linked into the program: licenses.py INPUTS

INPUTS is the list of files that the linker read (--dependency-file), which Scripts/release.sh writes to .build/static/inputs.d. On macOS
there is no such file: the system's and Homebrew's libraries remain shared, and only the Swift packages are linked.

A file whose license is not known is an error, so that the list is complete.
"""
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
CHECKOUTS = os.path.join(ROOT, ".build", "checkouts")
# The files that Scripts/release.sh makes: copies of Swift's libraries, and a function of atscope.
STATIC = os.path.join(ROOT, ".build", "static")
RULE = "=" * 72
# Copies of other projects in Swift packages, with notices only in their files: the target, its name, and a further remark.
COPIES = {
    "CCryptoBoringSSL": ("BoringSSL (in swift-crypto)", "It contains code of fiat-crypto, Copyright 2015-2020 the fiat-crypto authors, used under the Apache License "
                                      "2.0 (see the text under atscope)."),
    "CXKCP": ("XKCP, the eXtended Keccak Code Package (in swift-crypto)", ""),
}


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def inputs(listing):
    """Returns the files that the linker read. The first line of the list names the product, the others one input each.

    With link-time optimization, the linker reads a temporary file STEM-XXXXXX.o for each STEM.swift.bc of the build. They are replaced
    by the build's own list of files, whose paths contain the target.
    """
    product, *lines = [line.rstrip("\\").strip() for line in read(listing).split("\n\n", 1)[0].splitlines()]
    names = [re.sub(r"\\(.)", r"\1", line) for line in lines if line]
    objects = product.rstrip(":") + ".product/Objects.LinkFileList"
    bitcode = [name for name in shlex.split(read(objects)) if name.endswith(".bc")] if os.path.exists(objects) else []
    stems = {os.path.basename(name).split(".")[0] for name in bitcode}
    temporary = {name for name in names if name.endswith(".o") and os.path.basename(name).rpartition("-")[0] in stems}
    return [name for name in names if name not in temporary] + (bitcode if temporary else [])


def targets():
    """Returns the package of each target, by name; None for targets of atscope."""
    found = {}
    for package in sorted(os.listdir(CHECKOUTS)):
        for folder in glob.glob(os.path.join(CHECKOUTS, package, "Sources", "*", "")):
            found[os.path.basename(os.path.dirname(folder))] = package
    for folder in glob.glob(os.path.join(ROOT, "Sources", "*", "*", "")):
        found[os.path.basename(os.path.dirname(folder))] = None
    return found


def debian(paths):
    """Returns the Debian package that each file belongs to, by file name."""
    # If /lib is a link to /usr/lib, a package may list a file under either path.
    names = {}
    for path in paths:
        real = os.path.realpath(path)
        for name in (path, real, real[len("/usr"):] if real.startswith("/usr/") else "/usr" + real):
            names.setdefault(name, path)
    try:
        done = subprocess.run(["dpkg-query", "-S", *names], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    except OSError:
        return {}
    found = {}
    for line in done.stdout.splitlines():
        package, _, name = line.partition(": ")
        if name in names:
            found[names[name]] = package.split(":", 1)[0]
    return found


def notices(folder):
    """Returns the distinct notices in the comments at the start of the files below a folder."""
    found = []
    for path in sorted(glob.glob(os.path.join(folder, "**", "*"), recursive=True)):
        if not os.path.isfile(path) or not re.search(r"\.(c|cc|h|S|inc|macros)$", path):
            continue
        with open(path, encoding="utf-8", errors="replace") as file:
            beginning = file.read(6000)
        for comment in re.findall(r"(?m)(?:^//.*\n?)+|/\*[\s\S]*?\*/", beginning):
            text = "\n".join(re.sub(r"^\s*(?://+|/\*+|\*(?!/))?[ \t]?|\s*\*+/\s*$", "", line) for line in comment.splitlines()).strip()
            if re.search(r"(?i)copyright|public domain|creativecommons", text) and text not in found:
                found.append(text)
    return found


def of_package(package):
    """Returns the license and notices of a Swift package."""
    files = [name for name in ("LICENSE.txt", "NOTICE.txt") if os.path.exists(os.path.join(CHECKOUTS, package, name))]
    if "LICENSE.txt" not in files:
        raise LookupError(f"{package} has no LICENSE.txt")
    return "\n".join(read(os.path.join(CHECKOUTS, package, name)) for name in files)


def sections(names):
    """Returns the text of each license by title, for linked files and the Swift packages and Debian packages that contain them."""
    known = targets()
    # The root of the toolchain, which may be the system's /usr.
    toolchain = os.path.dirname(os.path.dirname(os.path.realpath(shutil.which(os.environ.get("SWIFT", "swift")) or "/bin/swift")))
    found, others = {"atscope": read(os.path.join(ROOT, "LICENSE"))}, []
    for name in names:
        target = re.search(r"/([^/]+)\.build/", name)
        # Linker scripts and lists, and our own code.
        if name.endswith((".ld", ".LinkFileList")) or name == os.path.join(STATIC, "no-name.o"):
            continue
        if target:
            package = known.get(target[1], name)
            if package == name:
                raise LookupError(f"{name}: no package has the target {target[1]}")
            if package:
                found.setdefault(package, of_package(package))
            title, remark = COPIES.get(target[1], (None, ""))
            if title and title not in found:
                copies = notices(os.path.join(CHECKOUTS, package, "Sources", target[1]))
                if not copies:
                    raise LookupError(f"{target[1]}: no notices in its files")
                found[title] = "\n\n----\n\n".join(copies + [remark] * bool(remark))
        elif re.match(re.escape(toolchain) + r"/lib/(swift|clang)", os.path.realpath(name)) or os.path.dirname(name) == os.path.join(STATIC, "swift"):
            found.setdefault("Swift: runtime, standard library, Foundation, dispatch",
                             read(os.path.join(toolchain, "share", "swift", "LICENSE.txt")))
        else:
            others.append(name)
    packages = debian(others)
    for name in others:
        text = f"/usr/share/doc/{packages.get(name)}/copyright"
        if not os.path.exists(text):
            raise LookupError(f"{name}: no Debian package contains it, or the package has no copyright file")
        found.setdefault(f"{packages[name]} (Debian)", read(text))
    return found


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if os.path.exists(sys.argv[1]):
        names = inputs(sys.argv[1])
    elif sys.platform == "linux":
        sys.exit(f"licenses: {sys.argv[1]} is missing: build the program with make release")
    else:
        names = [f"/{target}.build/" for target, package in sorted(targets().items()) if package]
    try:
        found = sections(names)
    except (LookupError, OSError) as error:
        sys.exit(f"licenses: {error}")
    print("The licenses of atscope and of what is linked into it:", *found, sep="\n  ")
    for title, text in found.items():
        print(f"\n{RULE}\n{title}\n{RULE}\n\n{text.strip()}")


if __name__ == "__main__":
    main()

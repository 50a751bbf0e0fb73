#!/usr/bin/env python3
"""Type-checks Sources/ for macOS 14 on Linux: macos.py [MODULE ...]

The compiler checks every module for arm64-apple-macos14, with warnings as errors, and stops before code generation. It checks conditions,
types, uses of `unsafe`, and the macOS version that each declaration of the standard library requires. Apple's own modules are not available
on Linux; these replace them:

- the standard library: the toolchain's .swiftinterface files, which contain the same macOS availability as Apple's;
- the C library (Darwin) and other system headers: macos/include, modeled on Apple's headers, with the declarations that Sources/ uses;
- CryptoKit, CryptoExtras and Foundation: macos/*.swift, with the declarations that Sources/ and its packages use.

Nothing is linked or run. Needs the manifest of a debug build (`swift build --build-tests`), from which it takes the compiler's options.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
STUBS = os.path.join(ROOT, "Tests", "Scripts", "macos")
WORK = os.path.join(ROOT, ".build", "macos")
TARGET = "arm64-apple-macos14.0"
# The stand-in modules, each after those that it imports.
STAND_INS = ["FoundationEssentials", "Crypto", "CryptoExtras"]
# Options of a debug build that matter to the type checker, and how many arguments follow each.
KEPT = {"-swift-version": 1, "-strict-memory-safety": 0, "-warnings-as-errors": 0, "-Wwarning": 1, "-enable-upcoming-feature": 1,
        "-enable-experimental-feature": 1, "-package-name": 1}


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def frontend(name, *arguments, output=None):
    """Compiles a module to a .swiftmodule and returns the lines with errors."""
    output = output or os.path.join(WORK, "modules", f"{name}.swiftmodule")
    done = run(compiler(), "-frontend", *arguments, "-module-name", name, "-target", TARGET, "-sdk", os.path.join(WORK, "sdk"),
               "-resource-dir", os.path.join(WORK, "resources"), "-module-cache-path", os.path.join(WORK, "cache"), "-disable-objc-interop",
               "-diagnostic-style", "llvm", "-o", output)
    errors = [line for line in done.stdout.splitlines() if " error: " in line]
    return errors or ([done.stdout[-2000:]] if done.returncode else [])


def compiler():
    return shutil.which(os.environ.get("SWIFT", "swift") + "c") or "swiftc"


def standard_library():
    """Compiles the standard library from the toolchain's interfaces, once per toolchain version; returns whether it is available."""
    library = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(compiler()))), "lib")
    resources = os.path.join(WORK, "resources")
    version = run(compiler(), "--version").stdout
    mark = os.path.join(WORK, "version")
    if os.path.exists(mark):
        with open(mark, encoding="utf-8") as file:
            if file.read() == version:
                return True
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(os.path.join(WORK, "modules"))
    os.makedirs(resources)
    for name, path in [("shims", "swift/shims"), ("clang", "swift/clang")]:
        os.symlink(os.path.realpath(os.path.join(library, path)), os.path.join(resources, name))
    for name in ["Swift", "SwiftOnoneSupport", "_Concurrency", "_StringProcessing"]:
        found = glob.glob(os.path.join(library, "swift", "linux", f"{name}.swiftmodule", "*-unknown-linux-gnu.swiftinterface"))
        if not found:
            print(f"macos: skipped: this toolchain has no interface of {name}")
            return False
        with open(found[0], encoding="utf-8") as file:
            text = file.read()
        text = re.sub(r"-target \S+-unknown-linux-gnu", "-target " + TARGET, text)
        # Back-deployed functions need a body, which some interfaces omit. Apple's arm64 lacks the long double of x86.
        text = re.sub(r"(?m)^ *@backDeployed\(.*\n", "", text) if name != "Swift" else \
            re.sub(r"(?m)^@backDeployed\(.*\n(?=@usableFromInline\n@inline\(never\))", "", text)
        text = re.sub(r"self = _stdlib_(?:remainderl|squareRootl)\(.*\)", "fatalError()", text)
        folder = os.path.join(resources, "macosx", f"{name}.swiftmodule")
        os.makedirs(folder)
        interface = os.path.join(folder, "arm64-apple-macos.swiftinterface")
        with open(interface, "w", encoding="utf-8") as file:
            file.write(text)
        errors = frontend(name, "-compile-module-from-interface", interface, "-parse-stdlib", "-disable-availability-checking",
                          output=os.path.join(folder, "arm64-apple-macos.swiftmodule"))
        if errors:
            print(f"macos: skipped: the interface of {name} cannot be compiled for macOS", *errors[:3], sep="\n  ")
            return False
    with open(mark, "w", encoding="utf-8") as file:
        file.write(version)
    return True


def sdk():
    """Makes folders with the stand-in headers of the SDK and, as Homebrew does, those of the C libraries; returns the options for both."""
    headers = os.path.join(WORK, "sdk", "usr", "include")
    shutil.rmtree(os.path.join(WORK, "sdk"), ignore_errors=True)
    shutil.copytree(os.path.join(STUBS, "include"), headers)
    for name in ["sys/types.h", "sys/stat.h", "sys/time.h", "sys/socket.h", "sys/ioctl.h", "stdio.h", "stdlib.h", "string.h", "time.h", "unistd.h",
                 "errno.h", "net/bpf.h", "netdb.h", "arpa/inet.h", "netinet/in.h", "sysexits.h"]:
        os.makedirs(os.path.dirname(os.path.join(headers, name)), exist_ok=True)
        with open(os.path.join(headers, name), "w", encoding="utf-8") as file:
            file.write("#include <darwin.h>\n")
    libraries = os.path.join(WORK, "libraries")
    shutil.rmtree(libraries, ignore_errors=True)
    os.makedirs(libraries)
    for name in ["zlib.h", "zconf.h", "lzma.h", "lzma", "zstd.h", "zstd_errors.h", "archive.h", "archive_entry.h", "brotli", "expat.h",
                 "expat_external.h", "pcap.h", "pcap"]:
        os.symlink(os.path.join("/usr/include", name), os.path.join(libraries, name))
    return ["-I", headers, "-Xcc", "-I" + libraries]


def modules():
    """Returns the modules in the debug build's manifest by name: their sources, the modules they import, the compiler's options."""
    found = {}
    with open(os.path.join(ROOT, ".build", "debug.yaml"), encoding="utf-8") as file:
        text = file.read()
    for name, body in re.findall(r'^  "C\.([^"]+?)-[^"-]+-unknown-linux-gnu-debug\.module":\n((?:    .*\n)+)', text, re.M):
        fields = {key: json.loads(value) for key, value in re.findall(r"^    (inputs|args): (\[.*\])$", body, re.M)}
        if "args" not in fields:
            continue
        sources = [path for path in fields["inputs"] if path.endswith(".swift")]
        imports = [os.path.basename(path)[:-len(".swiftmodule")] for path in fields["inputs"] if path.endswith(".swiftmodule")]
        found[name] = (sources, imports, options(fields["args"]))
    return found


def options(arguments):
    """Returns the arguments of swiftc that the type checker needs."""
    kept = []
    left = iter(arguments)
    for argument in left:
        if argument in KEPT:
            kept += [argument] + [next(left) for _ in range(KEPT[argument])]
        elif argument.startswith("-D"):
            kept.append(argument)
        elif argument == "-Xcc":
            following = next(left)
            if following.startswith("-fmodule-map-file="):
                kept += ["-Xcc", following]
            elif following == "-I":
                kept += ["-Xcc", following, next(left), next(left)]
            elif following.startswith("-I"):
                kept += ["-Xcc", following]
    return kept


def ordered(wanted, known):
    """Returns the wanted modules and all that they import, each after those that it imports."""
    done = []

    def visit(name):
        if name in done or name not in known or name in STAND_INS:
            return
        for other in known[name][1]:
            visit(other)
        done.append(name)

    for name in wanted:
        visit(name)
    return done


def main():
    if sys.platform != "linux":
        print("macos: skipped: on macOS, a build checks this")
        return 0
    if not os.path.exists(os.path.join(ROOT, ".build", "debug.yaml")):
        sys.exit("macos: there is no debug build; run swift build --build-tests")
    if not standard_library():
        return 0
    shared = sdk()
    modules_folder = ["-I", os.path.join(WORK, "modules"), "-parse-as-library"]
    errors = frontend("Darwin", "-emit-module", os.path.join(STUBS, "Darwin.swift"), "-import-underlying-module", *modules_folder, *shared)
    for name in STAND_INS:
        errors += frontend(name, "-emit-module", os.path.join(STUBS, f"{name}.swift"), "-swift-version", "5", "-enable-upcoming-feature",
                           "InternalImportsByDefault", *modules_folder, *shared)
    if errors:
        print(*errors, sep="\n")
        sys.exit("macos: a stand-in does not compile")
    known = modules()
    ours = [name for name, (sources, _, _) in known.items() if sources and sources[0].startswith(os.path.join(ROOT, "Sources"))]
    order = ordered(sys.argv[1:] or ours, known)
    for name in order:
        sources, _, flags = known[name]
        errors += frontend(name, "-emit-module", *sources, *flags, *modules_folder, *shared)
    for error in errors:
        print(error.replace(ROOT + "/", ""))
    print(f"macos: {len(order)} modules, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())

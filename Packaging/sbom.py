#!/usr/bin/env python3
"""Writes the bill of materials of a release, CycloneDX 1.5 in JSON: sbom.py ATSCOPE VERSION

It lists the components of the program: the Swift packages of this build and the libraries they contain, Swift's own libraries, the system
libraries that are linked in or loaded, and the data from Apple. The same program and sources give the same bytes: the time is that of the
last commit.

Versions of Swift packages are those that the build resolved. Commits are omitted: those of a mirror may differ from the original's.
"""
import datetime
import hashlib
import json
import os
import re
import subprocess
import sys
import uuid

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
# The system libraries that the program uses, including those that libarchive and BoringSSL need: the name for pkg-config, the name of the
# library, its license, and its website.
SYSTEM = [
    ("libarchive", "libarchive", "BSD-2-Clause", "https://www.libarchive.org/"),
    ("liblz4", "liblz4", "BSD-2-Clause", "https://lz4.org/"),
    ("bzip2", "libbz2", "bzip2-1.0.6", "https://sourceware.org/bzip2/"),
    ("zlib", "libz", "Zlib", "https://zlib.net/"),
    ("liblzma", "liblzma", None, "https://tukaani.org/xz/"),
    ("libzstd", "libzstd", "BSD-3-Clause", "https://facebook.github.io/zstd/"),
    ("libpcap", "libpcap", "BSD-3-Clause", "https://www.tcpdump.org/"),
    ("libbrotlidec", "libbrotlidec", "MIT", "https://github.com/google/brotli"),
    ("expat", "libexpat", "MIT", "https://libexpat.github.io/"),
    ("libstdc++", "libstdc++", "GPL-3.0-or-later WITH GCC-exception-3.1", "https://gcc.gnu.org/"),
]


def output(*command):
    """Returns the output of a command, or an empty string if it fails."""
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def loaded(program):
    """Returns the names of the shared libraries that the program loads."""
    if sys.platform == "darwin":
        return [os.path.basename(line.split()[0]) for line in output("otool", "-L", program).splitlines()[1:]]
    return re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", program))


def version(package):
    """Returns the version of a system library, or None if it is unknown."""
    if package == "libstdc++":
        return output("gcc", "-dumpfullversion").strip() or None
    if package == "bzip2":  # bzip2 has no pkg-config file.
        header = output("sed", "-n", "s/.*libbzip2 version \\([0-9.]*\\).*/\\1/p", "/usr/include/bzlib.h")
        return header.split()[0] if header.split() else None
    return output("pkg-config", "--modversion", package).strip() or None


def component(name, version=None, license=None, kind="library", reference=None, linkage=None, **more):
    """Returns a CycloneDX component. Unknown members are omitted."""
    entry = {"type": kind, "bom-ref": f"{name}@{version}" if version else name, "name": name}
    if version:
        entry["version"] = version
    if license:
        entry["licenses"] = [{"expression": license}]
    entry.update(more)
    if reference:
        entry["externalReferences"] = [{"type": "website", "url": reference}]
    if linkage:
        entry["properties"] = [{"name": "atscope:linkage", "value": linkage}]
    return entry


def packages():
    """Returns the Swift packages that the build resolved, and the libraries that swift-crypto contains."""
    with open(os.path.join(ROOT, "Package.resolved"), encoding="utf-8") as file:
        pins = json.load(file)["pins"]
    found = []
    for pin in sorted(pins, key=lambda pin: pin["identity"]):
        name, version = pin["identity"], pin["state"]["version"]
        checkout = os.path.join(ROOT, ".build", "checkouts", name)
        with open(os.path.join(checkout, "LICENSE.txt"), encoding="utf-8") as file:
            exception = " WITH Swift-exception" if "Runtime Library Exception" in file.read() else ""
        found.append(component(name, version, "Apache-2.0" + exception, linkage="static", publisher="Apple Inc.",
                               purl=f"pkg:swift/github.com/apple/{name}@{version}",
                               reference=f"https://github.com/apple/{name}"))
        if name == "swift-crypto":
            with open(os.path.join(checkout, "Package.swift"), encoding="utf-8") as file:
                commit = re.search(r"BoringSSL Commit: ([0-9a-f]{40})", file.read())
            found.append(component("boringssl", commit and commit[1], linkage="static", description="part of swift-crypto",
                                   reference="https://boringssl.googlesource.com/boringssl"))
            found.append(component("xkcp", linkage="static", description="part of swift-crypto: SHA-3",
                                   reference="https://github.com/XKCP/XKCP"))
    return found


def libraries(program):
    """Returns Swift's own libraries and those of the system."""
    needed = loaded(program)
    swift = re.search(r"Swift version (\S+)", output("swift", "--version"))
    shared = any(name.startswith("libswift") for name in needed)
    found = [component("swift-stdlib", swift and swift[1], "Apache-2.0 WITH Swift-exception", reference="https://www.swift.org/",
                       linkage="dynamic" if shared else "static")]
    for package, library, license, reference in SYSTEM:
        mine = [name for name in needed if re.match(re.escape(library) + r"\W", name)]
        needed = [name for name in needed if name not in mine]
        found.append(component(package, version(package), license, reference=reference, linkage="dynamic" if mine else "static"))
    if any(entry["name"] == "libarchive" and entry["properties"][0]["value"] == "dynamic" for entry in found):
        # A shared libarchive links to these itself.
        found = [entry for entry in found if entry["name"] not in ("liblz4", "bzip2")]
    # The C library and its parts remain.
    return found + [component(name, linkage="dynamic") for name in sorted(needed) if not name.startswith("libswift")]


def data():
    """Returns the component for Apple's root stores and CT log list, which are part of the program."""
    with open(os.path.join(ROOT, "Sources/Judgement/CAppleTrust/apple-trust.bin"), "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    return component("apple-trust.bin", kind="data", description="Apple's root stores by release and list of CT logs",
                     hashes=[{"alg": "SHA-256", "content": digest}])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, version = sys.argv[1:]
    moment = int(output("git", "-C", ROOT, "log", "-1", "--format=%ct").strip() or 0)
    components = packages() + libraries(program) + [data()]
    main_component = component("atscope", version, "Apache-2.0", kind="application")
    bom = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {
            "timestamp": datetime.datetime.fromtimestamp(moment, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": main_component,
            "properties": [{"name": f"atscope:{name}", "value": value} for name, value in [
                ("commit", output("git", "-C", ROOT, "rev-parse", "HEAD").strip()),
                ("compiler", "".join(output("swift", "--version").splitlines()[:1]))] if value],
        },
        "components": components,
        "dependencies": [{"ref": main_component["bom-ref"], "dependsOn": [entry["bom-ref"] for entry in components]}],
    }
    content = json.dumps(bom, sort_keys=True)
    bom["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, content)}"
    json.dump(bom, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()

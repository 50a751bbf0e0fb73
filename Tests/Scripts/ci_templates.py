#!/usr/bin/env python3
"""Runs the scripts of the GitHub action and of the GitLab template with a released archive: ci_templates.py FOLDER

FOLDER contains the archive and SHA256SUMS, as `make dist` writes them. What only GitHub and GitLab do is not tested: finding the action,
code scanning, and artifacts. The example workflow is compared with the inputs that the action declares.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
ACTION = os.path.join(ROOT, "Packaging", "action")
DEMO = os.path.join(ROOT, "captures", "demo", "demo.pcapng")
ANCHORS = "--anchors " + os.path.join(ROOT, "captures", "anchors", "example-ca.pem")
faults = []


def expect(what, holds, shown=""):
    if not holds:
        faults.append(f"{what}: {shown}" if shown else what)


def read(*names):
    with open(os.path.join(ROOT, *names), encoding="utf-8") as file:
        return file.read()


def run(script, directory, variables):
    """Runs a script with bash as a CI runner does; returns the exit status and the output."""
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], cwd=directory, env=environment | variables,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode(errors="replace")


def inputs_of_action():
    """Returns the inputs that the action declares: the name, and the default or None."""
    text = read("Packaging", "action", "action.yml")
    block = text[text.index("\ninputs:\n"):text.index("\nruns:\n")]
    return {name: (re.search(r'default: "?(.*?)"?$', body, re.M) or [None, None])[1]
            for name, body in re.findall(r"^  ([\w-]+):\n((?:    .*\n?)+)", block, re.M)}


def steps_of_action():
    """Yields the environment variables and the script of each step that has a script."""
    text = read("Packaging", "action", "action.yml")
    for step in re.split(r"^    - ", text[text.index("  steps:\n"):], flags=re.M)[1:]:
        script = re.search(r"^      run: '(.*)'$", step, re.M)
        if script:
            yield dict(re.findall(r"^        (\w+): \$\{\{ (\S+) \}\}$", step, re.M)), script[1]


def action(folder, given):
    """Runs the action's steps with inputs; returns the exit status and output of the last step that ran, and the working directory."""
    values = {f"inputs.{name}": given.get(name, default) for name, default in inputs_of_action().items()}
    values["github.action_path"] = ACTION
    missing = [name for name, value in values.items() if value is None]
    expect("required inputs are given", not missing, ", ".join(missing))
    directory = tempfile.mkdtemp(dir=folder)
    variables = {"RUNNER_TEMP": directory, "GITHUB_PATH": os.path.join(directory, "path"),
                 "GITHUB_STEP_SUMMARY": os.path.join(directory, "summary.md")}
    status, output = 0, ""
    for names, script in steps_of_action():
        step = variables | {name: values[value] for name, value in names.items()}
        if os.path.exists(variables["GITHUB_PATH"]):
            with open(variables["GITHUB_PATH"], encoding="utf-8") as file:
                step["PATH"] = file.read().strip() + ":" + os.environ["PATH"]
        status, output = run(script, directory, step)
        if status != 0:
            break
    return status, output, directory


def try_action(folder, release):
    given = {"version": release["version"], "sha256": release["sha256"], "address": "file://" + release["folder"],
             "captures": DEMO, "arguments": ANCHORS}
    status, output, directory = action(folder, given)
    expect("a failing capture fails the job", status == 1, output)
    for name in ("atscope.txt", "atscope.md", "atscope.sarif", "atscope.xml", "atscope.html"):
        expect(f"the action writes {name}", os.path.exists(os.path.join(directory, name)), output)
    with open(os.path.join(directory, "summary.md"), encoding="utf-8") as file:
        expect("the summary contains the report", "FAIL" in file.read().upper())
    expect("workflow commands are disabled in the output", re.search(r"^::stop-commands::(\w{32})$.*^::\1::$", output, re.M | re.S), output)

    status, output, directory = action(folder, given | {"baseline": DEMO})
    expect("a failure in the baseline does not fail a comparison", status == 0, output)
    better = os.path.join(ROOT, "captures", "alpn", "h2.pcap")
    worse = os.path.join(ROOT, "captures", "certificates", "expired.pcap")
    status, output, directory = action(folder, given | {"captures": worse, "baseline": better})
    expect("a regression fails a comparison", status == 1, output)
    status, output, directory = action(folder, given | {"captures": f"{worse} {better}", "baseline": better})
    expect("a baseline takes one capture", status == 64, output)
    status, output, directory = action(folder, given | {"captures": "missing.pcap", "baseline": better})
    expect("a missing capture fails a comparison", status == 2, output)
    with open(os.path.join(directory, "summary.md"), encoding="utf-8") as file:
        expect("the summary names the missing capture", "not compared" in file.read())
    status, output, directory = action(folder, given | {"captures": "missing.pcap"})
    expect("a missing capture fails the job", status == 2, output)

    wrong = "0" * 64
    status, output, directory = action(folder, given | {"sha256": wrong})
    expect("a wrong checksum fails the job", status == 1 and wrong in output, output)
    expect("a wrong checksum installs nothing", not glob.glob(os.path.join(directory, "atscope", "*")), output)


def try_example():
    """Checks that the example workflow sets the required inputs of the action, and only inputs that it declares."""
    text = read("docs", "ci", "pull-request.yml")
    block = text[text.index("        with:\n") + len("        with:\n"):]
    given = set(re.findall(r"^          ([\w-]+):", block, re.M))
    declared = inputs_of_action()
    expect("the example sets only inputs of the action", given <= set(declared), ", ".join(given - set(declared)))
    required = {name for name, default in declared.items() if default is None}
    expect("the example sets the required inputs", required <= given, ", ".join(required - given))


def template():
    """Returns the variables of the GitLab template, and its scripts as one text, because one shell runs them."""
    text = read("docs", "ci", "gitlab.yml")
    block = text[text.index("  variables:\n"):text.index("  before_script:\n")]
    variables = {name: value.strip('"') for name, value in re.findall(r"^    (\w+): (.*)$", block, re.M)}
    scripts = re.findall(r"^    - \|\n((?:      .*\n)+)", text, re.M)
    expect("the template has two scripts", len(scripts) == 2)
    return variables, "".join(re.sub(r"(?m)^ {6}", "", script) for script in scripts)


def try_template(folder, release):
    variables, script = template()
    given = variables | {"ATSCOPE_VERSION": release["version"], "ATSCOPE_SHA256": release["sha256"],
                         "ATSCOPE_ADDRESS": "file://" + release["folder"], "CAPTURES": DEMO, "ATSCOPE_ARGUMENTS": ANCHORS}
    directory = tempfile.mkdtemp(dir=folder)
    status, output = run(script, directory, given)
    expect("GitLab: a failing capture fails the job", status == 1, output)
    for name in ("atscope.xml", "atscope.html", "atscope.sarif"):
        expect(f"GitLab: the template writes {name}", os.path.exists(os.path.join(directory, name)), output)
    status, output = run(script, directory, given | {"ATSCOPE_BASELINE": DEMO})
    expect("GitLab: a failure in the baseline does not fail a comparison", status == 0, output)
    status, output = run(script, directory, given | {"ATSCOPE_BASELINE": DEMO, "CAPTURES": f"{DEMO} {DEMO}"})
    expect("GitLab: a baseline takes one capture", status == 64, output)
    status, output = run(script, directory, given | {"ATSCOPE_SHA256": "0" * 64})
    expect("GitLab: a wrong checksum fails the job", status == 1 and "--min-sessions" not in output, output)
    bare = release["folder"]
    tool = os.path.join(tempfile.mkdtemp(dir=folder), "bin")
    name = f"atscope-{release['version']}-linux-{os.uname().machine}"
    subprocess.run(["tar", "-C", folder, "-xzf", os.path.join(bare, name + ".tar.gz")], check=True)
    shutil.copytree(os.path.join(folder, name, "bin"), tool)
    status, output = run(script, directory, given | {"ATSCOPE_VERSION": "", "PATH": tool + ":" + os.environ["PATH"]})
    expect("GitLab: an image that contains atscope needs no archive", status == 1, output)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = os.path.abspath(sys.argv[1])
    with open(os.path.join(folder, "SHA256SUMS"), encoding="utf-8") as file:
        found = re.search(r"^(\w{64})  atscope-([\d.]+)-linux-\w+\.tar\.gz$", file.read(), re.M)
    if not found:
        sys.exit(f"ci_templates: {folder}/SHA256SUMS lists no archive for Linux")
    release = {"folder": folder, "sha256": found[1], "version": found[2]}
    with tempfile.TemporaryDirectory() as scratch:
        try_action(scratch, release)
        try_template(scratch, release)
    try_example()
    for fault in faults:
        print("ci_templates: " + fault)
    print(f"ci_templates: {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

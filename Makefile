# The targets for development; .ci/run calls only these.
# Written for GNU make 3.81 (macOS) and later.

SWIFT   = swift
PYTHON  = python3
SHELL   = /bin/sh
# The input and further options of `make audit`; without CAPTURE, it judges a demonstration.
CAPTURE =
ARGS    =
DEMO    = --anchors captures/anchors/example-ca.pem captures/demo/demo.pcapng
# Captures of other projects with expected facts, for `make corpus`; see docs/corpus.md.
CORPUS  = ../shared/corpus
# A folder with a generator of large captures for `make bench`; without it, the project's own is used.
BENCH   = ../shared/bench
SIZE    = 512M
# The time in seconds for which `make fuzz` runs each parser.
SECONDS = 60

# Debug builds omit debug information, which saves a tenth of the time of a first build, and compile each module in one process, which
# saves a third of the compiler's time; `make build DEBUG=` does neither.
DEBUG   = -debug-info-format none -Xswiftc -driver-batch-count -Xswiftc 1

# Link-time optimization of the release program on Linux: `LTO=off` links in seconds, but the program takes up to 28 % more CPU time.
LTO     = full

ATSCOPE = .build/release/atscope
# The virtual environment with PySpark, for `make spark`.
VENV    = .build/spark/venv
# The folder that `make install` installs into.
PREFIX  = /usr/local
DESTDIR =

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup ready build build-tests release audit test test-long test-library test-threads test-release lint api format golden readme formats page \
	reports pictures extracts annotate outputs collect completions spark-setup spark spark-bench install install-built \
	dist deb release-check package-check macos-check corpus apple-tests clock bench bench-chains bench-growth fuzz \
	fuzz-smoke test-sanitized docs check clean

help: ## list the targets
	@echo "make TARGET; options in brackets"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)$$/  \1 # \2/p' Makefile | awk -F ' # ' '{ printf "%-15s %s\n", $$1, $$2 }'

setup: ## install missing system libraries (apt-get or brew) [PACKAGES=1: also the tools for package-check]
	@Scripts/setup.sh $(if $(PACKAGES),--packages)

# Only `setup` and `audit` install system libraries; other targets report what is missing.
ready:
	@Scripts/setup.sh --check

build: ready ## debug build [DEBUG= for a debugger]
	$(SWIFT) build $(DEBUG)

release: ready ## release build: .build/release/atscope [LTO=off]
	@SWIFT="$(SWIFT)" LTO=$(LTO) Scripts/release.sh

# A release build takes twice as long, and the first result should come soon.
audit: setup ## debug build, then judge captures [CAPTURE=file-or-folder] [ARGS="--os ios15.4"]
	@test -x .build/debug/atscope || echo "audit: building .build/debug/atscope first; this takes about 5 minutes on two cores, without further output"
	@out=$$($(SWIFT) build $(DEBUG) --quiet --product atscope 2>&1) || { printf '%s\n' "$$out" >&2; exit 1; }
	@if test -n "$(CAPTURE)"; then .build/debug/atscope audit $(ARGS) "$(CAPTURE)"; else .build/debug/atscope audit $(ARGS) $(DEMO); fi \
	|| Tests/Scripts/status.sh $$?

test: ready ## debug build and all tests except the long ones
	$(SWIFT) test $(DEBUG)

# The suites that run only some of their cases under `make test`: their files use Tests/Support/SeededRandom/TestEffort.swift.
LONG = $(shell grep -rl 'TestEffort\.' Tests/Unit Tests/Golden | sed 's:.*/::; s/\.swift$$//; s/+//' | paste -s -d '|' -)

build-tests: ready
	$(SWIFT) build $(DEBUG) --build-tests

test-long: build-tests ## property tests with all their cases
	@# Other builds need not wait for the tests.
	ATSCOPE_LONG_TESTS=1 $(SWIFT) test --skip-build --ignore-lock --filter '$(LONG)'

test-library: ready ## build the examples of the documents in a separate package, and run them
	Tests/Scripts/library.sh $(DEBUG)

test-release: ready ## all tests of a release build
	$(SWIFT) test -c release --scratch-path .build-release-tests

lint: ## check the format, and the rules that neither the formatter nor the compiler checks
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests
	$(PYTHON) Tests/Scripts/test_lint.py -q
	$(PYTHON) Tests/Scripts/lint.py
	$(PYTHON) Tests/Scripts/api.py --check

api: ## update docs/api.txt, the list of public declarations
	$(PYTHON) Tests/Scripts/api.py

format: ## format all Swift files in place
	$(SWIFT) format --in-place --recursive Package.swift Sources Tests

golden: release ## update the golden reports of captures/ (NAME.pcap.json)
	$(PYTHON) Tests/Scripts/golden.py $(ATSCOPE)

readme: release ## update the examples of README.md and docs/ with the program's output
	$(PYTHON) Tests/Scripts/readme.py $(ATSCOPE)

formats: release ## read every report format of every capture with other programs
	"$$(Tests/Scripts/readers.sh .build/readers)" Tests/Scripts/formats.py $(ATSCOPE)
	$(PYTHON) Tests/Scripts/ecs.py $(ATSCOPE)

page: release ## test the HTML report in a headless Chromium without a network
	"$$(Tests/Scripts/readers.sh .build/readers)" Tests/Scripts/page.py $(ATSCOPE)

reports: release formats extracts annotate outputs collect completions ## the checks of reports; page if Chromium is installed
	@if command -v "$${CHROMIUM:-chromium}" >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1; \
	then "$$(Tests/Scripts/readers.sh .build/readers)" Tests/Scripts/page.py $(ATSCOPE); else echo "page: skipped: Chromium is not installed"; fi

pictures: release ## update the pictures of the HTML report in docs/pictures
	$(PYTHON) Tests/Scripts/page.py $(ATSCOPE) --pictures docs/pictures

collect: release ## run the script of certificates --missing against local servers, in every installed sh
	$(PYTHON) Tests/Scripts/collect.py $(ATSCOPE)

completions: release ## check completion in the installed shells (bash, zsh, fish)
	$(PYTHON) Tests/Scripts/completions.py $(ATSCOPE)

outputs: release ## check files, links, closed streams, names and signals, and the output in CI systems
	$(PYTHON) Tests/Scripts/outputs.py $(ATSCOPE)

extracts: release ## compare every capture with itself, its saved sessions and its extracts
	$(PYTHON) Tests/Scripts/extracts.py $(ATSCOPE)

annotate: release ## compare every capture with its annotated copy, and test the Wireshark profile [tshark]
	$(PYTHON) Tests/Scripts/annotate.py $(ATSCOPE) captures
	$(PYTHON) Tests/Scripts/wireshark.py $(ATSCOPE)

spark-setup: ## install PySpark into .build/spark, for spark and spark-bench [Java 17 or later]
	@Spark/setup.sh $(VENV)

spark: release ## check types and run the tests of the package in Spark/
	@if command -v java >/dev/null 2>&1 && $(VENV)/bin/python -c 'import pyspark' 2>/dev/null; \
	then cd Spark && ../$(VENV)/bin/python -m mypy --cache-dir ../$(VENV)/mypy && ../$(VENV)/bin/python -m pytest -q -p no:cacheprovider; \
	else echo "spark: skipped: Java or PySpark is missing (make spark-setup)"; fi

spark-bench: release ## measure Spark, xargs and DuckDB on the same captures, and update docs/performance.md
	$(VENV)/bin/python Spark/bench.py $(ATSCOPE) docs/performance.md

install: release install-built ## install program, man page and completions [PREFIX=/usr/local DESTDIR=]

install-built:
	Packaging/install.sh $(ATSCOPE) "$(DESTDIR)$(PREFIX)"

dist: release ## make the program and source archives of a release in out/, with checksums
	Packaging/dist.sh $(ATSCOPE) out

deb: release ## make a Debian package in out/
	Packaging/deb.sh $(ATSCOPE) out

release-check: release ## check what a release needs: version, changelog, schemas, examples
	@$(PYTHON) Tests/Scripts/release_check.py $(ATSCOPE)

package-check: release ## test archives, Debian package, container recipe, formula, action and template in fresh roots
	@Scripts/setup.sh --check --packages
	@LTO=$(LTO) Tests/Scripts/packages.sh $(ATSCOPE)

macos-check: ready ## type-check Sources/ for macOS 14 on Linux
	@$(SWIFT) build $(DEBUG) --build-tests
	@$(PYTHON) Tests/Scripts/macos.py

corpus: release ## compare with other readers, on captures of other projects too if available [CORPUS=folder]
	@$(PYTHON) Tests/Scripts/interrupt.py $(ATSCOPE)
	@if test -d "$(CORPUS)"; then $(PYTHON) Tests/Scripts/inputs.py $(ATSCOPE) "$(CORPUS)" && \
	$(PYTHON) Tests/Scripts/agreement.py $(ATSCOPE) captures "$(CORPUS)/captures" && \
	$(PYTHON) Tests/Scripts/alone.py $(ATSCOPE) captures "$(CORPUS)/captures" "$(CORPUS)/hostile" && \
	$(PYTHON) Tests/Scripts/corpus.py $(ATSCOPE) "$(CORPUS)"; \
	else $(PYTHON) Tests/Scripts/inputs.py $(ATSCOPE) && $(PYTHON) Tests/Scripts/agreement.py $(ATSCOPE) captures && \
	$(PYTHON) Tests/Scripts/alone.py $(ATSCOPE) captures && echo "corpus: skipped: $(CORPUS) does not exist"; fi
	@$(PYTHON) Tests/Scripts/apple_tests.py $(ATSCOPE)
	@$(PYTHON) Tests/Scripts/cleartext.py $(ATSCOPE) --captures 400 --extracts
	@$(PYTHON) Tests/Scripts/reshape.py $(ATSCOPE) captures $(wildcard $(CORPUS)/captures)
	@$(PYTHON) Tests/Scripts/loss.py $(ATSCOPE) captures $(wildcard $(CORPUS)/captures)
	@$(PYTHON) Tests/Scripts/records.py $(ATSCOPE) $(wildcard $(CORPUS)/captures)
	@$(PYTHON) Tests/Scripts/roundtrip.py $(ATSCOPE) captures $(wildcard $(CORPUS)/captures)
	@if test -d "$(CORPUS)/captures"; then $(PYTHON) Tests/Scripts/annotate.py $(ATSCOPE) "$(CORPUS)/captures"; fi
	@$(PYTHON) Tests/Scripts/clock.py $(ATSCOPE)

apple-tests: release ## run the vectors of Apple's own trust tests, if available
	@$(PYTHON) Tests/Scripts/apple_tests.py $(ATSCOPE)

clock: release ## check that no output depends on the clock (needs faketime)
	@$(PYTHON) Tests/Scripts/clock.py $(ATSCOPE)

bench: release ## compare the speed with an empty libpcap loop [SIZE=512M]
	$(PYTHON) Tests/Benchmarks/bench.py --size $(SIZE) --generator "$(BENCH)" $(ATSCOPE)

bench-chains: release ## measure the cost of a distinct certificate chain (needs Python's package cryptography)
	$(PYTHON) Tests/Benchmarks/chains.py $(ATSCOPE)

bench-growth: release ## check that time grows linearly, and the cost of hostile captures
	$(PYTHON) Tests/Benchmarks/growth.py $(ATSCOPE)

fuzz: ready ## feed random bytes to the parsers, 60 seconds each [SECONDS=60]
	Tests/Scripts/fuzz.sh $(SECONDS)

fuzz-smoke: ready ## feed random bytes to the parsers, 10 seconds each, two at once
	Tests/Scripts/fuzz.sh 10 2

test-sanitized: ready ## all tests under the address and undefined-behavior sanitizers [FILTER=suite]
	$(SWIFT) test --scratch-path .build-sanitized --sanitize address --sanitize undefined $(if $(FILTER),--filter "$(FILTER)")

test-threads: ready ## concurrent audits under the thread sanitizer
	$(SWIFT) test --scratch-path .build-threads --sanitize thread --filter AuditConcurrencyTests

docs: release ## check the documents: links, examples against the tool, schemas against the reports; build the documentation of the library
	$(PYTHON) Tests/Scripts/readme.py --check $(ATSCOPE)
	$(PYTHON) Tests/Scripts/documents.py
	Tests/Scripts/docc.sh .build/release
	@python="$$(Tests/Scripts/readers.sh .build/readers)"; if "$$python" -c 'import jsonschema, referencing' 2>/dev/null; \
	then find captures -name '*.json' -exec "$$python" Tests/Scripts/validate.py {} + && \
	"$$python" Tests/Scripts/forms.py $(ATSCOPE) && "$$python" Tests/Scripts/records.py $(ATSCOPE) && \
	"$$python" Tests/Scripts/join.py $(ATSCOPE); \
	else echo "docs: schemas skipped: the Python package jsonschema is missing"; fi

check: lint build test ## lint, build and test, before every commit; .ci/run has everything that a change must pass

clean: ## remove everything that was built
	rm -rf .build .build-*

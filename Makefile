# Everything below sets up what it needs: see scripts/setup.

CARGO ?= cargo
# Built from Cargo.lock as it is: what was tested is what is built.
LOCKED ?= --locked
TARGET_DIR = $(or $(CARGO_TARGET_DIR),target)
# Incremental files are a fifth of a build from nothing, and gain it nothing. Who builds by hand has them,
# and goes on with them here.
export CARGO_INCREMENTAL ?= $(if $(wildcard $(TARGET_DIR)/debug/incremental/*),1,0)
# Options for the benchmark, such as BENCH="--suite redis --pairs 10".
BENCH ?=
# Names of fuzz targets, all when empty.
FUZZ ?=

# How many tests run at a time: they wait for servers and disks more than they work, and a load takes as
# long with a part of a processor as with a whole one.
export RUST_TEST_THREADS ?= $(shell expr 4 \* $$(nproc))

# What `make static` builds for: no C library is needed where it runs.
STATIC_TARGET ?= $(shell uname -m)-unknown-linux-musl

.DEFAULT_GOAL := help
.PHONY: help build static deb demo test test-quick test-build test-servers test-program test-pages test-others test-peers endurance lint reference fuzz bench bench-fleet bench-noise bench-quick calibrate

help: ## List these targets
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 20

build: ## Build the release binary, target/release/weighin
	@scripts/setup build
	$(CARGO) build $(LOCKED) --release --package weighin

static: ## Build the release binary without a C library, for machines with another one
	@scripts/setup static
	CARGO_PROFILE_RELEASE_STRIP=debuginfo $(CARGO) build $(LOCKED) --release --package weighin \
		--target $(STATIC_TARGET)
	@echo "Built $(TARGET_DIR)/$(STATIC_TARGET)/release/weighin"

deb: ## Build a Debian package, target/weighin_VERSION_ARCHITECTURE.deb
	@scripts/setup deb
	$(CARGO) build $(LOCKED) --release --package weighin
	@scripts/package-deb "$(TARGET_DIR)/release/weighin" "$(TARGET_DIR)"

demo: ## Compare two private MariaDB servers and write a report (about four minutes)
	@scripts/setup demo
	$(CARGO) run $(LOCKED) --release --package weighin -- demo

# Test programs but the two that take the longest: each is a file of a crate's tests, or a directory there.
OTHER_TESTS = $(filter-out end_to_end browser,$(sort $(basename $(notdir $(wildcard crates/*/tests/*.rs))) \
	$(notdir $(patsubst %/main.rs,%,$(wildcard crates/*/tests/*/main.rs)))))
# Those of fuzz, whose library has none inside.
FUZZ_TESTS = $(basename $(notdir $(wildcard crates/fuzz/tests/*.rs)))
# Crates with a program of their name, which may have tests inside; that of fuzz has none.
PROGRAMS = $(filter-out fuzz,$(patsubst crates/%/src/main.rs,%,$(wildcard crates/*/src/main.rs)))
# Runs a command whose output is shown when it has ended.
SHOWN_LATER = mkdir -p $(TARGET_DIR) && { $(1); } >$(TARGET_DIR)/$@.log 2>&1; ended=$$?; cat $(TARGET_DIR)/$@.log; exit $$ended
# Cargo is not given the job server of this make, and must not look for it.
RUN_TESTS = MAKEFLAGS= $(CARGO) test $(LOCKED) --no-fail-fast --workspace

test: ## Run all tests, against real servers too
	@scripts/setup build
	@test "$$(id -u)" -eq 0 || scripts/setup test
	@$(MAKE) --no-print-directory --jobs 2 test-build test-servers
	@$(MAKE) --no-print-directory --jobs 3 --keep-going test-program test-pages test-others

# Of what those of test-others take on two processors, most is simulated studies.
test-quick: ## Run the tests that start neither the program nor a browser (minutes, of built tests)
	@scripts/setup build
	@$(MAKE) --no-print-directory test-build test-servers
	@$(MAKE) --no-print-directory test-others

# Fetching waits for the network while the other compiles. Who may not install was told before what to.
test-build:
	MAKEFLAGS= $(CARGO) test $(LOCKED) --workspace --no-run

test-servers:
	@$(call SHOWN_LATER,scripts/setup test && scripts/servers)

# These run at the same time: one waits where the other works.
test-program:
	$(RUN_TESTS) --test end_to_end

test-pages:
	@$(call SHOWN_LATER,$(RUN_TESTS) --test browser)

# Without --bins, --examples and the library of fuzz, which would be built anew as tests while the others
# wait, and have none.
test-others:
	@$(call SHOWN_LATER,$(RUN_TESTS) --exclude fuzz --lib $(PROGRAMS:%=--bin %) \
		$(patsubst %,--test %,$(filter-out $(FUZZ_TESTS),$(OTHER_TESTS))) \
		&& $(RUN_TESTS) $(FUZZ_TESTS:%=--test %) && $(RUN_TESTS) --doc)

test-peers: ## Run sysbench's own tests with weighin in its place: SYSBENCH=DIRECTORY of a source tree of 1.0
	@scripts/setup peers
	@test -n "$(SYSBENCH)" || { echo "make test-peers needs SYSBENCH=DIRECTORY, a source tree of sysbench 1.0" >&2; exit 2; }
	$(CARGO) build $(LOCKED) --package weighin
	@scripts/test-peers "$(SYSBENCH)" "$(TARGET_DIR)/debug/weighin"

endurance: ## Kill studies and primaries some two hundred times, and load for an hour with 1000 clients (two hours)
	@scripts/setup test
	@scripts/setup endurance
	@scripts/servers
	$(CARGO) test $(LOCKED) --package weighin --test end_to_end -- --ignored --nocapture --test-threads 1 \
		--skip fleet::bars --skip side_by_side --skip noisy_neighbour

reference: ## Make docs/reference anew, from the code
	@scripts/setup build
	$(CARGO) build $(LOCKED) --package weighin
	@mkdir -p docs/reference
	@for page in study commands; do \
		$(TARGET_DIR)/debug/weighin reference $$page >docs/reference/$$page.md.new && \
		mv docs/reference/$$page.md.new docs/reference/$$page.md || exit 1; \
	done

# What looks at licences, sources and duplicates of dependencies. Built without optimisation: that
# takes a fraction of the time, and a check takes seconds all the same.
DENY_VERSION = 0.20.2
DENY_ROOT = $(TARGET_DIR)/tools/cargo-deny-$(DENY_VERSION)
DENY = $(DENY_ROOT)/bin/cargo-deny

lint: ## Check formatting, lints, documentation and dependencies; any warning fails
	@scripts/setup build
	$(CARGO) fmt --all --check
	$(CARGO) clippy $(LOCKED) --workspace --all-targets -- --deny warnings
	RUSTDOCFLAGS="--deny warnings" $(CARGO) doc $(LOCKED) --workspace --no-deps
	@test -x $(DENY) || CARGO_PROFILE_DEV_DEBUG=0 $(CARGO) install --quiet --locked --debug \
		--root $(DENY_ROOT) --version $(DENY_VERSION) cargo-deny
	$(DENY) $(LOCKED) check licenses bans sources
	@if timeout 120 $(DENY) $(LOCKED) fetch db >/dev/null 2>&1; \
	then $(DENY) $(LOCKED) check advisories; \
	else echo "The database of security advisories cannot be reached: advisories are not checked."; fi

fuzz: ## Fuzz every parser, guided by coverage: FUZZ_SECONDS of processor time each (an hour); see docs/fuzzing.md
	@scripts/setup fuzz
	CARGO="$(CARGO)" scripts/fuzz $(FUZZ)

bench: ## Measure weighin against sysbench and other tools, into docs/benchmarks.md (an hour; an idle machine)
	@scripts/setup bench
	$(CARGO) build $(LOCKED) --release --package weighin --package bench
	$(TARGET_DIR)/release/bench --weighin $(TARGET_DIR)/release/weighin --out docs/benchmarks.md $(BENCH)

bench-fleet: ## Measure what load hosts, agents and targets side by side take (an idle machine; ten minutes)
	@scripts/setup test
	@scripts/servers
	$(CARGO) test $(LOCKED) --release --package weighin --test end_to_end -- --ignored --nocapture --test-threads 1 \
		fleet::bars side_by_side
	$(CARGO) test $(LOCKED) --release --package campaign --lib -- --ignored --nocapture generators::tests

bench-noise: ## Measure how many repeats a difference of 5 % takes beside a noisy neighbour, in trials, slices and duets (an idle machine; an hour; STUDIES=20)
	@scripts/setup test
	@scripts/servers
	$(CARGO) test $(LOCKED) --release --package weighin --test end_to_end -- --ignored --nocapture --test-threads 1 \
		noisy_neighbour

bench-quick: ## The same in a few minutes, too roughly to conclude much; prints only
	@scripts/setup bench
	$(CARGO) build $(LOCKED) --release --package weighin --package bench
	$(TARGET_DIR)/release/bench --weighin $(TARGET_DIR)/release/weighin --pairs 2 --seconds 1 --clients 1,64,1000 --preparations 1 $(BENCH)

calibrate: ## How often verdicts err and how much they find, over simulated studies (the tables of docs/calibration.md), and whether any document contradicts itself
	@scripts/setup build
	$(CARGO) run $(LOCKED) --release --package stats --example calibrate
	$(CARGO) test $(LOCKED) --package analyse --test behaviour -- --ignored --nocapture calibrate
	$(CARGO) test $(LOCKED) --package report --test behaviour -- --ignored --nocapture contradict

# Everything below sets up what it needs: see scripts/setup.

CARGO ?= cargo
# Built from Cargo.lock as it is: what was tested is what is built.
LOCKED ?= --locked

.DEFAULT_GOAL := help
.PHONY: help build demo test lint

help: ## List these targets
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 16

build: ## Build the release binary, target/release/weighin
	@scripts/setup build
	$(CARGO) build $(LOCKED) --release --package weighin

demo: ## Compare two private MariaDB servers and write a report (about four minutes)
	@scripts/setup demo
	$(CARGO) run $(LOCKED) --release --package weighin -- demo

test: ## Run all tests, against real servers too
	@scripts/setup test
	$(CARGO) test $(LOCKED) --workspace

lint: ## Check formatting, lints and documentation; any warning fails
	@scripts/setup build
	$(CARGO) fmt --all --check
	$(CARGO) clippy $(LOCKED) --workspace --all-targets -- --deny warnings
	RUSTDOCFLAGS="--deny warnings" $(CARGO) doc $(LOCKED) --workspace --no-deps

# `make help` lists the targets. `make test` is what has to pass before a change lands.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help run build test browser outsiders lint fmt gen bench torture clean-data

DATE = $(shell date +%Y-%m-%d)
RESULTS := bench/results

# nextest runs the tests of all crates side by side; plain cargo does where it is not installed.
TESTS = $(if $(shell command -v cargo-nextest),cargo nextest run --workspace,cargo test --workspace)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: ## start the server with its sandbox on http://127.0.0.1:8080
	cargo run -p symbolon -- serve --sandbox --data ./data/sandbox --listen 127.0.0.1:8080

build: ## build everything
	cargo build --workspace

test: ## install what is missing, then lint and test on both databases
	tools/ensure-packages
	$(MAKE) --no-print-directory lint
	tools/with-postgres $(TESTS)
	$(MAKE) --no-print-directory browser
	$(MAKE) --no-print-directory outsiders

browser: ## click through the pages of a sandbox in Chromium
	cargo build -p symbolon
	tools/browser

outsiders: ## let discord.js, passport-steam and others judge the emulators
	cargo build -p emulator --example emulators
	tools/outsiders

lint: ## formatting, clippy, the rules of the house, dependencies
	python3 tools/house.py --self-test
	python3 tools/house.py
	cargo fmt --check
	cargo clippy --workspace --all-targets -- -D warnings
	@if command -v cargo-deny >/dev/null; then \
	  cargo deny check --hide-inclusion-graph bans licenses sources; \
	else \
	  echo "lint: cargo-deny is not installed, licences and sources not checked"; \
	fi

fmt: ## format the Rust code
	cargo fmt

# Through a file beside it, so that a failed build does not leave an empty page.
gen: ## regenerate the generated documentation
	mkdir -p docs
	cargo run -q -p config --example reference > docs/configuration.md.new
	mv docs/configuration.md.new docs/configuration.md

bench: ## measure a release build; the report goes to bench/results
	mkdir -p $(RESULTS)
	cargo build --release -p symbolon
	tools/with-postgres --durable cargo run --release -p bench -- run 2>&1 | tee $(RESULTS)/bench-$(DATE).txt

torture: ## the crash and load tests at full scale; the log goes to bench/results
	mkdir -p $(RESULTS)
	SYMBOLON_TEST_SCALE=full tools/with-postgres --durable \
	  cargo test --release -p symbolon --test all torture -- --nocapture --test-threads=1 \
	  2>&1 | tee $(RESULTS)/torture-$(DATE).txt

clean-data: ## throw the sandbox's data away
	rm -rf ./data/sandbox

# `make help` lists the targets. `make test` is what has to pass before a change lands.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help run build release try-deploy test ui ui-test dev browser outsiders lint fmt gen plugin plugin-host bench lighthouse torture torture-bots clean-data

DATE = $(shell date +%Y-%m-%d)
RESULTS := bench/results

UI_SOURCES = $(shell find ui/src ui/public ui/styles ui/scripts ui/index.html ui/vite.config.ts ui/svelte.config.js -type f)

# nextest runs the tests of all crates side by side; plain cargo does where it is not installed.
TESTS = $(if $(shell command -v cargo-nextest),cargo nextest run --workspace,cargo test --workspace)

# What `make torture` runs: the crash tests, and every race and freshness loop elsewhere.
TORTURE = torture linking::races linking::quota tenancy::team::two_transfers tenancy::invites::accepting_many \
  keys::freshness tenancy::parallel jobs::engine billing::signatures billing::events billing::clicks

# What `make torture-bots` runs: what mostly waits, several at a time, and then what is measured, alone.
TORTURE_BOTS = bots::aborts bots::hosts bots::pauses bots::fleet
MEASURED_BOTS = bots::takeover bots::hundred

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: ui ## start the server with its sandbox on http://127.0.0.1:8080
	cargo run -p symbolon -- serve --sandbox --data ./data/sandbox --listen 127.0.0.1:8080

build: ui ## build everything
	cargo build --workspace

release: ui ## the program to give away, with checksums and a list of its parts, in dist/
	cargo build --release --locked -p symbolon
	tools/release

try-deploy: release ## try what is in deploy/ with it, as root on Debian; the log goes to bench/results
	mkdir -p $(RESULTS)
	tools/try-deploy --install dist/*/symbolon 2>&1 | tee $(RESULTS)/deploy-$(DATE).txt

ui: ui/dist/index.html ## build the dashboard

ui/node_modules/.package-lock.json: ui/package.json ui/package-lock.json
	tools/ensure-packages run
	cd ui && npm ci --no-audit --no-fund
	touch $@

ui/dist/index.html: ui/node_modules/.package-lock.json $(UI_SOURCES)
	cd ui && npm run build

dev: ## the dashboard with live reload, beside a running `make run`
	cd ui && npm run dev

ui-test: ui ## types and unit tests of the dashboard
	cd ui && npm run check && npm test

test: ## install what is missing, then lint and test on both databases
	tools/ensure-packages
	$(MAKE) --no-print-directory lint
	$(MAKE) --no-print-directory ui-test
	$(MAKE) --no-print-directory plugin-host
	tools/with-postgres $(TESTS)
	$(MAKE) --no-print-directory browser
	$(MAKE) --no-print-directory outsiders

browser: ui ## click through the pages of a sandbox in Chromium
	cargo build -p symbolon
	tools/browser

outsiders: ## let discord.js, passport-steam and others judge the emulators
	cargo build -p emulator --example emulators
	cargo build -p platform --example countries --example blobs
	tools/outsiders

lint: ## formatting, clippy, the rules of the house, dependencies
	python3 tools/house.py --self-test
	python3 tools/house.py
	python3 tools/subjects.py --self-test
	python3 tools/subjects.py
	python3 tools/sbom.py --self-test
	cargo fmt --check
	cargo clippy --workspace --all-targets -- -D warnings
	@cargo deny --version >/dev/null 2>&1 || { echo "lint: cargo-deny is missing; run tools/ensure-packages" >&2; exit 1; }
	cargo deny --log-level error check --hide-inclusion-graph bans licenses sources
	tools/advisories

plugin-host: ## compile the plugin for game servers, and a game server to run it on
	tools/plugin-host

plugin: plugin-host ## compile the plugin and publish it to the sandbox of `make run`
	mkdir -p ./data/sandbox
	cargo run -q -p symbolon -- --data ./data/sandbox plugin publish plugin/Symbolon.cs \
	  --version "v$$(sed -n 's/.*\[Info("[^"]*", "[^"]*", "\([^"]*\)").*/\1/p' plugin/Symbolon.cs)"

fmt: ## format the Rust code
	cargo fmt

# Through a file beside it, so that a failed build does not leave an empty page.
gen: ui/node_modules/.package-lock.json ## regenerate what is made from the code: documentation and the dashboard's client
	mkdir -p docs
	cargo run -q -p config --example reference > docs/configuration.md.new
	mv docs/configuration.md.new docs/configuration.md
	cargo run -q -p web --example openapi > ui/openapi.json.new
	mv ui/openapi.json.new ui/openapi.json
	cd ui && npm run gen

bench: ## measure a release build; the report goes to bench/results
	mkdir -p $(RESULTS)
	$(MAKE) --no-print-directory ui
	cargo build --release -p symbolon
	tools/with-postgres --durable cargo run -q --release -p bench -- run 2>&1 | tee $(RESULTS)/bench-$(DATE).txt

lighthouse: ui ## how the pages of a release build do on a slow phone; the report goes to bench/results
	mkdir -p $(RESULTS)
	cargo build --release -p symbolon
	npm ci --prefix bench/lighthouse --no-audit --no-fund --ignore-scripts
	node bench/lighthouse/run.mjs target/release/symbolon "$$(command -v chromium)" \
	  2>&1 | tee $(RESULTS)/lighthouse-$(DATE).txt

torture: ## the crash and load tests at full scale; the log goes to bench/results
	mkdir -p $(RESULTS)
	SYMBOLON_TEST_SCALE=full tools/with-postgres --durable \
	  cargo test --release -p symbolon --test all -- $(TORTURE) --nocapture --test-threads=1 \
	  2>&1 | tee $(RESULTS)/torture-$(DATE).txt

# A release whose points of abort work.
BOT_TESTS = cargo test --profile torture -p symbolon --test all --

torture-bots: ## Custom Bots at full scale, in 25 minutes or so; the log goes to bench/results
	mkdir -p $(RESULTS)
	tools/ensure-packages
	SYMBOLON_TEST_SCALE=full tools/with-postgres --durable bash -euc '\
	  $(BOT_TESTS) $(TORTURE_BOTS) --nocapture --test-threads=4; \
	  $(BOT_TESTS) $(MEASURED_BOTS) --nocapture --test-threads=1' \
	  2>&1 | tee $(RESULTS)/torture-bots-$(DATE).txt

clean-data: ## throw the sandbox's data away
	rm -rf ./data/sandbox

# haulout: `make run` shows it, `make test` proves it. `make help` lists the rest.

TOOLS := $(CURDIR)/.tools
export PATH := $(TOOLS)/bin:$(CURDIR)/node_modules/.bin:$(PATH)

BINARY := target/release/haulout
WASM := www/pkg/haulout_bg.wasm
TESTS := $(filter-out conformance,$(basename $(notdir $(wildcard tests/*.rs))))

# Generated tests make the same inputs in each run; another seed (PROPTEST_RNG_SEED=7 make peer) looks elsewhere.
export PROPTEST_RNG_SEED ?= 1

SOURCES := Cargo.toml Cargo.lock $(shell find src templates -type f)

.PHONY: run test help setup page npm check lint unit peer conformance web size bench audit fuzz differential dist clean

run: $(BINARY) ## render the embedded Supervisor, then serve the page (RENDER_ONLY=1 stops after the render)
	$(BINARY) render pinniped/supervisor
ifndef RENDER_ONLY
	@$(MAKE) --no-print-directory page
	$(BINARY) serve --dir target/page
endif

test: setup lint unit peer conformance size web ## everything

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 14

setup: ## the tools that a build and the tests need, into .tools and node_modules
	@.ci/setup

$(BINARY): $(SOURCES) rust-toolchain.toml
	cargo build --release --locked

page: $(WASM) ## the engine for the page, into www/pkg; the page as it is shipped, into target/page
	@.ci/ship-page

$(WASM): $(SOURCES) package-lock.json .ci/build-page .ci/split-page.mjs .ci/templates.mjs | setup
	.ci/build-page

npm: page ## the npm package, into target/npm
	@.ci/build-npm

check: ## a quick look: does it compile
	cargo check --all-targets

lint: setup ## formatting, clippy native and for WebAssembly, licences and sources of what we depend on
	cargo fmt --check
	cargo clippy --locked --all-targets -- -D warnings
	cargo clippy --locked --lib --target wasm32-unknown-unknown -- -D warnings
	cargo deny --locked check bans licenses sources

audit: setup ## what is known to be unsafe in what we depend on (needs a network)
	@for manifest in Cargo.toml tests/peer/Cargo.toml fuzz/Cargo.toml; do echo $$manifest; \
	  cargo deny --locked --config deny.toml --manifest-path $$manifest check advisories || exit; done

unit: ## unit tests, and the documented examples
	cargo test --locked --lib --bins $(addprefix --test ,$(TESTS))
	cargo test --locked --doc

# A folder of its own: a library that is also a cdylib has one name for both, whatever its dependencies' features.
peer: ## generated programs, with ours and with the starlark crate (its first build takes some minutes)
	cargo test --locked --manifest-path tests/peer/Cargo.toml --target-dir target/peer

conformance: ## our recorded cases, and ytt's where they are at hand
	cargo test --locked --test conformance -- --nocapture

size: page ## what a visitor's browser loads: the engine at once, the rest when it is needed
	@for name in haulout_bg.wasm haulout_packaging.wasm templates.json; do \
	  printf '%s: %d bytes, %d gzipped\n' $$name "$$(wc -c < www/pkg/$$name)" "$$(gzip -9c www/pkg/$$name | wc -c)"; done
	@[ "$$(gzip -9c $(WASM) | wc -c)" -lt 460800 ] || { echo 'haulout: the engine is to stay under 460800 bytes, gzipped' >&2; exit 1; }

web: $(BINARY) npm ## the page in Chromium
	.ci/test-web

bench: $(BINARY) page ## times, memory and slopes, into docs/performance.md; beside ytt's if YTT names its binary
	node benches/bench.mjs $(CURDIR)/$(BINARY)

differential: ## random inputs, beside ytt if YTT names its binary (another seed: PROPTEST_RNG_SEED=7, more: PROPTEST_CASES=1000)
	cargo test --locked --test differential -- --nocapture

# How long each target is fuzzed, in seconds.
FUZZ_SECONDS ?= 30
FUZZ_TARGETS ?= $(basename $(notdir $(wildcard fuzz/fuzz_targets/*.rs)))

fuzz: ## fuzz each target for FUZZ_SECONDS (30)
	fuzz/run $(FUZZ_SECONDS) $(FUZZ_TARGETS)

dist: npm ## what a release ships, into dist: a static program, the page, the npm package, a list of parts, checksums
	.ci/dist

clean: ## what a build made; the tools stay
	cargo clean
	rm -rf www/pkg tests/web/output dist

# What a developer types. Each target explains itself in `make help`; scripts/ holds what is longer than a line.
# Package.swift makes warnings errors, in every one of these builds.

SHELL := bash
.DEFAULT_GOAL := help
.PHONY: help setup build demo test test-swift-crypto acceptance bench soak fuzz lint format clean

# Packages of their own (FuzzTesting, Benchmarks) build beside .build, so that nothing is left inside their folders.
SWIFT_FILES := $(wildcard Package.swift Sources Tests IntegrationTests FuzzTesting Benchmarks Examples)
SHELL_SCRIPTS := $(shell grep -lsE '^\#!.*\bbash' scripts/* .ci/run IntegrationTests/* Benchmarks/Peers/*)

# As scripts/release builds, for single products.
RELEASE := swift build -c release --static-swift-stdlib

# How long `make fuzz` gives each fuzz target, in seconds. Ten minutes is the least before a release.
FUZZ_SECONDS ?= 600
# How long `make soak` lets streams and memory run, in seconds, and how often it kills the server under load.
SOAK_SECONDS ?= 600
SOAK_KILLS ?= 100

help: ## Say what there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' Makefile

setup: ## Install the Debian packages that are missing (quick when none is)
	@scripts/setup

build: setup ## Build .build/release/keyway and .build/release/keyway-server, stripped; says how long it took
	@scripts/release

demo: build ## Start a key server, let a virtual iPhone play with it, and leave the pages up (KEEP=1 without a terminal)
	@scripts/demo

# One debug build serves the unit tests and, by its executables, the integration tests. Their films are made once, with
# ffmpeg, and the packager that they compare with is installed once, both below .build-media.
test: setup ## Run every test; of those that take over a minute by themselves, a part
	@scripts/test-units
	@if [ -x IntegrationTests/run ]; then IntegrationTests/run "$$(swift build --show-bin-path)"; fi

test-swift-crypto: setup ## Run the tests of cryptography and FairPlay with the second backend, swift-crypto
	@scripts/test-swift-crypto

# With how many devices `make acceptance` tries each rule of a policy, with every change to their SPCs.
SWEEP_DEVICES ?= 2

acceptance: setup ## Run what takes over a minute by itself: every change to SPCs, the integration tests in full, encoders beside players
	swift build --build-tests
	@report=$$(mktemp); KEYWAY_SWEEP=$(SWEEP_DEVICES) KEYWAY_SWEEP_REPORT=$$report \
		swift test --skip-build --filter KeyServerTests.TamperingTests && cat "$$report"; code=$$?; rm -f "$$report"; exit $$code
	IntegrationTests/run --full "$$(swift build --show-bin-path)"
	RUNS=15 IntegrationTests/run "$$(swift build --show-bin-path)" test-packaging-keys
	$(RELEASE) --product keyway
	$(RELEASE) --product keyway-server
	@Benchmarks/Server/encoders --bin "$$(swift build -c release --show-bin-path)"

# The package manager sees new source files of a package beside its own only when that one's manifest has changed.
bench: setup ## Measure the KSM and the server beside raw RSA; playlists, packaging, live, playing, downloading beside others
	@touch Package.swift
	swift build -c release --package-path Benchmarks --scratch-path .build-bench
	.build-bench/release/keyway-bench
	@Benchmarks/Peers/setup .build-bench/peers
	.build-bench/release/playlist-bench --peers .build-bench/peers
	$(RELEASE) --product keyway
	@Benchmarks/Peers/packaging .build-bench/films --keyway "$$(swift build -c release --show-bin-path)/keyway" \
		--shaka "$$(IntegrationTests/peers || true)"
	@Benchmarks/Peers/live .build-bench/films --keyway "$$(swift build -c release --show-bin-path)/keyway"
	$(RELEASE) --product keyway-server
	@Benchmarks/Server/nodes --bin "$$(swift build -c release --show-bin-path)"
	@Benchmarks/Client/playing --bin "$$(swift build -c release --show-bin-path)"
	@Benchmarks/Client/downloading --bin "$$(swift build -c release --show-bin-path)"
	@Benchmarks/Server/dashboard --bin "$$(swift build -c release --show-bin-path)"
	@Benchmarks/Server/encoders --bin "$$(swift build -c release --show-bin-path)"
	@bin=$$(swift build -c release --show-bin-path); bench=.build-bench/release/keyway-bench; library=$$(scripts/crypto-mb || true); \
	[ -z "$$library" ] || Benchmarks/Server/licenses --bin "$$bin" --bench "$$bench" --soak 0 --no-bars && \
	Benchmarks/Server/licenses --bin "$$bin" --bench "$$bench" $${library:+--multi-buffer "$$library"}

# The tests run side by side; then nothing else may, while memory is measured.
soak: setup ## Run the server for long: 100 kills, ten minutes of streams, ten minutes of load
	$(RELEASE) --product keyway
	$(RELEASE) --product keyway-server
	KILLS=$(SOAK_KILLS) SECONDS=$(SOAK_SECONDS) IntegrationTests/run "$$(swift build -c release --show-bin-path)" \
		test-server-crash test-server-streams
	@library=$$(scripts/crypto-mb || true); Benchmarks/Server/licenses --bin "$$(swift build -c release --show-bin-path)" \
		--soak $(SOAK_SECONDS) $${library:+--multi-buffer "$$library"}

fuzz: setup ## Fuzz each target for FUZZ_SECONDS (600) seconds
	@scripts/fuzz $(FUZZ_SECONDS)

lint: setup ## Check format, words, layers, scripts and the code for Apple's systems
	swift format lint --strict --recursive --parallel $(SWIFT_FILES)
	@scripts/check-words --self-test
	@scripts/check-words
	@scripts/check-layers --self-test
	@scripts/check-layers
	@scripts/check-availability --self-test
	@scripts/check-availability
	@scripts/check-avfoundation --self-test
	@scripts/check-avfoundation
	shellcheck $(SHELL_SCRIPTS)

format: setup ## Put the Swift files into the project's format
	swift format --in-place --recursive --parallel $(SWIFT_FILES)

clean: ## Remove everything that was built
	rm -rf .build .build-*

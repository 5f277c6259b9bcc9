# The commands that a developer types. `make help` explains each target; scripts/ contains everything longer than a line.
# Package.swift treats warnings as errors in all of these builds.

SHELL := bash
.DEFAULT_GOAL := help
.PHONY: help setup build packages demo test test-avfoundation test-swift-crypto acceptance bench soak fuzz lint format clean

# Separate packages (FuzzTesting, Benchmarks) build into folders next to .build, so that no files are left inside their folders.
SWIFT_FILES := $(wildcard Package.swift Sources Tests IntegrationTests FuzzTesting Benchmarks Examples)
SHELL_SCRIPTS := $(shell grep -lsE '^\#!.*\bbash' scripts/* .ci/run IntegrationTests/* Benchmarks/Peers/*)

# The release build of scripts/release, for single products.
RELEASE := swift build -c release --static-swift-stdlib --disable-local-rpath

# The duration for which `make fuzz` runs each fuzz target, in seconds. Ten minutes is the minimum before a release.
FUZZ_SECONDS ?= 600
# The duration for which `make soak` runs streams and memory tests, in seconds, and how often it kills the server under load.
SOAK_SECONDS ?= 600
SOAK_KILLS ?= 100

help: ## List the targets of this Makefile
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' Makefile

setup: ## Install the Debian packages that are missing (quick if none is missing)
	@scripts/setup

build: setup ## Build the executables in .build/release, stripped; prints the build time
	@scripts/release

packages: setup ## Build Debian packages, a tarball, an image, an SBOM and checksums in .build/release-files
	@scripts/release --packages

demo: build ## Start a key server, let a virtual iPhone play a movie with it, and keep the pages up (without a terminal: KEEP=1)
	@scripts/demo

# One debug build serves the unit tests and, with its executables, the integration tests. The integration tests generate their
# media once, with ffmpeg, and install the packager that they compare with once, both in .build-media.
test: setup ## Run every test; of the tests that take over a minute each, run a part
	@scripts/test-units
	@scripts/test-avfoundation
	@if [ -x IntegrationTests/run ]; then IntegrationTests/run "$$(swift build --show-bin-path)"; fi

test-avfoundation: setup ## Run the tests of the code for Apple's platforms on classes that behave like AVFoundation
	@scripts/test-avfoundation

test-swift-crypto: setup ## Run the tests of cryptography and FairPlay with the second backend, swift-crypto
	@scripts/test-swift-crypto

# Seconds for each fuzz target in `make acceptance`: enough to run the committed corpus and a few new inputs.
ACCEPTANCE_FUZZ_SECONDS ?= 10
# The number of devices with which `make acceptance` tests each rule of a policy, with every change to their SPCs.
SWEEP_DEVICES ?= 2

acceptance: setup ## Run the tests that take over a minute each: every change to SPCs, the full integration tests, the fuzz targets, encoders alongside players
	@scripts/check-avfoundation --self-test
	@scripts/check-avfoundation --full
	@scripts/fuzz $(ACCEPTANCE_FUZZ_SECONDS)
	swift build --build-tests
	@report=$$(mktemp); KEYWAY_SWEEP=$(SWEEP_DEVICES) KEYWAY_SWEEP_REPORT=$$report \
		swift test --skip-build --filter KeyServerTests.TamperingTests && cat "$$report"; code=$$?; rm -f "$$report"; exit $$code
	KEYWAY_LOW_LATENCY_HOUR=1 swift test --skip-build --filter PackagerTests.LowLatencyRunTests
	IntegrationTests/run --full "$$(swift build --show-bin-path)"
	RUNS=15 IntegrationTests/run "$$(swift build --show-bin-path)" test-packaging-keys
	swift build --package-path Benchmarks --scratch-path .build-bench
	$(RELEASE) --product keyway
	$(RELEASE) --product keyway-server
	@Benchmarks/Server/encoders --bin "$$(swift build -c release --show-bin-path)"

# The package manager notices new source files of the package that it depends on only when that package's manifest has changed.
bench: setup ## Measure the KSM and the server against raw RSA; playlists, packaging, live, playback and downloads against other tools
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
	@Benchmarks/Client/validating --bin "$$(swift build -c release --show-bin-path)"
	@Benchmarks/Server/dashboard --bin "$$(swift build -c release --show-bin-path)"
	@Benchmarks/Server/encoders --bin "$$(swift build -c release --show-bin-path)"
	@Benchmarks/Server/plugins --bin "$$(swift build -c release --show-bin-path)"
	$(RELEASE) --product keyway-origin
	@Benchmarks/Server/origin --bin "$$(swift build -c release --show-bin-path)"
	@Benchmarks/Server/latency --bin "$$(swift build -c release --show-bin-path)"
	@Benchmarks/Server/latency --upload --bin "$$(swift build -c release --show-bin-path)"
	@bin=$$(swift build -c release --show-bin-path); bench=.build-bench/release/keyway-bench; library=$$(scripts/crypto-mb || true); \
	[ -z "$$library" ] || Benchmarks/Server/licenses --bin "$$bin" --bench "$$bench" --soak 0 --no-bars && \
	Benchmarks/Server/licenses --bin "$$bin" --bench "$$bench" $${library:+--multi-buffer "$$library"}

# The tests run concurrently; the memory measurement runs alone after them.
soak: setup ## Run the server for a long time: 100 kills, ten minutes of streams, ten minutes of load
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
	@scripts/check-tutorial --self-test
	@scripts/check-tutorial
	@scripts/check-avfoundation
	shellcheck $(SHELL_SCRIPTS)

format: setup ## Format the Swift files
	swift format --in-place --recursive --parallel $(SWIFT_FILES)

clean: ## Remove all build products
	rm -rf .build .build-*

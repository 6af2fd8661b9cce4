# What people type. Each target installs what it needs first (scripts/bootstrap); nothing on the machine's standard
# ports is used. STAKEMATE_PORT and STAKEMATE_DATA move the stack; STAKEMATE_PROFILE=release builds it optimised.

STAKEMATE_PROFILE ?= dev
PROFILE_FOLDER = $(if $(filter dev,$(STAKEMATE_PROFILE)),debug,$(STAKEMATE_PROFILE))
STAKEMATE = $(or $(CARGO_TARGET_DIR),target)/$(PROFILE_FOLDER)/stakemate

.DEFAULT_GOAL := help
.PHONY: help up demo simulate chaos test lint deploy-check fmt clean-data build

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

up: build ## everything from a bare machine: builds, starts, prints `ready http://127.0.0.1:8080`; Ctrl-C stops
	@exec $(STAKEMATE) dev

demo: build ## plays staked games from queue to payout; prints the story and, last, one JSON line
	@exec $(STAKEMATE) demo

simulate: ## the match process under every fault, seed by seed: make simulate SEEDS=100000
	@scripts/bootstrap
	@cargo run --quiet --locked -p end-to-end --bin simulate -- --seeds $(or $(SEEDS),1000)

chaos: build ## matches on real processes that are killed at random: make chaos SEEDS=3
	@exec $(STAKEMATE) chaos --seeds $(or $(SEEDS),1)

test: ## all tests, on private servers
	@scripts/bootstrap
	cargo build --workspace --bins --locked
	cargo test --workspace --locked

lint: ## formatting, clippy, protos, licences, unused dependencies
	@scripts/bootstrap --lint
	@scripts/lint

deploy-check: ## renders and validates every manifest offline
	@scripts/bootstrap --deploy
	@scripts/deploy-check

fmt: ## formats code and protos
	@scripts/bootstrap --lint
	cargo fmt --all
	.stakemate/tools/bin/buf format --write

clean-data: build ## forgets the development stack's data; the stack must be stopped
	@$(STAKEMATE) clean-data

build:
	@scripts/bootstrap
	cargo build --workspace --bins --locked --profile $(STAKEMATE_PROFILE)

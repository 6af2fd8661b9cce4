# What people type. Each target installs what it needs first (scripts/bootstrap); nothing on the machine's standard
# ports is used. STAKEMATE_PORT and STAKEMATE_DATA move the stack; STAKEMATE_PROFILE=release builds it optimised.

STAKEMATE_PROFILE ?= dev
PROFILE_FOLDER = $(if $(filter dev,$(STAKEMATE_PROFILE)),debug,$(STAKEMATE_PROFILE))
STAKEMATE = $(or $(CARGO_TARGET_DIR),target)/$(PROFILE_FOLDER)/stakemate

.DEFAULT_GOAL := help
ONLY ?=
# The figures of matches take the whole stack, those of games the game service.
ALL_PROGRAMS = --workspace --bins
GAME_PROGRAMS = --bin stakemate-game --bin stakemate-gateway --bin stakemate-bench

.PHONY: help up demo simulate chaos bench fuzz test web-test lint calibrate deploy-check fmt clean-data build web

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

up: build web ## everything from a bare machine: builds, starts, prints `ready http://127.0.0.1:8080`; Ctrl-C stops
	@STAKEMATE_WEB_ROOT=$(CURDIR)/web/dist exec $(STAKEMATE) dev

demo: build ## plays staked games from queue to payout; prints the story and, last, one JSON line
	@exec $(STAKEMATE) demo

simulate: ## the match process under every fault, seed by seed: make simulate SEEDS=100000
	@scripts/bootstrap
	@cargo run --quiet --locked -p end-to-end --bin simulate -- --seeds $(or $(SEEDS),1000)

chaos: build ## staked matches while processes are killed: make chaos SEEDS=n MATCHES=2000 KILLS=50 VICTIMS=wallet,nats
	@exec $(STAKEMATE) chaos --seeds $(or $(SEEDS),1) --matches $(or $(MATCHES),100) --kills $(or $(KILLS),2) \
		$(if $(VICTIMS),--victims $(VICTIMS))

test: ## all tests, on private servers and in real browsers
	@scripts/bootstrap --browser
	cargo build --workspace --bins --locked
	cargo test --workspace --locked
	@$(MAKE) --no-print-directory web-test

web-test: ## the web client: types, units, and journeys in real browsers on a stack of their own
	@scripts/bootstrap --browser
	cargo build --workspace --bins --locked
	@scripts/web build
	@scripts/web check
	@scripts/web unit
	@scripts/web journeys

bench: ## the benchmarks, one JSON line a figure; ONLY=game,pairing,wallet,rating,match,fairplay for some, GAMES=file.pgn of people
	@scripts/bootstrap $(if $(or $(if $(ONLY),,all),$(findstring game,$(ONLY))),--bench)
	cargo build --release --locked $(if $(ONLY),$(if $(findstring match,$(ONLY)),$(ALL_PROGRAMS),$(GAME_PROGRAMS)),$(ALL_PROGRAMS))
	$(if $(filter match,$(ONLY)),,@$(or $(CARGO_TARGET_DIR),target)/release/stakemate-bench --only "$(ONLY)" $(if $(GAMES),--games $(GAMES)) $(BENCH_FLAGS))
	$(if $(or $(if $(ONLY),,all),$(findstring match,$(ONLY))),@$(or $(CARGO_TARGET_DIR),target)/release/stakemate bench matches)

fuzz: ## inputs that nobody would send by mistake: make fuzz SECONDS=60 [ONLY=uci,fen,pgn,packed,requests]
	@scripts/bootstrap
	cargo build --locked --bin stakemate-fuzz
	@$(or $(CARGO_TARGET_DIR),target)/debug/stakemate-fuzz --seconds $(or $(SECONDS),60) --only "$(ONLY)"

lint: ## formatting, clippy, protos, licences, unused dependencies
	@scripts/bootstrap --lint
	@scripts/lint

calibrate: ## fits and measures fair play on GAMES=<folder with games and evaluations>; one JSON line a figure, with `met`
	cargo build -p cli --bin stakemate --locked
	@target/debug/stakemate fairplay calibrate --games $(GAMES) --evals $(GAMES) --out .stakemate/calibration

deploy-check: ## renders and validates every manifest offline
	@scripts/bootstrap --deploy
	@scripts/deploy-check

fmt: ## formats code and protos
	@scripts/bootstrap --lint
	cargo fmt --all
	.stakemate/tools/bin/buf format --write

web:
	@scripts/bootstrap --web
	@scripts/web build

clean-data: build ## forgets the development stack's data; the stack must be stopped
	@$(STAKEMATE) clean-data

build:
	@scripts/bootstrap
	cargo build --workspace --bins --locked --profile $(STAKEMATE_PROFILE)

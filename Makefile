# pg_topdown. What there is to type:
#
#   make demo           install what is missing, build, make a release in a private cluster, show it
#   make psql           psql on that cluster (it is started again when it is stopped)
#   make stop           stop that cluster (it only stays up after `make demo KEEP=1`)
#   make test           the same preparation, then every test in minutes; ends with "N passed, N failed"
#                       PG_VERSIONS="15 16:pg_regress,isolation": on these, with all suites or some
#   make quick          what one runs while working: less than a minute (TESTS="withhold": further SQL tests)
#   make lint           formatting, clippy and the pages' English
#   make test-long      the random and long tests in full, before a release: SOAK_MINUTES=30, PAIRS_MINUTES=60, LAW_SEQUENCES=2000
#   make book           the book of docs/, into target/book
#   make test-all       make test for every PostgreSQL that can be had here: a line each, and the sum (scripts/matrix.sh)
#   make install        build, and install into the PostgreSQL of PG_CONFIG (DESTDIR is honoured)
#   make installcheck   the SQL tests on the running server of PGHOST, PGPORT and PGUSER
#   make schema         the install script of this version, made anew of the code: after a change of SQL functions
#   make mutants        changes the code, one place at a time, and says which changes no test notices (SEED=1, FILES=...)
#   make bench          the targets for speed, beside the last recorded run (LARGE=1: ten million rows, too; RECORD=1)
#   make experiments    the papers' experiments through weka, into docs/EXPERIMENTS.md (PARTS="useful iotf": some)
#   make bench-engine   the engine's benchmarks
#   make bench-hierarchies  what each kind of numerical hierarchy loses, on Adult
#                       (scripts/bench.sh FILE runs the others in sql/bench)
#   make deb            Debian packages, into target/deb, for each of PG_CONFIGS="/path/to/pg_config ..."; make deb-check uses
#                       one in a clean Debian
#   make dist           the archive for PGXN, into target/dist
#   make rust-version   checks that the oldest Rust that Cargo.toml names is enough
#   make docs           the Rust documentation, into target/doc
#
# PG_CONFIG=/path/to/pg_config chooses the PostgreSQL (15 to 18). The work is done in scripts/.

# Only when given: scripts/lib.sh knows the default.
ifdef PG_CONFIG
export PG_CONFIG
endif
export DESTDIR PG_CONFIGS KEEP TESTS SEED FILES SOAK_MINUTES PAIRS_MINUTES LAW_SEQUENCES LARGE RECORD PARTS
export PATH := $(PATH):$(HOME)/.cargo/bin

RUST_VERSION = $(shell sed -n 's/^rust-version = "\(.*\)"$$/\1/p' Cargo.toml)

.PHONY: all demo psql stop test quick lint book test-all test-long install installcheck schema mutants bench bench-engine bench-hierarchies experiments deb \
  deb-check dist rust-version docs
.NOTPARALLEL:

all:
	@scripts/build.sh
demo:
	@scripts/demo.sh run
psql:
	@scripts/demo.sh psql
stop:
	@scripts/demo.sh stop
test:
	@scripts/$(if $(PG_VERSIONS),matrix.sh $(PG_VERSIONS),test.sh)
quick:
	@scripts/quick.sh
lint:
	@scripts/lint.sh
book:
	@scripts/book.sh
test-all:
	@scripts/matrix.sh
test-long:
	@scripts/test_long.sh
install:
	@scripts/install.sh
installcheck:
	@scripts/regress.sh pg_regress
	@scripts/regress.sh isolation
schema:
	@scripts/schema.sh
mutants:
	@scripts/mutants.sh
bench:
	@scripts/bench.sh sql/bench/targets.sql
experiments:
	@scripts/experiments.sh
bench-engine:
	cargo bench -p engine-bench
bench-hierarchies:
	@scripts/bench.sh sql/bench/hierarchies.sql
deb:
	@scripts/deb.sh
deb-check:
	@scripts/deb.sh check
dist:
	@scripts/dist.sh
rust-version:
	@scripts/setup.sh
	rustup toolchain install $(RUST_VERSION) --profile minimal
	cargo +$(RUST_VERSION) check --workspace --all-targets --locked
docs:
	@scripts/setup.sh
	cargo doc --workspace --no-deps

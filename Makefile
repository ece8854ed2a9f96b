# Everything a user or CI runs. `make demo` needs cargo and a C compiler; `make test` installs what tests need.

CARGO ?= cargo
PYTHON ?= python3
VENV := .venv
TARGET := $(or $(CARGO_TARGET_DIR),target)
BIN := $(TARGET)/release/surefoot

.PHONY: demo build wheel solvers test lint architecture test-rust test-python test-policies test-package test-browser test-slow bench bench-package bench-ctl bench-oracle bench-cegar bench-bounds bench-experiments bench-certificates bench-activations bench-limits bench-simulate bench-report bench-peers plots oracle-examples clean chromium

build:
	$(CARGO) build --release --locked

demo: build
	@echo
	@echo '== A driver that parks: safe from every start state, whatever the floor does'
	$(BIN) verify examples/parking/model.jani --properties examples/parking/properties.jani
	@echo
	@echo '== A careless reservoir keeper: unsafe, with a shortest run; then the run is replayed exactly'
	$(BIN) verify examples/reservoir/model.jani --properties examples/reservoir/properties.jani \
		--policy examples/reservoir/careless.jani2nnet --json $(TARGET)/demo-result.json; test $$? -eq 1
	$(BIN) replay $(TARGET)/demo-result.json examples/reservoir/model.jani \
		--properties examples/reservoir/properties.jani --policy examples/reservoir/careless.jani2nnet
	@echo
	@echo '== A lift, without visiting its states: refinement finds an inductive invariant, and its certificate is confirmed by two programs'
	$(BIN) verify examples/lift/model.jani --properties examples/lift/properties.jani --engine cegar \
		--certificate $(TARGET)/demo.cert --certify
	$(BIN)-checker $(TARGET)/demo.cert examples/lift/model.jani --properties examples/lift/properties.jani
	@if $(PYTHON) -c '' 2>/dev/null; then set -x; \
		$(PYTHON) -B tools/check.py $(TARGET)/demo.cert examples/lift/model.jani --properties examples/lift/properties.jani; \
	else echo 'The second checker, tools/check.py, was not asked: it needs Python 3, which is not there.'; fi
	@echo
	@echo '== A thermostat over the reals: a formula of bounded CTL fails, with an exact run'
	$(BIN) ctl examples/thermostat/model.jani --policy examples/thermostat/thermostat.policy.json \
		--formula 'AG[<=4] temperature > 18.5'; test $$? -eq 1

# The Python package, for any Python from 3.10 on: pip install dist/surefoot-*.whl
wheel: $(VENV)/maturin
	$(VENV)/bin/maturin build --release --locked --manifest-path crates/py/Cargo.toml --out dist

test: lint test-rust test-python test-browser

lint:
	@$(PYTHON) -c 'import tomllib' 2>/dev/null || \
		{ test "$$(id -u)" = 0 && apt-get update -q && apt-get install -y -q python3 python3-venv; } || \
		{ echo 'lint needs Python 3.11 or newer: name one with PYTHON=...'; exit 1; }
	$(CARGO) fmt --all -- --check
	$(PYTHON) -B tests/test_workspace.py --quiet
	$(PYTHON) -B tests/workspace.py
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --workspace --no-deps --locked --quiet
	@if $(CARGO) deny --version >/dev/null 2>&1; then $(CARGO) deny check bans licenses sources; \
	else echo 'cargo deny is not installed: licences and versions were checked without it'; fi

# The table of crates in the book, with lines counted anew.
architecture:
	$(PYTHON) -B tests/workspace.py --write

# Other people's solvers, for --oracle: prebuilt, pinned, in seconds. Then: --oracle paper --python .venv/bin/python
solvers: $(VENV)/solvers

# Some tests ask other solvers, which are Python packages. Without these they are skipped, but not where CI=true.
test-rust:
	-@$(MAKE) --no-print-directory $(VENV)/python-tests
	-@$(MAKE) --no-print-directory $(VENV)/solvers
	$(CARGO) test --workspace --exclude surefoot-py --profile ci --locked

# The same comparisons as in `test`, on 4,050 random models each: about six minutes.
test-slow:
	SUREFOOT_SOAK=27 $(CARGO) test --release --locked -p surefoot-cegar -p surefoot-bmc --test differential

# The checker in Python, and it beside the other one on broken and mutated certificates: that needs no packages. Exported models and certificates of bounds, read by Storm and umbi; result objects, held against their schema; queries of VNN-LIB 2.0, beside the official parser: without the packages these are skipped, but not where CI=true.
# The program is the one that `test-rust` built: by itself it would be built with fewer features, all over again.
test-python:
	$(PYTHON) -B tests/python/test_check.py
	$(CARGO) test --workspace --exclude surefoot-py --profile ci --locked --no-run --quiet
	$(PYTHON) -B tests/python/broken_certificates.py "$${CARGO_TARGET_DIR:-target}/ci/surefoot"
	$(PYTHON) -B tests/python/test_certificates.py "$${CARGO_TARGET_DIR:-target}/ci/surefoot"
	$(PYTHON) -B tests/python/fuzz_certificates.py "$${CARGO_TARGET_DIR:-target}/ci/surefoot" "$${CARGO_TARGET_DIR:-target}/ci/examples/models"
	@if $(MAKE) --no-print-directory $(VENV)/python-tests; then \
		$(VENV)/bin/python tests/python/test_result.py "$${CARGO_TARGET_DIR:-target}/ci/surefoot" && \
		$(VENV)/bin/python tests/python/test_induce.py "$${CARGO_TARGET_DIR:-target}/ci/surefoot" && \
		$(VENV)/bin/python tests/python/test_encode.py "$${CARGO_TARGET_DIR:-target}/ci/surefoot" && \
		$(VENV)/bin/python tests/python/test_bounds.py "$${CARGO_TARGET_DIR:-target}/ci/surefoot" && \
		$(VENV)/bin/python -B tests/python/test_vnnlib.py "$${CARGO_TARGET_DIR:-target}/ci/surefoot"; \
	elif test "$$CI" = true; then \
		echo 'the Python packages of tests/python/requirements.txt could not be installed'; exit 1; \
	else \
		echo 'skipped: the Python packages of tests/python/requirements.txt could not be installed'; \
	fi
	@$(MAKE) --no-print-directory test-policies
	@$(MAKE) --no-print-directory test-package

# Policies trained and exported by Stable-Baselines3 and others, beside torch: some minutes, and a gigabyte of packages the first time.
test-policies:
	@if $(MAKE) --no-print-directory $(VENV)-policies/installed; then \
		$(VENV)-policies/bin/python -B tests/python/test_policies.py "$${CARGO_TARGET_DIR:-target}/ci/surefoot"; \
	elif test "$$CI" = true; then \
		echo 'the Python packages of tests/python/requirements-policies.txt could not be installed'; exit 1; \
	else \
		echo 'skipped: the Python packages of tests/python/requirements-policies.txt could not be installed'; \
	fi

# The Python package: built as `test-rust` builds, installed where policies are trained, tested and type-checked there; the README's program with nothing but the wheel.
PACKAGE := $(TARGET)/wheels
test-package:
	@if $(MAKE) --no-print-directory $(VENV)-policies/package; then \
		rm -rf $(PACKAGE) && \
		$(VENV)-policies/bin/maturin build --profile ci --locked --manifest-path crates/py/Cargo.toml --out $(PACKAGE) && \
		$(VENV)-policies/bin/pip install --quiet --force-reinstall --no-deps $(PACKAGE)/surefoot-*.whl && \
		$(VENV)-policies/bin/python -B -m pytest crates/py/tests --pyargs surefoot --doctest-modules -q -p no:cacheprovider && \
		$(VENV)-policies/bin/python -B crates/py/tests/documents.py && \
		$(VENV)-policies/bin/python -B -m mypy --config-file crates/py/pyproject.toml crates/py/python/surefoot && \
		$(VENV)-policies/bin/python -B -m mypy.stubtest surefoot._native && \
		$(VENV)-policies/bin/pyright --project crates/py --pythonpath $(VENV)-policies/bin/python && \
		$(PYTHON) -B crates/py/tests/clean.py $(PACKAGE); \
	elif test "$$CI" = true; then \
		echo 'the Python packages of crates/py/tests/requirements.txt could not be installed'; exit 1; \
	else \
		echo 'skipped: the Python packages of crates/py/tests/requirements.txt could not be installed'; \
	fi

# Reports in a real browser, Debian's Chromium: about three minutes. Pages and screenshots stay in $(TARGET)/browser, to be looked at.
test-browser:
	@if $(MAKE) --no-print-directory $(VENV)-browser/installed && $(MAKE) --no-print-directory chromium; then \
		$(VENV)-browser/bin/python -B -m pytest tests/browser -q -p no:cacheprovider --surefoot "$${CARGO_TARGET_DIR:-target}/ci/surefoot"; \
	elif test "$$CI" = true; then \
		echo 'chromium, or the Python packages of tests/browser/requirements.txt, could not be installed'; exit 1; \
	else \
		echo 'skipped: chromium, or the Python packages of tests/browser/requirements.txt, could not be installed'; \
	fi

chromium:
	@command -v chromium >/dev/null || \
		{ test "$$(id -u)" = 0 && apt-get update -q && apt-get install -y -q --no-install-recommends chromium fonts-dejavu-core; }

# Import, calls, steps and batches of the Python package, as `make wheel` builds it.
bench-package: wheel $(VENV)-policies/package
	$(VENV)-policies/bin/pip install --quiet --force-reinstall --no-deps dist/surefoot-*.whl
	$(VENV)-policies/bin/python -B benchmarks/package.py

bench: $(VENV)/storm bench-oracle
	$(CARGO) build --release --locked
	$(CARGO) build --release --locked -p surefoot-explicit --example throughput
	$(CARGO) build --release --locked -p surefoot-testkit --example blocksworld
	$(PYTHON) benchmarks/abstraction.py
	$(PYTHON) benchmarks/throughput.py --storm $(VENV)/bin/python
	$(PYTHON) benchmarks/probability.py --storm $(VENV)/bin/python

# Bounded CTL: the built-in procedure beside the paper's encodings by HiGHS.
bench-ctl: $(VENV)/python-tests build
	$(PYTHON) -B benchmarks/ctl.py --solver $(VENV)/bin/python

# One policy decision: stored and fresh query sets, growth, ACAS Xu; peers' columns stay as last measured.
bench-oracle: $(VENV)/storm oracle-examples build
	$(VENV)/bin/python -B benchmarks/fresh.py
	$(VENV)/bin/python -B benchmarks/oracle.py
	$(VENV)/bin/python -B benchmarks/oracle.py --fresh
	$(VENV)/bin/python -B benchmarks/growth.py
	$(VENV)/bin/python -B benchmarks/acasxu.py
	$(VENV)/bin/python -B benchmarks/vnncomp.py
	$(VENV)/bin/python -B benchmarks/oracle_report.py

# The papers' tables and figures, into experiments/: one by EXPERIMENT=NAME; minutes with EXPERIMENT_OPTIONS=--quick, else most of a day on an idle machine; other people's solvers with EXPERIMENT_OPTIONS='--python $(VENV)/bin/python'. What is interrupted goes on.
EXPERIMENT ?= $(shell $(BIN) zoo experiment | cut -d' ' -f1)
bench-experiments: build
	@for name in $(EXPERIMENT); do $(BIN) zoo experiment $$name $(EXPERIMENT_OPTIONS) || exit 1; done

# The figures of benchmarks/RESULTS.md, from the tables in benchmarks/results: seconds.
PLOT := $(BIN) zoo plot --quiet
RESULTS := benchmarks/results
PLOTS := benchmarks/plots
STORED := --where set=rt --where set=bw4 --where set=bw6 --where set=syn64
plots: build
	mkdir -p $(PLOTS)
	$(PLOT) cactus $(RESULTS)/oracle_nnsat.csv --out $(PLOTS)/oracle_cactus.svg --limit 20 $(STORED) \
		--title 'Policy decisions: 240 stored queries' --x-title 'time of a query' --y-title 'queries answered within it' \
		--y 'Surefoot=first_us' --y 'Marabou + integer B&B=marabou_bb_seconds' --y 'HiGHS=highs_seconds' --y 'Marabou, relaxed only=marabou_seconds'
	$(PLOT) scatter $(RESULTS)/oracle_fresh.csv --out $(PLOTS)/oracle_marabou.svg --limit 20 \
		--title 'Policy decisions: each query of fresh seeds' --x 'Surefoot, first run=first_us' --y 'Marabou + integer B&B=marabou_bb_seconds' --by answer
	$(PLOT) scatter $(RESULTS)/oracle_nnsat.csv --out $(PLOTS)/oracle_highs.svg --limit 20 \
		--title 'Policy decisions: each stored query' --x 'Surefoot, first run=first_us' --y 'HiGHS=highs_seconds' --by answer
	$(PLOT) cactus $(RESULTS)/cegar_presets.csv --out $(PLOTS)/cegar_cactus.svg --limit 5 \
		--title 'Refinement: 20 instances by each strategy' --x-title 'mean time of an instance' --y-title 'instances decided within it' \
		--y seconds_mean --by preset $(foreach preset,explain vea-w bsverix-w bsverix-mid plaja explicit,--where preset=$(preset))
	$(PLOT) growth $(RESULTS)/cegar_growth.csv --out $(PLOTS)/cegar_growth.svg --limit 40 --title 'Refinement: more and more blocks' \
		--x blocks=x --y 'median time=seconds_median' --by series --where 'series=blocks, cost-ignoring' --where 'series=blocks, cost-aware'
	$(PLOT) band $(RESULTS)/bounds_blocks.csv --out $(PLOTS)/bounds_blocks.svg --x instance --lower lower --upper upper --by algorithm \
		--title 'Probability of an unsafe state: what each algorithm knew at its end' --x-title probability \
		--where precision=0.01 --where algorithm=boxes --where algorithm=paper

# Refinement: networks by imitation, growth, ingredients, goals; hours, for an idle machine. A small
# version: BENCH_CEGAR='--seeds 2 --limit 2 --give-up 1 --only plaja_bw4,bw4_16', which leaves the results in the repository alone.
bench-cegar: $(VENV)/storm
	$(CARGO) build --release --locked
	$(VENV)/bin/python -B benchmarks/distil.py
	$(VENV)/bin/python -B benchmarks/cegar.py --resume $(BENCH_CEGAR)
	$(VENV)/bin/python -B benchmarks/cegar_report.py $(if $(BENCH_CEGAR),--results $(TARGET)/bench/cegar)

# Probabilities by abstraction: both algorithms, QComp, Storm. Some minutes; everything, for an idle machine and some hours:
# BENCH_BOUNDS='--resume'.
BENCH_BOUNDS ?= --small
bench-bounds: $(VENV)/storm
	$(CARGO) build --release --locked
	$(VENV)/bin/python -B benchmarks/bounds.py $(BENCH_BOUNDS) --storm $(VENV)/bin/python
	$(VENV)/bin/python -B benchmarks/bounds_report.py $(if $(filter-out --resume,$(BENCH_BOUNDS)),--results $(TARGET)/bench/bounds)

# Certificates: what they cost to write and to check, and how large they are; some minutes.
bench-certificates: $(VENV)/storm
	$(CARGO) build --release --locked
	$(VENV)/bin/python -B benchmarks/distil.py --only bw6c_32
	$(VENV)/bin/python -B benchmarks/distil.py --only bw8_16
	$(VENV)/bin/python -B benchmarks/distil.py --only bw8c_32
	$(VENV)/bin/python -B benchmarks/certificates.py --python

# Steps of random runs beside states explored, per second: about two minutes.
bench-simulate: build
	$(PYTHON) -B benchmarks/simulate.py --binary $(BIN)

# Reports: bytes, time to write, time to the first picture, frames while it zooms; some minutes.
bench-report: build $(VENV)-browser/installed chromium
	$(VENV)-browser/bin/python -B benchmarks/report.py

# Activations and arithmetics beside ReLU: at points, in explorations, in the oracle's questions; some minutes.
bench-activations: build
	$(CARGO) build --release --locked -p surefoot-network --example speed
	$(PYTHON) -B benchmarks/activations.py

# How well limits of time and memory are kept, by command and engine: about ten minutes.
bench-limits: build
	$(PYTHON) -B benchmarks/limits.py --binary now=$(BIN)

# Two builds side by side: make bench-compare BEFORE=FILE.
bench-compare: build
	$(PYTHON) -B benchmarks/compare.py --before $(BEFORE) --after $(BIN) --instructions

# Known faults of dependencies: this asks the network.
advisories:
	$(CARGO) deny check advisories

# The oracle beside Marabou, HiGHS and Z3, about an hour; raw results in target/bench are reused if there.
bench-peers: $(VENV)/storm $(VENV)/peers oracle-examples
	$(VENV)/bin/python -B benchmarks/fresh.py
	$(VENV)/bin/python -B benchmarks/oracle.py --peers $(VENV)/bin/python
	$(VENV)/bin/python -B benchmarks/oracle.py --fresh --peers $(VENV)/bin/python
	$(VENV)/bin/python -B benchmarks/acasxu.py --peers $(VENV)/bin/python
	$(VENV)/bin/python -B benchmarks/oracle_report.py

oracle-examples:
	$(CARGO) build --release --locked -p surefoot-oracle --example nnsat --example acasxu

# A project environment of pinned Python packages; marked by a file per set of packages.
$(VENV)/storm: benchmarks/requirements.txt | $(VENV)/bin/python
	$(VENV)/bin/pip install --quiet --requirement benchmarks/requirements.txt
	touch $@

$(VENV)/solvers: benchmarks/requirements-solvers.txt | $(VENV)/bin/python
	$(VENV)/bin/pip install --quiet --requirement benchmarks/requirements-solvers.txt
	touch $@

$(VENV)/peers: benchmarks/requirements-peers.txt benchmarks/requirements-solvers.txt | $(VENV)/bin/python
	$(VENV)/bin/pip install --quiet --requirement benchmarks/requirements-peers.txt
	touch $@

$(VENV)/python-tests: tests/python/requirements.txt | $(VENV)/bin/python
	$(VENV)/bin/pip install --quiet --requirement tests/python/requirements.txt
	touch $@

$(VENV)-policies/installed: tests/python/requirements-policies.txt | $(VENV)/bin/python
	$(PYTHON) -m venv $(VENV)-policies
	$(VENV)-policies/bin/pip install --quiet --requirement tests/python/requirements-policies.txt
	touch $@

$(VENV)-browser/installed: tests/browser/requirements.txt | $(VENV)/bin/python
	$(PYTHON) -m venv $(VENV)-browser
	$(VENV)-browser/bin/pip install --quiet --requirement tests/browser/requirements.txt
	touch $@

$(VENV)-policies/package: crates/py/tests/requirements.txt $(VENV)-policies/installed
	$(VENV)-policies/bin/pip install --quiet --requirement crates/py/tests/requirements.txt
	touch $@

$(VENV)/maturin: crates/py/tests/requirements.txt | $(VENV)/bin/python
	$(VENV)/bin/pip install --quiet "$$(grep '^maturin' $<)"
	touch $@

# Debian keeps the venv module in a package of its own.
$(VENV)/bin/python:
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ test "$$(id -u)" = 0 && apt-get update -q && apt-get install -y -q python3 python3-venv; }
	$(PYTHON) -m venv $(VENV)

clean:
	$(CARGO) clean
	rm -rf $(VENV) $(VENV)-policies $(VENV)-browser

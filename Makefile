# make        run the workflow            make test   lint and all tests
# make env    build .venv from the lock   make bench  speed against the peers, as ratios
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
BENCH_VENV := .venv-bench

.DEFAULT_GOAL := all
.PHONY: all env lint test bench lock format clean

# Until the workflow exists there is nothing for `make` to run but the set-up.
all: env

env: $(STAMP)

$(STAMP): envs/requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "shiftlr needs Python >= 3.11, found %s at %s; set PYTHON=..." % (sys.version.split()[0], sys.executable))'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r envs/requirements.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	touch $@

lint: env
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@if [ -f Snakefile ]; then $(BIN)/snakefmt --check Snakefile workflow/rules && $(BIN)/snakemake --lint; fi

test: lint
	$(BIN)/python -m pytest

format: env
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The peers need other versions than we do, so they get an environment of their own.
bench: $(BENCH_VENV)/.installed
	$(BENCH_VENV)/bin/python workflow/scripts/bench_core.py

$(BENCH_VENV)/.installed: envs/bench.txt pyproject.toml
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python -m pip install --quiet --require-hashes -r envs/bench.txt
	$(BENCH_VENV)/bin/python -m pip install --quiet --no-deps --no-build-isolation -e .
	touch $@

# Renews both locks from the .in files (needs `uv` on the PATH); the result is committed.
lock:
	uv pip compile -q --upgrade --no-config --universal --python-version 3.11 --generate-hashes --no-header --no-annotate envs/requirements.in -o envs/requirements.txt
	uv pip compile -q --upgrade --no-config --universal --python-version 3.11 --generate-hashes --no-header --no-annotate envs/bench.in -o envs/bench.txt

clean:
	rm -rf $(VENV) $(BENCH_VENV) build workflow/*.egg-info
	find workflow tests -name __pycache__ -prune -exec rm -rf {} +

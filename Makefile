# make        run the workflow            make test    lint and all tests
# make env    build .venv from the lock   make bench   speed against the peers, as ratios; BENCH=--quick: small sizes
# make data   fetch external files         make lock    renew the locks
# make pdf    tables and figures as PDF   make verify  run everything anew, compare with tests/expected
# make help   the parts that can be run    make unlock  after a kill: remove the locks it left
# make beyond  experiments that the report does not have; no part of `make`
# make which-method  docs/which_method.md from their tables
# make test-cluster  through a real Slurm   make efficiency  what jobs asked for and used
# make bench-ner  speed on CoNLL-2003       make bench-readme  README's section on speed, from the last `make bench`
# make bench-cluster  wall time against jobs and block size
# make fuzz   fits to hostile data, many more than the tests try
# make r      install R with glmnet, for the method robust_glmnet, and robustbase, for a test; skipped without them
PYTHON ?= python3
CORES ?= $(shell nproc 2>/dev/null || echo 1)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
BENCH_VENV := .venv-bench

.DEFAULT_GOAL := all
.PHONY: all beyond help unlock env r data lint test fuzz test-cluster efficiency verify expected which-method pdf bench bench-ner bench-readme bench-cluster lock format clean
# Snakemake keeps a cache in the home folder, and dies where it cannot write there.
ifneq ($(shell cache="$${XDG_CACHE_HOME:-$$HOME/.cache}"; [ -e "$$cache" ] || cache=$$(dirname "$$cache"); [ -n "$$XDG_CACHE_HOME$$HOME" ] && [ -w "$$cache" ] && echo yes),yes)
export XDG_CACHE_HOME := $(CURDIR)/.cache
endif
SNAKEMAKE := $(BIN)/snakemake --cores $(CORES)
# Code of the workflow that is run by itself.
RUN := PYTHONPATH=workflow $(BIN)/python -m
# Locks that a killed run has left would stop a new one; those of a live run are not touched.
REMOVE_STALE_LOCKS := $(RUN) shiftbench.run.launch

all: env
	@$(REMOVE_STALE_LOCKS)
	$(SNAKEMAKE)
	@$(MAKE) --no-print-directory results/report.html

# Made by the line above; the report is written anew when a run has changed something.
results/report.html: results/manifest.json $(wildcard workflow/report/*.rst)
	$(SNAKEMAKE) --report $@

# Their tables and figures are in results/ beside the report's.
beyond: env
	@$(REMOVE_STALE_LOCKS)
	$(SNAKEMAKE) beyond

env: $(STAMP)

$(STAMP): envs/requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "shiftlr needs Python >= 3.11, found %s at %s; set PYTHON=..." % (sys.version.split()[0], sys.executable))'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r envs/requirements.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	touch $@

help: env
	@sed -n 's/^# \(make .*\)/\1/p' Makefile
	@echo
	@echo "Parts, for snakemake --cores N PART or --config only=[PART,PART]:"
	@$(BIN)/snakemake --list-target-rules --quiet all | sed 's/^/  /'

# Locks of a live run stay.
unlock: env
	$(REMOVE_STALE_LOCKS)

# On Debian, as root; needed by one method only.
r:
	envs/install-r

# Everything that comes from outside, for machines whose jobs have no internet. Stand-ins are tried again.
data: env
	@$(REMOVE_STALE_LOCKS)
	$(SNAKEMAKE) data --forcerun fetch

lint: env
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile workflow/rules
	$(BIN)/snakemake --lint

test: lint
	$(BIN)/python -m pytest --numprocesses $(CORES) --dist loadfile

# Fits to hostile data, many more than `make test` tries; each is right or warns.
FUZZ ?= 1000
fuzz: env
	SHIFTLR_FUZZ=$(FUZZ) $(BIN)/python -m pytest --numprocesses $(CORES) tests/shiftlr/methods/test_hostile_mixtures.py

# Installs and starts a Slurm of one node, so it needs root on Debian; fails, with the reason, where there is none.
test-cluster: env
	tests/cluster/run

# What the jobs of each rule asked for and used; fails where one came too close to its limit.
efficiency: env
	$(RUN) shiftbench.run.resources results/benchmarks

verify: env
	@$(REMOVE_STALE_LOCKS)
	$(SNAKEMAKE) --forceall all verify

# Takes the present results for the expected ones: look at `git diff tests/expected` before you commit it.
expected: all
	$(RUN) shiftbench.verdicts.verify results tests/expected/results.json
	$(RUN) shiftbench.present.not_reproduced tests/expected/results.json docs/not_reproduced.md

# The page of which method to use, and the numbers it is made from: look at `git diff docs` before you commit them.
which-method: beyond
	$(RUN) shiftbench.present.which_method results/tables docs/which_method.csv docs/which_method.md

pdf: all
	@command -v pdflatex >/dev/null || { echo "make pdf: there is no pdflatex; install TeX Live (latex-recommended, latex-extra)" >&2; exit 1; }
	cd workflow/report && for run in 1 2 3; do pdflatex -interaction=nonstopmode -halt-on-error -output-directory=../../results tables.tex >/dev/null || exit 1; done # long tables settle their widths
	@echo results/tables.pdf

format: env
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile workflow/rules

# The peers need other versions than we do, so they get an environment of their own.
# Real data are used where `make data` has fetched them. BENCH may be --list, --quick, or --only with names.
BENCH ?=
bench: $(BENCH_VENV)/.installed
	PYTHONPATH=workflow $(BENCH_VENV)/bin/python -m shiftbench.speed $(BENCH)

# On the real CoNLL-2003 matrix, which is fetched first.
bench-ner: data $(BENCH_VENV)/.installed
	PYTHONPATH=workflow $(BENCH_VENV)/bin/python -m shiftbench.speed --only ner

# Keeps the numbers of the last benchmark in docs/speed.csv; look at `git diff` before you commit it.
bench-readme: $(BENCH_VENV)/.installed
	PYTHONPATH=workflow $(BENCH_VENV)/bin/python -m shiftbench.speed.readme results/bench/summary.csv

$(BENCH_VENV)/.installed: envs/bench.txt
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python -m pip install --quiet --require-hashes -r envs/bench.txt
	touch $@

# Wall time against block size, on the Slurm of test-cluster; about a quarter of an hour.
bench-cluster: env
	PYTHONPATH=workflow tests/cluster/run $(BIN)/python workflow/scripts/bench_cluster.py

# Renews both locks from the .in files (needs `uv` on the PATH); the result is committed.
lock:
	uv pip compile -q --upgrade --no-config --universal --python-version 3.11 --generate-hashes --no-header --no-annotate envs/requirements.in -o envs/requirements.txt
	uv pip compile -q --upgrade --no-config --universal --python-version 3.11 --generate-hashes --no-header --no-annotate envs/bench.in -o envs/bench.txt

clean:
	rm -rf $(VENV) $(BENCH_VENV) .kernels build workflow/*.egg-info
	find workflow tests -name __pycache__ -prune -exec rm -rf {} +

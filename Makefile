# Everything here needs Python 3.11 or newer and make; the rest is installed into .venv, from hashes.

.DEFAULT_GOAL := help
.PHONY: help install demo up test suite lint format bench chaos model lock charts clean

# Where this is set, every start of a command compiles the whole program again: seconds instead of one.
unexport PYTHONDONTWRITEBYTECODE

BIN := .venv/bin
INSTALLED := .venv/.installed
NIGHTS ?= 200
SEED ?= 1
STEPS ?= 20000
WORKERS ?= 3
COMPILE = pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header $(if $(UPGRADE),--upgrade)

help: ## say what there is
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' Makefile

install: $(INSTALLED) ## make .venv with everything in it

demo: $(INSTALLED) ## a market of fake shops, seven nights, the mail and the review page (ONCE=1: then end)
	$(BIN)/monitor demo $(if $(ONCE),--once)

up: $(INSTALLED) ## run the monitor here: scheduler, worker and web in one process
	$(BIN)/monitor up

test: $(INSTALLED) ## lint and every test
	@$(MAKE) --no-print-directory --jobs 2 lint suite

# By file, because what a file starts it starts once. Slow tests mostly wait, so that two processors have room for three
# files at a time, in the order of tests/order.py; with a fourth, tests wait for processes in vain.
suite: $(INSTALLED) ## every test, fast and slow (WORKERS=3 at a time)
	$(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -q

lint: $(INSTALLED) ## format, rules, types, imports
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(INSTALLED) ## let ruff write the files as lint wants them
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(INSTALLED) ## measure every figure of docs/benchmarks.md (long)
	@for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python "$$script" || exit 1; done

chaos: $(INSTALLED) ## kill workers at random points for NIGHTS nights from SEED (long)
	$(BIN)/monitor chaos --nights $(NIGHTS) --seed $(SEED)
	@echo "Now a night of thirty, killed before and after each commit. It says how far it is; CHAOS_SHARE=1/5 takes a fifth."
	CHAOS_COMPETITORS=30 CHAOS_SHARE=$${CHAOS_SHARE:-1/1} $(BIN)/pytest tests/chaos/test_every_boundary.py -q

model: $(INSTALLED) ## play the model of approved prices for STEPS steps from SEED (long)
	$(BIN)/python benchmarks/writes.py $(STEPS) $(SEED)

lock: ## pin pyproject.toml's dependencies again, keeping pins that still fit (UPGRADE=1: the newest)
	@uv=$$(command -v uv || echo $(BIN)/uv); \
	if ! [ -x "$$uv" ]; then $(MAKE) --no-print-directory $(BIN)/python && $(BIN)/python -m pip install --quiet uv; fi; \
	set -ex; \
	"$$uv" $(COMPILE) --extra postgres --group dev -o requirements-dev.lock pyproject.toml; \
	"$$uv" $(COMPILE) --extra postgres -c requirements-dev.lock -o requirements.lock pyproject.toml; \
	"$$uv" $(COMPILE) --group build -c requirements-dev.lock -o requirements-build.lock

charts: $(INSTALLED) ## write what the browser draws charts with again, from what the lock pins
	$(BIN)/python -m monitor.adapters.charts.bundle templates/web/static

clean: ## remove what the targets above made, except var/ with its prices
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis dist build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The first Python that is new enough and starts: a version manager's shim may exist and refuse.
$(BIN)/python:
	@for python in $(PYTHON) python3.13 python3.12 python3.11 python3.14 python3 python; do \
	  if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then found=$$python; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo "No Python 3.11 or newer was found on PATH. Install one, or name it: make PYTHON=/path/to/python3 ..." >&2; exit 1; \
	fi; \
	echo "Making .venv with $$("$$found" --version)"; \
	if command -v uv >/dev/null; then uv venv --quiet --clear --seed --python "$$found" .venv; \
	elif ! "$$found" -m venv --clear .venv; then \
	  rm -rf .venv; \
	  echo "$$found cannot make a virtual environment; on Debian and Ubuntu install python3-venv." >&2; exit 1; \
	fi

# Installed again when the lock or pyproject.toml is newer.
$(INSTALLED): requirements-dev.lock pyproject.toml | $(BIN)/python
	@rm -f $@
	@echo "Installing what requirements-dev.lock pins (a minute the first time)"
	@if command -v uv >/dev/null; then \
	  uv pip sync --quiet --compile-bytecode --python $(BIN)/python --require-hashes requirements-dev.lock && \
	  uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .; \
	else \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock && \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .; \
	fi
	@touch $@

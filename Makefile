# The two commands of the README are `make demo` and `make test`; both prepare .venv first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: demo test lint bench faults clean

demo: $(STAMP)
	$(BIN)/kiosk demo $(ARGS)

test: $(STAMP) lint
	$(BIN)/python -m pytest $(ARGS)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(STAMP)
	$(BIN)/python -m benchmarks

faults: $(STAMP)
	$(BIN)/python -m tests.faults

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or later is needed, $$($(PYTHON) --version) is here."; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "Could not make $(VENV). On Debian: sudo apt install python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group dev
	@touch $@

clean:
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

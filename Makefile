# The two commands of the README are `make demo` and `make test`; both prepare .venv first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: demo test lint messages bench faults pairings wheels install-table install-head uninstall clean

demo: $(STAMP)
	$(BIN)/kiosk demo $(ARGS)

test: $(STAMP) lint
	$(BIN)/python -m pytest $(ARGS)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Brings the catalogues under kiosk/locale up to what the code says; then fill in what is empty there.
messages: $(STAMP)
	$(BIN)/python tests/tools/messages/catalogues.py update

bench: $(STAMP)
	$(BIN)/python -m benchmarks

faults: $(STAMP)
	$(BIN)/python -m tests.faults

# The pairings of small random pools against every possible matching, in their long form (about four minutes).
pairings: $(STAMP)
	PYTHONPATH=tests/tools $(BIN)/python -m oracles.othello_system 10000
	PYTHONPATH=tests/tools $(BIN)/python -m oracles.swiss 2000

# docs/install.md. As root: sudo make install-table HEAD=192.168.10.1
install-table:
	systemd/install.sh table "$(HEAD)"

install-head:
	systemd/install.sh head

uninstall:
	systemd/install.sh uninstall

# Every package a table or head needs, for machines like this one without internet: sudo make install-table WHEELS=wheels
wheels: $(STAMP)
	$(BIN)/python -m pip wheel --quiet --wheel-dir wheels "setuptools>=77" wheel ".$(if $(filter aarch64 arm%,$(shell uname -m)),[pi])"
	rm -f wheels/othello_kiosk-*.whl

export WHEELS TABLE TABLES DESTDIR APT

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or later is needed, $$($(PYTHON) --version) is here."; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "Could not make $(VENV). On Debian: sudo apt install python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group dev
	@touch $@

clean:
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

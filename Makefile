# The two commands of the README are `make demo` and `make test`; all prepare .venv first. `make help` lists them.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

# Many tests start programs, and each would compile the whole kiosk again: keep compiled files, whatever the caller's
# environment says.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo check test packages suite docs pictures lint style types types-win32 types-darwin imports catalogues messages pure bench faults pairings mutations simulate verify random-event wheels install-table install-head uninstall clean

help:  ## list the commands
	@awk -F ':.*  ## ' '/^[a-z-]+:.*  ## / {printf "make %-15s%s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(STAMP)  ## a whole tournament on this machine (ARGS="--speed max --exit")
	$(BIN)/kiosk demo $(ARGS)

check: $(STAMP)  ## while you work: lint, types and the pure tests, side by side (40 s on two idle cores)
	@$(MAKE) --no-print-directory -j 2 --output-sync=target pure lint

# Tests marked slow take seconds, or use ptys, sockets, processes or the wall clock.
pure: $(STAMP)
	$(BIN)/python -m pytest -q -n auto -m "not slow" tests/engine tests/hardware tests/kiosk/link/session $(ARGS)

# The static checks run one at a time in parallel with the tests, which often wait.
test: packages $(STAMP)  ## run all checks and tests (ARGS=tests/engine, ARGS="-k name")
	@$(MAKE) --no-print-directory -j 2 suite lint

packages:
	@.ci/packages

# In parallel, each file in one process, in the order of their names after the longest, so that short files come last.
# Three processes for two cores, because many tests wait for a program, a page or a disk.
suite: $(STAMP) $(VENV)/.collected
	$(BIN)/python -m pytest -n $$(($$(getconf _NPROCESSORS_ONLN) * 3 / 2)) --maxprocesses 4 --dist loadfile --no-loadscope-reorder $(ARGS)

# In a new checkout each of the processes would compile all tests. Errors here are reported by the suite.
$(VENV)/.collected: $(STAMP)
	@$(BIN)/python -m pytest -q --collect-only >$@ || true

lint: style catalogues imports types types-win32 types-darwin  ## check style, types and import rules

style: $(STAMP)
	$(BIN)/ruff check .

types: $(STAMP)
	$(BIN)/mypy

types-win32 types-darwin: types-%: $(STAMP)
	$(BIN)/mypy -p engine -p hardware -p kiosk --platform $* --cache-dir .mypy_cache/$*

catalogues: $(STAMP)
	$(BIN)/python tests/tools/messages/catalogues.py check

imports: $(STAMP)
	$(BIN)/lint-imports

messages: $(STAMP)  ## update the catalogues in kiosk/locale from the code; then translate the empty entries
	$(BIN)/python tests/tools/messages/catalogues.py update

.PHONY: generated
generated: $(STAMP)  ## regenerate the documents' tables of settings, options, addresses and commands
	PYTHONPATH=.:tests/tools $(BIN)/python -m documents.generate

docs: $(VENV)/.docs  ## the documents as a site in out/site, its links checked
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

pictures: $(VENV)/.docs  ## take the guide's pictures again (needs Chromium)
	$(BIN)/python tests/tools/pictures/guide.py

$(VENV)/.docs: $(STAMP)
	$(BIN)/python -m pip install --quiet --group docs
	@touch $@

bench: $(STAMP)  ## run the benchmarks and print their figures as JSON
	$(BIN)/python -m benchmarks

faults: $(STAMP)  ## run every fault test in its long form (90 minutes; ARGS="-k name")
	$(BIN)/python -m tests.faults $(ARGS)

# The pairings of small random pools against every possible matching, in their long form (about four minutes).
pairings: $(STAMP)  ## small pools against every possible matching
	PYTHONPATH=tests/tools $(BIN)/python -m oracles.othello_system 10000
	PYTHONPATH=tests/tools $(BIN)/python -m oracles.swiss 2000

# Events damaged at random through draw, pair, standings, certify, verify and convert (ARGS=10000 for so many).
mutations: $(STAMP)  ## check that damaged event files get an answer or an error of one sentence
	PYTHONPATH=tests/tools $(BIN)/python -m events.mutations $(or $(ARGS),42000)

DEVELOPERS := PYTHONPATH=.:tests/tools $(BIN)/python -m commands.developers

simulate: $(STAMP)  ## tournament days on virtual time with faults (ARGS="--days 20 --seed 100 --faults heavy --json")
	@$(DEVELOPERS) simulate $(ARGS)

verify: $(STAMP)  ## every rule that an event file breaks, by the second implementation (EVENT=event.json ARGS=--json)
	@$(DEVELOPERS) verify "$(EVENT)" $(ARGS)

random-event: $(STAMP)  ## a whole random event as an event file (ARGS="swiss --players 20 --seed 1")
	@$(DEVELOPERS) random-event $(ARGS)

# docs/setup/install.md. As root: sudo make install-table HEAD=192.168.10.1
install-table:  ## as root: a table under systemd (HEAD=192.168.10.1)
	systemd/install.sh table "$(HEAD)"

install-head:  ## as root: the head under systemd
	systemd/install.sh head

uninstall:  ## as root: remove the programs, keep the data
	systemd/install.sh uninstall

# On a freshly written card of the tables' release; then, without internet: sudo make install-table WHEELS=wheels
wheels:  ## as root: download all packages of a table for machines of this kind without internet
	systemd/install.sh fetch

export WHEELS TABLE TABLES EXTRAS DESTDIR APT UPDATE_KEY
# Tests start hundreds of programs, which share the compiled files.
unexport PYTHONDONTWRITEBYTECODE

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or later is needed, $$($(PYTHON) --version) is here."; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "Could not make $(VENV). On Debian: sudo apt install python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable '.[all]' --group dev
	@touch $@

clean:  ## remove .venv and all build results
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

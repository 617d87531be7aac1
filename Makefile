# make demo     install, then show isthmus at work
# make test     install, then lint, type-check and test: what CI runs
# make mutants  change the code in many places, one at a time: does a test notice?
# make fuzz     hostile model files, documents, command lines and matrices: does any crash, hang or fill the memory? FUZZ="--models 10000 ..." for more
# make kill     commands and a studio that are ended in the middle: is any output broken, or anything left behind? KILL="--kills 500 ..." for more
# make bench    speed as ratios within one run: against plain updates, a pass over X, other tools; growth, memory, killed workers. BENCH="--documents 1000 --megabytes 50" for less
# make test-oldest  the tests with the lowest versions that pyproject.toml allows, in an environment of their own
# make test-newest  the same with the newest; PYTHON=python3.13 for another Python
# make dist-check   build wheel and sdist, install each into an empty environment and use it there
# make docs     build the site into site/, with no warning; needs no network once its tools are installed
# make gallery  draw the pictures of the gallery, on real data where $ISTHMUS_DATA is set
# make pictures take the pictures of the report and the studio, with chromium
# make printed  run the commands whose outputs the docs show, and put today's outputs there
# make clean    remove the environments and caches

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Where this is set, each of the processes that tests start compiles scikit-learn anew.
export PYTHONDONTWRITEBYTECODE :=

# One thread to a worker: two of them, each with a pool of threads, wait for one another on two cores.
# With scipy's array API, scikit-learn's checks are complete.
PYTEST := SCIPY_ARRAY_API=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
WORKERS := --numprocesses=2 --dist=worksteal

.PHONY: install install-dev demo test tests test-oldest test-newest lint mutants fuzz kill bench dist-check docs gallery pictures printed clean

install: $(VENV)/.installed
install-dev: $(VENV)/.installed-dev

$(BIN)/python:
	@echo "== Creating an environment in $(VENV)"
	$(PYTHON) -m venv $(VENV)

# uv takes a tenth of pip's time; where it cannot be had, pip does.
define install_editable
	@$(1)/bin/python -m pip install --quiet --disable-pip-version-check uv \
		&& $(1)/bin/uv pip install --quiet --python $(1)/bin/python $(3) --editable "$(2)" \
		|| $(1)/bin/python -m pip install --quiet --disable-pip-version-check --editable "$(2)"
endef

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	@echo "== Installing isthmus"
	$(call install_editable,$(VENV),.)
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	@echo "== Installing isthmus and what its tests need"
	$(call install_editable,$(VENV),.[dev])
	@touch $@ $(VENV)/.installed

demo: install
	@echo "== isthmus demo"
	@$(BIN)/isthmus demo

# mypy takes one core for half a minute, in which the tests begin.
test: install-dev
	@$(MAKE) --no-print-directory --jobs=2 lint tests

tests: install-dev
	@echo "== Tests"
	$(PYTEST) $(BIN)/pytest $(WORKERS)

OLDEST := .venv-oldest
NEWEST := .venv-newest

define install_resolved
	$(PYTHON) -m venv --clear $(1)
	$(1)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(1)/bin/uv pip install --quiet --python $(1)/bin/python $(2) --editable ".[dev]"
endef

$(OLDEST)/.installed: pyproject.toml
	@echo "== Installing isthmus with the lowest versions of what it needs"
	$(call install_resolved,$(OLDEST),--resolution lowest-direct)
	@touch $@

test-oldest: $(OLDEST)/.installed
	@echo "== Tests with the lowest versions"
	$(PYTEST) $(OLDEST)/bin/pytest $(WORKERS)

# Anew each time: what is newest changes.
test-newest:
	@echo "== Installing isthmus with the newest versions of what it needs"
	$(call install_resolved,$(NEWEST),--upgrade --prerelease if-necessary-or-explicit)
	@echo "== Tests with the newest versions"
	$(PYTEST) $(NEWEST)/bin/pytest $(WORKERS)

lint: install-dev
	@echo "== Lint"
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@echo "== Layers"
	$(BIN)/lint-imports
	@echo "== Types"
	$(BIN)/mypy

mutants: install-dev
	@echo "== Mutants"
	$(BIN)/python benchmarks/mutants.py --jobs 2

fuzz: install-dev
	@echo "== Hostile inputs"
	PYTHONPATH=benchmarks $(BIN)/python -m fuzz $(FUZZ)

kill: install-dev
	@echo "== Commands that are ended"
	PYTHONPATH=benchmarks $(BIN)/python -m fuzz.kill $(KILL)
	PYTHONPATH=benchmarks $(BIN)/python -m fuzz.kill_studio --kills 500

bench: install-dev
	@echo "== Speed"
	OPENBLAS_NUM_THREADS=1 PYTHONPATH=benchmarks $(BIN)/python -m speed $(BENCH)

dist-check: install-dev
	@echo "== Wheel and sdist"
	$(BIN)/python benchmarks/dist_check.py --python "$$(command -v $(PYTHON))"

$(VENV)/.installed-docs: pyproject.toml | $(VENV)/.installed-dev
	@echo "== Installing what builds the site"
	$(call install_editable,$(VENV),.[docs])
	@touch $@

docs: $(VENV)/.installed-docs
	@echo "== Site"
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

gallery: install-dev
	@echo "== Gallery"
	$(BIN)/python examples/gallery.py

pictures: install-dev
	@echo "== Pictures"
	$(BIN)/python benchmarks/pictures.py

printed: install-dev
	@echo "== Outputs in the docs"
	$(BIN)/python benchmarks/printed.py

clean:
	rm -rf dist site $(VENV) $(OLDEST) $(NEWEST) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

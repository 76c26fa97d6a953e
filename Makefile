# Two commands on a machine with Python >= 3.10, make and a C compiler: make run, make test.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.PHONY: run test test-all check lint c-check docs man clean

run: $(INSTALLED)
	$(BIN)/hockney pingpong

# All but what is marked long, in a few minutes.
test: $(INSTALLED)
	$(BIN)/python -m pytest --durations=10 $(PYTEST)

# All tests, and none is skipped: it needs root, two MPI libraries, SimGrid, slurm-wlm and munge for
# two hosts and a real Slurm, and a Chromium. make test-all PYTEST='-m long' runs what `make test`
# leaves out.
test-all: $(INSTALLED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[packaging]'
	HOCKNEY_TEST_ALL=1 HOCKNEY_TEST_BROWSER=$${HOCKNEY_TEST_BROWSER:-/usr/bin/chromium} \
	    HOCKNEY_TEST_OTHER_MPICC=$${HOCKNEY_TEST_OTHER_MPICC:-mpicc.openmpi} \
	    $(BIN)/python -m pytest --durations=10 --hypothesis-profile=all $(PYTEST)

# All that a change must pass: style, types, C warnings and sanitizers, tests.
check: lint c-check test

lint: $(INSTALLED)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports --no-logo
	$(BIN)/mypy

# Warnings are errors, under GCC and Clang where there is one; then one run under the sanitizers.
c-check: $(INSTALLED)
	PATH="$(CURDIR)/$(BIN):$$PATH" sh tests/engine/c_check.sh

# The documentation as a site, in build/site; a link that leads nowhere is an error.
docs: $(INSTALLED)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# A man page a verb, from the words of --help, in build/man.
man: $(INSTALLED)
	$(BIN)/python docs/man_pages.py build/man

$(INSTALLED): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[mpich,test]'
	touch $@

clean:
	rm -rf $(VENV) dist build

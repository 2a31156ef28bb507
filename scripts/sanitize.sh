#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the tests of what shares memory between threads or parses bytes from elsewhere, and the programs of tests/mpi in a
# lab with the whole library in them, under AddressSanitizer and UndefinedBehaviorSanitizer, then under ThreadSanitizer. The
# programs run under each MPI that is installed, with the settings of quadrille.suites.forced; they are those of `make native-tests`.
#   sanitize.sh [address] [thread]      (both unless named)
#   SANITIZED_PROGRAMS="--mpi ompi4 --setting multicast" limits the programs' runs
set -euo pipefail
cd "$(dirname "$0")/.."
tests=(quadrille_wire_links_test quadrille_wire_test quadrille_wire_simulated_test quadrille_executor_test
    quadrille_schedule_test quadrille_fabric_test)
libraries=(quadrille quadrille-ompi quadrille-mpich)

build() { # FOLDER SANITIZERS
    cmake -S . -B "$1" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DQUADRILLE_SANITIZE="$2" >/dev/null
    cmake --build "$1" --target "${tests[@]}" "${libraries[@]}"
}
units() { # FOLDER
    for test in "${tests[@]}"; do
        echo "== $test in $1"
        # How often a thread is switched is not its own under them.
        "$1/$test" --gtest_brief=1 --gtest_filter='-PortTest.its_thread_sleeps*'
    done
}
programs() { # FOLDER KIND
    # shellcheck disable=SC2086
    .venv/bin/python -m quadrille.suites.sanitized "$1" "$2" ${SANITIZED_PROGRAMS:-}
}

address() {
    build build-address address,undefined
    export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
    units build-address
    programs build-address address
}
thread() {
    build build-thread thread
    TSAN_OPTIONS=halt_on_error=1 units build-thread
    programs build-thread thread
}

for kind in "${@:-address thread}"; do
    for one in $kind; do $one; done
done

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the tests of what shares memory between threads or parses bytes from elsewhere under ThreadSanitizer, and them
# and a program under Open MPI, with the whole library in it, under AddressSanitizer and UndefinedBehaviorSanitizer.
#   sanitize.sh [address] [thread]      (both unless named)
set -euo pipefail
cd "$(dirname "$0")/.."
tests=(quadrille_wire_links_test quadrille_wire_test quadrille_wire_simulated_test quadrille_executor_test
    quadrille_schedule_test quadrille_fabric_test)

build() { # FOLDER SANITIZERS TARGETS...
    cmake -S . -B "$1" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DQUADRILLE_SANITIZE="$2" >/dev/null
    cmake --build "$1" --target "${@:3}"
}
units() { # FOLDER
    for test in "${tests[@]}"; do
        echo "== $test in $1"
        # How often a thread is switched is not its own under them.
        "$1/$test" --gtest_brief=1 --gtest_filter='-PortTest.its_thread_sleeps*'
    done
}

address() {
    build build-address address,undefined "${tests[@]}" quadrille quadrille-ompi collectives-ompi
    export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
    units build-address
    # The MPI library leaks, and is no part of this.
    local preload
    preload=$(gcc -print-file-name=libasan.so):$PWD/build-address/libquadrille.so
    for algorithm in alltoall:ordered,bcast:binomial,allreduce:rabenseifner,alltoallv:ordered \
        alltoall:bruck,bcast:scatter_allgather,allgather:bruck,reduce:chain,gatherv:linear,scan:chain; do
        echo "== collectives with $algorithm"
        timeout 300 mpirun.openmpi --allow-run-as-root --oversubscribe --mca mpi_yield_when_idle 1 -np 4 \
            -x LD_PRELOAD="$preload" -x ASAN_OPTIONS=detect_leaks=0 -x QUADRILLE_ALGORITHM="$algorithm" \
            build-address/tests/collectives-ompi stress 5 1000
    done
}
thread() {
    build build-thread thread "${tests[@]}"
    TSAN_OPTIONS=halt_on_error=1 units build-thread
}

for kind in "${@:-address thread}"; do
    for one in $kind; do $one; done
done

#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs every test but those marked slow: native units first, because what fails there explains what fails later. Then, side by side,
# Python's tests that a busy machine does not change, a file's one after the other; those marked alone have the machine to themselves
# afterwards. Arguments are pytest's, and then all run in one go. All runners run; the last lines are their own closing lines.
#
# QUADRILLE_EXHAUSTIVE=1 runs the slow ones too, and ten times the random programs. QUADRILLE_TEST_ALONE=off leaves out those marked alone.
# QUADRILLE_TEST_WORKERS: files at once, 3 for 2 processors, as tests of MPI programs wait half of their time.
set -uo pipefail
cd "$(dirname "$0")/.."
logs=build/test-logs
mkdir -p $logs
rm -f $logs/*
status=0
workers=${QUADRILLE_TEST_WORKERS:-$(($(nproc) + 1))}
with_alone=${QUADRILLE_TEST_ALONE:-on}
slow="not slow"
seeds=${QUADRILLE_SEEDS:-}
if [ -n "${QUADRILLE_EXHAUSTIVE:-}" ]; then
    slow="slow or not slow"
    seeds=${seeds:-1-5000}
fi
# Programs under test say which variables of these they do not know.
unset QUADRILLE_EXHAUSTIVE QUADRILLE_TEST_ALONE QUADRILLE_TEST_WORKERS QUADRILLE_SEEDS

# run NAME COMMAND...: its output is shown and kept.
run() { "${@:2}" 2>&1 | tee "$logs/$1.log" || status=1; }
tests() { run "$1" .venv/bin/python -m pytest "${@:2}"; }

run ctest env ${seeds:+"QUADRILLE_SEEDS=$seeds"} ctest --test-dir build --output-on-failure --timeout 600 -j "$(nproc)"
if [ $# -gt 0 ]; then
    tests pytest "$@"
else
    tests pytest -m "not alone and ($slow)" -n "$workers" --dist loadfile
    [ "$with_alone" = off ] || tests pytest-alone -m "alone and ($slow)"
fi

echo
echo "ctest: $(grep -E 'tests passed|No tests were found' $logs/ctest.log | tail -n 1)"
for log in $logs/pytest*.log; do
    echo "$(basename "$log" .log): $(tail -n 1 "$log")"
done
exit $status

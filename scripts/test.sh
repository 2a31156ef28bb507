#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs every test but those marked slow: native units first, because what fails there explains what fails later. All runners run; the
# last lines are their own closing lines.
set -uo pipefail
cd "$(dirname "$0")/.."
mkdir -p build/test-logs
status=0

ctest --test-dir build --output-on-failure --timeout 300 -j "$(nproc)" 2>&1 | tee build/test-logs/ctest.log || status=1
.venv/bin/python -m pytest "$@" 2>&1 | tee build/test-logs/pytest.log || status=1

echo
echo "ctest: $(grep -E 'tests passed|No tests were found' build/test-logs/ctest.log | tail -n 1)"
echo "pytest: $(tail -n 1 build/test-logs/pytest.log)"
exit $status

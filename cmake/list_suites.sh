#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# list_suites.sh PROGRAM PREFIX FILE: writes lines for ctest of each suite of a GoogleTest program (cmake/suites.cmake): one, or
# four parts of a suite of more than thirty cases, so that the processors share it.
set -euo pipefail
program=$1 prefix=$2 file=$3

"$program" --gtest_list_tests | awk -v program="$program" -v prefix="$prefix" '
    function add(name, environment) {
        printf "add_test(\"%s.%s\" \"%s\" \"--gtest_filter=%s.*\")\n", prefix, name, program, suite
        if (environment != "") printf "set_tests_properties(\"%s.%s\" PROPERTIES ENVIRONMENT \"%s\")\n", prefix, name, environment
    }
    function write_suite(part) {
        if (suite == "" || cases == 0) return
        if (cases <= 30) { add(suite, ""); return }
        for (part = 1; part <= 4; part++)
            add(suite ":" part "of4", "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=" part - 1)
    }
    /^[^ ]+\.( |$)/ { write_suite(); suite = substr($1, 1, length($1) - 1); cases = 0; next }
    /^  / { cases++ }
    END { write_suite() }' >"$file.written"
mv "$file.written" "$file"

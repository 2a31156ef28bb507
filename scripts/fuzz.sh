#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Fuzzes all that parses what comes from the network, with libFuzzer under AddressSanitizer and
# UndefinedBehaviorSanitizer. What a target has learned stays in build-fuzz/corpus.
#   fuzz.sh [SECONDS [TARGET...]]       (60 s each of packet, endpoint, group and stream unless named)
# Needs `make build`, and clang: apt-get install --no-install-recommends clang-14 libclang-rt-14-dev (or another version).
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
targets=("${@:2}")
[ ${#targets[@]} -gt 0 ] || targets=(packet endpoint group stream)

clang=$(compgen -c clang++ | grep -E '^clang\+\+(-[0-9]+)?$' | sort -V | tail -1 || true)
if [ -z "$clang" ]; then
    echo "fuzz.sh: there is no clang++; install clang-14 and libclang-rt-14-dev" >&2
    exit 1
fi
mapfile -t sources < <(ls src/wire/*.cpp src/wire/flow/*.cpp src/wire/engine/*.cpp src/wire/budget/*.cpp src/wire/groups/*.cpp src/wire/seal/*.cpp src/wire/links/*.cpp src/base/monotonic_clock.cpp | grep -vE '(_test|_benchmark|/open_link)\.cpp$')

for target in "${targets[@]}"; do
    main=src/wire/fuzz/${target}_fuzz.cpp
    [ -e "$main" ] || main=src/wire/${target}_fuzz_test.cpp
    mkdir -p "build-fuzz/corpus/$target"
    "$clang" -std=c++20 -g -O1 -DQUADRILLE_FUZZ -Isrc -isystem .libaegis/0.3.1/include -fsanitize=fuzzer,address,undefined \
        -fno-sanitize-recover=undefined "${sources[@]}" "$main" build/libquadrille_aegis.a -lsodium -lpthread -o "build-fuzz/$target"
    echo "== $target"
    "build-fuzz/$target" -max_total_time="$seconds" -max_len=2000 -verbosity=0 -print_final_stats=1 \
        -artifact_prefix="build-fuzz/$target-" "build-fuzz/corpus/$target"
done

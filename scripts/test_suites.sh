#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# test_suites.sh DIR [options]: runs the test suites of others that DIR holds in a lab, without Quadrille and with it under
# several settings, and prints what passes and fails. Fetches nothing; docs/suites.md says what DIR holds. Exit code 1 when a test
# passes without and fails with Quadrille. `--help` lists the options.
set -euo pipefail
here=$(pwd)
cd "$(dirname "$0")/.."
case ${1:-} in
"") echo "usage: test_suites.sh DIR [options]" >&2; exit 2 ;;
-*) ;;
/*) ;;
*) set -- "$here/$1" "${@:2}" ;;
esac
exec .venv/bin/python -m quadrille.suites "$@"

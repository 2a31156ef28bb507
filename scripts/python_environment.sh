#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# python_environment.sh FOLDER STAMP PIP-ARGUMENT...: makes a virtual environment in FOLDER out of the system's
# Python and installs into it; STAMP says that it is complete. A half-made environment is made anew.
set -euo pipefail
folder=$1 stamp=$2
shift 2

/usr/bin/python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "make: /usr/bin/python3 is older than 3.11; use Debian 12, Ubuntu 24.04 or later" >&2
    exit 1
}
if [ ! -x "$folder/bin/pip" ] || ! "$folder/bin/python" -c '' 2>/dev/null; then
    rm -rf "$folder"
    /usr/bin/python3 -m venv "$folder"
fi
rm -f "$stamp"
echo "make: installing into $folder: $*" >&2
PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore "$folder/bin/python" -m pip install -q --retries 5 "$@"
touch "$stamp"

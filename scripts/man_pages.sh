#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# man_pages.sh QUADRILLE FOLDER: writes a page for the command QUADRILLE and one for each of its verbs into FOLDER, out of
# what they say with --help. Says so and writes none where help2man is missing.
set -euo pipefail
quadrille=$1 folder=$2
command -v help2man >/dev/null || {
    echo "make: no man pages, as help2man is not installed" >&2
    exit 0
}
export TYPER_USE_RICH=0  # plain text
version=$("$quadrille" --version | cut -d' ' -f2)
mkdir -p "$folder"

page() { # NAME SUMMARY WORDS...
    local name=$1 summary=$2
    help2man --no-info --no-discard-stderr --version-string="$version" --name="$summary" "${*:3}" |
        sed -e "s/^\.TH .* \"1\"/.TH ${name^^} \"1\"/" -e 's/^quadrille \([a-z-]*\) \\- /quadrille-\1 \\- /' >"$folder/$name.1"
}

page quadrille "unmodified MPI programs at the speed of the wire on Ethernet clusters" "$quadrille"
"$quadrille" --help | sed -n '/^Commands:/,$p' | grep -oE '^  [a-z][a-z-]+' | while read -r verb; do
    # The first paragraph behind the usage.
    summary=$("$quadrille" "$verb" --help | awk '!NF { n++ } NF && n == 1 { $1 = $1; printf "%s%s", space, $0; space = " " }')
    page "quadrille-$verb" "${summary%.}" "$quadrille" "$verb"
done

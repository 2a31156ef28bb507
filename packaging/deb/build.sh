#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# build.sh: makes dist/quadrille_VERSION-1_amd64.deb of what stage.sh lays out, and has lintian look at it.
# Who builds it is its maintainer: DEBFULLNAME and DEBEMAIL, as with all of Debian's tools.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source=$work/quadrille-$version

maintainer="${DEBFULLNAME:-Quadrille} <${DEBEMAIL:-quadrille@localhost}>"

bash packaging/stage.sh "$source/stage"
cp -r packaging/deb/debian CHANGELOG.md "$source"
sed -i "s/@MAINTAINER@/$maintainer/" "$source/debian/control"
cat >"$source/debian/changelog" <<END
quadrille ($version-1) unstable; urgency=medium

  * Version $version; what changed is in /usr/share/doc/quadrille/changelog.gz.

 -- $maintainer  $(date -R -d "@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}")
END
(cd "$source" && dpkg-buildpackage -b -us -uc >"$work/log" 2>&1) || {
    tail -40 "$work/log" >&2
    exit 1
}
package=quadrille_$version-1_amd64.deb
lintian --allow-root --fail-on error,warning "$work/$package"
install -m 644 "$work/$package" dist
echo "make: built dist/$package"

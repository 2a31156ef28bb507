#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# build.sh ARCHITECTURE: makes dist/quadrille-VERSION-py3-none-manylinux_X_Y_ARCHITECTURE.whl for x86_64 or aarch64. Whatever the
# machine, what is compiled needs no more than glibc 2.28: Zig's compiler (PyPI) brings that one's symbols, and libc++,
# which is linked in as libsodium is. It sees no header or library of the machine but those that `system` copies.
set -euo pipefail
cd "$(dirname "$0")/../.."
architecture=${1:-x86_64}
case "$architecture" in
x86_64 | aarch64) ;;
*)
    echo "make: no wheel for '$architecture'; x86_64 and aarch64 are known" >&2
    exit 2
    ;;
esac
here=packaging/wheel
tools=.wheel/tools
export WHEEL_ROOT=$PWD/.wheel/$architecture WHEEL_ARCHITECTURE=$architecture
system=$WHEEL_ROOT/system/usr
sodium=$WHEEL_ROOT/sodium
target=$architecture-linux-gnu

compiler() {
    local zig
    [ -e $tools/.complete ] && [ ! $here/tools.txt -nt $tools/.complete ] ||
        bash scripts/python_environment.sh $tools $tools/.complete -r $here/tools.txt
    zig=$(echo $tools/lib/python3*/site-packages/ziglang/zig)
    mkdir -p "$WHEEL_ROOT/bin"
    for command in cc c++; do
        printf '#!/bin/sh\nexec %s %s -target %s.2.28 "$@"\n' "$PWD/$zig" $command "$target" >"$WHEEL_ROOT/bin/$command"
    done
    for command in ar ranlib; do
        printf '#!/bin/sh\nexec %s %s "$@"\n' "$PWD/$zig" $command >"$WHEEL_ROOT/bin/$command"
    done
    chmod +x "$WHEEL_ROOT"/bin/*
}

libsodium() {
    [ ! -e "$sodium/lib/libsodium.a" ] || return 0
    local work
    work=$(mktemp -d)
    echo "make: building libsodium for $target" >&2
    $tools/bin/python -m pip download -q --disable-pip-version-check --retries 5 --no-deps --no-build-isolation \
        --no-binary :all: --require-hashes -d "$work" -r $here/sodium.txt
    tar -xzf "$work"/pynacl-*.tar.gz -C "$work" --strip-components 1
    (
        cd "$work/src/libsodium"
        CC=$WHEEL_ROOT/bin/cc AR=$WHEEL_ROOT/bin/ar RANLIB=$WHEEL_ROOT/bin/ranlib ./configure -q --host="$target" \
            --prefix="$sodium" --disable-shared --with-pic --disable-dependency-tracking
        make -s -j"$(nproc)" install
        install -m 644 LICENSE "$sodium"
    ) >"$WHEEL_ROOT/sodium.log" 2>&1 || {
        tail -20 "$WHEEL_ROOT/sodium.log" >&2
        exit 1
    }
    rm -rf "$work"
}

# A library of SONAME that exports those of SOURCE's names that match.
stub() { # SOURCE SONAME NAMES FILE
    $tools/bin/python $here/stub_library.py "$1" "$3" >"$WHEEL_ROOT/stub.c"
    mkdir -p "$(dirname "$4")"
    "$WHEEL_ROOT/bin/cc" -w -shared -fPIC -Wl,-soname,"$2" -o "$4" "$WHEEL_ROOT/stub.c"
}

# Headers that are the same everywhere, and what programs are linked to.
system() {
    local here_target
    [ ! -e "$WHEEL_ROOT/system/.complete" ] || return 0
    here_target=$(gcc -dumpmachine)
    rm -rf "$WHEEL_ROOT/system"
    mkdir -p "$system/include" "$system/share/cmake" "$system/lib/$target/openmpi" "$WHEEL_ROOT/system/mpi/mpich"
    cp -r /usr/include/nlohmann /usr/include/CLI /usr/include/rdma "$sodium"/include/* "$system/include"
    cp -r /usr/share/cmake/nlohmann_json /usr/share/cmake/CLI11 "$system/share/cmake"
    cp "$sodium/lib/libsodium.a" "$system/lib/$target"
    cp -r "/usr/lib/$here_target/openmpi/include" "$system/lib/$target/openmpi"
    cp -r .mpi/mpich/include "$WHEEL_ROOT/system/mpi/mpich"
    stub "/usr/lib/$here_target/openmpi/lib/libmpi.so" libmpi.so.40 'P?MPI|ompi_' "$system/lib/$target/openmpi/lib/libmpi.so"
    stub .mpi/mpich/lib/libmpi.so.12 libmpi.so.12 'P?MPI' "$WHEEL_ROOT/system/mpi/mpich/lib/libmpi.so.12"
    stub .mpi/mpich/lib/libmpi_abi.so.1 libmpi_abi.so.1 'P?MPI' "$WHEEL_ROOT/system/mpi/mpich/lib/libmpi_abi.so.1"
    stub "/usr/lib/$here_target/libfabric.so.1" libfabric.so.1 'fi_' "$system/lib/$target/libfabric.so.1"
    touch "$WHEEL_ROOT/system/.complete"
}

native() {
    cmake -S . -B "$WHEEL_ROOT/build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_TOOLCHAIN_FILE="$PWD/$here/zig.cmake" \
        -DQUADRILLE_MPI_DIR="$WHEEL_ROOT/system/mpi" -DQUADRILLE_TESTS=OFF >"$WHEEL_ROOT/configure.log" || {
        cat "$WHEEL_ROOT/configure.log" >&2
        exit 1
    }
    cmake --build "$WHEEL_ROOT/build" --target quadrille-programs
}

# All that pages need of plotly, a package of 60 MB.
plotly_js() { # COPY
    .venv/bin/python -c 'from plotly.offline import get_plotlyjs; print(get_plotlyjs(), end="")' | gzip -9n >"$1/python/quadrille/report/plotly.min.js.gz"
    cp .venv/lib/python3*/site-packages/plotly-*.dist-info/licenses/LICENSE* "$1/LICENSE.plotly"
    sed -i '/^  "plotly>/d' "$1/pyproject.toml"
}

# Setuptools makes a wheel for any machine; auditwheel looks what it needs, and says so in its name.
wheel() {
    local copy=$WHEEL_ROOT/package
    rm -rf "$copy"
    mkdir -p "$copy"
    cp -r pyproject.toml README.md LICENSE python "$copy"
    find "$copy" \( -name __pycache__ -o -name '*.egg-info' -o -name 'test_*.py' \) -prune -exec rm -rf {} +
    bash scripts/install_native.sh "$WHEEL_ROOT/build" "$copy/python/quadrille/native"
    cp .libaegis/*/LICENSE "$copy/LICENSE.libaegis"
    cp "$sodium/LICENSE" "$copy/LICENSE.libsodium"
    plotly_js "$copy"
    cp /usr/share/doc/nlohmann-json3-dev/copyright "$copy/LICENSE.nlohmann-json"
    cp /usr/share/doc/libcli11-dev/copyright "$copy/LICENSE.CLI11"
    bash scripts/man_pages.sh .venv/bin/quadrille "$copy/man"
    [ ! -d "$copy/man" ] || printf '\n[tool.setuptools.data-files]\n"share/man/man1" = ["man/*.1"]\n' >>"$copy/pyproject.toml"
    rm -rf "$WHEEL_ROOT/dist"
    $tools/bin/python -m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation -w "$WHEEL_ROOT/dist" "$copy"
    # Whichever MPI library and libfabric the process has.
    PATH=$PWD/$tools/bin:$PATH $tools/bin/python -m auditwheel repair --only-plat --plat auto \
        --exclude 'libmpi*' --exclude libfabric.so.1 --exclude libquadrille.so -w dist "$WHEEL_ROOT"/dist/*.whl
}

compiler
libsodium
system
native
wheel

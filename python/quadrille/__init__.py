# SPDX-License-Identifier: BSD-3-Clause
"""Quadrille: unmodified MPI programs at the speed of the wire on Ethernet clusters."""

__version__ = "0.1.0"


def preload_path() -> str:
    """Return the absolute path of the library to preload, for launchers that `quadrille run` does not know.

    Raises QuadrilleError where this installation has none.
    """
    from quadrille.installation import native_directory

    return str(native_directory() / "libquadrille.so")

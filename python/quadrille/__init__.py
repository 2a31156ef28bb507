# SPDX-License-Identifier: BSD-3-Clause
"""Quadrille: unmodified MPI programs at the speed of the wire on Ethernet clusters."""

__version__ = "0.1.0"

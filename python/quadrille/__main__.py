# SPDX-License-Identifier: BSD-3-Clause
"""`python -m quadrille` is the command."""

from quadrille.cli import main

main()

# SPDX-License-Identifier: BSD-3-Clause
"""Test suites of others, run in a lab without Quadrille and with it, see docs/suites.md."""

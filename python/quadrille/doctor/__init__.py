# SPDX-License-Identifier: BSD-3-Clause
"""Turns what was measured and what the hosts say of themselves into findings with cause and remedy."""

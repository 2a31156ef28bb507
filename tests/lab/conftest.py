# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures of all tests on emulated networks."""

from __future__ import annotations

from taken_away import timing

__all__ = ["timing"]

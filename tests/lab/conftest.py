# SPDX-License-Identifier: BSD-3-Clause
"""Tests with the mark `timing` are skipped where they fail and the machine was taken away meanwhile."""

from __future__ import annotations

from taken_away import pytest_runtest_call

__all__ = ["pytest_runtest_call"]

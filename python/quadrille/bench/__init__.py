# SPDX-License-Identifier: BSD-3-Clause
"""Benchmark cases, their launch and their results."""

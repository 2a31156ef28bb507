# SPDX-License-Identifier: BSD-3-Clause
"""Starts the native prober and takes what it says."""

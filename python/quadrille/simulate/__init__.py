# SPDX-License-Identifier: BSD-3-Clause
"""Collectives on simulated clusters: the engine that runs in real jobs, in virtual time."""

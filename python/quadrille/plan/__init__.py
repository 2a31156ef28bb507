# SPDX-License-Identifier: BSD-3-Clause
"""Plans explained: what the planner chooses for a call on a network, why, and what it looks like."""

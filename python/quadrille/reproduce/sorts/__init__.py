# SPDX-License-Identifier: BSD-3-Clause
"""What the experiments of UMBC's study share: its tables, and how a sort's exchanges are timed and shown."""

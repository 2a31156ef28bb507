# SPDX-License-Identifier: BSD-3-Clause
"""Ready-made topologies: functions with keyword parameters that return the contents of a lab file."""

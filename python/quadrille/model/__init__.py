# SPDX-License-Identifier: BSD-3-Clause
"""The network model: its file's contract, and what people see of it."""

# SPDX-License-Identifier: BSD-3-Clause
"""The command line verbs: one module a verb, each with a `register(app)` that the CLI calls."""

# SPDX-License-Identifier: BSD-3-Clause
"""One self-contained HTML page out of results files."""

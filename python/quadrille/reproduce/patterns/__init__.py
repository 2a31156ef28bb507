# SPDX-License-Identifier: BSD-3-Clause
"""Communication patterns of the literature side by side on one network: what several experiments share."""

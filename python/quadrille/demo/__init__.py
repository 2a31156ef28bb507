# SPDX-License-Identifier: BSD-3-Clause
"""The demonstration: an unmodified program on an emulated cluster, without and with Quadrille."""

# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille reproduce`: published experiments, repeated on an emulated or a real cluster."""

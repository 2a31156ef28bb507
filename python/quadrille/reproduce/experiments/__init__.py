# SPDX-License-Identifier: BSD-3-Clause
"""One module or package per experiment; its `EXPERIMENT` is a `quadrille.reproduce.experiment.Experiment`."""

# SPDX-License-Identifier: BSD-3-Clause
"""Finds experiments: each module of `experiments` holds one; its name with dashes is the experiment's id."""

from __future__ import annotations

import importlib
import pkgutil

from quadrille.errors import UsageError
from quadrille.reproduce import experiments
from quadrille.reproduce.experiment import Experiment


def experiment_ids() -> list[str]:
    """Return all ids in the order of the alphabet."""
    return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(experiments.__path__))


def find_experiment(wanted: str) -> Experiment:
    """Return the experiment with id `wanted`. Raises UsageError that lists the known ones."""
    known = experiment_ids()
    if wanted not in known:
        raise UsageError(f"{wanted}: no such experiment; choose one of {', '.join(known)}")
    module = importlib.import_module(f"{experiments.__name__}.{wanted.replace('-', '_')}")
    found: Experiment = module.EXPERIMENT
    return found

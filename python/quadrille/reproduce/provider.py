# SPDX-License-Identifier: BSD-3-Clause
"""Jobs whose MPI library sends everything over Quadrille's libfabric provider; nothing else is changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quadrille import settings
from quadrille.fabric.variables import fabric_variables
from quadrille.launchers import detect_launcher


def provider_variables(line: Sequence[str], also: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return what the ranks of launcher line `line` are given; collectives stay the MPI library's.

    Raises QuadrilleError where the provider is not built.
    """
    options = {"QUADRILLE_FABRIC": "on", "QUADRILLE_COLLECTIVES": "off", **(also or {})}
    job = settings.job_environment(options)
    return {**job, **fabric_variables(job, detect_launcher(list(line)).mpi)}

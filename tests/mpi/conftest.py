# SPDX-License-Identifier: BSD-3-Clause
"""The MPI libraries as fixtures."""

from __future__ import annotations

import pytest
from mpi_jobs import Mpi, mpi_named


@pytest.fixture(params=["ompi4", "ompi5", "mpich"])
def mpi(request: pytest.FixtureRequest) -> Mpi:
    """Each MPI library in turn."""
    return mpi_named(str(request.param))


@pytest.fixture
def ompi4() -> Mpi:
    """Debian's Open MPI, for what does not depend on the MPI library."""
    return mpi_named("ompi4")

# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille-soak` with a real launcher, over the provider: contents verified, all ranks' memory told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from test_solver import line_of

from quadrille.installation import native_directory
from quadrille.reproduce.catalogue import find_experiment
from quadrille.reproduce.workbench import Workbench

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(60)]


def test_jobs_follow_each_other_without_an_error(tmp_path: Path) -> None:
    if not (native_directory() / "libquadrille-fi.so").exists():
        pytest.skip("the provider is not built: libfabric's headers are not installed")
    data: dict[str, Any] = {}
    experiment = find_experiment("gamma-soak")
    bench = Workbench(True, line_of(3), tmp_path, lambda: None, duration_s=2)
    experiment.measure(bench, data)
    assert len(data["jobs"]) == 2
    for job in data["jobs"]:
        assert job["exit_code"] == 0, job["output"]
        last = job["samples"][-1]
        assert len(last["calls"]) == 3 and min(last["calls"]) > 50 and sum(last["wrong"]) == 0
        assert min(last["resident_kib"]) > 1000 and min(last["sockets"]) > 0 and min(last["threads"]) > 1
    assert experiment.judge(data)[0].seen is True

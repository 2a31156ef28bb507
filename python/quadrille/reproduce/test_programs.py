# SPDX-License-Identifier: BSD-3-Clause
"""What rank 0 reads and writes lies where its host sees it, which need not be ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from quadrille.probe.recorded_job import recorded_job, recorded_lines
from quadrille.reproduce.programs import model_file, probe

_WRITE_SAMPLES = """
while [ $# -gt 0 ]; do
  [ "$1" = --samples ] && echo '{"hosts": [], "pairs": []}' > "$2"
  shift
done
"""


def test_round_trips_and_models_are_exchanged_in_the_shared_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared, job = tmp_path / "shared", recorded_job(tmp_path, recorded_lines(), _WRITE_SAMPLES)
    shared.mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QUADRILLE_NATIVE_DIR", str(job.native_directory))
    found = probe([str(job.launcher)], seed=1, shared=Path("shared"))
    assert found.samples == {"hosts": [], "pairs": []} and len(found.model["hosts"]) == 4
    arguments = job.arguments()
    assert arguments[arguments.index("--samples") + 1].startswith(f"{shared}/")
    with model_file(found.model, Path("shared")) as path:
        assert path.startswith(f"{shared}/") and Path(path).is_file()
    assert list(shared.iterdir()) == []

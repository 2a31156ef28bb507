# SPDX-License-Identifier: BSD-3-Clause
"""What `--fabric on` sets for each MPI library, and when it is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quadrille.errors import QuadrilleError
from quadrille.fabric.variables import check_mpi, fabric_variables, what_is_missing
from quadrille.launchers import Launcher, Mpi

ON = {"QUADRILLE_FABRIC": "on"}


@pytest.fixture(autouse=True)
def native_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    directory = tmp_path / "native"
    directory.mkdir()
    (directory / "libquadrille.so").touch()
    (directory / "libquadrille-fi.so").touch()
    monkeypatch.setenv("QUADRILLE_NATIVE_DIR", str(directory))
    return directory


def launcher(mpi: Mpi, version: str, path: Path | None = None) -> Launcher:
    return Launcher(("mpirun",), 0, mpi, version, path)


def test_each_mpi_gets_its_own_variables_and_an_unknown_one_all(native_directory: Path) -> None:
    for mpi in ("ompi", "mpich", "impi", "srun"):
        variables = fabric_variables(ON, mpi)
        assert variables["FI_PROVIDER"] == "quadrille"
        assert variables["FI_PROVIDER_PATH"] == str(native_directory)
        assert ("OMPI_MCA_pml" in variables) == (mpi in ("ompi", "srun"))
        assert ("MPIR_CVAR_CH4_NETMOD" in variables) == (mpi in ("mpich", "srun"))


def test_nothing_is_set_where_nobody_asks() -> None:
    assert fabric_variables({}, "ompi") == {}
    assert fabric_variables({"QUADRILLE_FABRIC": "off"}, "ompi") == {}


def test_collectives_keep_their_own_datagrams() -> None:
    assert "QUADRILLE_WIRE" not in fabric_variables(ON, "ompi")


def test_versions_of_builds_from_a_clone_are_read_as_far_as_they_tell() -> None:
    assert "Open MPI v5.0.x-2026" in (what_is_missing(launcher("ompi", "v5.0.x-2026")) or "")
    assert what_is_missing(launcher("ompi", "gitclone")) is None


def test_a_model_that_is_set_to_nothing_is_none() -> None:
    assert "QUADRILLE_FABRIC_BURST" not in fabric_variables({**ON, "QUADRILLE_MODEL": ""}, "ompi")


def test_the_smallest_burst_of_the_model_counts(tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    job = {**ON, "QUADRILLE_MODEL": str(model)}
    known = [{"safe_burst_bytes": {"value": 40_000}}, {"safe_burst_all_ports_bytes": {"value": 24_000.0}}]
    model.write_text(json.dumps({"segments": known}))
    assert fabric_variables(job, "ompi")["QUADRILLE_FABRIC_BURST"] == "24000"
    assert "QUADRILLE_FABRIC_BURST" not in fabric_variables({**job, "QUADRILLE_FABRIC_BURST": "1"}, "ompi")
    model.write_text(json.dumps({"segments": [*known, {}]}))
    assert "QUADRILLE_FABRIC_BURST" not in fabric_variables(job, "ompi"), "one segment's is not known"
    model.write_text(json.dumps({"segments": [{"lossless": True}]}))
    assert int(fabric_variables(job, "ompi")["QUADRILLE_FABRIC_BURST"]) > 200_000


def test_a_missing_provider_is_refused(native_directory: Path) -> None:
    (native_directory / "libquadrille-fi.so").unlink()
    with pytest.raises(QuadrilleError, match="libfabric-dev"):
        fabric_variables(ON, "ompi")


def test_an_mpi_library_without_libfabric_is_refused(tmp_path: Path) -> None:
    library = tmp_path / "lib" / "libmpi.so.12"
    library.parent.mkdir()
    library.write_bytes(b"MPIDI_UCX_init OFI fi_getinfo() failed")
    found = launcher("mpich", "5.0.2", tmp_path / "bin" / "mpiexec")
    with pytest.raises(QuadrilleError, match="built without libfabric"):
        check_mpi(found)
    library.write_bytes(b"..MPIDI_OFI_init_local..")
    check_mpi(found)


def test_open_mpi_5_and_intel_mpi_lack_one_sided_operations() -> None:
    assert what_is_missing(launcher("ompi", "4.1.4")) is None
    assert what_is_missing(launcher("mpich", "5.0.2")) is None
    assert "one-sided" in (what_is_missing(launcher("ompi", "5.0.11")) or "")
    assert "one-sided" in (what_is_missing(launcher("impi", "2021.18")) or "")

# SPDX-License-Identifier: BSD-3-Clause
"""Which words of a line, a file and the environment keep `--fabric on` from being used, and which do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from quadrille.fabric.other_transport import chosen_by_user, other_transports
from quadrille.launchers import Launcher, Mpi


def words(
    mpi: Mpi, line: list[str], home: Path, environment: dict[str, str] | None = None, position: int = 0
) -> list[str]:
    launcher = Launcher(tuple(line), position, mpi, "", home / "prefix" / "bin" / "mpirun")
    return [choice.word for choice in other_transports(launcher, {"HOME": str(home), **(environment or {})})]


@pytest.mark.parametrize(
    ("mpi", "options", "named"),
    [
        ("ompi", "--mca pml ob1", "--mca pml ob1"),
        ("ompi", "-mca mtl ^ofi", "-mca mtl ^ofi"),
        ("ompi", "--gmca pml ^cm", "--gmca pml ^cm"),
        ("ompi", "--mca mtl_ofi_provider_include tcp,efa", "--mca mtl_ofi_provider_include tcp,efa"),
        ("ompi", "--mca mtl_ofi_provider_exclude quadrille", "--mca mtl_ofi_provider_exclude quadrille"),
        ("ompi", "-x OMPI_MCA_pml=ob1", "-x OMPI_MCA_pml=ob1"),
        ("ompi", "-x FI_PROVIDER=tcp", "-x FI_PROVIDER=tcp"),
        ("mpich", "-genv MPIR_CVAR_CH4_NETMOD ucx", "-genv MPIR_CVAR_CH4_NETMOD ucx"),
        ("mpich", "-env FI_PROVIDER=tcp", "-env FI_PROVIDER=tcp"),
        ("mpich", "-genv FI_PROVIDER_PATH /nowhere", "-genv FI_PROVIDER_PATH /nowhere"),
        ("impi", "-genv I_MPI_OFI_PROVIDER tcp", "-genv I_MPI_OFI_PROVIDER tcp"),
        ("impi", "-env I_MPI_FABRICS shm", "-env I_MPI_FABRICS shm"),
        ("srun", "--export=ALL,OMPI_MCA_pml=ob1", "--export OMPI_MCA_pml=ob1"),
    ],
)
def test_a_word_of_the_line_that_wins_is_named(mpi: Mpi, options: str, named: str, tmp_path: Path) -> None:
    assert words(mpi, ["mpirun", *options.split(), "-n", "2", "true"], tmp_path) == [named]


@pytest.mark.parametrize(
    ("mpi", "options"),
    [
        ("ompi", "--mca pml cm --mca mtl ofi --mca btl tcp,self --mca btl_tcp_if_include eth0"),
        ("ompi", "--mca pml ^ob1,ucx --mca mtl_ofi_provider_include quadrille -x FI_PROVIDER"),
        ("ompi", "-n 2 true --mca pml ob1"),
        ("mpich", "-genv MPIR_CVAR_CH4_NETMOD ofi -genv FI_PROVIDER quadrille -genv UCX_NET_DEVICES eth0"),
        ("impi", "-genv I_MPI_FABRICS shm:ofi -genv I_MPI_PIN 0"),
        ("srun", "--export=ALL -n 2"),
    ],
)
def test_what_leaves_the_provider_its_place_is_no_conflict(mpi: Mpi, options: str, tmp_path: Path) -> None:
    assert words(mpi, ["mpirun", *options.split(), "true"], tmp_path) == []


def test_each_program_of_a_line_counts(tmp_path: Path) -> None:
    line = ["mpirun", "-n", "1", "true", ":", "--mca", "pml", "ob1", "-n", "1", "true"]
    assert words("ompi", line, tmp_path) == ["--mca pml ob1"]


def test_the_environment_and_words_in_front_of_the_launcher_count(tmp_path: Path) -> None:
    chosen = {"I_MPI_OFI_PROVIDER": "tcp", "OMPI_MCA_pml": "ob1", "FI_PROVIDER_PATH": "/opt/prov"}
    assert words("impi", ["mpirun"], tmp_path, chosen) == ["I_MPI_OFI_PROVIDER=tcp in the environment"]
    line = ["env", "I_MPI_FABRICS=shm", "FI_PROVIDER_PATH=/opt/prov", "mpirun", "true"]
    assert words("impi", line, tmp_path, position=3) == ["I_MPI_FABRICS=shm"]


def test_what_the_user_has_chosen_and_fits_stays() -> None:
    launcher = Launcher(("mpirun",), 0, "impi", "", None)
    environment = {"I_MPI_FABRICS": "ofi", "OMPI_MCA_pml": "cm", "FI_PROVIDER_PATH": "/opt"}
    assert chosen_by_user(launcher, environment) == {"I_MPI_FABRICS"}


def test_of_open_mpis_files_only_what_wins_over_the_environment_counts(tmp_path: Path) -> None:
    (tmp_path / ".openmpi").mkdir()
    own = tmp_path / ".openmpi" / "mca-params.conf"
    own.write_text("# mine\npml = ob1\nmtl = ^ofi\n")
    assert words("ompi", ["mpirun"], tmp_path) == []
    own.write_text("mtl_ofi_provider_include = tcp\n")
    assert words("ompi", ["mpirun"], tmp_path) == [f"mtl_ofi_provider_include = tcp in {own}"]
    own.unlink()
    override = tmp_path / "prefix" / "etc" / "openmpi-mca-params-override.conf"
    override.parent.mkdir(parents=True)
    override.write_text('pml = "ob1"\n')
    assert words("ompi", ["mpirun"], tmp_path) == [f'pml = "ob1" in {override}']


def test_files_that_the_line_names_are_read(tmp_path: Path) -> None:
    tune = tmp_path / "tune"
    tune.write_text("-x A=b --mca pml ob1\n")
    assert words("ompi", ["mpirun", "--tune", str(tune), "true"], tmp_path) == [f"--mca pml ob1 in {tune}"]
    contexts = tmp_path / "contexts"
    contexts.write_text("# two\n-n 1 true\n-n 1 -x FI_PROVIDER=tcp true\n")
    line = ["mpirun", "--app", str(contexts)]
    assert words("ompi", line, tmp_path) == [f"-x FI_PROVIDER=tcp in {contexts}"]


def test_hydra_reads_the_first_of_its_files(tmp_path: Path) -> None:
    own = tmp_path / ".mpiexec.hydra.conf"
    own.write_text("-genv MPIR_CVAR_CH4_NETMOD ucx\n")
    assert words("mpich", ["mpiexec"], tmp_path) == [f"-genv MPIR_CVAR_CH4_NETMOD ucx in {own}"]
    own.write_text("-genv FI_PROVIDER tcp\n")
    assert words("mpich", ["mpiexec"], tmp_path) == [f"-genv FI_PROVIDER tcp in {own}"]
    assert words("impi", ["mpiexec"], tmp_path) == []
    other = tmp_path / "other"
    other.write_text("-genv A b\n")
    assert words("mpich", ["mpiexec"], tmp_path, {"HYDRA_CONFIG_FILE": str(other)}) == []

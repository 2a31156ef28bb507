# SPDX-License-Identifier: BSD-3-Clause
"""Quadrille out of the wheel that `make wheel` has left in the dist folder of this clone."""

from pathlib import Path

from spack.package import Executable, depends_on, license, requires, version
from spack_repo.builtin.build_systems.python import PythonPackage


class Quadrille(PythonPackage):
    """Unmodified MPI programs at the speed of the wire on Ethernet clusters."""

    # What is compiled in it is for every MPI library and libfabric, which are those of the job.
    url = f"file://{Path(__file__).parents[6]}/dist/quadrille-0.1.0-py3-none-manylinux_2_27_x86_64.whl"

    license("BSD-3-Clause")

    # Of a wheel that each clone builds there is no checksum: spack install --no-checksum.
    version("0.1.0", expand=False)

    depends_on("python@3.11:", type=("build", "run"))
    depends_on("py-typer@0.12:", type=("build", "run"))
    depends_on("py-rich@13:", type=("build", "run"))
    depends_on("py-pydantic@2.7:", type=("build", "run"))
    depends_on("py-pyroute2@0.8:", type=("build", "run"))
    depends_on("py-pyelftools@0.31:", type=("build", "run"))
    requires("platform=linux target=x86_64:")

    def test_version(self):
        """The command starts."""
        Executable(self.prefix.bin.quadrille)("--version")

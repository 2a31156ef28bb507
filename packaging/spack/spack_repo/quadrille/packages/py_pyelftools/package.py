# SPDX-License-Identifier: BSD-3-Clause
"""pyelftools in a version that Spack's own package does not have yet."""

from spack.package import depends_on, license, version
from spack_repo.builtin.build_systems.python import PythonPackage


class PyPyelftools(PythonPackage):
    """A library for reading ELF files and DWARF information."""

    pypi = "pyelftools/pyelftools-0.33.tar.gz"

    license("Unlicense")

    version("0.33", sha256="660d82dcbeb8e83d1702bd97f223f761625da06111c0cc988eac6b8ab0c1b61f")

    depends_on("python@3.6:", type=("build", "run"))
    depends_on("py-setuptools", type="build")

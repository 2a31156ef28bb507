# SPDX-License-Identifier: BSD-3-Clause
"""pyroute2, which Spack's own packages do not have."""

from spack.package import depends_on, license, version
from spack_repo.builtin.build_systems.python import PythonPackage


class PyPyroute2(PythonPackage):
    """A netlink library in Python."""

    pypi = "pyroute2/pyroute2-0.9.7.tar.gz"

    license("GPL-2.0-or-later OR Apache-2.0")

    version("0.9.7", sha256="a678b098478c46ec51d6bf9a03c3cd2ac0172dffa590e9e8c1eeab633d0c17c6")

    depends_on("python@3.9:", type=("build", "run"))
    depends_on("py-setuptools", type="build")
    depends_on("py-wheel", type="build")

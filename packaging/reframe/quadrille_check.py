# SPDX-License-Identifier: BSD-3-Clause
"""ReFrame checks of an installation, for administrators after an upgrade.

    reframe -C SITE -c packaging/reframe/quadrille_check.py -r -S mpi=ompi -S num_tasks=64 -S wire=udp

`quadrille` has to be in PATH (`-m quadrille` where it is a module). Random messages and collectives are
verified on all ranks, by the MPI library's own transport and over `--fabric on`; the job's start line has to
tell the hosts, the wire and the multicast that this cluster had before; calls a second are the performance.
"""

import json

import reframe as rfm
import reframe.core.builtins as of_reframe
import reframe.utility.sanity as sn
from reframe.core.builtins import parameter, run_after, run_before, variable


@rfm.simple_test
class QuadrilleCheck(rfm.RunOnlyRegressionTest):
    """Each call's contents are right, and what carries it is what this cluster has."""

    descr = "Random messages and collectives under quadrille run, verified"
    valid_systems = ["*"]  # noqa: RUF012
    valid_prog_environs = ["*"]  # noqa: RUF012
    num_tasks = 4
    fabric = parameter(["off", "on"])
    mpi = variable(str, value="ompi")  # ompi, mpich or abi: the binary interface of the environment's MPI
    seconds = variable(int, value=20)
    wire = variable(str, value="")  # udp, packet, none...; empty: any
    multicast = variable(str, value="")  # yes, inside, no; empty: any
    hosts = variable(int, value=0)  # 0: any number

    @run_after("init")
    def set_line(self):
        """Find the installation's programs where its command says that its libraries are."""
        self.prerun_cmds = ["native=$(dirname \"$(quadrille env | sed -n 's/^LD_PRELOAD=//p')\")"]
        self.executable = f"$native/quadrille-soak-{self.mpi}"
        self.executable_opts = ["--seconds", str(self.seconds)]
        self.env_vars = {"QUADRILLE_LOG": "start"}

    @run_before("run")
    def set_launcher(self):
        """Put `quadrille run` before the launcher of the partition."""
        self.job.launcher.modifier = "quadrille"
        self.job.launcher.modifier_options = ["run", "--fabric", self.fabric, "--"]

    @of_reframe.sanity_function
    def all_is_right(self):
        """No rank has received wrong contents, and the job was carried as expected."""
        wanted = [f"fabric={self.fabric} "]
        wanted += [f"wire={self.wire} "] if self.wire else []
        wanted += [f"multicast={self.multicast} "] if self.multicast else []
        wanted += [f"hosts={self.hosts} "] if self.hosts else []
        last = self.last_sample()
        return sn.all(
            [
                sn.assert_eq(sum(last["wrong"]), 0, "wrong contents on some rank"),
                sn.assert_gt(min(last["calls"]), 0, "a rank has made no call"),
                *[sn.assert_found(rf"event=start .*{word}", self.stderr) for word in wanted],
            ]
        )

    @of_reframe.performance_function("calls/s")
    def calls_a_second(self):
        """Calls of the slowest rank."""
        last = self.last_sample()
        return min(last["calls"]) / last["seconds"]

    def last_sample(self):
        """Return what all ranks have told at the end; once a second they tell it too."""
        lines = sn.extractall(r'^(\{.*"type":"sample".*\})$', self.stdout, 1)
        return json.loads(sn.evaluate(lines)[-1])

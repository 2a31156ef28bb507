# SPDX-License-Identifier: BSD-3-Clause
"""Launcher lines: how each MPI is started across the hosts of a lab.

A line begins with a script in the lab's run directory that has the launcher's own name (`mpirun`, `mpiexec`)
and runs it on the lab's first host; what follows is what one would type there. Ranks fill the hosts in order.
"""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from quadrille.errors import QuadrilleError, UsageError
from quadrille.installation import mpi_prefix
from quadrille.lab.entrance import write_launcher
from quadrille.lab.host import ADMIN_INTERFACE, FAST_INTERFACE
from quadrille.lab.session_directory import session_directory
from quadrille.lab.state import LabState

MPIS = ("ompi4", "ompi5", "mpich", "impi")


@dataclass(frozen=True)
class Job:
    """What to start: `ranks` of None means all that the topology gives; `per_host` overrides its counts.

    `hosts`: the hosts to use, in the order in which ranks fill them; empty: all, as the topology lists them.
    """

    mpi: str = "ompi4"
    ranks: int | None = None
    per_host: int | None = None
    environment: dict[str, str] = field(default_factory=dict)
    hosts: tuple[str, ...] = ()


def placement(state: LabState, job: Job) -> dict[str, int]:
    """Return how many ranks each host takes, in rank order, hosts without ranks left out.

    Raises UsageError when the lab has too few places.
    """
    topology = state.parsed_topology()
    for name in job.hosts:
        state.host(name)
    names = job.hosts or topology.host_names()
    places = {name: job.per_host or topology.host(name).ranks for name in names}
    room = sum(places.values())
    wanted = room if job.ranks is None else job.ranks
    if wanted < 1 or (job.per_host is not None and job.per_host < 1):
        raise UsageError(f"-n {wanted}: start at least one rank")
    if wanted > room:
        raise UsageError(f"-n {wanted}: lab {state.lab_id} takes {room} ranks; raise --per-host")
    taken: dict[str, int] = {}
    for name, count in places.items():
        taken[name] = min(count, wanted - sum(taken.values()))
    return {name: count for name, count in taken.items() if count > 0}


def launcher_line(directory: Path, state: LabState, job: Job) -> list[str]:
    """Return the launcher line of `job`, to be followed by a program and its arguments.

    Raises UsageError for an unknown MPI, QuadrilleError for one that is not installed.
    """
    if job.mpi not in MPIS:
        raise UsageError(f"--mpi {job.mpi}: choose one of {', '.join(MPIS)}")
    hosts = placement(state, job)
    if job.mpi in ("ompi4", "ompi5"):
        return _open_mpi(directory, state, job, hosts)
    return _hydra(directory, state, job, hosts)


def _start_up_interface(state: LabState) -> str:
    return ADMIN_INTERFACE if state.parsed_topology().admin_network else FAST_INTERFACE


def _program(mpi: str, names: tuple[str, ...]) -> Path:
    if mpi == "ompi4":
        for name in ("mpirun.openmpi", "orterun"):  # mpirun alone may be any MPI's
            found = shutil.which(name)
            if found:
                return Path(found)
        raise QuadrilleError("Open MPI 4 is not installed; install the package openmpi-bin")
    prefix = mpi_prefix(mpi)
    for name in names:
        if prefix is not None and (prefix / "bin" / name).exists():
            return prefix / "bin" / name
    step = "make mpi-impi" if mpi == "impi" else "make build"
    raise QuadrilleError(f"{mpi} is not installed; run `{step}` or point QUADRILLE_MPI_DIR at its parent")


def _open_mpi(directory: Path, state: LabState, job: Job, hosts: dict[str, int]) -> list[str]:
    agent, start_up = str(directory / "agent"), _start_up_interface(state)
    sessions = str(session_directory(directory))
    program = _program(job.mpi, ("mpirun",))
    script = write_launcher(directory / job.mpi / "mpirun", state, program, next(iter(hosts)))
    line = [str(script), "--allow-run-as-root"]
    if job.mpi == "ompi4":
        line += ["--mca", "plm_rsh_agent", agent, "--mca", "oob_tcp_if_include", start_up]
        line += ["--mca", "orte_tmpdir_base", sessions]
    else:
        line += ["--prtemca", "plm_ssh_agent", agent, "--prtemca", "prte_if_include", start_up]
        line += ["--prtemca", "prte_tmpdir_base", sessions]
    slots = ",".join(f"{name}:{count}" for name, count in hosts.items())
    line += ["--host", slots, "-np", str(sum(hosts.values())), "--map-by", "slot:OVERSUBSCRIBE"]
    line += ["--bind-to", "none", "--mca", "btl_tcp_if_include", FAST_INTERFACE]
    line += ["--mca", "mpi_yield_when_idle", "1"]
    for key, value in job.environment.items():
        line += ["-x", f"{key}={value}"]
    return line


def _hydra(directory: Path, state: LabState, job: Job, hosts: dict[str, int]) -> list[str]:
    program = _program(job.mpi, ("mpiexec.hydra", "mpiexec"))
    prefix = program.parent.parent
    settings, defaults = {}, {}
    if job.mpi == "impi":
        library = str(prefix / "lib")
        settings = {"I_MPI_ROOT": str(prefix), "LD_LIBRARY_PATH": library}
        # Words of the line would win over another provider that the caller has chosen.
        defaults = {"FI_PROVIDER_PATH": library, "I_MPI_OFI_PROVIDER": "tcp"}
    script = write_launcher(
        directory / job.mpi / "mpiexec", state, program, next(iter(hosts)), settings, defaults
    )
    line = [str(script), "-launcher", "ssh", "-launcher-exec", str(directory / "agent")]
    line += ["-iface", _start_up_interface(state), "-n", str(sum(hosts.values()))]
    line += _hydra_hosts(directory, job, hosts)
    network = dict.fromkeys(("FI_TCP_IFACE", "FI_SOCKETS_IFACE", "UCX_NET_DEVICES"), FAST_INTERFACE)
    if job.mpi == "mpich":
        line += ["-bind-to", "none"]
    else:
        network |= {"I_MPI_PIN": "0"}
    for key, value in {**network, **job.environment}.items():
        line += ["-genv", key, value]
    return line


def _hydra_hosts(directory: Path, job: Job, hosts: dict[str, int]) -> list[str]:
    if job.mpi == "mpich":
        return ["-hosts", ",".join(f"{name}:{count}" for name, count in hosts.items())]
    # Intel MPI's Hydra takes the core count for the places of a host, unless a machine file says otherwise.
    text = "".join(f"{name}:{count}\n" for name, count in hosts.items())
    path = directory / job.mpi / f"machines-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    path.write_text(text, encoding="ascii")
    return ["-machinefile", str(path)]

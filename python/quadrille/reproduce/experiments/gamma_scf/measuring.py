# SPDX-License-Identifier: BSD-3-Clause
"""Runs pw.x by TCP and over the provider, with ranks that spin and ranks that sleep.

`data["runs"]`: `way`, `waiting` ("spin", "sleep"), `turn`, `ranks`, `wall_s` and `cpu_s` of each rank,
`mpi_s` of each rank in collectives (pw.x hardly calls anything else), `scf_s` by pw.x itself, `energy_ry`,
and of the provider `sent` and `resent` packets.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from quadrille import settings
from quadrille.bench.emulation import emulation_of
from quadrille.demo.child import run_logged
from quadrille.errors import QuadrilleError
from quadrille.installation import native_program
from quadrille.lab.topology import parse_topology
from quadrille.launchers import detect_launcher
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.experiments.gamma_scf.water import input_text, program
from quadrille.reproduce.provider import provider_variables
from quadrille.reproduce.workbench import Workbench
from quadrille.trace.reading import read_trace

TCP, FLOW_ON, FLOW_OFF = "TCP", "provider, flow control on", "provider, flow control off"
WAYS = (TCP, FLOW_ON, FLOW_OFF)
SPIN, SLEEP = "spin", "sleep"
WAITING = (SPIN, SLEEP)

_BUFFER_KIB = 16
_NETWORK: dict[str, Any] = {
    "name": "slow_receivers",
    "switch": [{"name": "s0", "rate_mbit": 100, "buffer_kib": _BUFFER_KIB}],
    "hosts": [{"names": ["h0..h3"], "on": "s0", "to_host_mbit": 70}],
}
"""A host sends at 100 Mbit/s and takes in 70: the paper's took in 706 of 1000 (section 3)."""
_QUICK, _FULL = (1, (SLEEP,), 0.5), (2, WAITING, 1e-6)
"""Turns; how ranks wait; convergence of the energy in Ry."""
_ONLY_NOTED = {"QUADRILLE_COLLECTIVES": "on", "QUADRILLE_WIRE": "off", "QUADRILLE_TRIALS": "0"}
"""All collectives are left to the MPI library: no model, no trials."""
_FLOOD = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_alltoall_algorithm": "1"}
"""Open MPI's linear all-to-all, which sends all blocks at once as MPICH did in 2004."""
_TIMES = re.compile(r"used: wall=([\d.]+) user=([\d.]+) system=([\d.]+)")
_ENERGY = re.compile(r"^!\s+total energy\s+=\s+(-[\d.]+) Ry", re.MULTILINE)
_SCF = re.compile(r"electrons\s+:.*?([\d.]+)s WALL")
_PACKETS = re.compile(r"event=fabric .*?data_sent=(\d+) data_resent=(\d+)")


def measure(bench: Workbench, data: Data) -> None:
    """Measure on four emulated hosts, or with all processes of the given launcher."""
    form = _QUICK if bench.quick else _FULL
    data |= {"truth": None, "runs": []}
    program()
    if bench.launcher is not None:
        _turns(bench, data, bench.launcher, form)
        return
    with bench.lab(parse_topology(_NETWORK, "gamma-scf"), "gamma-scf") as lab:
        data["truth"] = lab.truth()
        _turns(bench, data, lab.launcher("ompi4"), form)


def _turns(
    bench: Workbench, data: Data, line: Sequence[str], form: tuple[int, tuple[str, ...], float]
) -> None:
    turns, all_waiting, convergence = form
    for turn in range(turns):
        for waiting in all_waiting:
            for way in WAYS:
                run = {
                    "way": way,
                    "waiting": waiting,
                    "turn": turn,
                    **_run(bench, line, way, waiting, convergence),
                }
                wall = sum(run["wall_s"]) / len(run["wall_s"])
                bench.announce(f"{way}, ranks {waiting}: {wall:.1f} s")
                data["runs"].append(run)
                bench.save()


def _run(bench: Workbench, line: Sequence[str], way: str, waiting: str, convergence: float) -> dict[str, Any]:
    """Run pw.x once, in a folder that a cluster's hosts share if they share the results' one.

    Raises QuadrilleError with the end of its output when it fails.
    """
    bench.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=bench.folder, prefix="scf-") as name:
        folder = Path(name).resolve()
        (folder / "scf.in").write_text(input_text(convergence), encoding="ascii")
        variables = _variables(line, way, waiting, folder / "trace")
        launcher = detect_launcher(list(line))
        # The shell tells what each process used.
        timed = ["bash", "-c", "TIMEFORMAT='used: wall=%R user=%U system=%S'; time \"$@\"", "bash"]
        command = [*launcher.with_environment(variables), *timed, program(), "-in", str(folder / "scf.in")]
        given = [f"{key}={value}" for key, value in launcher.launcher_environment(variables).items()]
        run_logged(["env", *given, *command], folder, folder / "output.txt", lambda _piece: None)
        return _figures((folder / "output.txt").read_text(errors="replace"), folder / "trace")


def _variables(line: Sequence[str], way: str, waiting: str, trace: Path) -> dict[str, str]:
    noted = {**_ONLY_NOTED, "QUADRILLE_TRACE": str(trace), "QUADRILLE_LOG": "fabric"}
    if way == TCP:
        variables = settings.job_environment(noted)
    else:
        flow = {"QUADRILLE_FABRIC_FLOW": "on" if way == FLOW_ON else "off"}
        emulated = emulation_of(list(line)) is not None
        burst = {"QUADRILLE_FABRIC_BURST": str(_BUFFER_KIB * 1024)} if emulated else {}
        variables = provider_variables(line, {**burst, **noted, **flow})
    variables |= {"OMP_NUM_THREADS": "1", "OMPI_MCA_mpi_yield_when_idle": "1", **_FLOOD}
    if waiting == SLEEP:
        sleeping = native_program("libquadrille-sleeping-yield.so")
        variables["LD_PRELOAD"] = f"{variables['LD_PRELOAD']}:{sleeping}"
    return variables


def _figures(output: str, trace: Path) -> dict[str, Any]:
    times = [tuple(map(float, found)) for found in _TIMES.findall(output)]
    energy, scf = _ENERGY.search(output), _SCF.search(output)
    if not times or energy is None or scf is None:
        last = "\n".join(output.strip().splitlines()[-15:])
        raise QuadrilleError(f"pw.x did not reach the end of its self-consistent field:\n{last}")
    by_rank = read_trace(trace).by_rank
    packets = [(int(sent), int(again)) for sent, again in _PACKETS.findall(output)]
    return {
        "ranks": len(times),
        "wall_s": [wall for wall, _, _ in times],
        "cpu_s": [user + system for _, user, system in times],
        "mpi_s": [
            sum(call.end_ns - call.start_ns for call in by_rank[rank].calls) / 1e9 for rank in sorted(by_rank)
        ],
        "scf_s": float(scf[1]),
        "energy_ry": float(energy[1]),
        "sent": sum(sent for sent, _ in packets),
        "resent": sum(again for _, again in packets),
    }

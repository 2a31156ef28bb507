# SPDX-License-Identifier: BSD-3-Clause
"""Runs `quadrille-soak` several times over the provider, and keeps all samples of memory.

`data["jobs"]`: `ranks`, `exit_code`, `samples` (of each `seconds` since the job began, and lists over ranks:
`calls`, `wrong`, `resident_kib`, `anonymous_kib`, `threads`, `sockets` of the host, `tcp_pages`, `udp_pages`
and `kernel_kib` of the machine), `output` (the end of what else was printed), and `sockets_after` by host.
`data["sockets_before"]`: by host, before the first job; empty on a real cluster.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from quadrille.lab.lab import Lab
from quadrille.lab.ready_made import resolve
from quadrille.native_job import NativeJob, ended_with_us, line_of_type, prepare, started
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.provider import provider_variables
from quadrille.reproduce.workbench import Workbench

_NETWORK = "one_switch:hosts=4,rate_mbit=200,buffer_kib=32"
_SAMPLES_OF_A_JOB = 100
_USED = re.compile(r"^sockets: used (\d+)", re.MULTILINE)


@dataclass(frozen=True)
class _Form:
    """`calls`: of each rank in a job; None: as many as there is time for."""

    jobs: int
    seconds: float
    calls: int | None


_QUICK = _Form(2, 5, None)
_FULL = _Form(4, 900, 250_000)


def measure(bench: Workbench, data: Data) -> None:
    """Measure on four emulated hosts, or with all processes of the given launcher."""
    form = _QUICK if bench.quick else _FULL
    if bench.duration_s is not None:
        form = _Form(form.jobs, bench.duration_s / form.jobs, None)
    data |= {"truth": None, "sockets_before": {}, "jobs": []}
    if bench.launcher is not None:
        for _ in range(form.jobs):
            _job(bench, data, bench.launcher, form)
        return
    with bench.lab(resolve(_NETWORK), "gamma-soak") as lab:
        data |= {"truth": lab.truth(), "sockets_before": _sockets(lab)}
        for _ in range(form.jobs):
            _job(bench, data, lab.launcher("ompi4"), form)["sockets_after"] = _sockets(lab)
            bench.save()


def _job(bench: Workbench, data: Data, line: Sequence[str], form: _Form) -> dict[str, Any]:
    """Run one job and return its entry; how it ended is noted, not raised."""
    number = len(data["jobs"]) + 1
    bench.announce(f"job {number} of {form.jobs}: for {form.seconds:.0f} s at most")
    job: dict[str, Any] = {"ranks": 0, "exit_code": None, "samples": [], "output": [], "sockets_after": {}}
    data["jobs"].append(job)
    between = max(form.seconds / _SAMPLES_OF_A_JOB, 0.25)
    arguments = ["--seconds", f"{form.seconds:g}", "--between-samples", f"{between:g}", "--seed", str(number)]
    if form.calls is not None:
        arguments += ["--calls", str(form.calls)]
    start = prepare(NativeJob("quadrille-soak", list(line), arguments, variables=provider_variables(line)))
    process = started(start, stderr=subprocess.STDOUT)
    with ended_with_us(process):
        assert process.stdout is not None
        for text in process.stdout:
            sample = line_of_type(text)
            if sample is None:
                job["output"] = [*job["output"], text.rstrip()][-20:]
                continue
            job["samples"].append({name: value for name, value in sample.items() if name != "type"})
            job["ranks"] = len(sample["calls"])
            bench.save()
        job["exit_code"] = process.wait()
    return job


def _sockets(lab: Lab) -> dict[str, int]:
    """Return how many sockets each host has."""
    found = {}
    for host in lab.state.hosts:
        used = _USED.search(lab.on_host(host, ["cat", "/proc/net/sockstat"]))
        found[host] = int(used[1]) if used else 0
    return found

# SPDX-License-Identifier: BSD-3-Clause
"""Whether anything went wrong, and whether memory is flat: its slope over calls, with the error of that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from quadrille.reproduce.experiment import Data, Effect
from quadrille.reproduce.fits import Fitted, slope

FLAT_KIB = 256
"""What a rank's memory may have grown in the second half of a job, at the upper end of twice the error. Heaps
settle: with the MPI library over TCP they grow by about 20 KiB a rank in the second half of 15 s too."""
CALLS_WANTED = 1_000_000
_LEAST_SAMPLES = 6
_NOT_MEASURED = "not measured in this run"


@dataclass(frozen=True)
class Growth:
    """Of a rank in the mean, in the second half of a job: bytes a call, and how many calls that half has."""

    bytes_a_call: Fitted
    calls: float

    @property
    def most_kib(self) -> float:
        """Return what it has grown by, at the upper end of twice the error."""
        return (self.bytes_a_call.value + 2 * (self.bytes_a_call.error or 0)) * self.calls / 1024


def second_half(job: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the samples from half of the calls on."""
    samples = job["samples"]
    if not samples:
        return []
    half = samples[-1]["calls"][0] / 2
    return [sample for sample in samples if sample["calls"][0] >= half]


def growth(job: dict[str, Any]) -> Growth | None:
    """Return how the ranks' own memory grows; None where there are too few samples."""
    samples = second_half(job)
    if len(samples) < _LEAST_SAMPLES:
        return None
    calls = [sum(sample["calls"]) / job["ranks"] for sample in samples]
    held = [1024 * sum(sample["anonymous_kib"]) / job["ranks"] for sample in samples]
    if calls[-1] == calls[0]:
        return None
    return Growth(slope(calls, held), calls[-1] - calls[0])


def calls_of(data: Data) -> int:
    """Return the calls of each rank in all jobs: those of the rank that has made fewest."""
    return sum(min(job["samples"][-1]["calls"]) for job in data.get("jobs", []) if job["samples"])


def judge(data: Data) -> list[Effect]:
    """Return the effects of section 4."""
    return [_no_error(data), _flat(data), _sockets_flat(data), _nothing_left(data), _many(data)]


def _no_error(data: Data) -> Effect:
    name = "no communication error"
    jobs = [job for job in data.get("jobs", []) if job["samples"]]
    if not data.get("jobs"):
        return Effect(name, None, _NOT_MEASURED)
    wrong = sum(sum(job["samples"][-1]["wrong"]) for job in jobs)
    failed = [str(job["exit_code"]) for job in data["jobs"] if job["exit_code"] not in (0, None)]
    why = f"{len(data['jobs'])} jobs, {calls_of(data)} calls of each rank, {wrong} wrong values"
    if failed:
        why += f"; exit codes {', '.join(failed)}"
    return Effect(name, wrong == 0 and not failed and bool(jobs), why, exact=True)


def _flat(data: Data) -> Effect:
    name = f"the ranks' memory is flat: less than {FLAT_KIB} KiB more in the second half of each job"
    found = [grown for job in data.get("jobs", []) if (grown := growth(job)) is not None]
    if not found:
        return Effect(name, None, "too few samples in this run")
    words = ", ".join(
        f"{one.bytes_a_call.value:.2f} ± {one.bytes_a_call.error or 0:.2f} B a call, {one.most_kib:.0f} KiB"
        for one in found
    )
    flat = all(one.most_kib < FLAT_KIB for one in found)
    return Effect(name, flat, f"by job: {words} at most", exact=True)


def _sockets_flat(data: Data) -> Effect:
    name = "no socket is opened in the second half of a job"
    jobs = [half for job in data.get("jobs", []) if len(half := second_half(job)) >= _LEAST_SAMPLES]
    if not jobs:
        return Effect(name, None, "too few samples in this run")
    first = [max(half[0]["sockets"]) for half in jobs]
    last = [max(half[-1]["sockets"]) for half in jobs]
    pages = max(half[-1]["udp_pages"][0] for half in jobs)
    why = f"at most {max(last)} a host; datagrams that wait in all sockets: {pages} pages"
    return Effect(name, all(b <= a for a, b in zip(first, last, strict=True)), why, exact=True)


def _nothing_left(data: Data) -> Effect:
    name = "nothing is left behind between jobs, and nothing has to be reset"
    before = data.get("sockets_before", {})
    after = [job["sockets_after"] for job in data.get("jobs", []) if job["sockets_after"]]
    if not before or not after:
        return Effect(name, None, _NOT_MEASURED)
    more = max(counts[host] - before[host] for counts in after for host in before)
    why = f"sockets of a host after each job: at most {more} more than before the first"
    return Effect(name, more <= 0, why, exact=True)


def _many(data: Data) -> Effect:
    name = f"all of it over {CALLS_WANTED} calls of each rank"
    calls = calls_of(data)
    why = f"{calls} calls" + ("" if calls >= CALLS_WANTED else "; the full form and --duration make more")
    return Effect(name, True if calls >= CALLS_WANTED else None, why, must_appear=False)

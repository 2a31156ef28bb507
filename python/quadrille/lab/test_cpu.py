# SPDX-License-Identifier: BSD-3-Clause
"""The verdict on who set the pace, from given counters."""

from __future__ import annotations

import pytest

from quadrille.lab.cpu import CpuSample, CpuWatch, capacity_warning, judge, sample


def samples(*softirq_per_s: float, ksoftirqd_per_s: float = 0.0) -> list[CpuSample]:
    found, softirq = [CpuSample(0, 0, 0, 0, 0)], 0.0
    for at, part in enumerate(softirq_per_s, start=1):
        softirq += part
        found.append(CpuSample(float(at), softirq, 0, 0, at * ksoftirqd_per_s))
    return found


def test_a_run_with_room_for_the_switches_is_not_marked() -> None:
    report = judge(samples(0.36, 0.36, 0.36), cores=2)
    assert report.softirq_share == pytest.approx(0.18)
    assert not report.bound_by_cpu
    assert report.warning() is None


def test_a_run_that_kept_the_cores_busy_with_frames_is_marked() -> None:
    report = judge(samples(1.3, 1.3, 0.1), cores=2)
    assert report.overloaded_share_of_time == pytest.approx(2 / 3)
    assert report.bound_by_cpu
    assert "bound by the emulation's CPU" in (report.warning() or "")


def test_one_busy_second_of_ten_does_not_mark_a_run() -> None:
    assert not judge(samples(1.3, *[0.1] * 9), cores=2).bound_by_cpu


def test_put_off_soft_interrupts_mark_a_run() -> None:
    assert judge(samples(0.1, 0.1, ksoftirqd_per_s=0.08), cores=2).bound_by_cpu


def test_the_worst_second_of_stolen_time_is_told() -> None:
    steal = (0.0, 0.1, 0.9, 1.0)
    report = judge([CpuSample(float(at), 0, stolen, 0, 0) for at, stolen in enumerate(steal)], cores=2)
    assert report.worst_steal_share == pytest.approx(0.4)
    assert report.steal_share == pytest.approx(1 / 6)


def test_two_looks_that_are_close_tell_nothing_of_stolen_time() -> None:
    looks = [(0, 0), (1, 0.1), (1.01, 0.11), (2, 0.2), (2.001, 0.21)]
    samples_ = [CpuSample(at, 0, stolen, 0, 0) for at, stolen in looks]
    assert judge(samples_, cores=1).worst_steal_share == pytest.approx(0.1, rel=0.05)
    assert judge(samples_[-2:], cores=1).worst_steal_share == pytest.approx(10)


def test_the_counters_of_this_machine_only_grow() -> None:
    with CpuWatch() as watch:
        before = sample()
        sum(range(200_000))
        after = sample()
    assert after.at_s > before.at_s
    assert after.softirq_s >= before.softirq_s
    assert after.ksoftirqd_s >= before.ksoftirqd_s
    assert watch.report.wall_s > 0


def test_more_link_rate_than_the_cores_carry_is_announced() -> None:
    assert capacity_warning(33e3, cores=2) is None
    assert "132,000 full frames/s" in (capacity_warning(132e3, cores=2) or "")

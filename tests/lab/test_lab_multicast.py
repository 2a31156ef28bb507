# SPDX-License-Identifier: BSD-3-Clause
"""Broadcasts by multicast between emulated hosts: results, times, losses, where multicast does not work."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_jobs import (
    block_multicast_to,
    counts,
    flow_counts,
    forward_multicast_to,
    libraries,
    lose_datagrams,
    program,
    wire_counts,
)
from lab_traffic import needs_namespaces, topology
from probe_trial import probe, skip_without_prober
from steal_time import Timing

from quadrille.lab.lab import Lab, RunResult
from quadrille.lab.ready_made import resolve

pytestmark = [pytest.mark.lab, pytest.mark.mpi, needs_namespaces, pytest.mark.timeout(180)]

MULTICAST = "bcast:multicast,allgather:multicast,allgatherv:multicast,allreduce:multicast"


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 80, "buffer_kib": 32}],
        "hosts": [
            {"names": ["h0"], "on": "s0", "ranks": 3},
            {"names": ["h1"], "on": "s0", "ranks": 2},
            {"names": ["h2..h4"], "on": "s0"},
        ],
    }
    with Lab.up(topology(**tables), "t-mcast") as found:
        yield found


def bcasts(lab: Lab, *arguments: int, **options: object) -> RunResult:
    """Run `bcast_times` with these arguments; `options` are of Lab.run."""
    environment = {"QUADRILLE_ALGORITHM": MULTICAST, "QUADRILLE_LOG": "start,wire"}
    environment |= dict(options.pop("environment", {}))  # type: ignore[call-overload]
    command = [program("bcast_times", "ompi4"), *(str(one) for one in arguments)]
    return lab.run(command, environment=environment, quadrille=True, timeout_s=100, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("mpi", ["ompi4", "ompi5", "mpich"])
def test_results_are_right_with_uneven_ranks_a_host_and_many_communicators(lab: Lab, mpi: str) -> None:
    environment = {"QUADRILLE_ALGORITHM": MULTICAST, "QUADRILLE_LOG": "start,wire", **libraries(mpi)}
    command = [program("collectives", mpi), "stress", "11", "500"]
    result = lab.run(command, mpi=mpi, ranks=8, environment=environment, quadrille=True, timeout_s=150)
    assert counts(result)["failures"] == 0
    assert "multicast=yes" in result.output, result.output
    found = wire_counts(result)
    assert found["group_sent"] > 20 and found["group_received"] > found["group_sent"]
    assert found["forged"] == found["malformed"] == 0


@pytest.mark.alone
def test_a_root_sends_each_packet_once_whatever_the_number_of_hosts(lab: Lab) -> None:
    result = bcasts(lab, 40_000, 30, ranks=8)
    assert counts(result)["wrong"] == 0
    flow = flow_counts(result)["bcast"]
    # 28 packets a call, with the two calls that are not timed. Few were lost, or came to who was late.
    assert flow["packets"] == pytest.approx(32 * 28, rel=0.05)


@pytest.mark.alone
def test_a_communicator_with_other_ranks_than_a_freed_one_has_multicast_too() -> None:
    environment = {"QUADRILLE_ALGORITHM": MULTICAST, "QUADRILLE_LOG": "wire"}
    with Lab.up(resolve("one_switch:hosts=5,rate_mbit=80,buffer_kib=32"), "t-mregroup") as lab:
        command = [program("bcast_regrouped", "ompi4"), "40000", "20", "3"]
        result = lab.run(command, environment=environment, quadrille=True, timeout_s=100)
        assert counts(result)["wrong"] == 0
        # 28 packets a call, each sent once. To each of four others they would be 1680 in place of 1120.
        assert flow_counts(result)["bcast"]["packets"] == pytest.approx(2 * 20 * 28, rel=0.1)


@pytest.mark.parametrize("mpi", ["ompi4", "ompi5", "mpich"])
def test_roots_in_turn_form_other_groups_where_the_mpi_library_broadcasts_between_hosts(mpi: str) -> None:
    """A root of each rank, so that a rank is in some of the groups; more calls than groups are kept for."""
    environment = {"QUADRILLE_ALGORITHM": MULTICAST, "QUADRILLE_WIRE": "off", **libraries(mpi)}
    with Lab.up(resolve("one_switch:hosts=2"), "t-mroots") as lab:
        command = [program("bcast_regrouped", mpi), "400", "150", "3"]
        result = lab.run(
            command, mpi=mpi, ranks=6, per_host=3, environment=environment, quadrille=True, timeout_s=60
        )
        assert counts(result)["wrong"] == 0


@pytest.mark.alone
@pytest.mark.parametrize("ranks", [6, 8], ids=["3 hosts", "5 hosts"])
def test_what_all_hosts_send_together_is_each_message_once_and_little_else(lab: Lab, ranks: int) -> None:
    def bytes_sent(calls: int) -> int:
        before = lab.counters().ports
        assert counts(bcasts(lab, 40_000, calls, ranks=ranks))["wrong"] == 0
        after = lab.counters().ports
        return sum(after[host].in_bytes - before[host].in_bytes for host in lab.state.hosts)

    frames, frame_bytes, calls = 28, 1514, 50
    each = (bytes_sent(10 + calls) - bytes_sent(10)) / calls
    assert each < 1.3 * frames * frame_bytes, "reports, grants, the barrier and the sum between calls"
    assert each > 40_000


def test_a_late_rank_holds_up_nobody_else(lab: Lab, timing: Timing) -> None:
    found = counts(bcasts(lab, 40_000, 12, 200, ranks=8))
    assert found["wrong"] == 0
    with timing.judged():
        assert found["others_us"] < 100_000 < 200_000 < found["median_us"]


def test_a_root_that_works_on_at_once_is_waited_for_by_nobody(lab: Lab, timing: Timing) -> None:
    found = counts(bcasts(lab, 4_000, 12, 0, 100, ranks=8))
    assert found["wrong"] == 0
    with timing.judged():
        assert found["median_us"] < 50_000


@pytest.mark.alone
def test_results_are_right_where_one_datagram_in_fifty_is_lost() -> None:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 80, "buffer_kib": 32}],
        "hosts": [{"names": ["h0..h4"], "on": "s0"}],
    }
    with Lab.up(topology(**tables), "t-mloss") as lab:
        lose_datagrams(lab, 0.02)
        result = bcasts(lab, 40_000, 60, ranks=5)
        assert counts(result)["wrong"] == 0
        assert "multicast=yes" in result.output
        found = wire_counts(result)
        assert found["losses"] > 0 and found["group_received"] > 0.9 * found["data_received"]


def test_loss_of_one_datagram_in_a_hundred_costs_little_time(timing: Timing) -> None:
    medians = {}
    for share in (0.0, 0.01):
        tables = {
            "switch": [{"name": "s0", "rate_mbit": 80, "buffer_kib": 32}],
            "hosts": [{"names": ["h0..h4"], "on": "s0"}],
        }
        with Lab.up(topology(**tables), "t-mloss1") as lab:
            if share > 0:
                lose_datagrams(lab, share)
            found = counts(bcasts(lab, 200_000, 40, ranks=5))
            assert found["wrong"] == 0
            medians[share] = found["median_us"]
    with timing.judged():
        assert medians[0.01] < 1.25 * medians[0.0], medians


@pytest.mark.alone
def test_a_job_whose_multicast_stops_while_it_runs_loses_nothing() -> None:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 80, "buffer_kib": 32}],
        "hosts": [{"names": ["h0..h4"], "on": "s0"}],
    }
    with Lab.up(topology(**tables), "t-mstop") as lab:
        for host in ("h1", "h2", "h4"):
            block_multicast_to(lab, host, after_kbytes=400)
        result = bcasts(lab, 40_000, 30, ranks=5)
        assert counts(result)["wrong"] == 0
        found = wire_counts(result)
        assert 0 < found["group_received"] < 0.9 * found["data_received"]


@pytest.mark.parametrize("algorithm", [MULTICAST, ""], ids=["forced", "chosen"])
def test_ranks_agree_to_go_without_multicast_that_has_stopped(algorithm: str, timing: Timing) -> None:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 80, "buffer_kib": 32}],
        "hosts": [{"names": ["h0..h4"], "on": "s0"}],
    }
    with Lab.up(topology(**tables), "t-magree") as lab:
        for host in ("h1", "h2", "h4"):
            block_multicast_to(lab, host, after_kbytes=2000)
        result = bcasts(lab, 40_000, 300, ranks=5, environment={"QUADRILLE_ALGORITHM": algorithm})
        assert counts(result)["wrong"] == 0
        said = re.findall(r"quadrille: what rank \d .* no longer .*", result.output)
        assert len(said) == 1, result.output
        assert re.search(r"reaches rank [124] \(h[124]\); calls go without", said[0]), said
        # 28 packets a call while all heard them.
        assert flow_counts(result)["bcast"]["packets"] < 0.6 * 300 * 28 * 4, result.output
        with timing.judged():
            assert counts(result)["max_us"] < 500_000, result.output


@pytest.mark.alone
def test_a_job_comes_back_to_multicast_that_a_switch_forwards_again() -> None:
    """The switch stops forwarding once the job runs, and does again once the ranks have left multicast."""
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 80, "buffer_kib": 32}],
        "hosts": [{"names": ["h0..h3"], "on": "s0"}],
    }
    with Lab.up(topology(**tables), "t-mback") as lab:
        done = threading.Event()
        switching = threading.Thread(target=_stop_and_forward, args=(lab, "h2", done))
        switching.start()
        try:
            environment = {"QUADRILLE_ALGORITHM": "bcast:multicast"}
            result = bcasts(lab, 20_000, 2500, ranks=4, environment=environment)
        finally:
            done.set()
            switching.join()
        assert counts(result)["wrong"] == 0
        gone = "no longer reaches rank 2 (h2); calls go without"
        back = "multicast reaches all ranks again; calls use it again"
        events = re.findall(f"{re.escape(gone)}|{re.escape(back)}", result.output)
        # Once more on a machine that stands still for a moment; the job may end before they are back then.
        assert events in ([gone, back], [gone, back, gone], [gone, back, gone, back]), result.output
        assert "the network has stopped to forward multicast" in result.output


def _stop_and_forward(lab: Lab, host: str, done: threading.Event) -> None:
    group_bytes = 400_000
    while lab.counters().ports[host].out_bytes < group_bytes and not done.wait(0.05):
        pass
    forward_multicast_to(lab, host, False)
    done.wait(4)
    forward_multicast_to(lab, host, True)


@pytest.mark.alone
def test_where_a_router_stops_multicast_each_side_has_its_own(tmp_path: Path) -> None:
    skip_without_prober()
    tables = {
        "switch": [{"name": name, "rate_mbit": 80, "buffer_kib": 32} for name in ("s0", "s1")],
        "trunk": [{"between": ["s0", "s1"], "rate_mbit": 80, "multicast": False}],
        "hosts": [{"names": ["h0..h2"], "on": "s0"}, {"names": ["h3..h5"], "on": "s1"}],
    }
    with Lab.up(topology(**tables), "t-mrouter") as lab:
        assert probe(lab.launcher(), tmp_path).exit_code == 0
        environment = {"QUADRILLE_MODEL": str(tmp_path / "model.json")}
        before = lab.counters().ports["trunk0.a"]
        result = bcasts(lab, 40_000, 30, environment=environment)
        after = lab.counters().ports["trunk0.a"]
        assert counts(result)["wrong"] == 0
        assert "multicast=inside" in result.output, result.output
        # 28 packets a call and segment, and once across; again where a host got no processor in time.
        sent = flow_counts(result)["bcast"]
        assert sent["packets"] - sent["resent"] == pytest.approx(3 * 32 * 28, rel=0.1), sent
        crossed = after.in_bytes + after.out_bytes - before.in_bytes - before.out_bytes
        each_once = 1.5 * 32 * 28 * 1514
        assert crossed < each_once + sent["resent"] * 1514, "each call's bytes cross once, in one direction"


@pytest.mark.parametrize("how", ["switched off", "not forwarded", "deaf host"])
def test_a_job_goes_without_multicast_where_there_is_none(how: str) -> None:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 80, "multicast": how != "not forwarded"}],
        "hosts": [{"names": ["h0..h3"], "on": "s0"}],
    }
    with Lab.up(topology(**tables), "t-mnone") as lab:
        if how == "deaf host":
            block_multicast_to(lab, "h3")
        environment = {"QUADRILLE_MULTICAST": "off"} if how == "switched off" else {}
        result = bcasts(lab, 20_000, 10, ranks=4, environment=environment)
        assert counts(result)["wrong"] == 0
        assert "wire=udp multicast=no" in result.output, result.output
        assert "event=wire_flow operation=bcast" not in result.output


def test_the_time_does_not_grow_with_the_number_of_hosts(timing: Timing) -> None:
    medians = {}
    with Lab.up(resolve("one_switch:hosts=8,rate_mbit=50,buffer_kib=32"), "t-mtime") as lab:
        for hosts, algorithm in ((2, "mpi"), (3, "multicast"), (8, "multicast"), (8, "mpi")):
            environment = {"QUADRILLE_ALGORITHM": f"bcast:{algorithm}"}
            found = counts(bcasts(lab, 20_000, 30, ranks=hosts, environment=environment))
            assert found["wrong"] == 0
            medians[hosts, algorithm] = found["median_us"]
    with timing.judged():
        # A binomial tree takes twice as long on eight as on three; eight programs share two cores, too.
        assert medians[8, "multicast"] < 1.5 * medians[3, "multicast"], medians
        assert medians[8, "multicast"] < 0.7 * medians[8, "mpi"], medians

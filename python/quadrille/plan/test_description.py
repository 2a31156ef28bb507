# SPDX-License-Identifier: BSD-3-Clause
"""Why the slower of two plans is slower, in words."""

from __future__ import annotations

from typing import Literal

import pytest

from quadrille.plan.contract import (
    AtRunTime,
    Bottleneck,
    Bound,
    Call,
    Candidate,
    Comparison,
    LibraryTime,
    Plan,
    Seat,
    SlowerResource,
)
from quadrille.plan.description import comparison_text, facts, headline

Share = Literal["resource", "retransmissions", "waiting"]


def candidate(name: str, time_ns: int, lost_ns: int = 0) -> Candidate:
    return Candidate(
        name=name,
        algorithm=name,
        parameters="",
        time_ns=time_ns,
        retransmissions_ns=lost_ns,
        bottleneck=Bottleneck(name="bus b0", busy_ns=900, busy_percent=90.0),
    )


def plan_of(chosen: Candidate, comparison: Comparison | None = None, root: int | None = None) -> Plan:
    return Plan(
        format="quadrille-plan",
        version=1,
        call=Call(collective="reduce", bytes=2048, ranks=2, root=root, element_bytes=8),
        placement=[Seat(rank=0, host="a", segment="b0"), Seat(rank=1, host="b", segment="b0")],
        plan=chosen,
        asked=False,
        candidates=[candidate("one", 1000), candidate("two", 1500)],
        comparison=comparison,
        library=LibraryTime(time_ns=2500, source="measured"),
        bound=None,
        at_run_time=AtRunTime(reason="being tried", candidates=["mpi", "one"]),
        planning_ns=10,
        messages=[],
        schedule=None,
        timeline=None,
    )


@pytest.mark.parametrize(
    ("share", "said"),
    [
        ("resource", "it keeps bus b0 busy for 1.4 us, 500 ns longer"),
        ("retransmissions", "it waits 400 ns longer for lost packets"),
        ("waiting", "it leaves its busiest resource idle for 400 ns more, waiting for messages in a row"),
    ],
)
def test_the_runner_up_is_told_with_what_it_loses_its_time_with(share: Share, said: str) -> None:
    resource = SlowerResource(name="bus b0", busy_slower_ns=1400, busy_faster_ns=900)
    comparison = Comparison(
        other=candidate("two", 1500),
        slower="two",
        slower_by_ns=500,
        most_of_it=share,
        most_of_it_ns=400,
        resource=resource,
    )
    plan = plan_of(candidate("one", 1000), comparison)
    assert dict(facts(plan))["runner-up"] == f"two, 1.5 us, 500 ns slower: {said}"


def test_a_plan_that_was_asked_for_is_the_one_that_loses() -> None:
    comparison = Comparison(
        other=candidate("one", 1000),
        slower="two",
        slower_by_ns=500,
        most_of_it="retransmissions",
        most_of_it_ns=500,
        resource=None,
    )
    plan = plan_of(candidate("two", 1500, lost_ns=600), comparison)
    said = dict(facts(plan))
    assert said["cheapest"] == "one, 1 us, 500 ns faster: two waits 500 ns longer for lost packets"
    assert said["losses"].startswith("600 ns of it")


def test_equal_times_are_called_equal() -> None:
    comparison = Comparison(
        other=candidate("two", 1000),
        slower="two",
        slower_by_ns=0,
        most_of_it="resource",
        most_of_it_ns=0,
        resource=None,
    )
    assert "the same time" in comparison_text(plan_of(candidate("one", 1000)), comparison)


LIMIT: dict[str, object] = {"time_ns": 250, "latency_ns": 10, "bandwidth_ns": 250, "percent_of_limit": 25.0}


@pytest.mark.parametrize(
    ("with_multicast", "copies", "said"),
    [
        (True, False, "25 % of the limit with or without multicast, 250 ns, set by host a in"),
        (True, True, "25 % of the limit with multicast, 250 ns, set by host a in"),
        (False, False, "25 % of the limit without multicast, 250 ns, set by host a in"),
    ],
)
def test_a_limit_is_marked_as_one_with_or_without_multicast(
    with_multicast: bool, copies: bool, said: str
) -> None:
    other: dict[str, object] = {
        "time_ns": 500,
        "latency_ns": 10,
        "bandwidth_ns": 500,
        "percent_of_limit": 50.0,
    }
    bound = LIMIT | {
        "bottleneck": "host a in",
        "with_multicast": with_multicast,
        "without_multicast": other | {"bottleneck": "bus b0"} if copies else None,
    }
    plan = plan_of(candidate("one", 1000)).model_copy(update={"bound": Bound.model_validate(bound)})
    told = dict(facts(plan))
    assert told["predicted"] == f"1 us, {said}"
    if copies:
        assert told["one to one"] == "50 % of the limit without multicast, 500 ns, set by bus b0"
    else:
        assert "one to one" not in told


def test_the_librarys_time_says_where_it_comes_from() -> None:
    said = dict(facts(plan_of(candidate("one", 1000))))
    assert said["MPI library"] == "2.5 us, measured; the plan is 2.50 times as fast"
    assert "runner-up" not in said


def test_the_head_names_the_call_and_its_places() -> None:
    assert headline(plan_of(candidate("one", 1000), root=1)) == (
        "reduce of 2 KiB to rank 1, 2 ranks on 2 hosts in 1 segment"
    )

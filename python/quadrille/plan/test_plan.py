# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille plan`: what is told, drawn and traced of a plan; wrong input is refused with the next step."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from quadrille.cli import build_app
from quadrille.errors import QuadrilleError, UsageError
from quadrille.installation import native_program
from quadrille.plan.asking import Placement, Question, ask, parse_size
from quadrille.plan.contract import Plan, plan_json_schema
from quadrille.plan.pattern import flows_of, phases_of, tree_of
from quadrille.plan.trace import trace_of

_SCHEMAS = Path(__file__).resolve().parents[3] / "schemas"
MODEL = _SCHEMAS / "examples" / "network_model_three_buses.json"
SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Done:
    """How the verb ended: 0 or an error's exit code, and all it said."""

    exit_code: int
    output: str


Run = Callable[..., Done]


@pytest.fixture(autouse=True)
def _built() -> None:
    try:
        native_program("quadrille-plan")
    except QuadrilleError as missing:
        pytest.skip(str(missing))


@pytest.fixture
def run() -> Run:
    """Run the verb as the command line does."""

    def started(*arguments: str) -> Done:
        result = CliRunner().invoke(build_app(), ["plan", *arguments])
        if isinstance(result.exception, QuadrilleError):
            return Done(result.exception.exit_code, str(result.exception))
        return Done(result.exit_code, result.output)

    return started


def planned(collective: str, size: int = 4096, ranks: int = 12, per_host: int = 1, **more: object) -> Plan:
    return ask(
        Question(collective, size, **more),  # type: ignore[arg-type]
        Placement(MODEL, ranks, per_host),
    )


def test_the_chosen_plan_is_told_with_its_reasons(run: Run) -> None:
    done = run("bcast", "--bytes", "64K", "--model", str(MODEL))
    assert done.exit_code == 0, done.output
    assert "bcast of 64 KiB from rank 0, 12 ranks on 12 hosts in 3 segments" in done.output
    for fact in ("chosen", "predicted", "bottleneck", "MPI library", "runner-up", "at run time"):
        assert f"\n{fact} " in done.output
    plan = planned("bcast", 65536)
    assert f"chosen       {plan.plan.name}\n" in done.output
    assert all(one.name in done.output for one in plan.candidates)
    assert all(f"{seat.rank} {seat.host}" in done.output for seat in plan.placement)


def test_json_is_the_native_answer_and_the_plan_the_cheapest(run: Run) -> None:
    done = run("allreduce", "--bytes", "8K", "--ranks", "7", "--rank", "3", "--model", str(MODEL), "--json")
    assert done.exit_code == 0, done.output
    plan = Plan.model_validate_json(done.output)
    assert plan.plan == plan.candidates[0]
    assert plan.plan.time_ns == min(one.time_ns for one in plan.candidates)
    assert plan.schedule is not None
    assert plan.schedule["rank"] == 3
    assert plan.timeline is None


@pytest.mark.parametrize("algorithm", ["binomial", "chain", "tree", "hierarchical"])
@pytest.mark.parametrize("root", [0, 5, 11])
def test_a_broadcast_is_told_as_the_tree_that_its_messages_form(algorithm: str, root: int) -> None:
    plan = planned("bcast", root=root, force=algorithm)
    tree = tree_of(plan, flows_of(plan))
    assert tree is not None
    assert (tree.root, tree.direction) == (root, "down")
    told = sorted(rank for below in tree.below.values() for rank in below)
    assert told == [rank for rank in range(12) if rank != root]
    assert plan.messages is not None
    assert {(m.sender, m.receiver) for m in plan.messages} == {
        (above, rank) for above, ranks in tree.below.items() for rank in ranks
    }


@pytest.mark.parametrize("ranks", [2, 3, 7, 12])
def test_other_trees_know_their_direction(ranks: int) -> None:
    for collective, force, direction in (
        ("reduce", "binomial", "up"),
        ("barrier", "binomial", "up and down"),
        ("allreduce", "tree", "up and down"),
        ("scan", "chain", "down"),
    ):
        plan = planned(collective, 800, ranks, force=force)
        tree = tree_of(plan, flows_of(plan))
        assert tree is not None, collective
        assert (tree.root, tree.direction) == (0, direction), collective


@pytest.mark.parametrize("ranks", [3, 5, 8, 12])
def test_an_exchange_has_a_phase_for_each_distance(ranks: int) -> None:
    plan = planned("alltoall", 1000, ranks, force="pairwise")
    flows = flows_of(plan)
    assert tree_of(plan, flows) is None
    phases = phases_of(flows)
    assert len(phases) == ranks - 1
    for distance, phase in enumerate(phases, start=1):
        assert {(flow.sender, flow.receiver) for flow in phase} == {
            (rank, (rank + distance) % ranks) for rank in range(ranks)
        }


def test_an_ordered_exchange_has_its_partners_in_each_phase(run: Run) -> None:
    done = run(
        *("alltoall", "--bytes", "4000", "--ranks", "9", "--model", str(MODEL)),
        *("--force", "ordered:partners=2:window=1"),
    )
    assert done.exit_code == 0, done.output
    assert "asked for    alltoall_ordered:partners=2:window=1" in done.output
    assert "an exchange in 4 phases, up to 2 partners a phase" in done.output
    assert "each rank r → r+1, r+2" in done.output


@pytest.mark.parametrize("collective", ["bcast", "alltoall", "allreduce"])
@pytest.mark.parametrize("per_host", [1, 2])
def test_the_trace_ends_with_the_predicted_time_and_its_threads_do_not_overlap(
    collective: str, per_host: int
) -> None:
    plan = planned(collective, 8000, 11, per_host, timeline=True)
    trace = trace_of(plan)
    steps = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    assert plan.timeline is not None
    last_us = max(event["ts"] + event["dur"] for event in steps)
    assert last_us * 1000 == pytest.approx(plan.plan.time_ns, abs=1)
    threads: dict[tuple[int, int], float] = {}
    for event in sorted(steps, key=lambda event: (event["ts"], event["dur"])):
        key = event["pid"], event["tid"]
        assert event["ts"] >= threads.get(key, 0) - 1e-6
        threads[key] = event["ts"] + event["dur"]
    assert len({event["pid"] for event in steps if event["cat"] != "network"}) == -(-11 // per_host)
    arrows = [event["id"] for event in trace["traceEvents"] if event["ph"] in "sf"]
    assert plan.messages is not None
    assert sorted(arrows) == sorted(2 * list(range(len(plan.messages))))


def test_the_drawing_has_an_arrow_for_each_pair_of_hosts(run: Run, tmp_path: Path) -> None:
    for number, (collective, arrows) in enumerate([("bcast", 11), ("alltoall", 132)]):
        svg = tmp_path / f"{number}.svg"
        trace = tmp_path / f"{number}.json"
        done = run(
            *(collective, "--bytes", "2000", "--model", str(MODEL)),
            *("--svg", str(svg), "--trace", str(trace), "--force", {0: "chain", 1: "pairwise"}[number]),
        )
        assert done.exit_code == 0, done.output
        drawn = ET.parse(svg).getroot()
        paths = [path for path in drawn.iter(f"{SVG}path") if "marker-end" in path.attrib]
        assert len(paths) == arrows
        texts = {text.text for text in drawn.iter(f"{SVG}text")}
        assert {f"{rank}: node{rank:02}" for rank in range(12)} <= texts
        assert json.loads(trace.read_text())["traceEvents"]


def test_ranks_of_one_host_share_its_mark(run: Run, tmp_path: Path) -> None:
    svg = tmp_path / "plan.svg"
    words = ("--ranks-per-host", "2", "--hosts", "node05,node00", "--svg", str(svg))
    done = run("allgather", "--bytes", "100", "--model", str(MODEL), *words)
    assert done.exit_code == 0, done.output
    assert "4 ranks on 2 hosts in 2 segments" in done.output
    texts = {text.text for text in ET.parse(svg).getroot().iter(f"{SVG}text")}
    assert {"0..1: node05", "2..3: node00"} <= texts


@pytest.mark.parametrize("ranks", ["1", "2"])
@pytest.mark.parametrize("operation", ["barrier", "bcast", "allreduce", "alltoall", "exscan"])
def test_calls_without_work_are_told_too(run: Run, tmp_path: Path, operation: str, ranks: str) -> None:
    drawn = ["--svg", str(tmp_path / "plan.svg"), "--trace", str(tmp_path / "trace.json")]
    done = run(operation, "--bytes", "0", "--ranks", ranks, "--rank", "0", "--model", str(MODEL), *drawn)
    assert done.exit_code == 0, done.output
    assert f"\nMPI library  {'0 ns' if ranks == '1' else ''}" in done.output
    ET.parse(tmp_path / "plan.svg")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["bcats", "--bytes", "8"], "there are barrier, bcast, reduce, allreduce"),
        (["bcast"], "give --bytes"),
        (["bcast", "--bytes", "8k"], "--bytes 8k: expected a number such as"),
        (["bcast", "--bytes", "8", "--root", "12"], "root 12 is none of 12 ranks"),
        (["bcast", "--bytes", "8", "--rank", "12"], "rank 12 is none of 12 ranks"),
        (["bcast", "--bytes", "8", "--ranks", "13"], "give fewer --ranks or more --ranks-per-host"),
        (["bcast", "--bytes", "8", "--hosts", "nowhere"], "nowhere"),
        (["bcast", "--bytes", "8", "--force", "ring"], "there are mpi, bcast_binomial"),
        (["bcast", "--bytes", "8", "--force", "chain:k=1"], "'k'"),
        (["bcast", "--bytes", "8", "--svg", "/nowhere/plan.svg"], "give another --svg"),
        (["--bytes", "8"], "name an operation"),
        (["--all"], "-o HTML"),
        (["bcast", "--all", "-o", "x.html"], "--all takes no OP"),
    ],
)
def test_wrong_input_is_refused_with_the_next_step(run: Run, arguments: list[str], said: str) -> None:
    done = run("--model", str(MODEL), *arguments)
    assert done.exit_code == 2, done.output
    assert said in done.output


def test_a_missing_model_is_refused(run: Run) -> None:
    done = run("bcast", "--bytes", "8", "--model", "/nowhere.json")
    assert done.exit_code == 2
    assert "/nowhere.json" in done.output
    assert "quadrille probe" in done.output


def test_the_table_is_a_page_with_two_maps_for_each_operation(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "table.html"
    done = run("--all", "--model", str(MODEL), "--ranks", "3", "-o", str(page))
    assert done.exit_code == 0, done.output
    html = page.read_text()
    assert html.count('"type":"heatmap"') == 2 * 11
    assert "<h2>reduce_scatter_block</h2>" in html
    assert "462 calls planned" in html


def test_sizes_have_units_of_two() -> None:
    assert [parse_size(text) for text in ("0", "100", "64K", "4M", "2GiB")] == [
        0,
        100,
        65536,
        1 << 22,
        1 << 31,
    ]
    for text in ("", "-1", "1.5K", "K", "64 K"):
        with pytest.raises(UsageError, match="expected a number"):
            parse_size(text)


def test_the_schema_is_that_of_the_contract() -> None:
    written = json.loads((_SCHEMAS / "plan.json").read_text(encoding="utf-8"))
    assert written == plan_json_schema(), "run `python -m quadrille.plan.contract > schemas/plan.json`"

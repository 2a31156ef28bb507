# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille order`: rank files for each launcher; wrong input is refused with its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from quadrille.cli import build_app
from quadrille.errors import QuadrilleError, UsageError
from quadrille.installation import native_program
from quadrille.order.places import places_in_host_file, places_in_list
from quadrille.order.rank_files import RANK_FILES

MODEL = Path(__file__).resolve().parents[3] / "schemas" / "examples" / "network_model_three_buses.json"
BUS_OF = {f"node{number:02}.cluster.local": number // 4 for number in range(12)}


@dataclass(frozen=True)
class Done:
    """How the verb ended: 0 or an error's exit code, all it said, and the file's lines."""

    exit_code: int
    output: str
    lines: list[str]


Run = Callable[..., Done]

INTERLEAVED = [f"node{4 * bus + at:02}.cluster.local" for at in range(4) for bus in range(3)]


@pytest.fixture(autouse=True)
def _built(request: pytest.FixtureRequest) -> None:
    if "run" in request.fixturenames:
        try:
            native_program("quadrille-order")
        except QuadrilleError as missing:
            pytest.skip(str(missing))


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run the verb as the command line does."""

    def started(*arguments: str) -> Done:
        output = tmp_path / "ordered"
        command = ["order", "--model", str(MODEL), "-o", str(output), *arguments]
        result = CliRunner().invoke(build_app(), command)
        lines = output.read_text().splitlines() if output.exists() else []
        if isinstance(result.exception, QuadrilleError):
            return Done(result.exception.exit_code, str(result.exception), lines)
        return Done(result.exit_code, result.output, lines)

    return started


def crossings(hosts: list[str]) -> int:
    """Return how often a ring over `hosts` changes the bus."""
    return sum(BUS_OF[one] != BUS_OF[other] for one, other in zip(hosts, hosts[1:] + hosts[:1], strict=True))


def test_a_ring_over_interleaved_hosts_crosses_three_times(run: Run, tmp_path: Path) -> None:
    assert crossings(INTERLEAVED) == 12
    hosts = tmp_path / "hosts"
    hosts.write_text("".join(f"{name}\n" for name in INTERLEAVED))
    done = run("--ranks", "12", "--ring", "--hostfile", str(hosts))
    assert done.exit_code == 0, done.output
    assert sorted(done.lines) == sorted(INTERLEAVED)
    assert crossings(done.lines) == 3
    assert "between segments               12 -> 3" in done.output
    assert "mpirun -np 12 --hostfile" in done.output


def test_ranks_of_a_host_stay_within_its_places(run: Run) -> None:
    places = ",".join(f"{name}:2" for name in INTERLEAVED)
    done = run("--ranks", "24", "--cart", "4x6:periodic", "--hosts", places, "--format", "ompi-rankfile")
    assert done.exit_code == 0, done.output
    assert [line.split("=")[0] for line in done.lines] == [f"rank {rank}" for rank in range(24)]
    used = Counter(line.split("=", 1)[1] for line in done.lines)
    assert set(used.values()) == {1}, "two ranks share a slot"
    assert {line.split("slot=")[1] for line in done.lines} == {"0", "1"}


def test_a_graph_brings_those_together_who_exchange_most(run: Run, tmp_path: Path) -> None:
    graph = tmp_path / "edges"
    graph.write_text("# pairs\n0 3 100\n1 2 100  # much\n\n0 1\n")
    places = f"{INTERLEAVED[0]}:2,{INTERLEAVED[1]}:2"
    done = run("--ranks", "4", "--graph", str(graph), "--hosts", places, "--format", "mpich-machinefile")
    assert done.exit_code == 0, done.output
    hosts = [line.split(":")[0] for line in done.lines for _ in range(int(line.split(":")[1]))]
    assert hosts[0] == hosts[3]
    assert hosts[1] == hosts[2] != hosts[0]


def test_without_hosts_each_of_the_model_takes_one(run: Run) -> None:
    done = run("--ranks", "12", "--ring")
    assert done.exit_code == 0, done.output
    assert "no order is better than the launcher's own" in done.output
    assert done.lines == list(BUS_OF)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--ranks", "4"], "one of --cart, --ring and --graph"),
        (["--ranks", "4", "--ring", "--cart", "2x2"], "one of --cart, --ring and --graph"),
        (["--ranks", "4", "--cart", "2xx2"], "--cart 2xx2: expected sizes"),
        (["--ranks", "4", "--cart", "2x2:wrapped"], "expected sizes"),
        (["--ranks", "4", "--cart", "2x3"], "more cells than 4 ranks"),
        (["--ranks", "13", "--ring"], "12 places are too few for 13 ranks"),
        (["--ranks", "2", "--ring", "--hosts", "node00:1,elsewhere:1"], "does not know host 'elsewhere'"),
        (["--ranks", "2", "--ring", "--hosts", "node00:0"], "give 1 or more"),
        (["--ranks", "2", "--ring", "--format", "xml"], "choose one of"),
        (["--ranks", "2", "--graph", "/nowhere"], "/nowhere: cannot be read"),
    ],
)
def test_wrong_input_is_refused(run: Run, arguments: list[str], said: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 2, done.output
    assert said in done.output
    assert done.lines == []


def test_an_order_that_takes_too_long_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quadrille.order.mapping._TIMEOUT_S", 1e-6)
    done = run("--ranks", "12", "--ring")
    assert done.exit_code == 1 and "took over" in done.output


@pytest.mark.parametrize("line", ["0 1 2 3", "0", "0 12", "0 one", "0 1 -2", "0 1 x"])
def test_a_wrong_line_of_a_graph_is_named(run: Run, tmp_path: Path, line: str) -> None:
    graph = tmp_path / "edges"
    graph.write_text(f"0 1\n{line}\n")
    done = run("--ranks", "12", "--graph", str(graph))
    assert done.exit_code == 2, done.output
    assert "edges, line 2: " in done.output


def test_host_files_of_both_kinds_are_read(tmp_path: Path) -> None:
    path = tmp_path / "hosts"
    path.write_text("a slots=4 max_slots=8\nb:2 # two\n\nc\na\n")
    assert places_in_host_file(path) == {"a": 5, "b": 2, "c": 1}
    assert places_in_list("a:3,b") == {"a": 3, "b": 1}


@pytest.mark.parametrize("text", ["", "a slots=none\n", "a:0\n", "rank 0=a:b slot=1\n", "-x\n"])
def test_a_wrong_host_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "hosts"
    path.write_text(text)
    with pytest.raises(UsageError, match=str(path)):
        places_in_host_file(path)


def test_files_say_the_same_in_each_launchers_words() -> None:
    hosts = ["a", "a", "b", "a"]
    assert RANK_FILES["ompi-hostfile"].text(hosts) == "a\na\nb\na\n"
    assert RANK_FILES["mpich-machinefile"].text(hosts) == "a:2\nb:1\na:1\n"
    ranks = RANK_FILES["ompi-rankfile"].text(hosts).splitlines()
    assert ranks == ["rank 0=a slot=0", "rank 1=a slot=1", "rank 2=b slot=0", "rank 3=a slot=2"]

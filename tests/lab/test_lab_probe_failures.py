# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille probe` where it cannot measure: too few hosts, hosts that stop, firewalls, wrong models.

Each ends with words that name what is wrong, none hangs, and nothing is guessed.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lab_jobs import block_datagrams_to
from lab_traffic import needs_namespaces
from probe_trial import Trial, lab_name, probe, quadrille, skip_without_prober
from steal_time import Timing

from quadrille.errors import QuadrilleError
from quadrille.installation import native_directory
from quadrille.lab.ending import processes_inside
from quadrille.lab.lab import Lab
from quadrille.lab.ready_made import resolve

pytestmark = [pytest.mark.lab, pytest.mark.mpi, needs_namespaces, pytest.mark.timeout(150)]

FEW = "one_switch:hosts=4,rate_mbit=20"
PROBER = "quadrille-probe"


@pytest.fixture
def lab_without_prober() -> Iterator[Lab]:
    with Lab.up(resolve(FEW), lab_name("t-refuse")) as found:
        yield found


@pytest.fixture
def lab(lab_without_prober: Lab) -> Lab:
    skip_without_prober()
    return lab_without_prober


def refused(trial: Trial, *words: str) -> None:
    """Check that the probe failed with one line that has all of `words`, and wrote no model."""
    assert trial.exit_code == 1, trial.stderr
    assert trial.model is None
    assert "Traceback" not in trial.stderr
    assert any(all(word in line for word in words) for line in trial.stderr.splitlines()), trial.stderr


@pytest.mark.parametrize("ranks", [1, 2])
def test_one_host_has_nothing_to_measure_between(lab: Lab, tmp_path: Path, ranks: int) -> None:
    refused(probe(lab.launcher(hosts=["h0"], per_host=ranks), tmp_path), "one host")


def _when_probing(lab: Lab, host: str, act: Callable[[], object]) -> threading.Thread:
    """Do `act` one second after the prober runs on `host`."""

    def wait_and_act() -> None:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if any(_is_prober(pid) for pid in processes_inside(lab.state, [host])):
                time.sleep(1)
                act()
                return
            time.sleep(0.05)

    thread = threading.Thread(target=wait_and_act)
    thread.start()
    return thread


def _is_prober(pid: int) -> bool:
    try:
        return (
            PROBER
            in Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace").split("\0")[0]
        )
    except OSError:
        return False


@pytest.mark.parametrize(
    "fault", ["freeze", pytest.param("freeze processes only", marks=[pytest.mark.slow, pytest.mark.alone])]
)
def test_a_host_that_freezes_meanwhile_is_named(lab: Lab, tmp_path: Path, fault: str) -> None:
    thread = _when_probing(lab, "h2", lambda: lab.freeze("h2", cables=fault == "freeze"))
    try:
        refused(probe(lab.launcher(), tmp_path), "h2")
    finally:
        thread.join()
        lab.thaw("h2")


def test_a_host_that_dies_meanwhile_ends_the_probe_without_a_model(lab: Lab, tmp_path: Path) -> None:
    thread = _when_probing(lab, "h2", lambda: lab.kill("h2"))
    try:
        # The launcher may notice first and end the job: then it is the launcher's words that name the host.
        trial = probe(lab.launcher(), tmp_path)
    finally:
        thread.join()
        lab.thaw("h2")
    assert trial.exit_code == 1, trial.stderr
    assert trial.model is None
    assert "h2" in trial.stderr


def test_a_firewall_for_udp_on_one_host_is_told_and_that_host_is_not_guessed(
    lab: Lab, tmp_path: Path
) -> None:
    block_datagrams_to(lab, "h3")
    trial = probe(lab.launcher(), tmp_path)
    assert "h3" in trial.stderr + json.dumps(trial.model and trial.model["warnings"]), trial.stderr
    if trial.model is not None:
        assert all("h3" not in segment["hosts"] for segment in trial.model["segments"])


def test_a_firewall_for_udp_everywhere_is_told(lab: Lab, tmp_path: Path) -> None:
    for host in lab.state.hosts:
        block_datagrams_to(lab, host)
    refused(probe(lab.launcher(), tmp_path), "UDP")


def _program() -> str:
    try:
        path = native_directory() / "tests" / "late_rank-ompi"
    except QuadrilleError as missing:
        pytest.skip(str(missing))
    if not path.exists():
        pytest.skip(f"{path} is not built")
    return str(path)


@pytest.mark.parametrize(
    ("contents", "said"),
    [
        ('{"segments": [{"hosts": ["h0", "h1"', "JSON"),
        ("", "empty"),
        ('{"segments": [{"hosts": ["elsewhere"], "kind": "bus"}]}', "h0"),
    ],
    ids=["truncated", "empty", "other hosts"],
)
def test_a_program_runs_on_without_a_model_that_does_not_fit(
    lab_without_prober: Lab, tmp_path: Path, contents: str, said: str
) -> None:
    model = tmp_path / "model.json"
    model.write_text(contents, encoding="utf-8")
    environment = {"QUADRILLE_MODEL": str(model)}
    result = lab_without_prober.run([_program(), "0"], environment=environment, quadrille=True, timeout_s=60)
    assert result.exit_code == 0, result.output
    assert said in result.output, result.output


def test_run_refuses_a_truncated_model(lab_without_prober: Lab, tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    model.write_text('{"segments": [{"hosts": ["h0", "h1"', encoding="utf-8")
    result = quadrille("run", "--model", str(model), "--", *lab_without_prober.launcher(), "true")
    assert result.returncode == 2, result.stderr
    assert "model.json is no JSON" in result.stderr


def test_a_check_says_what_changed(lab: Lab, tmp_path: Path, timing: Timing) -> None:
    first = probe(lab.launcher(), tmp_path)
    assert first.exit_code == 0, first.stderr
    model = str(tmp_path / "model.json")
    same = quadrille("probe", "--check", model, "--", *lab.launcher())
    with Lab.up(
        resolve("two_switches_one_trunk:hosts=4,rate_mbit=20,trunk_mbit=10"), lab_name("t-changed")
    ) as other:
        changed = quadrille("probe", "--check", model, "--", *other.launcher())
    assert changed.returncode == 1, changed.stdout + changed.stderr
    assert "segment" in changed.stdout + changed.stderr
    with timing.judged():
        assert same.returncode == 0, same.stdout + same.stderr


def test_a_check_of_a_model_for_other_hosts_names_a_host(lab: Lab, tmp_path: Path) -> None:
    model = tmp_path / "other.json"
    model.write_text('{"segments": [{"hosts": ["a0", "a1"], "kind": "switch"}]}', encoding="utf-8")
    result = quadrille("probe", "--check", str(model), "--", *lab.launcher())
    assert result.returncode in (1, 2)
    assert "a0" in result.stdout + result.stderr or "h0" in result.stdout + result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    "contents", ['{"segments": [{"hosts": ["h0"', '{"segments": 7}'], ids=["truncated", "edited"]
)
def test_a_check_of_a_broken_model_is_refused_before_anything_starts(
    lab: Lab, tmp_path: Path, contents: str
) -> None:
    model = tmp_path / "broken.json"
    model.write_text(contents, encoding="utf-8")
    result = quadrille("probe", "--check", str(model), "--", *lab.launcher())
    assert result.returncode == 2, result.stdout + result.stderr
    assert "broken.json" in result.stderr

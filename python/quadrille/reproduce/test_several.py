# SPDX-License-Identifier: BSD-3-Clause
"""Series of experiments: one that fails stops nothing, an interrupt keeps what has ended."""

from __future__ import annotations

from dataclasses import replace

from quadrille.errors import QuadrilleError
from quadrille.reproduce.experiment import Effect, Experiment
from quadrille.reproduce.several import failures, run_series, summary_lines
from quadrille.reproduce.test_running import counting

THREE = [replace(counting(), id=name) for name in ("first", "second", "third")]


def ending(name: str, error: BaseException) -> tuple[list[str], list[str], list[str]]:
    """Return what ran, the failures and the summary of three experiments of which `name` ends by `error`."""
    ran = []

    def run(experiment: Experiment) -> list[Effect]:
        ran.append(experiment.id)
        if experiment.id == name:
            raise error
        return [Effect("grows", True, "2 to 3"), Effect("falls", None, "too few hosts")]

    series = run_series(THREE, run, lambda _text: None)
    return ran, failures(series), summary_lines(series)


def test_one_that_fails_stops_nothing_and_is_told_with_its_reason() -> None:
    ran, failed, summary = ending("second", QuadrilleError("no lab"))
    assert ran == ["first", "second", "third"] and failed == ["second failed"]
    text = "\n".join(summary)
    assert "1 of 2 effects seen" in summary[0] and "not shown: falls: too few hosts" in summary[1]
    assert "failed, 0 s\n  no lab" in text and "third" in text


def test_a_disk_that_is_full_fails_one_experiment() -> None:
    ran, failed, _ = ending("first", OSError(28, "No space left on device"))
    assert ran == ["first", "second", "third"] and failed == ["first failed"]


def test_a_defect_fails_one_experiment_too() -> None:
    ran, failed, _ = ending("first", KeyError("model"))
    assert ran == ["first", "second", "third"] and failed == ["first failed"]


def test_an_interrupt_ends_the_series_and_names_what_is_missing() -> None:
    ran, failed, summary = ending("second", KeyboardInterrupt())
    assert ran == ["first", "second"] and not failed
    assert "second               interrupted" in summary[-2] and "third                not run" in summary[-1]


def test_an_effect_that_must_appear_fails_the_series() -> None:
    missing = [Effect("grows", False, "flat"), Effect("falls", False, "flat", must_appear=False)]
    series = run_series(THREE[:1], lambda _experiment: missing, lambda _text: None)
    assert failures(series) == ["first: grows not seen"]
    assert "NOT SEEN: grows: flat" in summary_lines(series)[1]

# SPDX-License-Identifier: BSD-3-Clause
"""Reading a real log: `mdrun_excerpt.log` is the end of one that GROMACS 2022.5 wrote on 16 ranks."""

from __future__ import annotations

from pathlib import Path

import pytest

from quadrille.demo.mdrun_log import largest_difference, read_mdrun_log
from quadrille.errors import QuadrilleError

LOG = (Path(__file__).parent / "mdrun_excerpt.log").read_text()


def test_times_of_the_counted_steps_are_read() -> None:
    figures = read_mdrun_log(LOG)
    assert (figures.steps, figures.wall_s, figures.fft_communication_s) == (21, 10.804, 5.469)
    assert figures.communication_s == pytest.approx(1.154 + 0.628 + 1.598 + 5.469 + 0.030)


def test_one_rank_communicates_nothing() -> None:
    rows = ("Comm. coord.", "Wait + Comm. F", "PME redist. X/F", "PME 3D-FFT Comm.", "Comm. energies")
    without = "\n".join(line for line in LOG.splitlines() if not line.strip().startswith(rows))
    with pytest.raises(QuadrilleError, match="did not reach its end"):
        read_mdrun_log(without)
    figures = read_mdrun_log(without.replace("On 16 MPI ranks", "On 1 MPI rank"))
    assert (figures.communication_s, figures.fft_communication_s) == (0, 0)
    assert figures.wall_s == 10.804


def test_energies_are_those_of_the_last_step_not_the_averages() -> None:
    assert read_mdrun_log(LOG).energies == {
        "LJ (SR)": 2.19384e05,
        "Coulomb (SR)": -1.45235e06,
        "Coul. recip.": 8.37925e03,
        "Potential": -1.22459e06,
        "Kinetic En.": 1.80900e05,
        "Total Energy": -1.04369e06,
    }


@pytest.mark.parametrize("missing", [" PME 3D-FFT", "       Time:", "   Energies (kJ", " PME mesh"])
def test_a_log_that_was_cut_off_is_an_error(missing: str) -> None:
    with pytest.raises(QuadrilleError, match="did not reach its end"):
        read_mdrun_log(LOG.replace(missing, " gone"))


def test_the_largest_relative_difference_counts() -> None:
    one = {"Potential": -1000.0, "Kinetic En.": 100.0}
    assert largest_difference(one, one) == 0
    assert largest_difference(one, {"Potential": -1001.0, "Kinetic En.": 101.0}) == pytest.approx(1 / 101)

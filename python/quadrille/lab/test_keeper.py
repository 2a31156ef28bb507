# SPDX-License-Identifier: BSD-3-Clause
"""What a keeper says of a lab that is not quite as asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from quadrille.lab import keeper
from quadrille.lab.ready_made import resolve
from quadrille.lab.wiring import wire


@pytest.mark.parametrize("has_netfilter", [True, False])
def test_where_a_sender_notices_what_waits_in_switches(
    has_netfilter: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper, "BRIDGE_SETTINGS", tmp_path if has_netfilter else tmp_path / "none")
    limited = keeper.notes_on_queues(wire(resolve("one_switch:hosts=2")))
    assert ["br_netfilter" in note for note in limited] == ([] if has_netfilter else [True])
    assert keeper.notes_on_queues(wire(resolve("unlimited:hosts=2"))) == []

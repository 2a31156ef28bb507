# SPDX-License-Identifier: BSD-3-Clause
"""`libquadrille-sleeping-yield.so`: who gives up its core sleeps, and uses no processor time meanwhile."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from quadrille.installation import native_directory

_YIELDS = 5000
_PROGRAM = f"""
import os, time
began, used = time.monotonic(), time.process_time()
for _ in range({_YIELDS}): os.sched_yield()
print(time.monotonic() - began, time.process_time() - used)
"""

pytestmark = [pytest.mark.alone, pytest.mark.timeout(60)]


def test_a_rank_that_gives_up_its_core_sleeps() -> None:
    environment = {**os.environ, "LD_PRELOAD": str(native_directory() / "libquadrille-sleeping-yield.so")}
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], env=environment, capture_output=True, text=True, check=True
    )
    took, used = map(float, done.stdout.split())
    assert took >= _YIELDS * 20e-6
    assert used < 0.75 * took

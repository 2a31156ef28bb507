# SPDX-License-Identifier: BSD-3-Clause
"""What `scripts/build_aarch64_tests.sh` has cross-compiled, under qemu-user: bytes and plans are the same."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from quadrille.installation import native_directory

pytestmark = [pytest.mark.timeout(600)]

BUILT = Path(__file__).resolve().parents[2] / ".wheel" / "aarch64" / "tests"
C_LIBRARY = Path("/usr/aarch64-linux-gnu")
UNIT_TESTS = {
    "base": "*",
    "schedule": "*",
    "network": "*",
    "wire": "Packet*:*PacketSeal*:Sealed*:Endpoint*:*Flow*:SendGroup*:Sequence*:*Stranger*:FreedChannel*",
}
"""Suites whose code reads and writes bytes that other hosts see, and what it stands on."""


def emulated(program: str, *arguments: str) -> list[str]:
    qemu = shutil.which("qemu-aarch64")
    if qemu is None or not C_LIBRARY.exists() or not (BUILT / program).exists():
        pytest.skip("nothing cross-compiled here; scripts/build_aarch64_tests.sh does it")
    return [qemu, "-L", str(C_LIBRARY), str(BUILT / program), *arguments]


def here(program: str, *arguments: str) -> list[str]:
    return [str(native_directory() / program), *arguments]


def output(command: list[str]) -> str:
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.mark.parametrize("layer", UNIT_TESTS)
def test_units_are_right(layer: str) -> None:
    chosen = f"--gtest_filter={UNIT_TESTS[layer]}"
    assert "[  PASSED  ]" in output(emulated(f"quadrille_{layer}_test", "--gtest_brief=1", chosen))


@pytest.mark.parametrize(
    "call",
    [
        ("alltoall_granted", "12", "65536"),
        ("allreduce_hierarchical", "12", "1000000"),
        ("bcast_multicast", "9", "300000"),
    ],
    ids=lambda call: call[0],
)
def test_schedules_are_the_same_and_checked(call: tuple[str, str, str]) -> None:
    algorithm, ranks, size = call
    collective = algorithm.partition("_")[0]
    shape = ["--collective", collective, "--algorithm", algorithm, "--ranks", ranks, "--bytes", size]
    output(emulated("quadrille-plan", "check", *shape))
    assert output(emulated("quadrille-plan", "dump", *shape)) == output(
        here("quadrille-plan", "dump", *shape)
    )


@pytest.mark.parametrize("first_is_emulated", [True, False])
def test_messages_cross_the_wire_between_architectures(first_is_emulated: bool) -> None:
    pair = [emulated("quadrille_wire_pair"), here("quadrille_wire_pair")]
    if not first_is_emulated:
        pair.reverse()
    to_second, from_first = os.pipe()
    to_first, from_second = os.pipe()
    first = subprocess.Popen(
        [*pair[0], "0"], stdin=to_first, stdout=from_first, stderr=subprocess.PIPE, text=True
    )
    second = subprocess.Popen(
        [*pair[1], "1"], stdin=to_second, stdout=from_second, stderr=subprocess.PIPE, text=True
    )
    for descriptor in (to_second, from_first, to_first, from_second):
        os.close(descriptor)
    try:
        told = [process.communicate(timeout=120)[1] for process in (first, second)]
    finally:
        for process in (first, second):
            process.kill()
    assert (first.returncode, second.returncode) == (0, 0), told
    assert told[0].count("correct=1") == 10, told

# SPDX-License-Identifier: BSD-3-Clause
"""Runs clang-tidy over src/, two files at a time, leaving out what has not changed since it was found clean.

A file counts as unchanged when it, all headers of the project it includes, its compile command, the checks
and clang-tidy itself are what they were; a digest over them is the name of an empty file in build/tidy. A
file that is compiled for several MPI ABIs is checked for the first. The build joins files; how each would be
compiled alone is asked of CMake. Tests and benchmarks are left to the
compiler's warnings: the macros of their frameworks take most of the time and are not ours.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CLEAN = ROOT / "build" / "tidy"
ALONE = CLEAN / "alone"
CLANG_TIDY = Path(sys.executable).with_name("clang-tidy")
OWN_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def own_files(start: Path) -> list[Path]:
    """Return `start` and every file of the project it includes, directly or not, in the order found."""
    found = [start]
    for path in found:
        for name in OWN_INCLUDE.findall(path.read_text(encoding="utf-8")):
            candidates = (path.parent / name, ROOT / "src" / name)
            included = next((candidate for candidate in candidates if candidate.exists()), None)
            if included is not None and included not in found:
                found.append(included)
    return found


def stamp(source: Path, command: str) -> Path:
    """Return the file that exists when `source` was found clean as it is now."""
    tool = f"{command} {version('clang-tidy')}"
    digest = hashlib.sha256(tool.encode() + (ROOT / ".clang-tidy").read_bytes())
    for path in own_files(source):
        digest.update(path.read_bytes())
    return CLEAN / digest.hexdigest()


def check(source: Path) -> bool:
    """Run clang-tidy on one file; print what it found and return whether that is nothing."""
    done = subprocess.run(
        # GCC's library uses what it declares deprecated itself, which GCC does not report.
        [CLANG_TIDY, "--quiet", "-p", CLEAN, "--extra-arg=-Wno-deprecated-declarations", source],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        print(done.stdout.strip() or done.stderr.strip(), flush=True)
    return done.returncode == 0


def commands_alone() -> list[dict[str, str]]:
    """Return how each file would be compiled that is not joined with others."""
    options = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DCMAKE_UNITY_BUILD=OFF"]
    subprocess.run(["cmake", "-S", ROOT, "-B", ALONE, *options], check=True, stdout=subprocess.DEVNULL)
    commands: list[dict[str, str]] = json.loads((ALONE / "compile_commands.json").read_text(encoding="utf-8"))
    return commands


def main() -> int:
    """Check what changed; return 1 if anything was found."""
    CLEAN.mkdir(parents=True, exist_ok=True)
    entries = {}
    for entry in commands_alone():
        source = (Path(entry["directory"]) / entry["file"]).resolve()
        if (ROOT / "src") in source.parents and not re.search(r"_(test|benchmark)\.\w+$", source.name):
            entries.setdefault(source, entry)
    # clang-tidy checks a file once for each entry it finds.
    (CLEAN / "compile_commands.json").write_text(json.dumps(list(entries.values())), encoding="utf-8")
    waiting = {source: stamp(source, entry["command"]) for source, entry in entries.items()}
    stale = sorted(source for source, mark in waiting.items() if not mark.exists())
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        clean = list(pool.map(check, stale))
    for source, is_clean in zip(stale, clean, strict=True):
        if is_clean:
            waiting[source].touch()
    print(f"clang-tidy: {len(stale)} of {len(waiting)} files checked, {clean.count(False)} with findings")
    return 0 if all(clean) else 1


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: BSD-3-Clause
"""Runs clang-tidy over src/, two files at a time, leaving out what has not changed since it was found clean.

A file counts as unchanged when it, all headers of the project it includes, its compile command and the checks
are what they were; a digest over them is the name of an empty file in build/tidy. Tests and benchmarks are
left to the compiler's warnings: the macros of their frameworks take most of the time and are not ours.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CLEAN = ROOT / "build" / "tidy"
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
    digest = hashlib.sha256(command.encode() + (ROOT / ".clang-tidy").read_bytes())
    for path in own_files(source):
        digest.update(path.read_bytes())
    return CLEAN / digest.hexdigest()


def check(source: Path) -> bool:
    """Run clang-tidy on one file; print what it found and return whether that is nothing."""
    done = subprocess.run(
        ["clang-tidy", "--quiet", "-p", str(ROOT / "build"), str(source)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        print(done.stdout.strip() or done.stderr.strip(), flush=True)
    return done.returncode == 0


def main() -> int:
    """Check what changed; return 1 if anything was found."""
    CLEAN.mkdir(parents=True, exist_ok=True)
    commands = json.loads((ROOT / "build" / "compile_commands.json").read_text(encoding="utf-8"))
    waiting = {}
    for entry in commands:
        source = (Path(entry["directory"]) / entry["file"]).resolve()
        if (ROOT / "src") in source.parents and not re.search(r"_(test|benchmark)\.\w+$", source.name):
            waiting.setdefault(source, stamp(source, entry["command"]))
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

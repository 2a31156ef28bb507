# SPDX-License-Identifier: BSD-3-Clause
"""Runs clang-tidy over src/, two at a time, leaving out what has not changed since it was found clean.

A file counts as unchanged when it, all headers of the project it includes, its compile command, the checks
and clang-tidy itself are what they were; a digest over them is the name of an empty file in build/tidy. A
file that is compiled for several MPI ABIs is checked for the first. The build joins files; how each would be
compiled alone is asked of CMake. Tests and benchmarks are left to the
compiler's warnings: the macros of their frameworks take most of the time and are not ours.

Files that are compiled alike are checked joined, ten at a time, as their headers take most of the time;
where anything is found, each of the ten is checked alone. Two of clang-tidy's checks look at no included
file: names that a file brings in by `using` or as a namespace's alias, and never uses, are looked for here.
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
JOINED = CLEAN / "joined"
AT_A_TIME = 10
BROUGHT_IN = re.compile(r"^\s*(?:using\s+(?:::)?(?:\w+::)+(\w+)\s*;|namespace\s+(\w+)\s*=)", re.MULTILINE)
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


def unused_names(text: str) -> list[str]:
    """Return what a source file brings in by `using` or as an alias, and does not name again."""
    names = [one or other for one, other in BROUGHT_IN.findall(text)]
    return [name for name in names if len(re.findall(rf"\b{name}\b", text)) == names.count(name)]


def run_tidy(source: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run clang-tidy on a file that it finds in its database."""
    return subprocess.run(
        # GCC's library uses what it declares deprecated itself, which GCC does not report.
        [CLANG_TIDY, "--quiet", "-p", CLEAN, "--extra-arg=-Wno-deprecated-declarations", *options, source],
        capture_output=True,
        text=True,
        check=False,
    )


def check(source: Path) -> bool:
    """Run clang-tidy on one file; print what it found and return whether that is nothing."""
    done = run_tidy(source)
    if done.returncode != 0:
        print(done.stdout.strip() or done.stderr.strip(), flush=True)
    return done.returncode == 0


def check_all(sources: list[Path]) -> list[Path]:
    """Check files that are compiled alike; return those that are clean."""
    clean = []
    for source in sources:
        unused = unused_names(source.read_text(encoding="utf-8")) if source.suffix == ".cpp" else []
        if unused:
            print(f"{source}: not used: {', '.join(unused)}", flush=True)
        else:
            clean.append(source)
    # Included they are, and meant to be.
    if (
        len(sources) > 1
        and run_tidy(joined(sources), "--checks=-bugprone-suspicious-include").returncode == 0
    ):
        return clean
    return [source for source in sources if check(source) and source in clean]


def joined(sources: list[Path]) -> Path:
    """Return the file that includes `sources`."""
    name = hashlib.sha256(str(sources).encode()).hexdigest()[:16]
    return JOINED / f"{name}.cpp"


def batches(sources: list[Path], entries: dict[Path, dict[str, str]]) -> list[list[Path]]:
    """Return `sources` by how they are compiled, C++ ten at a time, with entries for what joins them."""
    alike: dict[str, list[Path]] = {}
    for source in sources:
        options = re.sub(r" -o \S+ -c \S+$", "", entries[source]["command"])
        alike.setdefault(options if source.suffix == ".cpp" else str(source), []).append(source)
    found = [
        group[start : start + AT_A_TIME]
        for group in alike.values()
        for start in range(0, len(group), AT_A_TIME)
    ]
    JOINED.mkdir(exist_ok=True)
    for batch in found:
        if len(batch) > 1:
            path, first = joined(batch), entries[batch[0]]
            path.write_text("".join(f'#include "{source}"\n' for source in batch), encoding="utf-8")
            command = first["command"].replace(first["file"], str(path))
            entries[path] = {"directory": first["directory"], "file": str(path), "command": command}
    return found


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
    waiting = {source: stamp(source, entry["command"]) for source, entry in entries.items()}
    stale = sorted(source for source, mark in waiting.items() if not mark.exists())
    together = batches(stale, entries)
    # clang-tidy checks a file once for each entry it finds.
    (CLEAN / "compile_commands.json").write_text(json.dumps(list(entries.values())), encoding="utf-8")
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        clean = [source for some in pool.map(check_all, together) for source in some]
    for source in clean:
        waiting[source].touch()
    print(
        f"clang-tidy: {len(stale)} of {len(waiting)} files checked, {len(stale) - len(clean)} with findings"
    )
    return 0 if len(clean) == len(stale) else 1


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: BSD-3-Clause
"""Recognises the MPI launcher in a command line and hands environment variables to the ranks it starts.

A launcher line is a list of arguments such as `timeout 60 mpirun -np 4 ./app`. The launcher in it is found
behind any number of wrapper programs, asked once for its version, and the line is returned with each variable
added the way that launcher carries variables to remote hosts. Values travel in the launcher's environment and
only names stand on its command line, because other users can read command lines; LD_PRELOAD is the exception:
given by value, so that it reaches the ranks but neither the launcher nor the ssh it starts.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from quadrille.errors import UsageError
from quadrille.launcher_program import words_of_launcher

Mpi = Literal["ompi", "mpich", "impi", "srun", "unknown"]

_LAUNCHER_NAME = re.compile(r"(mpirun|mpiexec|orterun|prterun|srun)([._-](openmpi|mpich|hydra|ompi))?")


@dataclass(frozen=True)
class _Wrapper:
    """How to step over a program that starts another: options with a value of their own, leading words."""

    valued_options: frozenset[str] = frozenset()
    words: int = 0
    keeps_environment: bool = True


_WRAPPERS = {
    "env": _Wrapper(frozenset({"-u", "-C", "--unset", "--chdir"})),
    "timeout": _Wrapper(frozenset({"-k", "-s", "--kill-after", "--signal"}), words=1),
    "nice": _Wrapper(frozenset({"-n", "--adjustment"})),
    "ionice": _Wrapper(frozenset({"-c", "-n", "--class", "--classdata"})),
    "taskset": _Wrapper(words=1),
    "chrt": _Wrapper(frozenset({"-T", "-P", "-D"}), words=1),
    "nohup": _Wrapper(),
    "setsid": _Wrapper(),
    "time": _Wrapper(frozenset({"-f", "-o", "--format", "--output"})),
    "stdbuf": _Wrapper(frozenset({"-i", "-o", "-e", "--input", "--output", "--error"})),
    "numactl": _Wrapper(frozenset({"-N", "-m", "-C", "-i", "-p"})),
    "ip": _Wrapper(frozenset({"-n", "-netns", "-family"}), words=3),  # ip netns exec NAME
    "nsenter": _Wrapper(frozenset({"-t", "-S", "-G", "--target", "--setuid", "--setgid"})),
    "unshare": _Wrapper(frozenset({"-S", "-G", "-R", "-w"})),
    "sudo": _Wrapper(frozenset({"-u", "-g", "-h", "-C", "--user", "--group"}), keeps_environment=False),
}
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")


@dataclass(frozen=True)
class Launcher:
    """One launcher line: `argv` with the launcher at `position`, its MPI, version text and resolved path."""

    argv: tuple[str, ...]
    position: int
    mpi: Mpi
    version: str
    path: Path | None
    keeps_environment: bool = True

    @property
    def library_directory(self) -> Path | None:
        """Directory with the libmpi.so beside this launcher; None when the dynamic linker has to know it."""
        if self.path is None:
            return None
        prefix = self.path.parent.parent
        for name in ("lib", "lib64"):
            if next((prefix / name).glob("libmpi.so*"), None) is not None:
                return prefix / name
        return None

    def with_environment(self, variables: Mapping[str, str]) -> list[str]:
        """Return the line that gives every rank `variables` when started with `launcher_environment`."""
        head, tail = self.argv[: self.position], self.argv[self.position + 1 :]
        if self.mpi == "ompi":
            tail = _with_open_mpi_exports(tail, variables)
        elif self.mpi in ("mpich", "impi"):
            tail = _with_hydra_exports(tail, variables)
        elif self.mpi == "srun":
            tail = _with_srun_exports(tail, variables)
        if not self.keeps_environment:
            kept = self.launcher_environment(variables)
            head = (*head, "env", *(f"{name}={value}" for name, value in kept.items()))
        return [*head, self.argv[self.position], *tail]

    def launcher_environment(self, variables: Mapping[str, str]) -> dict[str, str]:
        """Return those of `variables` that the launcher itself needs: all, but LD_PRELOAD if it can."""
        if self.mpi == "unknown":
            return dict(variables)
        return {name: value for name, value in variables.items() if name != "LD_PRELOAD"}


def detect_launcher(argv: Sequence[str]) -> Launcher:
    """Find the launcher in `argv`; a line that holds none is returned with `mpi="unknown"`.

    Raises UsageError when the line is empty or its program does not exist.
    """
    if not argv:
        raise UsageError(
            "no launcher given; write it after `--`, as in `quadrille run -- mpirun -np 4 ./app`"
        )
    if shutil.which(argv[0]) is None:
        raise UsageError(f"launcher {argv[0]!r} not found; give its path or add its directory to PATH")
    position, search_path, keeps_environment = _skip_wrappers(argv)
    if position is None or not _LAUNCHER_NAME.fullmatch(Path(argv[position]).name):
        return Launcher(tuple(argv), position or 0, "unknown", "", None)
    found = shutil.which(argv[position], path=search_path)
    if found is None:
        raise UsageError(f"launcher {argv[position]!r} not found; give its path or add its directory to PATH")
    mpi, version = _identify(Path(found))
    return Launcher(tuple(argv), position, mpi, version, Path(found).resolve(), keeps_environment)


def _skip_wrappers(argv: Sequence[str]) -> tuple[int | None, str | None, bool]:
    """Return where the first word that is no wrapper stands, its PATH, and if the environment reaches it."""
    index, search_path, keeps = 0, os.environ.get("PATH"), True
    while index < len(argv):
        name = Path(argv[index]).name
        wrapper = _WRAPPERS.get(name)
        if wrapper is None:
            return index, search_path, keeps
        keeps = keeps and wrapper.keeps_environment
        words = wrapper.words
        index += 1
        while index < len(argv):
            word = argv[index]
            if name == "env" and word in ("-", "-i", "--ignore-environment"):
                keeps = False
            if word.startswith("-"):
                index += 2 if word in wrapper.valued_options else 1
            elif name in ("env", "sudo") and _ASSIGNMENT.match(word):
                search_path = word[5:] if word.startswith("PATH=") else search_path
                index += 1
            elif words > 0:
                words -= 1
                index += 1
            else:
                break
    return None, search_path, keeps


def _identify(launcher: Path) -> tuple[Mpi, str]:
    """Ask `launcher` for its version; its own directory is put on PATH because Intel's script needs that."""
    if launcher.name == "srun":
        return "srun", ""
    environment = {**os.environ, "PATH": f"{launcher.parent}:{os.environ.get('PATH', '')}"}
    environment.pop("LD_PRELOAD", None)
    try:
        answer = subprocess.run(
            [str(launcher), "--version"],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return "unknown", ""
    text = answer.stdout + answer.stderr
    patterns: tuple[tuple[Mpi, str], ...] = (
        ("ompi", r"\((?:Open MPI|PRRTE|OpenRTE)\)\s+(\S+)"),
        ("impi", r"Intel\(R\) MPI Library.*Version (\S+)"),
        ("mpich", r"HYDRA build details:\s+Version:\s+(\S+)"),
    )
    for mpi, pattern in patterns:
        if match := re.search(pattern, text):
            return mpi, match.group(1)
    return "unknown", ""


def _with_open_mpi_exports(tail: Sequence[str], variables: Mapping[str, str]) -> tuple[str, ...]:
    """Add `-x` to every application context: Open MPI 4 gives each only its own (4.1.4 and 5.0.11 tested)."""
    return _in_each_context(tail, lambda context: _context_with_exports(context, variables))


def _in_each_context(tail: Sequence[str], change: Callable[[list[str]], list[str]]) -> tuple[str, ...]:
    """Return the words behind a launcher with every application context, which colons part, changed."""
    words: list[str] = []
    start = 0
    for index in [*(index for index, word in enumerate(tail) if word == ":"), len(tail)]:
        words += [*([":"] if start else []), *change(list(tail[start:index]))]
        start = index + 1
    return tuple(words)


def _context_with_exports(context: Sequence[str], variables: Mapping[str, str]) -> list[str]:
    """Return one application context with the variables exported; what it exports by itself stays its own.

    A library that the context preloads by itself is kept, in front of ours. The program's own words stay.
    """
    words = list(context)
    exported = set()
    for index, word in enumerate(words[: words_of_launcher(words)][:-1]):
        if word in ("--app", "-app"):
            words[index + 1] = _appfile_with_exports(words[index + 1], variables)
        if word == "-x":
            name, _, value = words[index + 1].partition("=")
            exported.add(name)
            if name == "LD_PRELOAD" and name in variables:
                words[index + 1] = f"{name}={':'.join(filter(None, (value, variables[name])))}"
    exports: list[str] = []
    for name, value in variables.items():
        if name not in exported:
            exports += ["-x", f"{name}={value}" if name == "LD_PRELOAD" else name]
    return [*exports, *words]


def _appfile_with_exports(appfile: str, variables: Mapping[str, str]) -> str:
    """Return a path to a copy of `appfile` with the exports on every line, which is one application context.

    The copy lives in anonymous memory that the launcher inherits across exec, so there is nothing to remove.
    """
    try:
        lines = Path(appfile).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise UsageError(f"application file {appfile!r} cannot be read: {error.strerror}") from error
    descriptor = os.memfd_create("appfile", flags=0)
    for line in lines:
        if line.strip() and not line.lstrip().startswith("#"):
            line = shlex.join(_context_with_exports(shlex.split(line), variables))
        os.write(descriptor, f"{line}\n".encode())
    os.lseek(descriptor, 0, os.SEEK_SET)
    return f"/proc/self/fd/{descriptor}"


def _with_hydra_exports(tail: Sequence[str], variables: Mapping[str, str]) -> tuple[str, ...]:
    """Hydra carries its own environment to the ranks, unless the line restricts it to a list or nothing."""
    names = [name for name in variables if name != "LD_PRELOAD"]
    preload = variables.get("LD_PRELOAD")
    words = ["-genv", "LD_PRELOAD", preload] if preload else []
    for index, word in enumerate(tail):
        before = [earlier.replace("--", "-") for earlier in tail[max(index - 2, 0) : index]]
        if word.replace("--", "-") in ("-genvnone", "-envnone"):
            words += [f"{word.removesuffix('none')}list", ",".join(names)]
        elif before[-1:] in (["-genvlist"], ["-envlist"]):
            words.append(",".join([word, *names]))
        elif preload and before in (["-genv", "LD_PRELOAD"], ["-env", "LD_PRELOAD"]):
            words.append(f"{word}:{preload}")
        else:
            words.append(word)
    return tuple(words)


def _with_srun_exports(tail: Sequence[str], variables: Mapping[str, str]) -> tuple[str, ...]:
    """`srun` exports its whole environment unless `--export` lists names and values.

    Of a heterogeneous step each component, behind a colon, has options of its own.
    """
    named = [f"{name}={value}" if name == "LD_PRELOAD" else name for name, value in variables.items()]
    return _in_each_context(tail, lambda component: _component_with_exports(component, named))


def _component_with_exports(component: list[str], named: Sequence[str]) -> list[str]:
    own = words_of_launcher(component)
    given = "ALL"
    kept = []
    words = iter(component[:own])
    for word in words:
        if word == "--export":
            given = next(words, "ALL")
        elif word.startswith("--export="):
            given = word.removeprefix("--export=")
        else:
            kept.append(word)
    listed = [part for part in given.split(",") if part not in ("", "NONE", "NIL")]
    return [f"--export={','.join([*listed, *named])}", *kept, *component[own:]]

# SPDX-License-Identifier: BSD-3-Clause
"""What keeps an MPI library from the libfabric provider although `--fabric on` asks for it.

The variables that `quadrille run` sets are the weakest word that a job hears: options of its launcher's line,
what the launcher reads from its own files, and variables that the user has set himself may choose another
transport, and the job would run on without a word. They are looked for here, each MPI library's by its own
rules. What the provider's own variables win over is no choice: Open MPI's `openmpi-mca-params.conf` loses
against the environment (Debian's says `mtl = ^ofi`), and its `btl` carries nothing where `pml` is `cm`.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from quadrille.launcher_program import words_of_launcher
from quadrille.launchers import Launcher

_PROVIDER = "libquadrille-fi.so"
_MCA = "OMPI_MCA_"
_MCA_OPTIONS = ("mca", "gmca", "omca")
_HYDRA_OPTIONS = ("genv", "env")


@dataclass(frozen=True)
class Choice:
    """One word that chooses a transport: what variable it sets, and itself and its place, for people."""

    variable: str
    value: str
    word: str


def _listed(name: str) -> Callable[[str], bool]:
    """Admit a list, parted by commas, that has `name`, or that begins with ^ and has not."""

    def admits(value: str) -> bool:
        names = {word.strip().lower().partition(";")[0] for word in value.removeprefix("^").split(",")}
        return not value.strip() or (name in names) != value.startswith("^")

    return admits


def _not_listed(name: str) -> Callable[[str], bool]:
    return lambda value: name not in {word.strip().lower() for word in value.split(",")}


def _holds_provider(value: str) -> bool:
    return any((Path(folder) / _PROVIDER).exists() for folder in value.split(":"))


_LIBFABRIC = {"FI_PROVIDER": _listed("quadrille"), "FI_PROVIDER_PATH": _holds_provider}
_OPEN_MPI = {
    f"{_MCA}pml": _listed("cm"),
    f"{_MCA}mtl": _listed("ofi"),
    f"{_MCA}mtl_ofi_provider_include": _listed("quadrille"),
    f"{_MCA}mtl_ofi_provider_exclude": _not_listed("quadrille"),
    f"{_MCA}opal_common_ofi_provider_include": _listed("quadrille"),
    f"{_MCA}opal_common_ofi_provider_exclude": _not_listed("quadrille"),
}
_MPICH = {
    "MPIR_CVAR_CH4_NETMOD": _listed("ofi"),
    "MPIR_CVAR_OFI_USE_PROVIDER": _listed("quadrille"),
}
_INTEL_MPI = {
    "I_MPI_FABRICS": lambda value: not value or "ofi" in value.lower().split(":"),
    "I_MPI_OFI_PROVIDER": _listed("quadrille"),
}
_RULES: Mapping[str, Mapping[str, Callable[[str], bool]]] = {
    "ompi": {**_LIBFABRIC, **_OPEN_MPI},
    "mpich": {**_LIBFABRIC, **_MPICH},
    "impi": {**_LIBFABRIC, **_INTEL_MPI},
}
_ALL_RULES = {**_LIBFABRIC, **_OPEN_MPI, **_MPICH, **_INTEL_MPI}
# Set by the environment scripts of MPI installations for their own providers; `run` sets it anew.
_NO_CHOICE_OF_THE_ENVIRONMENT = ("FI_PROVIDER_PATH",)


def other_transports(launcher: Launcher, environment: Mapping[str, str]) -> list[Choice]:
    """Return what in the line of `launcher`, its files or `environment` keeps the provider out."""
    rules = _RULES.get(launcher.mpi, _ALL_RULES)
    choices = [*_choices_of_line(launcher), *_choices_of_files(launcher, environment)]
    choices += _choices_of_environment(environment)
    return [
        choice for choice in choices if choice.variable in rules and not rules[choice.variable](choice.value)
    ]


def chosen_by_user(launcher: Launcher, environment: Mapping[str, str]) -> set[str]:
    """Return the variables of transports that `environment` holds already: their values stay."""
    rules = _RULES.get(launcher.mpi, _ALL_RULES)
    return {choice.variable for choice in _choices_of_environment(environment) if choice.variable in rules}


def _choices_of_environment(environment: Mapping[str, str]) -> Iterator[Choice]:
    for name in _ALL_RULES:
        if name in environment and name not in _NO_CHOICE_OF_THE_ENVIRONMENT:
            yield Choice(name, environment[name], f"{name}={environment[name]} in the environment")


def _choices_of_line(launcher: Launcher) -> Iterator[Choice]:
    """Also what stands in front of the launcher: `env I_MPI_FABRICS=shm mpiexec ...`."""
    for word in launcher.argv[: launcher.position]:
        name, is_assignment, value = word.partition("=")
        if is_assignment and name not in _NO_CHOICE_OF_THE_ENVIRONMENT:
            yield Choice(name, value, word)
    yield from _choices_of_words(launcher.argv[launcher.position + 1 :], launcher, "")


def _choices_of_words(words: Sequence[str], launcher: Launcher, where: str) -> Iterator[Choice]:
    """Of every context that colons part, the program's own words left out; `where` follows each word."""
    start = 0
    for end in [*(index for index, word in enumerate(words) if word == ":"), len(words)]:
        context = words[start:end]
        start = end + 1
        own = context[: words_of_launcher(context)]
        if launcher.mpi == "ompi":
            yield from _choices_of_open_mpi(own, launcher, where)
        elif launcher.mpi in ("mpich", "impi"):
            yield from _choices_of_hydra(own, launcher, where)
        elif launcher.mpi == "srun":
            yield from _choices_of_srun(own, where)


def _choices_of_open_mpi(words: Sequence[str], launcher: Launcher, where: str) -> Iterator[Choice]:
    for index, word in enumerate(words):
        option = word.lstrip("-") if word.startswith("-") else ""
        values = words[index + 1 : index + 3]
        if option in _MCA_OPTIONS and len(values) == 2:
            yield Choice(f"{_MCA}{values[0]}", values[1], f"{word} {values[0]} {values[1]}{where}")
        elif option == "x" and values and "=" in values[0]:
            name, _, value = values[0].partition("=")
            yield Choice(name, value, f"{word} {values[0]}{where}")
        elif option in ("tune", "am") and values:
            for name in values[0].split(","):
                yield from _choices_of_parameters(Path(name), launcher)
        elif option == "app" and values:
            for line in _lines(Path(values[0])):
                yield from _choices_of_words(_split(line), launcher, f" in {values[0]}")


def _choices_of_hydra(words: Sequence[str], launcher: Launcher, where: str) -> Iterator[Choice]:
    for index, word in enumerate(words):
        option = word.lstrip("-") if word.startswith("-") else ""
        values = words[index + 1 : index + 3]
        if option in _HYDRA_OPTIONS and values:
            name, is_one_word, value = values[0].partition("=")
            if is_one_word:
                yield Choice(name, value, f"{word} {values[0]}{where}")
            elif len(values) == 2:
                yield Choice(name, values[1], f"{word} {name} {values[1]}{where}")
        elif option in ("configfile", "config") and values and not where:
            yield from _choices_of_hydra_file(Path(values[0]), launcher)


def _choices_of_srun(words: Sequence[str], where: str) -> Iterator[Choice]:
    for index, word in enumerate(words):
        exported = word.removeprefix("--export=") if word.startswith("--export=") else ""
        if word == "--export" and index + 1 < len(words):
            exported = words[index + 1]
        for part in exported.split(","):
            name, is_assignment, value = part.partition("=")
            if is_assignment:
                yield Choice(name, value, f"--export {part}{where}")


def _choices_of_files(launcher: Launcher, environment: Mapping[str, str]) -> Iterator[Choice]:
    """Of the files that a launcher reads unasked, those that win over the environment."""
    if launcher.mpi == "ompi":
        for folder in _system_folders(launcher):
            yield from _choices_of_parameters(folder / "openmpi-mca-params-override.conf", launcher)
        weak = [folder / "openmpi-mca-params.conf" for folder in _system_folders(launcher)]
        weak.append(Path(environment.get("HOME", "/")) / ".openmpi" / "mca-params.conf")
        for file in weak:
            for choice in _choices_of_parameters(file, launcher):
                if choice.variable not in (f"{_MCA}pml", f"{_MCA}mtl"):  # `run` sets these
                    yield choice
    elif launcher.mpi == "mpich":  # Intel's Hydra reads none
        files = [Path(environment.get("HOME", "/")) / ".mpiexec.hydra.conf"]
        files += [folder / "mpiexec.hydra.conf" for folder in _system_folders(launcher)]
        if environment.get("HYDRA_CONFIG_FILE"):
            files.insert(0, Path(environment["HYDRA_CONFIG_FILE"]))
        for file in [file for file in files if file.is_file()][:1]:  # only the first is read
            yield from _choices_of_hydra_file(file, launcher)


def _choices_of_hydra_file(file: Path, launcher: Launcher) -> Iterator[Choice]:
    for line in _lines(file):
        yield from _choices_of_words(_split(line), launcher, f" in {file}")


def _choices_of_parameters(file: Path, launcher: Launcher) -> Iterator[Choice]:
    """Of a file with lines `name = value`, or with options as on a launcher's line."""
    for line in _lines(file):
        if line.startswith("-"):
            yield from _choices_of_open_mpi(_split(line), launcher, f" in {file}")
            continue
        name, is_parameter, value = (part.strip() for part in line.partition("="))
        if is_parameter:
            yield Choice(f"{_MCA}{name}", value.strip("\"'"), f"{name} = {value} in {file}")


def _system_folders(launcher: Launcher) -> list[Path]:
    if launcher.path is None:
        return []
    if launcher.path.parent == Path("/usr/bin"):
        return [Path("/etc/openmpi" if launcher.mpi == "ompi" else "/etc")]
    return [launcher.path.parent.parent / "etc"]


def _lines(file: Path) -> list[str]:
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []  # a launcher does without it too, or says itself what is wrong
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()

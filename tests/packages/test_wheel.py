# SPDX-License-Identifier: BSD-3-Clause
"""The wheels that `make wheel` leaves in dist: what they need, and that installed ones work by themselves."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection
from outside_clone import run_outside_clone

from quadrille.installation import mpi_prefix, native_directory
from quadrille.lab import namespaces as ns
from quadrille.lab.lab import Lab
from quadrille.lab.ready_made import resolve

pytestmark = [pytest.mark.timeout(300)]

ROOT = Path(__file__).resolve().parents[2]
NEWEST_GLIBC = (2, 28)
NEEDED = re.compile(
    r"lib(m|c|dl|pthread|rt)\.so\.\d|ld-linux-.*"  # every process's
    r"|libmpi.*\.so\.\d+|libfabric\.so\.1|libquadrille\.so"
)
EXPORTED = re.compile(r"P?MPIX?_|mpix?_|quadrille_|fi_prov_ini$|sched_yield$")


def wheel(architecture: str) -> Path:
    found = sorted((ROOT / "dist").glob(f"quadrille-*_{architecture}.whl"))
    if not found:
        pytest.skip(f"no wheel for {architecture} in dist; `make wheel` builds it")
    return found[-1]


def native_files(architecture: str) -> dict[str, ELFFile]:
    archive = zipfile.ZipFile(wheel(architecture))
    names = [name for name in archive.namelist() if re.search(r"native/(lib)?quadrille", name)]
    return {Path(name).name: ELFFile(BytesIO(archive.read(name))) for name in names}


@pytest.mark.parametrize(("architecture", "machine"), [("x86_64", "EM_X86_64"), ("aarch64", "EM_AARCH64")])
def test_it_needs_no_more_than_an_old_c_library(architecture: str, machine: str) -> None:
    tag = re.search(r"manylinux_(\d+)_(\d+)_", wheel(architecture).name)
    assert tag and (int(tag[1]), int(tag[2])) <= NEWEST_GLIBC
    files = native_files(architecture)
    assert {"libquadrille.so", "libquadrille-ompi.so", "libquadrille-mpich.so", "libquadrille-fi.so"} <= set(
        files
    )
    for name, file in files.items():
        assert file["e_machine"] == machine, name
        for tag in file.get_section_by_name(".dynamic").iter_tags():
            if tag.entry.d_tag == "DT_NEEDED":
                assert NEEDED.fullmatch(tag.needed), (name, tag.needed)
            elif tag.entry.d_tag in ("DT_RPATH", "DT_RUNPATH"):
                assert getattr(tag, "runpath", "") == "$ORIGIN", name
        versions = file.get_section_by_name(".gnu.version_r")
        assert isinstance(versions, GNUVerNeedSection)
        for _, needed in versions.iter_versions():
            for version in needed:
                if found := re.fullmatch(r"GLIBC_(\d+)\.(\d+)(\.\d+)?", version.name):
                    assert (int(found[1]), int(found[2])) <= NEWEST_GLIBC, (name, version.name)


@pytest.mark.parametrize("architecture", ["x86_64", "aarch64"])
def test_what_has_no_version_is_the_mpi_librarys_or_our_own(architecture: str) -> None:
    of_others = re.compile(r"P?MPI|ompi_|OMPI_|fi_|quadrille_|_ITM_|__gmon_start__|__cxa_finalize")
    for name, file in native_files(architecture).items():
        versions = file.get_section_by_name(".gnu.version")
        for number, symbol in enumerate(file.get_section_by_name(".dynsym").iter_symbols()):
            is_unversioned = versions.get_symbol(number)["ndx"] in ("VER_NDX_LOCAL", "VER_NDX_GLOBAL")
            if symbol.name and symbol["st_shndx"] == "SHN_UNDEF" and is_unversioned:
                assert of_others.match(symbol.name), (name, symbol.name)


@pytest.mark.parametrize("architecture", ["x86_64", "aarch64"])
def test_libraries_export_what_is_meant_for_others_alone(architecture: str) -> None:
    for name, file in native_files(architecture).items():
        if not name.endswith(".so"):
            continue
        symbols = file.get_section_by_name(".dynsym").iter_symbols()
        exported = [symbol.name for symbol in symbols if symbol.name and symbol["st_shndx"] != "SHN_UNDEF"]
        assert exported, name
        assert not [symbol for symbol in exported if not EXPORTED.match(symbol)], name


@dataclass(frozen=True)
class Installed:
    """An environment with nothing but the wheel and what it names."""

    folder: Path
    seconds: float  # to make it, without a network

    def python(self, *arguments: str) -> str:
        return self._run(str(self.folder / "bin" / "python"), *arguments)

    def quadrille(self, *arguments: str, **environment: str) -> str:
        return self._run(str(self.folder / "bin" / "quadrille"), *arguments, **environment)

    @property
    def native(self) -> Path:
        return next(self.folder.glob("lib/python3*/site-packages/quadrille/native"))

    def _run(self, *command: str, **environment: str) -> str:
        return run_outside_clone(self.folder, *command, environment=environment)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    made = tmp_path_factory.mktemp("wheel") / "first"
    fetched, file = made.with_name("fetched"), str(wheel("x86_64"))
    here, there = ([str(python), "-m", "pip"] for python in (sys.executable, made / "bin" / "python"))
    quiet = ["-q", "--disable-pip-version-check"]
    subprocess.run([*here, "download", *quiet, "-d", str(fetched), file], check=True, timeout=200)
    begin = time.monotonic()
    subprocess.run([sys.executable, "-m", "venv", str(made)], check=True)
    subprocess.run([*there, "install", *quiet, "--no-index", "-f", str(fetched), file], check=True)
    return Installed(made, time.monotonic() - begin)


def test_what_is_preloaded_is_its_own(installed: Installed) -> None:
    path = installed.python("-c", "import quadrille; print(quadrille.preload_path())").strip()
    assert Path(path) == installed.native / "libquadrille.so"
    assert f"LD_PRELOAD={path}" in installed.quadrille("env").replace("'", "").replace('"', "")
    assert "QUADRILLE_ALGORITHM" in installed.quadrille("env", "--help")


def test_it_takes_less_than_sixty_megabytes(installed: Installed) -> None:
    files = [path for path in installed.native.parent.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 60_000_000


def test_pages_with_charts_need_no_package_of_charts(installed: Installed, tmp_path: Path) -> None:
    assert installed.python("-m", "pip", "list", "-q").count("plotly") == 0
    page, model = tmp_path / "page.html", ROOT / "schemas" / "examples" / "network_model_tree.json"
    installed.quadrille("plan", "--all", "--ranks-per-host", "1", "--model", str(model), "-o", str(page))
    assert "plotly.js v" in page.read_text(encoding="utf-8")


def test_each_verb_has_a_man_page_and_is_completed(installed: Installed) -> None:
    asked = {"_QUADRILLE_COMPLETE": "complete_bash", "COMP_WORDS": "quadrille ", "COMP_CWORD": "1"}
    verbs = installed.quadrille(**asked).split()
    assert {"run", "probe", "doctor"} <= set(verbs)
    if shutil.which("help2man") is None:
        pytest.skip("help2man is not installed: no man pages were made")
    pages = {page.stem for page in (installed.folder / "share" / "man" / "man1").iterdir()}
    assert pages == {"quadrille", *(f"quadrille-{verb}" for verb in verbs)}


def test_plans_need_nothing_else(installed: Installed) -> None:
    model = str(ROOT / "schemas" / "examples" / "network_model_tree.json")
    assert "alltoall_" in installed.quadrille("plan", "alltoall", "--bytes", "64K", "--model", model)


@pytest.mark.mpi
def test_from_nothing_to_a_first_program_takes_less_than_a_minute(
    installed: Installed, record_testsuite_property: Callable[[str, object], None]
) -> None:
    begin = time.monotonic()
    line = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-np", "2"]
    program = str(native_directory() / "tests" / "exchange_times-ompi")
    assert " wrong=0" in installed.quadrille("run", "--", *line, program, "1000", "20")
    seconds = installed.seconds + time.monotonic() - begin
    record_testsuite_property("seconds_to_a_first_program", seconds)
    assert seconds < 60


def test_it_is_not_bound_to_its_folder(installed: Installed, tmp_path: Path) -> None:
    moved = tmp_path / "moved" / "quadrille"
    shutil.copytree(installed.native.parent, moved)
    code = f"import sys; sys.path.insert(0, {str(moved.parent)!r})\n"
    code += "import quadrille; print(quadrille.preload_path())"
    assert installed.python("-c", code).strip() == str(moved / "native" / "libquadrille.so")


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    if not (ns.may_unshare(ns.NEWNET) or ns.may_unshare(ns.NEWUSER | ns.NEWNET)):
        pytest.skip("neither root nor user namespaces may make network namespaces here")
    with Lab.up(resolve("one_switch:hosts=2,rate_mbit=100"), "t-wheel") as up:
        yield up


@pytest.mark.lab
@pytest.mark.mpi
@pytest.mark.parametrize("mpi", ["ompi4", "ompi5", "mpich", "impi"])
@pytest.mark.parametrize("options", [[], ["--fabric", "on"]], ids=["collectives", "fabric"])
def test_programs_run_under_it(installed: Installed, lab: Lab, mpi: str, options: list[str]) -> None:
    prefix = mpi_prefix(mpi)
    if mpi != "ompi4" and prefix is None:
        pytest.skip(f"{mpi} is not installed here")
    abi = "ompi" if mpi.startswith("ompi") else "mpich"
    environment = {"QUADRILLE_LOG": "start,plan,fabric", "QUADRILLE_ALGORITHM": "alltoall:granted"}
    if prefix is not None:
        environment["LD_LIBRARY_PATH"] = str(prefix / "lib")
    line = lab.launcher(mpi, 2, None, environment)
    program = str(native_directory() / "tests" / f"exchange_times-{abi}")
    output = installed.quadrille("run", *options, "--", *line, program, "10000", "20")
    assert " wrong=0" in output, output
    assert "chosen=alltoall_granted" in output, output
    if options:
        assert len(re.findall("event=fabric ", output)) == 2, output

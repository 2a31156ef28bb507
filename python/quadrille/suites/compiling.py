# SPDX-License-Identifier: BSD-3-Clause
"""Compiles MPICH's tests against an MPI library by its `mpicc` alone, without the suite's own configuration.

What their `configure` would find out is written down here for Linux with gcc. A test that does not compile,
mostly for calls that an older MPI does not have, is not built under that MPI.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from quadrille.errors import QuadrilleError
from quadrille.installation import mpi_prefix

_CONFIGURED = """\
#define HAVE_STRING_H 1
#define HAVE_UNISTD_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STDARG_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_RESOURCE_H 1
#define HAVE_GETRUSAGE 1
#define HAVE_PTHREAD_H 1
#define HAVE_PTHREAD_BARRIER_INIT 1
#define HAVE_LONG_DOUBLE 1
#define HAVE_LONG_LONG 1
#define HAVE_LONG_LONG_INT 1
#define HAVE__BOOL 1
#define HAVE_FLOAT__COMPLEX 1
#define HAVE_DOUBLE__COMPLEX 1
#define HAVE_LONG_DOUBLE__COMPLEX 1
#define HAVE_MPI_WIN_CREATE 1
#define HAVE_MPI_INIT_THREAD 1
#define HAVE_MPI_SPAWN 1
#define HAVE_MPI_IO 1
#define HAVE_STRDUP 1
#define HAVE_USLEEP 1
#define USE_LONG_DOUBLE_COMPLEX 1
#define SIZEOF_VOID_P 8
#define SIZEOF_INT 4
#define SIZEOF_LONG 8
#define SIZEOF_LONG_LONG 8
#define SIZEOF_SHORT 2
#define POINTERINT_t long
#define THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX
"""
_SUPPORT = ("util/mtest_common.c", "dtpools/src/*.c")
_RULE = re.compile(r"^(\w+)_(SOURCES|CPPFLAGS)\s*=\s*(.*)$", re.MULTILINE)
_COMPILE_S = 300


@dataclass(frozen=True)
class SuiteCompiler:
    """Compiles tests of `sources` (MPICH's `test/mpi`) with `mpicc` into `target`, once each."""

    mpi: str
    sources: Path
    target: Path

    @property
    def mpicc(self) -> str:
        """Return the compiler wrapper. Raises QuadrilleError where there is none."""
        prefix = mpi_prefix(self.mpi)
        found = (
            shutil.which("mpicc.openmpi") if self.mpi == "ompi4" else prefix and str(prefix / "bin" / "mpicc")
        )
        if not found or not Path(found).exists():
            raise QuadrilleError(f"{self.mpi} has no mpicc here; run `make build`")
        return found

    def program(self, folder: str, name: str) -> Path | None:
        """Return the program of a test, compiled now if it was not before; None where it does not compile."""
        built = self.target / folder / name
        missing = built.with_name(f"{name}.failed")
        if built.exists() or missing.exists():
            return built if built.exists() else None
        files, defines = self._rule(folder, name)
        threaded = folder.startswith("threads/")
        if threaded:
            defines.append("-DMTEST_USE_THREAD")
        main = [] if self._has_main(files) else ["util/run_mpitests.c"]
        support = ["util/mtest.c", f"util/mtest_{'thread' if threaded else 'single'}.c", *main]
        return self._link(built, [*files, *(self.sources / one for one in support)], defines)

    def all_in_one(self) -> Path | None:
        """Return the program of all tests that can follow each other in one job, as its input says."""
        listed = self.sources / "maint" / "all_mpitests.txt"
        if not listed.exists():
            return None
        names = [line.split() for line in listed.read_text(encoding="utf-8").splitlines()]
        tests = [words[0] for words in names if words and words[0].startswith(("coll/", "attr/"))]
        built = self.target / "all_in_one"
        if built.exists() or built.with_name("all_in_one.failed").exists():
            return built if built.exists() else None
        compiled = [one for one in tests if self._object(self.sources / f"{one}.c", ["-DMULTI_TESTS"])]
        functions = [one.replace("/", "_") for one in compiled]
        table = self.target / "all_mpitests.c"
        table.write_text(
            '#include "mpitest.h"\n'
            + "".join(f"int {one}(const char *);\n" for one in functions)
            + "struct mpitest alltests[] = {"
            + "".join(f'{{"{name}", {one}}},\n' for name, one in zip(compiled, functions, strict=True))
            + "{NULL, NULL}};\n",
            encoding="utf-8",
        )
        files = [self.sources / f"{one}.c" for one in compiled]
        support = ("util/mtest.c", "util/mtest_single.c", "util/run_mpitests.c")
        files += [table, *(self.sources / one for one in support)]
        return self._link(built, files, ["-DMULTI_TESTS"])

    def _rule(self, folder: str, name: str) -> tuple[list[Path], list[str]]:
        """Return the source files and definitions that the folder's Makefile.am names for a program."""
        text = (self.sources / folder / "Makefile.am").read_text(encoding="utf-8").replace("\\\n", " ")
        said = {(program, kind): words for program, kind, words in _RULE.findall(text)}
        names = said.get((name, "SOURCES"), f"{name}.c").split()
        flags = [word for word in said.get((name, "CPPFLAGS"), "").split() if word.startswith("-D")]
        return [self.sources / folder / one for one in names if one.endswith(".c")], flags

    def _has_main(self, files: list[Path]) -> bool:
        texts = [one.read_text(encoding="utf-8", errors="replace") for one in files if one.exists()]
        return any(re.search(r"\bmain\s*\(", text) for text in texts)

    def _link(self, built: Path, files: list[Path], defines: list[str]) -> Path | None:
        support = [path for pattern in _SUPPORT for path in sorted(self.sources.glob(pattern))]
        objects = [self._object(one, defines) for one in files] + [self._object(one, []) for one in support]
        built.parent.mkdir(parents=True, exist_ok=True)
        if None not in objects and self._compile([*map(str, objects), "-o", str(built), "-lpthread", "-lm"]):
            return built
        built.with_name(f"{built.name}.failed").touch()
        return None

    def _object(self, source: Path, defines: list[str]) -> Path | None:
        include = self._include()
        # Folders hold files of like names; what is not of the suite was written into the target.
        inside = source.relative_to(self.sources if source.is_relative_to(self.sources) else self.target)
        marked = re.sub(r"\W+", "_", f"{inside}{''.join(defines)}")
        target = self.target / "objects" / f"{marked}.o"
        if not target.exists():
            paths = [
                f"-I{one}"
                for one in (include, self.sources / "include", self.sources / "dtpools" / "include")
            ]
            self._compile([*defines, *paths, "-c", str(source), "-o", str(target)])
        return target if target.exists() else None

    def _include(self) -> Path:
        include = self.target / "include"
        if not include.exists():
            (self.target / "objects").mkdir(parents=True, exist_ok=True)
            include.mkdir()
            (include / "mpitestconf.h").write_text(_CONFIGURED, encoding="utf-8")
            # A header of the suite names it from its own folder: "../dtpoolsconf.h".
            (self.target / "dtpoolsconf.h").touch()
            (include / "mtest_mpix.h").touch()
        return include

    def _compile(self, words: list[str]) -> bool:
        # A call that the MPI does not have must not show up when programs are linked together.
        command = [self.mpicc, "-O1", "-g", "-Werror=implicit-function-declaration", *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=_COMPILE_S, check=False)
        if done.returncode != 0:
            with (self.target / "compiler.log").open("a", encoding="utf-8") as log:
                log.write(f"{shlex.join(command)}\n{done.stderr}\n")
        return done.returncode == 0

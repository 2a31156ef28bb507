# SPDX-License-Identifier: BSD-3-Clause
"""Holds the rules of ARCHITECTURE.md: who may include whom, where MPI may be seen, how files are kept.

Each rule is a function from a source tree to the violations in it. The project's own tree must have none, and
a tree with a planted violation must have that one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

MAY_INCLUDE = {
    "base": set(),
    "schedule": {"base"},
    "network": {"base", "schedule"},
    "algorithms": {"base", "schedule", "network"},
    "planner": {"base", "schedule", "network", "algorithms"},
    "probe": {"base", "network"},
    "wire": {"base"},
    "trace": {"base"},
    "mapping": {"base", "network"},
    "executor": {"base", "schedule", "wire"},
    "mpi": {
        "base",
        "schedule",
        "network",
        "algorithms",
        "planner",
        "mapping",
        "probe",
        "wire",
        "trace",
        "executor",
        "preload",
    },
    "fabric": {"base", "wire"},
    "preload": set(),
    "apps": {
        "base",
        "schedule",
        "network",
        "algorithms",
        "planner",
        "mapping",
        "probe",
        "wire",
        "trace",
        "executor",
        "mpi",
        "fabric",
        "preload",
    },
}
SEES_MPI = re.compile(r"src/(mpi|apps)/")
CALLS_ONLY_PMPI = re.compile(r"src/mpi/(?!(.*/)?intercept_)")
NAMES_TO_AVOID = re.compile(r"(^|_)(utils?|helpers?|commons?|managers?)(_|\.|$)")
LONGEST_FILE = 500
MOST_FILES = 32

_INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
_MPI_CALL = re.compile(r"(?<![\w.])(MPI_[A-Z][a-z]\w*)\s*\(")
_NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', re.DOTALL)
_CHARACTER = re.compile(r"'(?:[^'\\\n]|\\.)+'")
_BRACE = re.compile(
    r"\bnamespace\s+(?P<namespace>[\w:]+)?\s*\{"
    r"|\b(?:struct|class|union|enum(?:\s+class)?)\s+(?P<type>\w+)\s*(?:final\s*)?(?::(?!:)[^;{]*)?\{"
    r"|\bextern\s*(?P<linkage>\{)|(?P<other>\{)|(?P<end>\})"
)
_TESTS_OWN = re.compile(r"_(test|benchmark|fuzz)\.")
# Of a table `ops`, or of the provider itself.
_TABLE_ENTRY = re.compile(
    r"\b(?:ops\.(?!size\b)\w+|made\.(?:getinfo|fabric|cleanup)) =\s+(?!guarded<|refuse;)[^;]+"
)
_ALGORITHM_ROW = re.compile(r"^ALGORITHM\((\w+),", re.MULTILINE)
_NATIVE = {".c", ".cpp", ".h", ".def"}
_SOURCES = {*_NATIVE, ".py", ".sh", ".cmake", ".toml"}

Rule = Callable[[Path], Iterator[str]]


def sources(tree: Path, suffixes: set[str]) -> Iterator[tuple[Path, str]]:
    """Yield each source file below the tree's own folders with its content."""
    for folder in ("src", "python/quadrille", "tests", "scripts", "cmake"):
        for path in sorted((tree / folder).rglob("*")):
            if path.suffix in suffixes and path.is_file():
                yield path, path.read_text(encoding="utf-8")


def includes_against_the_layers(tree: Path) -> Iterator[str]:
    """Find includes of a layer that the including one does not stand on."""
    for path, text in sources(tree, _NATIVE):
        name = path.relative_to(tree).as_posix()
        if not name.startswith("src/") or name.count("/") < 2:
            continue
        layer = name.split("/")[1]
        if layer not in MAY_INCLUDE:
            yield f"{name}: layer {layer} is not in the list"
            continue
        for quoted, _ in _INCLUDE.findall(text):
            included = quoted.split("/")[0]
            if included in MAY_INCLUDE and included != layer and included not in MAY_INCLUDE[layer]:
                yield f"{name}: {layer} includes {quoted}"


def mpi_seen_where_it_must_not_be(tree: Path) -> Iterator[str]:
    """Find <mpi.h> outside the layers that may know MPI."""
    for path, text in sources(tree, _NATIVE):
        name = path.relative_to(tree).as_posix()
        seen = any(angled == "mpi.h" or quoted == "mpi.h" for quoted, angled in _INCLUDE.findall(text))
        if name.startswith("src/") and seen and not SEES_MPI.match(name):
            yield f"{name}: includes <mpi.h>"


def mpi_called_instead_of_pmpi(tree: Path) -> Iterator[str]:
    """Find calls that other tools, or we ourselves, would intercept."""
    for path, text in sources(tree, _NATIVE):
        name = path.relative_to(tree).as_posix()
        if CALLS_ONLY_PMPI.match(name) and path.suffix != ".def":
            for call in _MPI_CALL.findall(_NO_CODE.sub("", text)):
                yield f"{name}: calls {call}, not P{call}"


def types_of_namespaces(text: str) -> Iterator[tuple[str, str]]:
    """Yield namespace and name of each type inside no other; unnamed ones are part of what holds them."""
    inside: list[str | None] = []  # of namespaces their names, of other braces none
    for brace in _BRACE.finditer(_CHARACTER.sub("", _NO_CODE.sub("", text))):
        if brace["end"]:
            inside = inside[:-1]
        elif brace["other"]:
            inside.append(None)
        elif brace["type"]:
            if None not in inside:
                yield "::".join(name for name in inside if name), brace["type"]
            inside.append(None)
        else:
            inside.append(brace["namespace"] or "")


def type_names_defined_twice(tree: Path) -> Iterator[str]:
    """Find two types of one name in a namespace: one program may hold both, and a reader mistakes them."""
    first: dict[tuple[str, str], str] = {}
    for path, text in sources(tree, {".h", ".cpp", ".c"}):
        name = path.relative_to(tree).as_posix()
        if name.startswith("src/") and not _TESTS_OWN.search(path.name):
            for found in types_of_namespaces(text):
                if found in first:
                    yield f"{name}: {'::'.join(found)} is defined in {first[found]} too"
                first.setdefault(found, name)


def files_too_long(tree: Path) -> Iterator[str]:
    """Find files above the length at which they must be split."""
    for path, text in sources(tree, _SOURCES):
        if text.count("\n") > LONGEST_FILE:
            yield f"{path.relative_to(tree)}: {text.count(chr(10))} lines"


def folders_too_full(tree: Path) -> Iterator[str]:
    """Find folders of src in which nobody finds his way any more."""
    for folder in sorted(path for path in (tree / "src").rglob("*") if path.is_dir()):
        files = sum(path.is_file() for path in folder.iterdir())
        if files > MOST_FILES:
            yield f"{folder.relative_to(tree)}: {files} files, more than a folder may hold"


def files_without_licence(tree: Path) -> Iterator[str]:
    """Find files that do not open with their licence."""
    for path, text in sources(tree, _SOURCES):
        if "SPDX-License-Identifier: BSD-3-Clause" not in "".join(text.splitlines(True)[:3]):
            yield f"{path.relative_to(tree)}: no SPDX line at the top"


def names_that_say_nothing(tree: Path) -> Iterator[str]:
    """Find files and folders named after nothing they do."""
    for path, _ in sources(tree, _SOURCES):
        for part in path.relative_to(tree).parts:
            if NAMES_TO_AVOID.search(part):
                yield f"{path.relative_to(tree)}: {part} does not say what it is for"


def algorithms_without_a_file(tree: Path) -> Iterator[str]:
    """Find rows of the table of algorithms whose file is missing."""
    table = tree / "src/algorithms/algorithms.def"
    rows = _ALGORITHM_ROW.findall(table.read_text(encoding="utf-8")) if table.exists() else []
    if table.exists() and not rows:
        yield "src/algorithms/algorithms.def: no row"
    for name in rows:
        if not any(table.parent.glob(f"*/{name}.cpp")):
            yield f"src/algorithms/algorithms.def: {name} has no {name}.cpp"


def decisions_without_a_line(tree: Path) -> Iterator[str]:
    """Find decisions that the index does not name, or whose number is not the next one."""
    folder = tree / "docs" / "decisions"
    index = folder / "README.md"
    named = (
        re.findall(r"^\| (\d+) \| \[.*?\]\((\d+_\w+\.md)\)", index.read_text("utf-8"), re.M)
        if index.exists()
        else []
    )
    for place, (number, name) in enumerate(named, 1):
        if int(number) != place or int(name.split("_")[0]) != place:
            yield f"docs/decisions/README.md: {name} is not number {place}"
    for path in sorted(folder.glob("*.md")):
        if path != index and path.name not in {name for _, name in named}:
            yield f"docs/decisions/{path.name}: not in README.md"


def unguarded_calls_of_libfabric(tree: Path) -> Iterator[str]:
    """Find entries of libfabric's tables through which an exception could pass into C."""
    provider = tree / "src" / "fabric" / "provider"
    for path, text in sources(tree, {".cpp", ".h"}):
        if provider in path.parents and not path.name.endswith("_test.cpp"):
            for entry in _TABLE_ENTRY.findall(text):
                yield f"{path.relative_to(tree)}: {entry} is not guarded"


def commands_imported_from_below(tree: Path) -> Iterator[str]:
    """Find Python modules under the command line that import it."""
    package = tree / "python" / "quadrille"
    for path, text in sources(tree, {".py"}):
        if package in path.parents and path.parent.name != "commands" and path.name != "cli.py":
            for line in re.findall(r"^\s*(?:from|import) +quadrille\.commands.*", text, re.MULTILINE):
                yield f"{path.relative_to(tree)}: {line.strip()}"


def programs_that_see_googletest(tree: Path) -> Iterator[str]:
    """Find sources beside the tests that see Google Test, by a header of test support too."""
    included = {
        path.relative_to(tree / "src").as_posix(): {
            quoted or angled for quoted, angled in _INCLUDE.findall(text)
        }
        for path, text in sources(tree, _NATIVE)
        if path.is_relative_to(tree / "src")
    }
    seeing = {"gtest/gtest.h", "gmock/gmock.h"}
    while more := {name for name, names in included.items() if name not in seeing and names & seeing}:
        seeing |= more
    for name in sorted(seeing & included.keys()):
        if not name.endswith(".h") and not _TESTS_OWN.search(name):
            yield f"src/{name}: sees Google Test"


RULES: list[Rule] = [
    includes_against_the_layers,
    mpi_seen_where_it_must_not_be,
    mpi_called_instead_of_pmpi,
    type_names_defined_twice,
    files_too_long,
    folders_too_full,
    files_without_licence,
    names_that_say_nothing,
    algorithms_without_a_file,
    commands_imported_from_below,
    unguarded_calls_of_libfabric,
    decisions_without_a_line,
    programs_that_see_googletest,
]

SPDX = "// SPDX-License-Identifier: BSD-3-Clause\n"
PYTHON_SPDX = SPDX.replace("//", "#")
TWICE = "namespace q {\nclass B final : C {\n  struct In {};\n};\nnamespace {\nstruct B {\n};\n}\n}\n"
PLANTED: list[tuple[Rule, str, str]] = [
    (includes_against_the_layers, "src/schedule/step.h", SPDX + '#include "planner/planner.h"\n'),
    (includes_against_the_layers, "src/executor/run.cpp", SPDX + '# include "algorithms/algorithm.h"\n'),
    (includes_against_the_layers, "src/preload/shim.c", SPDX + '#include "base/error.h"\n'),
    (includes_against_the_layers, "src/misc/thing.h", SPDX),
    (mpi_seen_where_it_must_not_be, "src/planner/planner.cpp", SPDX + "#include <mpi.h>\n"),
    (mpi_seen_where_it_must_not_be, "src/executor/executor.cpp", SPDX + "#include <mpi.h>\n"),
    (mpi_called_instead_of_pmpi, "src/mpi/runtime.cpp", SPDX + "int go() { return MPI_Barrier(c); }\n"),
    (mpi_called_instead_of_pmpi, "src/mpi/communicator/mpi_p2p.cpp", SPDX + "  MPI_Isend (a, b);\n"),
    (type_names_defined_twice, "src/planner/a.h", SPDX + TWICE),
    (type_names_defined_twice, "src/mpi/a.cpp", SPDX + TWICE.replace("class B final : C", "enum class B")),
    (
        files_too_long,
        "python/quadrille/long.py",
        PYTHON_SPDX + "x = 1\n" * 500,
    ),
    (files_without_licence, "scripts/go.sh", "#!/bin/bash\n"),
    (names_that_say_nothing, "src/base/string_util.h", SPDX),
    (names_that_say_nothing, "python/quadrille/helpers/x.py", PYTHON_SPDX),
    (
        algorithms_without_a_file,
        "src/algorithms/algorithms.def",
        SPDX + 'ALGORITHM(bcast_x, bcast, "")\n',
    ),
    (commands_imported_from_below, "python/quadrille/lab/x.py", "from quadrille.commands import run\n"),
    (unguarded_calls_of_libfabric, "src/fabric/provider/x.cpp", SPDX + "  ops.read = Calls::read;\n"),
    (programs_that_see_googletest, "src/base/x.cpp", SPDX + "#include <gtest/gtest.h>\n"),
    (decisions_without_a_line, "docs/decisions/01_x.md", "# X\n"),
    (decisions_without_a_line, "docs/decisions/README.md", "| 1 | [X](02_x.md) | a | b | holds |\n"),
    (unguarded_calls_of_libfabric, "src/fabric/provider/y.cpp", SPDX + "  made.getinfo = get_info;\n"),
]

HARMLESS: list[tuple[str, str]] = [
    ("src/executor/executor.cpp", SPDX + '#include "schedule/schedule.h"\n#include <vector>\n'),
    ("src/mpi/communicator/mpi_p2p.cpp", SPDX + "#include <mpi.h>\n// MPI_Isend(x)\nPMPI_Isend(x);\n"),
    ("src/mpi/intercept_collectives.cpp", SPDX + "int MPI_Barrier(MPI_Comm c) { return 0; }\n"),
    ("src/mpi/message.cpp", SPDX + 'warn("MPI_Init(3) failed"); /* MPI_Send(\n) */ call->MPI_Comm;\n'),
    ("src/planner/community.h", SPDX),
    (
        "src/wire/flow/flow.h",
        SPDX + "namespace q {\nstruct A { struct In {}; };\nstruct C { struct In {}; };\nstruct D;\n}\n",
    ),
    (
        "src/wire/rows.cpp",
        SPDX + "namespace q { struct Row { char a = '}'; }; }\nnamespace p { class Row {}; }\n",
    ),
    (
        "src/fabric/provider/x.cpp",
        SPDX + "ops.size = sizeof ops;\nops.read = guarded<read>;\nops.a = refuse;\n",
    ),
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule.__name__))
def test_the_project_keeps_the_rule(rule: Rule) -> None:
    assert list(rule(ROOT)) == []


def test_the_rules_are_held_against_something() -> None:
    layers = {path.relative_to(ROOT).parts[1] for path, _ in sources(ROOT, _NATIVE) if "src" in path.parts}
    assert {"base", "schedule", "algorithms", "planner", "executor", "mpi"} <= layers


def test_a_folder_that_is_too_full_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "src" / "base"
    folder.mkdir(parents=True)
    for number in range(MOST_FILES):
        (folder / f"{number}.h").touch()
    assert list(folders_too_full(tmp_path)) == []
    (folder / "more.h").touch()
    assert len(list(folders_too_full(tmp_path))) == 1


@pytest.mark.parametrize(
    ("rule", "name", "content"), PLANTED, ids=lambda value: getattr(value, "__name__", None)
)
def test_a_planted_violation_is_found(rule: Rule, name: str, content: str, tmp_path: Path) -> None:
    planted = tmp_path / name
    planted.parent.mkdir(parents=True)
    planted.write_text(content)
    found = list(rule(tmp_path))
    assert len(found) == 1
    assert found[0].startswith(name)


@pytest.mark.parametrize(("name", "content"), HARMLESS)
def test_what_is_allowed_passes_every_rule(name: str, content: str, tmp_path: Path) -> None:
    allowed = tmp_path / name
    allowed.parent.mkdir(parents=True)
    allowed.write_text(content)
    assert [finding for rule in RULES for finding in rule(tmp_path)] == []

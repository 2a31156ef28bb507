# SPDX-License-Identifier: BSD-3-Clause
"""What `quadrille run` and `quadrille env` set, and which values they refuse."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from quadrille import settings
from quadrille.cli import build_app
from quadrille.errors import QuadrilleError, UsageError


@pytest.fixture(autouse=True)
def native_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    directory = tmp_path / "native"
    directory.mkdir()
    (directory / "libquadrille.so").touch()
    monkeypatch.setenv("QUADRILLE_NATIVE_DIR", str(directory))
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    return directory


def test_every_row_of_the_native_table_is_read() -> None:
    source = Path(__file__).resolve().parents[2] / "src" / "base" / "settings.def"
    rows = [line for line in source.read_text().splitlines() if line.startswith("SETTING(")]
    native = [row for row in settings.all_settings() if "command line only" not in row.description]
    assert len(native) == len(rows) > 5
    assert all(row.description for row in native)


def test_a_job_gets_a_fresh_secret_of_128_bits_and_the_library() -> None:
    first, second = settings.job_environment({}), settings.job_environment({})
    assert len(bytes.fromhex(first["QUADRILLE_JOB_SECRET"])) == 16
    assert first["QUADRILLE_JOB_SECRET"] != second["QUADRILLE_JOB_SECRET"]
    assert first["LD_PRELOAD"].endswith("/libquadrille.so")


def test_a_preload_that_is_there_stays_in_front_and_ours_is_not_added_twice(
    native_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LD_PRELOAD", "tool.so")
    expected = f"tool.so:{native_directory}/libquadrille.so"
    assert settings.job_environment({})["LD_PRELOAD"] == expected
    monkeypatch.setenv("LD_PRELOAD", expected)
    assert settings.job_environment({})["LD_PRELOAD"] == expected


def test_a_trace_has_all_calls_timed_before_the_library_sees_them(
    native_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = f"{native_directory}/libquadrille-timing.so:{native_directory}/libquadrille.so"
    traced = {"QUADRILLE_TRACE": "folder"}
    assert settings.job_environment(traced)["LD_PRELOAD"] == expected
    monkeypatch.setenv("LD_PRELOAD", f"tool.so:{native_directory}/libquadrille.so")
    assert settings.job_environment(traced)["LD_PRELOAD"] == f"tool.so:{expected}"


def test_settings_of_the_environment_go_along_and_options_win(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUADRILLE_ALGORITHM", "bcast:mpi")
    monkeypatch.setenv("QUADRILLE_COLLECTIVES", "on")
    variables = settings.job_environment({"QUADRILLE_COLLECTIVES": "off", "QUADRILLE_MODEL": None})
    assert variables["QUADRILLE_ALGORITHM"] == "bcast:mpi"
    assert variables["QUADRILLE_COLLECTIVES"] == "off"
    assert not {"QUADRILLE_MODEL", "QUADRILLE_NATIVE_DIR"} & variables.keys()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("QUADRILLE_COLLECTIVES", "maybe"),
        ("QUADRILLE_ABI", "lam"),
        ("QUADRILLE_MODEL", "/nowhere/model.json"),
        ("QUADRILLE_FABRIC", "sometimes"),
        ("QUADRILLE_REORDER", "some"),
        ("QUADRILLE_TRIALS", "100001"),
        ("QUADRILLE_HANDSHAKE_S", "-1"),
    ],
)
def test_values_that_do_not_exist_are_wrong_usage(name: str, value: str) -> None:
    with pytest.raises(UsageError, match=value):
        settings.job_environment({name: value})


def test_what_may_be_is_told_as_the_native_table_has_it() -> None:
    with pytest.raises(UsageError, match="it can be auto, udp, packet, xdp or off"):
        settings.job_environment({"QUADRILLE_WIRE": "tcp"})
    assert settings.job_environment({"QUADRILLE_WIRE": "xdp"})["QUADRILLE_WIRE"] == "xdp"
    told = CliRunner().invoke(build_app(), ["env", "--help"], catch_exceptions=False).output
    assert "auto, udp, packet, xdp or off" in " ".join(told.split())


def test_folders_are_passed_on_by_absolute_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("QUADRILLE_TRACE", "QUADRILLE_CACHE"):
        assert settings.job_environment({name: "here"})[name] == str(tmp_path / "here")


def test_a_model_file_is_passed_on_by_absolute_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    assert settings.job_environment({"QUADRILLE_MODEL": "model.json"})["QUADRILLE_MODEL"] == str(
        tmp_path / "model.json"
    )


@pytest.mark.parametrize("content", ["", "{", "[]"])
def test_a_model_file_that_holds_no_object_is_wrong_usage(content: str, tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text(content)
    with pytest.raises(UsageError, match=r"model\.json"):
        settings.job_environment({"QUADRILLE_MODEL": str(tmp_path / "model.json")})


def test_a_folder_that_a_preload_cannot_name_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spaced = tmp_path / "with space"
    spaced.mkdir()
    (spaced / "libquadrille.so").touch()
    monkeypatch.setenv("QUADRILLE_NATIVE_DIR", str(spaced))
    with pytest.raises(QuadrilleError, match="space"):
        settings.job_environment({})


def test_a_misspelt_variable_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUADRILLE_ALGORITM", "x")
    assert "QUADRILLE_ALGORITM" in settings.unknown_variables()


def test_variables_that_the_lab_reads_are_no_misspelt_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("QUADRILLE_LAB", "QUADRILLE_LAB_DIR", "QUADRILLE_LAB_INFO", "QUADRILLE_ALGORITM"):
        monkeypatch.setenv(name, "x")
    assert [name for name in settings.unknown_variables() if "_LAB" in name] == []
    assert "QUADRILLE_ALGORITM" in settings.unknown_variables()


def test_what_env_prints_is_read_by_a_shell_whatever_is_in_a_name(tmp_path: Path) -> None:
    folder = tmp_path / "a trace; of $HOME"
    told = CliRunner().invoke(build_app(), ["env", "--trace", str(folder)], catch_exceptions=False).output
    read = ["bash", "-c", "set -a; source /dev/stdin; env -u LD_PRELOAD printenv QUADRILLE_TRACE"]
    done = subprocess.run(read, input=told, capture_output=True, text=True, check=True)
    assert done.stdout == f"{folder}\n"

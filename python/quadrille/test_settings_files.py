# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from pathlib import Path

import pytest

from quadrille.errors import UsageError
from quadrille.settings import job_environment
from quadrille.settings_files import settings_files, written_settings

KNOWN = ["QUADRILLE_WIRE", "QUADRILLE_LOG"]


def written(folder: Path, *texts: str) -> list[Path]:
    files = [folder / str(number) for number in range(len(texts))]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text, encoding="utf-8")
    return files


def test_the_users_file_wins_over_the_administrators(tmp_path: Path) -> None:
    files = written(
        tmp_path, "# for all\nQUADRILLE_WIRE=off  # a hub\nQUADRILLE_LOG='start,plan'\n", "QUADRILLE_WIRE=udp"
    )
    assert written_settings(KNOWN, files) == {"QUADRILLE_WIRE": "udp", "QUADRILLE_LOG": "start,plan"}


def test_no_file_sets_nothing(tmp_path: Path) -> None:
    assert written_settings(KNOWN, [tmp_path / "none", tmp_path / "none" / "here"]) == {}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("QUADRILLE_WIER=off", "QUADRILLE_WIER=off"),
        ("PATH=/bin", "PATH=/bin"),
        ("QUADRILLE_WIRE off", "'QUADRILLE_WIRE'"),
        ("QUADRILLE_WIRE='off", "No closing quotation"),
    ],
)
def test_what_sets_nothing_is_named_with_its_file(tmp_path: Path, text: str, says: str) -> None:
    files = written(tmp_path, text)
    with pytest.raises(UsageError, match=str(files[0])) as raised:
        written_settings(KNOWN, files)
    assert says in str(raised.value)


def test_bytes_that_are_no_text_are_an_error_of_use(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match=str(file)):
        written_settings(KNOWN, [file])


def test_a_job_gets_them_and_environment_and_options_win(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert settings_files()[-1] == tmp_path / "quadrille.conf"
    (tmp_path / "quadrille.conf").write_text("QUADRILLE_WIRE=off QUADRILLE_LOG=plan QUADRILLE_FABRIC=on")
    monkeypatch.setenv("QUADRILLE_LOG", "wire")
    found = job_environment({"QUADRILLE_FABRIC": "off"})
    assert [found[f"QUADRILLE_{name}"] for name in ("WIRE", "LOG", "FABRIC")] == ["off", "wire", "off"]


def test_a_value_that_does_not_exist_is_refused_there_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "quadrille.conf").write_text("QUADRILLE_WIRE=sometimes")
    monkeypatch.delenv("QUADRILLE_WIRE", raising=False)
    with pytest.raises(UsageError, match="sometimes"):
        job_environment({})

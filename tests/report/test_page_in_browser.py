# SPDX-License-Identifier: BSD-3-Clause
"""Opens a report in headless Chromium: charts are drawn, nothing is fetched, nothing fails."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "schemas" / "examples"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--virtual-time-budget=10000",
]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium, chromium-browser or google-chrome in PATH"),
]


def browse(page: Path, profile: Path, *arguments: str) -> str:
    assert CHROMIUM is not None
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", *arguments, page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    files = [str(EXAMPLES / name) for name in ("results_bench.jsonl", "results_program.jsonl")]
    code = "from quadrille.cli import main; main()"
    subprocess.run(
        [sys.executable, "-c", code, "report", *files, "-o", str(path)],
        check=True,
        capture_output=True,
        timeout=60,
    )
    return path


@pytest.mark.timeout(180)
def test_charts_are_drawn_and_nothing_is_fetched(page: Path, tmp_path: Path) -> None:
    dom = browse(page, tmp_path / "profile", "--dump-dom")
    charts = dom.count('class="chart js-plotly-plot"')
    assert charts == 4
    assert f'data-charts-drawn="{charts}"' in dom
    drawn = re.sub(r"<script.*?</script>", "", dom, flags=re.DOTALL)
    assert drawn.count('class="main-svg"') >= charts
    # One line for each side, the limit and both ratios of two collectives.
    assert drawn.count('class="js-line"') >= 2 * (3 + 2)
    # The address of the SVG name space is a name; a reference to fetch would stand in src, href or url().
    assert not re.search(r"""(?:src|href)=["'](?:https?:)?//|url\(["']?(?:https?:)?//""", drawn)


@pytest.mark.timeout(180)
def test_a_screenshot_shows_colours_of_both_sides(page: Path, tmp_path: Path) -> None:
    shot = tmp_path / "report.png"
    browse(page, tmp_path / "profile", f"--screenshot={shot}", "--window-size=1280,2600")
    assert shot.read_bytes().startswith(b"\x89PNG")
    assert shot.stat().st_size > 50_000

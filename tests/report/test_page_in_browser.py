# SPDX-License-Identifier: BSD-3-Clause
"""Opens a report in headless Chromium: charts are drawn in time, nothing is fetched, nothing fails."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import CHROMIUM, Browser
from many_points import write_sweep

EXAMPLES = Path(__file__).resolve().parents[2] / "schemas" / "examples"
CHARTS = "document.querySelectorAll('.chart').length"
DRAWN = "document.querySelectorAll('.chart.js-plotly-plot').length"
FIRST_CHART = "document.querySelector('.chart').scrollIntoView()"

pytestmark = [
    pytest.mark.browser,
    pytest.mark.timeout(180),
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium, chromium-browser or google-chrome in PATH"),
]


def make_report(results: list[Path], page: Path) -> Path:
    code = "from quadrille.cli import main; main()"
    subprocess.run(
        [sys.executable, "-c", code, "report", *map(str, results), "-o", str(page)],
        check=True,
        capture_output=True,
        timeout=60,
    )
    return page


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    names = ("results_bench.jsonl", "results_program.jsonl")
    folder = tmp_path_factory.mktemp("report")
    return make_report([EXAMPLES / name for name in names], folder / "report.html")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile")) as started:
        yield started


def test_charts_are_drawn_and_nothing_is_fetched(browser: Browser, page: Path) -> None:
    browser.screen(1280, 5000)
    browser.open(page)
    browser.wait_for(f"{DRAWN} == 4")
    dom = browser.value("document.documentElement.outerHTML")
    drawn = re.sub(r"<script.*?</script>", "", dom, flags=re.DOTALL)
    assert drawn.count('class="main-svg"') >= 4
    # One line for each side, the limit and both ratios of two collectives.
    assert drawn.count('class="js-line"') >= 2 * (3 + 2)
    # The address of the SVG name space is a name; a reference to fetch would stand in src, href or url().
    assert not re.search(r"""(?:src|href)=["'](?:https?:)?//|url\(["']?(?:https?:)?//""", drawn)
    assert browser.errors() == []
    assert browser.screenshot().startswith(b"\x89PNG")


def test_a_sweep_of_a_hundred_thousand_samples_opens_at_once(browser: Browser, tmp_path: Path) -> None:
    results = tmp_path / "sweep.jsonl"
    assert write_sweep(results) >= 100_000
    page = make_report([results], tmp_path / "sweep.html")
    # No samples in it: three quarters are plotly.js, which is no script before it is needed.
    assert page.stat().st_size < 7_000_000
    browser.screen(1280, 900)
    began = time.monotonic()
    browser.open(page)
    seconds = time.monotonic() - began
    assert browser.value(CHARTS) == 136
    assert browser.value(DRAWN) == 0, "none is in view: a map of 64 rows comes first"
    assert seconds < 10, "about 0.4 s where nothing else runs; with all charts drawn at once it was 6"
    assert browser.value("document.querySelectorAll('*').length") < 25_000
    browser.value(FIRST_CHART)
    browser.wait_for(f"{DRAWN} > 0")
    time.sleep(0.3)
    assert browser.value(DRAWN) < 16, "only what is near the window"


def test_nothing_is_wider_than_a_phone(browser: Browser, page: Path) -> None:
    browser.screen(360, 740, phone=True)
    browser.open(page)
    browser.value(FIRST_CHART)
    browser.wait_for(f"{DRAWN} >= 1")
    assert browser.value("document.documentElement.scrollWidth") <= 360
    # A long axis title is set in lines; a chart's texts stay inside it.
    outside = """[...document.querySelectorAll('.chart.js-plotly-plot text')].filter((text) => {
        const [own, chart] = [text, text.closest('.chart')].map((one) => one.getBoundingClientRect());
        return own.width > 0 && (own.right > chart.right + 1 || own.left < chart.left - 1);
    }).map((text) => text.textContent)"""
    assert browser.value(outside) == []
    assert browser.value("document.querySelector('.chart').layout.dragmode") is False


def test_paper_has_every_chart_and_every_column(browser: Browser, page: Path) -> None:
    browser.screen(1280, 600)
    browser.open(page)
    assert browser.value("document.body.dataset.chartsDrawn") is None
    assert browser.pdf().startswith(b"%PDF")
    assert browser.value("document.body.dataset.chartsDrawn") == "4"
    browser.value(FIRST_CHART)
    wide = "document.querySelector('.chart svg.main-svg')?.getBoundingClientRect().width"
    browser.wait_for(f"{wide} > 0 && {wide} <= 620", 20)  # as wide as its column again, not as paper
    # As wide as A4 between its margins, laid out as for print: tables and charts end before the edge.
    browser.screen(700, 600)
    browser.call("Emulation.setEmulatedMedia", media="print")
    try:
        wide = """[...document.querySelectorAll('table')]
            .filter((one) => one.getBoundingClientRect().right > 700)
            .map((one) => one.innerText.slice(0, 60))"""
        assert browser.value(wide) == []
    finally:
        browser.call("Emulation.setEmulatedMedia", media="")

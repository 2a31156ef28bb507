# SPDX-License-Identifier: BSD-3-Clause
"""The frame of a page: one HTML file that opens without a network.

plotly.js is inlined once. A content security policy forbids the page every request, so that it cannot come to
depend on one unnoticed.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from quadrille.model.picture import STYLE
from quadrille.report.charts import Figure
from quadrille.report.formatting import escape

_HERE = Path(__file__).parent
# Wheels bring it, so that they do not need the package that it comes from, which is ten times as large.
_OWN_PLOTLY_JS = _HERE / "plotly.min.js.gz"
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"


def frame(title: str, body: str, with_charts: bool) -> str:
    """Return the page around `body`, which is HTML already."""
    style = (_HERE / "style.css").read_text(encoding="utf-8") + STYLE
    scripts = ""
    if with_charts:
        draw = (_HERE / "page.js").read_text(encoding="utf-8")
        # No script yet: page.js makes it one when the first chart comes into view, for it takes long to run.
        scripts = f'<script type="text/plain" id="plotly">{_plotly_js()}</script>\n<script>{draw}</script>'
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n{body}\n{scripts}\n</body>\n</html>\n"
    )


def _plotly_js() -> str:
    if _OWN_PLOTLY_JS.exists():
        return gzip.decompress(_OWN_PLOTLY_JS.read_bytes()).decode("utf-8")
    from plotly.offline import get_plotlyjs  # takes half a second to load

    return str(get_plotlyjs())


def chart_cell(figure: Figure) -> str:
    """Return the place at which `figure` is drawn."""
    # "</" would end the script element inside which the data stands.
    data = json.dumps(figure, allow_nan=False, separators=(",", ":")).replace("</", "<\\/")
    return f'<div class="cell"><div class="chart"></div><script type="application/json">{data}</script></div>'

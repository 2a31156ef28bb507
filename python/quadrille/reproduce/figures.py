# SPDX-License-Identifier: BSD-3-Clause
"""What the pages of several experiments draw alike."""

from __future__ import annotations

import json
from typing import Any

from quadrille.model.model_file import ModelError, parse_model
from quadrille.model.model_picture import model_svg
from quadrille.report.charts import Figure
from quadrille.report.formatting import escape

GRID = {"gridcolor": "#e6e6e6", "linecolor": "#999"}


def model_drawing(model: dict[str, Any]) -> str:
    """Return the drawing of a probed model as `quadrille show` makes it, or why there is none."""
    try:
        return f'<div style="max-width:760px">{model_svg(parse_model(json.dumps(model)))}</div>'
    except ModelError as error:
        return f"<p>The model cannot be drawn: {escape(str(error))}.</p>"


def layout(title: str, x_axis: Figure, y_axis: Figure) -> Figure:
    """Return a plotly layout in the report's style; what the axes give goes over the usual."""
    return {
        "title": {"text": title, "font": {"size": 15}, "x": 0.02, "xanchor": "left"},
        "font": {"family": "system-ui, sans-serif", "size": 12.5, "color": "#222"},
        "paper_bgcolor": "#fff",
        "plot_bgcolor": "#fff",
        "height": 380,
        "margin": {"l": 64, "r": 16, "t": 72, "b": 64},
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "xaxis": {**GRID, **x_axis},
        "yaxis": {**GRID, **y_axis},
    }

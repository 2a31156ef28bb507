# SPDX-License-Identifier: BSD-3-Clause
"""The drawing of a model, as the pages of several experiments show it."""

from __future__ import annotations

import json
from typing import Any

from quadrille.model.model_file import ModelError, parse_model
from quadrille.model.model_picture import model_svg
from quadrille.report.formatting import escape


def model_drawing(model: dict[str, Any]) -> str:
    """Return the drawing of a probed model as `quadrille show` makes it, or why there is none."""
    try:
        return f'<div style="max-width:760px">{model_svg(parse_model(json.dumps(model)))}</div>'
    except ModelError as error:
        return f"<p>The model cannot be drawn: {escape(str(error))}.</p>"

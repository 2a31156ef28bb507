# SPDX-License-Identifier: BSD-3-Clause
"""`python -m quadrille.lab.write_schema` writes schemas/lab.json from the models of the lab file."""

from __future__ import annotations

import json
from pathlib import Path

from quadrille.lab.topology import Topology

SCHEMA_FILE = Path(__file__).resolve().parents[3] / "schemas" / "lab.json"


def main() -> None:
    """Write the schema file of this source tree."""
    SCHEMA_FILE.write_text(json.dumps(Topology.model_json_schema(), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""The options of the verbs that set Quadrille up for a job, and the variables that they stand for."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

import typer

Model = Annotated[
    str | None, typer.Option("--model", metavar="FILE", help="Network model written by `quadrille probe`.")
]
Collectives = Annotated[
    str | None, typer.Option("--collectives", metavar="on|off", help="Whether to take over collectives.")
]
Wire = Annotated[
    str | None,
    typer.Option("--wire", metavar="auto|udp|packet|xdp|off", help="Links beside the MPI library."),
]
Multicast = Annotated[
    str | None, typer.Option("--multicast", metavar="auto|off", help="Whether multicast may be used.")
]
Fabric = Annotated[
    str | None,
    typer.Option(
        "--fabric", metavar="auto|on|off", help="Whether to carry point-to-point too; auto tries it."
    ),
]
Trace = Annotated[
    str | None, typer.Option("--trace", metavar="DIR", help="Folder that each rank writes its events to.")
]


@dataclass(frozen=True)
class JobOptions:
    """What the command line asks for; None where it says nothing."""

    model: str | None
    collectives: str | None
    wire: str | None
    multicast: str | None
    fabric: str | None
    trace: str | None

    def variables(self) -> dict[str, str | None]:
        """Return the variable of each option with its value, for `settings.job_environment`."""
        return {f"QUADRILLE_{option.upper()}": value for option, value in asdict(self).items()}

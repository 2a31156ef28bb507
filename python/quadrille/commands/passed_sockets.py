# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille link-helper`: opens packet sockets for ranks without privilege, and passes them on."""

from __future__ import annotations

from pathlib import Path

import typer

from quadrille.passed_sockets.daemon import SOCKET, keep
from quadrille.passed_sockets.rules import read_rules

RULES = Path("/etc/quadrille/link-helper.toml")

_HELP = """Open packet sockets for ranks that may not, as the rules allow, until terminated.

Needs root. The rules file names users or groups, interfaces and ports; docs/link_helper.md shows one and says
what a passed socket cannot do. Ranks of `--wire packet` without CAP_NET_RAW ask by themselves.
"""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("link-helper", help=_HELP)(link_helper)


def link_helper(
    rules: Path = typer.Option(RULES, "--rules", metavar="FILE", help="Who may have which sockets."),
    socket: Path = typer.Option(SOCKET, "--socket", metavar="PATH", help="Where ranks ask."),
    check: bool = typer.Option(False, "--check", help="Only read the rules and say whether they are right."),
) -> None:
    """Serve, or check the rules."""
    found = read_rules(rules)
    if check:
        typer.echo(f"rules file {rules}: {len(found.network)} networks")
    else:
        keep(found, socket)

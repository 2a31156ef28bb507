# SPDX-License-Identifier: BSD-3-Clause
"""All rules together, and their findings in words or as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.text import Text

from quadrille.doctor import rules_hosts, rules_interfaces, rules_links, rules_loss, rules_reach
from quadrille.doctor.finding import SEVERITIES, Case, Finding, Rule, names
from quadrille.doctor.rules_mpi import library_faults
from quadrille.doctor.rules_program import program

RULES: tuple[Rule, ...] = (
    *rules_reach.RULES,
    *rules_loss.RULES,
    *rules_links.RULES,
    *rules_interfaces.RULES,
    *rules_hosts.RULES,
)

_COLOURS = {"error": "bold red", "warning": "bold yellow", "note": "bold"}


def diagnose(case: Case, program_words: list[str], mpi: str = "unknown", version: str = "") -> list[Finding]:
    """Return all findings, worst first; among equals, those of more hosts first.

    `mpi` and `version` are those of the launcher (`detect_launcher`).
    """
    findings = [finding for rule in RULES for finding in rule(case)]
    findings += program(program_words)
    findings += library_faults(mpi, version)
    return by_severity(findings)


def by_severity(findings: list[Finding]) -> list[Finding]:
    """Return them worst first; among equals, those of more hosts first."""
    return sorted(findings, key=lambda one: (SEVERITIES.index(one.severity), -len(one.hosts)))


def is_wrong(findings: list[Finding]) -> bool:
    """Return whether something ought to be done."""
    return any(finding.severity != "note" for finding in findings)


def as_data(findings: list[Finding]) -> dict[str, Any]:
    """Return the findings as `--json` prints them."""
    return {"version": 1, "counts": _counts(findings), "findings": [asdict(finding) for finding in findings]}


def paragraphs(findings: list[Finding]) -> Iterator[Text]:
    """Yield one paragraph a finding and a last line that counts them; readable without colours."""
    for finding in findings:
        where = f" ({names(finding.hosts)})" if finding.hosts else ""
        text = Text.assemble(
            (finding.severity.upper(), _COLOURS[finding.severity]), f" {finding.id}{where}\n"
        )
        for label, words in (
            ("cause", finding.cause),
            ("evidence", finding.evidence),
            ("remedy", finding.remedy),
        ):
            text.append(f"  {label}: ", "bold")
            text.append(f"{words}\n")
        yield text
    yield Text(_conclusion(findings))


def _counts(findings: list[Finding]) -> dict[str, int]:
    return {one: sum(finding.severity == one for finding in findings) for one in SEVERITIES}


def _conclusion(findings: list[Finding]) -> str:
    told = [
        f"{count} {severity}{'' if count == 1 else 's'}"
        for severity, count in _counts(findings).items()
        if count
    ]
    if not is_wrong(findings):
        return "nothing wrong was found" + (f" ({told[0]})" if told else "")
    return ", ".join(told)

"""A verdict, as the first lines of an output."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from hockney.base.units import how_many, listed
from hockney.infer.analysis.decision import MOST_DECIDING, Decision
from hockney.infer.analysis.findings import DecidingFinding, Failures

RELATIVE = (
    "parts were compared with each other: what is slow everywhere passes, unless it is compared "
    "with an earlier run (suite --against, compare, history)"
)

UNHELD = "no earlier run was given to compare these times with"


def decision_heading(decision: Decision) -> str:
    return f"verdict: {decision.words.upper()}"


def finding_text(finding: DecidingFinding) -> str:
    """The run, what was found, its number, what that is compared with, and what to do."""
    words = ": ".join(part for part in (finding.run, finding.what, finding.number) if part)
    words += f"; against {finding.reference}" if finding.reference else ""
    return f"{words}; to do: {finding.action}" if finding.action else words


def decision_lines(decision: Decision) -> list[str]:
    """The heading, the findings that decide, and how many others there are."""
    lines = [f"  {finding_text(finding)}" for finding in decision.deciding]
    more = len(decision.findings) - MOST_DECIDING
    lines += [f"  and {how_many(more, 'more finding')}, below"] if more > 0 else []
    if decision.unheld:
        labels = [f'"{label}"' for label in decision.unheld]
        lines.append(f"  {UNHELD}: {listed(labels, MOST_DECIDING, 'run')}")
    if decision.is_relative:
        lines.append(f"  {RELATIVE}")
    lines += [f"  left out: {words}" for words in decision.left_out]
    return [decision_heading(decision), *lines]


def failures_text(failures: Failures) -> list[str]:
    """What fails in each of two runs by itself, the second run first."""
    both = zip("BA", reversed(failures), strict=True)
    return [
        f"in {name} alone: {': '.join(filter(None, (finding.what, finding.number)))}"
        for name, of_run in both
        for finding in of_run
    ]


def failures_json(failures: Failures) -> dict[str, Any]:
    both = zip(("base", "other"), failures, strict=True)
    return {name: [asdict(finding) for finding in of_run] for name, of_run in both}


def decision_json(decision: Decision | None) -> dict[str, Any] | None:
    if decision is None:
        return None
    return {
        "status": decision.status,
        "words": decision.words,
        "unheld": list(decision.unheld),
        "is_relative": decision.is_relative,
        "findings": [asdict(finding) for finding in decision.findings],
    }

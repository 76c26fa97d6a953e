"""A judged claim, in lines and as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from hockney.infer.analysis import Analysis
from hockney.infer.analysis.claims.claim import CANNOT_TELL, RULE, JudgedClaim
from hockney.plan.claims import Claim


def claim_lines(judgement: JudgedClaim, analyses: Mapping[str, Analysis]) -> list[str]:
    """The verdict, then what was claimed, by whom, and how it was measured."""
    claim = judgement.claim
    lines = [verdict_line(judgement)]
    if judgement.verdict == CANNOT_TELL:
        lines.append(f"what would tell: {judgement.remedy}")
    lines += ["", f"claim: {claim.claim}", f"source: {claim.source}"]
    for measure in claim.measures:
        lines.append(f"measured by: {measure.command}")
        if measure.name in analyses:
            analysis = analyses[measure.name]
            lines.append(f"  on {analysis.label}; samples are in {analysis.run.path}")
    return lines


def verdict_line(judgement: JudgedClaim) -> str:
    """ "confirmed: the ratio is 2.01 (exact: simulated), claimed at least 2"."""
    claimed = f", claimed: {judgement.claim.expected.text}" if judgement.number else ""
    return f"{judgement.verdict}: {judgement.why}{claimed}"


def claim_json(judgement: JudgedClaim, analyses: Mapping[str, Analysis]) -> dict[str, Any]:
    """The verdict as JSON (docs/json.md)."""
    claim, number = judgement.claim, judgement.number
    expected = claim.expected
    return {
        "claim": claim.name,
        "statement": claim.claim,
        "source": claim.source,
        "verdict": judgement.verdict,
        "why": judgement.why,
        "remedy": judgement.remedy or None,
        "quantity": judgement.quantity,
        "value": number.value if number else None,
        "low": number.interval.low if number else None,
        "high": number.interval.high if number else None,
        "launches": number.launches if number else None,
        "is_exact": number.interval.is_exact if number else None,
        "claimed": {
            "text": expected.text,
            "at_least": expected.low if math.isfinite(expected.low) else None,
            "at_most": expected.high if math.isfinite(expected.high) else None,
        },
        "measures": [
            {
                "name": measure.name,
                "command": measure.command,
                "file": _file(analyses.get(measure.name)),
            }
            for measure in claim.measures
        ],
        "gate": asdict(judgement.gate),
        "rule": RULE,
    }


def _file(analysis: Analysis | None) -> str | None:
    return str(analysis.run.path) if analysis is not None and analysis.run.path else None


def list_lines(claims: Sequence[Claim]) -> list[str]:
    """The claims that hockney brings, with their sources."""
    return [f"{claim.name}\n  {claim.claim}\n  {claim.source}" for claim in claims]


def list_json(claims: Sequence[Claim]) -> dict[str, Any]:
    return {
        "claims": [
            {
                "claim": claim.name,
                "statement": claim.claim,
                "source": claim.source,
                "commands": [measure.command for measure in claim.measures],
            }
            for claim in claims
        ]
    }

"""Judges a claim by what was measured: confirmed, refuted, or undecided, and what would decide it.

A claim is confirmed where the whole 95 % interval of its quantity is in the claimed range, refuted
where none of it is, and undecided ("cannot tell") in between.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from hockney.base.units import how_many
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.claims.claim_words import number_text, quantity_text
from hockney.infer.analysis.claims.claimed_number import CannotTellError, Number, Remedy
from hockney.infer.analysis.claims.claimed_quantity import Document, taken
from hockney.infer.analysis.gate import Gate, failed, not_judged, passed
from hockney.infer.estimate.quantiles import ENOUGH_LAUNCHES
from hockney.plan.claims import Claim, ClaimedRange

Verdict = Literal["confirmed", "refuted", "cannot tell"]
CONFIRMED: Verdict = "confirmed"
REFUTED: Verdict = "refuted"
CANNOT_TELL: Verdict = "cannot tell"
MOST_LAUNCHES = 1000
"""Most launches that a remedy asks for: beyond, the number lies at a limit of the claimed range."""
RULE = (
    "a claim is confirmed where the 95 % interval of its quantity lies within the claimed range, "
    "refuted where it lies outside, and undecided (cannot tell) otherwise; 95 % need "
    f"{ENOUGH_LAUNCHES} launches; a ratio or an exponent takes the ends of the intervals that it "
    "is made of, which is at least as sure, and a ratio of two runs is as wide as what equal runs "
    "usually differ by, too; simulated times are exact"
)
"""Text of the rule by which a claim is judged."""


@dataclass(frozen=True)
class JudgedClaim:
    """The verdict on a claim."""

    claim: Claim
    verdict: Verdict
    why: str
    remedy: str
    """What would decide the claim; empty if it is decided."""
    number: Number | None
    """The quantity; None where it could not be taken."""

    @property
    def quantity(self) -> str:
        """The quantity in words."""
        return quantity_text(self.claim.quantity)

    @property
    def gate(self) -> Gate:
        if self.verdict == CONFIRMED:
            return passed(self.why)
        if self.verdict == REFUTED:
            return failed([self.why], [self.claim.name])
        return not_judged(self.why, self.remedy)


def judged(claim: Claim, analyses: Mapping[str, Analysis], document: Document) -> JudgedClaim:
    """The verdict on a claim by the analyses of its measurements, by name."""
    try:
        _check_trusted(claim, list(analyses.values()))
        number = taken(claim.quantity, analyses, document)
    except CannotTellError as error:
        return cannot_tell(claim, error.remedy)
    return _judged(claim, number)


def cannot_tell(claim: Claim, remedy: Remedy) -> JudgedClaim:
    return JudgedClaim(claim, CANNOT_TELL, remedy.why, remedy.what, None)


def _judged(claim: Claim, number: Number) -> JudgedClaim:
    expected, interval = claim.expected, number.interval
    why = f"{quantity_text(claim.quantity)} is {number_text(claim.quantity, number)}"
    if interval.lies_in(expected.low, expected.high):
        return JudgedClaim(claim, CONFIRMED, why, "", number)
    if interval.high < expected.low or interval.low > expected.high:
        return JudgedClaim(claim, REFUTED, why, "", number)
    return JudgedClaim(claim, CANNOT_TELL, why, _more(number, expected), number)


def _more(number: Number, expected: ClaimedRange) -> str:
    """About how many launches would decide: intervals narrow with the root of their number."""
    ends = [end for end in (expected.low, expected.high) if math.isfinite(end)]
    distance = min(abs(number.value - end) for end in ends)
    if distance > 0.0:
        reach = max(number.interval.high - number.value, number.value - number.interval.low)
        needed = math.ceil(number.launches * max((reach / distance) ** 2, 1.0)) + 1
        if needed <= MOST_LAUNCHES:
            return f"about {needed} launches would tell: -- --launches {needed}"
    return "it is at a limit of what is claimed: a quieter machine or a wider range would tell"


def _check_trusted(claim: Claim, analyses: Sequence[Analysis]) -> None:
    """Raises CannotTellError if ranks shared CPUs, or if no run has the nodes that it needs."""
    for analysis in analyses:
        crowded = analysis.oversubscribed
        if crowded is not None and not analysis.run.is_simulated:
            raise CannotTellError(crowded.fact, "start no more ranks than there are CPUs")
    hosts = [len({place.host for place in analysis.places.values()}) for analysis in analyses]
    if max(hosts) < claim.requires.nodes:
        raise CannotTellError(
            f"the ranks of {analyses[hosts.index(max(hosts))].run.path} were on "
            f"{how_many(max(hosts), 'node')}, the claim is about {claim.requires.nodes}",
            "place them with -- --nodes or --hosts, and --ranks-per-node",
        )

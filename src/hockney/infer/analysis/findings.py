"""Findings that follow from one run alone: a verdict is made of them, and two runs may differ in
them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hockney.base.units import how_many
from hockney.infer.analysis.gate import FAILED, NOT_JUDGED, PASSED, Gate, Status
from hockney.infer.analysis.network.boards import CABLE, GROUP, INSIDE, NODE, PAIR, UPLINK
from hockney.infer.analysis.network.outliers import Outlier
from hockney.infer.analysis.network.slow_parts import SlowPart
from hockney.infer.analysis.warnings import failed_launches

if TYPE_CHECKING:
    from hockney.infer.analysis import Analysis


@dataclass(frozen=True)
class DecidingFinding:
    status: Status
    what: str
    number: str
    """The number with its interval, or with another measure of how sure it is."""
    reference: str
    """What the number is compared with; empty where there is nothing."""
    action: str
    """What to do; empty where there is nothing to do."""
    run: str = ""
    """The label of the run that shows it; empty where several runs do."""
    names: tuple[str, ...] = ()
    """Names of what is slow, such as nodes; empty where it is the run as a whole."""
    kind: str = ""
    """The kind of what is slow, such as "node"; empty where it is not part of a network."""

    @property
    def culprits(self) -> tuple[str, ...]:
        """What it is about, by which the findings of two runs are matched."""
        return self.names or (self.what,)


def findings_of(analysis: Analysis) -> Iterator[DecidingFinding]:
    """Findings that follow from a run alone, without its label."""
    if analysis.run.cut is not None:
        yield of_cut("the run", analysis.run.cut)
    failed = failed_launches(analysis.run)
    if failed is not None:
        number = f"{failed.failed} of {failed.launches} launches ({failed.message})"
        action = "continue the run with --resume"
        yield DecidingFinding(FAILED, "a launch failed", number, "", action)
    if getattr(analysis.workload, "verify", False) and not failed:
        yield _of_data(analysis)
    if analysis.compares_pairs:
        yield from _of_outliers(analysis)
    for gate in analysis.plan_gates:
        yield of_gate("", gate, "the plan's limit")


Failures = tuple[tuple[DecidingFinding, ...], tuple[DecidingFinding, ...]]
"""Failed findings that one of two runs alone has: those of A, and those of B."""


def failures_apart(first: Analysis, second: Analysis) -> Failures:
    """Failed findings that one of two runs alone has, such as a slow node, which common points may
    not show."""
    ours, theirs = (
        [finding for finding in findings if finding.status == FAILED]
        for findings in (first.findings_by_itself, second.findings_by_itself)
    )
    known = [{finding.culprits for finding in of_run} for of_run in (ours, theirs)]
    return (
        tuple(finding for finding in ours if finding.culprits not in known[1]),
        tuple(finding for finding in theirs if finding.culprits not in known[0]),
    )


def explainer(finding: DecidingFinding, known: Iterable[DecidingFinding]) -> DecidingFinding | None:
    """The slow node or switch, of the same run or another, that explains a slow pair or cable of
    it; None without any. The name of a rank has that of its node behind it."""
    if finding.kind not in (PAIR, CABLE):
        return None
    for other in known:
        if other.kind in (NODE, INSIDE) and len(other.names) == 1:
            name = other.names[0]
            ends = (f"({name})", f" on {name}")
            if any(end == name or end.endswith(ends) for end in finding.names):
                return other
    return None


def of_cut(what: str, cut: str) -> DecidingFinding:
    """The finding of a run whose file lacks something: the missing part may be what would fail."""
    action = "continue the run with --resume, or measure it again"
    return DecidingFinding(NOT_JUDGED, f"{what} is not whole", cut, "", action)


def _of_data(analysis: Analysis) -> DecidingFinding:
    """Whether all data of a run with --verify, in which no launch failed, were checked."""
    run, what = analysis.run, "messages arrive as they were sent"
    planned = {size.bytes for size in analysis.workload.sizes} if analysis.workload else set()
    seen = {point.bytes for point in run.samples.visited}
    if len(seen) < len(planned) and seen != {0}:
        number = f"{len(seen)} of {len(planned)} sizes"
        return DecidingFinding(NOT_JUDGED, what, number, "", "continue the run with --resume")
    if len({end.launch for end in run.ends}) < len(run.launches):
        why = "a launch was cut short"
        return DecidingFinding(NOT_JUDGED, what, why, "", "continue the run with --resume")
    count = len(run.samples)
    return DecidingFinding(PASSED, what, how_many(count, "visit"), "", "")


def of_gate(what: str, gate: Gate, reference: str) -> DecidingFinding:
    if gate.status != NOT_JUDGED:
        names = gate.culprits
        return DecidingFinding(gate.status, what, gate.why, reference, "", names=names)
    why, _, remedy = gate.why.partition("; ")
    return DecidingFinding(gate.status, what, why, reference, remedy)


def _of_outliers(analysis: Analysis) -> Iterator[DecidingFinding]:
    gate = analysis.outlier_gate
    if gate.status != FAILED:
        yield of_gate("outliers", gate, "their peers")
        return
    yield from map(of_slow, slow_parts(analysis))


def slow_parts(analysis: Analysis) -> Sequence[SlowPart]:
    """The outliers for which the gate of a run fails; none where it does not."""
    return analysis.slow_parts.slow if analysis.outlier_gate.status == FAILED else ()


def of_slow(part: SlowPart) -> DecidingFinding:
    return DecidingFinding(
        FAILED,
        part.words,
        part.number,
        part.reference,
        _remedy(part),
        names=part.names,
        kind=part.what,
    )


OF_NODES = (
    "measure every pair of the job's nodes, which tells a slow node from a cable: hockney fabric "
    "--gate in the same job"
)
"""What to do about a pair of two nodes, of which each may have no other pair."""


def _remedy(part: SlowPart) -> str:
    named = ", ".join(part.names)
    if part.what in (CABLE, UPLINK, INSIDE, GROUP):
        return "look at its ports' rates and errors: hockney doctor --transports"
    if part.what == NODE:
        return f"take {named} out of the job, run hockney doctor there, and measure again"
    if part.what == PAIR and isinstance(part, Outlier) and part.is_between_nodes:
        return OF_NODES
    return f"measure {named} alone, and see what else runs there: hockney doctor"

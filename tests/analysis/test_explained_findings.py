"""Which findings explain others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hockney.infer.analysis.decision import decided
from hockney.infer.analysis.findings import DecidingFinding
from hockney.infer.analysis.gate import FAILED


def slow(kind: str, *names: str) -> DecidingFinding:
    what = f"{kind} {', '.join(names)} is slow"
    return DecidingFinding(FAILED, what, "2 times", "", "look there", names=names, kind=kind)


@pytest.mark.parametrize(
    ("explaining", "explained"),
    [
        (slow("node", "n1"), slow("pair", "n1", "n2")),
        (slow("node", "n1"), slow("pair", "rank 1 (n1)", "rank 2 (n2)")),
        (slow("node", "n1"), slow("pair", "rank 8 on n2", "rank 4 on n1")),
        (slow("switch", "s0"), slow("cable", "s0", "s1")),
    ],
)
def test_a_slow_node_is_to_be_seen_to_before_its_pairs(
    explaining: DecidingFinding, explained: DecidingFinding
) -> None:
    decision = decided([explained, explaining])
    assert decision is not None
    action = f"look there; first what explains it: {explaining.what}"
    assert decision.findings == (explaining, replace(explained, action=action))


@pytest.mark.parametrize(
    ("other", "finding"),
    [
        (slow("pair", "n1", "n2"), slow("group", "n1", "n2", "n3")),
        (slow("node", "n1"), slow("group", "n1", "n2", "n3")),
        (slow("node", "n1"), slow("pair", "n11", "rank 2 (n12)")),
        (slow("", "bcast"), slow("", "bcast", "allreduce")),
        (slow("node", "n1"), slow("", "n1", "n2")),
    ],
)
def test_what_is_no_part_of_a_finding_does_not_explain_it(
    other: DecidingFinding, finding: DecidingFinding
) -> None:
    decision = decided([finding, other])
    assert decision is not None
    assert decision.findings == (finding, other)

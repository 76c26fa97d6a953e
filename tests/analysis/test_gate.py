"""The form that all gates have in common."""

from __future__ import annotations

import pytest

from hockney.infer.analysis.gate import failed, not_judged, passed, together
from hockney.infer.analysis.gates import gate_of
from hockney.infer.analysis.network.slow_parts import Verdict


@pytest.mark.parametrize(
    ("judged", "words"),
    [
        ({"node": 8}, "8 nodes"),
        ({"node": 1, "switch": 3}, "1 node and 3 switches"),
        (
            {"process": 2, "uplink": 2, "cable": 1},
            "2 processes, 2 links up from switches and 1 cable",
        ),
    ],
)
def test_a_gate_counts_parts_in_words(judged: dict[str, int], words: str) -> None:
    assert gate_of(Verdict((), judged)).why == f"no outlier among {words}"


def test_each_end_has_a_line_and_a_status_of_its_own() -> None:
    gates = [
        passed("no outlier among 8 nodes"),
        passed("no variant is slower", "without launch 4"),
        failed(["node n3: 2 times the others"], ["n3"]),
        not_judged("too few pairs", "measure more"),
    ]
    assert [(gate.line, gate.exit_status) for gate in gates] == [
        ("gate: passed", 0),
        ("gate: passed; without launch 4", 0),
        ("gate: FAILED: node n3: 2 times the others", 1),
        ("gate: NOT JUDGED: too few pairs; measure more", 3),
    ]


def test_the_worst_of_several_gates_counts() -> None:
    well, unknown = passed("all alike"), not_judged("too few pairs", "measure more")
    bad = failed(["a is slow", "b is slow"], ["a", "b", "a"])
    assert together([]) is None
    assert together([None, well]) == well
    assert together([well, unknown, None]) == unknown
    worst = together([unknown, bad, failed(["b is slow"], ["b"])])
    assert worst is not None
    assert (worst.status, worst.culprits) == ("failed", ("a", "b"))

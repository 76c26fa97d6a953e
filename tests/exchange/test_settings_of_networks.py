"""Runs of one log on other nodes are no launches of each other."""

from __future__ import annotations

import pytest
from reading import runs

import excerpts_of_networks as networks
from hockney.records import Run


def launches(experiments: list[Run]) -> dict[str, list[int]]:
    counts: dict[str, list[int]] = {}
    for run in experiments:
        counts.setdefault(run.header.experiment, []).append(len(run.launches))
    return counts


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        (networks.GPCNET, "(16 nodes)", "(8 nodes)"),
        (networks.HPCC_SUMMARY, "CommWorldProcs=16", "CommWorldProcs=32"),
        (networks.MPIGRAPH, "node-3", "node-4"),
        (networks.MPIBENCH, "node-2", "node-1"),
        (networks.MATRIX, "node-3", "node-4"),
    ],
    ids=["gpcnet", "hpcc", "mpigraph", "mpibench", "matrix"],
)
def test_other_nodes_are_another_setting(text: str, old: str, new: str) -> None:
    assert old in text
    texts = (text, text + text, text + text.replace(old, new))
    once, same, other = (launches(runs(each)) for each in texts)
    assert same == {name: [2 * count for count in counts] for name, counts in once.items()}
    apart = {name: counts for name, counts in other.items() if counts != once[name] * 2}
    assert set(apart) <= {"hpcc-natural-ring", "hpcc-random-ring"}, apart  # their ranks are an axis

"""`show --explain` defines what the tables have."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from hockney.infer.analysis import Analysis
from hockney.records import Run
from hockney.show.experiments import view_of
from hockney.show.explained import COLUMNS, explained
from hockney.show.tables import table
from hockney.show.tables.table import aligned
from show.test_goldens import RUNS

PLAIN = {
    "samples",
    *("algorithm", "ranks", "how", "exchange", "collective", "phase", "step", "which", "group"),
    *("level", "variant", "rank", "time", "us", "value", "95 %", "fastest", "library's own"),
    *(
        "mean",
        "std",
        "5 %",
        "99 %",
        "slowest",
        "slowest pairs",
        "over",
        "one way",
        "measured/predicted",
    ),
    *("binomial", "chain", "default", "ring", "times its level", "first", "second", "third"),
}
"""Headings that say what they hold."""


def shown(name: str) -> tuple[Analysis, str]:
    run = RUNS[name]()
    analysis = Analysis(run)
    return analysis, "\n\n".join(view_of(analysis).parts(analysis, True))


@pytest.mark.parametrize("name", sorted(set(RUNS) - {"imported"}))
def test_every_heading_is_defined_or_plain(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    headings: set[str] = set()

    def seen(rows: Sequence[Sequence[str]]) -> str:
        headings.update(rows[0])
        return aligned(rows)

    monkeypatch.setattr(table, "aligned", seen)
    analysis, text = shown(name)
    bare = {re.sub(r"^\d+ % (?=interval)", "", heading) for heading in headings} - {""}
    assert not bare - set(COLUMNS) - PLAIN
    assert len(explained(analysis, text)) > 1


def test_only_the_columns_of_the_table_are_explained() -> None:
    analysis, text = shown("states")
    words = "\n".join(explained(analysis, text))
    assert "MiB/s: " in words
    assert "p99: " not in words
    assert "hidden: " not in words
    assert "state 0: 56 %" not in words  # of several states, the table has it


@pytest.mark.parametrize("name", RUNS)
def test_a_run_without_launches_is_described_without_claims(name: str) -> None:
    """No rounds, pairs or roles of ranks are stated where there were none."""
    analysis = Analysis(Run(RUNS[name]().header), name)
    view = view_of(analysis)
    text = "\n".join([*view.parts(analysis, False), *view.definitions(analysis)])
    claims = ("victims", "% of rounds", "0 pairs at once")
    assert [claim for claim in claims if claim in text] == []

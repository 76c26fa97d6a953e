"""References of ReFrame: what they say is what was measured."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hockney import records
from hockney.base.errors import UsageError
from hockney.foreign.exchange import writing
from hockney.foreign.programs.reframe_references import name_of
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.comparison.run_drift import as_earlier
from hockney.plan.axes import AXES
from hockney.records import Run
from hockney.show.tables.as_json import point_json
from recorded.answers import files
from samples import make_run

POINTS = Path(__file__).parents[2] / "integrations" / "reframe" / "hockney_points.py"


def run_of(launches: int = 8, factor: float = 1.0) -> Run:
    """1 us and 1 ns a byte, by up to 7 % more in later launches."""
    run = make_run(
        lambda launch, _, size: [factor * (1000.0 + size) * (1.0 + 0.01 * launch)] * 3,
        launches=launches,
        sizes=(8, 1 << 20),
    )
    run.header = msgspec.structs.replace(run.header, id=f"by {factor}")
    return run


def references(analysis: Analysis) -> dict[str, tuple[float, float, float, str]]:
    """The references that ReFrame reads from the file."""
    names: dict[str, Any] = {}
    exec(writing.write(analysis, "reframe-references").decode(), names)
    by_variable: dict[str, tuple[float, float, float, str]] = names["reference"]["*"]
    return by_variable


def test_a_reference_is_the_median_with_its_interval() -> None:
    analysis = Analysis(run_of())
    small, large = analysis.estimates.own()
    by_variable = references(analysis)
    value, lower, upper, unit = by_variable["latency"]
    assert (value, unit) == (pytest.approx(small.median_s * 1e6, rel=1e-3), "us")
    assert small.interval is not None
    assert large.interval is not None
    assert value * (1.0 + lower) == pytest.approx(small.interval.low * 1e6, rel=1e-3)
    assert value * (1.0 + upper) == pytest.approx(small.interval.high * 1e6, rel=1e-3)
    value, lower, upper, unit = by_variable["bandwidth"]
    assert (value, unit) == (pytest.approx(large.bandwidth_Bps / 2**20, rel=1e-3), "MiB/s")  # type: ignore[operator]
    assert lower < 0.0 < upper
    assert value * (1.0 + lower) == pytest.approx(2**20 / large.interval.high / 2**20, rel=1e-3)


def test_other_runs_widen_the_tolerance() -> None:
    alone, among = Analysis(run_of()), Analysis(run_of())
    others = [Analysis(run_of(factor=factor)) for factor in (0.9, 1.2, 1.1, 0.8, 1.3)]
    for number, other in enumerate(others):
        other.run.header = msgspec.structs.replace(other.run.header, id=f"run {number}")
    among.earlier = as_earlier(others)
    assert references(among)["latency"][2] > 2.0 * references(alone)["latency"][2]
    text = writing.write(among, "reframe-references").decode()
    assert "the median of another run, from 6 runs" in text


def test_without_earlier_runs_the_meaning_says_that_it_is_assumed() -> None:
    alone = Analysis(run_of())
    alone.earlier = []
    text = writing.write(alone, "reframe-references").decode()
    assert "how much runs differ is assumed, as no earlier run of this host is known" in text


def test_without_an_interval_there_is_no_reference() -> None:
    with pytest.raises(UsageError, match="has no interval from 3 launches") as refused:
        references(Analysis(run_of(launches=3)))
    assert "--launches 5, " in str(refused.value)
    assert "--history" in str(refused.value)


def test_a_label_cannot_end_the_text() -> None:
    run = run_of()
    run.header.label = 'a""" + exit() #\\'
    assert set(references(Analysis(run))) == {"latency", "bandwidth"}


def _rule_of_the_test_classes() -> dict[str, Any]:
    """The functions of the integration, without ReFrame."""
    tree = ast.parse(POINTS.read_text())
    kept = (ast.FunctionDef, ast.Assign)
    names: dict[str, Any] = {}
    rule = ast.Module([node for node in tree.body if isinstance(node, kept)], [])
    exec("import re", names)
    exec(compile(rule, POINTS, "exec"), names)
    return names


@pytest.mark.long
def test_names_are_those_of_the_test_classes_and_differ_within_a_run() -> None:
    rule = _rule_of_the_test_classes()
    assert rule["AXES"] == tuple(name for name in AXES if name != "buffers")
    for file in files():
        points = Analysis(records.read(file)).estimates.own()
        names = [name_of(point) for point in points]
        assert len(set(names)) == len(names), file
        decoded = msgspec.json.decode(msgspec.json.encode([point_json(p, None) for p in points]))
        assert [rule["name_of"](point) for point in decoded] == names
        assert all(name.isidentifier() for name in names)

"""hockney.load: frames, estimates and fits that show themselves."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import hockney
from hockney.base.errors import UsageError
from hockney.result import Result
from samples import make_run, write_run

pandas = pytest.importorskip("pandas")


@pytest.fixture
def result(tmp_path: Path) -> Result:
    run = make_run(lambda launch, _, size: [1000.0 + launch + size], sizes=(0, 8, 1024))
    run.header.label = "<script>alert(1)</script>"
    result = hockney.load(write_run(run, tmp_path / "run.jsonl"))
    run.header.label = None
    return result


def test_frames_hold_what_the_file_holds(result: Result) -> None:
    assert len(result.samples) == 5 * 10 * 3
    assert result.samples["seconds"].min() == pytest.approx(1000e-9)
    points = result.points
    assert list(points["bytes"]) == [0, 8, 1024]
    assert list(points["median_s"]) == [p.median_s for p in result.estimates.headline]
    assert points["median_s"].dtype == float
    assert points["bandwidth_Bps"].isna().tolist() == [True, False, False]


def test_frames_group_as_frames_do(result: Result) -> None:
    each = result.samples.groupby(["bytes", "launch"])["seconds"].median()
    medians = each.groupby("bytes").median()
    assert medians.tolist() == pytest.approx(result.points["median_s"].tolist())


def test_fits_are_those_of_the_command(result: Result) -> None:
    line = result.fit()
    assert line.parameters["alpha_s"].value == pytest.approx(1002e-9, rel=1e-3)
    assert result.fit(model="segmented").model == "segmented"
    assert "alpha" in repr(line)
    with pytest.raises(UsageError, match="no model called"):
        result.fit(model="nonsense")


def test_a_curve_is_chosen_where_there_are_several(result: Result) -> None:
    run = result.run
    run.samples[::2] = [replace(visit, algorithm="linear") for visit in run.samples[::2]]
    with pytest.raises(UsageError, match="2 curves"):
        result.fit()
    assert result.fit(algorithm="linear").launches == 5
    with pytest.raises(UsageError, match="colour is not an axis"):
        result.fit(colour="red")


def test_what_a_notebook_shows_is_escaped(result: Result) -> None:
    for shown in (result._repr_html_(), result.fit()._repr_html_()):
        assert "<script>" not in shown
        assert "&lt;script&gt;" in shown
    assert "1.002 us" in result._repr_html_()


def test_a_console_shows_the_table(result: Result) -> None:
    assert ["0", "1.000", "1.002"] in [line.split()[:3] for line in repr(result).splitlines()]


def test_without_pandas_estimates_remain(result: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *rest: Any) -> Any:
        if name == "pandas":
            raise ImportError(name, name=name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(UsageError, match=r"hockney\[pandas\]"):
        _ = result.samples
    assert len(result.estimates.headline) == 3


def test_what_is_no_result_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "odd").write_text("1 2 3\n")
    with pytest.raises(UsageError, match="hockney import"):
        hockney.load(tmp_path / "odd")

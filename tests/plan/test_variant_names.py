"""Variants are named by what differs."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec import structs

from hockney.infer.analysis import Analysis
from hockney.infer.analysis.comparison.compare import compare
from hockney.infer.analysis.comparison.comparison_gate import comparison_gate
from hockney.infer.analysis.history.histories import histories
from hockney.infer.analysis.reduced import Reduced
from hockney.infer.index.database import Index
from hockney.infer.index.history_rows import facts_from
from hockney.plan import plan_of, stored
from hockney.plan.variant_names import differing, short_name, shown_names
from hockney.plan.variants import Comparison, Variant
from hockney.records import MpiFacts, Run
from hockney.show.comparison.comparison_lines import show_comparison
from hockney.show.curves.curves import Options, curves_of
from hockney.show.history.history_lines import history_lines
from samples import FIRST_DAY, varied_run, write_run

A, B = "/opt/mpich-5.0.2/bin/mpicc", "/opt/openmpi/bin/mpicc"


def of_mpicc(*values: str) -> Comparison:
    return Comparison(
        variants=tuple(Variant(name=f"mpicc={v}", values={"mpicc": v}) for v in values)
    )


@pytest.mark.parametrize(
    ("libraries", "names"),
    [
        (("MPICH 5.0.2", "Open MPI 5.0.11"), ["MPICH 5.0.2", "Open MPI 5.0.11"]),
        (("MPICH 5.0.2",) * 2, ["MPICH 5.0.2 (mpich-5.0.2)", "MPICH 5.0.2 (openmpi)"]),
        ((), ["mpicc=mpich-5.0.2", "mpicc=openmpi"]),
    ],
)
def test_two_mpis_are_named_by_their_libraries(
    libraries: tuple[str, ...], names: list[str]
) -> None:
    comparison = of_mpicc(A, B)
    shown_by_name = shown_names(comparison, dict(zip(comparison.names, libraries, strict=False)))
    assert list(shown_by_name) == comparison.names
    assert list(shown_by_name.values()) == names


def run_of_two_mpis(slower: float = 1.0) -> Run:
    """B takes `slower` times as long as A."""
    comparison = of_mpicc(A, B)
    run = varied_run(6, dict(zip(comparison.names, (1.0, slower), strict=True)))
    plan = plan_of(run.header.options)
    assert plan is not None
    plan = structs.replace(plan, comparison=comparison)
    run.header = structs.replace(run.header, options=stored(plan))
    for launch in run.launches:
        launch.mpi = MpiFacts(library=("MPICH", "Open MPI")[launch.launch % 2], version="1")
    return run


def test_curves_of_two_mpis_have_their_names() -> None:
    """In fits and figures too, whose heading names both."""
    run = run_of_two_mpis()
    analysis = Analysis(run)
    assert [curve.name for curve in analysis.curves] == ["MPICH 1", "Open MPI 1"]
    [first, second] = curves_of([analysis], Options())
    assert [first.label, second.label] == ["MPICH 1", "Open MPI 1"]
    assert run.label == "MPICH 1, Open MPI 1 on unknown"
    run.path = Path("run.jsonl")
    assert Reduced.of(analysis).analysis(run.path).run.label == run.label


def curves(*variants: str) -> set[str]:
    return {f"pingpong, 2 ranks, {variant}" for variant in variants}


def test_a_history_of_such_runs_has_their_names(tmp_path: Path) -> None:
    """As the newest run names them; JSON and Prometheus keep what stays when a library is new."""
    for day in range(3):
        run = run_of_two_mpis()
        started = (FIRST_DAY + timedelta(days=day)).isoformat()
        run.header = structs.replace(run.header, id=f"run {day}", started=started)
        run.launches[0].mpi = MpiFacts(library="MPICH", version=str(day))
        for launch in run.launches[2::2]:
            launch.mpi = run.launches[0].mpi
        write_run(run, tmp_path / f"{day}.jsonl")
    for _ in range(2):  # as they are computed, then as the index keeps them
        with closing(Index(tmp_path / "index.db")) as index:
            known = [facts_from(index, tmp_path / f"{day}.jsonl").facts for day in range(3)]
    (history,) = histories([facts for facts in known if facts], 0.05)
    assert {trend.curve_name for trend in history.trends} == curves("MPICH 2", "Open MPI 1")
    assert {trend.curve for trend in history.trends} == curves(f"mpicc={A}", f"mpicc={B}")
    lines = history_lines(history)
    assert any(line.startswith("pingpong, 2 ranks, MPICH 2: time at ") for line in lines)
    assert not any("mpicc=" in line for line in lines)


def test_variants_that_a_history_would_name_alike_keep_their_own_names() -> None:
    runs = [Analysis(run_of_two_mpis()).facts]
    assert runs[0] is not None
    alike = replace(runs[0], curve_names=dict.fromkeys(runs[0].curve_names, "MPICH 1"))
    (history,) = histories([alike], 0.05)
    assert {trend.curve_name for trend in history.trends} == curves(f"mpicc={A}", f"mpicc={B}")


def test_a_comparison_of_such_runs_has_their_names(capsys: pytest.CaptureFixture[str]) -> None:
    """In its table, its gate and its notes."""
    base, other = Analysis(run_of_two_mpis()), Analysis(run_of_two_mpis(slower=2.0))
    comparison = compare(base, other, 0.05)
    show_comparison(comparison, 0.05)
    table = capsys.readouterr().out
    assert "MPICH 1 " in table
    assert "Open MPI 1 " in table
    gate = comparison_gate(comparison, 0.05)
    assert "(pingpong, 2 ranks, Open MPI 1)" in gate.why
    lacking = run_of_two_mpis()
    lacking.samples = [visit for visit in lacking.samples if visit.variant == f"mpicc={A}"]
    only = compare(base, Analysis(lacking), 0.05).notes
    assert "not compared, as only A has them: pingpong, 2 ranks, Open MPI 1" in only
    assert not any(path in text for path in (A, B) for text in (table, gate.why, *only))


def test_settings_are_named_as_they_were_given() -> None:
    variants = tuple(
        Variant(name=f"mpicc={path}, window={w}", values={"mpicc": path, "window": w})
        for path in (A, B)
        for w in ("1", "64")
    )
    libraries = {variant.name: "MPICH" if A in variant.name else "Open MPI" for variant in variants}
    assert list(shown_names(Comparison(variants=variants), libraries).values()) == [
        "MPICH, window=1",
        "MPICH, window=64",
        "Open MPI, window=1",
        "Open MPI, window=64",
    ]


def test_names_of_a_file_stay() -> None:
    named = Comparison(
        variants=(
            Variant(name="old", values={"mpicc": A}),
            Variant(name="new", values={"mpicc": B}),
        )
    )
    assert shown_names(named, {"old": "MPICH", "new": "Open MPI"}) == {"old": "old", "new": "new"}


@pytest.mark.parametrize(
    ("values", "short"),
    [
        ([A, B], ["mpich-5.0.2", "openmpi"]),
        (["/a/mpicc", "mpicc"], ["mpicc", "mpicc"]),
        (["/opt/a/bin/mpicc", "/usr/bin/mpicc"], ["/opt/a", "/usr"]),
        (["/a/b/mpicc", "/a/mpicc"], ["/a/b/mpicc", "/a/mpicc"]),
        (["1", "64"], ["1", "64"]),
    ],
)
def test_paths_are_named_by_the_directories_that_differ(
    values: list[str], short: list[str]
) -> None:
    assert differing(values) == short


def test_values_that_would_share_a_name_keep_their_own() -> None:
    comparison = of_mpicc("/a/mpicc", "mpicc")
    assert short_name(comparison, "mpicc=/a/mpicc") == "mpicc=/a/mpicc"
    assert short_name(None, "first") == "first"

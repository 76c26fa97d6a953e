"""Verdicts of a run on its variants, with caveats."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from hockney.infer.analysis import Analysis
from hockney.infer.analysis.comparison.variant_verdicts import Ignored, VariantDrift
from hockney.infer.analysis.gate import FAILED, NOT_JUDGED, PASSED
from hockney.plan import plan_of, stored
from hockney.plan.variants import Comparison, Variant
from hockney.records import End, LaunchRecord, Run
from hockney.show.comparison.variant_table import doubt_lines, variant_answer, variant_table
from samples import make_run, varied_run


def test_a_run_without_variants_has_no_study() -> None:
    assert Analysis(make_run(lambda *_: [1.0])).variants is None


def test_each_variant_has_a_sentence_and_rows() -> None:
    study = Analysis(varied_run(12, {"a": 1.0, "b": 1.05, "c": 0.9})).variants
    assert study is not None
    assert [answer.judged.verdict for answer in study.answers] == ["slower", "faster"]
    assert [ratio.variant for ratio in study.slower(0.0)] == ["b", "b", "b"]
    first, second, *gains = variant_answer(study)
    assert first.startswith("b: slower, ")
    assert second.startswith("c: faster, ")
    [loses, gain] = gains
    assert loses.startswith("b: surely faster at 0 of 2 points, surely slower at 2 (most: ")
    assert gain.startswith("c: surely faster at 2 of 2 points (most: pingpong, ")
    assert gain.endswith(" times the time), surely slower at 0")
    table = variant_table(study).splitlines()
    assert len([line for line in table if " b " in line]) == 2
    assert doubt_lines(study) == []


def test_a_failed_launch_does_not_count() -> None:
    run = varied_run(12, {"a": 1.0, "b": 1.05})
    run.ends[4].reason = "failed"
    study = Analysis(run).variants
    assert study is not None
    assert study.blocks == 11


def test_a_variant_whose_launches_measured_nothing_is_not_passed_over_by_a_gate() -> None:
    """The gate passed, and the variant was nowhere."""
    run = varied_run(16, {"one": 1.0, "two": 1.0, "three": 1.0}, gate=0.1)
    run.samples = [visit for visit in run.samples if visit.launch % 3 != 2]
    study = Analysis(run).variants
    assert study is not None
    assert study.left_out == ("three",)
    (gate,) = Analysis(run).plan_gates
    assert (gate.status, "not every variant" in gate.why) == (NOT_JUDGED, True)


def test_a_gate_that_passes_names_the_launches_that_failed() -> None:
    """It passed, and only a warning said so."""
    run = varied_run(16, {"a": 1.0, "b": 1.0}, gate=0.1)
    run.ends[5].reason = "failed"
    (gate,) = Analysis(run).plan_gates
    assert (gate.status, gate.line) == (PASSED, "gate: passed; without 1 failed launch: 5 (b)")
    run.add(End(launch=32, reason="failed", message="did not start"))
    (gate,) = Analysis(run).plan_gates
    assert gate.line == "gate: passed; without 2 failed launches: 5 (b), 32"


@pytest.mark.parametrize(
    ("of_a", "of_b", "status"), [(0, 6, FAILED), (6, 6, PASSED), (6, 0, PASSED), (0, 2, PASSED)]
)
def test_a_variant_whose_launches_fail_more_often_does_not_pass(
    of_a: int, of_b: int, status: str
) -> None:
    run = varied_run(24, {"a": 1.0, "b": 1.0}, gate=0.1)
    for ends, count in ((run.ends[::2], of_a), (run.ends[1::2], of_b)):
        for end in ends[:count]:
            end.reason = "failed"
    (gate,) = Analysis(run).plan_gates
    assert gate.status == status, gate.why
    if status == FAILED:
        assert gate.why == "6 of 24 launches of b failed, and 0 of 24 launches of a"
        assert gate.culprits == ("b",)


def test_drift_of_the_ratio_is_said() -> None:
    run = varied_run(20, {"a": 1.0, "b": 1.0}, sizes=(8,))
    run.samples = [
        replace(samples, ns=[(1.0 + 0.01 * samples.launch) * ns for ns in samples.ns])
        if samples.variant == "b"
        else samples
        for samples in run.samples
    ]
    study = Analysis(run).variants
    assert study is not None
    assert [type(doubt) for doubt in study.doubts] == [VariantDrift]
    assert "drifted" in doubt_lines(study)[0]


def read_back(values: dict[str, str | None], starts: bool = False, sets: str = "ab") -> Run:
    """Two variants of a variable of MPICH, which those named set, and under which its control
    variable had these values. Of one without a value it was not read, as it did not start unless it
    `starts`."""
    run = varied_run(8, {"a": 1.0, "b": 1.0})
    plan = plan_of(run.header.options)
    assert plan is not None
    key = "env:MPIR_CVAR_X"
    variants = tuple(
        Variant(name=name, values={key: name} if name in sets else {}) for name in ("a", "b")
    )
    other = Run(run.header)
    other.header.options = stored(
        type(plan)(
            cases=plan.cases, sampling=plan.sampling, comparison=Comparison(variants=variants)
        )
    )
    for launch in run.launches:
        if launch.variant in values:
            launch.controls = {"MPIR_CVAR_X": values[launch.variant]}
        if launch.variant in values or starts:
            other.add(launch)
    return other


def test_a_variable_that_is_ignored_is_said() -> None:
    for values, expected in (
        ({"a": "1", "b": "2"}, ()),
        ({"a": "1"}, ()),
        ({"a": "1", "b": "1"}, (Ignored("MPIR_CVAR_X", "1"),)),
        ({"a": None, "b": None}, (Ignored("MPIR_CVAR_X", None),)),
    ):
        study = Analysis(read_back(dict(values))).variants
        assert study is not None
        assert study.doubts == expected
        assert len(doubt_lines(study)) == len(expected)


def test_a_variable_is_not_ignored_where_it_was_read_of_one_variant_alone() -> None:
    for run, expected in (
        (read_back({"b": "1"}, starts=True, sets="b"), ()),
        (read_back({"a": "2", "b": "1"}, sets="b"), ()),
        (read_back({"a": "1", "b": "1"}, sets="b"), (Ignored("MPIR_CVAR_X", "1"),)),
        (read_back({"b": None}, starts=True, sets="b"), (Ignored("MPIR_CVAR_X", None),)),
    ):
        study = Analysis(run).variants
        assert study is not None
        assert study.doubts == expected


def test_launches_have_the_axes_of_their_variants() -> None:
    run = varied_run(2, {"a": 1.0, "b": 1.0})
    assert isinstance(run.launches[0], LaunchRecord)
    assert {point.variant for point in Analysis(run).estimates.points} == {"a", "b"}

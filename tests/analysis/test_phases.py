"""Phases of collectives by messages, beside the library's own."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from collective_samples import phases_run
from hockney.infer.analysis import Analysis
from hockney.show.algorithms.phase_table import phase_tables
from hockney.show.experiments import shown_json, view_of


def test_phases_are_in_the_order_of_the_schedule_beside_the_library() -> None:
    analysis = Analysis(phases_run())
    assert [phased.whole.point.bytes for phased in analysis.phases] == [1024, 65536]
    for phased in analysis.phases:
        assert [phase.point.phase for phase in phased.phases] == ["reduce-scatter", "allgather"]
        fractions = [phased.fraction(phase.point) for phase in phased.phases]
        assert fractions == pytest.approx([1.0 / 3.0, 2.0 / 3.0])
        assert phased.library_algorithm == "default"
        assert phased.library is not None
        assert phased.library.typical_s == pytest.approx(0.5 * phased.whole.point.typical_s)
        assert phased.whole.predicted_s is None  # of messages nothing is known here


def test_what_is_made_by_messages_is_no_algorithm_of_the_library() -> None:
    analysis = Analysis(phases_run())
    assert {cell.default is not None for cell in analysis.best} == {True}
    assert all(not cell.contenders for cell in analysis.best)
    assert "ring" not in "".join(view_of(analysis).answer(analysis))


def test_an_algorithm_with_another_radix_is_not_the_one_by_messages() -> None:
    run = phases_run()
    for samples in [sample for sample in run.samples if sample.algorithm == "default"]:
        run.add(replace(samples, algorithm="ring", radix=8))
    assert {phase.library_algorithm for phase in Analysis(run).phases} == {"default"}


def test_phases_as_json() -> None:
    shown = shown_json(Analysis(phases_run()))["phases"]
    assert [phase["phase"] for phase in shown[0]["phases"]] == ["reduce-scatter", "allgather"]
    assert shown[0]["library_s"] == pytest.approx(0.5 * shown[0]["median_s"])


def test_each_segment_size_is_beside_the_library_s_own_by_the_same() -> None:
    run = phases_run()
    for samples in list(run.samples):
        for segment, factor in ((4096, 2), (16384, 4)):
            changed = replace(samples, algorithm="ring", segment_bytes=segment)
            run.add(replace(changed, ns=[factor * ns for ns in samples.ns]))
    analysis = Analysis(run)
    by_segment = {phased.whole.point.segment_bytes: phased for phased in analysis.phases}
    for segment in (4096, 16384):
        library = by_segment[segment].library
        assert library is not None
        assert library.segment_bytes == segment
    titles = [table.splitlines()[0] for table in phase_tables(analysis.phases)]
    assert titles == [
        f"allreduce by messages, ring{segment}, 8 ranks"
        for segment in ("", ", 4 KiB segments", ", 16 KiB segments")
    ]

"""Gates of variants and of loads judge all that the plan asked for."""

from __future__ import annotations

from collections.abc import Container

from congestion_samples import congestion_run
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.gate import FAILED, NOT_JUDGED, PASSED, Gate
from hockney.infer.analysis.gates import congestion_gate, variants_gate
from hockney.records import Run
from hockney.show.experiments import view_of
from samples import varied_run

SIZES = (8, 65536)


def gate_of_loads(run: Run) -> Gate:
    analysis = Analysis(run)
    gate = congestion_gate(analysis.congestion, analysis.workload)
    assert gate is not None
    return gate


def test_a_load_that_was_not_measured_is_not_passed() -> None:
    run = congestion_run(factor=1.0, tail=1.0, most_factor=3.0, load_sizes=(4096, 65536))
    assert gate_of_loads(run).status == PASSED
    run.samples = [samples for samples in run.samples if samples.load_bytes != 4096]
    gate = gate_of_loads(run)
    assert gate.status == NOT_JUDGED
    assert gate.why.startswith("nothing is known of 8 B under incast of 4 KiB, window 8")


def test_a_gate_that_knows_no_tail_is_not_passed() -> None:
    gate = gate_of_loads(congestion_run(factor=1.0, tail=1.0, most_factor=3.0, samples=50))
    assert gate.status == NOT_JUDGED
    assert "p99 and p99.9 are unknown" in gate.why


def varied(slow: str, lacking: Container[tuple[str, int]]) -> Analysis:
    """Variants a, b and c of which `slow` takes three times as long at 64 KiB; `lacking`: variants
    with sizes at which they have no time."""
    run = varied_run(20, dict.fromkeys("abc", 1.0), SIZES, gate=0.03)
    variant = {launch.launch: launch.variant or "" for launch in run.launches}
    kept = [s for s in run.samples if (variant[s.launch], s.bytes) not in lacking]
    for samples in kept:
        if variant[samples.launch] == slow and samples.bytes == SIZES[-1]:
            samples.ns[:] = [3.0 * ns for ns in samples.ns]
    run.samples = kept
    return Analysis(run)


def test_a_point_that_another_variant_lacks_is_judged() -> None:
    gate = variants_gate(varied("b", {("c", SIZES[-1])}).variants)
    assert gate is not None
    assert gate.status == FAILED
    assert gate.culprits == ("b",)


def test_a_point_that_a_variant_lacks_is_not_passed() -> None:
    analysis = varied("", {("b", SIZES[-1])})
    gate = variants_gate(analysis.variants)
    assert gate is not None
    assert gate.status == NOT_JUDGED
    assert "b cannot be compared at 64 KiB" in gate.why
    answer = "\n".join(view_of(analysis).answer(analysis))
    assert "b: not compared at 64 KiB, where a variant has no time" in answer


def test_a_gate_names_no_more_blocks_than_the_line_of_the_ratio_would() -> None:
    """Ratios close to the limit need far more blocks than the ones that there are can foretell."""
    times = [0.97, 1.05, 1.07, 0.99] * 10
    run = varied_run(12, {"a": 1.0, "b": 1.0}, (8,), gate=0.03)
    variant = {launch.launch: launch.variant for launch in run.launches}
    kept = list(run.samples)
    for samples in kept:
        if variant[samples.launch] == "b":
            samples.ns[:] = [times[samples.launch // 2] * ns for ns in samples.ns]
    run.samples = kept
    gate = variants_gate(Analysis(run).variants)
    assert gate is not None
    assert gate.status == NOT_JUDGED
    assert gate.why.endswith("; more than 48 blocks would have to decide"), gate.why

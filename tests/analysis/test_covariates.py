from __future__ import annotations

import numpy as np
import pytest

from conftest import first_of
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.conditions.covariates import LEAST_LAUNCHES, rank_p
from hockney.records import Round, Run, Samples
from hockney.show.conditions.diagnosis import diagnosis_lines
from samples import make_run

random = np.random.default_rng(5)


def run_of(times: list[float], work: list[float], copies: list[float] | None = None) -> Run:
    """Launches that are slower by `times`, with probes of fixed work (and of copies) that are
    slower by `work` and `copies`."""
    run = make_run(
        lambda launch, _round, size: [1000.0 * times[launch] * (1 + size)] * 4,
        launches=len(times),
        rounds=10,
        sizes=(8, 1024),
    )
    for launch in range(len(times)):
        for round_ in range(10):
            run.add(Round(launch=launch, round=round_, probe_s=2e-6 * work[launch]))
            if copies:
                run.add(
                    Samples(
                        launch=launch,
                        round=round_,
                        operation="copy",
                        algorithm="warm",
                        bytes=1024,
                        ranks=2,
                        peers=(0, 1),
                        repetitions=10,
                        ns=[300.0 * copies[launch]],
                    )
                )
    return run


def found_in(run: Run) -> list[tuple[str, int | None, str]]:
    return [
        (finding.operation, finding.bytes, finding.words)
        for finding in Analysis(run).diagnosis.findings
        if finding.what == "covariates"
    ]


def test_launches_that_go_with_the_compute_probe_are_explained_by_it() -> None:
    work = random.lognormal(sigma=0.02, size=24)
    times = work * random.lognormal(sigma=0.01, size=24)
    (operation, size, words) = found_in(run_of(times.tolist(), work.tolist()))[0]
    assert (operation, size) == ("pingpong", None)
    assert "variance between launches goes with the compute probe" in words
    assert 60 <= int(words.split(" %")[0]) <= 92  # 4 parts in 5
    lines = diagnosis_lines(Analysis(run_of(times.tolist(), work.tolist())).diagnosis)
    assert lines[1] == "  covariates"
    assert lines[2].startswith("    pingpong, all sizes: ")


def test_copies_explain_what_arithmetic_does_not() -> None:
    work, copies = random.lognormal(sigma=0.02, size=(2, 24))
    run = run_of((copies**0.5).tolist(), work.tolist(), copies.tolist())
    assert [words.split("the ")[-1].split(" probe")[0] for *_, words in found_in(run)] == [
        "memory-copy"
    ]


def test_nothing_is_said_where_nothing_is_explained() -> None:
    said = sum(
        bool(found_in(run_of(*random.lognormal(sigma=0.02, size=(2, 20)).tolist())))
        for _ in range(40)
    )
    assert said <= 2


def test_too_few_launches_explain_nothing() -> None:
    times = [1.0 + 0.01 * launch for launch in range(LEAST_LAUNCHES - 1)]
    assert not found_in(run_of(times, times))


def test_a_probe_that_falls_where_times_rise_does_not_explain_them() -> None:
    work = random.lognormal(sigma=0.02, size=24)
    assert not found_in(run_of((1.0 / work).tolist(), work.tolist()))


@pytest.mark.parametrize("memory", first_of([0.9, 0.0, 0.5, 1.0]))
def test_two_drifts_are_no_relation(memory: float) -> None:
    """At p < 0.01, 20 of 2,000 pairs of independent series are expected, give or take 5."""
    chances = []
    for _ in range(2000):
        series = random.normal(size=(2, 30))
        for i in range(1, 30):
            series[:, i] += memory * series[:, i - 1]
        chances.append(rank_p(*series))
    assert np.mean(np.array(chances) < 0.01) < 0.0175

"""Histories: which runs are of one system, what changed, and whether the last ones are worse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import msgspec
import numpy as np
import pytest

from hockney.infer.analysis.history.histories import History, histories
from hockney.infer.analysis.history.run_facts import HANDOVER, RunFacts, facts_of
from hockney.infer.estimate import estimate
from hockney.records import MpiFacts, Run
from hockney.show.history.history_lines import history_lines
from samples import FIRST_DAY, make_run, past_run


def facts(run: Run) -> RunFacts:
    run_facts = facts_of(run, estimate(run))
    assert run_facts is not None
    return run_facts


def one_history(factors: list[float], tolerance: float = 0.05) -> History:
    (history,) = histories(
        [facts(past_run(day, factor)) for day, factor in enumerate(factors)], tolerance
    )
    return history


def test_runs_are_ordered_by_their_start() -> None:
    (history,) = histories([facts(past_run(day)) for day in (3, 1, 2)], 0.05)
    assert [run.id for run in history.runs] == ["run 1", "run 2", "run 3"]


def test_latency_is_of_the_smallest_size_and_bandwidth_of_the_largest() -> None:
    latency, bandwidth = one_history([1.0, 1.0]).trends
    assert (latency.what, bandwidth.what) == ("time at 0 B", "bandwidth at 64 KiB")
    point, rate = latency.points[0], bandwidth.points[0]
    assert point.value == pytest.approx(1002e-9)
    assert rate.value == pytest.approx(65536 / 1002e-9)
    assert point.interval is not None
    assert rate.interval.high == pytest.approx(65536 / point.interval.low)


def switched(switch_at: Sequence[int], slower: float = 2.0) -> History:
    """Messages of `switch_at` bytes are slower by that factor from the 21st of 30 runs on."""
    sizes = tuple(2**n for n in range(3, 17))
    source = np.random.default_rng(5)
    runs = []
    for day in range(30):
        level = float(np.exp(source.normal(0.0, 0.005)))

        def ns(launch: int, _: int, size: int, level: float = level, day: int = day) -> list[float]:
            is_slow = day >= 20 and size in switch_at
            return [level * (slower if is_slow else 1.0) * (1000.0 + size) + launch]

        run = make_run(ns, sizes=sizes, rounds=2)
        started = (FIRST_DAY + timedelta(days=day)).isoformat()
        run.header = msgspec.structs.replace(run.header, id=f"run {day}", started=started)
        runs.append(facts(run))
    (history,) = histories(runs, 0.05)
    return history


def test_a_protocol_switch_that_moved_is_seen_between_the_ends() -> None:
    history = switched((2048, 4096))
    latency, bandwidth, between = history.trends
    assert (latency.worse, bandwidth.worse) == (None, None)
    assert between.what in ("time at 2 KiB, and 1 more size", "time at 4 KiB, and 1 more size")
    assert between.changes[0].index == 20
    assert between.worse is not None
    assert between.worse.startswith("2.0")
    assert "judged as well: 12 sizes between, the worst shown below" in history_lines(history)


def test_sizes_between_that_did_not_change_are_counted_and_not_shown() -> None:
    history = switched(())
    assert len(history.trends) == 2
    assert "judged as well: 12 sizes between, none worse" in history_lines(history)


def test_sizes_between_of_too_few_runs_are_not_called_judged() -> None:
    (history,) = histories([facts(past_run(day)) for day in range(2)], 0.05)
    line = "not judged either: 1 size between, as there are too few runs"
    assert line in history_lines(history)


def test_where_all_sizes_are_worse_the_ends_say_so() -> None:
    history = switched([2**n for n in range(3, 17)])
    assert len(history.trends) == 2
    assert all(trend.worse for trend in history.trends)


def test_what_changed_in_the_environment_is_told() -> None:
    runs = [
        facts(
            past_run(
                day,
                1.0 + day / 1000 if day < 10 else 1.3 + day / 1000,
                environment={
                    "host": "here",
                    "kernel": "6.1" if day < 10 else "6.9",
                    "load": day,
                    "env": {"UCX_TLS": "rc", "SLURM_JOB_ID": day},
                },
            )
        )
        for day in range(20)
    ]
    (history,) = histories(runs, 0.05)
    (change,) = history.trends[0].changes
    assert change.started == FIRST_DAY + timedelta(days=10)
    assert change.changed == (("kernel", "6.1", "6.9"),)


@pytest.mark.parametrize(
    ("factors", "worse"),
    [
        ([1.0] * 10 + [1.3] * 10, True),
        ([1.3] * 10 + [1.0] * 10, False),
        ([1.0, 1.01, 0.99, 1.0, 1.01, 1.2, 1.21, 1.2], True),
        ([1.0, 1.01, 0.99, 1.0, 1.01, 1.2, 1.21, 1.0], False),
        ([1.0, 1.01, 1.5, 1.0, 1.01, 1.2, 1.21, 1.2], False),
        ([1.0] * 10 + [2.0] * 10 + [1.5] * 10, True),
        ([1.0] * 10 + [1.3] * 10 + [1.01] * 10, False),
        ([1.0, 1.01, 0.99, 1.0, 1.01, 1.03, 1.03, 1.03], False),
    ],
    ids=[
        "level",
        "better",
        "last three",
        "one good again",
        "as bad before",
        "half back",
        "back",
        "within tolerance",
    ],
)
def test_worse_is_by_the_rule(factors: list[float], worse: bool) -> None:
    history = one_history([factor * (1.0 + i / 1e5) for i, factor in enumerate(factors)])
    assert bool(history.worse) == worse
    assert all(trend.enough for trend in history.trends)


def test_steps_within_the_tolerance_are_worse_together() -> None:
    source = np.random.default_rng(3)
    levels = np.repeat([1.0, 1.04, 1.08], 10)
    history = one_history((levels * np.exp(source.normal(0.0, 0.002, 30))).tolist())
    time = history.trends[0]
    assert [change.index for change in time.changes] == [10, 20]
    assert time.worse is not None
    assert time.worse.startswith("1.08")
    for step in (1.04, 1.048):
        once = np.repeat([1.0, step], 20) * np.exp(source.normal(0.0, 0.01, 40))
        assert not one_history(once.tolist()).trends[0].changes


def test_what_to_explain_is_the_change_from_the_best_level() -> None:
    history = one_history(
        [f * (1.0 + i / 1e5) for i, f in enumerate([1.0] * 10 + [2.0] * 10 + [1.5] * 10)]
    )
    time = history.trends[0]
    assert time.left_best == 10
    assert time.worse == "1.499 times worse than at its best level"


def test_a_drift_is_named_and_makes_it_worse() -> None:
    history = one_history([1.0 + run / 100 + run % 3 / 1000 for run in range(30)])
    time, bandwidth = history.trends
    assert time.changes == ()
    assert time.drift is not None
    assert time.drift.ratio == pytest.approx(1.29, rel=0.02)
    assert time.worse is not None
    assert "drift" in time.worse
    assert bandwidth.worse is not None
    text = "\n".join(history_lines(history))
    assert "trend: a slow drift" in text
    assert "change point" not in text.replace(history.system, "")


def test_few_runs_are_not_judged() -> None:
    history = one_history([1.0, 1.0, 1.5, 1.5, 1.5])
    assert not history.worse
    assert not history.trends[0].enough


def test_an_mpi_of_another_version_is_the_same_system_and_another_library_is_not() -> None:
    runs = [past_run(day) for day in range(3)]
    versions = (("MPICH", "4"), ("MPICH", "5"), ("Open MPI", "5"))
    for run, (library, version) in zip(runs, versions, strict=True):
        for launch in run.launches:
            launch.mpi = MpiFacts(library=library, version=version)
    all_histories = histories([facts(run) for run in runs], 0.05)
    assert [(h.system, len(h.runs)) for h in all_histories] == [
        ("pingpong, MPICH, here", 2),
        ("pingpong, Open MPI, here", 1),
    ]
    assert len(histories([facts(run) for run in runs], 0.05, together=True)) == 1


@pytest.mark.parametrize("later_s", [60e-9, 200e-9])
def test_core_to_core_latencies_of_one_state_are_no_difference(later_s: float) -> None:
    runs = [
        replace(
            facts(past_run(day, factor)),
            handover_s=handover_s,
            facts={HANDOVER: f"{1e9 * handover_s:.1f} ns"},
        )
        for day, (factor, handover_s) in enumerate([(1.0, 50e-9)] * 8 + [(2.0, later_s)] * 8)
    ]
    (history,) = histories(runs, 0.05)
    (change,) = history.trends[0].changes
    assert {name for name, *_ in change.changed} == ({HANDOVER} if later_s > 100e-9 else set())


def test_a_label_of_many_words_is_kept_as_it_is() -> None:
    label = "before and after and then and again and more"
    (history,) = histories([facts(past_run(0, label=label))], 0.05)
    assert history.system == history.name == history.label == f"pingpong, {label}"
    assert history.runs[0].kind == ""
    assert facts(past_run(1)).kind == "pingpong, unknown MPI"


def test_a_label_names_a_system() -> None:
    all_histories = histories([facts(past_run(0, label="node A")), facts(past_run(1))], 0.05)
    assert [history.system for history in all_histories] == [
        "pingpong, node A",
        "pingpong, unknown MPI, here",
    ]


def test_a_run_without_the_sizes_of_the_others_is_left_out() -> None:
    other = make_run(lambda *_: [1.0], sizes=(4,), rounds=2)
    runs = [facts(past_run(day)) for day in range(3)] + [facts(other)]
    (history,) = histories(runs, 0.05)
    assert len(history.left_out) == 1
    assert len(history.trends[0].points) == 3


@pytest.mark.parametrize("started", ["", "yesterday"])
def test_a_run_of_no_date_or_no_sample_is_none(started: str) -> None:
    run = past_run(0)
    run.header = msgspec.structs.replace(run.header, started=started)
    assert facts_of(run, estimate(run)) is None
    empty = past_run(0)
    empty.samples.clear()
    assert facts_of(empty, estimate(empty)) is None

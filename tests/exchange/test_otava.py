"""Files for Apache Otava: what is of two curves or systems has two names."""

from __future__ import annotations

import csv
from datetime import datetime, timedelta, timezone

from hockney.foreign.exchange.otava import otava_files
from hockney.infer.analysis.history.histories import History
from hockney.infer.analysis.history.run_facts import RunFacts

DAY = datetime(2026, 1, 1, tzinfo=timezone.utc)


def history(system: str, curves: dict[str, float]) -> History:
    times = {name: {8: (seconds, None, None)} for name, seconds in curves.items()}
    runs = tuple(
        RunFacts(
            f"{day}", DAY + timedelta(days=day), None, f"{day}.jsonl", system, system, times, {}
        )
        for day in range(3)
    )
    return History(system, runs, (), ())


def test_curves_whose_names_differ_in_signs_alone_have_columns_of_their_own() -> None:
    """Otava reads a column by its name: of two it would judge the same one twice."""
    long = "x" * 120
    curves = {"bcast, a-b": 1e-6, "bcast, a_b": 2e-6, f"{long}1": 3e-6, f"{long}2": 4e-6}
    files = otava_files([history("here", curves)], "out")
    heading, first, *_ = csv.reader(files["here.csv"].splitlines())
    times = {name: cell for name, cell in zip(heading, first, strict=True) if "time_8B" in name}
    assert sorted(map(float, times.values())) == [1.0, 2.0, 3.0, 4.0]
    assert len(set(heading)) == len(heading)
    assert all(f"column: {name}\n" in files["otava.yaml"] for name in times)


def test_systems_whose_names_differ_in_signs_alone_have_files_of_their_own() -> None:
    files = otava_files([history("a b", {"": 1e-6}), history("a-b", {"": 2e-6})], "out")
    assert sorted(files) == ["a_b.csv", "a_b_2.csv", "otava.yaml"]

"""What a watch says of a look."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import numpy as np

from hockney.infer.analysis.history.readings import Reading, WatchedSeries
from hockney.infer.analysis.history.watch import Look, Watch
from hockney.show.history.watch_lines import look_line
from hockney.show.report import render_watch

BEGAN = datetime(2026, 1, 5, tzinfo=timezone.utc)
A_DAY = 8


def test_a_young_watch_says_which_changes_it_looks_for_later() -> None:
    rng = np.random.default_rng(5)
    watch, lines, pages = Watch(0.01), [], []
    for number in range(14 * A_DAY + 1):
        started = BEGAN + number * timedelta(hours=24 / A_DAY)
        reading = Reading(WatchedSeries(8), 1e-6 * float(np.exp(0.01 * rng.standard_normal())))
        look = Look(number + 1, started.isoformat(), "look", "here", ("", "", ""), (reading,), 3.0)
        watched = watch.take(look).watched
        assert watched is not None
        lines.append(look_line(watched))
        if number in (5 * A_DAY, 14 * A_DAY):
            pages.append(render_watch(watch, "Watch"))
    pending = ", but changes by less than 5 % are looked for on 2026-01-19"
    assert ": learning what is usual, look" in lines[2 * A_DAY]
    assert all(f": as usual{pending}, look" in line for line in lines[4 * A_DAY : -1])
    assert ": as usual, look" in lines[-1]
    assert [f"{pending}." in page for page in pages] == [True, False]

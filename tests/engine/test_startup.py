"""Start-up: every step is recorded, once or the first and later times."""

from __future__ import annotations

import socket
import time

import pytest

from conftest import RunEngine
from hockney.plan.words import WINDOW_KINDS
from hockney.run.mpis import Engine

ONCE = {("init", None, None), ("finalize", None, None)}
TWICE = {("contact", None), ("comm-dup", None), ("comm-split", None)} | {
    ("window", kind) for kind in WINDOW_KINDS
}


@pytest.mark.parametrize("ranks", [2, 3])
def test_every_step_is_there(run_engine: RunEngine, ranks: int) -> None:
    done = run_engine.ok("startup", "--sizes=8", ranks=ranks)
    steps = {
        (s["operation"], s.get("window_kind"), s.get("occurrence")): s for s in done.of("samples")
    }
    several = {(*step, which) for step in TWICE for which in ("first", "later")}
    # Later ones count where all ranks began together: on crowded cores perhaps none does.
    missed = {(start["operation"], "later") for start in done.of("start") if start["missed"]}
    absent = (ONCE | several) - set(steps)
    assert set(steps) <= ONCE | several
    assert {(operation, which) for operation, _, which in absent} <= missed
    assert all(s["ranks"] == ranks for s in steps.values())
    assert all(ns > 0.0 for s in steps.values() for ns in s["ns"])
    for which in ("first", "later"):  # one for each partner of the first rank
        assert len(steps["contact", None, which]["ns"]) == ranks - 1
    init = steps["init", None, None]
    assert init["own_mean_ns"][0] <= init["ns"][0]
    assert [end["reason"] for end in done.of("end")] == ["complete"]


def test_launching_counts_from_the_moment_that_was_named(run_engine: RunEngine) -> None:
    earlier_s = 1.0
    named = time.monotonic_ns() - round(1e9 * earlier_s)
    host = socket.gethostname()
    done = run_engine.ok("startup", "--sizes=8", f"--launched-at={named}@{host}")
    (launch,) = [s for s in done.of("samples") if s["operation"] == "launch"]
    spent_ns = time.monotonic_ns() - named
    assert 1e9 * earlier_s < launch["ns"][0] < spent_ns


@pytest.mark.parametrize("asked", ["1@elsewhere", "x@", "99999999999999999@HOST"])
def test_launching_is_unknown_without_a_common_clock(run_engine: RunEngine, asked: str) -> None:
    words = asked.replace("HOST", socket.gethostname())
    done = run_engine.ok("startup", "--sizes=8", f"--launched-at={words}")
    assert "launch" not in {s["operation"] for s in done.of("samples")}


@pytest.mark.long
def test_a_start_is_named_as_early_as_ranks_need(
    run_engine: RunEngine, faulty_engine: Engine
) -> None:
    """Told of each start 20 ms late, 400 times the first margin, ranks miss only the first ones."""
    late_s = 0.02
    notice = {"HOCKNEY_FAULT_NOTICE": str(round(1e9 * late_s))}
    done = run_engine.ok("startup", "--sizes=8", path=faulty_engine.path, env=notice)
    starts = done.of("start")
    assert {start["operation"] for start in starts} == {"comm-dup", "comm-split", "window"}
    assert min(start["skew_s"] for start in starts) < 0.5 * late_s
    later = [s for s in done.of("samples") if s.get("occurrence") == "later"]
    assert min(min(s["ns"]) for s in later) < 0.5e9 * late_s

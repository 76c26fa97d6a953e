"""Ranks that would share CPUs: every verb refuses them unless asked, and then marks its answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import RunEngine, RunHockney
from hockney.base.allowed import allowed_count, allowed_set
from hockney.infer.analysis.conditions.crowding import Oversubscribed, oversubscribed
from hockney.records import Place
from samples import make_pairs_run

MANY = str(2 * allowed_count() + 2)
FEW = ("--sizes", "8", "--launches", "1", "--budget", "300ms", "-q")
REFUSED = (
    ("pairs", "-n", MANY),
    ("fabric", "-n", MANY),
    ("halo", "-n", MANY),
    ("congestion", "-n", MANY),
    ("startup", "-n", MANY),
    ("collective", "bcast", "-n", f"2,{MANY}"),
    ("collective", "bcast", "-n", "1000"),
    ("collective", "bcast", "-n", "2", "--threads", f"1,{MANY}"),
    ("pingpong", "--threads", f"1,{MANY}"),
    ("pairs", "-n", MANY, "--vary", "window=1,2", "--operation", "stream"),
)


@pytest.fixture(autouse=True)
def _may_not_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOCKNEY_OVERSUBSCRIBE")


@pytest.mark.parametrize("words", REFUSED, ids=" ".join)
def test_a_verb_refuses_ranks_that_would_share_cpus(
    hockney: RunHockney, tmp_path: Path, words: tuple[str, ...]
) -> None:
    done = hockney.refused(*words, because="would share CPUs")
    assert "--oversubscribe" in done.stderr
    assert not list(tmp_path.iterdir())


def test_the_engine_refuses_what_only_it_sees(run_engine: RunEngine) -> None:
    cpu = min(allowed_set())
    done = run_engine.refused(
        "pingpong",
        f"--cpus={cpu},{cpu}",
        "--sizes=8",
        oversubscribe=False,
        because="--oversubscribe",
    )
    assert not done.of("samples")


def test_an_answer_from_ranks_that_take_turns_is_marked(hockney: RunHockney) -> None:
    cpu = min(allowed_set())
    words = ("pingpong", "--cpus", f"{cpu},{cpu}", *FEW, "-o", "run.jsonl")
    assert hockney(*words).status == 2
    done = hockney.ok(*words, "--oversubscribe", "--force")
    assert done.stdout.startswith("oversubscribed: 2 ranks take turns on 1 CPU of ")
    assert hockney("show", "run.jsonl", "--format", "osu").stdout.startswith("# oversubscribed: 2")
    shown = hockney("show", "run.jsonl", "--json").json["run"]["oversubscribed"]
    assert (shown["ranks"], shown["cpus"], shown["has_threads"]) == (2, 1, False)


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ([Place(rank=r, host="ab"[r], pu=0, pinned=True) for r in range(2)], None),
        ([Place(rank=r, host="a", pu=0, pinned=False, allowed=2) for r in range(2)], None),
        ([Place(rank=r, host="a", pu=r, pinned=False, allowed=2) for r in range(3)], (3, 2, False)),
        ([Place(rank=r, host="a", pinned=True) for r in range(3)], None),
        (
            [Place(rank=r, host="a", pu=r, pinned=True, thread_pus=[r, r]) for r in range(2)],
            (4, 2, True),
        ),
    ],
    ids=["two nodes", "not pinned", "not pinned and too many", "unknown", "threads"],
)
def test_where_ranks_were_decides(
    places: list[Place], expected: tuple[int, int, bool] | None
) -> None:
    ends = [[(place.rank, place.rank + 1) for place in places[:-1]]]
    run = make_pairs_run(lambda *_: [1000.0], ends, places)
    assert oversubscribed(run) == (expected and Oversubscribed("a", *expected))

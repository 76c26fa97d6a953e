"""Roles that the engine cannot give are refused by every rank alike."""

from __future__ import annotations

import pytest

from conftest import RunEngine


@pytest.mark.parametrize(
    ("roles", "said"),
    [
        ("random:3", "of 4 ranks there are 3 and 1"),
        ("blocks:9", "of 4 ranks there are 9 and -5"),
        ("listed:0,4/1,2", "a rank from 0 to 3 was expected"),
        ("listed:0,1/1,2", "rank 1 is given twice"),
        ("listed:0,1", "expected VICTIM,VICTIM/AGGRESSOR,AGGRESSOR"),
        ("listed:0,1/2,3/", "unexpected"),
        ("listed:0,1/2", "there are 2 and 1"),
        ("listed:@nowhere", "nowhere"),
        ("random:2@", "expected random:VICTIMS"),
    ],
)
def test_roles_are_refused(run_engine: RunEngine, roles: str, said: str) -> None:
    run_engine.refused(
        *("congestion", "pingpong", "--loads=ring:8:1:0:0", f"--roles={roles}", "--seconds=0.1"),
        ranks=4,
        because=said,
    )


def test_a_pingpong_has_two_victims(run_engine: RunEngine) -> None:
    run_engine.refused(
        *("congestion", "pingpong", "--loads=ring:8:1:0:0", "--roles=blocks:3"),
        ranks=5,
        because="pingpong has two victims, not 3",
    )


def test_roles_follow_the_seed(run_engine: RunEngine) -> None:
    """Roles are the same for one seed and differ for another; every rank has one."""
    casts = []
    for seed in (1, 1, 2, 3, 4):
        done = run_engine.ok(
            *("congestion", "pingpong", "--loads=ring:8:1:0:0", "--roles=random:2"),
            *("--sizes=8", "--seconds=0.05", f"--seed={seed}"),
            ranks=4,
        )
        (launch,) = done.of("launch")
        casts.append((*launch["victims"], *launch["aggressors"]))
    assert casts[0] == casts[1]
    assert len(set(casts)) > 1
    assert all(sorted(cast) == [0, 1, 2, 3] for cast in casts)


def test_the_last_of_two_lists_counts(run_engine: RunEngine) -> None:
    """As with every option that is given twice."""
    done = run_engine.ok(
        *("congestion", "pingpong", "--loads=incast:64:1:0:0", "--loads=ring:8:1:0:0"),
        *("--roles=random:2", "--sizes=8", "--seconds=0.05"),
        ranks=4,
    )
    loads = {samples.get("aggressor") for samples in done.of("samples")}
    assert loads == {None, "ring"}
    assert {samples.get("load_bytes") for samples in done.of("samples")} == {None, 8}


def test_the_last_of_two_lists_of_arrivals_counts(run_engine: RunEngine) -> None:
    """Arrivals at random would need a skew."""
    done = run_engine.ok(
        *("collective", "bcast", "--arrival=random", "--arrival=none"),
        *("--sizes=8", "--seconds=0.05"),
    )
    assert {samples["arrival"] for samples in done.of("samples")} == {"none"}

"""A slow host of a simulated network, and no other, is named by when its ranks are done."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import RunHockney, kept_short
from platforms import star

pytestmark = pytest.mark.simgrid
HOSTS, SLOW, TIMES = 8, 3, 5.0
CASES = [
    ("bcast", None),
    ("bcast", SLOW),
    ("allreduce", SLOW),
    ("scatter", SLOW),
    ("barrier", None),
]


@pytest.mark.parametrize(("collective", "slow"), kept_short(CASES, CASES[1:2]))
def test_the_slow_host_is_named(
    hockney: RunHockney, tmp_path: Path, collective: str, slow: int | None
) -> None:
    (tmp_path / "star.xml").write_text(star(HOSTS, slow, TIMES))
    sizes = [] if collective == "barrier" else ["--sizes", "64KiB"]
    words = ("collective", collective, "--stragglers", "-n", str(HOSTS), "--platform", "star.xml")
    stragglers = hockney.ok(
        *words, *sizes, "--launches", "16", "--json", "-q", "-o", "run.jsonl"
    ).json["stragglers"]
    assert stragglers["launches"] == 16
    assert [straggler["rank"] for straggler in stragglers["found"]] == (
        [] if slow is None else [slow]
    )
    if slow is None:
        assert stragglers["visible"] < 1.2

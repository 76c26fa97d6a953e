"""--root rotate: every rank serves as the root, however few repetitions a visit has."""

from __future__ import annotations

import itertools

from preloads import Watch

BYTES = 16384
"""On three ranks, which are more than some machines have CPUs, one repetition may fill a visit."""


def test_the_root_goes_on_from_visit_to_visit(watch: Watch) -> None:
    _, calls = watch(
        "collective",
        "bcast",
        "--root=rotate",
        f"--sizes={BYTES}",
        "--seconds=0.1",
        ranks=3,
        message=BYTES,
    )
    for rank in range(3):
        roots = [call.root for call in calls[rank] if call.name == "bcast"]
        assert set(roots) == {0, 1, 2}
        assert all(after == (before + 1) % 3 for before, after in itertools.pairwise(roots))

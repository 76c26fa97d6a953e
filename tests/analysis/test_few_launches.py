"""What a run with too few launches for intervals needs is said by what ended it."""

from __future__ import annotations

import pytest

from hockney.infer.analysis.warnings import FewLaunches


@pytest.mark.parametrize(
    ("found", "advice"),
    [
        (FewLaunches(2, imported=False, budget_s=10.0), "give a --budget of about 25s"),
        (FewLaunches(1, imported=False, asked=True), "give --launches 5"),
        (FewLaunches(3, imported=False), "give a larger --budget"),
    ],
)
def test_what_it_needs_is_named(found: FewLaunches, advice: str) -> None:
    assert found.text.endswith(f"too few for an interval (5 make one); {advice}")

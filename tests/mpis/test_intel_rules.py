"""Variables for Intel MPI."""

from __future__ import annotations

from pathlib import Path

import pytest

from hockney.errors import HockneyError
from hockney.mpis import Rule, intel


def test_each_collective_has_one_variable_with_all_its_ranges(tmp_path: Path) -> None:
    def rule(collective: str, ranks: int, from_: int, to: int | None, number: str) -> Rule:
        settings = ((f"I_MPI_ADJUST_{collective.upper()}", number),)
        return Rule(collective, ranks, from_, to, "name", settings)

    rules = [
        rule("bcast", 4, 0, 1023, "1"),
        rule("bcast", 6, 1024, 4096, "3"),
        rule("barrier", 4, 0, None, "2"),
    ]
    path = tmp_path / "rules"
    path.write_text(intel.render(rules, None)[""])
    assert intel.environment_of_rules(path) == {
        "I_MPI_ADJUST_BCAST": "1:0-1023@4-4;3:1024-4096@6-6",
        "I_MPI_ADJUST_BARRIER": "2:0-2147483647@4-4",
    }


@pytest.mark.parametrize("settings", [(), (("I_MPI_ADJUST_BCAST", "1'; rm -r x; '"),)])
def test_an_algorithm_without_a_number_is_refused(settings: tuple[tuple[str, str], ...]) -> None:
    """What a stranger's file says must not reach a shell."""
    with pytest.raises(HockneyError, match="do not record I_MPI_ADJUST_BCAST as a number"):
        intel.render([Rule("bcast", 4, 0, 8, "binomial", settings)], None)

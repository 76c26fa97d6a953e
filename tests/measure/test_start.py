"""A launcher that fails by chance, before it starts a rank, is started again."""

from pathlib import Path

import pytest

from hockney.measure.launch import Interruption, Outcome
from hockney.measure.start import MOST_FAILED_STARTS, Start
from hockney.mpis.openmpi import START_FAILURES


def start(tmp_path: Path, failures: int, message: str) -> tuple[Outcome, list[bytes]]:
    """A launcher that fails so many times with that message, and then prints a line."""
    script = (
        f"count=$(cat count 2>/dev/null || echo 0); echo $((count + 1)) > count; "
        f'[ $count -lt {failures} ] && {{ echo "{message}" >&2; exit 213; }}; echo started'
    )
    command = ["sh", "-c", f'cd "{tmp_path}"; {script}']
    lines: list[bytes] = []
    outcome = Start(command, {}, None, "sh", START_FAILURES).run(lines.extend, 10.0, Interruption())
    return outcome, lines


@pytest.mark.parametrize("failures", range(MOST_FAILED_STARTS + 1))
def test_a_launcher_that_fails_by_chance_is_started_again(tmp_path: Path, failures: int) -> None:
    outcome, lines = start(tmp_path, failures, START_FAILURES[0] + ". We cannot")
    assert (outcome.exit_status, outcome.failed_starts) == (0, failures)
    assert lines == [b"started\n"]


def test_one_that_always_fails_is_given_up(tmp_path: Path) -> None:
    outcome, lines = start(tmp_path, 99, START_FAILURES[0])
    assert outcome.exit_status == 213
    assert lines == []
    assert int((tmp_path / "count").read_text()) == MOST_FAILED_STARTS + 1


def test_another_failure_is_not_repeated(tmp_path: Path) -> None:
    outcome, _ = start(tmp_path, 1, "no such host")
    assert (outcome.exit_status, outcome.failed_starts) == (213, 0)
    assert int((tmp_path / "count").read_text()) == 1

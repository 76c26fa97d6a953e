"""Launchers that fail by chance are started again, and none fails because of its stdin."""

from pathlib import Path

import pytest

from hockney.plan import Placement
from hockney.run.launchers import Launcher, hydra
from hockney.run.launchers.openmpi import LAUNCHER
from hockney.run.measure.launches.launch import Interruption, Outcome
from hockney.run.measure.launches.start import (
    ENGINE_PREFIX,
    MOST_FAILED_STARTS,
    StartCommand,
    engine_messages,
)
from hockney.run.mpis import Engine, Mpi
from hockney.run.schedulers._template import template_launcher
from preloads import build_library
from starting import mpi_command


def start(
    tmp_path: Path, failures: int, message: str, launcher: Launcher = LAUNCHER
) -> tuple[Outcome, list[bytes]]:
    """A launcher that fails so many times with that message, and then prints a line."""
    script = (
        f"count=$(cat count 2>/dev/null || echo 0); echo $((count + 1)) > count; "
        f'[ $count -lt {failures} ] && {{ echo "{message}" >&2; exit 213; }}; echo started'
    )
    command = ["sh", "-c", f'cd "{tmp_path}"; {script}']
    lines: list[bytes] = []
    outcome = StartCommand(command, {}, launcher, "sh").run(lines.extend, 10.0, Interruption())
    return outcome, lines


@pytest.mark.parametrize("failures", range(MOST_FAILED_STARTS + 1))
def test_a_launcher_that_fails_by_chance_is_started_again(tmp_path: Path, failures: int) -> None:
    outcome, lines = start(tmp_path, failures, LAUNCHER.start_failures[0] + ". We cannot")
    assert (outcome.exit_status, outcome.failed_starts) == (0, failures)
    assert lines == [b"started\n"]


def test_one_behind_a_template_is_started_again(tmp_path: Path) -> None:
    template = template_launcher("sh {command}", Placement(ranks=2))
    outcome, _ = start(tmp_path, 1, LAUNCHER.start_failures[0], template)
    assert (outcome.exit_status, outcome.failed_starts) == (0, 1)


def test_one_that_always_fails_is_given_up(tmp_path: Path) -> None:
    outcome, lines = start(tmp_path, 99, LAUNCHER.start_failures[0])
    assert outcome.exit_status == 213
    assert lines == []
    assert int((tmp_path / "count").read_text()) == MOST_FAILED_STARTS + 1


def test_another_failure_is_not_repeated(tmp_path: Path) -> None:
    outcome, _ = start(tmp_path, 1, "no such host")
    assert (outcome.exit_status, outcome.failed_starts) == (213, 0)
    assert int((tmp_path / "count").read_text()) == 1


def run_script(script: str) -> tuple[Outcome, list[bytes]]:
    """A launcher of MPICH's family that a shell script stands for."""
    lines: list[bytes] = []
    start = StartCommand(["sh", "-c", script], {}, hydra.LAUNCHER, "sh")
    return start.run(lines.extend, 10.0, Interruption()), lines


ASSERTION = "[mpiexec@node] control_cb (pmiserv_cb.c:155): assert (!closed) failed"


@pytest.mark.parametrize(
    "failure", [f"echo '{ASSERTION}' >&2; exit 255", "kill -PIPE $$"], ids=["assertion", "SIGPIPE"]
)
def test_hydra_is_started_again_only_before_a_rank_reports(failure: str) -> None:
    silent, _ = run_script(failure)
    after_record, lines = run_script(f"echo record; {failure}")
    after_message, _ = run_script(f"echo '{ENGINE_PREFIX}no memory' >&2; {failure}")
    assert silent.failed_starts == MOST_FAILED_STARTS
    assert (after_record.failed_starts, lines) == (0, [b"record\n"])
    assert (after_message.failed_starts, engine_messages(after_message)) == (0, ["no memory"])


def test_stdin_of_a_launcher_neither_ends_nor_has_data() -> None:
    outcome, _ = run_script("timeout 0.3 head -c 1")
    assert outcome.exit_status == 124


def test_hydra_that_reads_its_stdin_after_the_ranks_ended_keeps_their_status(
    mpi: Mpi, engine: Engine, tmp_path: Path
) -> None:
    if mpi.family not in ("mpich", "intel"):
        pytest.skip("not hydra")
    late = str(build_library(mpi, "slow_stdin", tmp_path))
    command = mpi_command(mpi, 2, [str(engine.path), "pingpong", "--nonsense"])
    start = StartCommand(command, {"LD_PRELOAD": late}, hydra.LAUNCHER, "hydra")
    outcome = start.run(lambda _: None, 30.0, Interruption())
    assert (outcome.exit_status, outcome.failed_starts) == (2, 0)
    assert "see hockney-engine --help" in engine_messages(outcome)

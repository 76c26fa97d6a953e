"""The block that a run draws while it measures, in a real pseudo-terminal."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest

from conftest import TEST_TIMEOUT_S, RunHockney
from hockney import records
from hockney.base import terminal
from hockney.infer.estimate import estimate, least_known
from hockney.records import Noise, Probe, Start
from hockney.run.measure.sessions.status import Disturbances
from hockney.show import progress
from hockney.show.progress import BuildView, disturbances
from samples import make_run
from terminals import Shown, in_terminal

RUN = ("pingpong", "--budget", "1s", "--sizes", "0,8,1KiB,64KiB", "-o", "run.jsonl")
ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def blocks(shown: Shown) -> list[list[str]]:
    """Each drawing of the block, from its bar to the end of the screen, but for half-read ones."""
    drawn = []
    for lines in shown.screens_with("s left"):
        first = next(number for number, line in enumerate(lines) if "s left" in line)
        drawn.append(lines[first:])
    return [block for block in drawn if len(block) > 2]


@pytest.mark.long
@pytest.mark.usefixtures("engine")
def test_a_terminal_shows_how_far_the_run_is_and_keeps_nothing_of_it(tmp_path: Path) -> None:
    shown = in_terminal(*RUN, "--budget", "8s", "--launches", "8", "--sizes", "0,8", cwd=tmp_path)
    assert shown.status == 0, shown.left
    drawn = blocks(shown)
    assert len(drawn) > 3
    assert all("of 8 s left  launch" in block[0] for block in drawn)
    filled = [block[0].count("━") for block in drawn]
    assert filled == sorted(filled)
    assert filled[-1] > filled[0]
    assert all("pingpong, 0 B to 8 B" in block[1] for block in drawn)
    # Where the machine changes its state there may never be five launches of one.
    known = r"worst point +\d+ \w+ [0-9.]+ [num]?s \[.+ \.\. .+\] ±[0-9.]+ % \(requested ±1 %\)"
    unknown = "worst point intervals need more launches"
    assert all(unknown in block[2] or re.search(known, block[2]) for block in drawn)
    assert "measuring" not in shown.left
    assert "samples are in run.jsonl" in shown.left
    run = records.read(tmp_path / "run.jsonl")
    assert len(run.launches) == 8


@pytest.mark.long
@pytest.mark.usefixtures("engine")
def test_a_narrow_terminal_cuts_lines_that_would_wrap(tmp_path: Path) -> None:
    shown = in_terminal(*RUN, "--launches", "2", cwd=tmp_path, columns=50)
    assert shown.status == 0
    assert blocks(shown)
    # The rest of a wrapped line begins with none of these words.
    heads = ("  measuring ", "  worst point ", "  over its budget", "  disturbed ")
    wrapped = [line for block in blocks(shown) for line in block[1:] if not line.startswith(heads)]
    assert not any(wrapped), wrapped
    assert "measuring" not in shown.left


@pytest.mark.long
@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize(
    ("arguments", "env", "drawn", "forbidden"),
    [
        ([], {"NO_COLOR": "1"}, True, COLOUR),
        ([], {"NO_COLOR": ""}, True, None),
        ([], {"TERM": "dumb"}, False, ESCAPE),
        (["-q"], {}, False, re.compile(r"\x1b\[[AJ]")),
    ],
    ids=["no colour", "empty is not set", "dumb", "quiet"],
)
def test_what_the_terminal_or_the_user_does_not_want_is_not_drawn(
    tmp_path: Path,
    arguments: list[str],
    env: dict[str, str],
    drawn: bool,
    forbidden: re.Pattern[str] | None,
) -> None:
    shown = in_terminal(*RUN, "--launches", "2", *arguments, cwd=tmp_path, env=env)
    assert shown.status == 0
    assert bool(shown.screens_with("measuring  ")) is drawn
    if forbidden is None:
        assert COLOUR.search(shown.raw)
    else:
        assert not forbidden.search(shown.raw)


@pytest.mark.usefixtures("engine")
def test_a_pipe_gets_plain_lines(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hockney", *RUN, "--launches", "2"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=TEST_TIMEOUT_S,
        check=True,
    )
    assert done.stderr.startswith("launch 1; ")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\ue000-\uf8ff\U000f0000-\U0010ffff]", done.stdout)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\ue000-\uf8ff\U000f0000-\U0010ffff]", done.stderr)


@pytest.mark.long
@pytest.mark.usefixtures("engine")
def test_marks_of_a_stranger_are_not_obeyed(tmp_path: Path) -> None:
    """Escape sequences in a label are shown as text."""
    nasty = "real\x1b[2J\x1b[31mred" + "\r"
    shown = in_terminal(
        *RUN, "--launches", "2", "--label", nasty, cwd=tmp_path, env={"NO_COLOR": "1"}
    )
    assert "\x1b[2J" not in shown.raw
    assert "\x1b[31m" not in shown.raw
    assert "real\\u001b[2J" in shown.left


def test_marks_differ_between_processes() -> None:
    program = "from hockney.base.terminal import MARKS; print(ascii(MARKS['bold']))"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, check=True, timeout=600
        ).stdout
        for _ in range(3)
    }
    assert len(outputs) > 1


def test_text_for_a_pipe_has_no_marks(hockney: RunHockney) -> None:
    assert terminal.styled("slower", "bold") == "slower"
    assert not set(hockney("--help").stdout) & set(terminal.MARKS.values())


def test_the_worst_point_is_that_of_the_estimates() -> None:
    """least_known works out less than estimate() does, and must find the same."""
    run = make_run(lambda launch, _, size: [1000.0 + size * (1.0 + 0.01 * launch)], launches=7)
    worst = least_known(run)
    assert worst is not None
    points = estimate(run).own()
    expected = max(points, key=lambda point: point.precision or 0.0)
    assert worst.point.bytes == expected.bytes
    assert worst.median_s == expected.median_s
    assert worst.precision == pytest.approx(expected.precision)


def test_disturbances_are_counted_once_a_launch() -> None:
    run = make_run(lambda *_: [1000.0], launches=3)
    tally = Disturbances()
    assert disturbances(tally) == []
    for launch, handover_ns in enumerate((50.0, 52.0, 240.0)):
        run.add(Noise(launch=launch, rank=0, switches=2.0, migrations=0.0))
        run.add(Noise(launch=launch, rank=1, switches=None, migrations=1.0 * (launch == 1)))
        run.add(
            Start(
                launch=launch,
                round=0,
                operation="bcast",
                bytes=8,
                ranks=2,
                skew_s=0.0,
                missed=launch,
            )
        )
        run.add(Probe(launch=launch, round=0, peers=[0, 1], handover_ns=handover_ns))
        tally.add(run, launch)
    assert disturbances(tally) == [
        "6 preemptions",
        "1 migration",
        "3 missed starts",
        "core-to-core latency 52 ns -> 240 ns in launch 3",
    ]


def test_a_build_is_shown_from_its_start(capsys: pytest.CaptureFixture[str]) -> None:
    view = BuildView()
    view("the engine for mpicc", 0, 2)
    view("the engine for mpicc", 1, 2)  # too soon after the first for another line
    view("the engine for mpicc", 2, 2)
    assert capsys.readouterr().err == (
        "building the engine for mpicc: 0 of 2 files (kept for later runs)\n"
    )


@pytest.mark.parametrize(("columns", "room"), [(0, 79), (1, 0), (50, 49)])
def test_a_line_ends_before_the_terminal_does(
    monkeypatch: pytest.MonkeyPatch, columns: int, room: int
) -> None:
    """A terminal that states no columns has the usual ones."""
    stream = StringIO()
    monkeypatch.setattr(stream, "fileno", lambda: 2)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "is_terminal", lambda _: True)
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((columns, 0)))
    progress.Live(quiet=False).draw([[("x" * 60, ""), ("y" * 60, "dim")]], "")
    assert sum(map(stream.getvalue().count, "xy")) == room

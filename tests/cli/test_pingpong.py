from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import SHORT, RunHockney
from hockney import records


def nothing_was_started(directory: Path) -> bool:
    return not list(directory.glob("*.jsonl"))


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--sizes", "8Kb"], "unknown unit"),
        (["--sizes", "-8"], "not a size"),
        (["--sizes", "99999999999999999999"], "too large"),
        (["--sizes", "1..4EiB"], "unknown unit"),
        (["--sizes", "8000GiB"], "are free"),
        (["-n", "1"], "at least two ranks"),
        (["--peers", "0,5"], "no rank 5"),
        (["--peers", "1,1"], "two different ranks"),
        (["--precision", "0"], "not a fraction"),
        (["--precision", "200%"], "not a fraction"),
        (["--budget", "-1s"], "not a time"),
        (["--launches", "0"], "not a number of launches"),
        (["--launches", "5..3"], "not a number of launches"),
        (["--place", "attic"], "attic"),
        (["--place", "node"], "only one node"),
        (["--cpus", f"{min(os.sched_getaffinity(0))},4096"], "may not run on CPU 4096"),
        (["--cpus", "one"], "not a CPU number"),
        (["--mpicc", "nonesuch"], "no such command"),
        (["--preset", "mpptest"], "mpptest"),
        (["--format", "html"], "html"),
        (["-o", "nowhere/run.jsonl"], "cannot be written"),
        (["--sizes", "8", "--from", "1"], "leave out --from"),
        (["surplus"], "surplus"),
        (["--preset", "osu", "--sizes", "3"], "none of these sizes"),
    ],
)
def test_bad_questions_are_told_before_anything_is_started(
    hockney: RunHockney, tmp_path: Path, arguments: list[str], complaint: str
) -> None:
    done = hockney.refused("pingpong", *arguments, because=complaint)
    assert done.stdout == ""
    assert nothing_was_started(tmp_path)


def test_a_site_may_export_posixly_correct(hockney: RunHockney) -> None:
    """LSF's blaunch of OpenLava does; getopt then stops at the first word that is no option."""
    hockney.ok("pingpong", *SHORT, "-o", "run.jsonl", env={"POSIXLY_CORRECT": "1"})


def test_a_file_that_exists_is_not_overwritten(hockney: RunHockney, tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_text("precious")
    hockney.refused("pingpong", *SHORT, "-o", "run.jsonl", because="--force")
    assert (tmp_path / "run.jsonl").read_text() == "precious"
    assert hockney("pingpong", *SHORT, "-o", "run.jsonl", "--force").status == 0
    assert records.read(tmp_path / "run.jsonl").samples


def test_a_run_shows_a_table_a_line_and_where_its_samples_are(
    hockney: RunHockney, tmp_path: Path
) -> None:
    done = hockney.ok("pingpong", "--budget", "1s", "--sizes", "0,8,1KiB,64KiB")
    (path,) = tmp_path.glob("pingpong-*.jsonl")
    assert path.name in done.stderr
    assert "launch 1" in done.stderr
    # Rows only: a line below the table may begin with a count ("2 of 4 sizes ...").
    below = itertools.dropwhile(lambda line: not line.startswith("bytes"), done.stdout.splitlines())
    rows = itertools.takewhile(lambda line: line.split()[0].isdigit(), list(below)[1:])
    assert [row.split()[0] for row in rows] == ["0", "8", "1024", "65536"]
    for word in ("messages by ", "fit: T(b) = ", "n_half"):
        assert word in done.stdout
    run = records.read(path)
    assert run.cut is None
    assert run.launches[0].command[-1].startswith("--")
    assert run.header.environment["host"]


def test_quiet_says_nothing_but_the_result(hockney: RunHockney) -> None:
    done = hockney.ok("pingpong", *SHORT)
    assert done.stderr == ""
    assert "median" in done.stdout


POINT = {
    "operation",
    "algorithm",
    "bytes",
    "ranks",
    "peers",
    "launches",
    "samples",
    "median_s",
    "low_s",
    "high_s",
    "min_s",
    "mean_s",
    "std_s",
    "p99_s",
    "max_s",
    "bandwidth_Bps",
    "state",
}


def test_json_has_the_documented_fields(hockney: RunHockney, tmp_path: Path) -> None:
    result = hockney("pingpong", *SHORT, "--json", "-o", "run.jsonl").json
    assert {"run", "points", "fits"} <= set(result)
    assert all(set(point) >= POINT for point in result["points"])
    assert {"id", "handover_s", "fraction", "likely"} == set(result["run"]["states"][0])
    zero = next(point for point in result["points"] if point["bytes"] == 0)
    assert zero["bandwidth_Bps"] is None
    assert zero["low_s"] is None  # two launches have no interval
    shown = hockney("show", "run.jsonl", "--json").json
    assert shown["points"] == result["points"]
    assert (tmp_path / "run.jsonl").exists()


def test_ranges_in_options(hockney: RunHockney) -> None:
    done = hockney(
        *("pingpong", "--from", "0", "--to", "64", "--per-octave", "1", "--json", "-q"),
        *("--budget", "0.5s", "--launches", "1"),
    )
    assert [p["bytes"] for p in done.json["points"]] == [0, 1, 2, 4, 8, 16, 32, 64]


def test_launches_are_exactly_as_many_as_asked(hockney: RunHockney, tmp_path: Path) -> None:
    assert hockney("pingpong", *SHORT, "--launches", "3", "-o", "run.jsonl").status == 0
    assert len(records.read(tmp_path / "run.jsonl").launches) == 3


def test_a_label_is_kept_and_shown_as_text(hockney: RunHockney) -> None:
    done = hockney("pingpong", *SHORT, "--label", "new $x_{3}$ <b>switch</b>")
    assert "new $x_{3}$ <b>switch</b>" in done.stdout


def test_help_loads_no_numbers() -> None:
    loaded = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "hockney", "--help"],
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    for heavy in ("numpy", "scipy", "matplotlib"):
        assert f"{heavy}\n" not in loaded

"""hockney plot: files in, a figure out; a figure that cannot be drawn is an error and touches no
file."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import RunHockney, first_of
from hockney.records import Run
from one_sided_samples import one_sided_run, startup_run
from samples import make_run, write_run

BEGINS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(make_run(lambda *_: [1000.0], sizes=(0, 8)), tmp_path / "run.jsonl")


@pytest.mark.parametrize("what", first_of(["time", "bandwidth", "samples"]))
@pytest.mark.parametrize("suffix", BEGINS)
def test_a_real_run_is_drawn(
    hockney: RunHockney, measured: Path, tmp_path: Path, what: str, suffix: str
) -> None:
    done = hockney.ok("plot", str(measured), "--what", what, "-o", f"figure.{suffix}")
    assert done.stderr == f"wrote figure.{suffix}\n"
    drawn = (tmp_path / f"figure.{suffix}").read_bytes()
    assert drawn.startswith(BEGINS[suffix])
    assert len(drawn) > 5000
    if suffix == "png":
        width, height = struct.unpack(">II", drawn[16:24])
        assert width == 1400
        assert height > 800


@pytest.mark.parametrize(
    ("made", "title"), [(one_sided_run, "one-sided"), (startup_run, "start-up")]
)
def test_an_experiment_of_several_operations_has_its_own_figure(
    hockney: RunHockney, tmp_path: Path, made: Callable[[], Run], title: str
) -> None:
    done = hockney.ok("plot", str(write_run(made(), tmp_path / "run.jsonl")))
    assert title in done.stdout.splitlines()[0]


@pytest.mark.long
def test_systems_are_overlaid_with_extremes(
    hockney: RunHockney, measured: Path, run: Path, tmp_path: Path
) -> None:
    alone = hockney("plot", str(measured), "--extremes", "-o", "one.svg")
    both = hockney("plot", str(measured), str(run), "--extremes", "-o", "two.svg")
    assert (alone.status, both.status) == (0, 0), both.stderr
    lines = [
        (tmp_path / name).read_text().count('<g id="line2d') for name in ("one.svg", "two.svg")
    ]
    assert lines[1] > lines[0]


def test_the_environment_of_matplotlib_does_not_matter(
    hockney: RunHockney, run: Path, tmp_path: Path
) -> None:
    (tmp_path / "matplotlibrc").write_text("text.usetex: True\nfigure.figsize: 1, 1\n")
    assert hockney("plot", str(run), "-o", "here.svg").status == 0
    env = {"MPLBACKEND": "TkAgg", "DISPLAY": ":77", "MATPLOTLIBRC": "/dev/null"}
    assert hockney("plot", str(run), "-o", "there.svg", env=env).status == 0
    assert (tmp_path / "here.svg").read_bytes() == (tmp_path / "there.svg").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["-o", "figure.jpeg"], ".png, .svg, .pdf"),
        (["-o", "figure"], ".png, .svg, .pdf"),
        (["-o", "nowhere/x.png"], "nowhere/x.png cannot be written: No such file"),
        (["-o", "folder.png", "--force"], "folder.png cannot be written"),
        (["-o", "there.png"], "there.png exists"),
        (["absent.jsonl", "-o", "x.png"], "absent.jsonl: no such file"),
        (["--what", "pie", "-o", "x.png"], "'pie'"),
        (["--what", "samples", "--bytes", "7", "-o", "x.png"], "were: 0, 8"),
        (["run.jsonl", "--what", "models", "-o", "x.png"], "one file at a time"),
        (["--what", "bandwidth", "--extremes", "-o", "x.png"], "these do: time"),
        (["--bytes", "8", "-o", "x.png"], "--what time does not take --bytes"),
    ],
)
def test_what_cannot_be_drawn_is_told(
    hockney: RunHockney, run: Path, tmp_path: Path, arguments: list[str], complaint: str
) -> None:
    (tmp_path / "there.png").write_text("precious")
    (tmp_path / "folder.png").mkdir()
    before = sorted(tmp_path.iterdir())
    hockney.refused("plot", str(run), *arguments, because=complaint)
    assert (tmp_path / "there.png").read_text() == "precious"
    assert sorted(tmp_path.iterdir()) == before


def test_force_overwrites(hockney: RunHockney, run: Path, tmp_path: Path) -> None:
    (tmp_path / "there.png").write_text("old")
    assert hockney("plot", str(run), "-o", "there.png", "--force").status == 0
    assert (tmp_path / "there.png").read_bytes().startswith(BEGINS["png"])


def test_a_full_disk_is_told(hockney: RunHockney, run: Path, tmp_path: Path) -> None:
    (tmp_path / "full.png").symlink_to("/dev/full")
    done = hockney("plot", str(run), "-o", "full.png", "--force")
    assert done.status == 1
    assert "full.png cannot be written: No space left on device" in done.stderr


def test_without_a_file_it_is_drawn_in_the_terminal(hockney: RunHockney, run: Path) -> None:
    done = hockney("plot", str(run))
    assert (done.status, done.stderr) == (0, "")
    for words in ("one-way time", "message size", "┤", "Hockney's line"):
        assert words in done.stdout
    shown = hockney("show", str(run), "--plot").stdout
    assert "one-way time\n" in shown
    assert "bandwidth\n" in shown
    done = hockney("show", str(run), "--plot", "--json")
    assert (done.status, "not both" in done.stderr) == (2, True)

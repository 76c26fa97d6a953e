"""Every figure draws, of real runs and of odd ones, and refuses what it cannot."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from conftest import RunHockney
from samples import make_run, write_run


def png_size(path: Path) -> tuple[int, int]:
    header = path.read_bytes()[:24]
    assert header.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", header[16:24])
    return width, height


@pytest.mark.parametrize("what", ["time", "bandwidth", "samples"])
@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_a_real_run_is_drawn(
    hockney: RunHockney, measured: Path, tmp_path: Path, what: str, suffix: str
) -> None:
    done = hockney("plot", str(measured), "--what", what, "-o", f"figure.{suffix}")
    assert done.status == 0, done.stderr
    path = tmp_path / f"figure.{suffix}"
    assert path.stat().st_size > 5000
    if suffix == "png":
        width, height = png_size(path)
        assert width > 1000
        assert height > 500


def test_systems_are_overlaid_with_extremes(
    hockney: RunHockney, measured: Path, tmp_path: Path
) -> None:
    other = write_run(make_run(lambda *_: [1000.0, 1100.0], sizes=(0, 8)), tmp_path / "b.jsonl")
    done = hockney("plot", str(measured), str(other), "--extremes", "-o", "two.svg")
    assert done.status == 0, done.stderr
    drawn = (tmp_path / "two.svg").read_text()
    assert drawn.count('<g id="line2d') > 10


@pytest.mark.parametrize(
    "label", ["$\\frac{", "a_b^c $x$", "<script>alert(1)</script>", "tab\there", "日本"]
)
def test_labels_of_strangers_are_text(hockney: RunHockney, tmp_path: Path, label: str) -> None:
    run = make_run(lambda *_: [1000.0], sizes=(0, 8, 64))
    run.header = type(run.header)(
        schema=1, hockney="", id="", started="", experiment="pingpong", label=label
    )
    path = write_run(run, tmp_path / "run.jsonl")
    for what in ("time", "bandwidth", "samples"):
        done = hockney("plot", str(path), "--what", what, "-o", f"{what}.svg")
        assert done.status == 0, done.stderr
        assert "<script>" not in (tmp_path / f"{what}.svg").read_text()


@pytest.mark.parametrize("sizes", [(0,), (8,), (0, 3), (7, 1000003)])
def test_few_and_odd_sizes_are_drawn(
    hockney: RunHockney, tmp_path: Path, sizes: tuple[int, ...]
) -> None:
    path = write_run(make_run(lambda *_: [1000.0], sizes=sizes), tmp_path / "run.jsonl")
    assert hockney("plot", str(path), "-o", "time.png").status == 0


def test_times_of_zero_do_not_break_a_logarithmic_axis(hockney: RunHockney, tmp_path: Path) -> None:
    run = make_run(
        lambda _, round_, size: [0.0 if size == 8 else 100.0 + round_], sizes=(8, 16, 32)
    )
    path = write_run(run, tmp_path / "run.jsonl")
    for what in ("time", "bandwidth", "samples"):
        done = hockney("plot", str(path), "--what", what, "--bytes", "16", "-o", f"{what}.png")
        assert done.status == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["-o", "figure.jpeg"], "figures are written as"),
        (["-o", "nowhere/x.png"], "cannot be written"),
        (["-o", "there.png"], "exists"),
        (["--what", "pie", "-o", "x.png"], "pie"),
        ([], "--output"),
        (["--what", "samples", "--bytes", "7", "-o", "x.png"], "measured are 0, 8"),
    ],
)
def test_what_cannot_be_drawn_is_told(
    hockney: RunHockney, tmp_path: Path, arguments: list[str], complaint: str
) -> None:
    (tmp_path / "there.png").write_text("precious")
    path = write_run(make_run(lambda *_: [1000.0], sizes=(0, 8)), tmp_path / "run.jsonl")
    done = hockney("plot", str(path), *arguments)
    assert done.status == 2
    assert complaint in done.stderr
    assert (tmp_path / "there.png").read_text() == "precious"


def test_samples_are_of_one_file(hockney: RunHockney, tmp_path: Path) -> None:
    path = write_run(make_run(lambda *_: [1000.0]), tmp_path / "run.jsonl")
    done = hockney("plot", str(path), str(path), "--what", "samples", "-o", "x.png")
    assert done.status == 2
    assert "one file at a time" in done.stderr

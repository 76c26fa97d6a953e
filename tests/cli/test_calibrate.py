"""hockney calibrate: SimGrid's own network is the machine, so that the platform is known."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from conftest import RunHockney
from hockney.cli.calibrate import MOST_VALIDATED, _lines, platform_within, spread_over
from hockney.foreign.exchange.calibration import (
    Deviation,
    Scatter,
    calibrated,
    deviations,
    held_out,
    validation_error,
)
from hockney.infer.analysis import Analysis
from hockney.records import Run
from samples import make_run


def run_of(factor: float = 1.0, sizes: tuple[int, ...] = (1, 8, 64, 512, 4096)) -> Run:
    """1 us and 1 ns a byte."""
    return make_run(lambda _launch, _round, size: [factor * (1000.0 + size)] * 3, sizes=sizes)


def test_every_third_size_between_the_ends_is_held_out() -> None:
    assert held_out([8, 1, 4, 2, 16, 32, 64, 128, 8]) == [2, 16, 128][:2]
    assert held_out([1, 2, 3]) == [2]
    assert held_out([1, 2]) == []


def test_patterns_are_measured_at_no_more_sizes_than_promised() -> None:
    for count in range(40):
        some = spread_over(range(count))
        assert len(some) == min(count, MOST_VALIDATED)
        assert some == sorted(set(some))
    assert spread_over(range(14)) == [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12]


def test_a_deviation_is_as_large_too_long_as_too_short() -> None:
    for factor in (1.25, 1.0 / 1.25):
        points = deviations("ping-pong", Analysis(run_of()), Analysis(run_of(factor)))
        assert [point.bytes for point in points] == [1, 8, 64, 512, 4096]
        assert [point.error for point in points] == pytest.approx([0.25] * 5)


def test_many_good_ping_pongs_do_not_hide_a_bad_pattern() -> None:
    good = [Deviation("ping-pong", size, 1.0, 1.01) for size in range(1, 100)]
    bad = [Deviation("stream", size, 1.0, 1.5) for size in (1, 2, 3)]
    assert validation_error(good + bad) == pytest.approx(0.5)
    assert validation_error([]) is None


def test_the_noise_is_said() -> None:
    points = [Deviation("ping-pong", 8, 1.0, 1.01)]
    text = "\n".join(_lines(Path("p.xml"), points, Scatter(0.031, 0.052)))
    assert "scatter by 3.1 % within a launch, 5.2 % between launches" in text
    assert "scatter" not in "\n".join(_lines(Path("p.xml"), points, Scatter(None, None)))


def test_a_platform_is_made_without_the_sizes_that_are_held_out() -> None:
    whole, spoiled = run_of(), run_of()
    for samples in [sample for sample in spoiled.samples if sample.bytes == 8]:
        samples.ns[:] = [1e9] * len(samples.ns)
    assert 8 in held_out([1, 8, 64, 512, 4096])
    assert calibrated(Analysis(whole), None) == calibrated(Analysis(spoiled), None)


def test_without_time_for_trains_of_messages_the_platform_has_no_overheads(
    capsys: pytest.CaptureFixture[str],
) -> None:
    alone, trains = Analysis(run_of()), run_of()
    trains.header = msgspec.structs.replace(trains.header, experiment="overheads")
    without = Analysis(trains)
    assert platform_within(0.05, alone, without) == calibrated(alone, None)
    assert "--budget 50 ms is too short for overheads" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("-n", "3"), "-n 3: a link has two ends"),
        (("-o", "there.xml"), "there.xml exists"),
        (("-o", "nowhere/platform.xml"), "cannot be written"),
        (("--sizes", "8..x"), "'8..x' is not a range of sizes"),
        (("--platform", "clutser:2"), "did you mean cluster?"),
        (("--platform", "cluster:2", "--sizes", "8"), "at least two sizes"),
    ],
)
@pytest.mark.simgrid
def test_what_cannot_be_calibrated_is_refused(
    hockney: RunHockney, tmp_path: Path, words: tuple[str, ...], complaint: str
) -> None:
    (tmp_path / "there.xml").write_text("mine")
    hockney.refused("calibrate", *words, because=complaint)
    assert (tmp_path / "there.xml").read_text() == "mine"
    assert not (tmp_path / "platform.xml").exists()


def test_without_simgrid_nothing_is_measured(hockney: RunHockney, tmp_path: Path) -> None:
    hockney.refused("calibrate", because="no smpicc")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
@pytest.mark.simgrid
def test_a_simulated_machine_is_found_again(hockney: RunHockney, tmp_path: Path) -> None:
    words = ("-n", "2", "--platform", "cluster:2", "--sizes", "1..64KiB/2", "--budget", "8s")
    answer = hockney.ok("calibrate", *words, "-o", "platform.xml", "--json", "-q").json
    assert answer["platform"] == "platform.xml"
    assert answer["patterns"]["ping-pong"] < 0.03, "what a section of the platform may be off"
    assert set(answer["patterns"]) == {"ping-pong", "exchange", "stream"}
    assert answer["validation_error"] == max(answer["patterns"].values())
    errors = [point["error"] for point in answer["points"] if point["pattern"] == "ping-pong"]
    assert len(errors) >= 10
    assert "<platform" in (tmp_path / "platform.xml").read_text()
    hockney.ok("pingpong", "--platform", "platform.xml", "--sizes", "8,1KiB", "-q")

"""The registry of models, and which of them the data can carry."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from conftest import RunHockney
from hockney.base.errors import UsageError
from hockney.infer.estimate import estimate
from hockney.infer.fitting.fit import Curve, curve_of, curve_of_arrays
from hockney.infer.models import MODELS, fit_model
from hockney.infer.models.hockney import fit as fit_hockney
from hockney.infer.predict.ranking import cross_validated_error, rank
from hockney.records import End
from samples import make_run, write_run

SIZES = [0, *(2**power for power in range(21))]


def two_protocols_ns(size: float) -> float:
    return 1000.0 + 0.5 * size if size <= 4096 else 9000.0 + 0.1 * size


def nanoseconds(launch: int, round_: int, size: int) -> list[float]:
    return [two_protocols_ns(size) * (1.0 + 0.002 * math.sin(7 * launch + round_ + size))]


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    return write_run(make_run(nanoseconds, sizes=SIZES), tmp_path / "run.jsonl")


def line_curve(launches: int) -> Curve:
    sizes = 2.0 ** np.arange(24)
    chance = np.random.default_rng(1)
    noise = np.exp(0.01 * chance.standard_normal((launches, len(sizes))))
    return curve_of_arrays(sizes, (1e-6 + sizes / 1e10) * noise)


def test_every_file_here_is_a_model_with_the_protocol() -> None:
    assert MODELS.names() == ["hockney", "loggp", "max-rate", "multi-mode", "segmented"]
    nothing = curve_of_arrays([8.0], [1e-6])
    for name in MODELS.names():
        model = MODELS.find(name)
        assert model.DATA
        assert model.lacks(nothing)
        with pytest.raises(UsageError, match=f"{name} needs times"):
            model.fit(nothing)


def test_a_model_that_is_none_is_named_with_those_that_are() -> None:
    with pytest.raises(UsageError, match=r"'logp'[\s\S]*hockney, loggp, max-rate"):
        MODELS.find("logp")


def test_protocols_are_explained_by_segments_first() -> None:
    ranking = rank(curve_of(estimate(make_run(nanoseconds, sizes=SIZES)).headline))
    assert [ranked.fit.model for ranked in ranking.best_first] == ["segmented", "hockney"]
    best, other = ranking.best_first
    assert best.fit.criterion is not None
    assert other.fit.criterion is not None
    assert best.fit.criterion < other.fit.criterion
    assert best.cross_validated_error is not None
    assert best.cross_validated_error < 0.005
    assert (other.cross_validated_error or 0.0) > 0.05
    assert "5 parameters" in best.reason
    assert set(ranking.lacking) == {"loggp", "max-rate", "multi-mode"}
    assert "numbers of pairs at once" in ranking.lacking["max-rate"]


def test_launches_that_lack_sizes_are_no_single_launch() -> None:
    """Two, each with some of the sizes: neither predicts the other."""
    seconds = [[1e-6, math.nan, math.nan], [math.nan, 2e-6, 3e-6]]
    best = rank(curve_of_arrays([0, 1024, 4096], seconds)).best_first[0]
    assert best.cross_validated_error is None
    assert "single launch" not in best.reason
    assert "not cross-validated" in best.reason


@pytest.mark.parametrize("launches", [1, 5])
def test_a_line_is_explained_by_hockneys_model_first(launches: int) -> None:
    """One segment is as good, and no better."""
    ranking = rank(line_curve(launches))
    first, second = (ranked.fit for ranked in ranking.best_first)
    assert first.model == "hockney"
    assert first.criterion == pytest.approx(second.criterion, abs=2.0)
    assert (ranking.best_first[0].cross_validated_error is None) == (launches == 1)


def test_the_cross_validated_error_is_of_launches_left_out() -> None:
    """Two launches, one twice as slow: each predicts the other badly, itself exactly."""
    sizes = 2.0 ** np.arange(10)
    times = np.outer([1.0, 2.0], 1e-6 + sizes / 1e9)
    assert cross_validated_error(MODELS.find("hockney"), curve_of_arrays(sizes, times)) == (
        pytest.approx((0.5 + 1.0) / 2.0)
    )


def test_a_launch_below_the_clocks_resolution_counts_as_none() -> None:
    run = make_run(lambda launch, _, size: [0.0 if launch == 0 else 100.0 + size], sizes=SIZES)
    curve = curve_of(estimate(run).headline)
    assert np.isnan(curve.seconds[0]).all()
    assert fit_model("hockney", curve).parameters["alpha_s"].value == pytest.approx(1e-7)


def test_where_nothing_can_be_fitted_each_model_says_why() -> None:
    with pytest.raises(UsageError) as error:
        rank(curve_of_arrays([8.0], [1e-6]))
    for name in MODELS.names():
        assert f"{name} needs" in str(error.value)


def test_numbers_of_one_line_do_not_load_scipy() -> None:
    program = (
        "import sys, hockney.infer.models.hockney as h;"
        "from hockney.infer.fitting.fit import curve_of_arrays;"
        "h.fit(curve_of_arrays([1, 2, 4], [1, 2, 3])); import hockney.cli._present;"
        "assert not any(name.split('.')[0] == 'scipy' for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


# The command


def test_fit_without_a_model_is_hockneys_line(hockney: RunHockney, run_file: Path) -> None:
    (fit,) = hockney.ok("fit", str(run_file), "--json").json["fits"]
    expected = fit_hockney(curve_of(estimate(make_run(nanoseconds, sizes=SIZES)).headline))
    assert fit["model"] == "hockney"
    assert fit["parameters"]["alpha_s"]["value"] == expected.parameters["alpha_s"].value
    assert fit["criterion"] == pytest.approx(expected.criterion)
    text = hockney("fit", str(run_file)).stdout
    assert "T(b) = alpha + beta b, least squares" in text


def test_fit_says_what_disturbed_the_run(hockney: RunHockney, tmp_path: Path) -> None:
    run = make_run(nanoseconds, sizes=SIZES)
    run.ends.append(End(launch=0, reason="failed", message="it hung"))
    path = write_run(run, tmp_path / "failed.jsonl")
    done = hockney("fit", str(path))
    shown = [line for line in hockney("show", str(path)).stderr.splitlines() if "warning:" in line]
    assert done.status == 0, done.stderr
    assert shown[0] in done.stderr
    assert "it hung" in shown[0]
    assert "more: " not in done.stderr, "there is no other warning"
    run = make_run(nanoseconds, sizes=SIZES, launches=2, step_ns=1e4)
    run.ends.append(End(launch=0, reason="failed", message="it hung"))
    run.launches[0].places[0].pinned = False
    done = hockney("fit", str(write_run(run, tmp_path / "worse.jsonl")))
    assert "more: hockney show " in done.stderr
    assert done.stderr.count("warning:") == 2


def test_fit_of_segments_gives_their_lines(hockney: RunHockney, run_file: Path) -> None:
    (fit,) = hockney("fit", str(run_file), "--model", "segmented", "--json").json["fits"]
    assert fit["model"] == "segmented"
    assert [(part["from_bytes"], part["to_bytes"]) for part in fit["segments"]] == [
        (0, 4096),
        (8192, 2**20),
    ]
    assert fit["segments"][1]["alpha_s"] == pytest.approx(9e-6, rel=0.01)
    assert fit["segments"][1]["beta_s_per_B"] == pytest.approx(1e-10, rel=0.01)
    limit = fit["parameters"]["break_1_bytes"]
    assert (limit["low"], limit["high"]) == (4096.0, 8192.0)
    text = hockney("fit", str(run_file), "--model", "segmented").stdout
    assert "4 KiB .. 8 KiB" in text


@pytest.mark.long
def test_auto_ranks_all_that_the_data_carry(hockney: RunHockney, run_file: Path) -> None:
    ranking = hockney("fit", str(run_file), "--model", "auto", "--json").json
    assert [fit["model"] for fit in ranking["fits"]] == ["segmented", "hockney"]
    assert ranking["fits"][0]["cross_validated_error"] < 0.005
    assert "criterion" in ranking["fits"][0]["reason"]
    assert {lack["model"] for lack in ranking["lacking"]} == {"loggp", "max-rate", "multi-mode"}
    text = hockney("fit", str(run_file), "--model", "auto").stdout
    assert text.index("1. segmented") < text.index("2. hockney")
    assert "max-rate needs" in text


@pytest.mark.parametrize("name", ["max-rate", "multi-mode"])
def test_a_model_of_pairs_says_what_a_pingpong_file_lacks(
    hockney: RunHockney, run_file: Path, name: str
) -> None:
    hockney.refused(
        "fit", str(run_file), "--model", name, because=f"{name} needs times of at least two"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--model", "logp"), "'logp' is not one of"),
        (("--model", "segmented", "--ordinary"), "--ordinary needs --model hockney"),
    ],
)
def test_a_wrong_question_is_answered_in_words(
    hockney: RunHockney, run_file: Path, arguments: tuple[str, ...], words: str
) -> None:
    hockney.refused("fit", str(run_file), *arguments, because=words)


def three_tables(path: Path) -> Path:
    """A log with three OSU tables, of which the last is disturbed."""
    tables = []
    for slow in (1.0, 1.1, 4.0):
        rows = [f"{size:<10}{(2.0 + size / 1000.0) * slow:>12.2f}" for size in (1, 1000, 4000)]
        tables.append("# OSU MPI Latency Test v7.4\n# Size       Latency (us)\n" + "\n".join(rows))
    path.write_text("\n".join(tables) + "\n")
    return path


@pytest.mark.parametrize(("statistic", "slow"), [("min", 1.0), ("median", 1.1), ("mean", 6.1 / 3)])
def test_of_imported_tables_a_statistic_is_chosen(
    hockney: RunHockney, tmp_path: Path, statistic: str, slow: float
) -> None:
    log = three_tables(tmp_path / "osu.log")  # one is so slow that it would stay apart
    hockney.ok("import", str(log), "--repeated", "launches", "-o", "osu.jsonl")
    (fit,) = hockney.ok("fit", "osu.jsonl", "--statistic", statistic, "--json").json["fits"]
    assert fit["parameters"]["alpha_s"]["value"] == pytest.approx(2e-6 * slow, rel=0.02)
    noted = f"through the {statistic} over launches" in fit["notes"]
    assert noted == (statistic != "median")


def test_measured_samples_have_their_medians(hockney: RunHockney, run_file: Path) -> None:
    hockney.refused("fit", str(run_file), "--statistic", "min", because="leave --statistic out")


def test_too_few_sizes_are_named(hockney: RunHockney, tmp_path: Path) -> None:
    path = write_run(make_run(nanoseconds, sizes=(8, 64)), tmp_path / "two.jsonl")
    hockney.refused(
        "fit", str(path), "--model", "segmented", because="at least 3 different sizes; there are 2"
    )

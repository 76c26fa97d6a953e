"""import and export as the command line has them, and every verb on what was imported."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

import excerpts as logs
from conftest import RunHockney
from hockney import records
from samples import make_run, write_run


@pytest.fixture
def osu(tmp_path: Path) -> Path:
    path = tmp_path / "cluster.log"
    path.write_text(logs.OSU_5)
    return path


@pytest.fixture
def imported(hockney: RunHockney, osu: Path, tmp_path: Path) -> Path:
    assert hockney("import", str(osu)).status == 0
    return tmp_path / "cluster-pingpong.jsonl"


def test_import_says_what_it_wrote(hockney: RunHockney, osu: Path, tmp_path: Path) -> None:
    done = hockney("import", str(osu))
    assert (done.status, done.stderr) == (0, "")
    assert done.stdout == (
        "cluster-pingpong.jsonl: OSU MPI Latency Test 5.3.2, 3 points, 1 launch\n"
    )
    run = records.read(tmp_path / "cluster-pingpong.jsonl")
    assert [summary.value_s for summary in run.summaries] == [1.07e-6, 1.14e-6, 103.43e-6]
    assert run.header.source is not None
    assert (run.header.source.file, run.header.source.format) == ("cluster.log", "osu")


def test_nothing_is_overwritten_unasked(hockney: RunHockney, osu: Path, imported: Path) -> None:
    imported.write_text("precious")
    done = hockney("import", str(osu))
    assert (done.status, imported.read_text()) == (2, "precious")
    assert hockney("import", "--force", str(osu)).status == 0
    assert imported.read_text() != "precious"


def test_a_log_of_several_experiments_gives_several_files(
    hockney: RunHockney, tmp_path: Path
) -> None:
    (tmp_path / "imb.txt").write_text(logs.IMB_2021)
    refused = hockney.refused(
        "import", "imb.txt", "-o", "one.jsonl", because="3 experiments: sendrecv, barrier, ibcast"
    )
    assert "--only" in refused.stderr
    assert hockney("import", "imb.txt", "-o", "one.jsonl", "--only", "barrier").status == 0
    (tmp_path / "all").mkdir()
    assert hockney("import", "imb.txt", "-o", "all").status == 0
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == [
        "imb-barrier.jsonl",
        "imb-ibcast.jsonl",
        "imb-sendrecv.jsonl",
    ]
    assert hockney("import", "imb.txt", "--only", "scan").status == 2


def test_the_same_operation_with_other_options_has_a_name_of_its_own(
    hockney: RunHockney, tmp_path: Path
) -> None:
    other = logs.OSU_RATE.replace("window size: 64", "window size: 32")
    (tmp_path / "rate.log").write_text(logs.OSU_RATE + other)
    assert hockney("import", "rate.log").status == 0
    assert len(list(tmp_path.glob("rate-multi-bandwidth*.jsonl"))) == 2


def test_an_operations_name_does_not_leave_the_directory(
    hockney: RunHockney, tmp_path: Path
) -> None:
    (tmp_path / "csv.csv").write_text("operation,bytes,mean_s\n../../evil,8,1e-6\n")
    assert hockney("import", "csv.csv").status == 0
    assert [path.name for path in tmp_path.glob("*.jsonl")] == ["csv-..-..-evil.jsonl"]


def test_names_that_look_numbered_are_kept_apart(hockney: RunHockney, tmp_path: Path) -> None:
    operations = ("a b", "a+b", "a-b-2", "a-b")
    rows = "".join(f"{operation},8,1.5\n" for operation in operations)
    (tmp_path / "some.csv").write_text("operation,bytes,time_us\n" + rows)
    (tmp_path / "all").mkdir()
    assert hockney("import", "some.csv", "-o", "all").status == 0
    stored = [records.read(path).summaries[0].operation for path in (tmp_path / "all").iterdir()]
    assert sorted(stored) == sorted(operations)


def test_joined_logs_are_launches(hockney: RunHockney, tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"{number}.out").write_text(logs.OSU_5.replace("1.14", f"1.1{number}"))
    files = [f"{number}.out" for number in range(5)]
    assert hockney("import", "--join", *files, "-o", "five.jsonl").status == 0
    shown = hockney("show", "--json", "five.jsonl").json
    assert shown["run"]["launches"] == 5
    assert shown["points"][1]["launch_typical_s"] == [1.1e-6, 1.11e-6, 1.12e-6, 1.13e-6, 1.14e-6]
    assert shown["points"][1]["low_s"] == pytest.approx(1.1e-6)
    (tmp_path / "imb.txt").write_text(logs.IMB_2021)
    assert hockney("import", "--join", "0.out", "imb.txt", "-o", "x.jsonl").status == 2


def test_a_log_is_one_launch_however_often_it_is_named(hockney: RunHockney, tmp_path: Path) -> None:
    for name in ("a.out", "b.out"):
        (tmp_path / name).write_text(logs.OSU_5)
    refused = hockney("import", "--join", "a.out", "./a.out", "-o", "x.jsonl")
    assert (refused.status, "a.out is given twice" in refused.stderr) == (2, True)
    copied = hockney("import", "--join", "a.out", "b.out", "-o", "x.jsonl")
    assert "b.out has the same text as a.out" in copied.stderr


def test_what_is_wrong_with_a_log_is_told_with_its_line(
    hockney: RunHockney, tmp_path: Path
) -> None:
    (tmp_path / "cut.log").write_text(logs.OSU_7_2.replace("              3698.27\n", ""))
    done = hockney.ok("import", "cut.log")
    assert "middle of line 5, read up to there" in done.stderr
    assert "middle of line 5" in hockney("show", "cut-bandwidth.jsonl").stderr
    (tmp_path / "none.log").write_text("nothing\n")
    hockney.refused("import", "none.log", because="none.log: no table of a known format")


def test_what_the_log_does_not_tell_can_be_given(hockney: RunHockney, tmp_path: Path) -> None:
    (tmp_path / "stats").write_text(logs.DURHAM_STATISTICS)
    assert "--bytes" in hockney("import", "stats").stderr
    assert hockney("import", "stats", "--bytes", "1KiB").status == 0
    (tmp_path / "grid.csv").write_text(logs.CSV)
    assert "give it with --operation" in hockney("import", "grid.csv").stderr
    assert hockney("import", "grid.csv", "--operation", "bcast", "--label", "THIN").status == 0
    assert records.read(tmp_path / "grid-bcast.jsonl").label == "THIN"


def test_show_names_the_statistic_and_its_definition(hockney: RunHockney, imported: Path) -> None:
    done = hockney("show", str(imported))
    assert "imported from cluster.log: OSU MPI Latency Test 5.3.2" in done.stdout
    assert "  mean: whole loop over 2n, first rank" in done.stdout
    assert "103.43" in done.stdout
    assert "note    through each launch's mean" in done.stdout
    shown = hockney("show", "--json", str(imported)).json
    point = shown["points"][0]
    assert (point["statistic"], point["typical_s"], point["mean_s"]) == ("mean", 1.07e-6, 1.07e-6)
    assert (point["median_s"], point["launch_medians_s"], point["min_s"]) == (None, None, None)
    assert (shown["run"]["started"], shown["run"]["simulated"]) == (None, None)
    assert shown["statistics"][0]["value_s"] == 1.07e-6


def test_what_is_wrong_with_a_log_leaves_with_its_numbers(
    hockney: RunHockney, tmp_path: Path
) -> None:
    words = "it prints half the time per message of a stream, not of a ping-pong"
    (tmp_path / "itmo.log").write_text(logs.ITMO)
    assert hockney("import", "itmo.log", "-o", "itmo.jsonl").status == 0
    assert words in hockney("plot", "itmo.jsonl").stdout
    assert hockney("plot", "itmo.jsonl", "-o", "itmo.svg").status == 0
    small_print = re.findall(r"<!-- (.*?) -->", (tmp_path / "itmo.svg").read_text())
    assert any("half the time per message" in line for line in small_print)
    for layout in ("itmo", "csv"):
        assert words in hockney("export", "itmo.jsonl", "--to", layout).stderr
    assert hockney("export", "itmo.jsonl", "--to", "csv", "-o", "itmo.csv").status == 0
    rows = list(csv.DictReader((tmp_path / "itmo.csv").read_text().splitlines()))
    assert len(rows) == 3
    assert all(words in row["notes"] for row in rows)
    again = hockney("import", "itmo.csv", "-o", "again.jsonl")
    assert words in again.stderr
    first, second = (records.read(tmp_path / name) for name in ("itmo.jsonl", "again.jsonl"))
    assert first.header.source is not None
    assert second.header.source is not None
    assert second.header.source.notes == first.header.source.notes


def test_fit_plot_and_compare_work_on_imported_runs(
    hockney: RunHockney, imported: Path, tmp_path: Path
) -> None:
    fit = hockney("fit", "--json", str(imported)).json["fits"][0]
    assert fit["statistic"] == "mean"
    assert "through each launch's mean" in fit["notes"]
    for what in ("time", "bandwidth"):
        assert hockney("plot", str(imported), "--what", what, "-o", f"{what}.svg").status == 0
        assert (tmp_path / f"{what}.svg").exists()
    measured = write_run(make_run(lambda *_: [1100.0], sizes=(0, 1)), tmp_path / "own.jsonl")
    comparison = hockney("compare", str(measured), str(imported), "--json").json
    assert "unlike definitions" in comparison["comparisons"][0]["notes"][0]
    assert comparison["points"][0]["statistics"] == ["median", "mean"]
    assert comparison["points"][0]["other_median_s"] is None
    assert comparison["verdict"] == "unknown"
    assert (
        "median or mean of launches in us"
        in hockney("compare", str(measured), str(imported)).stdout
    )


def test_each_curve_of_a_run_is_fitted_and_drawn_on_its_own(
    hockney: RunHockney, tmp_path: Path
) -> None:
    (tmp_path / "nccl.log").write_text(logs.NCCL)
    assert hockney("import", "nccl.log").status == 0
    fits = hockney("fit", "--json", "nccl-all_reduce.jsonl").json["fits"]
    assert [fit["algorithm"] for fit in fits] == ["in-place", "out-of-place"]
    assert "nccl-all_reduce.jsonl): in-place" in hockney("fit", "nccl-all_reduce.jsonl").stdout
    hockney("plot", "nccl-all_reduce.jsonl", "-o", "x.svg")
    assert (tmp_path / "x.svg").exists()


def test_extremes_and_samples_that_are_not_known_are_refused(
    hockney: RunHockney, imported: Path
) -> None:
    hockney.refused("plot", str(imported), "--extremes", "-o", "x.png", because="--extremes: ")
    hockney.refused(
        "plot", str(imported), "--what", "samples", "-o", "x.png", because="no samples to draw"
    )


def test_export_to_a_file_and_to_a_pipe(
    hockney: RunHockney, imported: Path, tmp_path: Path
) -> None:
    piped = hockney("export", str(imported), "--to", "osu")
    assert piped.stdout.splitlines()[-1] == "1048576               103.43"
    assert hockney("export", str(imported), "--to", "csv", "-o", "x.csv").status == 0
    assert (tmp_path / "x.csv").read_text().count("\n") == 4
    assert hockney("export", str(imported), "--to", "csv", "-o", "x.csv").status == 2
    assert hockney("export", str(imported), "--to", "netpipe").status == 2

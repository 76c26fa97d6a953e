"""show, fit, plot and compare on files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conftest import RunHockney
from samples import make_run, write_run


@pytest.fixture
def file(tmp_path: Path) -> Path:
    run = make_run(
        lambda launch, _, size: [1000.0 + launch + 0.1 * size],
        sizes=(0, 8, 1024, 65536),
        handover_ns=lambda *_: 53.0,
    )
    return write_run(run, tmp_path / "a.jsonl")


def test_show_says_what_a_median_is(hockney: RunHockney, file: Path) -> None:
    done = hockney.ok("show", str(file), "--explain")
    assert "70 % confidence interval (95 % takes 18 launches)" in done.stdout
    assert (
        "core-to-core latency 53 ns (probably two cores that share a last-level cache)"
        in done.stdout
    )
    assert "one-way time in us; a sample is: time of k round trips, divided by 2k" in done.stdout
    assert "\n  median: the median over launches" in done.stdout
    assert "completion:" not in done.stdout  # a column of collectives
    table = hockney("show", str(file)).stdout
    assert "70 % interval" in table
    assert not [words for words in ("a sample is", "takes 18", "median:") if words in table]
    refused = hockney("show", str(file), "--explain", "--json")
    assert (refused.status, "--explain" in refused.stderr) == (2, True)


def test_a_ping_pong_of_all_sizes_takes_thirty_lines(hockney: RunHockney, tmp_path: Path) -> None:
    sizes = (0, *(1 << power for power in range(23)))
    run = make_run(lambda launch, *_: [1000.0 + 3 * launch], sizes=sizes)
    path = write_run(run, tmp_path / "run.jsonl")
    lines = hockney("show", str(path)).stdout.splitlines()
    lines = [line for line in lines if not line.startswith("published systems")]
    rows = [line for line in lines if re.match(r" *\d+ ", line)]
    assert len(rows) == len(sizes) == 24
    assert len(lines) <= 30  # and one on how many medians are precise, of a run with a plan
    assert sum(line.endswith("< latency") for line in lines) == 1
    assert sum(line.endswith("< bandwidth") for line in lines) == 1


def test_a_sample_that_is_not_the_usual_one_is_defined_above_the_table(
    hockney: RunHockney, tmp_path: Path
) -> None:
    run = make_run(lambda launch, *_: [1000.0 + launch])
    for launch in run.launches:
        launch.definition = "half of one round trip, larger of two ranks, returned buffers"
    done = hockney("show", str(write_run(run, tmp_path / "single.jsonl")))
    assert "\na sample is: half of one round trip" in done.stdout


def test_the_answer_is_the_first_line(hockney: RunHockney, file: Path) -> None:
    first, second, *_ = hockney("show", str(file)).stdout.splitlines()
    assert first == "latency 1.002 us ±0.2 % at 0 B, bandwidth 8.078 GiB/s ±0.0 % at 64 KiB"
    assert second == ""  # nothing was asked of this run, which no command line made


def test_a_warning_leads_to_more(hockney: RunHockney, file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-60])
    shown = hockney("show", str(file)).stderr.splitlines()
    assert shown[0].startswith("warning: incomplete")
    assert shown[-1] == f"more: hockney show {file} --diagnose"


def test_a_cut_file_is_shown_with_what_is_missing(hockney: RunHockney, file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-60])
    done = hockney.ok("show", str(file))
    assert "incomplete" in done.stderr


@pytest.mark.parametrize(
    ("run", "why"),
    [
        (Path("tests/recorded/osu_latency_gke_size128-pingpong.jsonl.zst"), "no samples"),
        (None, "no launch visited a point 12 times"),
    ],
)
def test_where_there_is_nothing_to_look_at_no_diagnosis_is_made(
    hockney: RunHockney, tmp_path: Path, run: Path | None, why: str
) -> None:
    """Statistics of another program, and a run of three rounds: nothing was searched."""
    file = run or write_run(make_run(lambda *_: [1000.0], rounds=3), tmp_path / "short.jsonl")
    path = str(file.absolute())
    said = hockney("show", path, "--diagnose").stdout
    assert "diagnosis: not possible, as " in said
    assert why in said
    shown = hockney("show", path, "--diagnose", "--json").json
    assert shown["diagnosis"] is None
    assert why in shown["diagnosis_not_possible"]


def test_diagnosis_is_told_and_in_the_json(hockney: RunHockney, tmp_path: Path) -> None:
    run = make_run(lambda _, round_, __: [2000.0 if round_ < 3 else 1000.0], rounds=40)
    path = write_run(run, tmp_path / "cold.jsonl")
    assert "cold start at 1 point" in hockney("show", "--diagnose", str(path)).stdout
    shown = hockney("show", "--diagnose", "--json", str(path)).json
    assert shown["diagnosis"][0]["what"] == "cold start"


@pytest.mark.parametrize("verb", [["show"], ["fit"], ["plot", "-o", "x.png"], ["compare"]])
@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("# OSU MPI Latency Test\n", "not a result file"),
        ("", "empty"),
        (None, "no such file"),
        ('{"kind":"run","schema":9}\n', "version 9"),
    ],
)
def test_what_is_no_result_file_is_refused_by_every_verb(
    hockney: RunHockney, tmp_path: Path, verb: list[str], content: str | None, complaint: str
) -> None:
    if content is not None:
        (tmp_path / "odd.jsonl").write_text(content)
    files = ["odd.jsonl"] * (2 if verb == ["compare"] else 1)
    hockney.refused(*verb, *files, because=complaint)


def test_fit_gives_alpha_and_beta(hockney: RunHockney, file: Path) -> None:
    (line,) = hockney("fit", str(file), "--json").json["fits"]
    assert line["parameters"]["alpha_s"]["value"] == pytest.approx(1.002e-6, rel=1e-6)
    assert line["parameters"]["beta_s_per_B"]["value"] == pytest.approx(1e-10, rel=1e-6)
    assert line["parameters"]["alpha_s"]["low"] <= 1.002e-6
    assert "alpha" in hockney("fit", str(file)).stdout
    assert hockney("fit", "--ordinary", str(file)).status == 0


def test_compare_judges_by_its_exit_status(hockney: RunHockney, file: Path, tmp_path: Path) -> None:
    slow = make_run(
        lambda launch, _, size: [1200.0 + launch + 0.12 * size],
        sizes=(0, 8, 1024, 65536),
        handover_ns=lambda *_: 53.0,
    )
    other = str(write_run(slow, tmp_path / "b.jsonl"))
    done = hockney("compare", str(file), other, "-o", "ratio.png")
    assert done.status == 1
    assert "as a whole, B against A: slower (ratio 1.2" in done.stdout
    assert (tmp_path / "ratio.png").stat().st_size > 10000
    assert hockney("compare", other, str(file)).status == 0
    assert hockney("compare", str(file), other, "--tolerance", "30%").status == 0
    result = hockney("compare", str(file), other, other, "--json").json
    assert result["verdict"] == "slower"
    assert len(result["comparisons"]) == 2
    assert {"ratio", "low", "high", "p", "verdict"} <= set(result["points"][0])


def test_different_experiments_are_not_compared(
    hockney: RunHockney, file: Path, tmp_path: Path
) -> None:
    text = file.read_text().replace('"experiment":"pingpong"', '"experiment":"bcast"')
    (tmp_path / "bcast.jsonl").write_text(text)
    hockney.refused("compare", str(file), "bcast.jsonl", because="different experiments")


def test_the_answer_has_the_largest_bandwidth_and_where_it_is(
    hockney: RunHockney, tmp_path: Path
) -> None:
    """The largest size leaves the cache, and has a seventh of it."""
    run = make_run(
        lambda launch, _, size: [(1000.0 + size * (0.1 if size < 2**20 else 0.7)) + launch],
        sizes=(8, 2**18, 2**20),
    )
    shown = hockney("show", str(write_run(run, tmp_path / "cache.jsonl"))).stdout
    answer = next(line for line in shown.splitlines() if line.startswith("latency"))
    assert "bandwidth 8.97 GiB/s" in answer
    assert "at 256 KiB (1.329 GiB/s at 1 MiB)" in answer


def test_a_line_through_two_sizes_is_not_ranked(hockney: RunHockney, tmp_path: Path) -> None:
    run = make_run(lambda launch, _, size: [1000.0 + 0.1 * size + launch], sizes=(8, 1024))
    file = str(write_run(run, tmp_path / "two.jsonl"))
    shown = hockney("show", file, "--json").json
    assert shown["fits"][0]["derived"]["r_inf_Bps"]["value"] is None
    assert shown["fits"][0]["error"]["max"] is None
    ranked = {number["quantity"] for number in (shown["published"] or {}).get("numbers", ())}
    assert ranked <= {"time_s"}


def test_commands_in_notes_can_be_pasted_into_a_shell(hockney: RunHockney, tmp_path: Path) -> None:
    write_run(make_run(lambda *_: [1000.0], launches=2), tmp_path / "my run.jsonl")
    assert "more: hockney show 'my run.jsonl' --diagnose" in hockney("show", "my run.jsonl").stderr
    imported = hockney("import", "my run.jsonl", "-o", "other.jsonl")
    assert "hockney show 'my run.jsonl'" in imported.stderr

"""history: directories in, a verdict, JSON, OpenMetrics and a figure out."""

from __future__ import annotations

import csv
import json
import resource
from datetime import timedelta
from pathlib import Path

import pytest
import yaml
from msgspec.structs import replace
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as prometheus

from conftest import RunHockney
from samples import FIRST_DAY, night_run, past_run, varied_run, write_run

NASTY = 'a "quoted"\\ {label}'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twenty runs, the last eight of them slower."""
    folder = tmp_path / "runs"
    folder.mkdir()
    for day in range(20):
        slow = day >= 12
        run = past_run(
            day,
            (1.3 if slow else 1.0) + day / 1e4,
            label=NASTY,
            environment={"kernel": "6.9" if slow else "6.1"},
        )
        write_run(run, folder / f"{day:02}.jsonl")
    return folder


def test_a_change_is_told_with_its_date_and_cause(hockney: RunHockney, folder: Path) -> None:
    done = hockney("history", str(folder), "--explain")
    assert done.status == 1
    assert "change point at 2026-01-13 00:00:00: 1.3" in done.stdout
    assert "kernel: 6.1 -> 6.9" in done.stdout
    assert "rule: the level changes where" in done.stdout
    assert hockney("history", str(folder), "--tolerance", "40%").status == 0
    assert hockney("history", str(folder), "--since", "2026-01-13").status == 0


def test_the_rules_of_verdicts_are_for_those_who_ask(hockney: RunHockney, folder: Path) -> None:
    files = [str(folder / f"{day:02}.jsonl") for day in (0, 19)]
    for words, rule in ((("history", str(folder)), "rule: "), (("compare", *files), "rank-sum")):
        assert rule not in hockney(*words).stdout
        assert rule in hockney(*words, "--explain").stdout


def test_json_says_the_same(hockney: RunHockney, folder: Path) -> None:
    result = hockney("history", str(folder), "--json").json
    (system,) = result["systems"]
    assert result["worse"]
    latency, bandwidth = system["trends"]
    assert [change["index"] for change in latency["changes"]] == [12]
    assert latency["changes"][0]["started"] == "2026-01-13T00:00:00+00:00"
    assert bandwidth["changes"][0]["ratio"] == pytest.approx(1 / 1.3, rel=0.01)
    assert len(latency["points"]) == 20


def test_openmetrics_is_read_by_prometheus(hockney: RunHockney, folder: Path) -> None:
    text = hockney("history", str(folder), "--openmetrics").stdout
    families = {family.name: family for family in openmetrics(text)}
    times = {sample.labels["what"]: sample for sample in families["hockney_time_seconds"].samples}
    assert times["value"].value == pytest.approx(1.304e-6, rel=0.01)
    assert times["low"].value <= times["value"].value <= times["high"].value
    assert times["value"].labels["system"] == f"pingpong, {NASTY}"
    (worse,) = families["hockney_worse"].samples
    assert worse.value == 1
    assert {family.name for family in prometheus(text)} == set(families)


def test_what_the_newest_run_shows_by_itself_is_not_accepted(
    hockney: RunHockney, tmp_path: Path
) -> None:
    """A history follows the median pair, which is no slow node's."""
    for day in range(8):
        write_run(night_run(day, *([6] if day == 5 else [])), tmp_path / f"{day:02}.jsonl")
    done = hockney("history", ".")
    assert (done.status, done.stdout.splitlines()[0]) == (0, "verdict: ACCEPTED")
    write_run(night_run(8, 6), tmp_path / "08.jsonl")
    done = hockney("history", ".")
    first, second, *rest = done.stdout.splitlines()
    assert (done.status, first) == (1, "verdict: NOT ACCEPTED")
    assert "08.jsonl: node n6 is slow: 3 times at 8 B" in second
    assert any(line.startswith("the newest run by itself: node n6 is slow") for line in rest)
    assert any("n0 and 7 more: 9 runs" in line for line in rest)
    assert "n0 and n1" not in done.stdout
    assert "time at 8 B, median of 28 points" in done.stdout
    shown = hockney("history", ".", "--json").json
    assert shown["systems"][0]["newest_failed"]
    assert shown["verdict"]["findings"][0]["names"] == ["n6"]
    assert not shown["worse"]
    text = hockney("history", ".", "--openmetrics").stdout
    families = {family.name: family for family in openmetrics(text)}
    (failed,) = families["hockney_last_run_failed"].samples
    assert (failed.value, "n0 and 7 more" in failed.labels["system"]) == (1, True)
    (outlier,) = families["hockney_last_run_outlier"].samples
    assert (outlier.labels["name"], outlier.labels["what"]) == ("n6", "node n6 is slow")
    assert "n0 and n1" not in text


def test_a_newest_run_that_measured_nothing_is_not_judged(
    hockney: RunHockney, tmp_path: Path
) -> None:
    """It was left out, and the history accepted; an older one is only left out."""
    for day in range(12):
        write_run(past_run(day), tmp_path / f"{day:02}.jsonl")
    for day, status in ((4, 0), (12, 3)):
        run = past_run(day)
        run.samples = type(run.samples)()
        write_run(run, tmp_path / f"{day:02}.jsonl")
        done = hockney("history", ".")
        assert (done.status, f"left out: {day:02}.jsonl" in done.stderr) == (status, True)
    assert done.stdout.splitlines()[:2] == [
        "verdict: NOT JUDGED",
        "  the newest run, 12.jsonl: nothing was measured; to do: measure it again",
    ]


def test_a_failed_limit_of_the_plan_is_no_outlier(hockney: RunHockney, tmp_path: Path) -> None:
    """It was one without a name of what is slow."""
    for day in range(3):
        run = varied_run(16, {"one": 1.0, "two": 1.5}, gate=0.1)
        started = (FIRST_DAY + timedelta(days=day)).isoformat()
        run.header = replace(run.header, id=f"night {day}", started=started)
        write_run(run, tmp_path / f"{day}.jsonl")
    text = hockney("history", ".", "--openmetrics").stdout
    families = {family.name: family for family in openmetrics(text)}
    assert [sample.value for sample in families["hockney_last_run_failed"].samples] == [1]
    assert "hockney_last_run_outlier" not in families


def test_otava_finds_each_column_that_its_configuration_names(
    hockney: RunHockney, folder: Path, tmp_path: Path
) -> None:
    write_run(past_run(30, label="other: system"), folder / "other.jsonl")
    done = hockney("history", str(folder), "--otava", "otava")
    assert done.status == 1, "the last runs are worse"
    tests = yaml.safe_load((tmp_path / "otava" / "otava.yaml").read_text())["tests"]
    assert list(tests) == ["pingpong_a_quoted_label", "pingpong_other_system"]
    first = tests["pingpong_a_quoted_label"]
    with (tmp_path / first["file"]).open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 20
    assert {first["time_column"], *first["attributes"]} < set(rows[0])
    columns = {metric["column"]: metric["direction"] for metric in first["metrics"].values()}
    assert columns == {
        "time_0B_us": -1,
        "time_8B_us": -1,
        "time_65536B_us": -1,
        "bandwidth_65536B_MBps": 1,
    }
    assert [float(row["time_8B_us"]) for row in rows[11:13]] == pytest.approx([1.0031, 1.3032])
    assert float(rows[0]["bandwidth_65536B_MBps"]) == pytest.approx(65536 / 1.002)
    again = hockney("history", str(folder), "--otava", "otava")
    assert (again.status, "exists" in again.stderr) == (2, True)


def test_it_is_drawn(hockney: RunHockney, folder: Path, tmp_path: Path) -> None:
    hockney("history", str(folder), "-o", "history.png")
    assert (tmp_path / "history.png").stat().st_size > 10000
    done = hockney("history", str(folder), "-o", "history.png")
    assert (done.status, "exists" in done.stderr) == (2, True)


def test_files_that_are_no_results_are_told_and_left_out(hockney: RunHockney, folder: Path) -> None:
    (folder / "odd.jsonl").write_text("# a log\n")
    done = hockney.ok("history", str(folder), "--since", "2026-01-13")
    assert "left out: " in done.stderr
    assert "odd.jsonl: not a result file" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["absent.jsonl"], "no run to show"),
        (["empty"], "no *.jsonl"),
        (["runs", "--json", "--openmetrics"], "not both"),
        (["runs", "--sql", "SELECT 1", "--openmetrics"], "--sql alone"),
        (["runs", "--index", "runs/00.jsonl"], "no index of hockney"),
        (["runs", "--since", "2030-01-01"], "no run to show"),
        ([], "Missing argument"),
    ],
)
def test_what_is_asked_wrongly_is_told(
    hockney: RunHockney, folder: Path, tmp_path: Path, arguments: list[str], complaint: str
) -> None:
    assert folder.exists()
    (tmp_path / "empty").mkdir()
    hockney.refused("history", *arguments, because=complaint)


def test_show_sets_a_run_beside_its_past(hockney: RunHockney, folder: Path) -> None:
    last = str(folder / "19.jsonl")
    shown = hockney("show", last, "--history", str(folder)).stdout
    assert "19 of 19 earlier runs of this system were lower" in shown
    result = hockney("show", last, "--history", str(folder), "--json").json
    assert result["positions"]["past"][0]["earlier"] == 19
    assert result["positions"]["transport"] == "shared memory"


@pytest.mark.long
def test_own_systems_are_published(hockney: RunHockney, folder: Path, tmp_path: Path) -> None:
    """Twice the same system is one entry."""
    env = {"HOCKNEY_PUBLISHED": str(tmp_path / "share" / "own.json")}
    for _ in range(2):
        done = hockney("history", str(folder), "--publish", env=env)
        assert (done.status, done.stderr) == (0, "")
        assert f"own.json: {NASTY}, shared memory, " in done.stdout
    [entry] = json.loads((tmp_path / "share" / "own.json").read_text())
    assert entry["system"] == NASTY
    (tmp_path / "share" / "own.json").write_text("{}")
    hockney.refused(
        "history", str(folder), "--publish", env=env, because="no base of published systems"
    )


def test_what_is_asked_for_beside_publishing_is_done(
    hockney: RunHockney, folder: Path, tmp_path: Path
) -> None:
    env = {"HOCKNEY_PUBLISHED": str(tmp_path / "own.json")}
    for words in (("-o", "trend.png"), ("--openmetrics",), ("--otava", "otava"), ("--json",)):
        done = hockney("history", str(folder), "--publish", *words, env=env)
        assert done.status == 1, "the last runs are worse"
        is_read = words[0] in ("--openmetrics", "--json")
        assert "own.json: " in (done.stderr if is_read else done.stdout)
    assert (tmp_path / "trend.png").exists()
    text = hockney("history", str(folder), "--publish", "--openmetrics", env=env).stdout
    assert text == hockney("history", str(folder), "--openmetrics").stdout


def test_a_full_disk_leaves_the_own_systems_as_they_were(
    hockney: RunHockney, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The base is replaced as a whole, and is the user's alone."""
    base = tmp_path / "data" / "hockney" / "published.json"
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    words = ("history", str(folder / "00.jsonl"), "--publish")
    hockney.ok(*words)
    before = base.read_bytes()
    assert base.stat().st_mode & 0o077 == 0
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        done = hockney(*words, process=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert done.status == 1
    assert "published.json cannot be written" in done.stderr
    assert [path.name for path in base.parent.iterdir()] == [base.name]
    assert base.read_bytes() == before

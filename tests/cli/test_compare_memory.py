"""`hockney compare` with the memory of a host, and what it would take to show a difference."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import numpy as np
import pytest

from collective_samples import collective_run
from conftest import RunHockney
from hockney.base.errors import HockneyError
from hockney.cli import _memory
from hockney.cli._memory import NAME
from hockney.infer.memory.host import read_memory
from hockney.records import Place, Run
from samples import make_run, write_run

NOT_KNOWN = "how much runs of this host differ is not known: assumed"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another test's history would be a memory."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def a_run(number: int, factor: float = 1.0) -> Run:
    rng = np.random.default_rng(number)
    levels = factor * rng.lognormal(sigma=0.01) * rng.lognormal(sigma=0.01, size=10)
    run = make_run(lambda launch, _, size: [levels[launch] * (1e3 + size)] * 3, launches=10)
    started = f"2026-11-{number + 1:02}T00:00:00+00:00"
    run.header = msgspec.structs.replace(run.header, id=f"run {number}", started=started)
    return run


def elsewhere(run: Run) -> Run:
    """The same run on another host."""
    for launch in run.launches:
        launch.places = [Place(rank=rank, host="there") for rank in (0, 1)]
    return run


@pytest.fixture
def compared(tmp_path: Path) -> list[str]:
    """Two runs, the second 6 % slower, and the directory `past` of five earlier ones."""
    (tmp_path / "new").mkdir()
    (tmp_path / "past").mkdir()
    for number in range(5):
        write_run(a_run(number), tmp_path / "past" / f"{number}.jsonl")
    both = {"a": a_run(10), "b": a_run(11, 1.06)}
    return [str(write_run(run, tmp_path / "new" / f"{name}.jsonl")) for name, run in both.items()]


def test_without_an_earlier_run_the_prior_is_said(hockney: RunHockney, compared: list[str]) -> None:
    done = hockney("compare", *compared)
    assert NOT_KNOWN in done.stdout
    assert "(prior, 90 %:" in done.stdout
    (comparison,) = hockney("compare", *compared, "--json").json["comparisons"]
    assert comparison["between_runs"]["runs"] == 0
    assert comparison["between_runs"]["low"] < comparison["between_runs"]["deviation"]
    assert comparison["overall"]["found_in_80"] > comparison["overall"]["smallest_difference"] > 0.0


def test_one_earlier_run_is_a_memory(
    hockney: RunHockney, compared: list[str], tmp_path: Path
) -> None:
    for number in range(1, 5):
        (tmp_path / "past" / f"{number}.jsonl").unlink()
    done = hockney("compare", *compared, "--history", str(tmp_path / "past"))
    assert "from 2 runs" in done.stdout


def test_a_directory_keeps_its_memory_and_makes_it_again(
    hockney: RunHockney, compared: list[str], tmp_path: Path
) -> None:
    past = tmp_path / "past"
    memory = past / NAME
    first = hockney("compare", *compared, "--memory", str(past))
    assert "from 6 runs" in first.stdout
    assert "6 runs added, 6 in all" in first.stderr
    again = hockney("compare", *compared, "--memory", str(past))
    assert again.stdout == first.stdout
    assert "added" not in again.stderr
    memory.write_bytes(memory.read_bytes().replace(b'"launches"', b'"lunches"')[:-30])
    mended = hockney("compare", *compared, "--memory", str(past))
    assert mended.stdout == first.stdout
    assert "it is made again of the runs beside it" in mended.stderr
    assert hockney("compare", *compared, "--memory", str(memory)).stdout == first.stdout


def test_a_memory_is_carried_without_its_runs(
    hockney: RunHockney, compared: list[str], tmp_path: Path
) -> None:
    hockney("compare", *compared, "--memory", str(tmp_path / "past"))
    (tmp_path / "carried").mkdir()
    carried = tmp_path / "carried" / "host.json"
    (tmp_path / "past" / NAME).rename(carried)
    assert "from 6 runs" in hockney("compare", *compared, "--memory", str(carried)).stdout
    carried.write_bytes(carried.read_bytes()[:-30])
    refused = hockney("compare", *compared, "--memory", str(carried))
    assert "is damaged, and no runs are beside it" in refused.stderr


def test_no_other_file_is_replaced(hockney: RunHockney, compared: list[str]) -> None:
    before = Path(compared[0]).read_bytes()
    refused = hockney("compare", *compared, "--memory", compared[0])
    assert "is no memory of hockney" in refused.stderr
    assert Path(compared[0]).read_bytes() == before


def test_runs_of_another_host_are_left_out_and_counted(
    hockney: RunHockney, compared: list[str], tmp_path: Path
) -> None:
    for number in range(5, 7):
        write_run(elsewhere(a_run(number)), tmp_path / "past" / f"{number}.jsonl")
    done = hockney("compare", *compared, "--memory", str(tmp_path / "past"))
    assert "earlier runs left out: 2 on other hosts" in done.stderr
    assert "from 6 runs" in done.stdout


def test_a_history_that_shows_nothing_is_not_dropped_silently(
    hockney: RunHockney, compared: list[str], tmp_path: Path
) -> None:
    """One that is not there, and one whose runs have another label."""
    hockney.refused("compare", *compared, "--history", str(tmp_path / "nowhere"), because="nowhere")
    other = a_run(9)
    other.header = msgspec.structs.replace(other.header, label="elsewhere")
    (tmp_path / "others").mkdir()
    write_run(other, tmp_path / "others" / "9.jsonl")
    done = hockney("compare", *compared, "--history", str(tmp_path / "others"))
    assert "no other run there has the same plan and label; none is used" in done.stderr
    (tmp_path / "past" / "none.jsonl").write_text("{}\n")
    used = hockney("compare", *compared, "--history", str(tmp_path / "past"))
    assert "none is used" not in used.stderr
    assert used.stderr.count("none.jsonl") == 1


def test_what_history_has_read_is_the_usual_memory(
    hockney: RunHockney, compared: list[str], tmp_path: Path
) -> None:
    for number in range(5):
        write_run(a_run(number), tmp_path / "past" / f"{number}.jsonl")
    hockney("history", str(tmp_path / "past"))
    assert "from 6 runs" in hockney("compare", *compared).stdout


def test_a_plan_says_what_limits(hockney: RunHockney, compared: list[str], tmp_path: Path) -> None:
    past = ["--memory", str(tmp_path / "past")]
    small = hockney("compare", *compared, *past, "--plan", "0.5%").stdout
    assert "more launches do not help: equal runs differ" in small
    assert "both in one run with --vary: about" in small
    large = hockney("compare", *compared, *past, "--plan", "20%").stdout
    assert "launches of each run (they have 10 and 10)" in large
    done = hockney("compare", *compared, *past, "--plan", "0.5%", "--json")
    (comparison,) = done.json["comparisons"]
    assert comparison["plan"]["launches"] is None
    assert comparison["plan"]["least_by_launches"] > 0.005
    assert comparison["plan"]["blocks"] >= 8


def test_show_says_where_the_next_runs_interval_is_from(
    hockney: RunHockney, compared: list[str], tmp_path: Path
) -> None:
    (tmp_path / "alone").mkdir()
    alone = str(Path(compared[0]).rename(tmp_path / "alone" / "a.jsonl"))
    assumed = hockney("show", alone)
    assert "assumed, as no earlier run of this host is known" in assumed.stdout
    (wide,) = hockney("show", alone, "--json").json["next_run"][:1]
    past = ["--memory", str(tmp_path / "past")]
    known = hockney("show", alone, *past)
    assert "interval of other runs: from 5 earlier runs of this host" in known.stdout
    by_history = hockney("show", alone, "--history", str(tmp_path / "past"))
    assert by_history.stdout.startswith(known.stdout[: known.stdout.index("published")])
    kept = hockney("show", alone, "--memory", str(tmp_path / "past" / NAME))
    assert kept.stdout == known.stdout
    (narrow,) = hockney("show", alone, "--json", *past).json["next_run"][:1]
    assert (wide["runs"], narrow["runs"]) == (1, 6)
    assert narrow["high_s"] / narrow["low_s"] < wide["high_s"] / wide["low_s"]


def test_show_takes_no_damaged_memory_and_counts_what_it_leaves_out(
    hockney: RunHockney, compared: list[str], tmp_path: Path
) -> None:
    (tmp_path / "alone").mkdir()
    alone = str(Path(compared[0]).rename(tmp_path / "alone" / "a.jsonl"))
    write_run(elsewhere(a_run(7)), tmp_path / "past" / "7.jsonl")
    shown = hockney("show", alone, "--memory", str(tmp_path / "past"))
    assert "5 earlier runs of this host; earlier runs left out: 1 on other hosts" in shown.stdout
    carried = (tmp_path / "past" / NAME).rename(tmp_path / "alone" / "host.json")
    whole = carried.read_bytes()
    carried.write_bytes(whole.replace(b'"launches"', b'"lunches"')[:-30])
    Path(alone).rename(tmp_path / "a.jsonl")
    hockney.refused(
        *("show", str(tmp_path / "a.jsonl"), "--memory", str(carried)),
        because="is damaged, and no runs are beside it",
    )
    carried.write_bytes(whole.replace(b'"hockney_memory":1', b'"hockney_memory":2'))
    newer = hockney("show", str(tmp_path / "a.jsonl"), "--memory", str(carried))
    assert "of version 2, and this hockney knows 1" in newer.stderr


def test_a_reference_draws_on_the_memory(
    hockney: RunHockney, compared: list[str], tmp_path: Path
) -> None:
    write_run(elsewhere(a_run(7)), tmp_path / "past" / "7.jsonl")
    done = hockney(
        "export", compared[0], "--to", "reframe-references", "--memory", str(tmp_path / "past")
    )
    assert "note: earlier runs left out: 1 on other hosts" in done.stderr
    assert "the median of another run, from 7 runs" in done.stdout


def test_explain_draws_on_the_memory(
    hockney: RunHockney, compared: list[str], tmp_path: Path
) -> None:
    alone = hockney("explain", *compared, "--json").json
    write_run(elsewhere(a_run(7)), tmp_path / "past" / "7.jsonl")
    done = hockney("explain", *compared, "--json", "--memory", str(tmp_path / "past"))
    assert "note: earlier runs left out: 1 on other hosts" in done.stderr
    known = done.json
    widths = [
        explanation["points"][0]["high"] / explanation["points"][0]["low"]
        for explanation in (alone, known)
    ]
    assert widths[1] < widths[0]


def test_a_report_draws_on_the_memory(
    hockney: RunHockney, compared: list[str], tmp_path: Path
) -> None:
    widths = []
    for more in ((), ("--history", str(tmp_path / "past"))):
        hockney.ok("report", *compared, *more, "-o", "page.html", "--force")
        page = (tmp_path / "page.html").read_text()
        low, high = re.findall(r"ratio 1\.0\d+, ([\d.]+) to ([\d.]+)\)", page)[0]
        widths.append(float(high) - float(low))
    assert widths[1] < widths[0]


def test_a_map_of_two_files_draws_on_the_memory(hockney: RunHockney, tmp_path: Path) -> None:
    """The binomial is 5 % faster, which two runs that may differ do not show."""

    def write(name: str, *algorithms: str) -> None:
        run = collective_run(
            lambda _, name, *__: 0.95e-5 if name == "binomial" else 1e-5,
            algorithms={algorithm: {} for algorithm in algorithms},
            launches=8,
            spread=0.05,
        )
        run.header = msgspec.structs.replace(run.header, id=name)
        write_run(run, tmp_path / f"{name}.jsonl")

    write("one", "default")
    write("other", "binomial")
    words = ("plot", "one.jsonl", "other.jsonl", "--what", "collective-best")
    alone = hockney.ok(*words)
    for number in range(8):
        write(str(number), "default", "binomial")
    assert ("binomial" in alone.stdout, "binomial" in hockney(*words).stdout) == (False, True)


def test_a_run_that_is_slower_is_not_remembered_and_another_is(
    hockney: RunHockney, compared: list[str], tmp_path: Path
) -> None:
    memory = tmp_path / "carried.json"
    slower = hockney("compare", *compared, "--memory", str(memory))
    assert slower.status == 1
    before = len(read_memory(memory))
    assert hockney("compare", *reversed(compared), "--memory", str(memory)).status == 0
    assert len(read_memory(memory)) == before + 1


def test_a_memory_that_cannot_be_written_costs_no_verdict(
    hockney: RunHockney, compared: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise HockneyError("No space left on device")

    monkeypatch.setattr(_memory, "write_output", full)
    done = hockney.ok("compare", *reversed(compared), "--memory", str(tmp_path / "carried.json"))
    assert "faster" in done.stdout
    assert "No space left on device; this run is not remembered" in done.stderr

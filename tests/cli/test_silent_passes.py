"""What could not be judged is said, and never passes."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import timedelta
from itertools import combinations
from pathlib import Path

import msgspec
import pytest

from collective_samples import collective_run
from conftest import RunHockney
from hockney.records import Run
from samples import FIRST_DAY, make_pairs_run, make_run, one_a_node, varied_run, write_run

SIZES = (8, 1024)


def planted(
    path: Path,
    day: int,
    factor: float = 1.0,
    sizes: tuple[int, ...] = SIZES,
    id: str = "",
    launches: int = 8,
) -> Path:
    run: Run = make_run(
        lambda launch, _, size: [factor * (1000.0 + size) * (1 + 0.001 * launch)],
        launches=launches,
        sizes=sizes,
        rounds=2,
    )
    started = (FIRST_DAY + timedelta(days=day)).isoformat()
    run.header = msgspec.structs.replace(run.header, id=id or path.name, started=started)
    return write_run(run, path)


def test_a_copy_of_a_run_is_no_run_of_a_history(hockney: RunHockney, tmp_path: Path) -> None:
    """One slow run is not judged, however often its file was copied."""
    (tmp_path / "past").mkdir()
    for day in range(9):
        planted(tmp_path / "past" / f"r{day}.jsonl", day, 1.0 + 0.001 * (day % 3))
    for name in ("r9", "r9-copy", "r9-old"):
        planted(tmp_path / "past" / f"{name}.jsonl", 9, 1.3, id="one")
    done = hockney("history", "past")
    assert done.status == 0, done.stdout + done.stderr
    assert done.stderr.count("the same run as past/r9") == 2
    assert "NOT ACCEPTED" not in done.stdout


@pytest.mark.parametrize(
    "sizes_of",
    [
        pytest.param(lambda day: (8, 16) if day % 2 else (32, 64), id="none in common"),
        pytest.param(lambda day: SIZES if day < 8 else (16, 4096), id="the last ones differ"),
    ],
)
def test_a_history_that_leaves_its_last_run_out_is_not_judged(
    hockney: RunHockney, tmp_path: Path, sizes_of: Callable[[int], tuple[int, ...]]
) -> None:
    (tmp_path / "past").mkdir()
    for day in range(14):
        planted(tmp_path / "past" / f"{day:02}.jsonl", day, 1.0 + 0.001 * (day % 3), sizes_of(day))
    done = hockney("history", "past")
    assert done.status == 3, done.stdout + done.stderr
    assert "runs are left out, the last too" in done.stdout


def test_a_history_whose_last_file_is_not_whole_is_not_judged(
    hockney: RunHockney, tmp_path: Path
) -> None:
    """One that is older is only warned of: runs after it show how the system is."""
    (tmp_path / "past").mkdir()
    for day in range(14):
        planted(tmp_path / "past" / f"{day:02}.jsonl", day, 1.0 + 0.001 * (day % 3))
    for day, status in ((5, 0), (13, 3)):
        path = tmp_path / "past" / f"{day:02}.jsonl"
        path.write_bytes(path.read_bytes()[:-40])
        done = hockney("history", "past")
        assert done.status == status, done.stdout + done.stderr
        assert f"past/{day:02}.jsonl: " in done.stderr
    assert "NOT JUDGED" in done.stdout
    assert "13.jsonl is not whole" in done.stdout


def test_no_gate_passes_by_a_file_that_is_not_whole(hockney: RunHockney, tmp_path: Path) -> None:
    pairs = [[pair] for pair in combinations(range(8), 2)]
    whole = write_run(make_pairs_run(lambda *_: [1e3], pairs, one_a_node(8)), tmp_path / "a.jsonl")
    assert hockney("show", "a.jsonl", "--gate").status == 0
    whole.write_bytes(whole.read_bytes()[:-20])
    done = hockney("show", "a.jsonl", "--gate")
    assert done.status == 3
    assert done.stdout.startswith("gate: NOT JUDGED: a.jsonl is not whole: line ")


def test_no_gate_of_variants_passes_by_a_file_that_is_not_whole(
    hockney: RunHockney, tmp_path: Path
) -> None:
    path = write_run(varied_run(16, {"one": 1.0, "two": 1.0}, gate=0.1), tmp_path / "v.jsonl")
    assert hockney("compare", "v.jsonl", "--gate", "10%").status == 0
    path.write_bytes(path.read_bytes()[:-20])
    done = hockney("compare", "v.jsonl", "--gate", "10%")
    assert done.status == 3
    assert done.stdout.startswith("gate: NOT JUDGED: v.jsonl is not whole: line ")


def test_what_otava_does_not_get_is_said(hockney: RunHockney, tmp_path: Path) -> None:
    (tmp_path / "past").mkdir()
    for day in range(4):
        planted(tmp_path / "past" / f"{day}.jsonl", day, sizes=((8, 16), (32, 64))[day % 2])
    done = hockney("history", "past", "--otava", "otava")
    assert "no size is in all 4 runs of pingpong, unknown MPI, here: it has no file" in done.stderr
    planted(tmp_path / "past" / "0.jsonl", 0, sizes=(8, 32, 64))
    planted(tmp_path / "past" / "2.jsonl", 2, sizes=(16, 32))
    done = hockney("history", "past", "--otava", "otava", "--force")
    assert "1 of 3 numbers of pingpong, unknown MPI, here are not in all of its" in done.stderr
    assert "32B" in (tmp_path / "otava" / "pingpong_unknown_MPI_here.csv").read_text()


@pytest.mark.parametrize("same", [True, False])
def test_files_of_two_runs_are_not_read_as_one(
    hockney: RunHockney, tmp_path: Path, same: bool
) -> None:
    first = planted(tmp_path / "a.jsonl", 0, 1.0, id="one")
    second = planted(tmp_path / "b.jsonl", 1, 3.0, id="one" if same else "two")
    (tmp_path / "both.jsonl").write_bytes(first.read_bytes() + second.read_bytes())
    done = hockney("show", "both.jsonl")
    assert done.status == 2
    which = "the same run twice" if same else "several runs"
    assert f"both.jsonl: holds {which}, one after the other" in done.stderr


def test_points_that_are_not_common_are_named_by_what_keeps_them_apart(
    hockney: RunHockney, tmp_path: Path
) -> None:
    first = planted(tmp_path / "a.jsonl", 0)
    run = first.read_text()
    (tmp_path / "b.jsonl").write_text(run.replace('"mode":"standard"', '"mode":"synchronous"'))
    done = hockney("compare", "a.jsonl", "b.jsonl")
    assert "the two runs have no mode in common: standard and synchronous" in done.stderr
    assert "simulated runs do not drift" not in done.stdout


def test_launches_that_failed_are_said_whenever_their_run_is_shown(
    hockney: RunHockney, tmp_path: Path
) -> None:
    path = planted(tmp_path / "run.jsonl", 0)
    assert "failed" not in hockney("show", "run.jsonl").stderr
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    (end,) = (line for line in lines if line["kind"] == "end" and line["launch"] == 3)
    end |= {"reason": "failed", "message": "boom"}
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    done = hockney("show", "run.jsonl")
    assert "failed: 1 of 8 launches ended badly: boom" in done.stderr


ALGORITHMS = ("binomial", "chain", "default")


def past_of(
    folder: Path, seconds: Callable[[str, int], float], algorithms: Callable[[int], Sequence[str]]
) -> None:
    """Fourteen days, each with these algorithms, whose time of a day is seconds(algorithm, day)."""
    folder.mkdir()
    for day in range(14):
        run = collective_run(
            lambda _, algorithm, *__: seconds(algorithm, day) * (1 + 0.001 * (day % 3)),  # noqa: B023
            algorithms={name: {} for name in algorithms(day)},
            ranks=(2,),
            sizes=SIZES,
        )
        started = (FIRST_DAY + timedelta(days=day)).isoformat()
        run.header = msgspec.structs.replace(run.header, id=str(day), started=started)
        write_run(run, folder / f"{day}.jsonl")


def test_one_of_several_algorithms_that_became_slow_is_found(
    hockney: RunHockney, tmp_path: Path
) -> None:
    """Of three: their median is as before."""
    past_of(
        tmp_path / "past",
        lambda algorithm, day: 3e-6 if algorithm == "chain" and day >= 9 else 1e-6,
        lambda _: ALGORITHMS,
    )
    done = hockney("history", "past")
    assert done.status == 1
    assert "bcast, chain, 2 ranks: time at 8 B" in done.stdout
    assert done.stdout.count("not worse") == 4
    trends = hockney("history", "past", "--json").json["systems"][0]["trends"]
    worse = [trend for trend in trends if trend["worse"]]
    assert {trend["curve"] for trend in worse} == {"bcast, chain, 2 ranks"}
    assert worse[0]["changes"][0]["index"] == 9
    assert worse[0]["changes"][0]["ratio"] == pytest.approx(3.0, rel=0.01)


def test_a_curve_that_the_newest_run_lacks_is_not_judged(
    hockney: RunHockney, tmp_path: Path
) -> None:
    past_of(
        tmp_path / "past", lambda *_: 1e-6, lambda day: ALGORITHMS if day < 13 else ALGORITHMS[:2]
    )
    done = hockney("history", "past")
    assert done.status == 3
    assert "the newest run lacks it" in done.stdout


def test_of_too_many_curves_a_history_has_the_median(hockney: RunHockney, tmp_path: Path) -> None:
    past_of(
        tmp_path / "past", lambda *_: 1e-6, lambda _: [f"algorithm{number}" for number in range(17)]
    )
    done = hockney("history", "past")
    assert "time at 8 B, median of 17 points" in done.stdout


def test_a_day_at_the_end_of_the_calendar_is_no_date(hockney: RunHockney, tmp_path: Path) -> None:
    path = planted(tmp_path / "run.jsonl", 0)
    started = FIRST_DAY.isoformat()
    assert started in path.read_text()
    path.write_text(path.read_text().replace(started, "0001-01-01T00:00:00+13:00"))
    hockney.refused("history", "run.jsonl", because="its date is missing")


@pytest.mark.parametrize(
    ("factor", "launches", "status", "first"),
    [
        (1.0, 8, 0, "gate: passed"),
        (1.5, 8, 1, 'gate: FAILED: "b" takes 1.5'),
        (1.0, 3, 3, "too few launches for an interval; measure both with 5 or more"),
    ],
)
def test_compare_has_a_gate(
    hockney: RunHockney, tmp_path: Path, factor: float, launches: int, status: int, first: str
) -> None:
    planted(tmp_path / "a.jsonl", 0)
    planted(tmp_path / "b.jsonl", 1, factor, launches=launches)
    done = hockney("compare", "a.jsonl", "b.jsonl", "--gate", "20%")
    assert done.status == status, done.stdout + done.stderr
    assert first in done.stdout.splitlines()[0]
    assert "nothing was judged" not in done.stdout
    printed = hockney("compare", "a.jsonl", "b.jsonl", "--gate=20%", "--json").json
    assert printed["gate"]["status"] == {0: "passed", 1: "failed", 3: "not judged"}[status]


def test_compare_says_last_that_nothing_was_judged(hockney: RunHockney, tmp_path: Path) -> None:
    planted(tmp_path / "a.jsonl", 0)
    planted(tmp_path / "b.jsonl", 1, 1.5, launches=3)
    done = hockney.ok("compare", "a.jsonl", "b.jsonl")
    assert done.stdout.splitlines()[-1].startswith("nothing was judged: every verdict is unknown")
    assert hockney("compare", "a.jsonl", "b.jsonl", "--tolerance", "3%", "--gate").status == 3


def test_a_gate_of_compare_has_one_tolerance(hockney: RunHockney, tmp_path: Path) -> None:
    planted(tmp_path / "a.jsonl", 0)
    words = ("compare", "a.jsonl", "a.jsonl", "--tolerance", "3%", "--gate", "5%")
    done = hockney(*words)
    assert (done.status, "leave out --tolerance" in done.stderr) == (2, True)
    planted(tmp_path / "b.jsonl", 1)
    assert hockney("compare", "a.jsonl", "b.jsonl", "--gate=1%").status in (0, 3)


@pytest.mark.parametrize(("factor", "status"), [(1.0, 0), (1.3, 1)])
def test_compare_of_one_file_gates_its_variants(
    hockney: RunHockney, tmp_path: Path, factor: float, status: int
) -> None:
    write_run(varied_run(20, {"a": 1.0, "b": factor}), tmp_path / "varied.jsonl")
    done = hockney("compare", "varied.jsonl", "--gate", "10%")
    assert done.status == status, done.stdout + done.stderr
    assert done.stdout.startswith("gate: passed" if status == 0 else "gate: FAILED: b takes")


def test_compare_of_one_file_keeps_the_gate_of_its_own_plan(
    hockney: RunHockney, tmp_path: Path
) -> None:
    """It allows 20 %, more than the tolerance."""
    write_run(varied_run(20, {"a": 1.0, "b": 1.1}, gate=0.2), tmp_path / "varied.jsonl")
    done = hockney("compare", "varied.jsonl", "--gate")
    assert done.status == 0, done.stdout + done.stderr
    for words in (["--gate", "5%"], ["--tolerance", "5%", "--gate"]):
        assert hockney("compare", "varied.jsonl", *words).status == 1

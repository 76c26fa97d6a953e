"""Counts far too large are refused at once, before anything grows with them."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import RunHockney
from hockney.base.errors import UsageError
from hockney.plan.bounds import MOST, count

HUGE = "99999999999999999999"
MANY = ",".join(map(str, range(1, 31)))


@pytest.mark.parametrize(
    "words",
    [
        "pairs -n 99999999998",
        f"halo -n {HUGE}",
        f"fabric -n {HUGE}",
        "halo -n 10007",
        f"halo -n {'9' * 5000}",
        f"cores --ranks-per-node {HUGE} --nodes 2",
        f"pingpong --nodes {HUGE}",
        f"pingpong --launches {HUGE}",
        f"pingpong --threads {HUGE}",
        f"pairs --operation stream --window {HUGE}",
        f"pairs --operation stream --window {'9' * 5000}",
        f"collective bcast -n 2..{HUGE}",
        f"congestion -n 4 --window {HUGE}",
        f"halo --partitions {HUGE} --exchange partitioned",
        f"pairs --multi --msgs-per-sample {HUGE}",
        f"pingpong --vary env:A={MANY} --vary env:B={MANY} --vary env:C={MANY}",
        "pairs --multi --budget 300ms",
        "calibrate --budget 2s",
    ],
)
def test_what_is_far_too_large_is_refused(hockney: RunHockney, words: str) -> None:
    tracemalloc.start()
    done = hockney(*words.split())
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert done.status == 2, done.stderr
    assert any(part in done.stderr for part in ("at most", "budget", "or more")), done.stderr
    assert most < 100 << 20


def test_a_plan_of_very_many_combinations_is_refused(hockney: RunHockney, tmp_path: Path) -> None:
    lists = "".join(f"matrix.x{key} = [{MANY}]\n" for key in range(30))
    (tmp_path / "plan.toml").write_text(f'[[run]]\nverb = "pingpong"\n{lists}')
    hockney.refused("suite", "plan.toml", because="10^44 combinations")


def test_the_name_of_a_plan_is_no_way_out(hockney: RunHockney, tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    run = '[[run]]\nverb = "pingpong"\nlabel = "../../y"\nsizes = "8"\nbudget = "0.3s"\n'
    (inner / "plan.toml").write_text(f'name = "../../x"\n{run}')
    hockney("suite", "plan.toml", "-q", cwd=inner)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b"]


@given(st.text(alphabet="0123456789-+ .e_²", max_size=30), st.sampled_from(sorted(MOST)))
def test_a_count_is_a_number_within_its_bounds(text: str, of: str) -> None:
    try:
        number = count(text, of)
    except UsageError:
        digits = text.strip()
        assert not digits.isdecimal() or not 1 <= int(digits) <= MOST[of]
    else:
        assert 1 <= number <= MOST[of]
        assert number == int(text)

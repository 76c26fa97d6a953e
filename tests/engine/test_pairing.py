"""Pairs of ranks in worlds larger than any that a test can start."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from engine_checks import build_check
from hockney.run.mpis import Mpi

CHECK = Path(__file__).with_name("pairing_check.c")
RANKS = [*range(2, 10), 100, 65537, 100000]


@pytest.fixture(scope="module")
def program(mpi: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_check(mpi.mpicc, CHECK, tmp_path_factory.mktemp("pairing") / "pairing")


def check(program: Path, *words: object) -> str:
    done = subprocess.run(
        [program, *map(str, words)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("ranks", RANKS)
def test_every_two_ranks_meet_once(program: Path, ranks: int) -> None:
    check(program, "every", ranks)


@pytest.mark.parametrize("ranks", [2, 4, 100, 65538, 100000])
def test_named_pairings_have_every_rank_in_one_pair(program: Path, ranks: int) -> None:
    assert check(program, "list", "halves", ranks) == f"{ranks // 2 - 1}-{ranks - 1}"
    assert check(program, "list", "neighbours", ranks) == f"{ranks - 2}-{ranks - 1}"
    check(program, "list", "random", ranks)


@pytest.mark.parametrize("separator", [",", "\n", " , \n"])
def test_a_list_may_be_longer_than_an_argument(
    program: Path, tmp_path: Path, separator: str
) -> None:
    ranks = list(range(30000))
    random.Random(1).shuffle(ranks)
    pairs = [f"{ranks[i]}-{ranks[i + 1]}" for i in range(0, len(ranks), 2)]
    path = tmp_path / "pairs"
    path.write_text(separator.join(pairs) + "\n")
    assert path.stat().st_size > 128 * 1024
    assert check(program, "list", f"@{path}", len(ranks)) == pairs[-1]


def test_a_list_that_is_not_there_is_told(program: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [program, "list", f"@{tmp_path}/none", "4"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2
    assert f"--pairing @{tmp_path}/none: No such file or directory" in done.stderr


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 16, 17, 64, 65, 999, 1000, 4097, 5 * 10**9])
def test_a_walk_in_random_order_visits_each_once(program: Path, count: int) -> None:
    check(program, "walk", count)

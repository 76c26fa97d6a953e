from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest
import verbs
import zstandard
from hostile_results import SAMPLES

import fuzz
from hockney import records
from hockney.base.errors import UsageError
from hockney.records import LONGEST_FILE, LONGEST_LINE

SAMPLE = SAMPLES["pingpong"].read_bytes()


MORE = {"results": 50, "logs": 15, "commands": 30, "engine": 30}
"""Cases of each kind besides those of seeds.txt, the same each time: fuzz.py is for many."""


LARGE = {7207292, 8027732}
"""Numbers of logs of some megabytes: reading such has limits (logs/log.py, logs/table.py), up to
which it takes a while."""


def _marked(case: fuzz.Case) -> object:
    """Building the engine with sanitizers takes long, and so does a large log."""
    is_long = case.what == "engine" or case.number in LARGE
    return pytest.param(case, marks=pytest.mark.long) if is_long else case


@pytest.mark.parametrize("case", [*map(_marked, fuzz.seeds())], ids=str)
def test_what_was_found_stays_mended(case: fuzz.Case) -> None:
    assert fuzz.find(case) is None


@pytest.mark.long
@pytest.mark.parametrize("what", fuzz.KINDS)
def test_some_more_hostile_input(what: str) -> None:
    by_case = {str(case): fuzz.find(case) for case in islice(fuzz.cases(what, 100_000), MORE[what])}
    assert {case: wrong for case, wrong in by_case.items() if wrong} == {}


@pytest.mark.long
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "words",
    [words for words in verbs.WITH_RESULT if not words.startswith("explain ")],  # of two runs
)
def test_every_verb_answers_where_nothing_is_wrong(words: str, tmp_path: Path) -> None:
    assert any(verbs.hockney(words, path, path, tmp_path) for path in SAMPLES.values())


@pytest.mark.long
def test_a_log_of_many_cores_is_shown(tmp_path: Path) -> None:
    """11,175 curves must be distinguished by one look at all of them."""
    log, cores = tmp_path / "cores.csv", 150
    rows = (["50.0"] * row + [""] * (cores - row) for row in range(cores))
    log.write_text("".join(",".join(row) + "\n" for row in rows))
    assert verbs.command("import", str(log), "-o", str(tmp_path / "cores.jsonl"))
    assert verbs.hockney("show RUN", tmp_path / "cores.jsonl")


def zeros(path: Path, size: int) -> Path:
    """A header, then `size` bytes that zstd makes nothing of."""
    with zstandard.open(path, "wb") as stream:
        stream.write(SAMPLE.splitlines(keepends=True)[0])
        for _ in range(size >> 20):
            stream.write(b" " * ((1 << 20) - 1) + b"\n")
    return path


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    path = zeros(tmp_path / "bomb.jsonl.zst", LONGEST_FILE + (8 << 20))
    assert path.stat().st_size < 1 << 20
    with pytest.raises(UsageError, match="longer than 256 MiB, which is suspicious"):
        records.read(path)


def test_a_line_without_an_end_is_not_read_to_it(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(SAMPLE + b"1," * LONGEST_LINE)
    run = records.read(path)
    assert "is longer than 16 MiB" in (run.cut or "")
    assert run.samples

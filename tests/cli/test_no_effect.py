"""An option that would have no effect is refused: a gate that judged nothing must not pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import RunHockney
from samples import make_run, write_run

GOAL = "num_ranks 2\nrank 0 {\nl1: send 8b to 1\n}\nrank 1 {\nl1: recv 8b from 0\n}\n"


@pytest.mark.parametrize(
    ("words", "option"),
    [
        ("show p.jsonl --gate", "--gate"),
        ("show p.jsonl --diagnose", "--diagnose"),
        ("show a.jsonl --model-from a.jsonl --gate", "--gate"),
        ("show a.jsonl --model-from a.jsonl --plot", "--plot"),
        ("show a.jsonl --format osu --all-states", "--all-states"),
        ("compare a.jsonl --memory m", "--memory"),
        ("compare a.jsonl --plan 2%", "--plan"),
        ("compare a.jsonl a.jsonl --explain --json", "--explain"),
        ("explain a.jsonl a.jsonl --budget 1s", "--budget"),
        ("export p.jsonl --to goal -o p.goal --all-columns", "--all-columns"),
        ("export p.jsonl --to goal -o p.goal --columns bytes", "--columns"),
        ("export a.jsonl --to csv --columns bytes --all-columns", "--all-columns"),
        ("export a.jsonl --to osu --columns bytes", "--columns: not of osu"),
        ("export a.jsonl --to csv --columns bytes,", "no column ''"),
        ("history a.jsonl --explain --json", "--explain"),
        ("history a.jsonl --explain --sql x", "--sql alone"),
        ("plot p.jsonl --bytes 8", "--bytes"),
        ("pingpong --tolerance 1%", "--tolerance"),
        ("profile --trace-calls 8 -- true", "--trace-calls"),
        ("reproduce --list -q", "-q"),
        ("suite acceptance --tolerance 1%", "--tolerance"),
        ("suite acceptance -- --json", "--json"),
        ("suite acceptance -- -o x", "-o"),
        ("tune a.jsonl --launches 3", "--launches"),
        ("tune a.jsonl rules --check --memory m", "--memory"),
        ("tune pingpong --settings auto --launches 3", "--launches"),
        ("tune --profile p.jsonl --robust", "--robust"),
        ("tune pingpong --settings auto -- --gate", "--gate"),
    ],
)
def test_an_option_without_effect_is_refused(
    hockney: RunHockney, tmp_path: Path, words: str, option: str
) -> None:
    write_run(make_run(lambda launch, *_: [1000.0 + launch]), tmp_path / "a.jsonl")
    (tmp_path / "a.goal").write_text(GOAL)
    assert hockney("import", "a.goal", "-o", "p.jsonl").status == 0
    done = hockney(*words.split())
    assert (done.status, done.stdout) == (2, "")
    assert option in done.stderr
    kept = {"a.jsonl", "a.goal", "p.jsonl"}
    assert {path.name for path in tmp_path.iterdir()} == kept, "nothing was measured or written"

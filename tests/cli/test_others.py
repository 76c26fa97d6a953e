"""Other runs of the same question are found beside a file and by --history."""

from __future__ import annotations

from pathlib import Path

import msgspec

from hockney.cli._files import MOST_OTHERS, others_beside
from samples import past_run, write_run


def written(directory: Path, *days: int, factor: float = 1.0, label: str | None = None) -> None:
    directory.mkdir(exist_ok=True)
    for day in days:
        write_run(past_run(day, factor, label=label), directory / f"{day}.jsonl")


def ids(files: list[Path], past: list[Path]) -> set[str]:
    return {other.run.header.id for other in others_beside(files, past)}


def test_runs_of_the_same_question_are_found(tmp_path: Path) -> None:
    written(tmp_path / "here", 0, 1, 2)
    written(tmp_path / "there", 3)
    written(tmp_path / "unlike", 4, label="another")
    here = tmp_path / "here" / "0.jsonl"
    assert ids([here], []) == {"run 1", "run 2"}
    past = [tmp_path / "there", tmp_path / "unlike"]
    assert ids([here], past) == {"run 1", "run 2", "run 3"}


def test_what_cannot_be_read_is_no_history(tmp_path: Path) -> None:
    written(tmp_path, 0, 1)
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "text.jsonl").write_text("no result\n")
    (tmp_path / "directory.jsonl").mkdir()
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    header = msgspec.json.encode({"kind": "run", "schema": 99})
    (tmp_path / "newer.jsonl").write_bytes(header + b"\n")
    assert ids([tmp_path / "0.jsonl"], []) == {"run 1"}


def test_not_more_runs_are_read_than_help(tmp_path: Path) -> None:
    written(tmp_path, *range(MOST_OTHERS + 5))
    assert len(ids([tmp_path / "0.jsonl"], [])) == MOST_OTHERS

"""The numbers that hockney works out from the result files beside this module.

`python answers.py` writes them into expected.json.zst, by the version that is on the path.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import zstandard

from hockney.base.errors import HockneyError
from hockney.cli import cli

HERE = Path(__file__).parent
EXPECTED = HERE / "expected.json.zst"
AGAIN = "-again"
"""End of the name of a file that is compared with the one without it."""
MESSAGES_OF = {"collective-simulated": "collective-simulated-messages"}
"""Ping-pong times from which the collectives of a file are predicted."""
SLOW = frozenset(
    {
        ("fit", "osu_bcast_orfeo_THIN_alg_np_size-unknown"),
        ("predict", "pairs-four"),
        ("predict", "pairs-multi"),
        ("predict", "pairs-simulated"),
    }
)
"""Questions that take ten seconds and more, and that other files answer as well."""


def files() -> list[Path]:
    return sorted(HERE.glob("*.jsonl.zst"))


def name_of(file: Path) -> str:
    return file.name.removesuffix(".jsonl.zst")


def answers_of(file: Path) -> dict[str, Any]:
    """Answers of verbs, by question; None where a verb refuses."""
    path = str(file)
    questions = {
        "show": ["--all-states", "--json"],
        "fit": ["--model", "auto", "--json"],
        "predict": ["--bytes", "8,3000", "--json"],
    }
    answers: dict[str, Any] = {
        verb: None if (verb, name_of(file)) in SLOW else _json(verb, path, *options)
        for verb, options in questions.items()
    }
    if answers["show"] is not None:  # what was asked, in the format of its time
        answers["show"]["run"] = _without(answers["show"]["run"], "options", "schema")
    answers["csv"] = _csv(path)
    base = file.with_name(file.name.replace(AGAIN, ""))
    if base != file:
        answers["compare"] = _json("compare", str(base), path, "--json")
        answers["tune"] = _json("tune", str(base), "-q", "--json")
    messages = MESSAGES_OF.get(name_of(file))
    if messages:
        other = str(HERE / f"{messages}.jsonl.zst")
        answers["predicted"] = _json("show", path, "--model-from", other, "--json")
    return answers


def _without(facts: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if name not in names}


def _json(*words: str) -> Any:
    text = _said(*words)
    return None if text is None else json.loads(text)


def _csv(path: str) -> list[dict[str, Any]] | None:
    text = _said("export", path, "--to", "csv", "--all-columns")
    if text is None:
        return None
    return [{key: _value(cell) for key, cell in row.items()} for row in _rows(text)]


def _rows(text: str) -> Iterator[dict[str, str]]:
    yield from csv.DictReader(io.StringIO(text))


def _value(cell: str) -> str | float | None:
    try:
        return float(cell) if cell else None
    except ValueError:
        return cell


def _said(*words: str) -> str | None:
    """Output of a verb to stdout; None where it refuses."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        try:
            status = cli(list(words), standalone_mode=False)
        except HockneyError:
            return None
    if status not in (None, 0, 1):
        return None
    out.seek(0)
    return out.read()


def expected() -> dict[str, Any]:
    answers: dict[str, Any] = json.loads(zstandard.decompress(EXPECTED.read_bytes()))
    return answers


if __name__ == "__main__":
    every = {name_of(file): answers_of(file) for file in files()}
    # Where the files were is no answer.
    text = json.dumps(every, separators=(",", ":")).replace(f"{HERE}/", "").encode()
    EXPECTED.write_bytes(zstandard.compress(text, 19))

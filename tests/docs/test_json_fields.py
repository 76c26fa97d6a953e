"""docs/json.md names every field that the verbs really print for the recorded runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hockney.infer.analysis import Analysis
from hockney.infer.analysis.comparison.explanation import explanation
from hockney.profiling import kinds
from hockney.profiling.summary import ProfileSummary
from hockney.show.comparison.explanation_lines import explanation_json
from hockney.show.profiles.profile import profile_json
from planted_differences import SEEDS, pair_of
from recorded import answers

PROFILE = Path(__file__).parents[1] / "fuzz" / "samples" / "profiles" / "known_calls.jsonl"
DOCS = Path(__file__).parents[2] / "docs"
NAMED = set(
    re.findall(r'["`](\w+)["`]', (DOCS / "json.md").read_text() + (DOCS / "records.md").read_text())
)
OPEN = frozenset({"options", "environment", "parameters", "derived", "of"})
"""Fields whose content differs from plan to plan, machine to machine and model to model, and by the
published systems (`of`)."""
VERBS = ("show", "fit", "predict", "compare", "tune", "predicted")


def _fields(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            if name not in OPEN:
                yield from _fields(inner)
    elif isinstance(value, list):
        for each in value:
            yield from _fields(each)


def test_every_field_is_named() -> None:
    expected = answers.expected()
    for verb in VERBS:
        printed = {field for file in expected.values() for field in _fields(file.get(verb))}
        assert printed, verb
        assert printed <= NAMED, f"{verb}: {printed - NAMED}"


def test_every_field_of_a_profile_is_named() -> None:
    summary = ProfileSummary(kinds.read(PROFILE))
    printed = set(_fields(profile_json(summary, ())))
    assert len(printed) > 40
    assert printed <= NAMED, printed - NAMED


def test_every_field_of_an_explanation_is_named() -> None:
    seed = SEEDS["TCP"]
    first, second = map(Analysis, pair_of(seed.base, seed.other, 1))
    printed = set(_fields(explanation_json(explanation(first, second, 0.03))))
    assert len(printed) > 30
    assert printed <= NAMED, printed - NAMED

"""The output of `hockney tune pingpong --settings`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hockney.infer.analysis.comparison.variant_verdicts import VariantStudy
from hockney.plan.variants import ENVIRONMENT, Variant
from hockney.show.comparison.variant_table import doubt_lines, variant_table, variants_json
from hockney.show.tables.table import estimate_json
from hockney.tuning.settings import AlreadySet
from hockney.tuning.settings_choice import Gain

WIDE = 2.0
"""A possible gain beyond which the intervals are no evidence that there is little to gain."""


def settings_lines(
    study: VariantStudy,
    chosen: Variant | None,
    sizes: str,
    most: float | None,
    left_out: Sequence[str],
    already: Sequence[AlreadySet] = (),
) -> list[str]:
    """The answer, the table of the last study, and what to know of it. sizes: for which the chosen
    variant was measured, in words. already: what is set already, and compared with."""
    notes = [f"left out: {line}" for line in left_out]
    notes += [f"note: {line}" for line in doubt_lines(study)]
    notes += [f"note: {held.sentence}" for held in already]
    return [
        *_answer(chosen, sizes, most),
        "",
        variant_table(study),
        *(["", *notes] if notes else []),
    ]


def _answer(chosen: Variant | None, sizes: str, most: float | None) -> list[str]:
    if chosen is None:
        none = "no setting is surely faster at some size and surely slower at none"
        return [none, _possible_text(most)]
    held = ", ".join(f"{name}={value}" for name, value in values_of(chosen).items())
    return [
        f"surely faster at some size, surely slower at none: {held}",
        f"{sizes}; --sizes after -- measures others",
    ]


def _possible_text(most: float | None) -> str:
    """How much one could gain at most; a wide limit shows nothing."""
    if most is None:
        return (
            "the possible gain is unknown: some settings have too few blocks for an "
            "interval; name fewer, or give more --budget"
        )
    if most > WIDE:
        return (
            "the possible gain is unknown: the intervals leave open more than "
            f"{WIDE:g} times as fast; give more --budget"
        )
    return f"none of them can be more than {most:.3f} times as fast at any size"


def settings_json(
    studies: Sequence[VariantStudy],
    chosen: Variant | None,
    gains: Sequence[Gain],
    sizes: str,
    most: float | None,
    left_out: Sequence[str],
    files: Sequence[Path],
    already: Sequence[AlreadySet] = (),
) -> dict[str, Any]:
    return {
        "settings": values_of(chosen),
        "gains": [estimate_json(gain) for gain in gains],
        "range": sizes or None,
        "already_set": [
            {
                "variable": held.setting.variable,
                "value": held.setting.value,
                "file": held.file,
            }
            for held in already
        ],
        "largest_possible_gain": most,
        "left_out": list(left_out),
        "files": [str(file) for file in files],
        "stages": [variants_json(study) for study in studies],
    }


def values_of(chosen: Variant | None) -> Mapping[str, str]:
    """Variables and their values; empty without a choice."""
    values = chosen.values if chosen is not None else {}
    return {name.removeprefix(ENVIRONMENT): value for name, value in values.items()}

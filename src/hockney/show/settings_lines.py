"""The output of `hockney tune pingpong --settings`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hockney.infer.analysis.variant_verdicts import VariantStudy
from hockney.plan.variants import ENVIRONMENT, Variant
from hockney.show.table import estimate_json
from hockney.show.variant_table import doubt_lines, variant_table, variants_json
from hockney.tuning.settings import Gain


def settings_lines(
    study: VariantStudy, chosen: Variant | None, most: float | None, left_out: Sequence[str]
) -> list[str]:
    """The table of the last study, then what follows from it."""
    lines = [variant_table(study), ""]
    lines += [f"left out: {line}" for line in left_out]
    lines += [f"note: {line}" for line in doubt_lines(study)]
    if chosen is not None:
        held = ", ".join(f"{name}={value}" for name, value in values_of(chosen).items())
        return [*lines, f"surely faster at some size, surely slower at none: {held}"]
    lines.append("no setting is surely faster at some size and surely slower at none")
    if most is not None:
        lines.append(f"none of them can be more than {most:.3f} times as fast at any size")
    else:
        lines.append("too few blocks of launches tell how much one could gain: give more --budget")
    return lines


def settings_json(
    studies: Sequence[VariantStudy],
    chosen: Variant | None,
    gains: Sequence[Gain],
    most: float | None,
    left_out: Sequence[str],
    files: Sequence[Path],
) -> dict[str, Any]:
    return {
        "settings": values_of(chosen),
        "gains": [estimate_json(gain) for gain in gains],
        "largest_possible_gain": most,
        "left_out": list(left_out),
        "files": [str(file) for file in files],
        "stages": [variants_json(study) for study in studies],
    }


def values_of(chosen: Variant | None) -> Mapping[str, str]:
    """Variables and their values; empty without a choice."""
    values = chosen.values if chosen is not None else {}
    return {name.removeprefix(ENVIRONMENT): value for name, value in values.items()}

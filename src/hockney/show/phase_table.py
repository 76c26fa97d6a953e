"""Shows collectives by messages: a row a phase, beside the library's own time and the predicted
one."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from hockney.infer.analysis.phase_times import Phase, Phased
from hockney.plan.words import ALL_PHASES
from hockney.show.as_json import axes_json
from hockney.show.table import aligned, interval, microseconds

COLUMNS = ("time", "interval", "", "of it", "predicted")
LEGEND = (
    "each phase from when the last rank is done with those before it until the last rank is done\n"
    "with it; predicted: message by message, from single messages of the same launches"
)


def phase_tables(found: Sequence[Phased]) -> list[str]:
    """A table for each collective, algorithm and number of ranks."""
    groups: dict[tuple[str, str, int], list[Phased]] = {}
    for one in found:
        point = one.whole.point
        groups.setdefault((point.operation, one.algorithm, point.known_ranks), []).append(one)
    tables = []
    for (collective, algorithm, ranks), each in groups.items():
        rows = [row for one in sorted(each, key=attrgetter("bytes")) for row in _rows(one)]
        title = f"{collective} by messages, {algorithm}, {ranks} ranks"
        tables.append(f"{title}\n{aligned([['bytes', 'phase', *COLUMNS], *rows])}")
    return [f"{tables[0]}\n{LEGEND}", *tables[1:]] if tables else []


def phases_json(found: Sequence[Phased]) -> list[dict[str, Any]]:
    return [
        {
            **axes_json(one.whole.point, "phase"),
            "median_s": one.whole.point.median_s,
            "low_s": one.whole.point.low_s,
            "high_s": one.whole.point.high_s,
            "predicted_s": one.whole.predicted_s,
            "library_algorithm": one.library_algorithm if one.library else None,
            "library_s": one.library.median_s if one.library else None,
            "phases": [
                {
                    "phase": phase.point.phase,
                    "median_s": phase.point.median_s,
                    "low_s": phase.point.low_s,
                    "high_s": phase.point.high_s,
                    "fraction": one.fraction(phase.point),
                    "predicted_s": phase.predicted_s,
                }
                for phase in one.phases
            ],
        }
        for one in found
    ]


def _rows(one: Phased) -> list[list[str]]:
    rows = [_row(one, one.whole, ALL_PHASES)]
    rows += [_row(one, phase, phase.point.phase or "") for phase in one.phases]
    if one.library is not None:
        time = [microseconds(one.library.typical_s), *interval(one.library)]
        name = f"library, {one.library_algorithm}"
        rows.append(["", name, *time, _percent(one.fraction(one.library)), ""])
    rows[0][0] = str(one.bytes)
    return rows


def _row(one: Phased, phase: Phase, name: str) -> list[str]:
    return [
        *("", name, microseconds(phase.point.typical_s), *interval(phase.point)),
        _percent(one.fraction(phase.point)),
        microseconds(phase.predicted_s),
    ]


def _percent(fraction: float | None) -> str:
    return "-" if fraction is None else f"{100.0 * fraction:.0f} %"

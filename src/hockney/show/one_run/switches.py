"""Shows the sizes at which the protocol changes, in words and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from hockney.base.units import format_percent, format_size, how_many
from hockney.records import Switch
from hockney.show.tables.table import TableColumn, indented, table_text


def _change(fraction: float) -> str:
    return "+" * (fraction >= 0.0) + format_percent(fraction)


COLUMNS: list[TableColumn[Switch]] = [
    TableColumn("last below", lambda switch: switch.low_bytes, format_size),
    TableColumn("first above", lambda switch: switch.high_bytes, format_size),
    TableColumn("time", lambda switch: switch.jump, _change),
    TableColumn("regimes", lambda switch: f"{switch.below} -> {switch.above}"),
]


def switch_lines(switches: Sequence[Switch]) -> list[str]:
    """A line for each switch, with its evidence."""
    if not switches:
        return []
    exact = sum(switch.high_bytes - switch.low_bytes == 1 for switch in switches)
    heading = f"{how_many(len(switches), 'switch')}, {exact} known to the byte"
    if exact < len(switches):
        heading += "; the others to what noise, time or the requested sizes allow"
    evidence = ["  evidence", *(f"  {switch.evidence}" for switch in switches)]
    lines = zip(indented(table_text(COLUMNS, switches)), evidence, strict=True)
    return [heading, *(f"{line}{words}" for line, words in lines)]


def switches_json(switches: Sequence[Switch]) -> dict[str, Any]:
    """{"switches": [...]}, or {} where the search was not asked for."""
    return {"switches": [msgspec.to_builtins(switch) for switch in switches]} if switches else {}

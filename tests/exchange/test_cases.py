"""Logs as people keep them, in tests/exchange/cases: every number as printed, with its unit.

expected.jsonl has a case a line. A value is [bytes, printed number, unit] or, of a matrix, also the
two ranks. "experiments" is the number of result files, "launches" that of each; null where it is
open. "warns": what a warning must hold. "more": the log has other numbers, too."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hockney.base.units import parse_size
from hockney.foreign.exchange import reading
from hockney.foreign.logs.log import read_log
from hockney.foreign.logs.runs import runs_of
from hockney.records import Run, Summary

CASES = Path(__file__).parent / "cases"
UNITS = {
    "s": ("value_s", 1.0),
    "ms": ("value_s", 1e-3),
    "us": ("value_s", 1e-6),
    "MB/s": ("value_Bps", 1e6),
    "GB/s": ("value_Bps", 1e9),
    "MiB/s": ("value_Bps", 2.0**20),
    "msg/s": ("value_per_s", 1.0),
    "Mmsg/s": ("value_per_s", 1e6),
}
EXPECTED = [json.loads(line) for line in (CASES / "expected.jsonl").read_text().splitlines()]


def imported(case: dict[str, Any]) -> list[Run]:
    given = dict(zip(case["args"][::2], case["args"][1::2], strict=True))
    log = replace(
        read_log(CASES / case["file"]),
        bytes=parse_size(given["--bytes"]) if "--bytes" in given else None,
        operation=given.get("--operation", "unknown"),
    )
    name = reading.recognise(log)
    return runs_of([(log, table) for table in reading.read(log, name)], name)


def is_value(row: Summary, value: list[Any]) -> bool:
    size, text, unit, *peers = value
    field, factor = UNITS[unit]
    number = getattr(row, field)
    return (
        row.bytes == size
        and number is not None
        and number == pytest.approx(float(text) * factor, rel=1e-9)
        and (not peers or sorted(row.peers) == sorted(peers[0]))
    )


@pytest.mark.parametrize("case", EXPECTED, ids=[case["file"] for case in EXPECTED])
def test_a_log_gives_its_numbers_and_no_others(case: dict[str, Any]) -> None:
    runs = imported(case)
    rows = [row for run in runs for row in run.summaries]
    assert case["experiments"] in (None, len(runs))
    assert case["launches"] is None or {len(run.launches) for run in runs} == {case["launches"]}
    assert "operations" not in case or {row.operation for row in rows} == set(case["operations"])
    assert "ranks" not in case or {row.ranks for row in rows} == {case["ranks"]}
    left = list(rows)
    for value in case["values"]:
        matching_row = next((row for row in left if is_value(row, value)), None)
        assert matching_row is not None, value
        left.remove(matching_row)
    strange = [row for row in left if not any(is_value(row, value) for value in case["values"])]
    assert case.get("more") or strange == []
    notes = [note for run in runs if run.header.source for note in run.header.source.notes]
    assert case.get("warns", "") in " ".join(notes)

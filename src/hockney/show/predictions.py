"""Shows predictions of models in words and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from hockney.base.units import format_seconds
from hockney.infer.estimate.quantiles import CONFIDENCE
from hockney.infer.predict.channel import Channel
from hockney.infer.predict.patterns import Prediction
from hockney.show.table import aligned


def prediction_lines(channel: Channel, predictions: Sequence[Prediction]) -> list[str]:
    rows = [["", "time", "95 % interval", "most of it", ""]]
    for one in predictions:
        interval = "-"
        if one.seconds.low is not None:
            low, high = format_seconds(one.seconds.low), format_seconds(one.seconds.high)
            interval = f"{low} .. {high}{_level(one)}"
        fraction = f"{100.0 * one.share:.0f} %"
        name = one.pattern.words
        rows.append([name, format_seconds(one.seconds.value), interval, one.dominant, fraction])
    width = max(len(row[0]) for row in rows)
    rows = [[row[0].ljust(width), *row[1:]] for row in rows]
    notes = dict.fromkeys(one.note for one in predictions if one.note)
    measured = [one.pattern.words for one in predictions if one.measured]
    if measured:
        notes[f"measured, not predicted: {', '.join(measured)}"] = None
    fitted = [f"  note    {note}" for note in (*notes, *channel.fit.notes)]
    return [f"by {channel.model}", *(f"  {line}" for line in aligned(rows).splitlines()), *fitted]


def _level(one: Prediction) -> str:
    """The confidence of an interval, where it cannot reach 95 %."""
    if one.confidence is None or one.confidence >= CONFIDENCE:
        return ""
    return f" ({100.0 * one.confidence:.1f} %)"


def prediction_json(channel: Channel, one: Prediction) -> dict[str, Any]:
    return {
        **asdict(one.pattern),
        "model": channel.model,
        "seconds": one.seconds.value,
        "low_s": one.seconds.low,
        "high_s": one.seconds.high,
        "confidence": one.confidence,
        "dominant": one.dominant,
        "dominant_share": one.share,
        "note": one.note,
        "measured": one.measured,
    }

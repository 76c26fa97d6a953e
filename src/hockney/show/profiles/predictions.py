"""Shows predictions of models in words and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from hockney.base.units import format_seconds
from hockney.infer.estimate.interval import CONFIDENCE, high_of, low_of
from hockney.infer.predict.answers import Answers
from hockney.infer.predict.patterns import Prediction
from hockney.show.profiles.mix_lines import unchanged_json
from hockney.show.tables.table import aligned, between


def prediction_lines(answers: Answers) -> list[str]:
    """The model, a line for each prediction, and notes."""
    predictions = answers.predictions
    is_changed = any(prediction.unchanged for prediction in predictions)
    rows = [["", "time", "95 % interval", "most of it", ""]]
    if is_changed:
        rows[0] += ["without --what-if", "ratio"]
    for prediction in predictions:
        interval = "-"
        if limits := between(prediction.seconds.interval, format_seconds):
            interval = f"{limits}{_level(prediction)}"
        fraction = "-" if prediction.share is None else f"{100.0 * prediction.share:.0f} %"
        name = prediction.pattern.words
        rows.append(
            [
                name,
                format_seconds(prediction.seconds.value),
                interval,
                prediction.dominant or "-",
                fraction,
            ]
        )
        if is_changed:
            rows[-1] += _unchanged(prediction)
    width = max(len(row[0]) for row in rows)
    rows = [[row[0].ljust(width), *row[1:]] for row in rows]
    notes = dict.fromkeys(prediction.note for prediction in predictions if prediction.note)
    measured = [prediction.pattern.words for prediction in predictions if prediction.measured]
    if measured:
        notes[f"measured, not predicted: {', '.join(measured)}"] = None
    fitted = [f"  note    {note}" for note in (*notes, *answers.notes)]
    how = f"by {answers.model}" if answers.model else "without a model"
    return [how, *(f"  {line}" for line in aligned(rows).splitlines()), *fitted]


def _unchanged(prediction: Prediction) -> list[str]:
    """The time without --what-if, and the time with it over that."""
    known = prediction.unchanged
    if known is None:
        return [format_seconds(None), "-"]
    return [format_seconds(known.seconds), "-" if known.ratio is None else f"{known.ratio:.2f}"]


def _level(prediction: Prediction) -> str:
    """The confidence of an interval, where it cannot reach 95 %."""
    confidence = prediction.confidence
    if confidence is None or confidence >= CONFIDENCE:
        return ""
    return f" ({100.0 * confidence:.1f} %)"


def prediction_json(model: str | None, prediction: Prediction) -> dict[str, Any]:
    return {
        **asdict(prediction.pattern),
        "model": model,
        "seconds": prediction.seconds.value,
        "low_s": low_of(prediction.seconds.interval),
        "high_s": high_of(prediction.seconds.interval),
        "confidence": prediction.confidence,
        **unchanged_json(prediction.unchanged),
        "dominant": prediction.dominant,
        "dominant_share": prediction.share,
        "note": prediction.note,
        "measured": prediction.measured,
    }

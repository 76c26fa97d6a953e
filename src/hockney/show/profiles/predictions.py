"""Shows predictions of models in words and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from hockney.base.units import format_seconds, tenth_percent, whole_percent
from hockney.infer.estimate.interval import CONFIDENCE, high_of, low_of
from hockney.infer.predict.answers import Answers
from hockney.infer.predict.channel import Unchanged
from hockney.infer.predict.patterns import Prediction
from hockney.show.profiles.mix_lines import unchanged_json
from hockney.show.tables.table import (
    TableColumn,
    between,
    indented,
    table_text,
    through,
)


def prediction_lines(answers: Answers) -> list[str]:
    """The model, a line for each prediction, and notes."""
    predictions = answers.predictions
    width = max(len(prediction.pattern.words) for prediction in predictions)
    name: TableColumn[Prediction] = TableColumn("", lambda row: row.pattern.words.ljust(width))
    columns = [name, *COLUMNS]
    if any(prediction.unchanged for prediction in predictions):
        columns += through(lambda row: row.unchanged, *UNCHANGED)
    notes = dict.fromkeys(prediction.note for prediction in predictions if prediction.note)
    measured = [prediction.pattern.words for prediction in predictions if prediction.measured]
    if measured:
        notes[f"measured, not predicted: {', '.join(measured)}"] = None
    fitted = [f"  note    {note}" for note in (*notes, *answers.notes)]
    how = f"by {answers.model}" if answers.model else "without a model"
    return [how, *indented(table_text(columns, predictions)), *fitted]


def _interval(prediction: Prediction) -> str:
    """With its confidence, where that cannot reach 95 %."""
    limits, confidence = between(prediction.seconds.interval, format_seconds), prediction.confidence
    if limits is None or confidence is None or confidence >= CONFIDENCE:
        return limits or "-"
    return f"{limits} ({tenth_percent(confidence)})"


def _share(prediction: Prediction) -> str:
    return "-" if prediction.share is None else whole_percent(prediction.share)


COLUMNS: list[TableColumn[Prediction]] = [
    TableColumn("time", lambda row: format_seconds(row.seconds.value)),
    TableColumn("95 % interval", _interval),
    TableColumn("most of it", lambda row: row.dominant or "-"),
    TableColumn("", _share),
]
UNCHANGED: list[TableColumn[Unchanged]] = [
    TableColumn("without --what-if", lambda row: row.seconds, format_seconds),
    TableColumn("ratio", lambda row: "-" if row.ratio is None else f"{row.ratio:.2f}"),
]


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

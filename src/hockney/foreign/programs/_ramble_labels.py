"""Labels of Ramble's figures of merit that would be one statistic of one size."""

from __future__ import annotations

import re

from hockney.foreign.programs._csv_cells import UNIT_OF_SIZE

SIZE = re.compile(
    r"\b(?:(?:message|msg|buffer|transfer)?[ _-]?(?:size|length)|bytes)[ =:]{1,3}(\d{1,19})"
    rf"(?:[ \t]{{0,3}}({UNIT_OF_SIZE}))?(?![.,]?\w)",
    re.IGNORECASE,
)
QUANTILE = re.compile(
    r"\bP(\d{1,2}(?:\.\d{1,3})?)\b|(?<![\w.])(\d{1,2}(?:\.\d{1,3})?)%", re.IGNORECASE
)
_OF_STATISTIC = re.compile(r"\btail\b", re.IGNORECASE)
_OF_CONTEXT = re.compile(r"\bdefault \(null\)|\bcontext\b")
WORDS = {"avg": "mean", "average": "mean", "mean": "mean", "min": "min", "max": "max"}
PARTS = {
    "overall": "mean overall",
    "computation": "mean computation",
    "compute": "mean computation",
    "communication": "mean",
    "median": "median",
}


def labels_of(points: list[set[tuple[str, str]]]) -> dict[tuple[str, str], str]:
    """Labels of figures of the same points: what they measure, or their names where that is the
    same. Other statistics of what is measured have its label, too."""
    clashing = [point for point in points if len(point) > 1]
    labels = {identity: _measured(*identity) for point in clashing for identity in point}
    for identity in {identity for point in points for identity in point}:
        if _measured(*identity) in labels.values():
            labels[identity] = _measured(*identity)
    for point in clashing:
        if len({labels[identity] for identity in point}) < len(point):
            labels |= {identity: ", ".join(filter(None, identity)) for identity in point}
    return labels


def identity_of(context: str, name: str) -> tuple[str, str]:
    """What distinguishes figures of one size: the context without it, and the name."""
    return SIZE.sub("", context).strip(" ,;()"), name


def _measured(context: str, name: str) -> str:
    """What a figure measures: its name without the statistic."""
    plain = _OF_STATISTIC.sub("", QUANTILE.sub("", name.rpartition("::")[2]))
    words = [word for word in plain.split() if word.lower() not in WORDS.keys() | PARTS.keys()]
    where = _OF_CONTEXT.sub("", context).strip(" ,;()")
    return ", ".join(filter(None, (where, " ".join(words))))

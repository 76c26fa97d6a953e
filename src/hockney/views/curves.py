"""Curves over sizes by their names."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from hockney.estimate.points import Series


def series_texts(every: Collection[Series]) -> dict[Series, str]:
    """What tells each curve from the others: nothing where there are no others."""
    # Looked at once for all: a log of 256 cores has 32,640 curves.
    differs = [len(set(values)) > 1 for values in zip(*every, strict=True)]
    return {series: _text(series, differs) for series in every}


def _text(series: Series, differs: Sequence[bool]) -> str:
    operation, algorithm, ranks, peers = series
    words = [operation, algorithm, f"{ranks} ranks" if ranks else None]
    words.append(f"between {_few(peers)}" if peers else None)
    told = [word for word, differ in zip(words, differs, strict=True) if word and differ]
    return ", ".join(told)


def _few(peers: Sequence[int]) -> str:
    return " ".join(map(str, peers if len(peers) <= 4 else [*peers[:2], "..", *peers[-2:]]))

"""Curves over sizes by their names."""

from __future__ import annotations

from collections.abc import Sequence

from hockney.estimate.points import Series


def series_text(series: Series, among: Sequence[Series]) -> str:
    """What tells a curve from the others: nothing where there are no others."""
    operation, algorithm, ranks, peers = series
    words = [operation, algorithm, f"{ranks} ranks" if ranks else None]
    words.append(f"between {_few(peers)}" if peers else None)
    differs = [len(set(values)) > 1 for values in zip(*among, strict=True)]
    told = [word for word, differ in zip(words, differs, strict=True) if word and differ]
    return ", ".join(told)


def _few(peers: Sequence[int]) -> str:
    return " ".join(map(str, peers if len(peers) <= 4 else [*peers[:2], "..", *peers[-2:]]))

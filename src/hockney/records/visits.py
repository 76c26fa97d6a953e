"""The samples of a run: a row for each visit of a point, by columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from hockney.lazy import lazy_imports
from hockney.records.columns import Ragged, Spill, floats, whole_or_objects
from hockney.records.kinds import Samples
from hockney.records.tables import Rows, joined, plain
from hockney.spec.axes import AXES, Point, point_of

with lazy_imports():
    import numpy as np
    from numpy.typing import NDArray

WHOLE = ("launch", "round", "repetitions")
NUMBERS = ("at_s", "compute_ns")
TIMES = ("ns", "own_mean_ns", "own_max_ns")
_axes = attrgetter(*AXES)


@dataclass
class Block:
    """Successive visits. `points` numbers the different points, and `codes` are their numbers."""

    points: list[Point]
    codes: NDArray[np.int32]
    columns: dict[str, NDArray[Any]]
    times: dict[str, Ragged]

    @classmethod
    def of(cls, visits: Sequence[Samples]) -> Block:
        """Of visits as they stand in a file."""
        numbers: dict[Any, int] = {}
        codes = [numbers.setdefault(axes, len(numbers)) for axes in map(_axes, visits)]
        firsts: dict[int, Samples] = {}
        for code, visit in zip(codes, visits, strict=True):
            firsts.setdefault(code, visit)
        columns = {name: whole_or_objects([getattr(v, name) for v in visits]) for name in WHOLE}
        columns |= {name: floats([getattr(v, name) for v in visits]) for name in NUMBERS}
        times = {}
        for name in TIMES:
            lists = [getattr(visit, name) or () for visit in visits]
            if name == "ns" or any(lists):
                times[name] = Ragged.of(lists)
        points = [point_of(firsts[code]) for code in range(len(numbers))]
        return cls(points, np.array(codes, dtype=np.int32), columns, times)


class Visits(Rows[Samples]):
    """All samples of a run."""

    def __init__(self, records: Iterable[Samples] = ()) -> None:
        self._spill = Spill()
        super().__init__(records)

    def _clear(self) -> None:
        self._points: list[Point] = []
        self._numbers: dict[Point, int] = {}
        self._codes: list[NDArray[np.int32]] = []
        self._columns: dict[str, list[NDArray[Any]]] = {name: [] for name in (*WHOLE, *NUMBERS)}
        self._times: dict[str, list[Ragged | None]] = {name: [] for name in TIMES}
        self._counts: dict[str, NDArray[np.int64]] = {}
        self._starts: list[int] = [0]
        """The first row of each block, and the number of rows."""

    def _take(self, records: list[Samples]) -> None:
        self.add_block(Block.of(records))

    def add_block(self, block: Block) -> None:
        """Appends visits whose points are of this version."""
        self.settle()
        for point in block.points:
            if point not in self._numbers:
                self._numbers[point] = len(self._points)
                self._points.append(point)
        numbers = np.array([self._numbers[point] for point in block.points], dtype=np.int32)
        self._codes.append(numbers[block.codes])
        for name, column in block.columns.items():
            self._columns[name].append(column)
        for name in TIMES:
            times = block.times.get(name)
            if times is not None:
                times.packed = self._spill.packed(times.packed)
            self._times[name].append(times)
        self._starts.append(self._starts[-1] + len(block.codes))
        self._counts.clear()

    def _stored(self) -> int:
        return self._starts[-1]

    @property
    def visited(self) -> list[Point]:
        """The different points, in the order in which they were first visited."""
        self.settle()
        return self._points

    @property
    def codes(self) -> NDArray[np.int32]:
        """The number of each visit's point in `points`."""
        self.settle()
        return joined(self._codes)

    def column(self, name: str) -> NDArray[Any]:
        """launch, round, repetitions, at_s or compute_ns of each visit; NaN where it is unknown."""
        self.settle()
        return joined(self._columns[name])

    def counts(self, times: str = "ns") -> NDArray[np.int64]:
        """How many samples each visit has."""
        self.settle()
        if times not in self._counts:
            rows = np.diff(self._starts).tolist()
            blocks = zip(self._times[times], rows, strict=True)
            self._counts[times] = joined(
                [np.zeros(n, np.int64) if of is None else of.counts for of, n in blocks]
            )
        return self._counts[times]

    def has(self, times: str) -> bool:
        """Whether any visit has such times."""
        self.settle()
        return any(one is not None for one in self._times[times])

    def values(self, rows: NDArray[np.int64], times: str = "ns") -> NDArray[np.float64]:
        """The samples of these rows, which ascend, one after the other, in ns."""
        self.settle()
        cuts = np.searchsorted(rows, self._starts[1:-1]) if len(self._starts) > 2 else []
        parts = [
            block.of_rows(part - start)
            for block, start, part in zip(
                self._times[times], self._starts, np.split(rows, cuts), strict=False
            )
            if block is not None and len(part)
        ]
        return np.concatenate(parts) if parts else np.empty(0)

    def rounds(self) -> list[tuple[int, int]]:
        """Each launch and round that has a visit, once and in ascending order."""
        pairs, _ = self.rounds_of()
        return pairs

    def rounds_of(self) -> tuple[list[tuple[int, int]], NDArray[np.int64]]:
        """The launches and rounds with visits, ascending, and the place of each visit's there."""
        if not len(self):
            return [], np.empty(0, np.int64)
        launches, launch = np.unique(self.column("launch"), return_inverse=True)
        rounds, round_ = np.unique(self.column("round"), return_inverse=True)
        keys, places = np.unique(launch * len(rounds) + round_, return_inverse=True)
        firsts = launches[keys // len(rounds)].tolist(), rounds[keys % len(rounds)].tolist()
        return list(zip(*firsts, strict=True)), places

    def _made(self, rows: slice) -> Iterator[Samples]:
        every = np.arange(*rows.indices(len(self)))
        columns = {name: plain(self.column(name)[rows]) for name in (*WHOLE, *NUMBERS)}
        times = {name: self._lists(every, name) for name in TIMES}
        codes = self.codes[rows].tolist()
        known = {code: _axes_of(self._points[code]) for code in set(codes)}
        axes = [known[code] for code in codes]
        names = (*columns, *times)
        for values in zip(axes, *columns.values(), *times.values(), strict=True):
            yield Samples(**values[0], **dict(zip(names, values[1:], strict=True)))

    def _lists(self, rows: NDArray[np.int64], times: str) -> list[list[float] | None]:
        if times != "ns" and not self.has(times):
            return [None] * len(rows)
        counts = self.counts(times)[rows]
        values = self.values(rows, times).tolist()
        ends = np.cumsum(counts).tolist()
        lists = [values[end - n : end] for end, n in zip(ends, counts.tolist(), strict=True)]
        return lists if times == "ns" else [one or None for one in lists]


def _axes_of(point: Point) -> dict[str, Any]:
    return {name: getattr(point, name) for name in AXES}

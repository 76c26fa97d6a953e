"""The samples of a run, by columns with a row for each visit of a point."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import astuple

from hockney.plan.axes import AXES, Point
from hockney.records.columns import Ragged, Spill, factorised, floats, whole_or_objects
from hockney.records.kinds import Samples
from hockney.records.tables import Rows, joined, plain

if TYPE_CHECKING:
    from numpy.typing import NDArray

WHOLE = ("launch", "round", "repetitions")
NUMBERS = ("at_s", "compute_ns", "skew_ns", "load_Bps")
TIMES = ("ns", "own_mean_ns", "own_max_ns")
_FIELDS = Samples.__struct_fields__[len(AXES) :]
"""Fields of a record besides its axes, which come first."""


@dataclass
class Block:
    """Successive visits. `points` has the different points, and `codes` the index of each visit's
    point."""

    points: list[Point]
    codes: NDArray[np.int32]
    columns: dict[str, NDArray[Any]]
    times: dict[str, Ragged]

    @classmethod
    def of(cls, visits: Sequence[Samples]) -> Block:
        """Makes a block of visits from a file."""
        numbers: dict[tuple[Any, ...], int] = {}
        codes, rows = [], []
        for values in map(astuple, visits):
            codes.append(numbers.setdefault(values[: len(AXES)], len(numbers)))
            rows.append(values[len(AXES) :])
        fields = dict(zip(_FIELDS, zip(*rows, strict=True), strict=True))
        columns = {name: whole_or_objects(fields[name]) for name in WHOLE}
        columns |= {name: floats(fields[name]) for name in NUMBERS}
        times = {"ns": Ragged.of(fields["ns"])}
        for name in TIMES[1:]:
            if any(fields[name]):
                times[name] = Ragged.of([durations or () for durations in fields[name]])
        points = [Point(**dict(zip(AXES, axes, strict=True))) for axes in numbers]
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
        """Appends visits with points of this version of the format."""
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
        """The different points, in the order of their first visits."""
        self.settle()
        return self._points

    @property
    def codes(self) -> NDArray[np.int32]:
        """The index of each visit's point in `visited`."""
        self.settle()
        return joined(self._codes).astype(np.int32, copy=False)

    def column(self, name: str) -> NDArray[Any]:
        """launch, round, repetitions, at_s or compute_ns of each visit; NaN where it is unknown."""
        self.settle()
        return joined(self._columns[name])

    def counts(self, times: str = "ns") -> NDArray[np.int64]:
        """Number of samples of each visit."""
        self.settle()
        if times not in self._counts:
            rows = np.diff(self._starts).tolist()
            blocks = zip(self._times[times], rows, strict=True)
            self._counts[times] = joined(
                [np.zeros(n, np.int64) if of is None else of.counts for of, n in blocks]
                or [np.zeros(0, np.int64)]
            )
        return self._counts[times]

    def has(self, times: str) -> bool:
        """Whether any visit has these times."""
        self.settle()
        return any(block is not None for block in self._times[times])

    def values(self, rows: NDArray[Any], times: str = "ns") -> NDArray[np.float64]:
        """The samples of these ascending rows, concatenated, in ns."""
        self.settle()
        samples = np.empty(int(self.counts(times)[rows].sum()))
        filled = 0
        parts = np.split(rows, np.searchsorted(rows, self._starts[1:-1]))
        for block, start, part in zip(self._times[times], self._starts, parts, strict=False):
            if block is not None and len(part):
                values = block.of_rows(part - start)
                samples[filled : filled + len(values)] = values
                filled += len(values)
        return samples

    def rounds(self) -> list[tuple[int, int]]:
        """Each launch and round that has a visit, once and in ascending order."""
        pairs, _ = self.rounds_of()
        return pairs

    def rounds_of(self) -> tuple[list[tuple[int, int]], NDArray[np.int32]]:
        """The launches and rounds with visits, ascending, and each visit's index among them."""
        if not len(self):
            return [], np.empty(0, np.int32)
        launches, launch = factorised(self.column("launch"))
        rounds, round_ = factorised(self.column("round"))
        is_new = np.ones(len(launch), np.bool_)
        is_new[1:] = (launch[1:] != launch[:-1]) | (round_[1:] != round_[:-1])
        changes = np.flatnonzero(is_new)
        keys = launch[changes].astype(np.int64) * len(rounds) + round_[changes]
        known, places = np.unique(keys, return_inverse=True)
        firsts = launches[known // len(rounds)].tolist(), rounds[known % len(rounds)].tolist()
        lengths = np.diff(changes, append=len(launch))
        return list(zip(*firsts, strict=True)), np.repeat(places.astype(np.int32), lengths)

    def at(self, chosen: Callable[[Point], bool]) -> list[Samples]:
        """The visits of the chosen points; only these are created."""
        codes = [code for code, point in enumerate(self.visited) if chosen(point)]
        return list(self._made(np.flatnonzero(np.isin(self.codes, codes))))

    def _made(self, rows: slice | NDArray[Any]) -> Iterator[Samples]:
        every = np.arange(*rows.indices(len(self))) if isinstance(rows, slice) else rows
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
        return lists if times == "ns" else [durations or None for durations in lists]


def _axes_of(point: Point) -> dict[str, Any]:
    return {name: getattr(point, name) for name in AXES}

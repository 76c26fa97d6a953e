"""Columns of numbers that take as little memory as their values allow, without a loss.

A large file holds more values than fit into memory as Python objects. Large columns are numpy
arrays, and beyond IN_MEMORY bytes in a temporary file, of which only the used parts are read.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

IN_MEMORY = 256 * 1024 * 1024
"""Bytes of packed samples that this process keeps in memory, of all runs together; more go into
temporary files."""
SHORT, LONG = (2.0, 2**16 - 1), (1000.0, 2**31 - 1)
"""Scales and limits of samples that are stored as whole numbers: most clocks and batches give times
in halves of a nanosecond, and the engine prints seven digits."""
FEWEST_EXACT = 15.0 / 16.0
"""Fraction of the values that must be exact at a scale; the others are stored beside them."""


def whole_or_objects(values: Sequence[Any]) -> NDArray[Any]:
    """An array of whole numbers in as few bytes as they need; of objects if a value is None, or too
    large."""
    array = np.array(values) if len(values) else np.empty(0, np.int64)
    if array.dtype != np.int64:
        objects = np.empty(len(values), object)
        objects[:] = values
        return objects
    if len(array) and array.min() >= -(2**31) and array.max() < 2**31:
        return array.astype(np.int32)
    return array


def floats(values: Sequence[float | None]) -> NDArray[Any]:
    """An array of floats, NaN for None: JSON has no NaN."""
    if values.count(None) == len(values):
        return np.full(len(values), np.nan, np.float32)
    return np.array(values, dtype=np.float64)


def shared(values: Sequence[Any]) -> NDArray[Any]:
    """An array of objects that stores equal ones once: names, and lists of ranks."""
    known: dict[Any, Any] = {}
    objects = np.empty(len(values), object)
    for place, value in enumerate(values):
        key = tuple(value) if isinstance(value, list) else value
        objects[place] = known.setdefault(key, value)
    return objects


def factorised(values: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The different whole numbers, ascending, and the place of each value among them: np.unique(),
    without sorting where the numbers are small."""
    low, high = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    if high - low > 4 * len(values):
        numbers, places = np.unique(values, return_inverse=True)
        return numbers.astype(np.int64), places.astype(np.int32)
    known = np.zeros(high - low + 1, np.bool_)
    known[values - low] = True
    return np.flatnonzero(known) + low, (np.cumsum(known, dtype=np.int32) - 1)[values - low]


@dataclass(frozen=True)
class Packed:
    """Values, most of them whole multiples of 1 / scale. `codes` holds the multiples, and the
    largest code where the value is in `others`, by its place in `places`."""

    codes: NDArray[Any] | Stored
    scale: float | None
    """Codes per unit; None where `codes` are the values themselves."""
    places: NDArray[np.int64]
    others: NDArray[np.float64]

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> Packed:
        """Packs values so that each is restored exactly."""
        for (scale, most), kind in ((SHORT, np.uint16), (LONG, np.int32)):
            multiples = np.rint(values * scale)
            exact = (multiples / scale == values) & (multiples >= 0) & (multiples < most)
            if np.count_nonzero(exact) >= FEWEST_EXACT * len(values):
                places = np.flatnonzero(~exact)
                multiples[places] = most
                return cls(multiples.astype(kind), scale, places, values[places])
        return cls(values, None, np.empty(0, np.int64), np.empty(0))

    def at(self, places: NDArray[np.int64] | slice) -> NDArray[np.float64]:
        """The values at these places."""
        codes = self.codes[places]
        if self.scale is None:
            return np.array(codes, dtype=np.float64)
        values = codes / self.scale
        if len(self.places):
            odd = np.flatnonzero(codes == np.iinfo(codes.dtype).max)
            if len(odd):
                first = places.start if isinstance(places, slice) else None
                where = odd + first if first is not None else places[odd]  # type: ignore[index]
                values[odd] = self.others[np.searchsorted(self.places, where)]
        return values


class Stored:
    """An array in a file. Every access reads the file: pages that were mapped instead would count
    as memory of this process once they are used."""

    def __init__(self, file: BinaryIO, array: NDArray[Any]) -> None:
        self.dtype, self._file, self._place = array.dtype, file, file.seek(0, 2)
        self._count = len(array)
        array.tofile(file)
        file.flush()

    def __getitem__(self, places: NDArray[np.int64] | slice) -> NDArray[Any]:
        """The values of a slice without a step, or of places in any order."""
        if isinstance(places, slice):
            first, end, _ = places.indices(self._count)
            return self._read(first, end)
        if not len(places):
            return np.empty(0, self.dtype)
        first = int(places.min())
        return self._read(first, int(places.max()) + 1)[places - first]

    def _read(self, first: int, end: int) -> NDArray[Any]:
        size = self.dtype.itemsize
        content = os.pread(self._file.fileno(), (end - first) * size, self._place + first * size)
        return np.frombuffer(content, self.dtype)


class Spill:
    """A temporary file for columns too large for memory; without a disk they stay in memory."""

    _held_by_all = 0

    def __init__(self) -> None:
        self._file: BinaryIO | None = None
        self._held = 0

    def __del__(self) -> None:
        type(self)._held_by_all -= self._held

    def packed(self, values: Packed) -> Packed:
        """Stores packed values, whose codes may move into the file."""
        assert isinstance(values.codes, np.ndarray)
        return replace(values, codes=self._keep(values.codes))

    def _keep(self, array: NDArray[Any]) -> NDArray[Any] | Stored:
        if len(array) and Spill._held_by_all + array.nbytes > IN_MEMORY:
            with suppress(OSError):
                self._file = self._file or tempfile.TemporaryFile(prefix="hockney-")  # noqa: SIM115
                return Stored(self._file, array)
        self._held += array.nbytes
        Spill._held_by_all += array.nbytes
        return array


@dataclass
class Ragged:
    """Lists of values, one for each visit: `packed` holds them all, `ends` where each ends."""

    packed: Packed
    ends: NDArray[np.int32]

    @classmethod
    def of(cls, lists: Sequence[Sequence[float]]) -> Ragged:
        """Packs lists of numbers."""
        ends = np.cumsum(list(map(len, lists)), dtype=np.int32)
        values = np.fromiter(chain.from_iterable(lists), np.float64, int(ends[-1]))
        return cls(Packed.of(values), ends)

    @property
    def counts(self) -> NDArray[np.int32]:
        return np.diff(self.ends, prepend=0)

    def of_rows(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        """The lists of these rows, concatenated."""
        ends = self.ends[rows]
        starts = np.where(rows > 0, self.ends[rows - 1], 0)
        if len(rows) and (starts[1:] == ends[:-1]).all():
            return self.packed.at(slice(int(starts[0]), int(ends[-1])))
        counts = ends - starts
        before = np.cumsum(counts) - counts
        return self.packed.at(np.arange(int(counts.sum())) + np.repeat(starts - before, counts))

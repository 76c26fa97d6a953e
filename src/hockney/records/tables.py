"""Records of one kind, stored by columns and created on access.

A table is used as a list of records. For one field of all of them use its column.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableSequence, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints, overload

import msgspec
import numpy as np
from msgspec.structs import astuple

from hockney.records.columns import floats, shared, whole_or_objects

if TYPE_CHECKING:
    from numpy.typing import NDArray

T = TypeVar("T", bound=msgspec.Struct)
Columns = dict[str, Any]
AT_ONCE = 4096
"""Records created at once when all are iterated."""
FIRST_AT_ONCE = 64
"""Records created at once when they are iterated from the last, of which mostly few are used."""


@cache
def _makers(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Functions that make a column of values, by field."""
    makers = {}
    for name, hint in get_type_hints(kind).items():
        if name in kind.__struct_fields__:
            words = str(hint)
            whole = int in (hint, *getattr(hint, "__args__", ()))
            makers[name] = floats if "float" in words else whole_or_objects if whole else shared
    return makers


def columns_of(kind: type[msgspec.Struct], records: Sequence[Any]) -> Columns:
    """A column for each field."""
    fields = zip(*map(astuple, records), strict=True)
    values = dict(zip(kind.__struct_fields__, fields, strict=True))
    return {name: make(values[name]) for name, make in _makers(kind).items()}


def plain(column: NDArray[Any]) -> list[Any]:
    """The values as in the records; None for an unknown float."""
    values: list[Any] = column.tolist()
    if column.dtype.kind == "f" and np.isnan(column).any():
        return [None if value != value else value for value in values]
    return values


class Rows(MutableSequence[T]):
    """A list of records stored elsewhere. Appended records are kept as they are until the content
    is used."""

    def __init__(self, records: Iterable[T] = ()) -> None:
        self._new: list[T] = list(records)
        self._clear()

    def _clear(self) -> None:
        raise NotImplementedError

    def _take(self, records: list[T]) -> None:
        """Moves these records into columns."""
        raise NotImplementedError

    def _made(self, rows: slice) -> Iterator[T]:
        """The records of these rows."""
        raise NotImplementedError

    def _stored(self) -> int:
        raise NotImplementedError

    def settle(self) -> None:
        """Moves appended records into columns."""
        if self._new:
            new, self._new = self._new, []
            self._take(new)

    def append(self, value: T) -> None:
        self._new.append(value)

    def __len__(self) -> int:
        return self._stored() + len(self._new)

    def __iter__(self) -> Iterator[T]:
        self.settle()
        for start in range(0, len(self), AT_ONCE):
            yield from self._made(slice(start, start + AT_ONCE))

    def __reversed__(self) -> Iterator[T]:
        self.settle()
        end, count = len(self), FIRST_AT_ONCE
        while end > 0:
            start = max(end - count, 0)
            yield from reversed(list(self._made(slice(start, end))))
            end, count = start, min(2 * count, AT_ONCE)

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> list[T]: ...

    def __getitem__(self, index: int | slice) -> T | list[T]:
        self.settle()
        if isinstance(index, slice):
            places = range(*index.indices(len(self)))
            if places.step == 1:
                return list(self._made(slice(places.start, places.stop)))
            return [self[place] for place in places]
        place = range(len(self))[index]
        return next(self._made(slice(place, place + 1)))

    def _change(self, index: Any, value: Any = None, delete: bool = False) -> None:
        records = list(self)
        if delete:
            del records[index]
        else:
            records[index] = value
        self._clear()
        self._new = records

    def __setitem__(self, index: Any, value: Any) -> None:
        self._change(index, value)

    def __delitem__(self, index: Any) -> None:
        self._change(index, delete=True)

    def insert(self, index: int, value: T) -> None:
        self._change(slice(index, index), [value])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, list | Rows) and list(self) == list(other)

    def __repr__(self) -> str:
        return repr(list(self))


class Table(Rows[T]):
    """Records of one kind with plain fields."""

    def __init__(self, kind: type[T], records: Iterable[T] = ()) -> None:
        self._kind = kind
        super().__init__(records)

    def _clear(self) -> None:
        self._parts: dict[str, list[NDArray[Any]]] = {name: [] for name in _makers(self._kind)}
        self._count = 0

    def _take(self, records: list[T]) -> None:
        self.add_columns(columns_of(self._kind, records))

    def add_columns(self, columns: Columns) -> None:
        """Appends columns from columns_of()."""
        self.settle()
        for name, column in columns.items():
            self._parts[name].append(column)
        self._count += len(next(iter(columns.values())))

    def column(self, name: str) -> NDArray[Any]:
        """One field of all records; NaN for an unknown number."""
        self.settle()
        return joined(self._parts[name])

    def _stored(self) -> int:
        return self._count

    def _made(self, rows: slice) -> Iterator[T]:
        columns = [plain(self.column(name)[rows]) for name in self._parts]
        for values in zip(*columns, strict=True):
            yield self._kind(**dict(zip(self._parts, values, strict=True)))


def joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """One array of all parts, which it replaces in the list."""
    if len(parts) != 1:
        parts[:] = [np.concatenate(parts) if parts else np.empty(0)]
    return parts[0]

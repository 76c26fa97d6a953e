"""The file of `hockney watch` with the numbers of a network's parts: four bytes a part and look,
where a line of the list would take ten times as many.

It is a sequence of blocks, each behind its length and checksum: the names of parts in some order,
or what a look has of the parts, in such an order. Lines of the list have the places of both.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np

from hockney.base.errors import UsageError
from hockney.base.outputs import append_whole
from hockney.infer.analysis.history.parts import NO_PARTS, Order, Parts, in_order, order_of
from hockney.infer.analysis.history.watch import Look

PARTS = "parts.bin"
_HEAD = struct.Struct("<II")
_NUMBER = np.dtype("<f4")


@dataclass
class PartsFile:
    directory: Path
    _orders: dict[int, Order] = field(default_factory=dict, init=False)
    """By their places in the file; the newest is the last."""

    @property
    def path(self) -> Path:
        return self.directory / PARTS

    def holds(self, look: Look) -> bool:
        """Whether the file, where it is not damaged, has all that the list places in it."""
        if look.parts is None:
            return True
        return self.path.exists() and max(look.parts) < self.path.stat().st_size

    def of(self, look: Look) -> Parts:
        """Raises UsageError where the file is damaged."""
        if look.parts is None:
            return NO_PARTS
        order_at, at = look.parts
        try:
            order = self._order(order_at)
            values = np.frombuffer(self._block(at), _NUMBER).astype(np.float64)
            if len(values) != len(order) or not (np.isnan(values) | (values > 0.0)).all():
                raise ValueError("its numbers are of other parts")
        except (OSError, ValueError) as error:
            raise UsageError(
                f"{self.path} is damaged at look {look.number}: {error}",
                "remove it: what it had is read from the result files again",
            ) from error
        return Parts(order, values)

    def store(self, look: Look) -> Look:
        """Adds the parts of a look, as a whole or not at all, and returns the line of the look
        without them. Raises OSError where the disk refuses."""
        readings = [reading for reading in look.readings if reading.series.is_part]
        if not readings:
            return look
        newest_at, before = next(reversed(self._orders.items()), (0, ()))
        order, order_at = order_of(readings, before), newest_at
        if order is not before:
            order_at = self._append(msgspec.json.encode(order))
            self._orders[order_at] = order
        at = self._append(in_order(readings, order).values.astype(_NUMBER).tobytes())
        rest = tuple(reading for reading in look.readings if not reading.series.is_part)
        return msgspec.structs.replace(look, readings=rest, parts=(order_at, at))

    def _order(self, at: int) -> Order:
        if at not in self._orders:
            self._orders[at] = msgspec.json.decode(self._block(at), type=Order)
        return self._orders[at]

    def _block(self, at: int) -> bytes:
        with self.path.open("rb") as file:
            file.seek(at)
            head = file.read(_HEAD.size)
            length, checksum = _HEAD.unpack(head) if len(head) == _HEAD.size else (0, 0)
            content = file.read(length)
        if not length or len(content) < length or zlib.crc32(content) != checksum:
            raise ValueError(f"no block at {at}")
        return content

    def _append(self, content: bytes) -> int:
        return append_whole(self.path, _HEAD.pack(len(content), zlib.crc32(content)) + content)

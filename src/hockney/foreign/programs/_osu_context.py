"""What the lines above an OSU table show: its title, version, ranks and parameters."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from hockney.foreign.logs.log import Log
from hockney.foreign.logs.table import Column, LogTable
from hockney.foreign.programs._osu_titles import TWO_RANKS, calls_one_sided, device_of, operation_of

_LIBRARY = re.compile(r"([A-Z]{1,4}CCL)\b")
"""A library other than MPI whose operations are measured."""
MEMORIES = {"HOST": "host", "DEVICE": "device", "MANAGED": "managed"}


@dataclass
class OsuContext:
    """Information from the lines before a table's heading."""

    title: str = ""
    version: str | None = None
    parameters: dict[str, str] = field(default_factory=dict)
    ranks: int | None = None
    shown_ranks: int | None = None
    """The ranks that a line gives for all tables below it; a command is for one table only."""
    pairs: int | None = None
    fan: str | None = None
    """The direction of the program above that measures bandwidth to or from one node."""
    quantity: Column | None = None
    before: LogTable | None = None
    """The table before this one, with which it may share a title or a command."""
    above: OsuContext | None = None
    """The context of the table before this one."""

    @property
    def device(self) -> str | None:
        """The memory that holds the messages, where the title names it: CUDA of "MPI-CUDA
        Latency"."""
        return device_of(self.title)

    @property
    def is_one_sided(self) -> bool:
        return calls_one_sided(self.title) or "Window creation" in self.parameters

    @property
    def operation(self) -> str:
        operation = operation_of(self.title, self.is_one_sided)
        return f"{operation}-fan-{self.fan}" if self.fan and operation == "bandwidth" else operation

    @property
    def memories(self) -> tuple[str | None, str | None]:
        """The axes memory and peer_memory, by the line on buffers."""
        named = self.parameters.get("buffers", "").split(" to ")
        sides = [MEMORIES.get(side.partition(" ")[0]) for side in named]
        return sides[0], sides[-1] if sides[-1] != sides[0] else None

    def table(self, log: Log, line: int) -> LogTable:
        operation = self.operation if self.title else log.operation
        pairs = None if self.pairs is None else 2 * self.pairs
        device = {"device": self.device} if self.device else {}
        library = _LIBRARY.match(self.title)
        others = {"library": library[1]} if library else {}
        table = LogTable(
            operation=operation,
            program=f"OSU {self.title} Test" if self.title else "OSU",
            version=self.version,
            line=line,
            ranks=2 if operation in TWO_RANKS else pairs or self.ranks,
            memory=self.memories[0],
            peer_memory=self.memories[1],
            options={**self.parameters, **device, **others},
        )
        if not self.title:
            table.note(f"{log.at(line)}: a table without a title, after that of another test")
        elif self._has_lost_ranks(table):
            table.note(
                f"{log.at(line)}: the number of processes of this table is unknown: the line "
                "that says it is above the first table only"
            )
        return table

    def _has_lost_ranks(self, table: LogTable) -> bool:
        """True if the line that shows the ranks is above the first table of a loop only."""
        before = self.before
        return bool(before and before.ranks and before.operation == table.operation) and (
            table.ranks is None
        )

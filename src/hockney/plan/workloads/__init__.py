"""Workloads: what is exchanged. One class for each experiment, in a module of its name.

A workload defines its arguments for the engine, the fields that each of its operations takes, and
its limits. Each module must satisfy the protocol Experiment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args

import msgspec

from hockney.base.registry import Registry
from hockney.plan.size import Size
from hockney.plan.words import STANDARD

Buffers = Literal["returned", "separate", "cold"]
BUFFERS: tuple[Buffers, ...] = get_args(Buffers)
"""returned: a message is sent back from the buffer that received it. separate: receive and send
buffers differ. cold: buffers change within memory larger than the last cache."""


class CaseAxes(Protocol):
    """The axes of samples that distinguish the cases of a plan."""

    @property
    def operation(self) -> str: ...

    @property
    def algorithm(self) -> str | None: ...

    @property
    def segment_bytes(self) -> int | None: ...

    @property
    def radix(self) -> int | None: ...

    @property
    def requests(self) -> int | None: ...

    @property
    def element(self) -> str | None: ...

    @property
    def phase(self) -> str | None: ...

    @property
    def form(self) -> str | None: ...

    @property
    def ranks(self) -> int | None: ...

    @property
    def variant(self) -> str | None: ...


@dataclass(frozen=True)
class Row:
    """The fields and buffers that one operation of an experiment takes."""

    fields: frozenset[str] | None = None
    """Fields of the workload, without sizes and buffers, which all have; None for all."""
    buffers: tuple[Buffers, ...] = BUFFERS
    has_bytes: bool = True
    modes: tuple[str, ...] = (STANDARD,)
    """Send modes of the operation."""


class Workload(msgspec.Struct, frozen=True, kw_only=True, tag_field="experiment"):
    sizes: tuple[Size, ...]
    buffers: Buffers | None = None
    """Buffers; None for the operation's usual ones (the launch record has those used)."""

    @property
    def experiment(self) -> str:
        """Name in verbs, records and the engine."""
        tag = self.__struct_config__.tag
        assert isinstance(tag, str)
        return tag

    @property
    def row(self) -> str:
        """Name of the workload's row in `rows`."""
        return self.experiment

    @classmethod
    def rows(cls) -> dict[str, Row]:
        """What each operation of the experiment takes, by name."""
        return {str(cls.__struct_config__.tag): Row()}

    @property
    def usual_buffers(self) -> Buffers:
        return "returned"

    @property
    def ends_by_time(self) -> bool:
        """True if time ends a launch, not a number of repetitions."""
        return True

    @property
    def has_gate(self) -> bool:
        """Whether the result may fail the run."""
        return False

    @property
    def ends_by_precision(self) -> bool:
        """True if a launch ends early when its medians are precise enough."""
        return self.ends_by_time

    @property
    def times_every_iteration(self) -> bool:
        """True if each repetition is timed on its own."""
        return False

    @property
    def launch_axes(self) -> dict[str, Any]:
        """Axes of all samples of a launch that the engine need not know."""
        return {}

    @property
    def threads_of_rank(self) -> int:
        """The most threads of a rank that exchange messages."""
        return 1

    @property
    def sides(self) -> list[tuple[str, str]]:
        """The memories of the rank that sends first and of the other, of each method; empty if all
        messages lie in memory of the host by default."""
        return []

    @property
    def uses_devices(self) -> bool:
        """Whether any message lies in memory that a driver of accelerators must allocate."""
        return False

    def check_memory(self, is_simulated: bool) -> None:
        """Raises UsageError if messages cannot lie in the memory that was asked for."""

    def long_list(self, ranks: int) -> str | None:  # noqa: ARG002
        """An argument that may be too long for a command line and then goes into a file."""
        return None

    @property
    def largest_bytes(self) -> int:
        return max((size.bytes for size in self.sizes), default=0)

    def arguments(self, ranks: int, list_file: str | None = None) -> list[str]:
        """The engine's arguments for this experiment, its name first. `list_file` holds `long_list`
        if that was written to a file."""
        raise NotImplementedError

    def arguments_now(self) -> list[str]:
        """Arguments that are known only when a launch begins."""
        return []

    def flags(self, *fields: str) -> list[str]:
        """The engine's options of those of the fields that are set."""
        return [f"--{name.replace('_', '-')}" for name in fields if getattr(self, name)]

    def check(self, ranks: int) -> None:
        """Raises UsageError if the workload cannot be measured with this number of ranks."""

    def taking_part(self, ranks: int) -> int:
        """The number of ranks that exchange messages."""
        return ranks

    def buffer_bytes(self, ranks: int) -> int:  # noqa: ARG002
        """Bytes that a participating rank allocates."""
        buffers = self.buffers or self.usual_buffers
        return (1 if buffers == "returned" else 2) * self.largest_bytes

    def is_measured_by(self, samples: CaseAxes) -> bool:  # noqa: ARG002
        """True if samples of a run with several cases can belong to this workload."""
        return True


class Experiment(Protocol):
    WORKLOAD: type[Workload]
    """The class, whose tag is the module's name."""


WORKLOADS = Registry(__name__, "experiment", Experiment)


def workload_type(experiment: str) -> type[Workload]:
    """The class of an experiment; raises KeyError if it is unknown."""
    if experiment not in WORKLOADS.names():
        raise KeyError(experiment)
    return WORKLOADS.find(experiment).WORKLOAD


def workload_from(stored: Any) -> Workload:
    """The workload of a run record; raises msgspec.ValidationError, or KeyError for an unknown
    experiment."""
    return msgspec.convert(stored, workload_type(stored["experiment"]))

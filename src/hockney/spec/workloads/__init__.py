"""What is exchanged: one class an experiment, each in a file of its own, found by its name.

A workload knows its arguments for the engine, what each of its operations takes, and what it cannot
be. Experiment is what every module here must have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args

import msgspec

from hockney.registry import Registry
from hockney.spec.size import Size

Buffers = Literal["returned", "separate", "cold"]
BUFFERS: tuple[Buffers, ...] = get_args(Buffers)
"""A message is sent on from where it was received; received into another buffer than it is sent
from; or walks through buffers larger than the last cache."""


class Measured(Protocol):
    """What a record of samples says of the point that it measured."""

    @property
    def operation(self) -> str: ...

    @property
    def algorithm(self) -> str | None: ...

    @property
    def segment_bytes(self) -> int | None: ...

    @property
    def ranks(self) -> int | None: ...


@dataclass(frozen=True)
class Row:
    """What one operation of an experiment takes."""

    fields: frozenset[str] | None = None
    """Those of its workload, apart from sizes and buffers, which all have; None: all."""
    buffers: tuple[Buffers, ...] = BUFFERS
    has_bytes: bool = True


class Workload(msgspec.Struct, frozen=True, kw_only=True, tag_field="experiment"):
    sizes: tuple[Size, ...]
    buffers: Buffers | None = None
    """None: those that the operation usually has; the launch record says which they were."""

    @property
    def experiment(self) -> str:
        """The name by which verbs, records and the engine know it."""
        tag = self.__struct_config__.tag
        assert isinstance(tag, str)
        return tag

    @property
    def row(self) -> str:
        """Which of `rows` it is."""
        return self.experiment

    @classmethod
    def rows(cls) -> dict[str, Row]:
        """What each operation of the experiment takes, by its name."""
        return {str(cls.__struct_config__.tag): Row()}

    @property
    def usual_buffers(self) -> Buffers:
        return "returned"

    @property
    def ends_by_time(self) -> bool:
        """Whether time ends a launch; else its counts do."""
        return True

    @property
    def ends_by_precision(self) -> bool:
        """Whether a launch ends early where its medians are precise enough."""
        return self.ends_by_time

    @property
    def times_every_iteration(self) -> bool:
        """Whether each repetition is timed on its own."""
        return False

    def long_list(self, ranks: int) -> str | None:  # noqa: ARG002
        """An argument that may be too long for a command line: the engine reads it from a file."""
        return None

    @property
    def largest_bytes(self) -> int:
        return max((size.bytes for size in self.sizes), default=0)

    def arguments(self, ranks: int, list_file: str | None = None) -> list[str]:
        """The engine's words for what is of this experiment alone, its name first; `list_file`
        holds `long_list` where that was written to a file."""
        raise NotImplementedError

    def check(self, ranks: int) -> None:
        """Raises AskedWronglyError where it cannot be measured with so many ranks."""

    def taking_part(self, ranks: int) -> int:
        """How many of the ranks exchange messages."""
        return ranks

    def buffer_bytes(self, ranks: int) -> int:  # noqa: ARG002
        """What a rank that takes part allocates."""
        buffers = self.buffers or self.usual_buffers
        return (1 if buffers == "returned" else 2) * self.largest_bytes

    def is_measured_by(self, samples: Measured) -> bool:  # noqa: ARG002
        """Whether samples of a run of several cases can be of this workload."""
        return True


class Experiment(Protocol):
    WORKLOAD: type[Workload]
    """Its name, the tag of the class, is that of the module."""


WORKLOADS = Registry(__name__, "experiment", Experiment)


def workload_type(experiment: str) -> type[Workload]:
    """The class of an experiment; raises KeyError where it is not known."""
    if experiment not in WORKLOADS.names():
        raise KeyError(experiment)
    return WORKLOADS.find(experiment).WORKLOAD


def workload_from(stored: Any) -> Workload:
    """The workload of a run record; raises msgspec.ValidationError, or KeyError for an experiment
    that is not known."""
    return msgspec.convert(stored, workload_type(stored["experiment"]))

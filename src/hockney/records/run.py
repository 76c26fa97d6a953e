"""A run: all records of one file."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from dataclasses import replace as replaced
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import force_setattr, replace

from hockney.base.printable import one_line
from hockney.plan import plan_of
from hockney.plan.axes import Axes
from hockney.plan.command_lines import COMMAND_LINE
from hockney.plan.topology import Topology, level_between
from hockney.plan.words import PARAMETERS
from hockney.records.carriers import PathRecord
from hockney.records.columns import factorised
from hockney.records.decoding import TABLES, Decoded
from hockney.records.kinds import (
    Completions,
    End,
    Finish,
    Noise,
    PairTimes,
    Probe,
    Progress,
    Record,
    Round,
    Samples,
    Start,
    Summary,
    Switch,
    Tail,
)
from hockney.records.launch_records import LaunchRecord, LeftOutNode, Place, RunRecord
from hockney.records.pair_times import PairBlock
from hockney.records.tables import Table
from hockney.records.visits import Block, Visits

REPEATED, UNRELATED = "repeated", "unknown"
"""Option of a run whose log repeats points, and its value if their relation is unknown."""
WITHOUT_BUFFERS = frozenset({"handover", "copy"})
"""Operations that do not use the message buffers of their launch."""
LISTS: dict[type[Record], str] = {
    LaunchRecord: "launches",
    PathRecord: "paths",
    Switch: "switches",
    Samples: "samples",
    PairTimes: "pair_times",
    Tail: "tails",
    Completions: "completions",
    Summary: "summaries",
    Start: "starts",
    Probe: "probes",
    Round: "rounds",
    Noise: "noises",
    End: "ends",
}
"""The list of a run that holds each kind of record, in an order in which they can be read."""


@dataclass
class Run:
    """All launches of a plan; one file."""

    header: RunRecord
    launches: list[LaunchRecord] = field(default_factory=list)
    samples: Visits = field(default_factory=Visits)
    pair_times: list[PairBlock] = field(default_factory=list)
    """Pair times of a run that passes over all pairs, which has few other samples."""
    tails: list[Tail] = field(default_factory=list)
    completions: list[Completions] = field(default_factory=list)
    summaries: list[Summary] = field(default_factory=list)
    starts: Table[Start] = field(default_factory=lambda: Table(Start))
    probes: Table[Probe] = field(default_factory=lambda: Table(Probe))
    rounds: Table[Round] = field(default_factory=lambda: Table(Round))
    noises: Table[Noise] = field(default_factory=lambda: Table(Noise))
    paths: list[PathRecord] = field(default_factory=list)
    """What carried messages."""
    switches: list[Switch] = field(default_factory=list)
    ends: list[End] = field(default_factory=list)
    finish: Finish | None = None
    """The last finish record; None if the run was killed or is still in progress."""
    path: Path | None = None
    cut: str | None = None
    """What is missing if the file was cut short or damaged."""
    notes: list[str] = field(default_factory=list)
    """What else a reader must know about records of an engine that was started by hand."""
    _common: dict[int, dict[str, Any]] = field(default_factory=dict, repr=False, compare=False)
    """Axes that all samples of a launch share, by launch."""
    _on_switches: dict[int, Place] = field(default_factory=dict, repr=False, compare=False)
    """Places in the first launch on the same nodes by rank, if switches are known."""

    def __setattr__(self, name: str, value: Any) -> None:
        """Converts lists of records to tables."""
        if isinstance(value, list) and name == "samples":
            value = Visits(value)
        elif isinstance(value, list) and name in TABLES:
            value = Table(TABLES[name], value)
        super().__setattr__(name, value)

    @property
    def label(self) -> str:
        """The user's label, else the MPI libraries and the host."""
        if self.header.label:
            return self.header.label
        libraries = dict.fromkeys(filter(None, (each.mpi.name for each in self.launches)))
        if libraries:
            places = self.launches[0].places
            host = places[0].host if places else None
            return f"{', '.join(libraries)} on {host or 'unknown'}"
        return one_line(self.path.stem) if self.path else self.header.experiment

    @property
    def is_measured(self) -> bool:
        """Whether anything was measured."""
        return bool(self.samples or self.pair_times)

    @property
    def is_by_hand(self) -> bool:
        """True for the records of an engine that was started by hand, whose plan is unknown."""
        return COMMAND_LINE in self.header.options

    @property
    def has_unrelated_rows(self) -> bool:
        """True for a log with several rows of a point whose relation is unknown."""
        return bool(self.header.options.get(REPEATED) == UNRELATED)

    @property
    def is_simulated(self) -> bool:
        """True if its times are simulated, so that they do not drift."""
        return any(launch.simulated for launch in self.launches[:1])

    @property
    def taking_part(self) -> set[int]:
        """Ranks that exchanged messages: the peers of samples, or all if some have none."""
        visited = self.samples.visited
        named = {rank for point in visited for rank in point.peers}
        if named and all(point.peers for point in visited):
            return named
        return {place.rank for launch in self.launches for place in launch.places}

    def of_launches(self, numbers: Container[int]) -> Run:
        """The part of the run with these launches."""
        return Run(self.header, **self._of(numbers))

    def _of(self, numbers: Container[int]) -> dict[str, Any]:
        """The records of these launches, by their kind."""
        return {
            kind: [record for record in getattr(self, kind) if record.launch in numbers]
            for kind in LISTS.values()
            if kind != "switches"
        }

    @property
    def left_out(self) -> list[LeftOutNode]:
        """The nodes left out of the last launch that measured anything."""
        if not any(launch.left_out for launch in self.launches):
            return []
        measured = {*self.samples.column("launch").tolist()}
        measured |= {block.launch for block in self.pair_times}
        kept = [each for each in self.launches if each.launch in measured or not measured]
        return kept[-1].left_out if kept else []

    def launches_without(self, left_out: list[LeftOutNode]) -> set[int]:
        """The launches that left out exactly these nodes."""
        return {launch.launch for launch in self.launches if launch.left_out == left_out}

    @property
    def on_nodes_left(self) -> Run:
        """The run without launches on nodes that it later left out: its answer is about the nodes
        that are left."""
        left_out = self.left_out
        if all(launch.left_out == left_out for launch in self.launches):
            return self
        return replaced(self, **self._of(self.launches_without(left_out)))

    def records(self) -> Iterator[Record]:
        """All records, in an order in which they can be read."""
        yield self.header
        for kind in LISTS.values():
            for record in getattr(self, kind):
                yield record.record() if isinstance(record, PairBlock) else record
        if self.finish is not None:
            yield self.finish

    def add(self, record: Record) -> None:
        """Adds a record to the list of its kind."""
        match record:
            case Samples() | Tail() | Completions():
                self._complete(record)
            case LaunchRecord():
                self._common[record.launch] = record.common_axes
                self._set_switches(record)
            case Finish():
                self.finish = record
                return
            case RunRecord() | Progress():
                return
        held = PairBlock.of(record) if isinstance(record, PairTimes) else record
        getattr(self, LISTS[type(record)]).append(held)

    def add_decoded(self, block: Decoded) -> None:
        """Adds the records of a block of lines."""
        for record in block.others:
            self.add(record)
        self.pair_times += block.pair_times
        for name, columns in block.tables.items():
            getattr(self, name).add_columns(columns)
        if block.visits is not None:
            self.samples.add_block(self._completed(block.visits))

    def _completed(self, block: Block) -> Block:
        """The visits with the axes of their launch."""
        launches, launch = factorised(block.columns["launch"])
        axes = [self._common.get(n, {}) for n in launches.tolist()]
        kinds: list[dict[str, Any]] = []
        for axis in axes:
            if axis not in kinds:  # few, while launches may be many
                kinds.append(axis)
        kind = np.array([kinds.index(axis) for axis in axes])[launch]
        keys, codes = factorised(block.codes.astype(np.int64) * len(kinds) + kind)
        each = [(block.points[k // len(kinds)], kinds[k % len(kinds)]) for k in keys.tolist()]
        block.points = [replace(point, **self._shared(point, common)) for point, common in each]
        block.codes = codes
        return block

    def _complete(self, record: Samples | Tail | Completions) -> None:
        """Sets the axes of a record that was just read and is not used yet."""
        for name, value in self._shared(record, self._common.get(record.launch, {})).items():
            force_setattr(record, name, value)

    def _shared(self, axes: Axes, common: Mapping[str, Any]) -> dict[str, Any]:
        """The axes that a sample does not have itself: its level, and those of its launch.
        Collectives made by messages have no parameters of the library's algorithm."""
        left_out: frozenset[str] = frozenset()
        if axes.operation in WITHOUT_BUFFERS:
            left_out |= {"buffers"}
        if axes.phase is not None:
            left_out |= PARAMETERS
        shared = {name: value for name, value in common.items() if name not in left_out}
        return shared | {"level": self._level(axes)}

    def _set_switches(self, launch: LaunchRecord) -> None:
        """Sets the switches of places from the plan's topology, which precedes Slurm's."""
        topology = self._topology()
        if topology is not None:
            for place in launch.places:
                place.topology = topology.address(place.host or "")
        is_elsewhere = not self.launches or launch.left_out != self.launches[-1].left_out
        if is_elsewhere and any(place.topology for place in launch.places):
            self._on_switches = {place.rank: place for place in launch.places}

    def _topology(self) -> Topology | None:
        """The topology of the plan."""
        try:
            given = self.header.options["cases"][0]["placement"]["topology"]
        except (LookupError, TypeError):
            return None
        plan = plan_of(self.header.options) if given else None
        return plan.first.placement.topology if plan else None

    def _level(self, axes: Axes) -> str | None:
        """The level between two ranks with known switches; None without."""
        if not self._on_switches or len(axes.peers) != 2:
            return None
        first, second = (self._on_switches.get(rank) for rank in axes.peers)
        if first is None or second is None:
            return None
        ends = (first.host, first.topology), (second.host, second.topology)
        return level_between(*ends)

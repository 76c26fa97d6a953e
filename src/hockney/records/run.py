"""A run: all records of one file."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any

from msgspec.structs import force_setattr

from hockney.printable import one_line
from hockney.records import version1
from hockney.records.kinds import (
    End,
    Finish,
    LaunchRecord,
    Noise,
    Probe,
    Progress,
    Record,
    Round,
    RunRecord,
    Samples,
    Start,
    Summary,
    Switch,
)


@dataclass
class Run:
    """All launches of a plan; one file."""

    header: RunRecord
    launches: list[LaunchRecord] = field(default_factory=list)
    samples: list[Samples] = field(default_factory=list)
    summaries: list[Summary] = field(default_factory=list)
    starts: list[Start] = field(default_factory=list)
    probes: list[Probe] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)
    noises: list[Noise] = field(default_factory=list)
    switches: list[Switch] = field(default_factory=list)
    ends: list[End] = field(default_factory=list)
    finish: Finish | None = None
    """The last one; None where the run was killed or is still going on."""
    path: Path | None = None
    cut: str | None = None
    """Describes what is missing if the file was cut short or damaged."""
    _buffers: dict[int, str | None] = field(default_factory=dict, repr=False, compare=False)
    """Buffers of each launch."""
    _variants: dict[int, str] = field(default_factory=dict, repr=False, compare=False)
    """The variant of each launch that measured one."""

    @property
    def label(self) -> str:
        """The user's label, else the MPI library and host."""
        if self.header.label:
            return self.header.label
        if self.launches and self.launches[0].mpi.library:
            mpi, places = self.launches[0].mpi, self.launches[0].places
            host = places[0].host if places else None
            return f"{mpi.library} {mpi.version or ''} on {host or 'unknown'}".replace("  ", " ")
        return one_line(self.path.stem) if self.path else self.header.experiment

    @property
    def is_simulated(self) -> bool:
        """True if its times are those of a platform, which do not drift."""
        return any(launch.simulated for launch in self.launches[:1])

    @property
    def taking_part(self) -> set[int]:
        """Ranks that exchanged messages: the peers of samples, or all ranks without peers."""
        named = set(chain.from_iterable(map(attrgetter("peers"), self.samples)))
        return named or {place.rank for launch in self.launches for place in launch.places}

    def of_launches(self, numbers: Container[int]) -> Run:
        """The part of the run that is of these launches."""
        kinds = ("launches", "samples", "summaries", "starts", "probes", "rounds", "noises", "ends")
        own: dict[str, Any] = {
            kind: [r for r in getattr(self, kind) if r.launch in numbers] for kind in kinds
        }
        return Run(self.header, **own)

    def add(self, record: Record) -> None:
        """Adds a record to the list of its kind."""
        match record:
            case Samples():
                version1.upgrade(record, self.header.experiment, self._buffers.get(record.launch))
                if record.launch in self._variants:
                    force_setattr(record, "variant", self._variants[record.launch])
                self.samples.append(record)
            case Noise():
                self.noises.append(record)
            case Round():
                self.rounds.append(record)
            case Start():
                self.starts.append(record)
            case Probe():
                self.probes.append(record)
            case LaunchRecord():
                record.buffers = self._buffers[record.launch] = version1.buffers_of(record)
                if record.variant is not None:
                    self._variants[record.launch] = record.variant
                self.launches.append(record)
            case Switch():
                self.switches.append(record)
            case Summary():
                version1.upgrade(record, self.header.experiment, None)
                self.summaries.append(record)
            case End():
                self.ends.append(record)
            case Finish():
                self.finish = record
            case RunRecord() | Progress():
                pass

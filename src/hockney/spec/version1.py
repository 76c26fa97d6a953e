"""The options of run records of format 1: flat fields and arguments of the engine."""

from __future__ import annotations

from typing import Any

import msgspec

from hockney.spec.placement import Placement, parse_cpus
from hockney.spec.sampling import Sampling
from hockney.spec.size import Size
from hockney.spec.workloads import Buffers, Workload, workload_type
from hockney.units import parse_size


class Version1(msgspec.Struct, kw_only=True):
    """The options of a run of format 1; `questions` has the differences between cases."""

    experiment: str
    sizes: tuple[str, ...] = ()
    ranks: int = 2
    peers: tuple[int, int] = (0, 1)
    least_launches: int = 5
    most_launches: int | None = None
    precision: float = 0.01
    budget_s: float = 10.0
    over_s: float | None = None
    timeout_s: float = 60.0
    usual_launch_s: float = 0.25
    place: str = "core"
    cpus: str | None = None
    every_iteration: bool = False
    keep_clock_cost: bool = False
    sweep: bool = False
    seconds_a_size: float | None = None
    reduce: str = "max"
    verify: bool = False
    two_buffers: bool = False
    floor: bool = False
    cold_cache: bool = False
    preset: str | None = None
    hosts: tuple[str, ...] = ()
    nodes: int | None = None
    ranks_per_node: int | None = None
    launcher: str | None = None
    broadcast: str | bool | None = None
    platform: str | None = None
    cfg: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    env: dict[str, str] = {}
    controls: dict[str, str | None] = {}
    title: str | None = None
    questions: tuple[dict[str, Any], ...] = ()
    left_out: tuple[str, ...] = ()

    def each(self) -> list[Version1]:
        """The complete options of each case."""
        if not self.questions:
            return [self]
        common = msgspec.structs.asdict(self)
        return [
            msgspec.convert({**common, **own, "questions": ()}, Version1) for own in self.questions
        ]

    def sampling(self) -> Sampling:
        shared = set(Sampling.__struct_fields__) & set(self.__struct_fields__)
        return Sampling(**{name: getattr(self, name) for name in shared})

    def placement(self) -> Placement:
        shared = set(Placement.__struct_fields__) & set(self.__struct_fields__)
        return Placement(
            **{name: getattr(self, name) for name in shared - {"cpus", "broadcast"}},
            cpus=parse_cpus(self.cpus) if self.cpus else (),
            broadcast=self.broadcast if isinstance(self.broadcast, str) else None,
        )

    def workload(self) -> Workload:
        """Raises KeyError for an unknown experiment, ValueError for invalid arguments."""
        fields: dict[str, Any] = {
            "experiment": self.experiment,
            "sizes": [msgspec.to_builtins(_size(words)) for words in self.sizes],
            "buffers": self._buffers(),
            **self._argument_fields(),
        }
        kind = workload_type(self.experiment)
        own = set(kind.__struct_fields__) - set(fields)
        fields |= {name: getattr(self, name) for name in own & set(self.__struct_fields__)}
        return msgspec.convert(fields, kind)

    def _buffers(self) -> Buffers | None:
        return "cold" if self.cold_cache else "separate" if self.two_buffers else None

    def _argument_fields(self) -> dict[str, Any]:
        """Fields of the workload from the engine's arguments."""
        flags = {word.removeprefix("--") for word in self.arguments if "=" not in word}
        valued = dict(
            word.removeprefix("--").split("=", 1) for word in self.arguments if "=" in word
        )
        if self.experiment == "cores":
            return {"parallel": "parallel" in flags}
        if self.experiment == "collective":
            algorithm, segment_bytes = _algorithm(valued.pop("algorithm", "default"))
            named = {"collective": self.arguments[0] if self.arguments else "unknown"}
            return {
                **named,
                **valued,
                "algorithm": algorithm,
                "segment_bytes": segment_bytes,
                "overlap": "overlap" in flags,
            }
        if self.experiment == "pairs":
            kept: dict[str, Any] = {
                name: valued[name] for name in ("operation", "mode") if name in valued
            }
            windows = {"windows": _numbers(valued["window"])} if "window" in valued else {}
            return {
                **kept,
                **windows,
                "active": _numbers(valued.get("pairs-active", "")),
                "pairing": _pairs(valued.get("pairing", "")),
            }
        return {}


def _size(words: str) -> Size:
    """ "8", or "8@1000+10": 1000 repetitions after 10."""
    bytes_, at, counts = words.partition("@")
    repetitions, _, warmup = counts.partition("+")
    return Size(int(bytes_), int(repetitions) or None, int(warmup or 0)) if at else Size(int(words))


def _numbers(words: str) -> list[int]:
    return [int(word) for word in words.split(",") if word]


def _pairs(words: str) -> list[list[int]]:
    return [[int(rank) for rank in pair.split("-")] for pair in words.split(",") if pair]


def _algorithm(label: str) -> tuple[str, int | None]:
    """ "chain, 8 KiB segments", "pipeline, unsegmented" or a bare name."""
    name, _, segments = label.partition(", ")
    if segments == "unsegmented":
        return name, 0
    if segments.endswith(" segments"):
        return name, parse_size(segments.removesuffix(" segments").replace(" ", ""))
    return label, None

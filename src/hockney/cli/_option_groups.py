"""Turns the options of all measuring verbs into sampling, placement and output."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from hockney.base.errors import UsageError
from hockney.plan import Placement, Sampling
from hockney.plan.workloads import Buffers

OUTLIERS = "outliers"
"""The value of --gate without a value."""


OF_OUTPUT = ("output", "label", "force", "resume", "quiet", "as_json", "layout")
"""Parameters of measuring verbs about where results go and how they are shown: suite, watch and
other verbs that measure by the words of these decide about them."""


OF_PLACEMENT = (
    *("cpus", "oversubscribe", "hosts", "nodes", "ranks_per_node", "launcher", "launch"),
    *("mpicc", "engine", "without_bad_nodes", "broadcast", "cfg"),
)
"""Parameters that are fields of a placement as they are."""


@dataclass(frozen=True)
class Times:
    """The value of --gate 3x."""

    factor: float


@dataclass(frozen=True)
class Output:
    """The file of the results, and how they are shown."""

    path: Path | None
    """Path of the result file; None for a default name."""
    label: str | None
    force: bool
    resume: bool
    quiet: bool
    as_json: bool
    gate: bool
    """True if an outlier gives exit status 1."""
    layout: str | None
    """The classic program whose table is printed; None for the preset's, or ours."""


@dataclass(frozen=True)
class Common:
    """The options of all measuring verbs, apart from their output."""

    sampling: Sampling
    placement: Placement
    """The placement with the default number of ranks, which a verb replaces."""
    buffers: Buffers | None
    """Buffers of the messages; None for the operation's default."""
    most_factor: float | None
    """The largest congestion factor that --gate 3x allows; None unless it was given."""
    given: frozenset[str]
    """Names of the parameters that the user gave, as verbs have them."""

    def sampling_of(self, cases: int, case_s: float) -> Sampling:
        """The sampling of so many cases, each with its wall time where no budget is given."""
        if "budget" in self.given:
            return self.sampling
        return replace(self.sampling, budget_s=case_s * cases)

    def ranks_by_nodes(self) -> int | None:
        """Ranks of all nodes; None where nodes or ranks per node are not given."""
        nodes, each = self.placement.node_count, self.placement.ranks_per_node
        return nodes * each if nodes and each else None

    def check_not_simulated(self) -> None:
        """Raises UsageError where the number of ranks, which is not given, cannot be that of
        this machine's CPUs."""
        if self.placement.platform:
            raise UsageError("--platform: the number of ranks is not given", "give it with -n")

    def given_among(self, *names: str) -> list[str]:
        """The parameters among these that the user gave, as options."""
        return [f"--{name.replace('_', '-')}" for name in names if name in self.given]


def common_of(context: click.Context, options: dict[str, Any]) -> Common:
    """Takes the options of all measuring verbs, except the output's, out of a verb's options."""
    default = click.core.ParameterSource.DEFAULT
    given = frozenset(name for name in options if context.get_parameter_source(name) != default)
    take = options.pop
    least, most = take("launches")
    platform, place = take("platform_file"), take("place")
    if platform and "launches" not in given:
        least = most = 1  # simulated launches do not differ
    sampling = Sampling(
        least_launches=least,
        most_launches=most,
        precision=take("precision"),
        budget_s=take("budget") or 0.0,  # None: the verb decides by its number of cases
        over_s=take("over"),
        timeout_s=take("timeout"),
    )
    placement = Placement(
        place=place or ("none" if platform else "core"),
        platform=platform,
        **{name: take(name) for name in OF_PLACEMENT},
    )
    gate = context.params["gate"]
    most_factor = gate.factor if isinstance(gate, Times) else None
    return Common(sampling, placement, options.pop("buffers"), most_factor, given)


@dataclass(frozen=True)
class Varied:
    """The options --vary, --tolerance and --gate."""

    texts: tuple[str, ...]
    tolerance: float
    gate: float | None


def varied_of(options: dict[str, Any]) -> Varied:
    """Takes the options of variants out of a verb's options, and leaves --gate without a value."""
    gate = options["gate"] if isinstance(options["gate"], float) else None
    varied = Varied(options.pop("vary"), options.pop("tolerance"), gate)
    if gate is not None and not varied.texts:
        raise click.UsageError("--gate FRACTION is about variants: name them with --vary")
    return varied


def output_of(options: dict[str, Any]) -> Output:
    """Takes the options of output out of a verb's options; some verbs have a gate or a layout."""
    take = options.pop
    return Output(
        path=take("output"),
        gate=take("gate") == OUTLIERS,
        layout=take("layout", None),
        **{name: take(name) for name in ("label", "force", "resume", "quiet", "as_json")},
    )

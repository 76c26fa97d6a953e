"""The records of a run and of its launches: what was started, by which library, and where."""

from __future__ import annotations

from typing import Any

import msgspec

from hockney.plan.axes import AXES, Point
from hockney.plan.bounds import Seconds


class Source(msgspec.Struct, kw_only=True):
    """The log of another program that a run was read from."""

    file: str
    format: str
    program: str | None = None
    version: str | None = None
    notes: list[str] = []
    """Problems of the log, and known faults of the program."""


class RunRecord(msgspec.Struct, tag_field="kind", tag="run", kw_only=True):
    """The plan and the environment of a run: the first line of a file."""

    schema: int
    hockney: str
    id: str
    experiment: str
    started: str | None = None
    options: dict[str, Any] = {}
    label: str | None = None
    environment: dict[str, Any] = {}
    source: Source | None = None
    """Imported log; None unless the run was imported."""


class MpiFacts(msgspec.Struct, kw_only=True):
    library: str | None = None
    version: str | None = None
    abi: str | None = None
    standard: str | None = None
    threads: str | None = None
    """Thread level from MPI_Query_thread: single, funneled, serialized or multiple."""
    description: str | None = None

    @property
    def name(self) -> str | None:
        """The library and its version; None where the library is unknown."""
        return f"{self.library} {self.version or ''}".strip() if self.library else None


class Clock(msgspec.Struct, kw_only=True):
    name: str | None = None
    resolution_s: Seconds | None = None
    cost_s: Seconds | None = None
    wtick_s: Seconds | None = None


class Device(msgspec.Struct, kw_only=True):
    """The accelerator of a rank."""

    number: int
    """Its number, as its library counts those of the node."""
    name: str | None = None
    pci: str | None = None
    """Its address on the PCI bus: 0000:3b:00.0."""
    uuid: str | None = None
    bytes: float | None = None
    """Size of its memory."""
    near: bool | None = None
    """Whether the rank's CPU is near it; None where the kernel does not say."""
    link_speed: str | None = None
    """Speed of its link to the host as the kernel reports it: "32.0 GT/s PCIe"."""
    link_width: str | None = None
    reaches: list[int] = []
    """Numbers of the node's other devices whose memory it reaches directly."""


class Place(msgspec.Struct, kw_only=True):
    """Actual place of a rank; None where the kernel does not report it."""

    rank: int
    host: str | None = None
    package: int | None = None
    numa: int | None = None
    l3: int | None = None
    l2: int | None = None
    core: int | None = None
    pu: int | None = None
    pinned: bool | None = None
    allowed: int | None = None
    refused: str | None = None
    thread_pus: list[int | None] = []
    """The PU of each thread of the rank, if it has several."""
    device: Device | None = None
    """Its accelerator; None if no buffer lies there."""
    topology: str | None = None
    """Switches from the topmost down to the node, named as by Slurm: s0.s4.node17."""

    @property
    def core_of_node(self) -> tuple[int | None, int] | None:
        """Package and number of its core: each package numbers its cores anew."""
        return None if self.core is None else (self.package, self.core)


class Accelerator(msgspec.Struct, kw_only=True):
    """The accelerators of the ranks, and what the MPI library reports of its support for them."""

    interface: str
    """CUDA, HIP or Level Zero."""
    driver: str | None = None
    claims_support: bool | None = None
    """What the library's query (MPIX_Query_cuda_support, ...) returns; None if it has none."""
    claims_kinds: str | None = None
    """The memories that it lists under mpi_memory_alloc_kinds (MPI 4.1); None if it lists none."""


class LeftOutNode(msgspec.Struct, frozen=True, kw_only=True):
    """A node that a run went on without (`--without-bad-nodes`)."""

    host: str
    why: str
    """What was found about it, as a sentence."""
    launch: int | None = None
    """The launch that failed or hung because of it; None if it was left out before the first."""


class LaunchRecord(msgspec.Struct, tag_field="kind", tag="launch", kw_only=True):
    """One start of the MPI program."""

    launch: int
    command: list[str] = []
    env: dict[str, str] = {}
    launcher: str | None = None
    mpi: MpiFacts = msgspec.field(default_factory=MpiFacts)
    engine: str | None = None
    clock: Clock = msgspec.field(default_factory=Clock)
    seed: int | None = None
    batch_s: Seconds | None = None
    cold_bytes: int | None = None
    probe: str | None = None
    probe_refused: str | None = None
    """The library's reason for giving two ranks of a node no window for the probe of their cores;
    None if it gave one, or no probe was made."""
    buffers: str | None = None
    """The axis `buffers` of all its samples with messages; None if unknown."""
    variant: str | None = None
    """The axis `variant` of all its samples."""
    axes: dict[str, Any] = {}
    """Other axes of all its samples, which the engine need not know."""
    block: int | None = None
    """The block of launches, one of each variant, that this one belongs to; None unless variants
    are compared."""
    definition: str | None = None
    simulated: bool = False
    moved_ranks: int | None = None
    """Number of ranks of a halo that the library moved on the grid; None unless it may."""
    controls: dict[str, str | None] = {}
    """Control variables of the library (MPI_T), read on each rank after MPI_Init, which prove that
    forced settings took effect. None if the library lacks the variable."""
    accelerator: Accelerator | None = None
    """None unless buffers lie in memory of accelerators."""
    arrivals: dict[str, list[float]] = {}
    """Delay of each rank, as a fraction of the skew, by pattern of arrival."""
    victims: list[int] = []
    """Ranks that were timed under load, in the order of their own."""
    aggressors: list[int] = []
    """Ranks that loaded the network; the first is the target of an incast."""
    left_out: list[LeftOutNode] = []
    """Nodes of the plan that it was made without."""
    places: list[Place] = []

    def __post_init__(self) -> None:
        """Raises ValueError if `axes` has an unknown axis, or a value that the axis does not
        take."""
        unknown = self.axes.keys() - AXES.keys()
        if unknown:
            raise ValueError(f"no axes: {', '.join(sorted(unknown))}")
        msgspec.convert({"operation": "", "bytes": 0, **self.axes}, Point)

    @property
    def common_axes(self) -> dict[str, Any]:
        """The axes of all samples of the launch that do not have their own."""
        axes = {"buffers": self.buffers, "variant": self.variant, **self.axes}
        return {name: value for name, value in axes.items() if value is not None}

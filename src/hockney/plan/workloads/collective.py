"""One collective operation of all ranks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal, get_args

from hockney.base.errors import UsageError
from hockney.base.units import format_size
from hockney.plan.arrivals import Arrivals
from hockney.plan.bounds import LARGEST_INT, MOST
from hockney.plan.knobs import Knob
from hockney.plan.words import ELEMENT_BYTES, PARAMETERS
from hockney.plan.words import NONBLOCKING as NONBLOCKING_FORM
from hockney.plan.workloads import Buffers, CaseAxes, Row
from hockney.plan.workloads._devices import OnDevices, WaitEach
from hockney.plan.workloads._shared import Sync, check_sync

IN_FORMS = (
    *("barrier", "bcast", "scatter", "gather", "reduce", "allreduce", "allgather", "alltoall"),
    *("reduce_scatter_block", "scan", "scatterv", "gatherv", "allgatherv", "alltoallv"),
    *("reduce_scatter", "exscan", "alltoallw"),
)
"""Collectives with blocking, nonblocking and persistent calls."""
COLLECTIVES = (*IN_FORMS, "reduce_local", *(f"i{name}" for name in IN_FORMS))
"""Collectives that the engine measures, by the names of MPI's calls: ibcast is nonblocking."""
NONBLOCKING = frozenset(f"i{name}" for name in IN_FORMS)
_ROOTED = {"bcast", "scatter", "gather", "reduce", "scatterv", "gatherv"}
_REDUCTIONS = {"reduce", "allreduce", "reduce_scatter_block", "reduce_scatter", "scan", "exscan"}


def _both(names: Iterable[str]) -> frozenset[str]:
    """The names with those of the nonblocking collectives."""
    return frozenset(form for name in names for form in (name, f"i{name}"))


ROOTED = _both(_ROOTED)
NO_BYTES = _both({"barrier"})
REDUCTIONS = _both(_REDUCTIONS) | {"reduce_local"}
"""Collectives that reduce elements of one type, so that sizes are multiples of its bytes."""
IN_PLACE = NO_BYTES | _both({"bcast"})
"""Collectives with one buffer to send and receive."""
WHOLE = IN_PLACE | (REDUCTIONS - _both({"reduce_scatter", "reduce_scatter_block"}))
"""Collectives whose bytes are those of the whole buffer. All others give those of one rank's block,
and a buffer has a block for each rank."""
BYTE_DISPLACEMENTS = _both({"alltoallw"})
"""Collectives with displacements in bytes, in an int."""
INT_BYTES = 4
"""Size of an element of the engine's reductions, unless another type is asked for."""
Added = Literal["int32", "int64", "float16", "bfloat16", "float", "double"]
USUAL_ELEMENT: Added = "int32"
ADDED_BYTES: dict[Added, int] = {element: ELEMENT_BYTES[element] for element in get_args(Added)}
"""Types whose sums over many ranks do not overflow, and their bytes."""
LEAST_RADIX = 2
"""Least radix, as a tree with a fan-out of 1 is a chain."""
LEAST_REQUESTS = 1
"""Fewest requests, as a rank without a message in flight makes no collective."""
OWN_AXES = ("algorithm", "segment_bytes", "radix", "requests")
"""Fields that are axes of all samples of a launch."""
RADIX, SEGMENT, REQUESTS = "radix", "segment_bytes", "requests"
"""Fields whose values can be searched."""
LEAST_COMPARED = 6
"""Fewest ranks among which an outlier can be identified."""
COARSE_RADICES = (2, 4, 8, 16, 32)
COARSE_REQUESTS = (1, 4, 16, 64)
COARSE_SEGMENTS = (1024, 8192, 65536)
"""Segments in bytes that a search measures first, then half and twice the best: each power of two
from 512 B to 128 KiB can be reached."""
DEFAULT = "default"
"""Name of the library's own decision."""


def is_collective_name(operation: str) -> bool:
    """True if it names a collective, v and nonblocking variants included."""
    forms = {operation, operation.removeprefix("i"), operation.removesuffix("v")}
    return not forms.isdisjoint(COLLECTIVES)


PERSISTENT: Literal["persistent"] = "persistent"
Form = Literal["blocking", "nonblocking", "persistent"]
"""Forms of MPI's collectives and neighbourhood collectives."""
OneSided = Literal["put-fence", "put-flush", "get-fence", "get-flush"]
ONE_SIDED: tuple[OneSided, ...] = get_args(OneSided)
"""Collectives made by the ranks in a window; complete after a fence, or after a flush and a
barrier."""
IN_WINDOWS = ("bcast", "scatter", "gather", "allgather", "alltoall")
"""Collectives that can be made one-sided."""
OwnForm = Literal["persistent", OneSided]
"""Forms that the name of a collective does not include."""
CollectiveForm = Literal[Form, OneSided]
FORMS: tuple[CollectiveForm, ...] = get_args(CollectiveForm)


def in_form(collective: str, form: CollectiveForm) -> str | None:
    """The name of a collective in that form, from its name in any form; None where it has no such
    form. Persistent and one-sided forms have the name of the blocking one."""
    blocking = collective.removeprefix("i") if collective in NONBLOCKING else collective
    has = IN_WINDOWS if form in ONE_SIDED else IN_FORMS
    if form != "blocking" and blocking not in has:
        return None
    return f"i{blocking}" if form == "nonblocking" else blocking


class Collective(OnDevices, frozen=True, kw_only=True, tag="collective"):
    collective: str
    algorithm: str = DEFAULT
    """Name in the samples; the environment of the placement forces the algorithm."""
    segment_bytes: int | None = None
    """Segment size; 0 for unsegmented; None for the library's own, or an algorithm without
    segments."""
    radix: int | None = None
    """Fan-out of the algorithm's tree, or k of its k-ary exchange; None for the library's own, or
    an algorithm without one."""
    requests: int | None = None
    """Most messages in flight of a rank; None for the library's own limit, or an algorithm without
    one."""
    element: Added = USUAL_ELEMENT
    """Type of the elements of a reduction, which is a sum."""
    root: Annotated[
        Literal["first", "rotate"],
        Knob("Root: rank 0, or the next rank each time.", operations=ROOTED),
    ] = "first"
    sync: Sync = "clock"
    form: OwnForm | None = None
    """Form; None for that in the name of the collective."""
    threads: tuple[int, ...] = ()
    """Numbers of threads of each rank that make it at once, each on a communicator of its own;
    empty for ranks with one, under an MPI that need not lock."""
    groups: int = 1
    """Groups of neighbouring ranks that make it at the same time."""
    overlap: bool = False
    """Measure also overlapped with a computation of the operation's duration."""
    arrivals: Arrivals | None = None
    """When ranks arrive; None where all start together."""
    phases: tuple[str, ...] = ()
    """Algorithms whose schedules are also made by messages, with their phases timed."""
    wait_each: WaitEach = False
    stragglers: Annotated[
        bool,
        Knob(
            "Find ranks that complete late again and again: in each launch ranks are numbered "
            "anew, so that a place in the algorithm is not taken for a slow rank."
        ),
    ] = False
    verify: Annotated[
        bool,
        Knob(
            "Check all data, untimed.",
            operations=frozenset(COLLECTIVES) - NO_BYTES,
            is_beside=True,
        ),
    ] = False

    @property
    def usual_buffers(self) -> Buffers:
        return "separate"

    @classmethod
    def rows(cls) -> dict[str, Row]:
        everywhere = {
            "collective",
            "algorithm",
            "segment_bytes",
            "radix",
            "requests",
            "groups",
            "arrivals",
            "threads",
            "phases",
        }
        return {
            name: Row(
                frozenset(everywhere)
                | ({"form", "overlap"} if name in IN_FORMS else set())
                | ({"overlap"} if name in NONBLOCKING else set())
                | ({"element"} if name in REDUCTIONS else set()),
                ("separate", "cold"),
                has_bytes=name not in NO_BYTES,
            )
            for name in COLLECTIVES
        }

    @property
    def row(self) -> str:
        return self.collective

    def long_list(self, ranks: int) -> str | None:  # noqa: ARG002
        """The fractions in a file of delays."""
        return self.arrivals.listed_text if self.arrivals and self.arrivals.fractions else None

    def arguments(self, ranks: int, list_file: str | None = None) -> list[str]:  # noqa: ARG002
        return [
            "collective",
            self.collective,
            *([f"--form={self.form}"] if self.form else []),
            *([f"--groups={self.groups}"] if self.groups > 1 else []),
            *([f"--element={self.element}"] if self.element != USUAL_ELEMENT else []),
            *self._threads_arguments(),
            *self.flags("overlap"),
            f"--algorithm={self.algorithm}",
            *([f"--schedules=@{list_file}"] if self.phases else []),
            *(self.arrivals.arguments(list_file) if self.arrivals else []),
        ]

    @property
    def launch_axes(self) -> dict[str, Any]:
        values = {name: getattr(self, name) for name in PARAMETERS}
        return {name: value for name, value in values.items() if value is not None}

    def _threads_arguments(self) -> list[str]:
        if not self.threads:
            return []
        return ["--threads=" + ",".join(map(str, self.threads)), "--thread-comms=own"]

    @property
    def threads_of_rank(self) -> int:
        return max(self.threads, default=1)

    def check(self, ranks: int) -> None:
        if ranks % self.groups or (self.groups > 1 and ranks // self.groups < 2):
            raise UsageError(
                f"--groups {self.groups}: {ranks} ranks do not make as many groups of the same "
                "number, two or more",
                "ask for other --ranks",
            )
        if self.radix is not None and self.radix < LEAST_RADIX:
            raise UsageError(f"--radix {self.radix}: a radix is {LEAST_RADIX} or more")
        if self.requests is not None and self.requests < LEAST_REQUESTS:
            raise UsageError(
                f"--requests {self.requests}: messages in flight are {LEAST_REQUESTS} or more"
            )
        self._check_form()
        self._check_threads()
        if self.collective in BYTE_DISPLACEMENTS and self.largest_bytes * ranks > LARGEST_INT:
            raise UsageError(
                f"{self.collective} of {format_size(self.largest_bytes)} by {ranks} ranks: MPI "
                "counts its displacements as bytes in an int",
                "leave out the largest sizes",
            )
        if self.arrivals is not None:
            self.arrivals.check(ranks)
            if self.verify or self.overlap or self.sync == "barrier" or self.groups > 1:
                raise UsageError(
                    "--arrival does not work with --sync barrier, --overlap, --groups or --verify",
                    "leave them out, or measure them in another run",
                )
        self._check_phases()
        self._check_stragglers(ranks)
        check_sync(self.verify, self.sync)
        self._check_elements()

    def _check_stragglers(self, ranks: int) -> None:
        if not self.stragglers:
            return
        if ranks < LEAST_COMPARED:
            raise UsageError(
                f"--stragglers compares each rank with the others, and there are {ranks}",
                f"start {LEAST_COMPARED} or more",
            )
        apart = self.groups > 1 or self.threads or self.arrivals or self.phases or self.overlap
        if apart or self.sync == "barrier":
            raise UsageError(
                "--stragglers does not work with --groups, --threads, --arrival, --phases, "
                "--overlap or --sync barrier",
                "leave them out, or measure them in another run",
            )

    def _check_elements(self) -> None:
        width = ADDED_BYTES[self.element]
        if self.collective in REDUCTIONS and self.largest_bytes > LARGEST_INT * width:
            raise UsageError(
                f"--sizes: {format_size(self.largest_bytes)} are more elements ({self.element}) "
                "than MPI counts in an int",
                f"leave out sizes of {format_size((LARGEST_INT + 1) * width)} and more",
            )
        if self.phases and width != INT_BYTES:
            raise UsageError(
                f"--phases makes messages of elements of {INT_BYTES} bytes, not {self.element}",
                "use --element int32 or float, or leave out --phases",
            )

    def _check_phases(self) -> None:
        apart = self.root == "rotate" or self.groups > 1 or self.threads or self.arrivals
        if self.phases and (apart or self.sync == "barrier"):
            raise UsageError(
                "--phases does not work with --root rotate, --groups, --threads, --arrival or "
                "--sync barrier",
                "leave them out, or measure them in another run",
            )

    def _check_threads(self) -> None:
        if any(not 0 < count <= MOST["threads"] for count in self.threads):
            raise UsageError(f"--threads: a rank has 1 to {MOST['threads']} threads")
        if self.threads and (
            self.overlap or self.groups > 1 or self.arrivals or self.form in ONE_SIDED
        ):
            raise UsageError(
                "--threads does not work with --overlap, --groups, --arrival or a --form by put "
                "or get",
                "leave them out, or measure them in another run",
            )

    def _check_form(self) -> None:
        if self.overlap and self.form in ONE_SIDED:
            raise UsageError(
                f"--form {self.form} does not take --overlap: its origins wait",
                "leave it out, or measure other forms",
            )
        if self.overlap and self.form is None and self.collective not in NONBLOCKING:
            raise UsageError(
                f"{self.collective} does not take --overlap: its calls block",
                "leave it out, or add --form nonblocking or --form persistent",
            )
        if self.form == PERSISTENT and self.root == "rotate":
            raise UsageError(
                "--root rotate: a persistent request keeps its root",
                "leave it out, or measure other forms",
            )
        if self.form is not None and self.buffers == "cold":
            raise UsageError(
                f"--form {self.form} is bound to one buffer and cannot walk through a cold one",
                "use --buffers separate",
            )

    def buffer_bytes(self, ranks: int) -> int:
        """Bytes of the send and receive buffers, and of a window."""
        buffers = (1 if self.collective in IN_PLACE else 2) + (self.form in ONE_SIDED)
        return (
            self.threads_of_rank
            * buffers
            * self.largest_bytes
            * (1 if self.collective in WHOLE else ranks)
        )

    def is_measured_by(self, samples: CaseAxes) -> bool:
        """Samples of a nonblocking collective match alone and overlapped; those made by messages
        match no case, as others of their launch do."""
        form = samples.form if samples.form != NONBLOCKING_FORM else None
        element = samples.element or USUAL_ELEMENT
        return (
            samples.phase is None
            and (form, samples.operation, element) == (self.form, self.collective, self.element)
            and all(getattr(samples, axis) == getattr(self, axis) for axis in OWN_AXES)
        )


WORKLOAD = Collective

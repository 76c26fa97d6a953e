"""Victims, timed alone and while aggressors load the network."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

from hockney.base.errors import UsageError
from hockney.base.units import format_size
from hockney.plan.bounds import LARGEST_INT
from hockney.plan.loads import Aggressor, Burst, Roles, Victim
from hockney.plan.workloads import Buffers, CaseAxes, Row
from hockney.plan.workloads._devices import OnDevices
from hockney.plan.workloads._shared import Tails
from hockney.plan.workloads.collective import INT_BYTES
from hockney.plan.workloads.pairs import USUAL_WINDOW

LEAST_AGGRESSORS = 2
MOST_IN_FLIGHT = 4096
MOST_LOADS = 256


class Congestion(OnDevices, frozen=True, kw_only=True, tag="congestion"):
    victim: Victim = "pingpong"
    window: int = USUAL_WINDOW
    """Messages of a victim stream in flight."""
    aggressors: tuple[Aggressor, ...] = ("incast",)
    load_sizes: tuple[int, ...] = (65536,)
    """Sizes of the aggressors' messages in bytes."""
    load_windows: tuple[int, ...] = (8,)
    """Messages in flight from an aggressor to each rank that it sends to."""
    bursts: tuple[Burst, ...] = (Burst(),)
    roles: Roles = Roles()
    tails: Tails = False
    most_factor: float | None = None
    """Factor above which a run fails; None for no gate."""

    @property
    def has_gate(self) -> bool:
        return self.most_factor is not None

    @classmethod
    def rows(cls) -> dict[str, Row]:
        everywhere = frozenset(
            {
                "victim",
                "aggressors",
                "load_sizes",
                "load_windows",
                "bursts",
                "roles",
                "tails",
                "most_factor",
            }
        )
        return {
            "pingpong": Row(everywhere, ("returned", "separate", "cold")),
            "stream": Row(everywhere | {"window"}, ("separate", "cold")),
            "allreduce": Row(everywhere, ("separate", "cold")),
        }

    @property
    def row(self) -> str:
        return self.victim

    @property
    def usual_buffers(self) -> Buffers:
        return "returned" if self.victim == "pingpong" else "separate"

    @property
    def ends_by_precision(self) -> bool:
        """False: tails need samples when medians are long known."""
        return False

    @property
    def times_every_iteration(self) -> bool:
        return True

    @property
    def longest_period_s(self) -> float:
        """Time from one burst's beginning to the next one's; 0 if aggressors never pause."""
        return max(burst.period_s for burst in self.bursts)

    def long_list(self, ranks: int) -> str | None:  # noqa: ARG002
        """The listed roles."""
        return self.roles.listed_text if self.roles.placing == "listed" else None

    def arguments(self, ranks: int, list_file: str | None = None) -> list[str]:  # noqa: ARG002
        roles = f"listed:@{list_file}" if list_file else self.roles.text
        return [
            "congestion",
            self.victim,
            f"--roles={roles}",
            f"--loads={','.join(self._loads())}",
            *([f"--window={self.window}"] if self.victim == "stream" else []),
        ]

    def _loads(self) -> Iterator[str]:
        loads = product(self.aggressors, self.load_sizes, self.load_windows, self.bursts)
        for aggressor, size, window, burst in loads:
            yield f"{aggressor}:{size}:{window}:{burst.length_s * 1e9:.9g}:{burst.gap_s * 1e9:.9g}"

    def check(self, ranks: int) -> None:
        self._check_roles(ranks)
        for size in self.load_sizes:
            if not 1 <= size <= LARGEST_INT:
                raise UsageError(
                    f"--load-sizes: {format_size(size)} is no load: from 1 B to below 2 GiB",
                    "name other sizes of the aggressors' messages",
                )
        for window in (*self.load_windows, self.window):
            if not 1 <= window <= MOST_IN_FLIGHT:
                raise UsageError(
                    f"{window} messages in flight: nobody reaches that",
                    f"--window and --load-windows take 1 to {MOST_IN_FLIGHT}",
                )
        if len(list(self._loads())) > MOST_LOADS:
            raise UsageError(
                f"more than {MOST_LOADS} loads of the network",
                "name fewer aggressors, sizes, windows or bursts",
            )
        if self.victim == "allreduce":
            self._check_elements()

    def _check_elements(self) -> None:
        for size in self.sizes:
            if size.bytes == 0 or size.bytes % INT_BYTES:
                raise UsageError(
                    f"--sizes {size.bytes}: allreduce adds integers of {INT_BYTES} bytes",
                    f"name multiples of {INT_BYTES}",
                )

    def _check_roles(self, ranks: int) -> None:
        roles, victims = self.roles, self.roles.victims
        listed = (*roles.listed[0], *roles.listed[1])
        if listed and max(listed) >= ranks:
            raise UsageError(
                f"--roles: there is no rank {max(listed)} among {ranks}",
                f"ranks are 0 to {ranks - 1}; -n sets how many",
            )
        if victims < 2 or (victims != 2 and self.victim != "allreduce"):
            raise UsageError(
                f"{self.victim} takes {'two victims or more' if victims < 2 else 'two victims'}, "
                f"not {victims}",
                "change --victims, or the file of roles",
            )
        aggressors = max(roles.aggressors_of(ranks), 0)
        if aggressors < LEAST_AGGRESSORS:
            raise UsageError(
                f"{victims} victims leave {aggressors} of {ranks} ranks as aggressors, and these "
                f"need {LEAST_AGGRESSORS}",
                f"use -n {victims + LEAST_AGGRESSORS} or more",
            )

    def buffer_bytes(self, ranks: int) -> int:
        """Bytes of a rank, the mean over ranks: its own, and the buffers of aggressors, which
        receive each message in flight in its own place."""
        own = 2 * self.largest_bytes * (self.window if self.victim == "stream" else 1)
        aggressors = self.roles.aggressors_of(ranks)
        links = aggressors * (aggressors - 1) if "all-to-all" in self.aggressors else aggressors
        load = max(self.load_sizes)
        return own + load + math.ceil(links * max(self.load_windows) * load / ranks)

    def is_measured_by(self, samples: CaseAxes) -> bool:
        return samples.operation == self.victim


WORKLOAD = Congestion

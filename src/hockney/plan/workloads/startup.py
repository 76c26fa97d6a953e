"""Duration until the ranks of a job can work, and until they have ended."""

from __future__ import annotations

import os
import time

from hockney.base.errors import UsageError
from hockney.plan.bounds import LARGEST_INT
from hockney.plan.workloads import Row, Workload

PHASES = ("launch", "init", "contact", "comm-dup", "comm-split", "window", "finalize")
"""Operations of a start-up, in their order."""


class Startup(Workload, frozen=True, kw_only=True, tag="startup"):
    """Start-up of a job. Its one size is that of messages and of each rank's window."""

    @property
    def ends_by_time(self) -> bool:
        return False

    @classmethod
    def rows(cls) -> dict[str, Row]:
        return {"startup": Row(frozenset(), ("returned",))}

    def arguments(self, ranks: int, list_file: str | None = None) -> list[str]:  # noqa: ARG002
        return ["startup"]

    def arguments_now(self) -> list[str]:
        """The start by CLOCK_MONOTONIC, which the ranks on this host read as well."""
        return [f"--launched-at={time.monotonic_ns()}@{os.uname().nodename}"]

    def check(self, ranks: int) -> None:  # noqa: ARG002
        if len(self.sizes) != 1 or self.largest_bytes == 0:
            raise UsageError(
                "--sizes: start-up takes one size above 0, that of messages and windows",
                "name one, such as 8",
            )
        if self.largest_bytes > LARGEST_INT:
            raise UsageError("--sizes: start-up sends messages below 2 GiB", "name less")


WORKLOAD = Startup

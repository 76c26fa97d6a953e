"""Common fields of all experiments that exchange messages: in which memory these lie."""

from __future__ import annotations

from typing import Annotated

from hockney.base.errors import UsageError
from hockney.plan.knobs import Axis, Knob
from hockney.plan.memories import DEVICE, HOST, read_blocks, read_devices, read_memories, sides_of
from hockney.plan.workloads import Workload

Staged = Annotated[
    str,
    Knob(
        "Also copy messages from the device to the host, send them from there and copy them back: "
        "whole, or in blocks, of which one is sent while the next one is copied.",
        metavar="whole|SIZE,...",
        read=read_blocks,
    ),
]
WaitEach = Annotated[
    bool,
    Knob(
        "Wait for the device before each message, as programs do whose data are computed there.",
        Axis(
            lambda waits: "waiting for the device" if waits else None,
            is_method=True,
            is_special=True,
        ),
    ),
]


class OnDevices(Workload, frozen=True, kw_only=True):
    """A workload whose messages may lie in memory of accelerators."""

    memory: Annotated[
        str,
        Knob(
            "Memories in which messages lie, measured side by side: host, pinned, managed, device, "
            "or two of them, of the rank that sends first and of the other: device,host.",
            metavar="MEMORY ...",
            read=read_memories,
            several=True,
        ),
    ] = ""
    """The memories as the engine takes them ("host/device/device,host"); empty for the host's, by
    default."""
    device: Annotated[
        str,
        Knob(
            "Device of each rank of a node: near the CPU on which it runs, local (by the rank's "
            "number on its node), or a list.",
            metavar="near|local|0,1,...",
            read=read_devices,
        ),
    ] = ""

    @property
    def sides(self) -> list[tuple[str, str]]:
        return sides_of(self.memory)

    @property
    def uses_devices(self) -> bool:
        return any(memory != HOST for sides in self.sides for memory in sides)

    def check_memory(self, is_simulated: bool) -> None:
        staged, waits = getattr(self, "staged", ""), getattr(self, "wait_each", False)
        on_device = any(DEVICE in sides for sides in self.sides)
        if staged and not on_device:
            raise UsageError("--staged: no message lies on a device", "give --memory device")
        if (self.device or waits) and not self.uses_devices:
            option = "--device" if self.device else "--wait-each"
            raise UsageError(f"{option}: no message lies on a device", "give --memory device")
        if not self.uses_devices:
            return
        if is_simulated:
            raise UsageError(
                "--memory: SimGrid simulates no accelerators", "leave out --platform, or --memory"
            )
        for reason, advice in _refused(self):
            raise UsageError(f"--memory: {reason}", advice)


def _refused(workload: Workload) -> list[tuple[str, str]]:
    """Why memory that is not the host's cannot be used with other fields, and what to do."""
    refusals = []
    if getattr(workload, "floor", False):
        refusals.append(("the floor is between memories of the host", "leave out --floor"))
    if {"hand", "pack"} & {*getattr(workload, "packing", ()), *getattr(workload, "packings", ())}:
        refusals.append(("the host packs nothing that lies on a device", "use --packing datatype"))
    if getattr(workload, "phases", ()):
        refusals.append(("phases are made by messages of the host", "leave out --phases"))
    form = getattr(workload, "form", None) or ""
    if form.startswith(("put", "get")):
        refusals.append(("windows of collectives lie in memory of the host", "leave out --form"))
    kinds = {*getattr(workload, "window_kinds", ())}
    if kinds & {"allocate", "shared"}:
        refusals.append(
            (
                "a library that allocates a window chooses its memory",
                "use --window-kind create or dynamic",
            )
        )
    return refusals

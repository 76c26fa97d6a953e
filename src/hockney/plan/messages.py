"""Options of messages between two ranks: threads and layouts."""

from __future__ import annotations

from typing import Literal, get_args

ThreadComms = Literal["shared", "own", "vci"]
THREAD_COMMS: tuple[ThreadComms, ...] = get_args(ThreadComms)
"""shared: all threads use one communicator. own: each has its own. vci: each has its own, and an
endpoint of the library (MPICH's virtual communication interface)."""
Packing = Literal["datatype", "pack", "hand"]
PACKINGS: tuple[Packing, ...] = get_args(Packing)
"""Ways to move data into and out of a layout: MPI's datatype, MPI_Pack, or plain copies."""
BY_DATATYPE, BY_HAND = "datatype", "hand"
Threads = tuple[int, int]
"""Threads of the rank that sends first, and of the other one."""


def threads_text(threads: Threads) -> str:
    """Numbers of threads: 2, or 4:1 if the ranks have different numbers."""
    senders, receivers = threads
    return str(senders) if senders == receivers else f"{senders}:{receivers}"


def whole_sizes(sizes: list[int], unit: int) -> list[int]:
    """Sizes rounded up to multiples of the unit, each once and none empty; unchanged for 1."""
    if unit == 1:
        return sizes
    return list(dict.fromkeys(max(-(-size // unit), 1) * unit for size in sizes))

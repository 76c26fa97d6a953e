"""What the titles of OSU's tables say: the operation, and the device that holds its messages."""

from __future__ import annotations

import re

_ONE_SIDED = "One Sided "
"""What titles of version 3 have before the name of the call."""
_DEVICE = re.compile(r"(?P<call>MPI(?:_[A-Z][a-z_]{1,30})?|[A-Z]{1,4}CCL)-(?P<device>[A-Z]+) ")
_GLOBAL = re.compile(r"(?:OpenSHMEM|UPC).*\b(?:mem)?(?:put|get)", re.IGNORECASE)
"""One-sided tests of languages and libraries with a global address space."""

NAMES = {
    "latency": "pingpong",
    "multi latency": "multi-latency",
    "multi-threaded latency": "latency-mt",
    "multi-process latency": "latency-mp",
    "bandwidth": "bandwidth",
    "bi-directional bandwidth": "bibandwidth",
    "bidirectional bandwidth": "bibandwidth",
    "latency persistent": "latency-persistent",
    "bandwidth persistent": "bandwidth-persistent",
    "bi-directional bandwidth persistent": "bibandwidth-persistent",
    "multiple bandwidth / message rate": "multi-bandwidth",
}
"""Operations by the title of tests between pairs; the others are named after their MPI call."""
CALLS = {
    "broadcast": "bcast",
    "all-to-all": "alltoall",
    "all-to-all personalized exchange": "alltoall",
    "all-to-allv personalized exchange": "alltoallv",
    "all-to-allw personalized exchange": "alltoallw",
}
"""MPI calls that titles name differently."""
_PERSISTENT = ("latency-persistent", "bandwidth-persistent", "bibandwidth-persistent")
TWO_RANKS = frozenset({"pingpong", "bandwidth", "bibandwidth", "latency-mt", *_PERSISTENT})


def device_of(title: str) -> str | None:
    """The memory that holds the messages, where the title names it: CUDA of "MPI-CUDA Latency"."""
    match = _DEVICE.match(title)
    return match["device"] if match else None


def calls_one_sided(title: str) -> bool:
    """True if the title names a one-sided call."""
    title = title.removeprefix(_ONE_SIDED)
    return "_" in title.split(" ")[0] or _GLOBAL.match(title) is not None


def operation_of(title: str, is_one_sided: bool) -> str:
    title = _DEVICE.sub(r"\g<call> ", title.removeprefix(_ONE_SIDED))
    title = re.sub(r"^(?:MPI|[A-Z]{1,4}CCL)[ _]?(-?[A-Z]+ )?(?=[A-Z])", "", title).lower()
    is_neighbor = title.startswith("neighborhood ")
    title = title.removeprefix("neighborhood ")
    kind = "i" if title.startswith("non-blocking ") else ""
    kind += "neighbor-" if is_neighbor else ""
    title = title.removeprefix("non-blocking ")
    if title in NAMES:
        return NAMES[title]
    name = title if is_one_sided else title.removesuffix(" latency")
    return kind + CALLS.get(name, name).replace(" ", "-").replace("/", "-")

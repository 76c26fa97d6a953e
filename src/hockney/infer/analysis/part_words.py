"""Parts of a network in words."""

from __future__ import annotations

from collections import Counter

from hockney.infer.analysis.network_faults import WAYS as WAY_WORDS
from hockney.infer.locate.candidates import CABLE, NODE, PROCESS, SWITCH, UPLINK, NetworkPart

WORDS = {
    NODE: "node {} is slow",
    PROCESS: "{} is slow",
    UPLINK: "the links of switch {} to other switches are slow",
    SWITCH: "switch {} is slow",
    CABLE: "the cable between switches {} is slow",
}
ROUTED_WORDS = {UPLINK: "the uplink of {}", SWITCH: "{}"}
"""Names of parts of a network whose routes are known; other parts are links."""
ONE_WAY_CABLE = "the cable from switch {} is slow"


def words_of(part: NetworkPart) -> str:
    """The sentence that the part is slow."""
    if part.note is not None:
        return _of_routed(part)
    if part.way is None:
        return WORDS[part.kind].format(" and ".join(part.names))
    if part.kind == CABLE:
        return ONE_WAY_CABLE.format(" to ".join(part.names))
    return f"{WORDS[part.kind].format(*part.names)} {WAY_WORDS[part.way]}"


def _of_routed(part: NetworkPart) -> str:
    note = f" ({part.note})" if part.note else ""
    if part.kind != CABLE or len(part.names) == 1:
        words = ROUTED_WORDS.get(part.kind, "link {}").format(*part.names)
        way = f" {WAY_WORDS[part.way]}" if part.way else ""
        return f"{words}{note} is slow{way}"
    ends = "from {} to {}" if part.way else "between {} and {}"
    return f"the cable {ends.format(*part.names)}{note} is slow"


def counted(counts: Counter[str]) -> str:
    """How many parts of each kind: "24 nodes and 1 cable"."""
    words = [_count(count, kind) for kind, count in counts.items()]
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def _count(count: int, kind: str) -> str:
    """ "1 node", "3 switches"."""
    plurals = {PROCESS: "processes", SWITCH: "switches", UPLINK: "links up from switches"}
    singulars = {UPLINK: "link up from a switch"}
    words = singulars.get(kind, kind) if count == 1 else plurals.get(kind, f"{kind}s")
    return f"{count} {words}"

"""Parts of a network in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hockney.base.units import how_many
from hockney.infer.analysis.network.boards import GROUP, PAIR, PLACE
from hockney.infer.locate.candidates import (
    CABLE,
    IN,
    NODE,
    OUT,
    PROCESS,
    SWITCH,
    UPLINK,
    NetworkPart,
)

WORDS = {
    NODE: "node {} is slow",
    PROCESS: "{} is slow",
    PLACE: "{} is slow",
    GROUP: "the links of nodes {} to all others are slow",
    UPLINK: "the links of switch {} to other switches are slow",
    SWITCH: "switch {} is slow",
    CABLE: "the cable between switches {} is slow",
    PAIR: "the pair of {} is slow",
}
FROM_TO = {CABLE: "the cable from switch {} is slow", PAIR: "messages from {} are slow"}
"""What is slow from the first of its names to the second."""
WAY_WORDS = {OUT: "to send", IN: "to receive"}
ROUTED_WORDS = {UPLINK: "the uplink of {}", SWITCH: "{}"}
"""Names of parts of a network whose routes are known; other parts are links."""


def words_of(part: NetworkPart) -> str:
    """The sentence that the part is slow."""
    if part.note is None:
        return slow_words(part.kind, part.names, part.way)
    note = f" ({part.note})" if part.note else ""
    if part.kind != CABLE or len(part.names) == 1:
        words = ROUTED_WORDS.get(part.kind, "link {}").format(*part.names)
        return _one_way(f"{words}{note} is slow", part.way)
    ends = "from {} to {}" if part.way else "between {} and {}"
    return f"the cable {ends.format(*part.names)}{note} is slow"


def slow_words(kind: str, names: Sequence[str], way: str | None) -> str:
    """The sentence that what is of this kind is slow: "node n3 is slow to send"."""
    if way is not None and kind in FROM_TO:
        return FROM_TO[kind].format(" to ".join(names))
    return _one_way(WORDS[kind].format(_joined(names)), way)


def _one_way(words: str, way: str | None) -> str:
    return f"{words} {WAY_WORDS[way]}" if way else words


def counted(counts: Mapping[str, int]) -> str:
    """How many parts of each kind: "24 nodes and 1 cable"."""
    return _joined([_count(count, kind) for kind, count in counts.items()])


def _count(count: int, kind: str) -> str:
    """ "1 node", "3 switches"."""
    if kind == UPLINK:
        return "1 link up from a switch" if count == 1 else f"{count} links up from switches"
    return how_many(count, kind)


def _joined(words: Sequence[str]) -> str:
    """ "a, b and c"."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))

"""Reads the switches of nodes: Slurm's topology.conf, the output of `scontrol show topology` or of
`ibnetdiscover`, or lines of our own such as `leaf1 node[1-16] 100Gbit/s`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from hockney.base.errors import UsageError
from hockney.plan.infiniband import FORMAT, infiniband_lines
from hockney.plan.topology import NAME, SwitchLine, Topology, joined

MOST_NAMES = 1 << 20
"""Most nodes and switches of a file; more are a mistake in a range."""
_ITEM = re.compile(r"[^,\[\]\s]*(?:\[[0-9,-]+\][^,\[\]\s]*)*")
_RANGES = re.compile(r"\[([0-9,-]+)\]")
_RANGE = re.compile(r"(\d+)(?:-(\d+))?")
_SLURM = re.compile(r"^\s*(?:Switch|Block)Name=", re.IGNORECASE | re.MULTILINE)
_SPEED = re.compile(r"(\d+(?:\.\d+)?)([kMGT]?)(bit|b|B)/s|(\d+(?:\.\d+)?)([KMG])iB/s")
_FACTORS = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_BINARY = {"K": 1024.0, "M": 1024.0**2, "G": 1024.0**3}
ADVICE = "write lines such as `leaf1 node[1-16]`, or name a topology.conf of Slurm"


def parse_topology(text: str, source: str) -> Topology:
    """The topology in the text of a file. Raises UsageError, with the line."""
    lines = list(_reader_of(text)(text, source))
    if not lines:
        raise UsageError(f"{source}: no switches", ADVICE)
    tree = _Tree(source)
    for line in lines:
        tree.defined.setdefault(line.switch, line.number)
    for line in lines:
        tree.add(line)
    return tree.topology()


def _reader_of(text: str) -> Callable[[str, str], Iterator[SwitchLine]]:
    if FORMAT.search(text):
        return infiniband_lines
    return _slurm_lines if _SLURM.search(text) else _own_lines


@dataclass
class _Tree:
    source: str
    defined: dict[str, int] = field(default_factory=dict)
    """The first line of each switch."""
    switches: dict[str, str] = field(default_factory=dict)
    parents: dict[str, list[str]] = field(default_factory=dict)
    """The switches above each: several where it has a cable to each of them."""
    above: dict[str, str] = field(default_factory=dict)
    link_Bps: dict[str, float] = field(default_factory=dict)

    def add(self, line: SwitchLine) -> None:
        for name in line.members:
            is_switch = name in self.defined if line.are_nodes is None else not line.are_nodes
            if is_switch and name not in self.defined:
                raise self.wrong(line.number, f"switch {name} has no line of its own")
            if is_switch:
                parents = self.parents.setdefault(name, [])
                is_new = line.switch not in parents
                parents += [line.switch] * is_new
            else:
                is_new = name not in self.switches
                if self.switches.setdefault(name, line.switch) != line.switch:
                    raise self.wrong(
                        line.number,
                        f"node {name} is below both {self.switches[name]} and {line.switch}",
                    )
            if line.speed_Bps is not None:
                cables = self.link_Bps.get(name, 0.0) if is_new else 0.0
                self.link_Bps[name] = cables + line.speed_Bps

    def topology(self) -> Topology:
        name_of = self._together()
        for switch, parents in self.parents.items():
            self.above[name_of[switch]] = name_of[parents[0]]
        for switch, line in self.defined.items():
            self._check_cycle(name_of[switch], line)
        if not self.switches:
            raise UsageError(f"{self.source}: no switch has a node", ADVICE)
        link_Bps: dict[str, float] = {}
        for name, speed in self.link_Bps.items():
            end = name_of.get(name, name)
            link_Bps[end] = link_Bps.get(end, 0.0) + speed
        return Topology(
            source=self.source,
            switches={node: name_of[switch] for node, switch in self.switches.items()},
            above=self.above,
            link_Bps=link_Bps,
        )

    def _together(self) -> dict[str, str]:
        """The name of each switch. Switches above the same switch count as one, like the spines of
        a fat tree: it reaches the others through any of them."""
        group = joined(self.defined, self.parents.values())
        first = list(self.defined)
        return {
            switch: f"{min(members, key=first.index)}-and-{len(members) - 1}-more"
            if len(members) > 1
            else switch
            for switch, members in group.items()
        }

    def _check_cycle(self, switch: str, line: int) -> None:
        path = [switch]
        while path[-1] in self.above:
            path.append(self.above[path[-1]])
            if path[-1] == switch:
                raise self.wrong(line, f"a cycle: {' is below '.join(path)}")
            if len(path) > len(self.defined):  # it leads into a cycle of others
                return

    def wrong(self, line: int, words: str) -> UsageError:
        return UsageError(
            f"{self.source}, line {line}: {words}",
            "a node is below one switch, and no switch below itself",
        )


def _numbered(text: str) -> Iterator[tuple[int, str]]:
    """Lines without comments; one that ends with a backslash continues in the next."""
    begun, number = "", 0
    for at, line in enumerate(text.splitlines(), start=1):
        number = number if begun else at
        begun += line.partition("#")[0].rstrip()
        if begun.endswith("\\"):
            begun = begun[:-1] + " "
            continue
        if begun.strip():
            yield number, begun.strip()
        begun = ""
    if begun.strip():
        yield number, begun.strip()


def _own_lines(text: str, source: str) -> Iterator[SwitchLine]:
    for number, words in _numbered(text):
        parts = words.split()
        if len(parts) not in (2, 3):
            raise UsageError(
                f"{source}, line {number}: {words[:60]!r} is not a switch, what is below it and "
                "perhaps the speed of each link to it",
                ADVICE,
            )
        speed = _speed(parts[2], source, number) if len(parts) == 3 else None
        switch = _names(parts[0], source, number)
        if len(switch) != 1:
            raise UsageError(f"{source}, line {number}: {parts[0]!r} is not one switch", ADVICE)
        yield SwitchLine(number, switch[0], _names(parts[1], source, number), speed)


def _slurm_lines(text: str, source: str) -> Iterator[SwitchLine]:
    for number, words in _numbered(text):
        fields = {
            key.lower(): value
            for key, equals, value in (word.partition("=") for word in words.split())
            if equals
        }
        if "blocksizes" in fields:
            continue
        name = fields.get("switchname") or fields.get("blockname")
        if name is None:
            raise UsageError(f"{source}, line {number}: no SwitchName in {words[:60]!r}", ADVICE)
        below = [(key, fields[key]) for key in ("switches", "nodes") if fields.get(key)]
        if not below:
            raise UsageError(
                f"{source}, line {number}: switch {name} has neither Nodes nor Switches", ADVICE
            )
        # `scontrol show topology` lists with a switch of switches the nodes of all of them, too.
        key, members = below[0]
        are_nodes = key == "nodes"
        for switch in _names(name, source, number):
            names = _names(members, source, number)
            yield SwitchLine(number, switch, names, are_nodes=are_nodes)


def _speed(text: str, source: str, number: int) -> float:
    """Bytes per second of "100Gbit/s", "12.5GB/s" or "11GiB/s"."""
    match = _SPEED.fullmatch(text)
    if not match:
        raise UsageError(
            f"{source}, line {number}: {text!r} is not the speed of a link",
            "write 100Gbit/s or 12.5GB/s",
        )
    if match[4]:
        speed = float(match[4]) * _BINARY[match[5]]
    else:
        speed = float(match[1]) * _FACTORS[match[2]] / (1.0 if match[3] == "B" else 8.0)
    if speed <= 0.0:
        raise UsageError(f"{source}, line {number}: a link without speed")
    return speed


def _names(text: str, source: str, number: int) -> tuple[str, ...]:
    try:
        names = expand(text)
    except ValueError as error:
        raise UsageError(f"{source}, line {number}: {error}", ADVICE) from error
    for name in names:
        if not NAME.fullmatch(name):
            raise UsageError(
                f"{source}, line {number}: {name[:40]!r} is not a name",
                "names have letters, digits, - and _; write nodes by their short names",
            )
    return names


def expand(text: str) -> tuple[str, ...]:
    """The names in "login,node[01-16,20]rack[1-2]", a list of hosts as by Slurm. Raises
    ValueError."""
    names: list[str] = []
    at = 0
    while at < len(text):
        item = _ITEM.match(text, at)
        end = item.end() if item else at
        if end == at or (end < len(text) and text[end] != ","):
            raise ValueError(f"{text[:60]!r} is not a list of names")
        names += _expanded(text[at:end], MOST_NAMES - len(names))
        at = end + 1
    if not names or text.endswith(","):
        raise ValueError(f"{text[:60]!r} is not a list of names")
    return tuple(names)


def _expanded(item: str, room: int) -> list[str]:
    match = _RANGES.search(item)
    if not match:
        return [item]
    rests = _expanded(item[match.end() :], room)
    names: list[str] = []
    for part in match[1].split(","):
        for number in _numbers(part):
            names += [item[: match.start()] + number + rest for rest in rests]
            if len(names) > room:
                raise ValueError(f"{item!r} is more than {MOST_NAMES} names")
    return names


def _numbers(text: str) -> Iterator[str]:
    """Numbers of a range: "08-11" is 08, 09, 10, 11."""
    match = _RANGE.fullmatch(text)
    if not match or int(match[2] or match[1]) < int(match[1]):
        raise ValueError(f"[{text}] is not a range of numbers")
    for number in range(int(match[1]), int(match[2] or match[1]) + 1):
        yield f"{number:0{len(match[1])}d}"

"""Removes what other tools put before all lines of a program: hosts, containers, loggers, times.

A host or a process that is named in the same words before every line is recognised as such. Other
forms are too many: there the prefix is what stands before a known title, on all lines that begin
alike. It stays where the lines of two programs are mixed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, takewhile
from pathlib import Path

LEAST_LINES = 3
"""Least lines with a prefix: a title, a heading and a row."""
MOST_PREFIXES = 20
"""Most prefixes that are looked for in a log."""
LEAST_OF_ALL = 2
"""Least lines of a log that all begin with the same words; one may have them by chance."""
LEAST_OF_HOST = 4
"""Least lines that begin with a host in a log that has other lines, too."""
_NAMED = re.compile(
    r"(?:\[(?=[^\]]*[A-Za-z])\w[\w.:@/ -]{0,200}\]:?"  # [node03], [rank 0], [pod/osu-0/launcher]
    r"|(?=[a-z-]*\d)[a-z][a-z\d-]{1,62} [a-z][a-z\d-]{0,62}"  # stern's pod and container
    r"|(?=[A-Za-z][\w.-]*\d)[\w.-]{1,64}(?: \d{1,6})?(?::| +\|))"  # pdsh's node03:, PALS' node03 0:
    r"(?: |$)"
)
"""What names a host or a process before a line; all lines have the same text. A name without a
digit may be the program's own, as sockperf's."""
_LINE_NUMBER = re.compile(
    r"\s*(?P<number>\d{1,9})(?:[:\t]|(?P<weak> {0,2}\| ?| |$))(?P<rest>.*)", re.DOTALL
)
_HOST = re.compile(r"(?=[A-Za-z][\w.-]*\d)([\w.-]{1,64}):(?: |$)")
"""A host before a line, among lines without one."""
_TITLE = re.compile(
    r"(?P<prefix>.{0,99}?[^#\\])(?P<title># (?:OSU|OMB) .{1,100} Test\b|# Benchmarking \w.{0,40}"
    r"|#\s+size\s+count\s+type\b|#bytes\s+#iterations\s)"
)
"""Titles and headings of programs, behind a prefix."""
_HEADING = re.compile(r"#?\s*(?:Size|#bytes|\(B\))\s")
_TIME = re.compile(r"(?:\d\d:\d\d:\d\d|\d\\?\.\d{2,}|\d{9,})[\d.,+Z\\-]*")
"""A time in a prefix, which differs between lines, as do the numbers before it."""
_PARTS = re.compile(r"(?P<name>[A-Za-z_]+\d\w*)|(?P<digits>\d+)|(?P<blanks> +)|(?P<other>.)")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True)
class HiddenTitle:
    line: int
    prefix: str
    title: str
    is_quoted: bool
    """True if the line ends in an escaped newline, as strings of programs do."""

    def words(self, path: Path, where: str) -> tuple[str, str]:
        """What is wrong, and what to do."""
        return (
            f"{where} has {self.title!r} behind {self.prefix!r}",
            "take the lines that begin so, without it: "
            f"sed -n '{self._script()}' {path.name} | hockney import -",
        )

    def _script(self) -> str:
        """A script for sed -n that prints the lines with this prefix, without it."""
        begin = re.sub(r"[][.*^$/\\]", r"\\\g<0>", self.prefix).replace("'", ".")
        time = _end_of_time(begin)
        begin = re.sub(r"\d+", "[0-9]*", begin[:time]) + begin[time:]
        end = r"s/\\n.*//;" if self.is_quoted else ""
        return f"{end}s/^{begin}//p"


def without_numbers(lines: Sequence[str]) -> list[str]:
    """The lines without their numbers, where all have one (cat -n, nl, grep -n, an editor's). Rows
    of numbers may begin like these."""
    known = [_LINE_NUMBER.match(line) for line in takewhile(_may_be_numbered, lines)]
    matches = list(filter(None, known))
    # Blanks and bars separate columns, too: there the numbers are those of all lines.
    steps = [int(b["number"]) - int(a["number"]) for a, b in pairwise(matches)]
    is_weak = any(match["weak"] for match in matches)
    is_ascending = all(step == 1 if is_weak else step > 0 for step in steps)
    is_text = not all(_is_number(match["rest"]) for match in matches)
    if len(known) < len(lines) or len(matches) < LEAST_LINES or not (is_ascending and is_text):
        return list(lines)
    return [match["rest"] if match else "" for match in known]


def _may_be_numbered(line: str) -> bool:
    return not line.strip() or _LINE_NUMBER.match(line) is not None


def without_hosts(lines: Sequence[str]) -> list[str]:
    """The lines without the host or process that begins all of them, or all of a program: then
    the others are a script's, and no other host has lines among them."""
    filled = {number: line for number, line in enumerate(lines) if line.strip()}
    first = _NAMED.match(next(iter(filled.values()), ""))
    if first and len(filled) >= LEAST_OF_ALL:
        label = first[0].rstrip()
        if all(line.startswith(f"{label} ") or line == label for line in filled.values()):
            return [line[len(label) + 1 :] for line in lines]
    places = dict[str, dict[int, int]]()
    for number, line in filled.items():
        if host := _HOST.match(line):
            places.setdefault(host[1], {})[number] = host.end()
    bare = list(lines)
    for of in apart(list(places.values())):
        # Rows alone may begin like this, below a heading that does not.
        if len(of) >= LEAST_OF_HOST and not _is_number(lines[min(of)][of[min(of)] :]):
            for number, end in of.items():
                bare[number] = lines[number][end:]
    return bare


def without_shared(lines: Sequence[str]) -> list[str]:
    """The lines without prefixes that all lines of a table share."""
    bare = list(lines)
    of_tables = [
        of for of in _places(lines) if any(_is_row(lines[n][end:]) for n, end in of.items())
    ]
    for of in apart(of_tables):
        for number, end in of.items():
            bare[number] = lines[number][end:]
    return bare


def are_mixed(lines: Sequence[str]) -> bool:
    """True if two programs have each its own prefix, and their lines are mixed."""
    places = _places(lines)
    return len(places) > 1 and bool(
        mixed([{number: lines[number][end:] for number, end in of.items()} for of in places])
    )


def mixed(programs: Sequence[Mapping[int, str]]) -> tuple[int, int] | None:
    """A program and another that has a line of a table between the title and the last row of one
    of its tables; None where each table is alone. programs: the lines of each by their numbers."""
    of_tables = [
        {number: _is_row(text) for number, text in of.items() if _is_row(text) or _is_title(text)}
        for of in programs
    ]
    of_tables = [of if any(of.values()) else {} for of in of_tables]
    owners = {number: owner for owner, of in enumerate(of_tables) for number in of}
    ordered = sorted(owners)
    ranks = {number: rank for rank, number in enumerate(ordered)}
    for program, of in enumerate(of_tables):
        for first, last in _spans(of):
            for number in ordered[ranks[first] : ranks[last] + 1]:
                if number not in of:
                    return program, owners[number]
    return None


def _spans(is_row: Mapping[int, bool]) -> Iterator[tuple[int, int]]:
    """The title and the last row of each table."""
    first, last = None, None
    for number in sorted(is_row):
        if first is None or (last is not None and not is_row[number]):
            if first is not None and last is not None:
                yield first, last
            first, last = number, None
        last = number if is_row[number] else last
    if first is not None and last is not None:
        yield first, last


def _places(lines: Sequence[str]) -> list[dict[int, int]]:
    """For each prefix that titles have, where it ends in the lines that have it."""
    every = (
        {number: match.end() for number, line in enumerate(lines) if (match := of.match(line))}
        for of in _patterns(lines)
    )
    return [places for places in every if len(places) >= LEAST_LINES]


def hidden_title(lines: Sequence[str]) -> HiddenTitle | None:
    """The first title that still shares a prefix with a heading below it; None without one."""
    for number, line in enumerate(lines):
        if not (title := _title(line)):
            continue
        begins = re.compile(_source(title["prefix"])).match
        below = lines[number + 1 : number + 9]
        rest = [text[match.end() :] for text in below if (match := begins(text))]
        if any(map(_HEADING.match, rest)):
            words = title["title"].removeprefix("# ")
            return HiddenTitle(number + 1, title["prefix"], words, is_quoted="\\n" in line)
    return None


def _title(line: str) -> re.Match[str] | None:
    match = _TITLE.match(line) if "#" in line[1:] else None
    return match if match and match["prefix"].strip() else None


def _patterns(lines: Sequence[str]) -> list[re.Pattern[str]]:
    """Patterns of the prefixes that titles have."""
    shortest = dict[str, str]()
    for line in lines:
        if title := _title(line):
            prefix = title["prefix"]
            # Titles may be indented below others that are not.
            known = shortest.setdefault(_source(prefix.rstrip()), prefix)
            if len(prefix) - len(prefix.rstrip()) < len(known) - len(known.rstrip()):
                shortest[_source(prefix.rstrip())] = prefix
    return [re.compile(_source(prefix)) for prefix in islice(shortest.values(), MOST_PREFIXES)]


def _source(prefix: str) -> str:
    """The prefix as a pattern. Numbers of times may differ, but not those of names. Empty lines
    have it without its last blanks."""
    time = _end_of_time(prefix)
    kept = prefix.rstrip()
    parts = (
        r"\d+"
        if part["digits"] and part.start() < time
        else " +"
        if part["blanks"]
        else re.escape(part[0])
        for part in _PARTS.finditer(kept)
    )
    blanks = re.escape(prefix[len(kept) :])
    return f"{''.join(parts)}(?:{blanks}|$)"


def _end_of_time(prefix: str) -> int:
    """Where a time in the prefix ends, which differs between lines; 0 without one."""
    return max((match.end() for match in _TIME.finditer(prefix)), default=0)


def _is_number(text: str) -> bool:
    return _NUMBER.match(text.lstrip()) is not None


def _is_title(text: str) -> bool:
    return text.lstrip().startswith("#")


def _is_row(text: str) -> bool:
    cells = text.split()
    return len(cells) > 1 and all(map(_NUMBER.fullmatch, cells[:2]))


def apart(places: Sequence[dict[int, int]]) -> list[dict[int, int]]:
    """Those whose lines are not mixed with the lines of another. There may be thousands: each is
    compared only with the one that ends last of those that begin above it."""
    spans = sorted((min(of), max(of), number) for number, of in enumerate(places))
    mixed = set[int]()
    last_end, last = -1, -1
    for first, end, number in spans:
        if first <= last_end:
            mixed |= {number, last}
        if end > last_end:
            last_end, last = end, number
    return [of for number, of in enumerate(places) if number not in mixed]

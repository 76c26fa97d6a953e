"""Reads the log of another program within limits, and removes what launchers add to its lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from hockney.foreign.logs import content, folded, markdown, prefixes, wrappers
from hockney.foreign.logs.wrappers import CLOCK

LONGEST_LINE = 4096
"""Most characters of a line that is searched; only matrices and CSV have longer ones
(`whole_line`)."""
MOST_PARTS = 20
"""Most lines of a command that are joined."""
UNKNOWN = "unknown"
"""The operation of a log that does not name it."""

_ESCAPES = re.compile(
    r"^\s*(?:<(?:pre|code|samp)(?: [^<>]{0,99})?>)+|(?:</(?:pre|code|samp)>)+$"
    r"|(?:&#010;)?</std(?:out|err)>$|\x1b\[[0-9;?]*[A-Za-z]|\x1b[]_][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|[\u200b-\u200d\u2060\ufeff]"
)
"""Tags of pages and of XML, colours and titles of terminals, and characters without a width."""
_BLANKS = re.compile(r"[\xa0\u2000-\u200a\u202f\u205f\u3000]")
"""Blanks of web pages and word processors, which do not break a line or have another width."""
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_DAY = r"\d{4}[-/]\d\d[-/]\d\d"
_STREAM = r"(?:<std(?:out|err)>)?"
_DATE = rf"[A-Z][a-z]{{2}} [A-Z][a-z]{{2}} [ \d]\d {CLOCK}(?: [A-Z]{{2,5}})? \d{{4}}"
_PREFIXES = re.compile(
    rf"(?:{_DAY}[T ]{CLOCK}(?:Z|[+-]\d\d:?\d\d)?"  # of a container's log
    r"(?: (?:INFO|DEBUG|INF|DBG))?(?:[:|] ?| )"
    rf"|\[(?:{_DAY}[T ])?{CLOCK}Z?\] ?|{CLOCK} (?: (?=\S)|(?=[#\s\d]))"  # of ts and of CI
    rf"|\[{_DATE}\]{_STREAM}:? ?"
    rf"|{_DATE}(?=\[(?:[\w.-]{{1,64}}@)?\d+,\d+\]|<std(?:out|err)>)"  # mpirun's --timestamp-output
    rf"|\[(?:[\w.-]{{1,64}}@)?\d+,\d+\](?:\[[\w.-]{{1,64}}:\d+\])?{_STREAM}:? ?"  # mpirun
    r"|<std(?:out|err)>: ?"
    r"|<std(?:out|err) rank=\"\d+\">"  # mpirun's --xml
    r"|\[\d+\] (?=[#\s\d])|\s*\d+: (?=[#\s\d]))+"  # mpiexec -l, srun --label
)
_LABEL = re.compile(r"\s*(?:\d{1,6}:|\[\d{1,6}\])(?: |(?=[^\d ]|$))")
LEAST_LABELLED = 2
"""Least lines of a log whose every line has a label; fewer may have it by chance."""
_BLOCK_LABELS = (
    _LABEL,  # srun --label, mpiexec -l
    re.compile(rf"{CLOCK}  "),  # of Jenkins
    re.compile(rf"(?:[A-Z][a-z]{{2}} [ \d]\d )?{CLOCK} "),
    re.compile(r"(?:> ?)+"),  # of a quotation
    re.compile(r"\[(?:rank|node|host|task|process)[ _-]?\d{1,6}\]:? ?"),
    re.compile(  # of PALS' mpiexec -l: the host and the rank
        r"(?=[\w.-]*\d)[A-Za-z][\w-]{1,63}(?:\.[\w-]{1,64}){0,8} \d{1,6}: ?(?!\d\d:)"
    ),
)
"""What all lines of one program may have before them, in a log that has other lines, too."""
LEAST_IN_BLOCK = 4
"""Least lines of such a block."""
_HEADS = re.compile(r"\s*[#|+]|.*[A-Za-z]")
"""What a line of a block must have after its label: rows of numbers may begin like labels."""
_INDENTED = re.compile(r"(?: {2}|\t)\s*\S")


@dataclass(frozen=True)
class Log:
    path: Path
    text: str
    lines: tuple[str, ...]
    """The lines without prefixes of launchers, colours, control characters, trailing blanks, and
    Markdown; line 1 is the first. Those longer than LONGEST_LINE are empty."""
    whole: bool
    """True if the last line ends with a newline."""
    bytes: int | None = None
    operation: str = UNKNOWN
    """The operation that the user gave, like `bytes`, if the log does not show it."""
    columns: Mapping[str, str] | None = None
    """Names of columns that the user gave, by their content."""
    repeated: str | None = None
    """What repeated rows of a point are, if the user gave it: launches or samples."""
    long_lines: Mapping[int, str] = field(default_factory=dict)
    """Lines longer than LONGEST_LINE, by number."""

    def at(self, number: int) -> str:
        return f"{self.path}, line {number}"

    def numbered(self, first: int = 1) -> Iterator[tuple[int, str]]:
        """Lines with their numbers, starting at `first`."""
        return ((n, self.lines[n - 1]) for n in range(first, len(self.lines) + 1))

    def whole_line(self, number: int) -> str:
        """The line, however long it is."""
        return self.long_lines.get(number, self.lines[number - 1])

    def joined(self) -> Iterator[tuple[int, str]]:
        """The numbered lines, with those joined that a backslash continues."""
        parts: list[str] = []
        for line, text in self.numbered():
            parts.append(text)
            if not text.endswith("\\") or len(parts) > MOST_PARTS:
                yield line - len(parts) + 1, "\n".join(parts)
                parts = []
        if parts:
            yield len(self.lines) - len(parts) + 1, "\n".join(parts)

    def unfolded(self) -> Log | None:
        """The log with the lines joined that a terminal broke; None where there are none."""
        lines = [line.rstrip("\r") for line in self.text.split("\n")]
        joined = folded.unfolded(lines)
        if joined == lines:
            return None
        log = log_of("\n".join(joined), self.path)
        return replace(
            self, text=log.text, lines=log.lines, whole=log.whole, long_lines=log.long_lines
        )

    @cached_property
    def last(self) -> int:
        """The number of the last line that is not empty."""
        return max(
            (n for n, line in self.numbered() if line.strip() or n in self.long_lines), default=0
        )

    def find(self, pattern: re.Pattern[str]) -> int | None:
        """The number of the first line in which the pattern occurs."""
        return next((n for n, line in self.numbered() if pattern.search(line)), None)


def read_log(path: Path) -> Log:
    """The log in a file, or in stdin (`-`)."""
    return log_of(content.text_of(path), content.PIPED if path == content.STDIN else path)


def log_of(text: str, path: Path) -> Log:
    text = text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")  # the byte-order mark of editors
    lines = text.removesuffix("\n").split("\n") if text else []
    wrapped = lines
    lines = wrappers.unwrapped(wrapped, path)
    if lines != wrapped:
        text = "\n".join(lines) + "\n" * text.endswith("\n")
    lines = prefixes.without_hosts(prefixes.without_numbers([line.rstrip("\r") for line in lines]))
    is_mixed = prefixes.are_mixed(lines)
    cleaned = [_cleaned(line, is_mixed) for line in (lines if is_mixed else _without_labels(lines))]
    long_lines = {n: line for n, line in enumerate(cleaned, 1) if len(line) > LONGEST_LINE}
    for number in long_lines:
        cleaned[number - 1] = ""
    plain = prefixes.without_shared(markdown.plain(cleaned))
    return Log(path, text, tuple(plain), text.endswith("\n"), long_lines=long_lines)


def _without_labels(lines: list[str]) -> list[str]:
    """Lines without what launchers and pages put before all lines of a program: ranks, times,
    marks of quotations, and the indentation of a table whose heading is indented."""
    if len(lines) >= LEAST_LABELLED and all(map(_LABEL.match, filter(str.strip, lines))):
        return [_LABEL.sub("", line, count=1) for line in lines]
    bare = list(lines)
    for label in _BLOCK_LABELS:
        for start, end in _blocks(bare, label):
            rest = [label.sub("", line, count=1) for line in bare[start:end]]
            if any(map(_HEADS.match, rest)):
                bare[start:end] = rest
    for start, end in _blocks(bare, _INDENTED, least=LEAST_LABELLED):
        block = [line for line in bare[start:end] if line.strip()]
        least = min((len(line) - len(line.lstrip()) for line in block), default=0)
        if any(line[least:].startswith("#") for line in block):
            bare[start:end] = [line[least:] for line in bare[start:end]]
    return bare


def _blocks(
    lines: list[str], label: re.Pattern[str], least: int = LEAST_IN_BLOCK
) -> list[tuple[int, int]]:
    """Runs of lines that all begin like this, as their first index and that after the last."""
    blocks: list[tuple[int, int]] = []
    if len(lines) >= LEAST_LABELLED and all(map(label.match, filter(str.strip, lines))):
        least = LEAST_LABELLED
    start: int | None = None
    for number, line in enumerate([*lines, "."]):
        is_inside = start is not None and not line.strip()
        begins = number < len(lines) and (is_inside or label.match(line))
        if begins:
            start = number if start is None else start
        elif start is not None:
            if number - start >= least:
                blocks.append((start, number))
            start = None
    return blocks


def _cleaned(line: str, is_mixed: bool) -> str:
    """The line without what terminals need, and without prefixes unless these separate the mixed
    lines of several programs."""
    line = (line if line.isascii() else _BLANKS.sub(" ", line)).rstrip(" \r")
    # A terminal goes back to the start of the line at each carriage return.
    line = _ESCAPES.sub("", line).rpartition("\r")[2]
    line = _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", line)
    prefix = None if is_mixed else _PREFIXES.match(line)
    return line[prefix.end() :] if prefix else line

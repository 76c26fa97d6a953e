"""Reads the log of another program within limits, and removes what launchers add to its lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from hockney.logs import content

LONGEST_LINE = 4096
"""Characters; no table has longer lines, so they are not searched."""
UNKNOWN = "unknown"
"""The operation of a log that does not name it."""

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_CLOCK = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_DAY = r"\d{4}[-/]\d\d[-/]\d\d"
_STREAM = r"(?:<std(?:out|err)>)?"
_PREFIXES = re.compile(
    rf"(?:{_DAY}[T ]{_CLOCK}(?:Z|[+-]\d\d:?\d\d)?"  # of a container's log
    r"(?: std(?:out|err) [FP])?(?: (?:INFO|DEBUG|INF|DBG))?(?:[:|] ?| )"
    rf"|\[(?:{_DAY}[T ])?{_CLOCK}Z?\] ?|{_CLOCK} (?=[#\s\d])"  # of ts and of CI
    rf"|[A-Z][a-z]{{2}} [ \d]\d {_CLOCK} [\w.-]{{1,64}} [\w./-]{{1,64}}(?:\[\d+\])?: "  # syslog
    rf"|\[[A-Z][a-z]{{2}} [A-Z][a-z]{{2}} [ \d]\d {_CLOCK} \d{{4}}\]{_STREAM}:? ?"
    rf"|\[(?:[\w.-]{{1,64}}@)?\d+,\d+\](?:\[[\w.-]{{1,64}}:\d+\])?{_STREAM}:? ?"  # mpirun
    r"|\[\d+\] (?=[#\s\d])|\s*\d+: (?=[#\s\d]))+"  # mpiexec -l, srun --label
)


@dataclass(frozen=True)
class Log:
    path: Path
    text: str
    lines: tuple[str, ...]
    """Without prefixes of launchers, colours and control characters; line 1 is the first."""
    whole: bool
    """True if the last line ends with a newline."""
    bytes: int | None = None
    operation: str = UNKNOWN
    """Given by the user, like `bytes`, if the log does not show it."""
    columns: Mapping[str, str] | None = None
    """Names of columns that the user gave, by what is in them."""
    repeated: str | None = None
    """What repeated rows of a point are, if the user said so: launches or samples."""

    def at(self, number: int) -> str:
        return f"{self.path}, line {number}"

    def numbered(self, first: int = 1) -> Iterator[tuple[int, str]]:
        """Lines with their numbers, starting at `first`."""
        return ((n, self.lines[n - 1]) for n in range(first, len(self.lines) + 1))

    @cached_property
    def last(self) -> int:
        """The number of the last line that is not empty."""
        return max((n for n, line in self.numbered() if line.strip()), default=0)

    def find(self, pattern: re.Pattern[str]) -> int | None:
        """The number of the first line in which the pattern occurs."""
        return next((n for n, line in self.numbered() if pattern.search(line)), None)


def read_log(path: Path) -> Log:
    """The log in a file, or in stdin (`-`)."""
    return log_of(content.text_of(path), content.PIPED if path == content.STDIN else path)


def log_of(text: str, path: Path) -> Log:
    text = text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")  # the byte-order mark of editors
    lines = tuple(map(_cleaned, text.removesuffix("\n").split("\n"))) if text else ()
    return Log(path, text, lines, text.endswith("\n"))


def _cleaned(line: str) -> str:
    if len(line) > LONGEST_LINE:
        return ""
    line = _ESCAPES.sub("", line.rstrip("\r"))
    line = _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", line)
    prefix = _PREFIXES.match(line)
    return line[prefix.end() :] if prefix else line

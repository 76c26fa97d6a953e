"""When ranks arrive at a collective: all at once, or spread over a skew."""

from __future__ import annotations

import math
from pathlib import Path

import msgspec

from hockney.base.errors import UsageError
from hockney.base.units import parse_seconds
from hockney.plan.option_files import option_text

TOGETHER = "none"
LISTED = "listed"
"""Name of the pattern from a file."""
PATTERNS = (
    *(TOGETHER, "ascending", "descending", "random", "first-late", "last-late", "half-late"),
    LISTED,
)
LONGEST_S, MOST_TIMES = 100.0, 1000.0
"""Limits of a skew: each repetition takes as long, in which the ranks wait silently. The engine has
them as well."""


class Skew(msgspec.Struct, frozen=True):
    """Time from the first rank's arrival to the last one's: a time, or a multiple of what the
    collective takes without a skew. One of them is None."""

    seconds: float | None = None
    times: float | None = None


class Arrivals(msgspec.Struct, frozen=True, kw_only=True):
    """Patterns that are measured side by side in the same rounds."""

    patterns: tuple[str, ...]
    skew: Skew
    fractions: tuple[float, ...] = ()
    """Delay of each rank in the pattern `listed`, as a fraction of the skew."""

    def arguments(self, list_file: str | None) -> list[str]:
        """The engine's options. list_file: holds `listed_text`."""
        words = [f"--arrival={','.join(self.patterns)}"]
        if any(pattern != TOGETHER for pattern in self.patterns):
            words.append(
                f"--skew-times={self.skew.times:.9g}"
                if self.skew.seconds is None
                else f"--skew-ns={self.skew.seconds * 1e9:.9g}"
            )
        if self.fractions:
            words.append(f"--fractions={f'@{list_file}' if list_file else self.listed_text}")
        return words

    @property
    def listed_text(self) -> str:
        return ",".join(f"{fraction:.9g}" for fraction in self.fractions)

    def check(self, ranks: int) -> None:
        if self.fractions and len(self.fractions) != ranks:
            raise UsageError(
                f"--arrival: the file has delays of {len(self.fractions)} ranks, not of {ranks}",
                f"give -n {len(self.fractions)}, or a file with a delay for each rank",
            )


class ArrivalRequest(msgspec.Struct, frozen=True):
    """Value of `--arrival`."""

    patterns: tuple[str, ...]
    delays_s: tuple[float, ...] = ()
    """Delays in the file, one for each rank."""


def parse_arrival(text: str) -> ArrivalRequest:
    """Reads "none,ascending,@FILE"."""
    patterns: list[str] = []
    delays: tuple[float, ...] = ()
    for name in text.split(","):
        if name.startswith("@"):
            if delays:
                raise UsageError("two files of delays", "name one")
            delays = _delays_of(Path(name[1:]))
            patterns.append(LISTED)
        elif name in PATTERNS and name != LISTED:
            patterns.append(name)
        else:
            raise UsageError(
                f"{name!r} is no pattern of arrival",
                f"there are {', '.join(PATTERNS[:-1])}, and @FILE with a delay for each rank",
            )
    return ArrivalRequest(tuple(dict.fromkeys(patterns)), delays)


def parse_skew(text: str) -> Skew:
    """Reads "100us" or, as a multiple of the collective's own time, "1.5x"."""
    if text.endswith("x"):
        try:
            times = float(text[:-1])
        except ValueError:
            times = math.nan
        if not 0.0 < times <= MOST_TIMES:
            raise UsageError(
                f"{text!r} is not a multiple from 0 to {MOST_TIMES:g}", "write 100us or 1.5x"
            )
        return Skew(times=times)
    return _skew_of(parse_seconds(text), repr(text), "write 100us or 1.5x")


def _skew_of(seconds: float, what: str, advice: str) -> Skew:
    if seconds > LONGEST_S:
        raise UsageError(
            f"{what} is more than {LONGEST_S:g} s, and each repetition takes as long", advice
        )
    return Skew(seconds=float(f"{seconds:.9g}"))  # as the records have it


def arrivals_of(request: ArrivalRequest | None, skew: Skew | None) -> Arrivals | None:
    """The arrivals that both options ask for: without a skew, the file's, or that of one
    collective."""
    if request is None:
        if skew is not None:
            raise UsageError("--skew needs --arrival", "add --arrival none,ascending")
        return None
    if skew is not None and request.patterns == (TOGETHER,):
        raise UsageError(
            "--skew: --arrival none has none", "add a pattern, such as --arrival none,last-late"
        )
    first = min(request.delays_s, default=0.0)
    spread = max(request.delays_s, default=0.0) - first
    fractions = tuple((delay - first) / spread for delay in request.delays_s)
    if skew is None:
        what = f"--arrival: the time from the first rank of the file to the last, {spread:g} s,"
        skew = _skew_of(spread, what, "give --skew") if fractions else Skew(times=1.0)
    return Arrivals(patterns=request.patterns, skew=skew, fractions=fractions)


def _delays_of(path: Path) -> tuple[float, ...]:
    """A delay in seconds for each rank, separated by white space or commas."""
    text = option_text(path, f"--arrival @{path}", "name a file with a delay for each rank")
    delays = []
    for word in text.replace(",", " ").split():
        try:
            delays.append(float(word))
        except ValueError:
            delays.append(math.nan)
        if not 0.0 <= delays[-1] < math.inf:
            raise UsageError(
                f"{path}: {word[:20]!r} is not a delay from 0 s up",
                "write a number of seconds for each rank, with white space between them",
            )
    if not delays or min(delays) == max(delays):
        raise UsageError(
            f"{path}: {'no delays' if not delays else 'all ranks arrive at once'}",
            "write a number of seconds for each rank, or use --arrival none",
        )
    return tuple(delays)

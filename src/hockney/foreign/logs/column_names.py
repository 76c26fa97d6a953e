"""The words, statistic and unit in a column's name, however people write it."""

from __future__ import annotations

import re
from decimal import Decimal

_BIT = Decimal(1) / 8
TIME_UNITS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), Decimal(1)),
    **dict.fromkeys(("ms", "msec", "msecs", "millisecond", "milliseconds"), Decimal("1e-3")),
    **dict.fromkeys(
        # The last is of Latin-1, whose µ is no UTF-8.
        ("us", "usec", "usecs", "microsecond", "microseconds", "µs", "μs", "\ufffds"),
        Decimal("1e-6"),
    ),
    **dict.fromkeys(("ns", "nsec", "nsecs", "nanosecond", "nanoseconds"), Decimal("1e-9")),
}
_PREFIXES = {
    "": Decimal(1),
    "k": Decimal(10**3),
    "K": Decimal(10**3),
    "M": Decimal(10**6),
    "G": Decimal(10**9),
    "Ki": Decimal(2**10),
    "Mi": Decimal(2**20),
    "Gi": Decimal(2**30),
}
_RATE = re.compile(r"(?P<prefix>[kKMG]i?|)(?P<what>B|[Bb]ytes?|b|[Bb]its?)(?:/s(?:ec(?:ond)?)?|ps)")
"""Megabytes are 10^6 bytes, as OSU has them; the name of the column is kept beside the number."""
SIZES = frozenset(
    {
        "bytes",
        "size",
        "nbytes",
        "msize",
        "msgsize",
        "msglen",
        "msg len",
        "msg size",
        "message size",
        "messagesize",
        "msg bytes",
        "message bytes",
        "size bytes",
        "message length",
        "msg length",
        "length",
        "len",
        "message",
        "data size",
        "buffer size",
        *(f"{name} size bytes" for name in ("message", "msg", "data", "buffer")),
    }
)
TIMES = frozenset({"", "t", "time", "latency", "lat", "latencies", "duration", "elapsed", "rtt/2"})
RATES = frozenset({"", "bandwidth", "bw", "throughput", "rate"})
STATISTICS = {
    **dict.fromkeys(("avg", "average", "mean"), "mean"),
    **dict.fromkeys(("med", "median"), "median"),
    **dict.fromkeys(("min", "minimum", "best"), "min"),
    **dict.fromkeys(("max", "maximum"), "max"),
    **dict.fromkeys(("std", "stddev", "stdev"), "std"),
}
_QUANTILE = re.compile(r"p(\d{1,2})(?:\.(\d{1,4})|(9{1,3}))?")
"""p99, p99.9, and p999, which is p99.9."""
LONGEST_NAME = 200
"""Most characters of a name: damaged logs have some of megabytes."""


def is_measured(name: str) -> bool:
    """True if a column of this name holds times or rates in a known unit."""
    words, unit = split_name(name) if len(name) <= LONGEST_NAME else ("", None)
    rest = statistic_in(words)[1]
    if unit is None:
        return False
    return (rest in TIMES and unit.lower() in TIME_UNITS) or (
        rest in RATES and rate(unit) is not None
    )


def split_name(name: str) -> tuple[str, str | None]:
    """The words of a name and its unit: "t_avg[usec]", "Latency (us)", "time in s", "time_ns",
    "Mbytes/sec"."""
    text = name.lstrip("#").strip()
    boxed = re.fullmatch(r"(.*?)\s*[\(\[]\s*([^()\[\]]*?)\s*[\)\]]", text)
    boxed = boxed or re.fullmatch(r"(.*\S)\s+in\s+(\S+)", text, re.IGNORECASE)
    if boxed:
        return plain_name(boxed[1]), boxed[2]
    parts = re.split(r"[\s_\-]+", text)
    if len(parts) > 1 and plain_name(text) in SIZES:
        return plain_name(text), None
    last = parts[-1]
    # A lone "s" or "b" is no heading that anybody writes.
    if (last.lower() in TIME_UNITS and (len(parts) > 1 or len(last) > 1)) or rate(last):
        return plain_name(" ".join(parts[:-1])), last
    return plain_name(text), None


def plain_name(text: str) -> str:
    return re.sub(r"[\s_\-,]+", " ", text).strip().lower()


def statistic_in(words: str) -> tuple[str, str]:
    """The statistic in the words, the mean without one, and the other words."""
    parts = words.split()
    for place in (0, -1):
        word = parts[place] if parts else ""
        name = STATISTICS.get(word) or quantile(word)
        if name:
            return name, " ".join(parts[1:] if place == 0 else parts[:-1])
    return "mean", words


def quantile(word: str) -> str | None:
    """The name of a quantile, with the point that people leave out."""
    match = _QUANTILE.fullmatch(word)
    decimals = (match[2] or match[3]) if match else None
    return f"p{match[1]}" + (f".{decimals}" if decimals else "") if match else None


def rate(unit: str) -> Decimal | None:
    """Bytes a second in a unit such as MB/s, Gbps or Mbytes/sec; None if it is unknown."""
    match = _RATE.fullmatch(unit)
    if not match or match["prefix"] not in _PREFIXES:
        return None
    is_bits = match["what"] == "b" or match["what"].lower().startswith("bit")
    return _PREFIXES[match["prefix"]] * (_BIT if is_bits else 1)

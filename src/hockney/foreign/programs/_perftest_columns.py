"""The columns of perftest's tables, in text and in JSON."""

from __future__ import annotations

from decimal import Decimal

from hockney.foreign.logs.table import MEGABYTES, Column

UNITS = {
    "usec": Decimal("1e-6"),
    "MB/sec": MEGABYTES["2^20"],
    "MiB/sec": MEGABYTES["2^20"],
    "Gb/sec": Decimal(10**9) / 8,
    "Mpps": Decimal(10**6),
}
TIMES = {
    "t_min": "min",
    "t_max": "max",
    "t_typical": "median",
    "t_avg": "mean",
    "t_stdev": "truncated standard deviation",
    "99%": "p99",
    "99.9%": "p99.9",
}
RATES = {"BW peak": "largest bandwidth", "BW average": "bandwidth"}
BAD_DEVIATION = (
    "t_stdev is truncated to microseconds and excludes the two largest times: it is not read as a "
    "standard deviation"
)


def column_of(name: str, unit: str | None, title: str) -> Column:
    """The meaning of a column of the test with this title. One without a definition is not read."""
    name, port, number = name.partition(" Port")
    end, of = (f" of port {number}", f"port {number}, ") if port else ("", "")
    if name == "tps average":
        return Column("message rate", "transactions", "value_per_s", Decimal(1))
    if name == "MsgRate":
        return Column(f"message rate{end}", f"{of}all queue pairs", "value_per_s", UNITS["Mpps"])
    if unit not in UNITS:
        return Column(name)
    if name in RATES or name == "BW":
        named = RATES.get(name, "bandwidth")
        return Column(f"{named}{end}", f"bytes over time, {of}sender", "value_Bps", UNITS[unit])
    whole = any(word in title.lower() for word in ("read", "atomic"))
    which = "the whole operation" if whole else "half the round trip"
    return Column(TIMES.get(name, name), f"of iterations, {which}, client")

"""SimGrid's platform XML with SMPI's settings: `smpirun -platform FILE` then reproduces the
measured message times.

SMPI's time of a message of s bytes between two hosts (simgrid, src/smpi/mpi/smpi_request.cpp) is
os(s) + lat_factor(s') latency + s' / (bw_factor(s') bandwidth) + or(s), where s' = s + 16 is what
goes over the wire and a size equal to a boundary belongs to the section below. Rendezvous messages
take no os and or.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

import numpy as np

from hockney.base.errors import UsageError
from hockney.infer.arrays import Array
from hockney.infer.estimate.points import by_curve
from hockney.infer.fitting.fit import curve_of
from hockney.infer.fitting.line import line
from hockney.infer.models import loggp
from hockney.records import Run, Switch

if TYPE_CHECKING:
    from hockney.infer.analysis import Analysis

ENVELOPE_BYTES = 16
"""Bytes that SMPI adds to each message."""
CLOSE = 0.03
"""Relative tolerance of a section's line at each measured median; sections are as long as it
allows."""
LEAST_LATENCY_S = 1e-9
"""Least latency (s), above 0 because SimGrid multiplies the latency by factors."""
LEAST_OVERHEAD_S = 1e-9
"""Least overhead (s), SimGrid's precision of time: it prints a line for each shorter wait, that is
for each message."""
MOST_OVERHEAD = 0.99
"""Largest overhead, as a fraction of the one-way time."""
LEAST_SLOPE = 1e-3
"""Slope, as a fraction of T / s', of a section that shows no bandwidth: SimGrid needs a finite
one."""
USUAL_DETACHED_BYTES = 65536
"""Default of SMPI's smpi/send-is-detached-thresh."""

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<!-- Made by hockney from {origin}.
{notes} -->
<platform version="4.1">
  <config>
{settings}
  </config>
  <zone id="world" routing="Full">
    <host id="a" speed="1Gf"/>
    <host id="b" speed="1Gf"/>
    <link id="wire" bandwidth="{bandwidth_Bps!r}Bps" latency="{latency_s!r}s" \
sharing_policy="SPLITDUPLEX"/>
    <route src="a" dst="b" symmetrical="NO"><link_ctn id="wire" direction="UP"/></route>
    <route src="b" dst="a" symmetrical="NO"><link_ctn id="wire" direction="DOWN"/></route>
  </zone>
</platform>
"""


@dataclass(frozen=True)
class WireSection:
    """A line over bytes on the wire, up to last_bytes."""

    last_bytes: int
    alpha_s: float
    beta_s_per_B: float


@dataclass(frozen=True)
class WireTimes:
    """Sizes, ascending, with one-way times and the overheads os and or."""

    bytes: Array
    seconds: Array
    send_s: Array
    receive_s: Array


def write(analysis: Analysis) -> bytes:
    """The platform of a run of pingpong or overheads. os and or are 0 if overheads were not
    measured. Needs times of at least two sizes."""
    return platform_of(analysis.run, measured_of(analysis))


def platform_of(run: Run, measured: WireTimes, has_overheads_of_its_own: bool = False) -> bytes:
    """The platform with these times, and with the switches of the run. has_overheads_of_its_own:
    the overheads were measured in another run."""
    if len(measured.bytes) < 2:
        raise UsageError(
            f"{run.path or run.label}: a platform needs times of at least two sizes",
            "measure them: hockney pingpong, or hockney overheads",
        )
    measured = replace(
        measured,
        send_s=_not_too_short(measured.send_s),
        receive_s=_not_too_short(measured.receive_s),
    )
    waits_from = _waits_from(run.switches)
    eager_below = waits_from or USUAL_DETACHED_BYTES
    has_overheads = measured.bytes < eager_below
    overheads = np.where(has_overheads, measured.send_s + measured.receive_s, 0.0)
    wire = measured.bytes + ENVELOPE_BYTES
    on_wire_s = np.maximum(measured.seconds - overheads, LEAST_LATENCY_S)
    sections, (alpha, beta) = sections_of(wire, on_wire_s), _line(wire, on_wire_s)
    latency_s, bandwidth_Bps = max(alpha, LEAST_LATENCY_S), 1.0 / beta
    settings = {
        "network/TCP-gamma": "0",
        "network/crosstraffic": "0",
        "smpi/lat-factor": _factors(sections, [s.alpha_s / latency_s for s in sections]),
        "smpi/bw-factor": _factors(
            sections, [1.0 / (s.beta_s_per_B * bandwidth_Bps) for s in sections]
        ),
        "smpi/os": _overheads(measured.bytes, measured.send_s),
        "smpi/ois": _overheads(measured.bytes, measured.send_s),
        "smpi/or": _overheads(measured.bytes, measured.receive_s),
        # Eager messages move before the receive is posted; by default SMPI lets them wait.
        "smpi/async-small-thresh": str(eager_below),
        "smpi/send-is-detached-thresh": str(eager_below),
    }
    return PLATFORM.format(
        origin=_comment(run.label),
        notes=_notes(run, waits_from, has_overheads_of_its_own),
        settings="\n".join(
            f"    <prop id={quoteattr(key)} value={quoteattr(value)}/>"
            for key, value in settings.items()
        ),
        bandwidth_Bps=bandwidth_Bps,
        latency_s=latency_s,
    ).encode()


def measured_of(analysis: Analysis) -> WireTimes:
    """Times of ping-pongs, or times and overheads."""
    run, points = analysis.run, analysis.estimates.own()
    if run.header.experiment == "overheads":
        known = [
            (
                overhead.bytes,
                overhead.one_way_s.value,
                overhead.o_send_s.value,
                overhead.o_receive_s.value,
            )
            for overhead in loggp.overheads(curve_of(points))
        ]
        sizes, times, sends, receives = np.maximum(np.array(known, dtype=np.float64).T, 0.0)
        # Overheads may overlap and exceed the message time together; in SimGrid they add up.
        part = np.minimum(1.0, MOST_OVERHEAD * times / np.maximum(sends + receives, 1e-12))
        return WireTimes(sizes, times, part * sends, part * receives)
    own = sorted((p for p in points if p.operation == "pingpong"), key=lambda p: p.bytes)
    if len(by_curve(own)) > 1:
        raise UsageError(
            f"{run.path or run.label}: times of several pairs of ranks do not describe one link",
            "export a run of pingpong or overheads",
        )
    sizes = np.array([float(p.bytes) for p in own])
    zeros = np.zeros(len(own))
    return WireTimes(sizes, np.array([p.typical_s for p in own]), zeros, zeros)


def sections_of(wire: Array, seconds: Array) -> list[WireSection]:
    """The fewest lines that are within CLOSE of each time, each as long as possible.

    wire: bytes with the envelope, ascending; seconds: above 0.
    """
    sections, first = [], 0
    while first < len(wire):
        end = first + 1
        while end < len(wire) and _is_close(wire[first : end + 1], seconds[first : end + 1]):
            end += 1
        alpha, beta = _line(wire[first:end], seconds[first:end])
        sections.append(WireSection(int(wire[end - 1]), alpha, beta))
        first = end
    return sections


def _is_close(wire: Array, seconds: Array) -> bool:
    alpha, beta = _line(wire, seconds)
    return bool((np.abs(alpha + beta * wire - seconds) <= CLOSE * seconds).all())


def _line(wire: Array, seconds: Array) -> tuple[float, float]:
    """A line with alpha >= 0 and beta > 0."""
    alphas, betas = line(wire, seconds[None, :])
    alpha, beta = float(alphas[0]), float(betas[0])
    least = LEAST_SLOPE * float((seconds / wire).min())
    if beta < least:
        beta, alpha = least, float((seconds - least * wire).mean())
    return alpha, beta


def _factors(sections: Sequence[WireSection], factors: Sequence[float]) -> str:
    starts = [0, *(section.last_bytes for section in sections[:-1])]
    return ";".join(f"{at}:{factor:.9g}" for at, factor in zip(starts, factors, strict=True))


def _not_too_short(overheads_s: Array) -> Array:
    return np.where(overheads_s < LEAST_OVERHEAD_S, 0.0, overheads_s)


def _overheads(bytes_: Array, seconds: Array) -> str:
    """Linear interpolation between measured sizes, as "from:startup:perbyte"."""
    if not seconds.any():
        return "0:0:0"
    # Extrapolation below the first size might be negative, which makes SimGrid hang.
    words = [f"0:{seconds[0]:.9g}:0"] if bytes_[0] > 0.0 else []
    for (x, y), (next_x, next_y) in pairwise(zip(bytes_, seconds, strict=True)):
        slope = (next_y - y) / (next_x - x)
        words.append(f"{int(x)}:{y - slope * x:.9g}:{slope:.9g}")
    words.append(f"{int(bytes_[-1])}:{seconds[-1]:.9g}:0")
    return ";".join(words)


def _waits_from(switches: Sequence[Switch]) -> int | None:
    """The first size whose send waits for its receiver; None if it was not measured."""
    names = [(switch.below, switch.above) for switch in switches]
    for switch, (below, above) in zip(switches, names, strict=True):
        if above == "rendezvous" != below:
            return switch.high_bytes
    return None


def _notes(run: Run, waits_from: int | None, has_overheads: bool) -> str:
    notes = [f"Each time of {run.header.experiment} is reproduced within {CLOSE:.0%}."]
    if waits_from is None:
        notes.append(
            f"Sends wait for their receivers from {USUAL_DETACHED_BYTES} bytes on, the default of "
            "SMPI: the switch was not measured."
        )
    if run.header.experiment != "overheads" and not has_overheads:
        notes.append("os, ois and or were not measured (hockney overheads); they are 0 here.")
    return "\n".join(notes)


def _comment(text: str) -> str:
    """Text that is valid in an XML comment."""
    return "".join(char for char in text if char.isprintable()).replace("--", "- -")

"""The engine's command line for one launch of a case. Nothing else knows the engine's options.

The engine is about to name buffers, segment sizes and files of lists by options of their own.
HAS_TYPED_OPTIONS is the one place to switch them on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hockney.units import format_size

if TYPE_CHECKING:
    from hockney.spec.plan import Case
    from hockney.spec.sampling import Sampling

HAS_TYPED_OPTIONS = False
"""Whether the engine takes --buffers and --segment-bytes, and names an algorithm without words on
its segments."""
LONGEST_ARGUMENT = 100_000
"""Bytes; Linux passes no argument of more than 128 KiB to a program."""
OLD_BUFFERS = {"returned": [], "separate": ["--two-buffers"], "cold": ["--cold-cache"]}
"""What an engine without --buffers takes instead."""


def engine_arguments(
    case: Case, sampling: Sampling, seconds: float, list_file: str | None = None
) -> list[str]:
    """For a launch that may measure for `seconds`; launch_arguments belong behind them.
    `list_file` holds what is too long for the command line."""
    workload, placement = case.workload, case.placement
    words = [
        *workload.arguments(placement.ranks, list_file),
        "-n",
        str(placement.ranks),
        "--sizes=" + ",".join(map(str, workload.sizes)),
        _place_argument(placement.place, placement.cpus),
        *buffers_arguments(workload.buffers),
    ]
    if workload.ends_by_time:
        words.append(f"--seconds={seconds:.6f}")
    if workload.ends_by_precision:
        words.append(f"--precision={sampling.precision:g}")
    if placement.controls:
        pairs = placement.controls.items()
        named = (name if value is None else f"{name}={value}" for name, value in pairs)
        words.append("--read-back=" + ",".join(named))
    return words


def launch_arguments(number: int | str, seed: int | str | None = None) -> list[str]:
    """The number of a launch in its records, and what its order of visits depends on; a batch
    script gives the names of variables."""
    return [f"--launch={number}", f"--seed={int(number) + 1 if seed is None else seed}"]


def _place_argument(place: str, cpus: tuple[int, ...]) -> str:
    return "--cpus=" + ",".join(map(str, cpus)) if cpus else f"--place={place}"


def buffers_arguments(buffers: str | None) -> list[str]:
    """None: the engine has them as they usually are."""
    if buffers is None:
        return []
    return [f"--buffers={buffers}"] if HAS_TYPED_OPTIONS else OLD_BUFFERS[buffers]


def algorithm_arguments(algorithm: str, segment_bytes: int | None) -> list[str]:
    """What the samples of a forced collective are called."""
    if not HAS_TYPED_OPTIONS:
        return [f"--algorithm={label_of(algorithm, segment_bytes)}"]
    segments = [f"--segment-bytes={segment_bytes}"] if segment_bytes else []
    return [f"--algorithm={algorithm}", *segments]


def label_of(algorithm: str, segment_bytes: int | None) -> str:
    """For people: "binomial", "chain, 8 KiB segments", "pipeline, unsegmented"."""
    if segment_bytes is None:
        return algorithm
    words = f"{format_size(segment_bytes)} segments" if segment_bytes else "unsegmented"
    return f"{algorithm}, {words}"


def is_labelled(measured: str, label: str) -> bool:
    """Whether samples that call their algorithm `measured` are of that label."""
    return measured in (label, f"{label}, overlapped")

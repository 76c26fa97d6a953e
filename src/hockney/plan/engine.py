"""The engine's command line for one launch of a case; only this module knows its options."""

from __future__ import annotations

from hockney.plan.knobs import knob_arguments
from hockney.plan.plan import Case
from hockney.plan.sampling import Sampling

LONGEST_ARGUMENT = 100_000
"""Longest argument in bytes; Linux limits it to 128 KiB."""


def engine_arguments(
    case: Case, sampling: Sampling, seconds: float, list_file: str | None = None
) -> list[str]:
    """Arguments of a launch that may measure for `seconds`; launch_arguments must follow.
    `list_file` holds a list that is too long for the command line."""
    workload, placement = case.workload, case.placement
    words = [
        *workload.arguments(placement.ranks, list_file),
        "-n",
        str(placement.ranks),
        "--sizes=" + ",".join(map(str, workload.sizes)),
        _place_argument(placement.place, placement.cpus),
        *(["--oversubscribe"] if placement.oversubscribe else []),
        *knob_arguments(workload),
        # Without the option the engine uses the operation's usual buffers.
        *([f"--buffers={workload.buffers}"] if workload.buffers else []),
    ]
    if workload.ends_by_time:
        words.append(f"--seconds={seconds:.6f}")
    # A launch of a block takes its time: blocks are the units, and decide when it is enough.
    in_block = case.variant is not None and placement.platform is None
    if workload.ends_by_precision and not in_block:
        words.append(f"--precision={sampling.precision:g}")
    if placement.controls:
        pairs = placement.controls.items()
        named = (name if value is None else f"{name}={value}" for name, value in pairs)
        words.append("--read-back=" + ",".join(named))
    return words


def launch_arguments(number: int | str, seed: int | str | None = None) -> list[str]:
    """The number of a launch, and the seed of its order of visits. Batch scripts pass shell
    variables."""
    return [f"--launch={number}", f"--seed={int(number) + 1 if seed is None else seed}"]


def _place_argument(place: str, cpus: tuple[int, ...]) -> str:
    return "--cpus=" + ",".join(map(str, cpus)) if cpus else f"--place={place}"

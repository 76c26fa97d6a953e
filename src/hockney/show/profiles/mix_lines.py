"""Shows the mix of a profiled program: its time elsewhere, and its time when it was replayed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hockney.base.units import format_percent, format_seconds, how_many
from hockney.infer.estimate.interval import high_of, low_of
from hockney.infer.predict.channel import Unchanged
from hockney.infer.predict.patterns import OVERHEADS_UNKNOWN
from hockney.infer.predict.program_collectives import LATENCY_S
from hockney.infer.predict.program_mix import MixPrediction
from hockney.profiling.mix import Mix
from hockney.run.measure.replay import Replayed
from hockney.show.profiles.profile import percent
from hockney.show.tables.table import between

NO_TIMES = "it holds no times in MPI"
OF_REPLAYED = "mean of ranks, with what they waited for others"
FROM = {
    "measured": "collectives as measured",
    "schedules": "collectives by simulated schedules of their fastest algorithms",
    "both": "collectives as measured, others by simulated schedules",
    "none": "no collectives",
}


def mix_lines(mix: Mix, model: str, prediction: MixPrediction) -> list[str]:
    seconds = prediction.seconds.value or 0.0
    limits = between(prediction.seconds.interval, format_seconds)
    interval = f"  [{limits}]" if limits else ""
    return [
        f"communication of a rank, by {model}; {FROM[prediction.collectives]}",
        f"  in the profile          {_before(mix, 'with what it waited for others')}",
        f"  predicted               {format_seconds(seconds)}{interval}",
        *unchanged_lines(prediction.unchanged),
        f"  {format_seconds(LATENCY_S, 1)} more latency       "
        f"{format_seconds(prediction.more_latency_s)}  "
        f"({_more(prediction.more_latency_s, seconds)})",
        f"  half the bandwidth      {format_seconds(prediction.half_bandwidth_s)}  "
        f"({_more(prediction.half_bandwidth_s, seconds)})",
        "  note    messages and collectives take turns evenly; what ranks compute is not in it",
        *_assumed(prediction),
        *_left_out(mix),
    ]


def unchanged_lines(unchanged: Unchanged | None) -> list[str]:
    """The time without --what-if; empty where nothing was changed."""
    if unchanged is None:
        return []
    ratio = unchanged.ratio
    times = "" if ratio is None else f"  (predicted: {ratio:.2f} times)"
    return [f"  without --what-if       {format_seconds(unchanged.seconds)}{times}"]


def _assumed(prediction: MixPrediction) -> list[str]:
    """The algorithms of collectives that are assumed for the times, or for their changes."""
    if not prediction.assumed:
        return []
    names = ", ".join(f"{name} by {algorithm}" for name, algorithm in prediction.assumed)
    changes = "(for changes of what was measured) " * (prediction.collectives == "measured")
    lines = [f"  note    the library is assumed to use: {changes}{names}"]
    if not prediction.are_overheads_known:
        lines.append(f"  note    {OVERHEADS_UNKNOWN}")
    return lines


def _before(mix: Mix, what: str) -> str:
    return f"{format_seconds(mix.each_s)}  ({NO_TIMES if mix.each_s is None else what})"


def _more(changed: float, seconds: float) -> str:
    return f"{percent(changed - seconds, seconds)} more"


def _left_out(mix: Mix) -> list[str]:
    if mix.left_out_s <= 0.005 * (mix.time_s + mix.left_out_s):
        return []
    part = percent(mix.left_out_s, mix.time_s + mix.left_out_s)
    return [
        f"  note    {part} of the time in MPI is of calls that are not in it: set-up, files, "
        "one-sided operations, or calls whose ranks are not known"
    ]


def mix_json(
    mix: Mix, model: str, prediction: MixPrediction, warnings: Sequence[str]
) -> dict[str, Any]:
    return {
        "model": model,
        "collectives": prediction.collectives,
        "profile_s": mix.each_s,
        "left_out_s": mix.left_out_s / mix.ranks,
        "seconds": prediction.seconds.value,
        "low_s": low_of(prediction.seconds.interval),
        "high_s": high_of(prediction.seconds.interval),
        **unchanged_json(prediction.unchanged),
        "assumed": [
            {"collective": name, "algorithm": algorithm} for name, algorithm in prediction.assumed
        ],
        "more_latency": {"added_s": LATENCY_S, "seconds": prediction.more_latency_s},
        "half_bandwidth_s": prediction.half_bandwidth_s,
        "warnings": list(warnings),
    }


def unchanged_json(unchanged: Unchanged | None) -> dict[str, float | None]:
    if unchanged is None:
        return {"unchanged_s": None, "ratio": None}
    return {"unchanged_s": unchanged.seconds, "ratio": unchanged.ratio}


def replayed_lines(mix: Mix, replayed: Replayed) -> list[str]:
    count = len(replayed.launches)
    least, most = format_seconds(min(replayed.launches)), format_seconds(max(replayed.launches))
    part = ""
    if replayed.part < 1.0:
        part = f"; {format_percent(replayed.part)} of the mix was replayed, times are scaled to all"
    shared = "oversubscribed, ranks took turns on CPUs: " * replayed.shared_cpus
    return [
        f"{shared}replay of {how_many(mix.ranks, 'rank')}, until the last is done",
        f"  median of launches      {format_seconds(replayed.seconds)}  ({least} .. {most}, "
        f"{how_many(count, 'launch')}{part})",
        f"  in the profile          {_before(mix, OF_REPLAYED)}",
        *_left_out(mix),
    ]


def replayed_json(mix: Mix, replayed: Replayed) -> dict[str, Any]:
    return {
        "seconds": replayed.seconds,
        "launches": replayed.launches,
        "part": replayed.part,
        "oversubscribed": replayed.shared_cpus,
        "profile_s": mix.each_s,
        "left_out_s": mix.left_out_s / mix.ranks,
    }

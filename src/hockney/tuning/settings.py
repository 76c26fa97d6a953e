"""Settings of point-to-point messages: which to try, and which surely help.

Few are tried at once against the library's own; the most promising are then measured again, so that
what is reported is not the luck of the best of many."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import chain, zip_longest

from hockney.base.errors import HockneyError, UsageError
from hockney.infer.analysis.variant_verdicts import VariantStudy
from hockney.infer.estimate.blocks import VariantRatio
from hockney.infer.estimate.interval import Interval, low_of
from hockney.plan.variants import ENVIRONMENT, Variant
from hockney.run.mpis import Control, Engine, Mpi, family_of

AUTO = "auto"
OWN = "default"
"""The variant without settings."""
FACTORS = (16.0, 4.0, 0.25)
"""Values tried for a number, as factors on the library's own, the boldest first."""
TOGETHER = "all together"
"""The variant with several settings."""
OTHER_LIBRARIES = ("UCX_", "FI_")
"""Prefixes of variables of the libraries below MPI, of which MPI_T reports nothing."""
PROMISING = 0.03
"""A setting is measured again where it seems to gain this much at some size."""
SEARCH = 0.3
"""Fraction of the budget in which all settings are tried before the best are measured again."""
SEARCHED_BLOCKS, CONFIRMED_BLOCKS = 3, 11
"""Blocks that find promising settings, and blocks that find settings surely faster: 2 of 2^10 signs
are fewer than 5 % over the ten or so points of two settings, halved for the mean."""
NUMBER = re.compile(r"-?\d+")
FALSE_WORDS = frozenset({"false", "no", "off", "disable", "disabled"})
"""Words that libraries take for 0; Open MPI silently takes any other word for 0."""
MOST_CONFIRMED = 3
"""Settings that are measured again, and settings that need no search: more of them would widen
every interval."""


@dataclass(frozen=True)
class Setting:
    variable: str
    """The environment variable that sets it."""
    control: str | None
    """The control variable (MPI_T) that shows the setting in use; None if there is none."""
    value: str

    @property
    def name(self) -> str:
        return f"{self.control or self.variable}={self.value}"


@dataclass(frozen=True)
class Time:
    """The time of a search, and how many variants it can measure."""

    budget_s: float
    launch_s: float
    """Wall time of a launch."""

    def variants(self, fraction: float, blocks: int) -> int:
        """How many variants, beside the first, can have so many blocks within a fraction of the
        budget."""
        return max(int(fraction * self.budget_s / (blocks * self.launch_s)) - 1, 1)

    @property
    def searched(self) -> int:
        return self.variants(SEARCH, SEARCHED_BLOCKS)

    @property
    def confirmed(self) -> int:
        return min(self.variants(1.0 - SEARCH, CONFIRMED_BLOCKS), MOST_CONFIRMED)

    def needs_search(self, settings: int) -> bool:
        """False if there is time to measure all of them until the comparison is conclusive."""
        return settings > min(self.variants(1.0, CONFIRMED_BLOCKS), MOST_CONFIRMED)


@dataclass(frozen=True)
class Gain:
    """Times faster with the chosen settings, at one point."""

    bytes: int
    times_faster: float
    interval: Interval | None
    verdict: str


@dataclass(frozen=True)
class Tried:
    """The settings that are worth measuring, and a line for each that is not."""

    settings: tuple[Setting, ...]
    left_out: tuple[str, ...]


def settings_of(texts: Sequence[str], mpi: Mpi, engine: Engine) -> Tried:
    """The settings to try; texts: `auto`, or NAME=VALUE,VALUE (semicolons where values hold
    commas). Raises UsageError for a setting that the library does not know, and where none is
    left."""
    controls = family_of(mpi).all_controls(engine, {})
    found: list[Setting] = []
    for text in texts:
        found += _auto(mpi, controls) if text == AUTO else _named(text, mpi, controls)
    settings, left_out = [], []
    for one in dict.fromkeys(found):
        reason = _why_not(one, controls, mpi, engine)
        if reason is None:
            settings.append(one)
        else:
            left_out.append(f"{one.name}: {reason}")
    if not settings:
        raise UsageError(
            "no setting is left to try" + "".join(f"\n  {line}" for line in left_out),
            "name others: --settings NAME=VALUE,VALUE",
        )
    return Tried(tuple(settings), tuple(left_out))


def _named(text: str, mpi: Mpi, controls: Mapping[str, Control]) -> list[Setting]:
    name, _, values = text.partition("=")
    if not name or not values:
        raise UsageError(
            f"--settings {text}: not NAME=VALUE,VALUE", f"or {AUTO}, for those that are known"
        )
    variable, control = _variable(name, mpi, controls)
    separator = ";" if ";" in values else ","
    found = [Setting(variable, control, value.strip()) for value in values.split(separator)]
    if not all(one.value for one in found):
        raise UsageError(
            f"--settings {text}: one of the values is empty", "remove the separator next to it"
        )
    return found


def _variable(name: str, mpi: Mpi, controls: Mapping[str, Control]) -> tuple[str, str | None]:
    """The environment variable and the control variable of a setting, from the name of either."""
    family = family_of(mpi)
    if name.startswith(OTHER_LIBRARIES):
        return name, None
    if not controls:
        return name, None
    for variable in (name, *(prefix + name for prefix in family.SETTINGS_PREFIXES)):
        control = family.control_of(variable)
        if control is not None and control in controls:
            return variable, control
    near = get_close_matches(name, [*controls, *map(family.SETTINGS_PREFIXES[0].__add__, controls)])
    raise UsageError(
        f"--settings {name}: this library has no such control variable (MPI_T)",
        f"did you mean {near[0]}?" if near else "UCX_... and FI_... may be named, too",
    )


def _auto(mpi: Mpi, controls: Mapping[str, Control]) -> list[Setting]:
    """The settings that the family names, each by the first name that this version has. The boldest
    value of each comes first: a short budget leaves out the last."""
    family = family_of(mpi)
    found: list[list[Setting]] = []
    for names in family.SETTINGS:
        name = next((name for name in names if name in controls), None)
        if name is None:
            continue
        variable = family.SETTINGS_PREFIXES[0] + name
        found.append([Setting(variable, name, value) for value in _values(controls[name])])
    if not found:
        raise UsageError(
            "--settings auto: no setting of this library is known",
            "name some: --settings NAME=VALUE,VALUE",
        )
    in_turn = chain.from_iterable(zip_longest(*found))
    return [setting for setting in in_turn if setting is not None]


def _values(control: Control) -> list[str]:
    """Values to try, other than the library's own."""
    if control.choices:
        return [choice for choice in control.choices if choice != control.value]
    own = control.value or ""
    if own in ("0", "1"):
        return ["10"[int(own)]]
    if not own.isdecimal():
        return []
    return [str(max(round(int(own) * factor), 1)) for factor in FACTORS]


def _why_not(
    setting: Setting, controls: Mapping[str, Control], mpi: Mpi, engine: Engine
) -> str | None:
    """Why a setting is not worth measuring: the library refuses it, changes it, or has this value
    anyway."""
    if setting.control is None:
        return None
    try:
        then = family_of(mpi).all_controls(engine, {setting.variable: setting.value})
    except HockneyError:
        return "the library refuses this value"
    before = controls[setting.control]
    own, now = before.value or "", then[setting.control].value or ""
    # MPICH reports variables that are strings as their defaults, whatever they are set to.
    is_number = not before.choices and NUMBER.fullmatch(own) is not None
    if is_number and NUMBER.fullmatch(setting.value) and int(setting.value) != int(now):
        return f"out of range: the library makes {now} of it (MPI_T)"
    if is_number and now == "0" and not _may_be_zero(setting.value):
        return "no number: the library makes 0 of it (MPI_T)"
    if (before.choices or is_number) and own == now:
        return f"changes nothing: the library holds {own} (MPI_T)"
    return None


def _may_be_zero(value: str) -> bool:
    return value[:1].isdecimal() or value.lower() in FALSE_WORDS


def variants_of(chosen: Sequence[Sequence[Setting]]) -> tuple[Variant, ...]:
    """The library's own settings, and each of these combinations."""
    return (
        Variant(name=OWN, values={}),
        *(
            Variant(
                name=settings[0].name if len(settings) == 1 else TOGETHER,
                values={f"{ENVIRONMENT}{setting.variable}": setting.value for setting in settings},
            )
            for settings in chosen
        ),
    )


def is_surely_slower(ratio: VariantRatio) -> bool:
    return ratio.judged.verdict == "slower" and ratio.judged.matters


def is_surely_faster(ratio: VariantRatio) -> bool:
    return ratio.judged.verdict == "faster" and ratio.judged.matters


def to_confirm(
    study: VariantStudy, tried: Sequence[Setting], most: int
) -> list[tuple[Setting, ...]]:
    """The most promising settings, the best value of each variable, and all of them together."""
    scores: dict[str, tuple[float, Setting]] = {}
    for setting in tried:
        ratios = _points(study, setting.name)
        if not ratios or any(map(is_surely_slower, ratios)):
            continue
        logs = [math.log(ratio.judged.ratio) for ratio in ratios]
        if min(logs) < -PROMISING:
            mean = sum(logs) / len(logs)
            best = scores.get(setting.variable)
            if best is None or mean < best[0]:
                scores[setting.variable] = (mean, setting)
    ranked = sorted(scores.values(), key=lambda one: one[0])[:most]
    singles = [(setting,) for _, setting in ranked]
    together = [tuple(setting for _, setting in ranked)] if len(ranked) > 1 else []
    return [*singles, *together]


def chosen_of(study: VariantStudy) -> Variant | None:
    """The variant that is surely faster at some size and surely slower at none, with the largest
    mean gain; None where there is none. Verdicts hold for all variants and sizes together."""
    found: list[tuple[float, Variant]] = []
    for variant in study.comparison.variants[1:]:
        ratios = _points(study, variant.name)
        if any(map(is_surely_faster, ratios)) and not any(map(is_surely_slower, ratios)):
            mean = sum(math.log(ratio.judged.ratio) for ratio in ratios) / len(ratios)
            found.append((mean, variant))
    return min(found, key=lambda one: one[0], default=(0.0, None))[1]


def gains_of(study: VariantStudy, chosen: Variant | None) -> list[Gain]:
    """The gains of the chosen settings, by size."""
    found = []
    for one in _points(study, chosen.name) if chosen else ():
        judged, point = one.judged, one.point
        assert point is not None
        interval = judged.interval and judged.interval.inverse()
        found.append(Gain(point.bytes, 1.0 / judged.ratio, interval, judged.verdict))
    return found


def largest_gain(studies: Sequence[VariantStudy]) -> float | None:
    """Upper limit of how many times faster any tried setting makes any size, by the intervals of
    the last study that has it; None where some have no interval."""
    last: dict[str, list[VariantRatio]] = {}
    for study in studies:
        for variant in study.comparison.variants[1:]:
            last[variant.name] = _points(study, variant.name) or last.get(variant.name, [])
    lows = [low_of(ratio.judged.interval) for ratios in last.values() for ratio in ratios]
    known = [low for low in lows if low is not None and low > 0.0]
    return 1.0 / min(known) if known and len(known) == len(lows) else None


def _points(study: VariantStudy, variant: str) -> list[VariantRatio]:
    """The ratios of a variant at its points; empty for a run that has only a mean."""
    return [ratio for ratio in study.ratios if ratio.variant == variant and ratio.point is not None]

"""Settings of point-to-point messages: which to try, and which surely help.

Few are tried at once against the library's own; the most promising are then measured again, so that
the reported gain is not the luck of the best of many."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher, get_close_matches
from itertools import chain, takewhile, zip_longest

from hockney.base.confidential import HIDDEN, is_credential, is_secret_name
from hockney.base.errors import HockneyError, UsageError
from hockney.base.units import format_seconds
from hockney.plan.variants import ENVIRONMENT, LEAST_BLOCKS, Variant
from hockney.run.measure.launches.trial import SHORTEST_LAUNCH_S
from hockney.run.mpis import Control, Engine, Family, Mpi, family_of, names_here

AUTO = "auto"
OWN = "default"
"""The variant without settings, where the user has set none of those that are tried."""
FACTORS = (16.0, 4.0, 0.25)
"""Values tried for a number, as factors on the library's own, the boldest first."""
TOGETHER = "all together"
"""The variant with several settings."""
OTHER_LIBRARIES = ("UCX_", "FI_")
"""Prefixes of variables of the libraries below MPI, which MPI_T does not report."""
SEARCH = 0.3
"""Fraction of the budget in which all settings are tried before the best are measured again."""
ROUNDED = 1e-9
"""Tolerance for rounding, in variants: a budget that is exactly enough must suffice."""
SEARCHED_BLOCKS, CONFIRMED_BLOCKS = 3, 12
"""Blocks that find promising settings, and blocks that find settings surely faster: 2 of 2^12 signs
are fewer than 5 % over the 24 points of three settings and all of them together, halved for the
means."""
SHARED_WORDS, MOST_ALIKE = 2, 4
"""Last words that a name shares with one that is offered in its place, and how many are offered."""
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
    is_switch: bool = field(default=False, compare=False)
    """Whether it turns a mechanism on or off, or chooses another, for all sizes; else it moves a
    threshold or another number."""
    is_named: bool = field(default=True, compare=False)
    """Whether the user named it; `auto` did not."""

    @property
    def name(self) -> str:
        return f"{self.control or self.variable}={self.value}"


@dataclass(frozen=True)
class AlreadySet:
    """A tried setting that is set already: the baseline is not the library's default."""

    setting: Setting
    """The variable, with the value that it has."""
    file: str | None = None
    """The parameter file that sets it; None if the environment does, which goes before files."""
    overrides: bool = False
    """Whether that file goes before the environment."""
    in_environment: str | None = None
    """The value that the environment has, or HIDDEN; None if it sets none."""

    @property
    def sentence(self) -> str:
        name, value = self.setting.variable, self.setting.value
        if self.overrides:
            return (
                f"{self.file} sets {self.setting.name} and overrides the environment: that is what "
                "all variants have; change that line to try others"
            )
        if self.file is not None:
            return (
                f"{self.file} sets {self.setting.name}: that is what is compared with; change that "
                "line, or set the variable, which goes before it"
            )
        return (
            f"your environment sets {name} to {value}: that is what is compared with, and it goes "
            "before files of parameters"
        )


@dataclass(frozen=True)
class Time:
    """The time of a search, and how many variants it can measure."""

    budget_s: float
    launch_s: float
    """Wall time of a launch."""

    def variants(self, fraction: float, blocks: int) -> int:
        """How many variants, beside the first, can have so many blocks within a fraction of the
        budget; one at least."""
        variants = fraction * self.budget_s / self.of_variant_s(blocks)
        return max(int(variants + ROUNDED) - 1, 1)

    def of_variant_s(self, blocks: int) -> float:
        """The time of a variant: that of its blocks, or the least that a plan of variants needs."""
        return max(blocks * self.launch_s, LEAST_BLOCKS * SHORTEST_LAUNCH_S)

    def searched(self, named: int) -> int:
        """How many settings a search can try, of which the first `named` must be:
        where there are many, with fewer blocks of each. Raises UsageError where not even one block
        of these has time."""
        if named > self.variants(SEARCH, 1):
            least_s = self.of_variant_s(1) * (named + 1) / SEARCH
            raise UsageError(
                f"{format_seconds(self.budget_s)} are too few for a block of {named} settings and "
                f"what they are compared with: a launch takes {format_seconds(self.launch_s)}",
                f"give --budget {math.ceil(least_s)}s or more, or name fewer",
            )
        return max(self.variants(SEARCH, SEARCHED_BLOCKS), named)

    @property
    def confirmed(self) -> int:
        return min(self.variants(1.0 - SEARCH, CONFIRMED_BLOCKS), MOST_CONFIRMED)

    def needs_search(self, settings: int) -> bool:
        """False if there is time to measure all of them until the comparison is conclusive."""
        return settings > min(self.variants(1.0, CONFIRMED_BLOCKS), MOST_CONFIRMED)


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
    candidates: list[Setting] = []
    for text in texts:
        candidates += _auto(mpi, controls) if text == AUTO else _named(text, mpi, controls)
    settings, left_out = [], []
    # What the user named comes first: a short budget leaves out the last.
    for setting in dict.fromkeys(sorted(candidates, key=lambda setting: not setting.is_named)):
        reason = _why_not(setting, controls, mpi, engine)
        if reason is None:
            own = controls[setting.control] if setting.control is not None else None
            settings.append(replace(setting, is_switch=_is_switch(setting.value, own)))
        else:
            left_out.append(f"{setting.name}: {reason}")
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
    settings = [Setting(variable, control, value.strip()) for value in values.split(separator)]
    if not all(setting.value for setting in settings):
        raise UsageError(
            f"--settings {text}: one of the values is empty", "remove the separator next to it"
        )
    return settings


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
    near = _meant(name, family, controls)
    raise UsageError(
        f"--settings {name}: this library has no such control variable (MPI_T)",
        f"did you mean {' or '.join(near)}?" if near else "UCX_... and FI_... may be named, too",
    )


def _meant(name: str, family: Family, controls: Mapping[str, Control]) -> list[str]:
    """Control variables that a name may stand for: what other versions call the same setting, then
    those that are called alike."""
    foreign = [
        prefix
        for prefix in family.SETTINGS_PREFIXES
        if not any(c.startswith(prefix) for c in controls)
    ]
    for prefix in foreign:
        name = name.removeprefix(prefix)
    same = names_here(family, name, controls)
    near = alike(name, list(controls)) or alike(family.SETTINGS_PREFIXES[-1] + name, list(controls))
    return list(dict.fromkeys([*same, *near]))[:MOST_ALIKE]


def alike(name: str, known: Sequence[str]) -> list[str]:
    """The few known names most similar to a name, those that share its last words first:
    versions of a library rename a component and keep what its variables are called."""
    words = name.split("_")

    def shared(other: str) -> int:
        pairs = zip(reversed(words), reversed(other.split("_")), strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))

    def likeness(other: str) -> float:
        return SequenceMatcher(None, name, other).ratio()

    by_end = [other for other in known if shared(other) >= min(SHARED_WORDS, len(words) - 1) > 0]
    by_end.sort(key=lambda other: (shared(other), likeness(other)), reverse=True)
    by_letters = get_close_matches(name, known, MOST_ALIKE)
    return list(dict.fromkeys([*by_end, *by_letters]))[:MOST_ALIKE]


def _auto(mpi: Mpi, controls: Mapping[str, Control]) -> list[Setting]:
    """The settings that the family names, each by the first name that this version has. The boldest
    value of each comes first: a short budget leaves out the last."""
    family = family_of(mpi)
    by_control: list[list[Setting]] = []
    for names in family.SETTINGS:
        name = next((name for name in names if name in controls), None)
        if name is None:
            continue
        variable = family.SETTINGS_PREFIXES[0] + name
        by_control.append(
            [Setting(variable, name, v, is_named=False) for v in _values(controls[name])]
        )
    if not by_control:
        raise UsageError(
            "--settings auto: no setting of this library is known",
            "name some: --settings NAME=VALUE,VALUE",
        )
    in_turn = chain.from_iterable(zip_longest(*by_control))
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


def _is_switch(value: str, control: Control | None) -> bool:
    """Whether a value turns something on or off or names a mechanism, instead of being a number."""
    if control is None:
        return not value[:1].isdecimal()
    return bool(control.choices) or control.value in ("0", "1") or not value[:1].isdecimal()


def _why_not(
    setting: Setting, controls: Mapping[str, Control], mpi: Mpi, engine: Engine
) -> str | None:
    """Why a setting is not worth measuring: the library refuses it, changes it, or already has this
    value."""
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
    is_zero = setting.value[:1].isdecimal() or setting.value.lower() in FALSE_WORDS
    if is_number and now == "0" and not is_zero:
        return "no number: the library makes 0 of it (MPI_T)"
    if (before.choices or is_number) and own == now:
        return f"changes nothing: the library holds {own} (MPI_T)"
    return None


def already_set(
    settings: Sequence[Setting],
    environment: Mapping[str, str],
    files: Mapping[str, Mapping[str, str]],
    overriding: Container[str] = (),
) -> list[AlreadySet]:
    """The tried settings that the environment or else a parameter file already sets. files: the
    values by variable, by file; the first counts. overriding: files that go before the
    environment."""
    already = []
    for variable, control in {setting.variable: setting.control for setting in settings}.items():
        held: list[tuple[str | None, str | None]] = [(environment.get(variable), None)]
        held += [(by_name.get(variable), file) for file, by_name in files.items()]
        held.sort(key=lambda pair: pair[1] is None or pair[1] not in overriding)
        value, file = next(((value, file) for value, file in held if value), (None, None))
        if value is not None:
            overrides = file is not None and file in overriding
            setting = Setting(variable, control, _shown(variable, value))
            own = _shown(variable, environment[variable]) if variable in environment else None
            already.append(AlreadySet(setting, file, overrides, own))
    return already


def _shown(variable: str, value: str) -> str:
    """A value as it may be in files, where it names a variant and is in comments of one line."""
    is_secret = is_secret_name(variable) or is_credential(value)
    return HIDDEN if is_secret or not value.isprintable() else value


def own_name(already: Sequence[AlreadySet]) -> str:
    """The name of the variant without settings: it is no default if the user has set some."""
    if not already:
        return OWN
    return "yours: " + ", ".join(held.setting.name for held in already)


def variants_of(
    chosen: Sequence[Sequence[Setting]], already: Sequence[AlreadySet] = ()
) -> tuple[Variant, ...]:
    """The library's own settings, or those that are set already, and each of these combinations."""
    return (
        Variant(name=own_name(already), values={}),
        *(
            Variant(
                name=settings[0].name if len(settings) == 1 else TOGETHER,
                values={f"{ENVIRONMENT}{setting.variable}": setting.value for setting in settings},
            )
            for settings in chosen
        ),
    )

"""Parses files of rules, and refuses what the library would drop silently."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from hockney.base.errors import UsageError
from hockney.plan.held_rules import HeldRule, wrong_in
from hockney.records import MpiFacts
from hockney.run.mpis import (
    FAMILIES,
    Algorithm,
    Engine,
    Mpi,
    RulesFormat,
    family_of,
    format_for,
    format_named,
)

ENOUGH = 4096
"""Bytes at the start of a file by which its format is recognised."""
MOST_BYTES = 16 * 1024 * 1024
"""Most bytes of a file of rules; those of libraries are below 1 MiB."""


SETTING = re.compile(
    r"(?:export\s+|setenv[\s(]+)?[\"']?([A-Za-z_]\w*)[\"']?(?:\s*[=,]\s*|\s+)[\"']?([^\"'\n)]+)[\"']?\)?$"
)
"""A line that sets a variable: of a shell, of a library's file of parameters, of a module."""
RULES_VARIABLE = re.compile(r"RULES|SELECTION|TUNING_JSON|JSON_FILE", re.I)
"""Part of the names of variables whose values are files of rules."""
SHOWN = 3
"""Most settings that an error repeats."""
WRITTEN_FOR = "rules for "
"""Begins the comment that names the library and its version."""


def version_text(library: MpiFacts) -> str:
    return f"{library.library or 'an unknown MPI'} {library.version or ''}".strip()


def other_library(form: RulesFormat, path: Path, library: MpiFacts) -> str | None:
    """The line of a file which shows that it was written for another library or version; None
    without such a line. This is no mistake: a check shows whether the rules still hold."""
    if form.comment is None:
        return None
    begin = f"{form.comment} {WRITTEN_FOR}"
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        if line.startswith(begin) and line.removeprefix(begin) != version_text(library):
            return (
                f"{path}:{number}: written for {line.removeprefix(begin)}, and this is "
                f"{version_text(library)}, where numbers may be those of other algorithms"
            )
    return None


def format_in(path: Path) -> str:
    """The format of a file, recognised by its content; raises UsageError for one of settings, which
    has no rules."""
    try:
        with path.open("rb") as file:
            head = file.read(ENOUGH)
    except OSError as error:
        raise UsageError(
            f"{path}: {error.strerror}", "name a file of rules: hockney tune FILE... -o RULES"
        ) from error
    if b"\0" in head or b'"coll=' in head:
        return "intel-tree"
    if b'"collective=' in head:
        return "mpich"
    if b"I_MPI_ADJUST_" in head:
        return "intel"
    _refuse_settings(path, head.decode(errors="replace"))
    return "openmpi-json" if head.lstrip().startswith(b"{") else "openmpi"


def _refuse_settings(path: Path, head: str) -> None:
    """Raises UsageError for a file that sets variables, as `tune --settings` and --deploy write."""
    lines = [text for line in head.splitlines() if (text := line.strip()) and text[0] not in "#-"]
    set_here = [match for line in lines if (match := SETTING.match(line))]
    if not set_here or len(set_here) < len(lines) - 1:  # the last may be cut
        return
    rules = [match[2] for match in set_here if RULES_VARIABLE.search(match[1])]
    words = " ".join(
        f"--settings {shlex.quote(f'{match[1]}={match[2]}')}" for match in set_here[:SHOWN]
    )
    raise UsageError(
        f"{path} sets variables: it is no file of rules",
        f"check the file of rules that it names: {rules[0]}"
        if rules
        else f"settings are measured with and without: hockney tune pingpong {words}",
    )


def check_is_for(name: str, path: Path, library: MpiFacts) -> RulesFormat:
    """The format of that name, if the library reads it."""
    form = format_named(name)
    families = [family for family in FAMILIES.all().values() if library.library in family.LIBRARIES]
    reads = any(name in family.FORMATS for family in families) and form.is_read_by(library.version)
    if not reads:
        here = version_text(library)
        usual = format_for(library.library, library.version)
        raise UsageError(
            f"{path} is of the format {name}, which {here} does not read",
            f"it reads {usual}; --format says what the file is, if that was guessed wrongly",
        )
    return form


def held_in(form: RulesFormat, path: Path, mpi: Mpi, engine: Engine) -> list[HeldRule]:
    """The rules of a file; raises UsageError for an algorithm that the library lacks."""
    try:
        others = (path.with_name(path.name + suffix) for suffix in form.suffixes)
        for file in (path, *(other for other in others if other.exists())):
            if not file.is_file() or file.stat().st_size > MOST_BYTES:
                words = f"{file}: no file of rules, or above {MOST_BYTES >> 20} MiB"
                raise UsageError(words)
        rules = form.read(path)
    except (OSError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{path}: {error}") from error
    named = sorted({rule.collective for rule in rules})
    known: dict[str, dict[str, Algorithm]] = {}
    for algorithm in family_of(mpi).discover(mpi, engine, named):
        own = known.setdefault(algorithm.collective, {})
        own |= dict.fromkeys((algorithm.own_name, algorithm.name), algorithm)
        own |= {str(algorithm.number): algorithm} if algorithm.number is not None else {}
    _check_algorithms(path, rules, known, is_whole=mpi.family != "intel")
    return [_without_ignored(rule, known, form) for rule in rules]


def _without_ignored(
    rule: HeldRule, known: Mapping[str, Mapping[str, Algorithm]], form: RulesFormat
) -> HeldRule:
    """The rule without parameters that its algorithm ignores: Open MPI's rules have a fan-out for
    all."""
    algorithm = known.get(rule.collective, {}).get(rule.algorithm)
    if algorithm and not form.has_radix(rule.collective, algorithm.name):
        rule = replace(rule, radix=None)
    return replace(rule, requests=None) if algorithm and not algorithm.requests else rule


def _check_algorithms(
    path: Path,
    rules: Sequence[HeldRule],
    known: Mapping[str, Mapping[str, Algorithm]],
    is_whole: bool,
) -> None:
    for rule in rules:
        algorithms = known.get(rule.collective)
        if is_whole and algorithms and not rule.is_own and rule.algorithm not in algorithms:
            raise wrong_in(
                path.with_name(path.name + rule.suffix),
                rule.line,
                f"this library has no algorithm {rule.algorithm} for {rule.collective}",
                f"hockney algorithms --collective {rule.collective} lists those that it has",
            )

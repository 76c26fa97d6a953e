"""--vary: from its words to variants, and from these to the words of each one's plan."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from hockney.base.confidential import is_credential, is_secret_name
from hockney.base.errors import UsageError
from hockney.base.toml_file import read_toml
from hockney.cli._help import OUTPUT, SAMPLING
from hockney.plan.bounds import check_combinations
from hockney.plan.variants import ENVIRONMENT, VARIABLE, Variant

FIXED = frozenset(
    {
        *("budget", "precision", "output", "sizes", "from", "to", "per-octave", "o"),
        *("vary", "tolerance", "gate"),
    }
)
"""Options that cannot be varied, beside those of sampling and output: variants are compared at the
same sizes, in the same run, by one rule."""
ON, OFF = ("on", "yes", "true"), ("off", "no", "false")
ADVICE = "write --vary window=1,64 or --vary env:UCX_TLS=tcp,sm, or --vary @FILE"


def variants_of(texts: Sequence[str], params: Sequence[click.Parameter]) -> tuple[Variant, ...]:
    """All combinations of what each --vary asks for; the first is what others are compared with.
    Raises UsageError for what cannot be varied."""
    options = _options_by_key(params)
    each = [_from_file(text[1:]) if text[:1] == "@" else _from_words(text) for text in texts]
    check_combinations(map(len, each), "--vary")
    variants = [_combined(parts) for parts in itertools.product(*each)]
    for variant in variants:
        for key, value in variant.values.items():
            _check(key, options)
            _check_no_secret(key, value)
    names = [variant.name for variant in variants]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"--vary: {twice} is given twice")
    if len(variants) < 2:
        raise UsageError(
            f"--vary: one variant only ({names[0]}) has nothing to be compared with",
            "give two values or more: --vary window=1,64",
        )
    return tuple(variants)


def _from_words(text: str) -> list[Variant]:
    key, equals, values = text.partition("=")
    if not equals or not key or not values:
        raise UsageError(f"--vary {text}: not KEY=VALUE,VALUE", ADVICE)
    separator = ";" if ";" in values else ","
    shown = key.removeprefix(ENVIRONMENT)
    return [
        Variant(name=f"{shown}={value.strip()}", values={key: value.strip()})
        for value in values.split(separator)
    ]


def _from_file(name: str) -> list[Variant]:
    """Variants of a TOML file with a table for each: options by their names, env.NAME for
    variables."""
    try:
        tables = read_toml(Path(name))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--vary @{name}: {error}") from error
    if not tables or not all(isinstance(table, dict) for table in tables.values()):
        raise UsageError(
            f"--vary @{name}: no variants", "write a table for each: [tcp], and below it values"
        )
    return [
        Variant(name=variant, values=_flat(f"--vary @{name}, {variant}", table))
        for variant, table in tables.items()
    ]


def _flat(where: str, table: Mapping[str, Any]) -> dict[str, str]:
    values: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, dict):
            values |= {f"{key}:{name}": entry for name, entry in value.items()}
        else:
            values[key] = value
    return {key: _text(f"{where}: {key}", value) for key, value in values.items()}


def _text(where: str, value: object) -> str:
    if isinstance(value, list | dict):
        raise UsageError(
            f"{where} is no single value", 'write one text, such as "8,64KiB", or more variants'
        )
    return str(value).lower() if isinstance(value, bool) else str(value)


def _combined(parts: Sequence[Variant]) -> Variant:
    values: dict[str, str] = {}
    for part in parts:
        twice = values.keys() & part.values.keys()
        if twice:
            raise UsageError(f"--vary: {min(twice)} is varied twice", "name it once")
        values |= part.values
    return Variant(name=", ".join(part.name for part in parts), values=values)


def _options_by_key(params: Sequence[click.Parameter]) -> dict[str, click.Option]:
    """The options that may be varied, by their names without dashes."""
    return {
        name.lstrip("-"): param
        for param in params
        if isinstance(param, click.Option) and not param.hidden
        for name in param.opts
        if getattr(param, "heading", None) not in (SAMPLING, OUTPUT)
        and name.lstrip("-") not in FIXED
    }


def _check(key: str, options: Mapping[str, click.Option]) -> None:
    if key.startswith(ENVIRONMENT):
        if not VARIABLE.fullmatch(key.removeprefix(ENVIRONMENT)):
            raise UsageError(f"--vary {key}: not a name of an environment variable")
        return
    if key not in options:
        near = get_close_matches(key, options, 1)
        known = f"did you mean {near[0]}?" if near else f"keys are env:NAME, {', '.join(options)}"
        raise UsageError(f"--vary {key}: not a key that can be varied here", known)


def _check_no_secret(key: str, value: str) -> None:
    """Refuses names of credentials: what is varied names the variants, in tables and in the
    file."""
    name = key.removeprefix(ENVIRONMENT)
    if (key.startswith(ENVIRONMENT) and is_secret_name(name)) or is_credential(value):
        raise UsageError(
            f"--vary {key}: this looks like a credential, and results are there to be published",
            "set the variable in the environment, where it is not stored",
        )


def words_of(variant: Variant, params: Sequence[click.Parameter]) -> list[str]:
    """The words that a variant adds to a verb's own."""
    options = _options_by_key(params)
    words = []
    for key, value in variant.values.items():
        if key.startswith(ENVIRONMENT):
            continue
        option = options[key]
        name = option.opts[-1]
        if not option.is_flag:
            words += [name, value] if len(name) == 2 else [f"{name}={value}"]
        elif value.lower() in ON:
            words.append(name)
        elif value.lower() not in OFF:
            raise UsageError(f"--vary {key}={value}: a switch is on or off")
    return words

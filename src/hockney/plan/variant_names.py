"""Names of variants for people: by what differs, such as "MPICH 5.0.2", never by whole paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hockney.plan.variants import ENVIRONMENT, Comparison, Variant

LIBRARY = "mpicc"
"""The key whose values are better named by the library that they bring."""


def shown_names(comparison: Comparison, libraries: Mapping[str, str]) -> dict[str, str]:
    """The name of each variant for people, by its own name. libraries: the MPI library of each
    variant that was started. Names that the user gave, in a file, stay as they are."""
    variants = comparison.variants
    keys = list(dict.fromkeys(key for variant in variants for key in variant.values))
    parts = {key: _parts(key, variants, libraries) for key in keys}
    names = {
        variant.name: ", ".join(parts[key][variant.values[key]] for key in variant.values)
        if _is_made(variant)
        else variant.name
        for variant in variants
    }
    are_distinct = len(set(names.values())) == len(names)
    return names if are_distinct else {variant.name: variant.name for variant in variants}


def short_name(comparison: Comparison | None, variant: str) -> str:
    """The name of a variant before it was started, without whole paths."""
    return variant if comparison is None else shown_names(comparison, {}).get(variant, variant)


def _is_made(variant: Variant) -> bool:
    """Whether --vary made the name of the values."""
    words = (f"{key.removeprefix(ENVIRONMENT)}={value}" for key, value in variant.values.items())
    return variant.name == ", ".join(words)


def _parts(key: str, variants: Sequence[Variant], libraries: Mapping[str, str]) -> dict[str, str]:
    """What each value of a key is called."""
    name = key.removeprefix(ENVIRONMENT)
    values = list(dict.fromkeys(v.values[key] for v in variants if key in v.values))
    short = differing(values)
    if key != LIBRARY:
        return {value: f"{name}={words}" for value, words in zip(values, short, strict=True)}
    own = {
        value: {libraries.get(v.name) for v in variants if v.values.get(key) == value} - {None}
        for value in values
    }
    if any(len(of_value) != 1 for of_value in own.values()):
        return {value: f"{name}={words}" for value, words in zip(values, short, strict=True)}
    called = {value: str(*of_value) for value, of_value in own.items()}
    if len(set(called.values())) == len(values):
        return called
    return {v: f"{called[v]} ({words})" for v, words in zip(values, short, strict=True)}


def differing(values: Sequence[str]) -> list[str]:
    """Paths without the directories that all of them begin and end with; other values as they
    are."""
    if len(values) < 2 or not all("/" in value for value in values):
        return [value.rpartition("/")[2] if value.startswith("/") else value for value in values]
    split = [value.split("/") for value in values]
    first = _common(split)
    last = _common([parts[first:][::-1] for parts in split])
    if split[0][:first] == [""]:  # the root alone: each stays a path from it
        first = 0
    paths = ["/".join(parts[first : len(parts) - last]) for parts in split]
    return paths if all(paths) else list(values)


def _common(lists: Sequence[Sequence[str]]) -> int:
    """How many items all lists begin with."""
    count = 0
    for items in zip(*lists, strict=False):
        if len(set(items)) > 1:
            break
        count += 1
    return count

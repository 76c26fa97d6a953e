"""Resolves the collectives and algorithms that a user names, `all` and `default` among them."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from hockney.base.errors import UsageError
from hockney.plan.algorithms import COMMON
from hockney.plan.workloads.collective import COLLECTIVES, DEFAULT
from hockney.run.mpis import Algorithm

NEIGHBOR = "neighbor"
"""Part of the name of every neighbourhood collective."""


def checked_collectives(names: Sequence[str]) -> list[str]:
    """The names without repeats. Raises UsageError for an unknown collective."""
    for name in names:
        if name not in COLLECTIVES:
            raise UsageError(
                f"{name!r} is not a collective that hockney measures",
                "neighbourhood collectives are exchanges of `hockney halo`"
                if NEIGHBOR in name
                else _nearest(name, COLLECTIVES, f"they are {', '.join(COLLECTIVES)}"),
            )
    return list(dict.fromkeys(names))


def chosen(
    available: Sequence[Algorithm], collective: str, names: Sequence[str]
) -> list[Algorithm | None]:
    """The algorithms that `all`, `default` or names select; None is the library's own decision.
    Names that belong to another of the collectives are skipped.

    Raises UsageError if the library lacks an algorithm.
    """
    of_it = [each for each in available if each.collective == collective]
    algorithms: list[Algorithm | None] = []
    for name in names:
        if name == "all":
            algorithms += [None, *of_it]
        elif name == DEFAULT:
            algorithms.append(None)
        elif named := [each for each in available if name in (each.name, each.own_name)]:
            algorithms += [each for each in named if each.collective == collective]
        else:
            raise _unknown(of_it, collective, name)
    if not algorithms:
        raise _unknown(of_it, collective, names[0])
    return list(dict.fromkeys(algorithms))


def _unknown(of_it: Sequence[Algorithm], collective: str, name: str) -> UsageError:
    known = name in COMMON.values() or name in COMMON
    return UsageError(
        f"{collective}: this MPI library has no algorithm {name!r}"
        + (", other libraries do" if known else ""),
        _nearest(
            name,
            [DEFAULT, *(each.name for each in of_it), *(each.own_name for each in of_it)],
            f"it has {', '.join(each.name for each in of_it) or 'no algorithm that can be forced'}",
        ),
    )


def _nearest(name: str, words: Sequence[str], otherwise: str) -> str:
    near = list(dict.fromkeys(difflib.get_close_matches(name, words, n=3)))
    return f"did you mean {' or '.join(near)}? ({otherwise})" if near else otherwise

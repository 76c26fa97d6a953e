"""Schedules of the algorithms of collectives: one file a collective."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from hockney.base.registry import Registry
from hockney.infer.predict.schedule import Algorithm


class Schedules(Protocol):
    ALGORITHMS: Mapping[str, Algorithm]
    """The schedule of each algorithm by the name that libraries share."""


SCHEDULES = Registry(__name__, "collective with schedules", Schedules, separator="_")


def schedules_name(collective: str) -> str:
    """The collective whose schedules a collective has: an exclusive scan those of an inclusive
    one."""
    return "scan" if collective == "exscan" else collective

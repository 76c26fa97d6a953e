"""Modules found by name have all that their users rely on, whoever wrote them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Protocol

import pytest

from hockney.base import registry as finding
from hockney.base.addition import Addition, AdditionError
from hockney.base.errors import UsageError
from hockney.base.registry import Registry
from hockney.cli import VERBS
from hockney.foreign.programs import PROGRAMS
from hockney.infer.models import MODELS
from hockney.infer.predict.schedules import SCHEDULES
from hockney.plan.workloads import WORKLOADS
from hockney.run.mpis import FAMILIES
from hockney.run.schedulers import SCHEDULERS
from hockney.show.experiments import VIEWS
from hockney.show.figures import FIGURES

OURS = (FAMILIES, FIGURES, MODELS, PROGRAMS, SCHEDULERS, SCHEDULES, VERBS, VIEWS, WORKLOADS)


class Wanted(Protocol):
    LENGTH: int

    def fits(self, size: int, *, closely: bool = ...) -> bool: ...


class Painted(Protocol):
    COLOUR: str


class Lit(Protocol):
    LAMP: str
    WATTS: float


WHOLE = "LENGTH = 1\ndef fits(size, *, closely=True): ...\n"


def registry(directory: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> Registry[Wanted]:
    """The registry of a package with one module of this text."""
    package = f"package_{directory.name}"
    (directory / package).mkdir()
    (directory / package / "__init__.py").touch()
    (directory / package / "_shared.py").touch()
    (directory / package / "only_one.py").write_text(text)
    monkeypatch.syspath_prepend(str(directory))
    return Registry(package, "thing", Wanted, parts=(Wanted, Painted, Lit))


class Callable:
    def __call__(self) -> None:
        raise ValueError("its own")


class OfSomebody:
    call = Callable()

    def each(self) -> Iterator[int]:
        yield 1
        raise KeyError("its own")

    def file(self) -> StringIO:
        return StringIO("text")


def test_what_an_addition_raises_names_it_and_what_it_returns_stays() -> None:
    addition = Addition(OfSomebody(), "model 'x' (x of x)")
    with pytest.raises(AdditionError, match=r"model 'x' \(x of x\) failed: ValueError: its own"):
        addition.call()
    with pytest.raises(AdditionError, match="KeyError: 'its own'"):
        list(addition.each())
    assert addition.file().read() == "text"


def test_modules_are_found_by_names_with_dashes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    things = registry(tmp_path, monkeypatch, f"{WHOLE}COLOUR = 'red'\n")
    assert things.names() == ["only-one"]
    assert things.find("only-one").LENGTH == 1
    assert [*things.offering(Painted)] == ["only-one"]
    assert [*things.offering(Lit)] == []
    with pytest.raises(UsageError, match="no thing called 'other'") as refused:
        things.find("other")
    assert "there are only-one" in str(refused.value)


@pytest.mark.parametrize(
    ("text", "lacking"),
    [
        ("", r"it lacks LENGTH \(Wanted\); it lacks fits"),
        ("LENGTH = 1", r"it lacks fits \(Wanted\)"),
        ("LENGTH = 1\nfits = 2", "it is not a function"),
        ("LENGTH = 1\ndef fits(size): ...", "unexpected keyword argument 'closely'"),
        ("LENGTH = 1\ndef fits(size, shape, *, closely): ...", "missing a required argument"),
        (f"{WHOLE}LAMP = 'bulb'", r"it lacks WATTS \(Lit\)"),
    ],
)
def test_what_a_module_lacks_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, lacking: str
) -> None:
    things = registry(tmp_path, monkeypatch, text)
    with pytest.raises(TypeError, match=r"package_\S+only_one is not a valid thing: .*" + lacking):
        things.find("only-one")


def test_a_place_of_the_path_that_cannot_be_read_has_no_additions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python goes past it, too. Root can read all directories: the refusal is made here."""
    closed, added, scandir = tmp_path / "closed", tmp_path / "added-1.dist-info", os.scandir
    closed.mkdir()
    added.mkdir()
    (added / "entry_points.txt").write_text("[hockney.models]\n")

    def refuse(place: str) -> object:
        if place == str(closed):
            raise PermissionError
        return scandir(place)

    monkeypatch.setattr(os, "scandir", refuse)
    for places, is_added_to in (([closed], False), ([closed, tmp_path], True)):
        monkeypatch.setattr(sys, "path", [*map(str, places)])
        finding._is_added_to.cache_clear()
        assert finding._is_added_to() == is_added_to
    finding._is_added_to.cache_clear()


@pytest.mark.parametrize("registry", OURS, ids=lambda registry: registry.package)
def test_ours_have_it_all(registry: Registry[object]) -> None:
    assert registry.built_in()
    for name in registry.built_in():
        assert registry.find(name) is not None

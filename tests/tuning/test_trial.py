"""Rules are written only when the library has been seen to read them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from libraries import INSTALLED, OPEN_MPIS
from rule_samples import mpich_rule, openmpi_rule

from conftest import FAULTY
from hockney.base.errors import HockneyError, UsageError
from hockney.records import MpiFacts
from hockney.run.measure.toolchain.build import build_engine
from hockney.run.mpis import Engine, Mpi, Rule, format_for, format_named
from hockney.tuning.rule_files import other_library
from hockney.tuning.rules_trial import check_library, start, try_written, write_tried


def own_format(here: MpiFacts) -> str:
    return format_for(here.library, here.version)


def rules_for(name: str) -> list[Rule]:
    if name == "openmpi":
        return [openmpi_rule("bcast", 2, 8, 1024, 6), openmpi_rule("allreduce", 4, 0, 8, 3)]
    return [
        mpich_rule("bcast", 2, 8, 1024, "binomial"),
        mpich_rule("allreduce", 4, 0, 8, "recursive_doubling"),
    ]


@pytest.fixture(params=INSTALLED)
def library(request: pytest.FixtureRequest) -> Mpi:
    mpi: Mpi = request.param
    return mpi


@pytest.fixture
def engine(library: Mpi) -> Engine:
    return build_engine(library)


@pytest.fixture
def here(library: Mpi, engine: Engine) -> MpiFacts:
    """The library by its own words."""
    _, facts = start(library, engine, {})
    assert facts is not None
    return facts


def files(path: Path) -> list[str]:
    return sorted(file.name for file in path.iterdir())


def test_the_library_reads_all_of_what_is_written(
    library: Mpi, engine: Engine, here: MpiFacts, tmp_path: Path
) -> None:
    name = own_format(here)
    form, rules = format_named(name), rules_for(name)
    assert write_tried(form, rules, tmp_path / "rules", here, library, engine) is True
    assert files(tmp_path) == sorted(f"rules{suffix}" for suffix in form.render(rules, engine))
    assert try_written(form, tmp_path / "rules", library, engine) is True
    assert other_library(form, tmp_path / "rules", here) is None
    newer = MpiFacts(library=here.library, version="99.1")
    words = other_library(form, tmp_path / "rules", newer)
    assert (words is None) == (form.comment is None)
    if words:
        assert f"rules:2: written for {here.library} {here.version}, and this is " in words


def test_what_the_library_drops_is_not_written(
    library: Mpi, engine: Engine, here: MpiFacts, tmp_path: Path
) -> None:
    """A library ignores rules with a first size that is not 0, or in a file that it does not
    read."""
    form = format_named(own_format(here))
    unread = SimpleNamespace(
        render=form.render, with_fault=form.with_fault, environment=lambda _: {}, comment=None
    )
    rules = rules_for(own_format(here))
    with pytest.raises(HockneyError, match="ignores these rules"):
        write_tried(unread, rules, tmp_path / "rules", here, library, engine)
    assert files(tmp_path) == []


@pytest.mark.parametrize("open_mpi", OPEN_MPIS)
def test_a_first_size_that_is_not_0_is_noticed(open_mpi: Mpi, tmp_path: Path) -> None:
    engine, form = build_engine(open_mpi), format_named("openmpi")
    _, facts = start(open_mpi, engine, {})
    assert facts is not None

    def spoiled(files: dict[str, str]) -> dict[str, str]:
        return {
            suffix: text.replace("\n0 0 0 0\n", "\n8 0 0 0\n") for suffix, text in files.items()
        }

    wrong = SimpleNamespace(
        render=lambda *args: spoiled(form.render(*args)),
        with_fault=form.with_fault,
        environment=form.environment,
        comment=form.comment,
    )
    with pytest.raises(HockneyError, match="ignores these rules"):
        write_tried(wrong, rules_for("openmpi"), tmp_path / "rules", facts, open_mpi, engine)
    assert files(tmp_path) == []


def test_what_the_library_does_not_start_with_is_not_written(
    library: Mpi, engine: Engine, here: MpiFacts, tmp_path: Path
) -> None:
    form = format_named(own_format(here))
    faulty = SimpleNamespace(
        render=lambda *args: form.with_fault(form.render(*args)),
        with_fault=form.with_fault,
        environment=form.environment,
        comment=form.comment,
    )
    rules = rules_for(own_format(here))
    with pytest.raises(HockneyError, match="does not start with these rules"):
        write_tried(faulty, rules, tmp_path / "rules", here, library, engine)
    assert files(tmp_path) == []


@pytest.mark.long
def test_a_library_that_hangs_with_rules_is_ended_and_they_are_not_written(
    mpi: Mpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The faulty build of the engine falls silent."""
    monkeypatch.setenv("HOCKNEY_CFLAGS", FAULTY)
    monkeypatch.setattr("hockney.tuning.rules_trial.TIMEOUT_S", 3.0)
    engine = build_engine(mpi)
    _, facts = start(mpi, engine, {})
    assert facts is not None
    form = format_named(own_format(facts))
    hanging = SimpleNamespace(
        render=form.render,
        with_fault=form.with_fault,
        environment=lambda _: {"HOCKNEY_FAULT_STOP": "0"},
        comment=form.comment,
    )
    with pytest.raises(HockneyError, match=r"hangs with these rules: .* for \d+ s and were ended"):
        write_tried(hanging, rules_for(own_format(facts)), tmp_path / "rules", facts, mpi, engine)
    assert files(tmp_path) == []


def test_rules_of_another_library_are_refused(library: Mpi, engine: Engine, here: MpiFacts) -> None:
    other = MpiFacts(library=here.library, version="0.0.1")
    with pytest.raises(UsageError, match=r"the files are of .* 0.0.1"):
        check_library(other, library, engine)

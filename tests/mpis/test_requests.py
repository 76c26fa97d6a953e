"""Limits of messages in flight: which algorithms take one, that it is forced, and rules with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from libraries import INSTALLED, MPICHS, OPEN_MPIS
from rule_samples import openmpi_rule

from hockney.base.errors import UsageError
from hockney.plan.held_rules import rule_for
from hockney.run.measure.studies.collective_study import replaced_by_another
from hockney.run.measure.toolchain.build import build_engine
from hockney.run.mpis import (
    OWN_PARAMETERS,
    Algorithm,
    Mpi,
    ParameterValues,
    Requests,
    family_of,
    format_named,
    mpich,
    openmpi,
)
from hockney.run.mpis._controls import read_controls
from hockney.tuning.rule_files import held_in
from hockney.tuning.rules_trial import try_files

LIMIT = "coll_tuned_alltoall_algorithm_max_requests"
LINEAR = Algorithm("alltoall", "linear_sync", "linear_sync", 4, requests=Requests(LIMIT))
COLLECTIVES = ("alltoall", "reduce", "scatter", "ialltoall")


def limits(mpi: Mpi) -> dict[tuple[str, str], str]:
    """The control variables that the installed library lists."""
    algorithms = family_of(mpi).discover(mpi, build_engine(mpi), COLLECTIVES)
    return {
        (algorithm.collective, algorithm.name): algorithm.requests.control
        for algorithm in algorithms
        if algorithm.requests
    }


@pytest.mark.parametrize("installed", INSTALLED)
def test_limits_are_those_that_the_library_lists(installed: Mpi) -> None:
    controls = limits(installed)
    assert set(controls.values()) <= set(read_controls(build_engine(installed)))
    assert bool(controls) == (installed.family in ("openmpi", "mpich"))


@pytest.mark.parametrize("open_mpi", OPEN_MPIS)
def test_those_of_open_mpi(open_mpi: Mpi) -> None:
    controls = limits(open_mpi)
    assert controls["alltoall", "linear_sync"] == LIMIT
    assert controls["reduce", "pipeline"] == "coll_tuned_reduce_algorithm_max_requests"
    assert ("alltoall", "pairwise") not in controls


@pytest.mark.parametrize("a_mpich", MPICHS)
def test_those_of_mpich(a_mpich: Mpi) -> None:
    assert limits(a_mpich)["alltoall", "scattered"] == "MPIR_CVAR_ALLTOALL_THROTTLE"


def test_a_limit_is_forced_read_back_and_named() -> None:
    forcing = openmpi.forcing("alltoall", LINEAR, ParameterValues(requests=4))
    assert (f"OMPI_MCA_{LIMIT}", "4") in forcing.env
    assert (LIMIT, "4") in forcing.controls
    assert forcing.parameters.requests == 4
    assert not [
        name for name, _ in openmpi.forcing("alltoall", LINEAR, OWN_PARAMETERS).env if "max" in name
    ]
    throttle = "MPIR_CVAR_ALLTOALL_THROTTLE"
    scattered = Algorithm("alltoall", "scattered", "scattered", 4, requests=Requests(throttle))
    forcing = mpich.forcing("alltoall", scattered, ParameterValues(requests=8))
    assert (throttle, "8") in forcing.env
    assert (throttle, "8") in forcing.controls


PIPELINE = Algorithm("reduce", "pipeline", "pipeline", 3, requests=Requests("x", of_segments=True))
SCATTER = Algorithm("scatter", "linear_nb", "linear_nb", 3, requests=Requests("y", least=2))


@pytest.mark.parametrize(
    ("algorithm", "parameters", "ranks", "size", "why"),
    [
        (LINEAR, ParameterValues(requests=3), 4, 8, None),
        (
            LINEAR,
            ParameterValues(requests=4),
            4,
            8,
            "with 3 requests: there are no more messages",
        ),
        (
            SCATTER,
            ParameterValues(requests=1),
            4,
            8,
            "takes 1 for no limit: it must be 2 or more",
        ),
        (PIPELINE, ParameterValues(requests=2), 4, 8192, "a message has one segment"),
        (PIPELINE, ParameterValues(1024, requests=2), 4, 8192, None),
        (PIPELINE, ParameterValues(1024, requests=9), 4, 8192, "with 8 requests"),
    ],
)
def test_a_limit_that_limits_nothing_is_left_out(
    algorithm: Algorithm, parameters: ParameterValues, ranks: int, size: int, why: str | None
) -> None:
    family = openmpi
    reason = replaced_by_another(family, algorithm, ranks, size, parameters)  # type: ignore[arg-type]
    assert (reason is None) == (why is None)
    assert (why or "") in (reason or "")


RULE = replace(openmpi_rule("alltoall", 4, 8, 1024, 4), requests=2)


def test_rules_of_open_mpi_have_the_limit_that_was_measured() -> None:
    text = openmpi.render_classic([RULE], None)[""]
    assert text.startswith("rule-file-version-2 #"), "the library takes it nowhere else"
    assert "\n32 4 0 0 2 #" in text
    assert "version" not in openmpi.render_classic([replace(RULE, requests=None)], None)[""]
    assert '"reqs": 2' in openmpi.render_json([RULE], None)[""]


def test_rules_limit_requests_from_open_mpi_5_on() -> None:
    form = format_named("openmpi")
    assert form.has_requests("5.0.11", "alltoall", "linear_sync")
    assert not form.has_requests("4.1.4", "alltoall", "linear_sync")
    assert not form.has_requests("5.0.11", "alltoall", "pairwise")
    assert not format_named("mpich").has_requests("5.0.2", "alltoall", "scattered")


@pytest.mark.parametrize("form", ["openmpi", "openmpi-json"])
def test_a_limit_is_read_back(form: str, tmp_path: Path) -> None:
    path = tmp_path / "rules"
    path.write_text(format_named(form).render([RULE], None)[""])
    held = rule_for(format_named(form).read(path), "alltoall", 4, 8)
    assert held is not None
    assert held.choice == "4, 2 requests"


def test_a_version_behind_a_comment_is_no_version(tmp_path: Path) -> None:
    path = tmp_path / "rules"
    path.write_text("# mine\nrule-file-version-2\n1\n3\n1\n2\n1\n0 4 0 0 2\n")
    with pytest.raises(UsageError, match="rules:2: 'rule-file-version-2' is not"):
        format_named("openmpi").read(path)


def test_open_mpi_5_reads_rules_with_a_limit(mpi: Mpi, tmp_path: Path) -> None:
    if mpi.family != "openmpi" or mpi.launcher_version.startswith("4"):
        return  # its own rules are tested in test_openmpi_rules.py
    form, engine = format_named("openmpi"), build_engine(mpi)
    files = form.render([RULE], None)
    assert try_files(form, files, mpi, engine)
    (tmp_path / "rules").write_text(files[""])
    held = rule_for(held_in(form, tmp_path / "rules", mpi, engine), "alltoall", 4, 8)
    assert held is not None
    assert held.requests == 2

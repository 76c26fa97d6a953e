"""Radices of trees and exchanges: which algorithms take one, and that the library has it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from libraries import INSTALLED, MPICHS, OPEN_MPIS
from rule_samples import mpich_rule, openmpi_rule

from hockney.plan.algorithms import COMMON
from hockney.plan.axes import algorithm_text
from hockney.run.measure.toolchain.build import build_engine
from hockney.run.mpis import (
    Algorithm,
    Mpi,
    ParameterValues,
    Radix,
    Rule,
    _mpich_parameters,
    _openmpi_parameters,
    family_of,
    format_named,
    mpich,
    openmpi,
    with_parameters,
)
from hockney.run.mpis._controls import read_controls
from hockney.tuning.rule_files import held_in

CHAIN = Algorithm("bcast", "chain", "chain", 2)
COLLECTIVES = ("bcast", "reduce", "allreduce", "allgather", "alltoall", "barrier", "ibcast")


def radices(mpi: Mpi) -> dict[tuple[str, str], str]:
    """The control variables that the installed library lists."""
    algorithms = family_of(mpi).discover(mpi, build_engine(mpi), COLLECTIVES)
    return {
        (algorithm.collective, algorithm.name): algorithm.radix.control
        for algorithm in algorithms
        if algorithm.radix
    }


@pytest.mark.parametrize("installed", INSTALLED)
def test_radices_are_those_that_the_library_lists(installed: Mpi) -> None:
    controls = radices(installed)
    listed = read_controls(build_engine(installed))
    assert controls
    assert set(controls.values()) <= set(listed)
    assert not {("bcast", "binomial"), ("allreduce", "recursive_doubling")} & set(controls)


@pytest.mark.parametrize("open_mpi", OPEN_MPIS)
def test_chains_and_k_nomial_trees_of_open_mpi_take_one(open_mpi: Mpi) -> None:
    controls = radices(open_mpi)
    assert controls["bcast", "chain"] == "coll_tuned_bcast_algorithm_chain_fanout"
    assert controls["bcast", "knomial"] == "coll_tuned_bcast_algorithm_knomial_radix"
    assert ("bcast", "pipeline") not in controls


@pytest.mark.parametrize("a_mpich", MPICHS)
def test_trees_of_mpich_take_one(a_mpich: Mpi) -> None:
    controls = radices(a_mpich)
    assert controls["ibcast", "tsp_tree"] == "MPIR_CVAR_IBCAST_TREE_KVAL"
    if ("bcast", "tree") in controls:  # since MPICH 4.1
        assert controls["bcast", "tree"] == "MPIR_CVAR_BCAST_TREE_KVAL"
        assert controls["alltoall", "k_brucks"] == "MPIR_CVAR_ALLTOALL_BRUCKS_KVAL"


def test_what_is_not_listed_is_not_tried() -> None:
    known = {("bcast", "chain"): Radix("fanout")}
    algorithms = with_parameters([CHAIN], known, {}, {"fanout"})
    assert algorithms == [replace(CHAIN, radix=Radix("fanout"))]
    assert with_parameters([CHAIN], known, {}, {"other"}) == [CHAIN]


def test_a_radix_is_forced_read_back_and_named() -> None:
    control = "coll_tuned_bcast_algorithm_chain_fanout"
    chain = replace(CHAIN, radix=Radix(control))
    forcing = openmpi.forcing("bcast", chain, ParameterValues(8192, 8))
    assert (f"OMPI_MCA_{control}", "8") in forcing.env
    assert (control, "8") in forcing.controls
    label = algorithm_text(forcing.algorithm, *forcing.parameters)
    assert label == "chain, 8 KiB segments, radix 8"
    own = openmpi.forcing("bcast", chain, ParameterValues(8192))
    assert not [name for name, _ in own.env if "fanout" in name]
    assert own.parameters.radix is None


def test_a_radix_of_mpich_is_forced_and_read_back() -> None:
    control = "MPIR_CVAR_BCAST_TREE_KVAL"
    tree = Algorithm("bcast", "tree", "tree", 7, Radix(control))
    forcing = mpich.forcing("bcast", tree, ParameterValues(radix=4))
    assert (control, "4") in forcing.env
    assert (control, "4") in forcing.controls


def with_settings(rule: Rule, **more: str) -> Rule:
    return replace(rule, settings=(*rule.settings, *more.items()))


def test_rules_of_open_mpi_have_the_fanout_that_was_measured() -> None:
    rule = with_settings(
        openmpi_rule("bcast", 4, 8, 1024, 2),
        OMPI_MCA_coll_tuned_bcast_algorithm_chain_fanout="8",
    )
    assert "\n8 2 8 0 " in openmpi.render_classic([rule], None)[""]
    assert '"faninout": 8' in openmpi.render_json([rule], None)[""]
    other = with_settings(
        openmpi_rule("allgather", 4, 8, 1024, 2),
        OMPI_MCA_coll_tuned_allgather_algorithm_tree_fanout="3",
    )
    assert "\n32 2 3 0 " in openmpi.render_classic([other], None)[""]


def test_a_rule_of_open_mpi_has_no_radix_for_a_k_nomial_tree() -> None:
    for form in openmpi.FORMATS.values():
        assert form.has_radix("bcast", "chain")
        assert not form.has_radix("bcast", "knomial")


def test_algorithms_whose_parameters_a_rule_sets_have_common_names() -> None:
    """The tables have the libraries' own names; look-ups use common ones."""
    tables = (_openmpi_parameters.FANOUTS, _openmpi_parameters.REQUESTS)
    names = {name for table in (*tables, _mpich_parameters.PARAMETERS) for _, name in table}
    assert not names & COMMON.keys()


@pytest.mark.parametrize("a_mpich", MPICHS)
@pytest.mark.parametrize(
    ("collective", "name", "variable"),
    [
        ("bcast", "tree", "MPIR_CVAR_BCAST_TREE_KVAL"),
        ("alltoall", "k_brucks", "MPIR_CVAR_ALLTOALL_BRUCKS_KVAL"),
    ],
)
def test_selection_trees_have_the_k_that_was_measured(
    a_mpich: Mpi, collective: str, name: str, variable: str
) -> None:
    rule = mpich_rule(collective, 4, 0, 8, name)
    engine = build_engine(a_mpich)
    assert '"k=2": {}' in mpich.render([rule], engine)[""], "the library would take 0"
    text = mpich.render([with_settings(rule, **{variable: "7"})], engine)[""]
    assert '"k=7": {}' in text
    assert mpich.FORMATS["mpich"].has_radix(collective, name)


@pytest.mark.parametrize("open_mpi", OPEN_MPIS)
def test_a_fanout_that_the_algorithm_ignores_is_no_radix(open_mpi: Mpi, tmp_path: Path) -> None:
    forced = (("OMPI_MCA_coll_tuned_bcast_algorithm", "6"),)
    form = format_named("openmpi")
    rules = tmp_path / "rules"
    rules.write_text(form.render([Rule("bcast", 4, 0, 8, "binomial", forced)], None)[""])
    assert "0 6 4 0" in rules.read_text()
    [held] = held_in(form, rules, open_mpi, build_engine(open_mpi))
    assert held.radix is None

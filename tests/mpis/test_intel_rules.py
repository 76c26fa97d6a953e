"""Rules for Intel MPI, and whether it follows them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from conftest import TEST_TIMEOUT_S
from hockney.base.errors import HockneyError
from hockney.plan.held_rules import rule_for
from hockney.run.mpis import Mpi, Rule, intel
from starting import mpi_command


def rule(collective: str, ranks: int, from_: int, to: int | None, number: str) -> Rule:
    settings = ((f"I_MPI_ADJUST_{collective.upper()}", number),)
    return Rule(collective, ranks, from_, to, "name", settings)


def test_each_collective_has_one_variable_with_all_sizes(tmp_path: Path) -> None:
    """The library takes an algorithm of the list where no range holds."""
    rules = [
        rule("bcast", 4, 64, 1023, "1"),
        rule("bcast", 4, 2048, 4096, "3"),
        rule("barrier", 2, 0, None, "2"),
    ]
    path = tmp_path / "rules"
    path.write_text(intel.render(rules, None)[""])
    assert intel.environment_of_rules(path) == {
        "I_MPI_ADJUST_BCAST": "0:0-63;1:64-1023;0:1024-2047;3:2048-4096;0:4097-2147483647",
        "I_MPI_ADJUST_BARRIER": "2:0-2147483647",
    }
    held = intel.FORMATS["intel"].read(path)
    choices = [rule_for(held, "bcast", 4, size) for size in (63, 64, 1023, 2048, 4097)]
    assert [choice.algorithm if choice else None for choice in choices] == ["0", "1", "1", "3", "0"]


def test_rules_that_differ_by_ranks_are_no_variables() -> None:
    rules = [rule("bcast", 4, 0, 8, "1"), rule("bcast", 6, 0, 8, "3")]
    with pytest.raises(HockneyError, match=r"bcast by 4 and by 6 ranks: .*\n.*intel-tree"):
        intel.render(rules, None)


RING, OWN = "8", "0"


def test_the_library_runs_the_algorithm_that_a_rule_names(mpi: Mpi, tmp_path: Path) -> None:
    """The last bits of a sum show in which order it was made."""
    if mpi.family != "intel":
        pytest.skip("needs Intel MPI: .ci/run tests it, and HOCKNEY_TEST_MPICC names its mpicc")
    program = tmp_path / "sums"
    source = Path(__file__).parent / "sums.c"
    include = mpi.mpicc.parent.parent / "include"
    subprocess.run([str(mpi.mpicc), f"-I{include}", source, "-o", str(program)], check=True)

    def sums(ranks: int, **env: str) -> list[str]:
        command = mpi_command(mpi, ranks, [str(program), "504", "512", "1024", "1032"])
        whole = {**os.environ, **intel.environment(mpi), **env}
        done = subprocess.run(command, env=whole, capture_output=True, timeout=TEST_TIMEOUT_S)
        return [line for line in done.stdout.decode().splitlines() if line.startswith("sum ")]

    rules = [rule("allreduce", 3, 512, 1024, RING)]
    by_own, by_ring = sums(3, I_MPI_ADJUST_ALLREDUCE=OWN), sums(3, I_MPI_ADJUST_ALLREDUCE=RING)
    assert all(own != ring for own, ring in zip(by_own, by_ring, strict=True))
    wanted = [by_own[0], *by_ring[1:3], by_own[3]]
    for form in ("intel", "intel-tree"):
        path = tmp_path / form
        path.write_text(intel.FORMATS[form].render(rules, None)[""])
        env = intel.FORMATS[form].environment(path)
        assert sums(3, **env) == wanted, form
    assert sums(4, **env) == sums(4, I_MPI_ADJUST_ALLREDUCE=OWN), "the tree knows ranks"


@pytest.mark.parametrize("settings", [(), (("I_MPI_ADJUST_BCAST", "1'; rm -r x; '"),)])
def test_an_algorithm_without_a_number_is_refused(settings: tuple[tuple[str, str], ...]) -> None:
    """A stranger's file must not put words into a shell."""
    with pytest.raises(HockneyError, match="do not record I_MPI_ADJUST_BCAST as a number"):
        intel.render([Rule("bcast", 4, 0, 8, "binomial", settings)], None)

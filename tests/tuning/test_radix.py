"""Radices from measured points to rules, and back from files of rules."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from collective_samples import collective_run, header, places_of
from conftest import RunHockney
from hockney.base.errors import UsageError
from hockney.infer.analysis import Analysis
from hockney.infer.predict.collectives import predicted_s
from hockney.infer.predict.parameters import Level, Parameters
from hockney.plan.axes import Point
from hockney.plan.held_rules import HeldRule
from hockney.records import Run
from hockney.run.mpis import Engine, Mpi, format_named
from hockney.show.tuning.rules import notes_of
from hockney.tuning.check import CheckedSizes, check_of
from hockney.tuning.measured import measured, only
from hockney.tuning.rule_files import held_in
from hockney.tuning.rules_trial import start
from samples import write_run

OPEN_MPI = "OMPI_MCA_coll_tuned_bcast_algorithm"
TIMES = {"default": 10e-6, "radix 8": 4e-6, "radix 2": 6e-6}
FORCED = {
    "openmpi": {
        f"chain, radix {radix}": {OPEN_MPI: "2", f"{OPEN_MPI}_chain_fanout": str(radix)}
        for radix in (2, 8)
    },
    "mpich": {
        f"tree, radix {radix}": {
            "MPIR_CVAR_BCAST_INTRA_ALGORITHM": "tree",
            "MPIR_CVAR_BCAST_TREE_KVAL": str(radix),
        }
        for radix in (2, 8)
    },
}
KNOMIAL = {
    "knomial, radix 8": {OPEN_MPI: "7", f"{OPEN_MPI}_knomial_radix": "8"},
    "chain, radix 2": {OPEN_MPI: "2", f"{OPEN_MPI}_chain_fanout": "2"},
}


def seconds(_: str, name: str, ranks: int, size: int) -> float:
    return TIMES[name.rpartition(", ")[2]] * (1 + size / 1000) * ranks


def test_the_winning_radix_is_written_and_read_back(
    hockney: RunHockney, mpi: Mpi, engine: Engine, tmp_path: Path
) -> None:
    if mpi.family not in FORCED:
        pytest.skip("no radix can be set")
    _, here = start(mpi, engine, {})
    assert here is not None
    algorithms = {"default": {}, **FORCED[mpi.family]}
    own = {"library": here.library or "", "version": here.version or ""}
    run = collective_run(seconds, algorithms=algorithms, sizes=(8, 64), **own)
    write_run(run, tmp_path / "run.jsonl")
    [rule] = hockney.ok("tune", "run.jsonl", "-o", "rules", "--json").json["rules"]
    assert (rule["algorithm"], rule["radix"]) == (next(iter(FORCED[mpi.family])).split(",")[0], 8)
    form = format_named("openmpi" if mpi.family == "openmpi" else "mpich")
    held = [
        held_rule
        for held_rule in held_in(form, tmp_path / "rules", mpi, engine)
        if held_rule.holds_for("bcast", 4, 8)
    ]
    assert held[0].radix == 8
    assert held[0].choice.endswith(", radix 8")
    assert ", radix 8" in hockney("tune", "run.jsonl").stdout


def test_what_a_rule_cannot_say_is_said_and_left_out() -> None:
    run = collective_run(seconds, algorithms={"default": {}, **KNOMIAL})
    measurement = measured([Analysis(run)])
    form = format_named("openmpi")
    kept, others = only(measurement.groups(form, None, False), form, "5.0.11")
    assert others == ["bcast by knomial with a radix of its own"]
    names = {
        contender.name for group in kept for cell in group.cells for contender in cell.contenders
    }
    assert names == {"chain, radix 2"}
    assert notes_of(kept, others, form, measurement.mpi) == [
        "no rules can be written for bcast by knomial with a radix of its own"
    ]


def points(algorithm: str) -> Run:
    return collective_run(seconds, algorithms={"default": {}, algorithm: {}})


def test_a_schedule_has_no_other_radix_than_the_librarys() -> None:
    machine = Parameters(network=Level(1e-6, 1e-9))
    [_, point, *_] = Analysis(points("chain, radix 8")).estimates.headline
    assert point.radix == 8
    assert predicted_s(machine, point, places_of(4)) is None
    assert predicted_s(machine, type(point)(**{**as_dict(point), "radix": None}), places_of(4))


def as_dict(point: object) -> dict[str, object]:
    return {name: getattr(point, name) for name in type(point).__struct_fields__}  # type: ignore[attr-defined]


def test_rules_that_differ_in_their_radix_are_different_choices() -> None:
    binary = HeldRule("bcast", (2, 4), (0, 8), "tree", 1, radix=2)
    other = HeldRule("bcast", (2, 4), (0, 8), "tree", 1, radix=4)
    assert binary.choice != other.choice
    assert HeldRule("bcast", (2, 4), (0, 8), "tree", 1).choice == "tree"
    ratio = SimpleNamespace(
        point=Point(operation="bcast", ranks=4, bytes=8),
        blocks=8,
        judged=SimpleNamespace(is_slower=False),
    )
    study, nowhere = SimpleNamespace(ratios=[ratio]), Run(header())
    sizes = [CheckedSizes("bcast", 4, (8,), ())]
    for own, rule in (([binary], other), ([other], None), ([], other)):
        [cell] = check_of(study, nowhere, sizes, [other], own).cells  # type: ignore[arg-type]
        assert cell.rule == rule, "the same choice as the library's own changes nothing"


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("openmpi", "1\n7\n1\n2\n1\n0 2 8 0\n"),
        ("openmpi-json", '{"collectives": {"bcast": [{"rules": [{"alg": 2, "faninout": 8}]}]}}'),
        (
            "mpich",
            '{"collective=bcast": {"algorithm=MPIR_Bcast_intra_tree": {"tree_type=kary": {}, '
            '"k=8": {}}}}',
        ),
    ],
)
def test_a_radix_is_read(form: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "rules").write_text(text)
    [held] = format_named(form).read(tmp_path / "rules")
    assert held.radix == 8


@pytest.mark.parametrize(
    ("form", "text", "complaint"),
    [
        (
            "mpich",
            '{"collective=bcast": {\n"algorithm=MPIR_Bcast_intra_tree": {"k=many": {}}}}',
            "rules:2: 'k=many' is not a radix",
        ),
        (
            "mpich",
            '{"collective=bcast": {\n"algorithm=MPIR_Bcast_intra_tree": {"k=0": {}}}}',
            "rules:2: 'k=0' is not a radix",
        ),
        (
            "openmpi-json",
            '{"collectives": {"bcast": [{"rules": [\n{"alg": 2, "faninout": "8"}]}]}}',
            "rules:2: '8' is not a fan-out",
        ),
    ],
)
def test_mistakes_in_a_radix(form: str, text: str, complaint: str, tmp_path: Path) -> None:
    (tmp_path / "rules").write_text(text)
    with pytest.raises(UsageError, match=complaint):
        format_named(form).read(tmp_path / "rules")

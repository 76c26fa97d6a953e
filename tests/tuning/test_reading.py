"""Files of rules are read as the libraries read them, and mistakes are named with their line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_samples import SIZES, openmpi_rule, ranges

from hockney.base.errors import UsageError
from hockney.plan.held_rules import HeldRule, rule_for
from hockney.records import MpiFacts
from hockney.run.mpis import Engine, Mpi, Rule, RulesFormat, format_named, intel, openmpi
from hockney.tuning.rule_files import MOST_BYTES, check_is_for, format_in, held_in

NEAR_SIZES = sorted({max(size + off, 0) for size in SIZES for off in (-1, 0, 1)})
CLASSIC = """1 # collectives
7 # bcast
2 # ranks
2
1 # sizes
0 6 0 0
8 # ranks
2 # sizes
0 0 0 0
4096 2 4 1024
"""


def read(form: str, text: str, directory: Path) -> list[HeldRule]:
    path = directory / "rules"
    path.write_text(text)
    return format_named(form).read(path)


def tree_rule(collective: str, ranks: int, first: int, last: int | None, number: int) -> Rule:
    settings = ((f"I_MPI_ADJUST_{collective.upper()}", str(number)),)
    return Rule(collective, ranks, first, last, f"number {number}", settings)


@pytest.mark.parametrize(
    ("form", "make"),
    [
        ("openmpi", openmpi_rule),
        ("openmpi-json", openmpi_rule),
        ("intel-tree", tree_rule),
    ],
)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_what_is_written_is_read_back(
    form: str, make: object, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    known = (
        tuple(openmpi.COLLECTIVE_NUMBERS) if form.startswith("open") else tuple(intel.ALGORITHMS)
    )
    rules = [
        make(*range_, data.draw(st.integers(1, 9)))  # type: ignore[operator]
        for range_ in data.draw(ranges(known))
    ]
    text = format_named(form).render(rules, None)[""]
    held = read(form, text, tmp_path_factory.mktemp("rules"))
    held = [rule for rule in held if rule.algorithm != "0"]
    for collective in known:
        for ranks in range(1, 15):
            for size in NEAR_SIZES:
                wanted = [r.name for r in rules if r.holds_for(collective, ranks, size)]
                rule = rule_for(held, collective, ranks, size)
                assert [f"number {rule.algorithm}"] * bool(rule) == wanted if rule else not wanted


def test_numbers_of_ranks_and_sizes_hold_up_to_the_next(tmp_path: Path) -> None:
    small, large = read("openmpi", CLASSIC, tmp_path)
    assert (small.ranks, small.bytes, small.algorithm, small.line) == ((1, 7), (0, None), "6", 6)
    assert (large.ranks, large.bytes, large.line) == ((8, None), (4096, None), 10)
    assert large.edges(8) == [4095, 4096]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (CLASSIC.replace("4096 2", "0 2"), r"rules:10: the size 0 does not ascend"),
        (CLASSIC.replace("8 # ranks", "2 # ranks"), r"rules:7: the number of ranks 2 does not"),
        (CLASSIC.replace("0 6 0 0", "8 6 0 0"), r"rules:6: the first size is 8"),
        (CLASSIC.replace("0 6 0 0", "0 binomial 0 0"), r"rules:6: 'binomial' is not an algorithm"),
        (CLASSIC.replace("4096 2 4 1024", "4096 2 4"), r"rules:10: the file ends where a segment"),
        (CLASSIC.replace("7 # bcast", "99"), r"rules:2: there is no collective 99"),
        (CLASSIC + "5", r"rules:11: '5' is after the last rule"),
        (CLASSIC.replace("1024", "01024"), r"rules:10: '01024' .*\n?.*octal"),
    ],
)
def test_mistakes_in_a_classic_file(text: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        read("openmpi", text, tmp_path)
    assert caught.match(complaint) or (complaint.endswith("octal") and "octal" in str(caught.value))


def as_json(*rules: dict[str, object], **section: object) -> str:
    whole = {"comm_size_min": 2, "comm_size_max": 64, **section, "rules": rules}
    return json.dumps({"rule_file_version": 3, "collectives": {"bcast": [whole]}}, indent=1)


@pytest.mark.parametrize("no_limit", ["inf", "Inf", "INF"])
def test_names_and_spellings_of_the_schema_of_open_mpi_6_are_read(
    no_limit: str, tmp_path: Path
) -> None:
    """bine_imp chooses a variant of an algorithm in its newest schema: it makes no other rule."""
    above = {"alg": 3, "msg_size_min": 64, "msg_size_max": no_limit, "bine_imp": 2}
    text = as_json({"alg": 6, "msg_size_max": 63}, above, comm_size_min=2, comm_size_max=no_limit)
    small, large = read("openmpi-json", text, tmp_path)
    assert (small.bytes, small.ranks, small.algorithm) == ((0, 63), (2, None), "6")
    assert (large.bytes, large.ranks, large.algorithm) == ((64, None), (2, None), "3")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            as_json({"alg": 6, "msg_size_max": 64}, {"alg": 2, "msg_size_min": 64}),
            r"rules:14: this rule \(bcast, 2 to 64 ranks, from 64 B\) overlaps that in line 10",
        ),
        (as_json({"msg_size_min": 8}), r"rules:\d+: a rule for bcast names no algorithm"),
        (as_json({"alg": 1, "msg_size_min": 9, "msg_size_max": 8}), "9 to 8 is not a range"),
        (as_json({"alg": 1}, comm_rank_distribution="two"), "'two' is not a distribution"),
        (as_json({"alg": 1}).replace('"bcast"', '"cast"'), r"rules:4: 'cast' is not a collective"),
        (
            as_json({"alg": 1}).replace('"bcast"', '"reducescatterblock"'),
            r"rules:4: 'reducescatterblock' is not a collective",
        ),
        (as_json({"alg": 1, "segsize": 8}), r"rules:11: 'segsize' is a name that Open MPI ignores"),
        (as_json({"alg": 1}, comm_size=4), r"rules:8: 'comm_size' is a name"),
        ('{"collectives":\n {"bcast": {"alg": 1}}}', "rules:2: bcast is not a list"),
        ('{"collectives": {"bcast": [],}}', "rules:1: not JSON"),
        (
            '{"collectives": {"bcast": [],\n "bcast": []}}',
            'rules:2: "bcast" is there already, in line 1',
        ),
        ("{}", "there are no collectives"),
    ],
)
def test_mistakes_in_json(text: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=complaint):
        read("openmpi-json", text, tmp_path)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("export I_MPI_ADJUST_CAST=1", "rules:1: I_MPI_ADJUST_CAST is not about"),
        ("\nexport I_MPI_ADJUST_BCAST='1:0-8@2-2;2:8-9@2-2'", r"rules:2: this rule .* overlaps"),
        ("export I_MPI_ADJUST_BCAST=binomial", "rules:1: 'binomial' is not an algorithm"),
        ("export OTHER=1", "there is no I_MPI_ADJUST"),
    ],
)
def test_mistakes_in_variables(text: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=complaint):
        read("intel", text, tmp_path)


LONG = "9" * 5000
"""More digits than Python reads."""


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("openmpi", f"{LONG}\n"),
        ("openmpi", f"rule-file-version-{LONG}\n1\n"),
        ("openmpi-json", as_json({"alg": 1}).replace("64", LONG)),
        ("intel", f"export I_MPI_ADJUST_BCAST=1:0-8@2-{LONG}"),
        ("intel-tree", f'{{"coll=Bcast": {{"comm_size={LONG}": {{"BCAST=1": {{}}}}}}}}'),
        (
            "mpich",
            f'{{"collective=bcast": {{"algorithm=MPIR_Bcast_intra_tree": {{"k={LONG}": 0}}}}}}',
        ),
    ],
)
def test_a_number_of_thousands_of_digits_is_a_mistake_like_any_other(
    form: str, text: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=r"rules:\d+: "):
        read(form, text, tmp_path)


def test_a_limit_above_every_size_is_none(tmp_path: Path) -> None:
    leaf = '{"algorithm=MPIR_Bcast_intra_smp": {}}'
    text = f'{{"collective=bcast": {{"avg_msg_size<={LONG}": {leaf}}}}}'
    [rule] = read("mpich", text, tmp_path)
    assert rule.bytes == (0, None)


def test_conditions_on_ranks_per_node_are_read(tmp_path: Path) -> None:
    """Rules for another number of ranks per node once counted as holding."""
    leaves = [{f"algorithm=MPIR_Bcast_intra_{name}": {}} for name in ("smp", "tree")]
    tree = dict(zip(("comm_avg_ppn<=3", "comm_avg_ppn<=4"), leaves, strict=True))
    held = read("mpich", json.dumps({"collective=bcast": tree}), tmp_path)
    assert [(rule.algorithm, rule.per_node) for rule in held] == [("smp", (0, 3)), ("tree", (4, 4))]
    assert [rule.algorithm for rule in held if rule.holds_on(2, 4)] == ["tree"]


def test_the_first_section_of_json_that_fits_decides(tmp_path: Path) -> None:
    """A section of sizes below 64 B leaves larger ones to the library, whatever follows."""
    first = {"comm_size_max": 8, "rules": [{"msg_size_max": 63, "alg": 6}]}
    second = {"rules": [{"msg_size_min": 64, "alg": 2}]}
    text = json.dumps({"collectives": {"bcast": [first, second]}})
    held = read("openmpi-json", text, tmp_path)
    rules = [rule_for(held, "bcast", ranks, 128) for ranks in (8, 9)]
    assert [rule.is_own if rule else None for rule in rules] == [True, False]


MPICH_TREE = """{"collective=bcast": {"comm_type=intra": {
 "comm_size<=4": {
  "avg_msg_size<=1024": {"algorithm=MPIR_Bcast_intra_binomial": {}},
  "avg_msg_size<=4096": {"algorithm=MPIR_Bcast_intra_tree": {"k=2": {}}},
  "avg_msg_size=any": {"algorithm=MPIR_Bcast_intra_smp": {}}},
 "comm_size=any": {"algorithm=MPIR_Bcast_intra_smp": {}}}}}
"""
INTEL_TREE = """{"coll=Bcast": {"ppn=-1": {
 "comm_size=4": {"comm_id=-1": {
  "msg_size=1024": {"BCAST=1": {}},
  "msg_size=4096": {"BCAST=2": {}},
  "msg_size=-1": {"BCAST=0": {}}}}}}}
"""


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("<=4096", "<=512", "rules:4: 'avg_msg_size<=512' is never reached: 'avg_msg_size<=1024' "),
        ("<=4096", "<1025", "rules:4: 'avg_msg_size<1025' is never reached"),
        ("<=4096", "=any", r"rules:5: \"avg_msg_size=any\" is there already, in line 4"),
        ("<=4", "=any", r'rules:6: "comm_size=any" is there already, in line 2'),
        ("<=1024", "=any", "rules:5: "),
        ('{"algorithm=MPIR_Bcast_intra_tree": {"k=2": {}}}', "8", "rules:4: .* no decisions below"),
        ('"k=2": {}', '"k=2": {}, "k=4": {}, "k=2": {}', 'rules:4: "k=2" is there already'),
    ],
)
def test_mistakes_in_trees_of_mpich(old: str, new: str, complaint: str, tmp_path: Path) -> None:
    assert [rule.line for rule in read("mpich", MPICH_TREE, tmp_path)] == [3, 4, 5, 6]
    with pytest.raises(UsageError, match=complaint):
        read("mpich", MPICH_TREE.replace(old, new, 1), tmp_path)


def test_a_branch_behind_any_is_never_reached(tmp_path: Path) -> None:
    text = MPICH_TREE.replace("<=4096", "=any").replace(
        '"avg_msg_size=any": {"algorithm=MPIR_Bcast_intra_smp"',
        '"avg_msg_size<=8": {"algorithm=MPIR_Bcast_intra_smp"',
    )
    with pytest.raises(UsageError, match=r"rules:5: .* is never reached: .* in line 4"):
        read("mpich", text, tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("msg_size=4096", "msg_size=512", "rules:4: 'msg_size=512' is never reached"),
        ("msg_size=4096", "msg_size=1024", r'rules:4: "msg_size=1024" is there already, in line 3'),
        ("BCAST=2", "BCAST=binomial", "rules:4: 'binomial' is not the number of an algorithm"),
        ("comm_size=4", "comm_size=four", "rules:2: 'four' is not a limit"),
        ("coll=Bcast", "coll=Cast", "rules:1: 'Cast' is not a known collective"),
    ],
)
def test_mistakes_in_trees_of_intel(old: str, new: str, complaint: str, tmp_path: Path) -> None:
    assert [rule.line for rule in read("intel-tree", INTEL_TREE, tmp_path)] == [3, 4, 5]
    with pytest.raises(UsageError, match=complaint):
        read("intel-tree", INTEL_TREE.replace(old, new, 1), tmp_path)


def test_an_algorithm_of_intel_without_a_range_holds_elsewhere(tmp_path: Path) -> None:
    held = read("intel", "export I_MPI_ADJUST_BCAST='2;7:0-1024@2-4'", tmp_path)
    assert rule_for(held, "bcast", 4, 8).algorithm == "7"  # type: ignore[union-attr]
    assert rule_for(held, "bcast", 4, 2048).algorithm == "2"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("content", "form"),
    [
        (CLASSIC.encode(), "openmpi"),
        (as_json({"alg": 1}).encode(), "openmpi-json"),
        (b'{"collective=bcast": {}}', "mpich"),
        (b"export I_MPI_ADJUST_BCAST=1", "intel"),
        (b'{"coll=Bcast": {}}', "intel-tree"),
        (b"\x01\x00\x02", "intel-tree"),
    ],
)
def test_formats_are_told_apart(content: bytes, form: str, tmp_path: Path) -> None:
    (tmp_path / "rules").write_bytes(content)
    assert format_in(tmp_path / "rules") == form


@pytest.mark.parametrize(
    ("form", "library", "version"),
    [
        ("openmpi-json", "Open MPI", "5.0.11"),
        ("mpich", "Open MPI", "5.0.11"),
        ("openmpi", "MPICH", "5.0.0"),
        ("intel", "MPICH", "5.0.0"),
    ],
)
def test_rules_for_another_library_are_refused(
    form: str, library: str, version: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=f"{library} {version} does not read"):
        check_is_for(form, tmp_path / "rules", MpiFacts(library=library, version=version))
    assert check_is_for("openmpi-json", tmp_path, MpiFacts(library="Open MPI", version="6.0.0"))


@pytest.mark.parametrize(("collective", "number"), [("bcast", 7), ("allgatherv", 1)])
def test_an_algorithm_that_the_library_lacks_is_refused(
    mpi: Mpi, engine: Engine, tmp_path: Path, collective: str, number: int
) -> None:
    """This holds for collectives that we do not measure, too."""
    form: RulesFormat = format_named("openmpi" if mpi.family == "openmpi" else "mpich")
    path = tmp_path / "rules"
    text = f'{{"collective={collective}": {{\n"algorithm=MPIR_X_intra_bogus": {{}}}}}}'
    classic = CLASSIC.replace("0 6 0 0", "0 77 0 0").replace("7 # bcast", str(number))
    path.write_text(classic if mpi.family == "openmpi" else text)
    with pytest.raises(UsageError, match=r"rules:\d: this library has no algorithm"):
        held_in(form, path, mpi, engine)


def test_what_no_file_of_rules_can_be_is_refused(mpi: Mpi, engine: Engine, tmp_path: Path) -> None:
    large = tmp_path / "large"
    with large.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    for path in (Path("/dev/zero"), large):
        with pytest.raises(UsageError, match="no file of rules"):
            held_in(format_named("openmpi"), path, mpi, engine)
    deep = tmp_path / "deep"
    deep.write_text('{"module": ' + "[" * 100_000)
    with pytest.raises(UsageError, match="deep"):
        held_in(format_named("openmpi-json"), deep, mpi, engine)

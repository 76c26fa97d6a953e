"""Files of rules for Open MPI, read back as its reader reads them, and by the library itself."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from libraries import OPEN_MPIS
from rule_samples import SIZES, openmpi_rule, ranges

from conftest import TEST_TIMEOUT_S
from hockney.base.errors import HockneyError
from hockney.run.mpis import Mpi, Rule, openmpi
from hockney.run.mpis._openmpi_parameters import number_of
from hockney.run.mpis._openmpi_reading import read_json
from hockney.run.mpis._openmpi_writing import NO_SUCH_ALGORITHM
from starting import mpi_command

Table = dict[int, dict[int, list[tuple[int, int, int, int]]]]
"""Rows of size, algorithm, fan-out and segment size, by number of the collective and of ranks."""
COLLECTIVES = tuple(openmpi.COLLECTIVE_NUMBERS)


NEAR_SIZES = sorted({max(size + off, 0) for size in SIZES for off in (-1, 0, 1)})


def read(text: str) -> Table:
    """Reads as ompi_coll_tuned_read_rules_config_file does: every word that is a number counts."""
    words = re.sub(r"#.*", "", text).split()
    assert not [word for word in words if word != "0" and word.startswith("0")], "octal"
    numbers = iter(map(int, words))
    table: Table = {}
    for _ in range(next(numbers)):
        sections = table.setdefault(next(numbers), {})
        for _ in range(next(numbers)):
            rows = sections.setdefault(next(numbers), [])
            rows += [
                (next(numbers), next(numbers), next(numbers), next(numbers))
                for _ in range(next(numbers))
            ]
            assert rows[0][0] == 0, "the first size must be 0"
            assert rows == sorted(rows)
        assert list(sections) == sorted(sections)
    assert not list(numbers)
    return table


def looked_up(table: Table, number: int, ranks: int, size: int) -> int:
    """The algorithm that the library takes; 0 is its own decision."""
    sections = table.get(number)
    if not sections:
        return 0
    below = [count for count in sections if count <= ranks] or [min(sections)]
    rows = [row for row in sections[max(below)] if row[0] <= size]
    return rows[-1][1]


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_the_rules_hold_where_they_should_and_nowhere_else(data: st.DataObject) -> None:
    rules = [
        openmpi_rule(*range_, number=data.draw(st.integers(1, 9)))
        for range_ in data.draw(ranges(COLLECTIVES))
    ]
    table = read(openmpi.render_classic(rules, None)[""])
    for collective, number in openmpi.COLLECTIVE_NUMBERS.items():
        for ranks in range(1, 15):
            for size in NEAR_SIZES:
                scale = ranks if collective in openmpi.SEEN_OF_ALL_RANKS else 1
                wanted = [number_of(rule) for rule in rules if holds(rule, collective, ranks, size)]
                assert looked_up(table, number, ranks, scale * size) == (wanted or [0])[0]


def holds(rule: Rule, collective: str, ranks: int, size: int) -> bool:
    within = rule.from_bytes <= size and (rule.to_bytes is None or size <= rule.to_bytes)
    return (rule.collective, rule.ranks) == (collective, ranks) and within


def test_a_file_is_as_the_manual_has_it() -> None:
    rules = [
        openmpi_rule("bcast", 4, 0, 65535, 6),
        openmpi_rule("bcast", 4, 65536, 1 << 20, 2, 8192),
    ]
    assert read(openmpi.render_classic(rules, None)[""]) == {
        7: {
            1: [(0, 0, 0, 0)],
            4: [(0, 6, 4, 0), (65536, 2, 4, 8192), ((1 << 20) + 1, 0, 0, 0)],
            5: [(0, 0, 0, 0)],
        }
    }


def test_json_says_the_same() -> None:
    rules = [openmpi_rule("allgather", 4, 8, 1024, 5), openmpi_rule("barrier", 6, 0, None, 4)]
    document = json.loads(openmpi.render_json(rules, None)[""])
    assert document["rule_file_version"] == 3
    [section] = document["collectives"]["allgather"]
    assert (section["comm_size_min"], section["comm_size_max"]) == (4, 4)
    [rule] = section["rules"]
    assert (rule["msg_size_min"], rule["msg_size_max"], rule["alg"]) == (32, 4099, 5)
    assert document["collectives"]["barrier"][0]["rules"][0]["msg_size_max"] == "inf"
    assert set(document) == {"rule_file_version", "module", "collectives"}
    assert set(section) == {"comm_size_min", "comm_size_max", "comm_rank_distribution", "rules"}
    assert set(rule) == {"msg_size_min", "msg_size_max", "alg", "faninout", "reqs"}


WHOLE = (int,)
SCHEMA_OF_COLLECTIVES = {
    *("allgather", "allreduce", "alltoall", "alltoallv", "alltoallw", "barrier", "bcast", "exscan"),
    *("gather", "gatherv", "reduce", "reducescatter", "reducescatterblock", "scan", "scatter"),
}
READ_ALONE = {"reduce_scatter_block"}
"""The library's reader takes this name, and not that of the schema."""
SCHEMA_OF_RANKS = {
    "comm_size_min": WHOLE,
    "comm_size_max": WHOLE,
    "comm_rank_distribution": (str,),
    "rules": (list,),
}
SCHEMA_OF_SIZES = {"msg_size_min": WHOLE, "msg_size_max": (int, str), "alg": (int, str)}
SCHEMA_OF_SIZES |= dict.fromkeys(("faninout", "reqs", "seg_size"), WHOLE)


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_json_is_valid_by_its_schema_and_read_by_the_librarys_rules(data: st.DataObject) -> None:
    """tuned_dynamic_file_schema.json by hand, as no library of ours checks schemas, and our reader,
    which takes the names that the library's reader does."""
    rules = [openmpi_rule(*range_, number=1) for range_ in data.draw(ranges(COLLECTIVES))]
    text = openmpi.render_json(rules, None)[""]
    document = json.loads(text)
    assert set(document) == {"rule_file_version", "module", "collectives"}
    assert (type(document["rule_file_version"]), document["module"]) == (int, "tuned")
    assert set(document["collectives"]) <= SCHEMA_OF_COLLECTIVES | READ_ALONE
    for section in [section for each in document["collectives"].values() for section in each]:
        _check(section, SCHEMA_OF_RANKS)
        assert section["comm_rank_distribution"] in ("any", "one-per-node", "single-node")
        for rule in section["rules"]:
            _check(rule, SCHEMA_OF_SIZES)
            assert not isinstance(rule.get("msg_size_max"), str) or rule["msg_size_max"] == "inf"
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "rules.json"
        path.write_text(text)
        held = read_json(path, frozenset(openmpi.SEEN_OF_ALL_RANKS))
    assert {rule.collective for rule in held} == {rule.collective for rule in rules}


def _check(fields: dict[str, object], schema: dict[str, tuple[type, ...]]) -> None:
    assert set(fields) <= set(schema)
    for name, value in fields.items():
        assert isinstance(value, schema[name]), name


def test_json_has_the_segments_that_were_measured() -> None:
    document = json.loads(openmpi.render_json([openmpi_rule("bcast", 4, 8, 1024, 3, 64)], None)[""])
    assert document["collectives"]["bcast"][0]["rules"][0]["seg_size"] == 64


def test_an_algorithm_without_a_number_is_refused() -> None:
    rule = Rule("bcast", 4, 0, 8, "binomial", ())
    with pytest.raises(HockneyError, match="do not record OMPI_MCA_coll_tuned_bcast_algorithm"):
        openmpi.render_classic([rule], None)


@pytest.mark.parametrize("open_mpi", OPEN_MPIS)
def test_the_library_takes_the_rule_for_these_ranks_and_sizes_alone(
    open_mpi: Mpi, tmp_path: Path
) -> None:
    """The rule names an algorithm that does not exist: a broadcast fails where it holds."""
    program = tmp_path / "probe"
    source = Path(__file__).parent / "probe.c"
    subprocess.run([str(open_mpi.mpicc), str(source), "-o", str(program)], check=True)
    path = tmp_path / "rules"
    rule = openmpi_rule("bcast", 3, 64, 4095, NO_SUCH_ALGORITHM)
    path.write_text(openmpi.render_classic([rule], None)[""])

    def fails(ranks: int, size: int) -> bool:
        command = mpi_command(open_mpi, ranks, [str(program), str(size)])
        whole = {
            **os.environ,
            **openmpi.environment(open_mpi),
            **openmpi.environment_of_rules(path),
        }
        done = subprocess.run(command, env=whole, capture_output=True, timeout=TEST_TIMEOUT_S)
        return done.returncode != 0

    assert fails(3, 64)
    assert fails(3, 4095)
    assert not fails(3, 63)
    assert not fails(3, 4096)
    assert not fails(2, 64)
    assert not fails(4, 64)

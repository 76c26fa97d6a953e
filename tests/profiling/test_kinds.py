"""Profiles as files: what was written is read, and what a stranger wrote does no harm."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from profile_samples import calls, pingpong, profile, rank, written

from conftest import RunHockney
from hockney.base.errors import UsageError
from hockney.profiling import kinds
from hockney.profiling.causes import LATE
from hockney.profiling.findings import findings_of
from hockney.profiling.kinds import Blame
from hockney.profiling.places import CACHE, NODE, OTHER_NODE, UNKNOWN, cpus_of, distance
from hockney.profiling.summary import ProfileSummary
from hockney.tuning.program import gain_of, used_collectives


def test_what_is_written_is_read(tmp_path: Path) -> None:
    made = profile(*pingpong(3, 8), calls(0, "MPI_Barrier", 2, histogram=((1e-6, 2),)))
    made.blames.append(Blame(job=0, rank=0, for_rank=1, seconds=0.5))
    reread = kinds.read(written(tmp_path / "p.jsonl", made))
    assert reread.lines() == made.lines()
    assert reread.cut is None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(where=st.integers(0, 2000), what=st.binary(max_size=30))
def test_damage_is_reported_and_nothing_worse(tmp_path: Path, where: int, what: bytes) -> None:
    content = kinds.encode(profile(*pingpong(3, 8)))
    where %= len(content)
    path = tmp_path / "damaged.jsonl"
    path.write_bytes(content[:where] + what + content[where + 5 :])
    try:
        summary = ProfileSummary(kinds.read(path))
    except UsageError:
        return
    findings_of(summary)


@pytest.mark.parametrize(
    ("line", "change"),
    [(1, {"ranks": -1}), (1, {"rank": 2**40}), (2, {"count": 0}), (2, {"time_s": 1e300})],
)
def test_numbers_that_cannot_be_are_left_out(
    tmp_path: Path, line: int, change: dict[str, object]
) -> None:
    lines = kinds.encode(profile(calls(0, "MPI_Send", 1, peer=1), ranks=1)).splitlines()
    lines[line] = json.dumps({**json.loads(lines[line]), **change}).encode()
    (tmp_path / "p.jsonl").write_bytes(b"\n".join(lines))
    assert kinds.read(tmp_path / "p.jsonl").cut == "1 damaged line is ignored"


def test_damage_before_the_end_of_a_cut_file_hides_neither(tmp_path: Path) -> None:
    lines = kinds.encode(profile(*pingpong(3, 8))).splitlines(keepends=True)
    compressor = zstandard.ZstdCompressor()
    content = compressor.compress(b"".join([lines[0], b"damaged\n", *lines[1:]]))
    (tmp_path / "p.jsonl.zst").write_bytes(content + compressor.compress(lines[-1])[:-1])
    cut = kinds.read(tmp_path / "p.jsonl.zst").cut or ""
    assert "1 damaged line is ignored" in cut
    assert "could not be read to its end" in cut


def test_a_newer_profile_and_other_files_are_refused(tmp_path: Path, hockney: RunHockney) -> None:
    lines = kinds.encode(profile()).splitlines()
    (tmp_path / "new.jsonl").write_bytes(lines[0].replace(b'"schema":1', b'"schema":99'))
    hockney.refused("show", "new.jsonl", because="install a newer hockney")
    (tmp_path / "other.jsonl").write_text("{}\n")
    for verb in (("replay", "other.jsonl"), ("predict", "--profile", "other.jsonl", "--on", "x")):
        done = hockney(*verb)
        assert (done.status, "not a profile" in done.stderr) == (2, True)
    assert hockney("replay", "nonesuch.jsonl").status == 2
    written(tmp_path / "p.jsonl", profile(*pingpong(1, 8)))
    done = hockney("fit", "p.jsonl")
    assert (done.status, "a profile of a program" in done.stderr) == (2, True)


def test_names_of_strangers_are_text(tmp_path: Path, hockney: RunHockney) -> None:
    evil = "\x1b]0;evil\x07<script>"
    made = profile(*pingpong(3, 8), calls(0, "MPI_Barrier", 2, region=evil))
    made.ranks[0] = rank(0, host=evil)
    written(tmp_path / "p.jsonl", made)
    done = hockney.ok("show", "p.jsonl")
    assert "\x1b" not in done.stdout


def test_findings() -> None:
    made = profile(
        *(calls(r, "MPI_Allreduce", 93, 8, wait_s=0.08, seen=93, time_s=0.1) for r in (0, 1)),
        *(calls(r, "MPI_Allreduce", 7, 4096, time_s=0.01) for r in (0, 1)),
    )
    made.ranks = [rank(0, cpus="0"), rank(1, cpus="0")]
    made.blames += [Blame(job=0, rank=0, for_rank=1, seconds=0.09)]
    facts = {finding.kind: finding.facts for finding in findings_of(ProfileSummary(made))}
    assert facts["cpus-shared"] == {"host": "a", "cpus": [0], "job": None, "ranks": [0, 1]}
    assert facts["one-size"] == {"call": "MPI_Allreduce", "bytes": 8, "fraction": 0.93}
    decides = facts["decides"]
    assert (decides["cause"], decides["rank"], decides["where"]) == (LATE, 1, "collectives")


def test_sizes_that_are_upper_limits_are_no_size_of_most_calls() -> None:
    made = profile(
        *(calls(r, "MPI_Allreduce", 90, 1024, is_coarse=True) for r in (0, 1)),
        *(calls(r, "MPI_Allreduce", 10, 8) for r in (0, 1)),
    )
    kinds_found = [finding.kind for finding in findings_of(ProfileSummary(made))]
    assert kinds_found == ["decides", "sizes-rounded"]


def test_a_rank_that_computes_longer_is_named_where_others_wait_for_it() -> None:
    times = ((0, 0.05, 0.0), (1, 0.5, 0.48))
    made = profile(
        *(calls(r, "MPI_Allreduce", 9, 8, time_s=t, wait_s=w, seen=9) for r, t, w in times)
    )
    made.ranks = [rank(number, wall_s=seconds) for number, seconds in enumerate((1.0, 1.0))]
    made.blames += [Blame(job=0, rank=1, for_rank=0, seconds=0.48)]
    facts = {finding.kind: finding.facts for finding in findings_of(ProfileSummary(made))}
    assert facts["decides"]["over_mean"] == pytest.approx(0.95 / 0.725)


def test_distances() -> None:
    first, other = rank(0, cpus="0"), rank(1, cpus="1")
    assert distance(first, other) == CACHE
    assert distance(first, rank(1, cpus="0-7")) == NODE
    assert distance(first, rank(1, host="b")) == OTHER_NODE
    assert distance(first, None) == UNKNOWN
    assert cpus_of("0-2,5") == {0, 1, 2, 5}
    assert cpus_of("5-2") == cpus_of("x") == frozenset()


def test_what_can_be_tuned_and_what_it_gains() -> None:
    made = profile(*(calls(r, "MPI_Bcast", 10, 1024) for r in (0, 1)), *pingpong(5, 8))
    assert [
        (collective.collective, collective.ranks, collective.bytes)
        for collective in used_collectives(made)
    ] == [("bcast", 2, 1024)]
    of_all = calls(0, "MPI_Alltoallv", 10, 8000, communicator_size=8)  # of 8 blocks
    on_device = calls(0, "MPI_Allreduce", 10, 8, memory="device")
    assert [use.bytes for use in used_collectives(profile(of_all, on_device))] == [1000]
    gain = gain_of(["sh", "-c", "sleep ${PAUSE:-0.2}"], {"PAUSE": "0.02"}, 5)
    assert (gain.verdict, len(gain.ratios)) == ("faster", 5)
    assert gain.ratio < 0.7
    slower = gain_of(["sh", "-c", "sleep ${PAUSE:-0.02}"], {"PAUSE": "0.2"}, 5)
    assert slower.verdict == "slower"

"""Programs that end in unusual ways, and those into which no recorder can be loaded: their output
and exit status are their own."""

from __future__ import annotations

import os
import random
import subprocess
import tempfile
import uuid
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from profiled_programs import Profiled, build, profiled_by

from conftest import RunHockney
from hockney.profiling.collect import collect
from hockney.profiling.findings import findings_of
from hockney.profiling.kinds import Program, encode, read
from hockney.profiling.layout import FILE, TRACE_NAME, VERSION
from hockney.profiling.summary import ProfileSummary
from hockney.run.measure.recording import environment
from hockney.run.measure.toolchain.build import build_recorder
from hockney.run.mpis import Mpi, family_of
from hockney.show.profiles.profile import profile_parts

HERE = Path(__file__).parent


@pytest.fixture
def profiled(mpi: Mpi, hockney: RunHockney, tmp_path: Path) -> Profiled:
    return profiled_by(mpi, hockney, tmp_path)


@pytest.fixture(scope="module")
def ends(mpi: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(mpi, tmp_path_factory.mktemp("ends"), HERE / "ends.c")


def counts(shown: dict[str, Any]) -> dict[str, int]:
    totals: dict[str, int] = {}
    for call in shown["calls"]:
        totals[call["call"]] = totals.get(call["call"], 0) + call["count"]
    return totals


PROGRAM = Program(schema=1, hockney="0", command=None, time_utc="", exit_status=0, wall_s=1.0)
ONCE = {"MPI_Bcast": 1, "MPI_Barrier": 1}


def test_a_program_that_aborts_leaves_its_calls_and_their_times(
    profiled: Profiled, ends: Path
) -> None:
    done, shown = profiled(ends, "abort", ranks=0)
    assert done.status == 134
    assert [rank["end"] for rank in shown["ranks"]] == ["lost"]
    assert counts(shown) == ONCE
    assert 0.0 < shown["ranks"][0]["mpi_s"] <= 1.05 * shown["ranks"][0]["wall_s"]


@pytest.mark.long
def test_a_program_that_becomes_another_leaves_its_calls(profiled: Profiled, ends: Path) -> None:
    done, shown = profiled(ends, "exec", ranks=0)
    assert (done.status, done.stdout) == (4, "became another\n")
    assert [rank["end"] for rank in shown["ranks"]] == ["lost"]
    assert counts(shown) == ONCE


@pytest.mark.long
def test_a_process_that_becomes_an_mpi_program_again_is_recorded_twice(
    profiled: Profiled, ends: Path
) -> None:
    done, shown = profiled(ends, "itself", ranks=0)
    assert done.status == 6
    assert [(rank["job"], rank["end"]) for rank in shown["ranks"]] == [
        (0, "finalized"),
        (1, "finalized"),
    ]
    assert counts(shown) == {call: 2 * count for call, count in ONCE.items()}


def test_children_are_no_ranks(profiled: Profiled, ends: Path) -> None:
    done, shown = profiled(ends, "fork", ranks=0)
    assert done.status == 6
    assert done.stdout == "child\nchild ended with 3\nshell\n"
    assert [rank["end"] for rank in shown["ranks"]] == ["finalized"]
    assert counts(shown) == ONCE


@pytest.mark.long
def test_a_program_that_goes_elsewhere_and_is_killed_leaves_its_calls(
    profiled: Profiled, ends: Path
) -> None:
    done, shown = profiled(ends, "elsewhere", ranks=0)
    assert done.status == 128 + 9
    assert [rank["end"] for rank in shown["ranks"]] == ["lost"]
    assert counts(shown) == ONCE
    assert "rank 0 ended without MPI_Finalize" in done.stderr


@pytest.mark.parametrize("how", ["truncate", "free-twice"])
def test_calls_that_fail_leave_and_report_the_same(
    how: str, mpi: Mpi, ends: Path, tmp_path: Path
) -> None:
    """MPICH leaves other requests where statuses are given, and reports at the end what is left. It
    calls a handler of errors also for handles that the program should not have."""
    if how == "free-twice" and mpi.family != "mpich":
        pytest.skip("only MPICH knows handles of what was freed")
    recorder, _ = build_recorder(mpi)
    ended = []
    for env in (dict(os.environ), environment(recorder, tmp_path)):
        words, env = [ends, how], env | family_of(mpi).environment(mpi)
        done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
        ended.append((done.returncode, done.stdout, done.stderr))
    assert ended[1] == ended[0]
    [rank] = collect(tmp_path, PROGRAM).ranks
    assert (rank.end, rank.unfinished) == ("finalized", 0)


def test_files_of_a_program_that_closed_all_others_are_its_own(
    mpi: Mpi, ends: Path, tmp_path: Path
) -> None:
    """The order of calls grows while the program runs: not into a file that took its place."""
    recorder, _ = build_recorder(mpi)
    (tmp_path / "records").mkdir()
    env = environment(recorder, tmp_path / "records", 100_000) | family_of(mpi).environment(mpi)
    env["UCX_LOG_LEVEL"] = "fatal"  # else its thread may complain of its own closed file on stdout
    words = [ends, "close"]
    done = subprocess.run(words, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[0] == "0"
    profile = collect(tmp_path / "records", PROGRAM)
    assert [(rank.end, rank.lost_calls) for rank in profile.ranks] == [("finalized", 0)]
    assert sum(len(acts.what) for acts in profile.acts) == 70_002
    assert profile.acts[-1].left_out == 0


@pytest.mark.parametrize("bytes_", [0, 1, 47, 100])
def test_an_order_that_was_cut_short_is_none(bytes_: int, tmp_path: Path) -> None:
    """The disk may have been full when it was made."""
    content = np.zeros(1, FILE)
    content["header"]["magic"], content["header"]["version"] = b"hockney", VERSION
    content["header"]["ranks"] = 1
    (tmp_path / "1").write_bytes(content.tobytes())
    (tmp_path / f"{TRACE_NAME}1").write_bytes((b"hocktrc" + bytes(100))[:bytes_])
    profile = collect(tmp_path, PROGRAM)
    assert (len(profile.ranks), profile.acts) == (1, [])


FULL_DISK = """
#include <errno.h>
#include <fcntl.h>
int posix_fallocate(int file, off_t from, off_t bytes) { return bytes % 4096 ? ENOSPC : 0; }
"""
"""For a rank's record, which is no whole number of pages; libraries reserve such."""


@pytest.mark.long
def test_without_room_a_program_runs_unrecorded_and_the_reason_is_named(
    hockney: RunHockney, mpi: Mpi, ends: Path, tmp_path: Path
) -> None:
    (tmp_path / "full.c").write_text(FULL_DISK)
    full = build(mpi, tmp_path, tmp_path / "full.c", "-shared", "-fPIC")
    words = ["--mpicc", str(mpi.mpicc), "-o", "p.jsonl", "--", str(ends), "nothing"]
    done = hockney("profile", *words, env={"LD_PRELOAD": str(full)})
    assert (done.status, done.stdout) == (6, "")
    assert "rank 0 is not recorded" in done.stderr
    assert "No space left on device" in done.stderr
    assert not (tmp_path / "p.jsonl").exists()


@pytest.mark.long
def test_a_spawned_process_is_a_job_of_its_own(profiled: Profiled, ends: Path) -> None:
    done, shown = profiled(ends, "spawn", ranks=1)
    assert done.status == 6, done.stderr
    assert [(rank["job"], rank["rank"], rank["end"]) for rank in shown["ranks"]] == [
        (0, 0, "finalized"),
        (1, 0, "finalized"),
    ]
    assert counts(shown) == {
        **{"MPI_Comm_spawn": 1, "MPI_Comm_disconnect": 2},
        **{"MPI_Bcast": 2, "MPI_Barrier": 2 + 2},
    }


@pytest.mark.long
def test_a_handle_that_was_freed_unseen_is_looked_up_again(profiled: Profiled, ends: Path) -> None:
    _, shown = profiled(ends, "reuse", ranks=2)
    sizes = {call["call"]: call["communicator_size"] for call in shown["calls"]}
    assert sizes["MPI_Allreduce"] == 2


@pytest.mark.long
def test_a_million_communicators_take_no_more_memory(profiled: Profiled, ends: Path) -> None:
    done, shown = profiled(ends, "many", ranks=0)
    assert done.status == 6
    assert int(done.stdout) < 256  # KiB
    assert counts(shown)["MPI_Comm_dup"] == counts(shown)["MPI_Comm_free"] == 2_000_000
    assert counts(shown)["MPI_Barrier"] == 2_000_001


OTHER_LIBRARY = """
int PMPI_Init(int *argc, char ***argv) { return 0; }
int MPI_Init(int *argc, char ***argv) { return 0; }
int PMPI_Init_thread(int *argc, char ***argv, int asked, int *given) { return 0; }
int ompi_mpi_comm_world;
"""
OTHER_PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
int MPI_Init(int *, char ***);
int main(int argc, char **argv)
{
    printf("%s, %s preloaded\\n", argv[1], *getenv("LD_PRELOAD") ? "still" : "nothing");
    return MPI_Init(&argc, &argv) + 7;
}
"""


@pytest.mark.long
def test_a_program_of_another_mpi_runs_without_the_recorder(
    profiled: Profiled, mpi: Mpi, tmp_path: Path
) -> None:
    """Its library is a stand-in by the symbol that tells Open MPI from the others."""
    text = OTHER_LIBRARY
    if mpi.family == "openmpi":
        text = text.replace("ompi_mpi_comm_world", "mpich_has_none")
    (tmp_path / "mpi.c").write_text(text)
    (tmp_path / "other.c").write_text(OTHER_PROGRAM)
    library, program = tmp_path / "libmpi.so", tmp_path / "other"
    subprocess.run(["cc", "-w", "-shared", "-fPIC", "-o", library, tmp_path / "mpi.c"], check=True)
    words = ["-Wl,-rpath," + str(tmp_path), library]
    subprocess.run(["cc", "-w", "-o", program, tmp_path / "other.c", *words], check=True)
    done, shown = profiled(program, "argument", ranks=0)
    assert (done.status, done.stdout, shown) == (7, "argument, nothing preloaded\n", {})
    assert done.stderr.count("the program uses") == 1
    assert "--mpicc" in done.stderr


def compiled(tmp_path: Path, text: str, *words: str) -> Path:
    source = tmp_path / "program.c"
    source.write_text(text)
    subprocess.run(["cc", "-w", *words, "-o", tmp_path / "program", source], check=True)
    return tmp_path / "program"


STATIC = 'int PMPI_Init(void) { return 3; } int main(void) { puts("own"); return PMPI_Init(); }'


@pytest.mark.long
@pytest.mark.parametrize("words", [("-static",), ()], ids=["all", "mpi"])
def test_a_program_with_a_static_library_is_named(
    hockney: RunHockney, tmp_path: Path, words: tuple[str, ...]
) -> None:
    compiled(tmp_path, STATIC, *words)
    done = hockney("profile", "-o", "p.jsonl", "--", "env", "./program", process=True)
    assert (done.status, done.stdout) == (3, "own\n")
    assert "./program is linked statically" in done.stderr
    assert not (tmp_path / "p.jsonl").exists()


@pytest.mark.long
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a program another user's")
def test_a_set_user_id_program_keeps_its_rights_and_is_named(hockney: RunHockney) -> None:
    nobody = 65534
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        place.chmod(0o755)
        text = 'int main(void) { printf("%d\\n", geteuid()); return 4; }'
        program = compiled(place, text)
        os.chown(program, nobody, nobody)
        program.chmod(0o4755)
        done = hockney("profile", "-o", "p.jsonl", "--", "env", str(program), process=True)
    assert (done.status, done.stdout) == (4, f"{nobody}\n")
    assert "set-user-id" in done.stderr


@pytest.mark.long
def test_what_a_program_wrote_over_its_record_is_left_out(
    mpi: Mpi, ends: Path, tmp_path: Path
) -> None:
    """The record is part of the program's memory, which it may damage."""
    recorder, _ = build_recorder(mpi)
    (tmp_path / "whole").mkdir()
    env = environment(recorder, tmp_path / "whole", 1000) | family_of(mpi).environment(mpi)
    subprocess.run([ends, "itself"], env=env, stdout=subprocess.DEVNULL, check=False)
    whole = {path.name: path.read_bytes() for path in (tmp_path / "whole").iterdir()}
    assert len(whole) == 4
    used = {name: [i for i in range(8, len(text)) if text[i]] for name, text in whole.items()}
    for seed in range(20):
        chance = random.Random(seed)
        place = tmp_path / str(seed)
        place.mkdir()
        for name, text in whole.items():
            damaged = bytearray(text)
            for at in chance.choices(used[name], k=20):
                damaged[at] = chance.randrange(256)
            kept = chance.choice([len(text), chance.randrange(len(text))])
            (place / name).write_bytes(damaged[:kept])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # of absurd numbers
            (tmp_path / "p.jsonl").write_bytes(encode(collect(place, PROGRAM)))
            summary = ProfileSummary(read(tmp_path / "p.jsonl"))
            assert findings_of(summary) is not None
            profile_parts(summary)


@pytest.mark.parametrize("status", [0, 25])
def test_shared_memory_of_a_program_that_ended_badly_is_removed(
    hockney: RunHockney, tmp_path: Path, status: int
) -> None:
    """What a program that ended well leaves gets three tries: launches of other tests that fail
    meanwhile remove it, too, as no process uses it."""
    stayed = []
    for _ in range(3 if status == 0 else 1):
        path = Path(f"/dev/shm/ucx_shm_posix_{uuid.uuid4().hex}")
        words = ("sh", "-c", f"touch {path}; exit {status}")
        try:
            done = hockney("profile", "-o", str(tmp_path / "p.jsonl"), "--force", "--", *words)
            assert done.status == (status or 1), done.stderr
            stayed.append(path.exists())
        finally:
            path.unlink(missing_ok=True)
        if any(stayed):
            break
    assert any(stayed) == (status == 0)

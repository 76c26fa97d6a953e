"""Claims are measured and judged: those that ship in simulation, and planted ones."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from conftest import RunHockney, kept_short
from hockney import records
from hockney.infer.estimate.quantiles import ENOUGH_LAUNCHES
from hockney.plan.claim_file import CLAIMS, read_claim
from samples import make_run, write_run

SIMULATED = {
    "allreduce-doubling-small": 0,
    "allreduce-ring-bandwidth": 0,
    "allreduce-ring-large": 0,
    "alltoall-bruck-small": 0,
    "bcast-binomial-rounds": 0,
    "bcast-scatter-allgather": 0,
    "durham-contention": 0,
    "durham-protocol-switch": 0,
    "hager-wellein-multi-mode": 0,
    "hockney-n-half": 0,
    "pairs-share-a-link": 0,
    "pintus-bcast-chain": 1,
    "pintus-bcast-linear": 0,
    "pintus-scatter-large": 0,
}
"""Claims on simulated machines, with their exit status: of 16 ranks a chain is not the fastest."""
SLOW = {"allreduce-ring-bandwidth", "durham-protocol-switch"}
"""What takes more than 4 s."""
REAL = {"durham-variability", "itmo-bandwidth-grows", "tacc-bandwidth-saturates"}
ELSEWHERE = {"pintus-between-nodes"}
VERDICTS = {0: "confirmed", 1: "refuted", 3: "cannot tell"}

CLAIM = """
claim = "A message of 1 KiB takes twice as long as one of 8 B."
source = "A test"
value = 2
tolerance = "10%"

[[measure]]
command = "hockney pingpong --sizes 8,1KiB"

[quantity]
what = "ratio"
of = {bytes = "1KiB"}
over = {bytes = 8}
"""


def measured_before(path: Path, ratio: float, launches: int = 20) -> Path:
    """A file of launches in which 1 KiB takes `ratio` times as long as 8 B."""
    run = make_run(
        lambda launch, _, size: [1000.0 * (ratio if size == 1024 else 1.0) * (1 + 0.001 * launch)],
        launches=launches,
        sizes=(8, 1024),
    )
    return write_run(run, path)


def test_every_claim_that_ships_has_its_test() -> None:
    assert set(CLAIMS) == {*SIMULATED, *REAL, *ELSEWHERE}


@pytest.mark.simgrid
@pytest.mark.parametrize("name", kept_short(sorted(SIMULATED), set(SIMULATED) - SLOW))
def test_claims_that_ship_have_their_verdict_in_simulation(
    hockney: RunHockney, tmp_path: Path, name: str
) -> None:
    done = hockney("reproduce", name, "-q", "--json", "--dir", "results")
    assert done.status == SIMULATED[name], done.stdout + done.stderr
    answer = done.json
    assert answer["verdict"] == VERDICTS[done.status]
    assert answer["is_exact"] is True
    assert records.read(tmp_path / "results" / "run.jsonl").is_simulated
    again = hockney("reproduce", name, "--from", "results/run.jsonl", "--json")
    assert (again.status, again.json["value"]) == (done.status, answer["value"])


@pytest.mark.parametrize(
    ("ratio", "launches", "status"), [(2.0, 20, 0), (3.0, 20, 1), (2.19, 20, 3), (2.0, 5, 3)]
)
def test_a_planted_file_is_judged_again(
    hockney: RunHockney, tmp_path: Path, ratio: float, launches: int, status: int
) -> None:
    (tmp_path / "claim.toml").write_text(CLAIM)
    measured_before(tmp_path / "run.jsonl", ratio, launches)
    done = hockney("reproduce", "claim.toml", "--from", "run.jsonl")
    assert done.status == status, done.stdout + done.stderr
    first, second, *others = done.stdout.splitlines()
    assert first.startswith(f"{VERDICTS[status]}: ")
    assert second.startswith("what would tell: ") == (status == 3)
    assert "claim: A message of 1 KiB takes twice as long as one of 8 B." in others
    assert "samples are in run.jsonl" in done.stdout
    shown = hockney("reproduce", "claim.toml", "--from", "run.jsonl", "--json").json
    assert shown["gate"]["status"] == {0: "passed", 1: "failed", 3: "not judged"}[status]
    assert (shown["remedy"] is None) == (status != 3)


@pytest.mark.long
def test_a_real_claim_is_measured_here(hockney: RunHockney, tmp_path: Path) -> None:
    """From 4 B to 400 kB the rate grows by a factor of hundreds. Launches that a busy machine has
    no time for, or that were in another of its states, leave it open, and refute nothing."""
    done = hockney("reproduce", "itmo-bandwidth-grows", "-q", "--", "--budget", "20s")
    assert done.status in {0, 3}, done.stdout + done.stderr
    (directory,) = tmp_path.glob("itmo-bandwidth-grows-*")
    show = hockney("show", str(directory / "run.jsonl"), "--json")
    counted = min(point["launches"] for point in show.json["points"])
    assert done.status == (0 if counted >= ENOUGH_LAUNCHES else 3), done.stdout + done.stderr


def test_launches_in_another_state_do_not_count_and_are_asked_for_again(
    hockney: RunHockney, tmp_path: Path
) -> None:
    (tmp_path / "claim.toml").write_text(CLAIM)
    run = make_run(
        lambda _launch, _round, size: [2000.0 if size == 1024 else 1000.0],
        launches=20,
        sizes=(8, 1024),
        handover_ns=lambda launch, round_: (100.0 if launch < 12 else 300.0) + round_,
    )
    write_run(run, tmp_path / "run.jsonl")
    done = hockney("reproduce", "claim.toml", "--from", "run.jsonl")
    assert done.status == 3, done.stdout + done.stderr
    assert "12 launches give no interval of 95 % (of 20; the others were in" in done.stdout
    assert "--launches 31" in done.stdout


@pytest.mark.simgrid
def test_a_file_of_another_measurement_tells_nothing(hockney: RunHockney, tmp_path: Path) -> None:
    words = "collective bcast --algorithm binomial -n 4 --platform cluster:8 --sizes"
    claim = CLAIM.replace("pingpong --sizes 8,1KiB", f"{words} 8,1KiB").replace(
        "value = 2", "value = 1"
    )
    (tmp_path / "claim.toml").write_text(claim)
    judge = ("reproduce", "claim.toml", "--from", "run.jsonl")
    for other, why in (
        ("8,1KiB,4KiB --verify", None),
        ("8", "it has sizes 8, not 8,1024"),
        ("8,1KiB -n 5", "it has no 4 ranks"),
        ("8,1KiB --platform torus:8", "it was measured on torus:8, not on cluster:8"),
        ("8,1KiB --algorithm basic_linear", "algorithm is basic_linear in it"),
    ):
        hockney.ok(*f"{words} {other} -q --force -o run.jsonl".split())
        done = hockney(*judge)
        assert (done.status == 3) == (why is not None), done.stdout + done.stderr
        assert (why or "claim: ") in done.stdout
        assert ("another measurement than the claim's" in done.stdout) == (why is not None)
    assert hockney("pingpong", "--force", "-q", "-o", "run.jsonl", "--budget", "0.1s").status == 0
    done = hockney(*judge)
    assert done.status == 3
    assert "it measured pingpong, not collective" in done.stdout


@pytest.mark.simgrid
def test_a_file_is_judged_where_nothing_could_be_measured(
    hockney: RunHockney, tmp_path: Path
) -> None:
    words = read_claim("bcast-binomial-rounds").measures[0].words
    assert hockney(*words, "-q", "-o", "run.jsonl").status == 0
    bare = tmp_path / "bin"
    bare.mkdir()
    for name in ("sh", "cat"):
        (bare / name).symlink_to(shutil.which(name) or "")
    judge = ("reproduce", "bcast-binomial-rounds", "--from", "run.jsonl")
    done = hockney(*judge, env={"PATH": str(bare)})
    assert done.status == 0, done.stdout + done.stderr
    assert "not checked that it measured this: " in done.stderr
    assert "not checked" not in hockney(*judge).stderr


def test_options_are_added_and_results_are_kept(hockney: RunHockney, tmp_path: Path) -> None:
    (tmp_path / "claim.toml").write_text(CLAIM)
    more = ("--launches", "2", "--budget", "0.5s")
    for number in (1, 2):
        done = hockney("reproduce", "claim.toml", "-q", "--dir", "kept", "--", *more)
        assert done.status == 3, done.stdout + done.stderr
        # A launch in another state of the machine does not count.
        assert re.search("(2 launches give|1 launch gives) no interval of 95 %", done.stdout)
        assert len(list((tmp_path / "kept").glob("run*.jsonl"))) == number


def test_what_is_lacking_is_named(hockney: RunHockney, tmp_path: Path) -> None:
    done = hockney("reproduce", "pintus-between-nodes")
    assert done.status == 3, done.stdout + done.stderr
    assert "it needs 2 nodes, and there is 1" in done.stdout
    assert "--hosts" in done.stdout.splitlines()[1]
    (tmp_path / "claim.toml").write_text(CLAIM + "[requires]\ncpus = 60000\n")
    done = hockney("reproduce", "claim.toml")
    assert done.status == 3
    assert "it needs 60000 CPUs of one node" in done.stdout
    assert not list(tmp_path.glob("claim-*"))


def test_what_could_not_be_measured_leaves_it_open(hockney: RunHockney, tmp_path: Path) -> None:
    """A failure refutes nothing, and no empty directory stays."""
    (tmp_path / "claim.toml").write_text(CLAIM)
    done = hockney("reproduce", "claim.toml", "-q", "--", "--launch", "false {ranks} {command}")
    assert done.status == 3, done.stdout + done.stderr
    assert "run was not measured: " in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["claim.toml"]


def test_another_mpi_is_named(hockney: RunHockney, tmp_path: Path) -> None:
    measured_before(tmp_path / "run.jsonl", 2.0)
    family = "fujitsu"
    (tmp_path / "claim.toml").write_text(CLAIM + f"[requires]\nmpi = '{family}'\n")
    done = hockney("reproduce", "claim.toml")
    assert done.status == 3, done.stdout + done.stderr
    assert "it is about fujitsu, and this MPI is " in done.stdout
    (tmp_path / "claim.toml").write_text(CLAIM + "[requires]\nmpi = 'quartz'\n")
    hockney.refused(
        *("reproduce", "claim.toml", "--from", "run.jsonl"),
        because="[requires]: mpi: 'quartz' is no family of MPI",
    )


def test_without_simgrid_nothing_is_simulated(hockney: RunHockney, tmp_path: Path) -> None:
    bare = tmp_path / "bin"
    bare.mkdir()
    for name in ("sh", "cat", "mpicc"):
        if program := shutil.which(name):
            (bare / name).symlink_to(program)
    done = hockney("reproduce", "bcast-binomial-rounds", env={"PATH": str(bare)})
    assert done.status == 3, done.stdout + done.stderr
    assert "smpicc and smpirun are not on PATH" in done.stdout
    assert done.stdout.splitlines()[1] == "what would tell: install SimGrid with SMPI"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("hockney show run.jsonl", "show is not a verb that measures"),
        ("hockney pingpong --sizes lots", "'lots' is not a size"),
        ("hockney pingpong -o mine.jsonl", "-o is for hockney reproduce to decide"),
        ("hockney pingpong --json", "--json is for hockney reproduce to decide"),
        ("hockney pingpong --gate", "--gate is for hockney reproduce to decide"),
        ("hockney pingpong --no-such", "No such option"),
        ("hockney collective nosuch -n 2", "nosuch"),
    ],
)
def test_a_command_that_cannot_be_measured_is_named(
    hockney: RunHockney, tmp_path: Path, command: str, words: str
) -> None:
    text = CLAIM.replace("hockney pingpong --sizes 8,1KiB", command)
    (tmp_path / "claim.toml").write_text(text)
    done = hockney.refused("reproduce", "claim.toml", because="claim.toml, measure run: command: ")
    assert words in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["claim.toml"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "which claim?"),
        (("no-such-claim",), "bcast-binomial-rounds"),
        (("--list", "hockney-n-half"), "--list has no claim"),
        (("hockney-n-half", "--from", "a", "--dir", "b"), "--from measures nothing"),
        (("hockney-n-half", "--from", "a", "--from", "b"), "2 files for 1 measurement (run)"),
    ],
)
def test_wrong_questions(hockney: RunHockney, arguments: tuple[str, ...], words: str) -> None:
    hockney.refused("reproduce", *arguments, because=words)


def test_claims_that_ship_are_listed(hockney: RunHockney) -> None:
    shown = hockney("reproduce", "--list").stdout
    for name in CLAIMS:
        assert name in shown
        assert read_claim(name).claim in shown
    listed = hockney("reproduce", "--list", "--json").json["claims"]
    assert [claim["claim"] for claim in listed] == list(CLAIMS)

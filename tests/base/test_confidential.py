"""Credentials that are planted everywhere, of which nothing may be stored."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest

from conftest import SHORT, RunHockney
from hockney.base.confidential import FAMILIES, JOB, may_be_stored, programs_of, redacted
from hockney.run.measure.machine.environment import describe_environment

NAMES = (
    *("token", "SECRET", "Pwd", "password", "AUTHkey", "api_key", "Credential", "cookie", "jwt"),
    *("login", "user", "license", "site", "account", "passphrase", "SIZE", "algorithm", "tls"),
    *("session_id", "pin_code", "x"),
)
SHAPES = (
    "hunter{}",
    "https://me:hunter{}@host/path",
    "eyJhbGciOiJIUzI1NiJ9.hunter{}",
    "ghp_hunter{}abcdefgh",
    "self,hunter{}",
    "4096 hunter{}",
)
KNOWN = {
    "UCX_TLS": "rc_x,sm,self",
    "UCX_NET_DEVICES": "mlx5_0:1",
    "UCX_RNDV_THRESH": "intra:64k,inter:8k",
    "OMPI_MCA_btl": "^openib,self,vader",
    "OMPI_MCA_btl_tcp_if_include": "eth0",
    "OMPI_MCA_coll_tuned_bcast_algorithm": "6",
    "OMPI_MCA_hwloc_base_binding_policy": "core",
    "FI_PROVIDER": "verbs;ofi_rxm",
    "I_MPI_FABRICS": "shm:ofi",
    "I_MPI_ADJUST_BCAST": "3",
    "I_MPI_PERHOST": "4",
    "MPIR_CVAR_BCAST_INTRA_ALGORITHM": "scatter_recursive_doubling_allgather",
    "MPIR_CVAR_NEMESIS_SHM_EAGER_MAX_SZ": "65536",
    "OMP_PLACES": "{0:4},{4:4}",
    "SLURM_JOB_NODELIST": "node[01-16]",
    "MPICC": "/opt/mpi/bin/mpicc",
}


def planted() -> dict[str, str]:
    """About two hundred variables, each with `hunter` in its value."""
    draw = random.Random(1)
    names = [f"{family}{name}" for family, name in itertools.product(FAMILIES, NAMES)]
    chosen = [draw.choice((name, name.lower(), name.upper())) for name in draw.sample(names, 200)]
    return {name: draw.choice(SHAPES).format(place) for place, name in enumerate(chosen)}


def test_of_two_hundred_credentials_none_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    credentials = planted()
    assert len(credentials) > 190
    for name, value in credentials.items():
        monkeypatch.setenv(name, value)
    assert "hunter" not in str(describe_environment())


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_numbers_and_known_words_of_known_variables_are_stored(name: str) -> None:
    assert may_be_stored(name, KNOWN[name])
    assert not may_be_stored(name, "http://me:secret@host")
    if name not in JOB:
        assert not may_be_stored(name, f"{KNOWN[name]},hunter2")


def test_files_hold_no_credential(hockney: RunHockney, tmp_path: Path) -> None:
    env = {**planted(), "http_proxy": "http://me:hunter2@proxy"}
    env.pop("UCX_TLS", None)  # UCX itself refuses to start with it
    words = ("--label", "of http://me:hunter2@host", "-o", "run.jsonl")
    hockney.ok("pingpong", *SHORT, *words, env=env)
    text = (tmp_path / "run.jsonl").read_text()
    assert "of http://***@host" in text
    assert "hunter" not in text


@pytest.mark.parametrize("text", ["env:MY_TOKEN=a,b", "env:my_passwd=a,b", "env:A=a;http://u:p@h"])
def test_a_credential_is_not_varied(hockney: RunHockney, tmp_path: Path, text: str) -> None:
    done = hockney("pingpong", "--vary", text, *SHORT, "-o", "run.jsonl")
    assert (done.status, "looks like a credential" in done.stderr) == (2, True), done.stderr
    assert not (tmp_path / "run.jsonl").exists()


def test_of_a_command_its_programs_are_stored() -> None:
    words = ["mpiexec", "-n", "2", "-genv", "X", "hunter2", "/bin/ls", "--password=hunter2"]
    assert programs_of(words) == ["mpiexec", "-n", "2", "/bin/ls"]
    assert programs_of(["srun", "--ntasks=4", "--account=x1", "-N", "2", "/bin/ls", "-n", "3"]) == [
        *("srun", "--ntasks=4", "-N", "2", "/bin/ls"),
    ]
    assert programs_of(["./app", "/bin/ls", "hunter2"]) == ["./app"]


def test_a_whole_command_has_no_credential() -> None:
    words = ["app", "--password=hunter2", "--api-key", "hunter2", "-x", "https://u:hunter2@h/p"]
    words += ["TOKEN=hunter2", "--size", "8", "Bearer hunter2hunter2"]
    command = redacted(words)
    assert "hunter" not in " ".join(command)
    assert {"app", "--size", "8", "-x"} <= set(command)

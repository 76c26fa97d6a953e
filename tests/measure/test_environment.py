"""The part of the environment that goes into a result file."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import SHORT, RunHockney
from hockney.run.measure.machine.environment import describe_environment

WORD = "eyJhbGciOiJIUzI1NiJ9"


@pytest.mark.parametrize(
    "name",
    [
        *(
            "SLURM_JWT",
            "SLURM_SPANK_KEY",
            "PBS_COOKIE",
            "FLUX_URI",
            "LSB_PASSWORD",
            "PMIX_SERVER_URI",
        ),
        *("HYDRA_TOKEN", "UCX_SECRET", "MPI_THING", "AWS_SECRET_ACCESS_KEY"),
    ],
)
def test_only_known_variables_are_kept(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, WORD)
    assert WORD not in str(describe_environment())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SLURM_JOB_ID", "4711"),
        ("LSB_MCPU_HOSTS", "hA 4 hB 4"),
        ("OMPI_MCA_btl", "self,tcp"),
        ("MPIR_CVAR_DEVICE_COLLECTIVES", "none"),
        ("UCX_TLS", "rc,sm"),
    ],
)
def test_what_repeats_a_run_is_kept(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    assert describe_environment()["env"][name] == value


def test_a_jobs_secret_does_not_go_into_the_result_file(
    hockney: RunHockney, tmp_path: Path
) -> None:
    hockney.ok("pingpong", *SHORT, "-o", "run.jsonl", env={"SLURM_JWT": WORD})
    assert WORD not in (tmp_path / "run.jsonl").read_text()

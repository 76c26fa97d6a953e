"""The verb on this machine: its lines, its JSON, its exit status."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from conftest import RunHockney
from hockney.run.mpis import Mpi


def test_json_has_every_finding_and_the_status_follows_the_verdict(hockney: RunHockney) -> None:
    done = hockney("doctor", "--json")
    result = done.json
    assert set(result) == {"findings", "verdict"}
    findings = {finding["name"]: finding for finding in result["findings"]}
    for finding in findings.values():
        assert set(finding) == {"name", "verdict", "fact", "advice"}
        assert finding["verdict"] in ("ok", "warn", "bad", "unknown")
    assert "(shared memory)" in findings["message among others"]["fact"]
    for name in ("MPI", "compiler", "engine", "launch of two ranks", "clock cost"):
        assert findings[name]["verdict"] in ("ok", "warn"), findings[name]
    assert (result["verdict"] == "bad") == ("bad" in {f["verdict"] for f in findings.values()})
    assert done.status == (1 if result["verdict"] == "bad" else 0)
    built = [line for line in done.stderr.splitlines() if line.startswith("building the engine")]
    assert done.stderr.splitlines() == built


def test_a_machine_without_mpi_is_told_the_rest_all_the_same(hockney: RunHockney) -> None:
    done = hockney("doctor", "--mpicc", "nonesuch")
    assert done.status == 1
    verdict, _, first, second, *others = done.stdout.splitlines()
    assert verdict.startswith("not ready to be measured: MPI")
    assert first.split(maxsplit=2)[:2] == ["bad", "MPI"]
    assert "--mpicc nonesuch: no such command" in first
    # Advice stands under the fact.
    assert second.strip() == "give the path of an MPI compiler wrapper"
    assert len(second) - len(second.lstrip()) == first.index("--mpicc")
    assert any("clock source" in line for line in others)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--hosts", "a,b"), "--hosts is for --transports"),
        (("--hosts", "a,b", "--memory", "device"), "--hosts is for --transports"),
        (("--transports", "--memory", "device"), "not both"),
    ],
)
def test_what_one_use_does_not_take_is_refused(
    hockney: RunHockney, words: tuple[str, ...], complaint: str
) -> None:
    done = hockney("doctor", *words)
    assert (done.status, complaint in done.stderr) == (2, True)


@pytest.mark.long
def test_an_unsafe_cache_is_a_warning_with_a_way_out(
    hockney: RunHockney, built_mpi: Mpi, tmp_path: Path
) -> None:
    cache = tmp_path / "hockney"
    cache.mkdir()
    cache.chmod(0o777)
    env = {"XDG_CACHE_HOME": str(tmp_path)}
    done = hockney("doctor", "--json", "--mpicc", str(built_mpi.mpicc), env=env)
    engine = next(f for f in done.json["findings"] if f["name"] == "engine")
    assert engine["verdict"] == "warn"
    assert f"{cache} is writable by other users" in engine["fact"]
    assert "XDG_CACHE_HOME" in engine["advice"]


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs to give one up")
def test_one_cpu_is_not_enough(hockney: RunHockney) -> None:
    """Really under the affinity of one CPU, as under taskset."""
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        done = hockney("doctor", "--json")
    finally:
        os.sched_setaffinity(0, before)
    findings = {f["name"]: f for f in done.json["findings"]}
    assert done.status == 1
    assert findings["allowed CPUs"]["verdict"] == "bad"
    assert findings["places of ranks"]["verdict"] == "bad"
    assert "both share one CPU" in findings["places of ranks"]["fact"]

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import RunHockney
from hockney.measure import doctor

CPU = "sys/devices/system/cpu"


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "LOOK_S", 0.0)


def verdicts(root: Path, files: dict[str, str]) -> dict[str, doctor.Finding]:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    return {finding.name: finding for finding in (look(root) for look in doctor.LOOKS)}


@pytest.mark.parametrize(
    ("name", "file", "text", "verdict"),
    [
        ("governor", f"{CPU}/cpu0/cpufreq/scaling_governor", "performance", "ok"),
        ("governor", f"{CPU}/cpu0/cpufreq/scaling_governor", "powersave", "warn"),
        ("turbo", f"{CPU}/intel_pstate/no_turbo", "1", "ok"),
        ("turbo", f"{CPU}/intel_pstate/no_turbo", "0", "warn"),
        ("turbo", f"{CPU}/cpufreq/boost", "0", "ok"),
        ("turbo", f"{CPU}/cpufreq/boost", "1", "warn"),
        ("hardware threads", f"{CPU}/smt/active", "1", "ok"),
        ("CPU quota", "sys/fs/cgroup/cpu.max", "max 100000", "ok"),
        ("CPU quota", "sys/fs/cgroup/cpu.max", "150000 100000", "bad"),
        ("CPU quota", "sys/fs/cgroup/cpu.max", "400000 100000", "warn"),
        ("hypervisor", "proc/cpuinfo", "flags\t\t: fpu hypervisor sse", "warn"),
        ("hypervisor", "proc/cpuinfo", "flags\t\t: fpu sse", "ok"),
        (
            "clock source",
            "sys/devices/system/clocksource/clocksource0/current_clocksource",
            "tsc",
            "ok",
        ),
        (
            "clock source",
            "sys/devices/system/clocksource/clocksource0/current_clocksource",
            "hpet",
            "warn",
        ),
        (
            "huge pages",
            "sys/kernel/mm/transparent_hugepage/enabled",
            "always [madvise] never",
            "ok",
        ),
        (
            "huge pages",
            "sys/kernel/mm/transparent_hugepage/enabled",
            "[always] madvise never",
            "warn",
        ),
        ("NUMA balancing", "proc/sys/kernel/numa_balancing", "1", "warn"),
        ("NUMA balancing", "proc/sys/kernel/numa_balancing", "0", "ok"),
        ("load", "proc/stat", "cpu  10 0 10 900 0 0 0 0 0 0", "ok"),
    ],
)
def test_what_the_kernel_tells_is_judged(
    tmp_path: Path, name: str, file: str, text: str, verdict: str
) -> None:
    finding = verdicts(tmp_path, {file: text})[name]
    assert finding.verdict == verdict
    assert (finding.advice is not None) or verdict == "ok"


def test_the_older_quota_files_are_read(tmp_path: Path) -> None:
    found = verdicts(tmp_path, {"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "50000",
                                "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000"})  # fmt: skip
    assert found["CPU quota"].verdict == "bad"
    assert found["CPU quota"].fact == "0.5 CPUs"


def test_what_the_kernel_does_not_tell_is_unknown_not_fine(tmp_path: Path) -> None:
    found = verdicts(tmp_path, {})
    for name in (
        "governor",
        "turbo",
        "CPU quota",
        "load",
        "hypervisor",
        "clock source",
        "huge pages",
    ):
        assert found[name].verdict == "unknown"


@pytest.mark.parametrize(
    ("after", "words"),
    [("60 0 0 940", "50 % of the CPUs busy"), ("10 0 0 960", "hypervisor takes")],
)
def test_busy_and_stolen_cpus_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: str, words: str
) -> None:
    stolen = 30 if "960" in after else 0
    looks = iter(["cpu 10 0 0 890 0 0 0 0", f"cpu {after} 0 0 0 {stolen}"])
    monkeypatch.setattr(
        doctor, "_text", lambda _, path: next(looks) if path == "proc/stat" else None
    )
    finding = doctor._load(tmp_path)
    assert finding.verdict == "warn"
    assert words in finding.fact


def test_this_machine_is_looked_at_with_real_ranks(hockney: RunHockney) -> None:
    done = hockney("doctor", "--json")
    result = json.loads(done.stdout)
    found = {finding["name"]: finding for finding in result["findings"]}
    for name in ("MPI", "engine", "launch of two ranks", "pinning", "clock cost"):
        assert found[name]["verdict"] in ("ok", "warn"), found[name]
    assert "rank 0 on CPU" in found["pinning"]["fact"]
    assert done.status == (1 if result["verdict"] == "bad" else 0)
    assert "ready to be measured" in hockney("doctor").stdout


def test_without_an_mpi_it_says_what_to_do(hockney: RunHockney) -> None:
    done = hockney("doctor", "--mpicc", "nonesuch")
    assert done.status == 1
    assert "nonesuch: no such command" in done.stdout


def test_an_mpi_that_cannot_compile_is_told(hockney: RunHockney, tmp_path: Path) -> None:
    for name, text in (("mpicc", "echo broken >&2; exit 1"), ("mpiexec", "echo HYDRA")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    done = hockney("doctor", "--mpicc", str(tmp_path / "mpicc"))
    assert done.status == 1
    assert "could not build the engine" in done.stdout

"""Every verdict of every check of the machine, from a fake /proc and /sys."""

from __future__ import annotations

import os
import tempfile
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path

import pytest

from hockney.run.measure import doctor
from hockney.run.measure.doctor import DoctorFinding, cpus, load, system

CPU = "sys/devices/system/cpu"
CLOCK = "sys/devices/system/clocksource/clocksource0"
THP = "sys/kernel/mm/transparent_hugepage/enabled"
STATUS = "proc/self/status"
EIGHT = {f"{CPU}/online": "0-7"}
FOUR = {STATUS: "Name:\thockney\nCpus_allowed_list:\t0-3"}
ONE = {STATUS: "Cpus_allowed_list:\t5"}
PAIR = {STATUS: "Cpus_allowed_list:\t0,4"}
THREADS = {f"{CPU}/smt/active": "1"}


def siblings(*lists: str) -> dict[str, str]:
    """Files with the hardware threads of the cores of CPUs 0 and 4."""
    names = (f"{CPU}/cpu{cpu}/topology/thread_siblings_list" for cpu in (0, 4))
    return dict(zip(names, lists, strict=True))


@pytest.fixture(autouse=True)
def _no_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    monkeypatch.setattr(load, "LOOK_S", 0.0)


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")


MEMINFO = f"MemTotal: 9 kB\nMemAvailable: {4 << 20} kB"
DoctorCheck = Callable[[Path], DoctorFinding]
CASES: list[tuple[DoctorCheck, dict[str, str], str, str]] = [
    (cpus.allowed_cpus, {}, "unknown", "/proc/self/status"),
    (cpus.allowed_cpus, FOUR | {f"{CPU}/online": "0-3"}, "ok", "all 4"),
    (cpus.allowed_cpus, FOUR | EIGHT, "ok", "4 of 8 (0-3), restricted by its affinity"),
    (
        cpus.allowed_cpus,
        FOUR
        | EIGHT
        | {
            "proc/self/cgroup": "0::/job",
            "sys/fs/cgroup/cpuset.cpus.effective": "0-7",
            "sys/fs/cgroup/job/cpuset.cpus.effective": "0-3",
        },
        "ok",
        "4 of 8 (0-3), restricted by a cgroup's cpuset",
    ),
    (
        cpus.allowed_cpus,
        FOUR
        | EIGHT
        | {"proc/self/cgroup": "3:cpuset:/docker/1", "sys/fs/cgroup/cpuset/cpuset.cpus": "0-3"},
        "ok",
        "by a cgroup's cpuset",
    ),
    (cpus.allowed_cpus, ONE | EIGHT, "bad", "1 of 8 (5)"),
    (cpus.allowed_cpus, ONE | {f"{CPU}/online": "5"}, "bad", "all 1"),
    (cpus.hardware_threads, {}, "unknown", "smt/active"),
    (cpus.hardware_threads, {f"{CPU}/smt/active": "0"}, "ok", "one per core"),
    (cpus.hardware_threads, THREADS, "ok", "several per core"),
    (cpus.hardware_threads, THREADS | PAIR | siblings("0,2", "4,6"), "ok", "2 on 2 cores"),
    (cpus.hardware_threads, THREADS | PAIR | siblings("0,4", "0,4"), "bad", "0,4 are threads"),
    (cpus.cpu_quota, {}, "unknown", "/proc/self/cgroup"),
    (cpus.cpu_quota, {"proc/self/cgroup": "0::/"}, "unknown", "/proc/self/cgroup"),
    (
        cpus.cpu_quota,
        {"proc/self/cgroup": "0::/", "sys/fs/cgroup/cpu.max": "max 100000"},
        "ok",
        "none",
    ),
    (
        cpus.cpu_quota,
        FOUR | {"proc/self/cgroup": "0::/", "sys/fs/cgroup/cpu.max": "400000 100000"},
        "ok",
        "4 CPUs' time for 4",
    ),
    (
        cpus.cpu_quota,
        FOUR
        | {
            "proc/self/cgroup": "0::/a/b",
            "sys/fs/cgroup/a/b/cpu.max": "max 100000",
            "sys/fs/cgroup/a/cpu.max": "350000 100000",
            "sys/fs/cgroup/cpu.max": "900000 100000",
        },
        "bad",
        "3.5 CPUs' time for 4",
    ),
    (
        cpus.cpu_quota,
        FOUR
        | {
            "proc/self/cgroup": "2:cpu,cpuacct:/job\n0::/",
            "sys/fs/cgroup/cpu/job/cpu.cfs_quota_us": "50000",
            "sys/fs/cgroup/cpu/job/cpu.cfs_period_us": "100000",
            "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1",
            "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
        },
        "bad",
        "0.5 CPUs' time for 4",
    ),
    (cpus.governor, {}, "unknown", "not visible"),
    (cpus.governor, {f"{CPU}/cpu0/cpufreq/scaling_governor": "performance"}, "ok", "performance"),
    (
        cpus.governor,
        {
            f"{CPU}/cpu0/cpufreq/scaling_governor": "performance",
            f"{CPU}/cpu11/cpufreq/scaling_governor": "powersave",
        },
        "warn",
        "performance, powersave",
    ),
    (cpus.turbo, {}, "unknown", "not visible"),
    (cpus.turbo, {f"{CPU}/intel_pstate/no_turbo": "1"}, "ok", "off"),
    (cpus.turbo, {f"{CPU}/cpufreq/boost": "0"}, "ok", "off"),
    (cpus.turbo, {f"{CPU}/intel_pstate/no_turbo": "0"}, "warn", "on"),
    (cpus.turbo, {f"{CPU}/cpufreq/boost": "1"}, "warn", "on"),
    (load.busy_cpus, {}, "unknown", "/proc/stat"),
    (load.stolen_time, {}, "unknown", "/proc/stat"),
    (load.load_average, {}, "unknown", "/proc/loadavg"),
    (load.load_average, EIGHT | {"proc/loadavg": "3.90 1 1 1/9 9"}, "ok", "3.90"),
    (load.load_average, EIGHT | {"proc/loadavg": "4.10 1 1 1/9 9"}, "warn", "4.10"),
    (system.hypervisor, {}, "unknown", "no flag"),
    (system.hypervisor, {"proc/cpuinfo": "processor\t: 0\nflags\t\t: fpu sse"}, "ok", "none"),
    (system.hypervisor, {"proc/cpuinfo": "flags\t\t: fpu hypervisor"}, "warn", "virtual machine"),
    (system.clock_source, {}, "unknown", "clocksource"),
    (system.clock_source, {f"{CLOCK}/current_clocksource": "tsc"}, "ok", "tsc"),
    (system.clock_source, {f"{CLOCK}/current_clocksource": "kvm-clock"}, "ok", "kvm-clock"),
    (system.clock_source, {f"{CLOCK}/current_clocksource": "xen"}, "warn", "xen"),
    (system.clock_source, {f"{CLOCK}/current_clocksource": "hpet"}, "bad", "hpet"),
    (system.clock_source, {f"{CLOCK}/current_clocksource": "acpi_pm"}, "bad", "acpi_pm"),
    (system.huge_pages, {}, "unknown", "transparent_hugepage"),
    (system.huge_pages, {THP: "always [madvise] never"}, "ok", "madvise"),
    (system.huge_pages, {THP: "[always] madvise never"}, "warn", "always"),
    (system.numa_balancing, {}, "unknown", "numa_balancing"),
    (system.numa_balancing, {"proc/sys/kernel/pid_max": "4"}, "ok", "not in this kernel"),
    (system.numa_balancing, {"proc/sys/kernel/numa_balancing": "0"}, "ok", "off"),
    (system.numa_balancing, {"proc/sys/kernel/numa_balancing": "1"}, "warn", "on"),
    (system.memory, {}, "unknown", "/proc/meminfo"),
    (system.memory, {"proc/meminfo": MEMINFO}, "ok", "4.0 GiB free"),
    (
        system.memory,
        {
            "proc/meminfo": MEMINFO,
            "proc/self/cgroup": "0::/job/step",
            "sys/fs/cgroup/job/step/memory.max": "max",
            "sys/fs/cgroup/job/step/memory.current": "100",
            "sys/fs/cgroup/job/memory.max": f"{100 << 20}",
            "sys/fs/cgroup/job/memory.current": f"{5 << 20}",
        },
        "warn",
        "only 95 MiB free",
    ),
    (
        system.memory,
        {
            "proc/meminfo": MEMINFO,
            "proc/self/cgroup": "4:memory:/job",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712",
            "sys/fs/cgroup/memory/memory.usage_in_bytes": "9",
            "sys/fs/cgroup/memory/job/memory.limit_in_bytes": f"{1 << 20}",
            "sys/fs/cgroup/memory/job/memory.usage_in_bytes": f"{2 << 20}",
        },
        "warn",
        "only 0 MiB free",
    ),
    (system.shared_memory, {}, "bad", "/dev/shm is missing"),
    (system.locked_memory, {}, "ok", "no network device here needs it"),
    (system.locked_memory, {"sys/class/infiniband/mlx5_0/node_type": "1: CA"}, "warn", "mlx5_0"),
]


@pytest.mark.parametrize(("check", "files", "verdict", "fact"), CASES)
def test_what_the_kernel_tells_is_judged(
    tmp_path: Path, check: DoctorCheck, files: dict[str, str], verdict: str, fact: str
) -> None:
    write(tmp_path, files)
    finding = check(tmp_path)
    assert (finding.verdict, fact in finding.fact) == (verdict, True), finding
    assert (finding.advice is None) == (verdict in ("ok", "unknown")), finding


@pytest.mark.parametrize(
    ("check", "files", "advice"),
    [
        (
            cpus.cpu_quota,
            {"proc/self/cgroup": "0::/job", "sys/fs/cgroup/job/cpu.max": "100000 100000"},
            "in /sys/fs/cgroup/job,",
        ),
        (
            system.clock_source,
            {
                f"{CLOCK}/current_clocksource": "hpet",
                f"{CLOCK}/available_clocksource": "hpet tsc acpi_pm",
            },
            "echo tsc >",
        ),
        (
            system.clock_source,
            {
                f"{CLOCK}/current_clocksource": "hpet",
                f"{CLOCK}/available_clocksource": "hpet acpi_pm",
            },
            "dmesg",
        ),
        (cpus.turbo, {f"{CPU}/intel_pstate/no_turbo": "0"}, "echo 1 >"),
        (cpus.turbo, {f"{CPU}/cpufreq/boost": "1"}, "echo 0 >"),
    ],
)
def test_advice_names_what_to_change(
    tmp_path: Path, check: DoctorCheck, files: dict[str, str], advice: str
) -> None:
    write(tmp_path, files)
    assert advice in (check(tmp_path).advice or "")


def test_slurm_is_named_when_it_restricts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_JOB_ID", "4711")
    write(tmp_path, FOUR | EIGHT)
    assert cpus.allowed_cpus(tmp_path).fact == "4 of 8 (0-3), restricted by Slurm's job 4711"
    write(tmp_path, ONE)
    assert "--exclusive" in (cpus.allowed_cpus(tmp_path).advice or "")


# Columns: user nice system idle iowait irq softirq steal guest guest_nice. CPU 1 is not ours.
STAT_BEFORE = "cpu 0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0 0 0"


@pytest.mark.parametrize(
    ("cpu0", "cpu1", "busy", "stolen"),
    [
        ("0 0 5 90 5 0 0 0 0 0", "100 0 0 0 0 0 0 0 100 0", "ok", "ok"),
        ("20 0 0 70 10 0 0 0 20 0", "0 0 0 100 0 0 0 0 0 0", "warn", "ok"),
        ("50 0 5 40 0 0 5 0 0 0", "0 0 0 100 0 0 0 0 0 0", "bad", "ok"),
        ("0 0 0 95 0 0 0 5 0 0", "0 0 0 100 0 0 0 0 0 0", "ok", "warn"),
        ("60 0 0 30 0 0 0 10 0 0", "0 0 0 100 0 0 0 0 0 0", "bad", "warn"),
    ],
)
def test_the_time_between_two_looks_is_judged_on_our_cpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cpu0: str, cpu1: str, busy: str, stolen: str
) -> None:
    for check, verdict in ((load.busy_cpus, busy), (load.stolen_time, stolen)):
        write(tmp_path, {"proc/stat": STAT_BEFORE, STATUS: "Cpus_allowed_list:\t0"})
        after = {"proc/stat": f"cpu 9 9 9 9 9 9 9 9 9 9\ncpu0 {cpu0}\ncpu1 {cpu1}"}
        monkeypatch.setattr(load.time, "sleep", lambda _, after=after: write(tmp_path, after))
        finding = check(tmp_path)
        assert finding.verdict == verdict, finding


def process(name: str, ticks: int) -> str:
    return f"1 ({name}) R 1 1 1 0 -1 4194304 90 0 0 0 {ticks} {ticks} 0 0 20 0 1 0 300"


def test_processes_that_take_the_cpus_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = f"proc/{os.getpid()}/stat"
    write(
        tmp_path,
        {
            "proc/stat": "cpu 0 0 0 0 0 0 0 0 0 0",
            own: process("hockney", 0),
            "proc/11/stat": process("make) (x", 500),
            "proc/12/stat": process("idle", 900),
        },
    )
    after = {
        "proc/stat": "cpu 90 0 0 10 0 0 0 0 0 0",
        own: process("hockney", 50),
        "proc/11/stat": process("make) (x", 520),
    }
    monkeypatch.setattr(load.time, "sleep", lambda _: write(tmp_path, after))
    assert load.busy_cpus(tmp_path).fact == (
        "90 % of the allowed CPUs' time is in use by make) (x (pid 11)"
    )


def test_counters_that_stand_still_are_unknown_not_idle(tmp_path: Path) -> None:
    write(tmp_path, {"proc/stat": "cpu 10 0 10 900 0 0 0 0 0 0"})
    assert load.busy_cpus(tmp_path).verdict == "unknown"
    assert load.stolen_time(tmp_path).verdict == "unknown"


def test_pinning_is_tried_and_taken_back() -> None:
    before = os.sched_getaffinity(0)
    finding = cpus.pinning(Path("/"))
    assert finding.verdict == "ok"
    assert f"each of {len(before)}" in finding.fact
    assert os.sched_getaffinity(0) == before


def test_refused_pinning_is_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_pid: int, _cpus: set[int]) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "sched_setaffinity", refuse)
    finding = cpus.pinning(Path("/"))
    assert finding.verdict == "bad"
    assert "Operation not permitted" in finding.fact
    assert "seccomp" in (finding.advice or "")


Space = namedtuple("Space", "f_bavail f_frsize")


@pytest.mark.parametrize(("free", "verdict"), [(0, "bad"), (50 << 20, "warn"), (9 << 30, "ok")])
def test_room_for_results_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, verdict: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "statvfs", lambda _: Space(free // 4096, 4096))
    finding = system.results(Path("/"))
    assert finding.verdict == verdict
    assert str(tmp_path) in finding.fact
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_cannot_be_written_is_bad(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root may write anywhere, so we fake the refusal."""

    def refuse(**_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    finding = system.results(Path("/"))
    assert finding.verdict == "bad"
    assert finding.fact == f"{tmp_path} cannot be written: Permission denied"


def test_a_current_directory_that_is_gone_is_bad(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert system.results(Path("/")).verdict == "bad"


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        (("ok", "warn", "bad", "unknown"), "bad"),
        (("ok", "warn", "unknown"), "warn"),
        (("ok", "unknown"), "ok"),
        (("unknown",), "unknown"),
    ],
)
def test_the_worst_known_verdict_is_the_machines(
    verdicts: tuple[doctor.Verdict, ...], expected: str
) -> None:
    assert doctor.overall([DoctorFinding("x", verdict, "seen") for verdict in verdicts]) == expected


def test_this_machine_is_looked_at_without_failing() -> None:
    findings = [check(Path("/")) for check in doctor.CHECKS]
    assert len({finding.name for finding in findings}) == len(doctor.CHECKS)
    assert all(finding.fact for finding in findings)

"""Common fixtures: the MPI under test, its engine, and runs of the real command."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import (
    Collection,
    Generator,
    Iterable,
    Iterator,
    Sequence,
)
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any, Protocol

import pluggy
import pytest
from filelock import FileLock
from hypothesis import settings

from commands import Done, RunEngine, RunHockney, in_environment, run_here
from fake_libraries import FakeLibrary, build_fake, can_fake
from hockney.base.trust import cache_directory
from hockney.infer.index import database
from hockney.run.launchers import own_launcher
from hockney.run.measure.launches.launch import open_stdin
from hockney.run.measure.launches.start import MOST_FAILED_STARTS
from hockney.run.measure.machine import shared_memory
from hockney.run.measure.machine.capacity import available_memory
from hockney.run.measure.toolchain.build import build_engine
from hockney.run.measure.toolchain.mpi import find_mpi
from hockney.run.mpis import Engine, Mpi
from starting import keeps_words, run_ranks
from time_report import pytest_terminal_summary  # noqa: F401

# Examples are those of the test's own text: none fails by chance. --hypothesis-profile=any draws.
settings.register_profile("short", max_examples=25, deadline=None, derandomize=True)
settings.register_profile("all", max_examples=100, deadline=None, derandomize=True)
settings.register_profile("any", max_examples=1000, deadline=None)
settings.load_profile("short")

TEST_TIMEOUT_S = 600
"""A program that runs for so long hangs: no test asserts a time."""
MOST_MEMORY_LOOKS = 120
"""Looks at the free memory, a second each, before a test does without."""


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport() -> Generator[None, pluggy.Result[pytest.TestReport], None]:
    """`make test-all` skips nothing: what would be skipped there has failed."""
    outcome = yield
    report = outcome.get_result()
    if report.skipped and os.environ.get("HOCKNEY_TEST_ALL"):
        report.outcome = "failed"


which = shutil.which


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None]:
    """Only tests that are marked simgrid find SimGrid: a forgotten mark is noticed where it is
    installed, and not first by a newcomer who has none."""
    with pytest.MonkeyPatch.context() as patch:
        if not item.get_closest_marker("simgrid"):
            patch.setattr(shutil, "which", _which_without_simgrid)
        yield


def _which_without_simgrid(name: str, *rest: Any, **named: Any) -> str | None:
    return None if name == "smpicc" else which(name, *rest, **named)


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("simgrid") and which("smpicc") is None:
        pytest.skip("SimGrid's smpicc is not installed")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Long tests are for `make test-all`, and for whoever asks by -m or names one test."""
    selection = config.option.markexpr or any("::" in argument for argument in config.args)
    if selection or os.environ.get("HOCKNEY_TEST_ALL"):
        return
    long = [item for item in items if item.get_closest_marker("long")]
    items[:] = [item for item in items if not item.get_closest_marker("long")]
    config.hook.pytest_deselected(items=long)


def first_of(cases: Iterable[Any], short: int = 1) -> list[Any]:
    """Cases for parametrize, of which all but the first so many are long."""
    return [
        case if number < short else pytest.param(*_values(case), marks=pytest.mark.long)
        for number, case in enumerate(cases)
    ]


def kept_short(cases: Iterable[Any], short: Collection[Any]) -> list[Any]:
    """Cases for parametrize, of which all but those named are long: by one of each kind."""
    return [
        case if case in short else pytest.param(*_values(case), marks=pytest.mark.long)
        for case in cases
    ]


def each_once(cases: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Cases for parametrize: as few are short as it takes for every value to occur."""
    seen: set[tuple[int, Any]] = set()
    short = []
    for all_new in (True, False):
        for case in cases:
            new = set(enumerate(case)) - seen
            if len(new) == len(case) or (new and not all_new):
                short.append(case)
                seen |= new
    return kept_short(cases, short)


def _values(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)


def tested_mpicc() -> str:
    """$HOCKNEY_TEST_MPICC, else the embedded MPI, which every test installation has."""
    return os.environ.get("HOCKNEY_TEST_MPICC") or str(Path(sys.prefix) / "bin" / "mpicc")


@pytest.fixture(scope="session")
def mpi() -> Mpi:
    return find_mpi(tested_mpicc())


@pytest.fixture(scope="session")
def other_mpi() -> Mpi:
    """Another library, for mixing the two up."""
    other = os.environ.get("HOCKNEY_TEST_OTHER_MPICC")
    if not other:
        pytest.skip("HOCKNEY_TEST_OTHER_MPICC names no second MPI")
    return find_mpi(other)


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """One cache for all processes of a test run (pytest -n 2), and in $HOCKNEY_TEST_CACHE for all
    runs of CI: each engine is built once."""
    base = tmp_path_factory.getbasetemp()
    of_run = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    cache = Path(os.environ.get("HOCKNEY_TEST_CACHE") or of_run / "cache")
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.environ["XDG_CACHE_HOME"] = str(cache)
    os.environ["XDG_DATA_HOME"] = str(base / "data")
    os.environ["MPICC"] = tested_mpicc()


@pytest.fixture(scope="session", autouse=True)
def _quick_starts() -> None:
    """MPI_Init without what only networks need: the tests start two ranks two thousand times.

    UCX, which the embedded MPI brings, patches the functions that map memory and looks for
    networks: a third of the CPU time of such a start each. Open MPI 5 waits 1.1 s of 1.3 for
    libfabric, which looks for networks, too."""
    os.environ.setdefault("UCX_MEM_EVENTS", "n")
    os.environ.setdefault("UCX_TLS", "posix,self")
    os.environ.setdefault("OMPI_MCA_mtl", "^ofi")
    os.environ.setdefault("OMPI_MCA_btl", "^ofi")


@pytest.fixture(scope="session", autouse=True)
def _open_stdin() -> Iterator[None]:
    """Launchers that a test starts inherit a stdin that does not end, as do those that hockney
    starts: pytest's is /dev/null, whose end costs MPICH's hydra its ranks' exit status."""
    with open_stdin() as stdin:
        before = os.dup(0)
        os.dup2(stdin, 0)
        yield
        os.dup2(before, 0)
        os.close(before)


@pytest.fixture(scope="session", autouse=True)
def _ranks_may_share_cpus() -> None:
    """Tests pass on machines with any number of CPUs; tests of refusals undo this."""
    os.environ["HOCKNEY_OVERSUBSCRIBE"] = "1"


@pytest.fixture(scope="session")
def engine(mpi: Mpi) -> Engine:
    return build_engine(mpi)


@pytest.fixture(scope="session")
def built_mpi(mpi: Mpi, engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Mpi:
    """The MPI under test, through a wrapper that copies the built engine where it would compile it
    again."""
    path = tmp_path_factory.mktemp("built") / "mpicc"
    path.write_text(
        "#!/bin/sh\nbefore=\n"
        f'for word; do [ "$before" = -o ] && exec cp "{engine.path}" "$word"; before=$word; done\n'
        f'exec "{mpi.mpicc}" "$@"\n'
    )
    launcher = path.with_name("mpiexec")
    launcher.write_text(f'#!/bin/sh\nexec "{mpi.mpiexec}" "$@"\n')
    for script in (path, launcher):
        script.chmod(0o755)
    return replace(mpi, mpicc=path, mpiexec=launcher)


FAULTY = "-DHOCKNEY_FAULTS -O0"
"""Flags of the engine with the faults that tests inject. Nobody times it: not optimised, it is
built in half the time."""


@pytest.fixture(scope="session")
def faulty_engine(mpi: Mpi) -> Engine:
    """The engine with faults."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOCKNEY_CFLAGS", FAULTY)
        return build_engine(mpi)


def _free_left_memory() -> None:
    """Frees shared memory of programs that have long ended: each launch that a test kills leaves
    some, and a few runs of all tests fill a machine's memory with it."""
    kept = set()
    for name in shared_memory.present():
        with suppress(OSError):
            if time.time() - (shared_memory.DIRECTORY / name).stat().st_mtime < TEST_TIMEOUT_S:
                kept.add(name)
    shared_memory.remove_left(frozenset(kept))


class NeedMemory(Protocol):
    def __call__(self, byte_count: float) -> None: ...


@pytest.fixture
def need_memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NeedMemory]:
    """Skips a test for which too little memory is free. Whoever asks is alone until its test ends:
    two at once would not fit."""

    def need(byte_count: float) -> None:
        for _ in range(MOST_MEMORY_LOOKS):  # what runs beside this test may give some back
            _free_left_memory()
            if (available_memory() or 0) >= byte_count:
                return
            time.sleep(1.0)
        pytest.skip(f"this test needs {byte_count / 2**30:.0f} GiB of free memory")

    with FileLock(tmp_path_factory.getbasetemp().parent / "much-memory.lock"):
        yield need


EXPERIMENTS = frozenset(
    ("pingpong", "overheads", "pairs", "cores", "collective", "halo", "overlap", "rma")
) | {"startup", "congestion", "fabric"}


@pytest.fixture
def run_engine(mpi: Mpi, engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> RunEngine:
    """Starts the engine under the launcher of its MPI: run_engine(*arguments, ranks=2)."""

    def run(
        *arguments: str,
        ranks: int = 2,
        path: Path | None = None,
        env: dict[str, str] | None = None,
        oversubscribe: bool = True,
        timeout_s: float = TEST_TIMEOUT_S,
    ) -> Done:
        failures = own_launcher(mpi).start_failures
        words = list(arguments)
        if oversubscribe and not EXPERIMENTS.isdisjoint(words[:1]):
            words.append("--oversubscribe")
        program = [str(path or engine.path), *words]
        for _ in range(MOST_FAILED_STARTS + 1):
            said = tmp_path_factory.mktemp("said")
            done = run_ranks(mpi, ranks, program, said, env or {}, timeout_s)
            is_broken = done.returncode == -signal.SIGPIPE  # hydra's own, once in some hundred
            if done.returncode and not keeps_words(mpi):
                is_broken = "hockney-engine: " not in done.stderr and (
                    '"reason":"failed"' not in done.stdout
                )
            if not is_broken and not any(known in done.stderr for known in failures):
                break
        return Done(done.returncode, done.stdout, done.stderr)

    return RunEngine(run)


@pytest.fixture
def run_alone(engine: Engine) -> RunEngine:
    """Starts the engine as one process without a launcher: run_alone(*arguments). For what it
    refuses before MPI starts, where a launcher's end could hide the engine's."""

    def run(*arguments: str) -> Done:
        done = subprocess.run(
            [engine.path, *arguments], capture_output=True, text=True, timeout=TEST_TIMEOUT_S
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return RunEngine(run)


@pytest.fixture(scope="session")
def fake_cuda() -> FakeLibrary:
    """A libcuda.so.1 without a device."""
    return fake_library("cuda")


def fake_library(interface: str) -> FakeLibrary:
    if not can_fake():
        pytest.skip("the fakes of accelerators need Linux")
    return build_fake(interface)


@pytest.fixture
def hockney(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunHockney:
    """Runs the command in a directory of its own, in this process, where no start of Python and no
    import is waited for: hockney("pingpong", "--sizes", "8"). With process=True it is a process, as
    a user starts it, and so is a profile with an environment of its own. What it publishes, and the
    runs that its index knows, no other test reads."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / ".data"))
    shared = os.environ["XDG_CACHE_HOME"]

    def directory_of_index() -> Path:
        if os.environ.get("XDG_CACHE_HOME") != shared:
            return cache_directory()
        own = tmp_path.with_name(f".index-{tmp_path.name}")
        own.mkdir(exist_ok=True)
        return own

    monkeypatch.setattr(database, "cache_directory", directory_of_index)

    def run(
        *arguments: str,
        env: dict[str, str] | None = None,
        cwd: Path | None = None,
        process: bool = False,
    ) -> Done:
        # A program that is profiled writes to the streams of the process.
        if not process and not (env and arguments[0] == "profile"):
            monkeypatch.chdir(cwd or tmp_path)
            # A run takes what its process has spent for the cost of its own start.
            before = process_time()
            monkeypatch.setattr(time, "process_time", lambda: process_time() - before)
            with in_environment(env or {}):
                return run_here(arguments)
        done = subprocess.run(
            [sys.executable, "-m", "hockney", *arguments],
            capture_output=True,
            text=True,
            timeout=TEST_TIMEOUT_S,
            cwd=cwd or tmp_path,
            env={**os.environ, **(env or {})},
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Done(done.returncode, done.stdout, done.stderr)

    return RunHockney(run)


SHORT = ("--budget", "0.6s", "--launches", "2", "--sizes", "0,8,1KiB,64KiB", "-q")
"""A run that is long enough to be one."""


@pytest.fixture(scope="session")
def measured(mpi: Mpi, engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: ARG001
    """A result file of a short real run."""
    path = tmp_path_factory.mktemp("measured") / "run.jsonl"
    subprocess.run(
        [sys.executable, "-m", "hockney", "pingpong", *SHORT, "-o", str(path)],
        check=True,
        capture_output=True,
        timeout=TEST_TIMEOUT_S,
    )
    return path

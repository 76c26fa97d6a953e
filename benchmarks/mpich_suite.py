"""MPICH's own test suite with and without the recorder of `hockney profile`: the same result?

    python benchmarks/mpich_suite.py MPICH/test/mpi io rma --mpicc MPI/bin/mpicc --build DIRECTORY

MPICH/test/mpi is the directory of MPICH's sources, which need not be configured; io and rma are two
of its directories with a testlist. Of each program the first line of the testlist is run (--all:
every line), without the recorder and with it: the results are compared, which are the exit status,
or a timeout, and whether "No Errors" was printed. Where they differ, both are run five times more
(--repetitions), and are the same if each way has the results of the other. Prints a line for each
program, and the sums of each directory.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from hockney.plan import Case, Placement
from hockney.profiling.collect import collect
from hockney.profiling.kinds import Program
from hockney.run.measure.launches.trial import EMPTY_MESSAGES
from hockney.run.measure.recording import environment
from hockney.run.measure.toolchain.build import build_recorder
from hockney.run.measure.toolchain.mpi import find_mpi
from hockney.run.mpis import Mpi, family_of
from hockney.run.schedulers import find_starter

MOST_MEMORY_GB = 7.0
"""Programs that need more, by their testlist, are left out."""
CONFIGURATION = """
#define HAVE_LONG_DOUBLE 1
#define HAVE_LONG_LONG 1
#define HAVE_LONG_LONG_INT 1
#define HAVE_MPI_IO 1
#define HAVE_MPI_SPAWN 1
#define HAVE_MPI_WIN_CREATE 1
#define HAVE_MPI_INIT_THREAD 1
#define HAVE_STDARG_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STDINT_H 1
#define HAVE_INTTYPES_H 1
#define HAVE_STRING_H 1
#define HAVE_STRINGS_H 1
#define HAVE_MEMORY_H 1
#define HAVE_UNISTD_H 1
#define HAVE_ERRNO_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_RESOURCE_H 1
#define HAVE_GETRUSAGE 1
#define HAVE_ATOMIC 1
#define MPIO_USES_MPI_REQUEST 1
#define HAVE_FORTRAN_BINDING 1
#define F77_NAME_LOWER_USCORE 1
#define THREAD_PACKAGE_INVALID 0
#define THREAD_PACKAGE_NONE 1
#define THREAD_PACKAGE_POSIX 2
#define THREAD_PACKAGE_SOLARIS 3
#define THREAD_PACKAGE_WIN 4
#define THREAD_PACKAGE_UTI 5
#define THREAD_PACKAGE_ARGOBOTS 6
#define THREAD_PACKAGE_QTHREADS 7
#define THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX
"""
"""Results of their configure."""
FORTRAN = {"f77": ".f", "f90": ".f90", "f08": ".f90"}
"""Suffixes of sources by the first letters of a directory."""
FORTRAN_FLAGS = ("-fallow-argument-mismatch", "-fno-range-check", "-cpp")
NUMBERS = re.compile("@F77_MPI_(ADDRESS|OFFSET)@")
"""Names of numbers in headers for Fortran."""
NOTHING = Program(schema=1, hockney="0", command=None, time_utc="", exit_status=0, wall_s=0.0)


@dataclass(frozen=True)
class Test:
    """A line of a testlist."""

    directory: str
    program: str
    ranks: int
    arguments: tuple[str, ...]
    settings: dict[str, str]
    memory_gb: float


@dataclass(frozen=True)
class Outcome:
    """How a run ended."""

    status: int | None
    is_passed: bool

    def __str__(self) -> str:
        ended = "timeout" if self.status is None else f"status {self.status}"
        return f"{ended}, {'No Errors' if self.is_passed else 'errors'}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", type=Path)
    parser.add_argument("directories", nargs="+")
    parser.add_argument("--mpicc")
    parser.add_argument("--build", type=Path, required=True, help="where programs are built")
    parser.add_argument("--all", action="store_true", help="every line of a testlist")
    parser.add_argument("--only", default="", help="programs whose name begins so")
    parser.add_argument("--after", default="", help="those that follow a program in its testlist")
    parser.add_argument("--most-ranks", type=int, default=1 << 20, help="of a program")
    parser.add_argument("--trace", action="store_true", help="keep the order of calls")
    parser.add_argument("--repetitions", type=int, default=5, help="where the results differ")
    parser.add_argument("--timeout", type=float, default=25.0, help="seconds of a run")
    given = parser.parse_args()
    os.environ["HOCKNEY_OVERSUBSCRIBE"] = "1"
    mpi = find_mpi(given.mpicc)
    built = Built(given.suite.resolve(), given.build.resolve(), mpi)
    runs = Runs(mpi, given.build.resolve(), 1_000_000 if given.trace else 0, given.timeout)
    runs.repetitions = given.repetitions
    listed = {
        directory: tests_of(given.suite / directory, directory, given.all, given.most_ranks)
        for directory in given.directories
    }
    if given.after and not any(test.program == given.after for test in chain(*listed.values())):
        parser.error(f"--after {given.after}: no testlist has it")
    for directory, tests in listed.items():
        counts: Counter[str] = Counter()
        for test in after(tests, given.after):
            if test.program.startswith(given.only):
                line = judge(test, built, runs, counts)
                print(directory, test.program, test.ranks, *test.arguments, line, flush=True)
        print(directory, dict(sorted(counts.items())), flush=True)


def after(tests: list[Test], program: str) -> list[Test]:
    """Those that follow the last line of a program; all where the list does not have it."""
    at = max((i for i, test in enumerate(tests) if test.program == program), default=-1)
    return tests[at + 1 :]


def judge(test: Test, built: Built, runs: Runs, counts: Counter[str]) -> str:
    """One program's line of the output; adds to the sums."""
    if test.memory_gb > MOST_MEMORY_GB:
        counts["left out for its memory"] += 1
        return f"needs {test.memory_gb} GB"
    program = built.program(test)
    if isinstance(program, str):
        counts["not built"] += 1
        return f"not built: {program}"
    without, with_it = [runs.run(test, program, False)], [runs.run(test, program, True)]
    varies = with_it != without
    if varies:
        for _ in range(runs.repetitions):
            without.append(runs.run(test, program, False))
            with_it.append(runs.run(test, program, True))
    is_same = set(with_it) == set(without)
    counts["run"] += 1
    counts["passed without the recorder"] += without[0].is_passed and without[0].status == 0
    counts["the same"] += is_same
    counts["results that vary"] += varies
    if not varies:
        return f"the same: {without[0]}{runs.complaint}"
    ways = " | ".join(
        ", ".join(f"{times} x {outcome}" for outcome, times in Counter(way).items())
        for way in (without, with_it)
    )
    return f"{'varies' if is_same else 'DIFFERS'}: {ways}{runs.complaint}"


def tests_of(folder: Path, directory: str, is_all: bool, most_ranks: int) -> list[Test]:
    """Tests of a testlist, with the lines that their configure may take out."""
    tests: dict[object, Test] = {}
    listed = folder / "testlist.in"
    for line in (listed if listed.exists() else folder / "testlist").read_text().splitlines():
        words = re.sub(r"^@\w+@", "", line.strip()).split()
        if len(words) < 2 or words[0].startswith("#") or not words[1].isdigit():
            continue
        pairs = [word.partition("=")[::2] for word in words[2:]]
        values = dict(pairs)
        test = Test(
            directory=directory,
            program=words[0],
            ranks=min(int(words[1]), most_ranks),
            arguments=tuple(value for name, value in pairs if name == "arg"),
            settings=dict(value.partition("=")[::2] for name, value in pairs if name == "env"),
            memory_gb=float(values.get("mem", 0)),
        )
        tests.setdefault(line if is_all else test.program, test)
    return list(tests.values())


class Built:
    """Programs of the suite, compiled without their configure."""

    def __init__(self, suite: Path, build: Path, mpi: Mpi) -> None:
        self.suite, self.build, self.mpi = suite, build, mpi
        (build / "include").mkdir(parents=True, exist_ok=True)
        for name in ("include/mpitestconf.h", "dtpoolsconf.h"):
            (build / name).write_text(CONFIGURATION)
        (build / "include" / "mtest_mpix.h").write_text("")  # names of functions to come
        self.flags = [
            *("-w", "-g", "-O1", "-pthread", "-DHAVE_CONFIG_H"),
            *(f"-I{path}" for path in (build / "include", suite / "include")),
            f"-I{suite / 'dtpools' / 'include'}",
        ]
        names = ["mtest", "mtest_common", "dtypes", "mtest_single", "mtest_thread", "run_mpitests"]
        sources = [suite / "util" / f"{name}.c" for name in names]
        sources += sorted((suite / "dtpools" / "src").glob("*.c"))
        for source in sources:
            compiled = [mpi.mpicc, *self.flags, "-c", "-o", self._object(source), source]
            subprocess.run(compiled, check=True)
        self.shared = [self._object(source) for source in sources if source.stem not in names[3:]]
        for template in suite.rglob("f77/**/*.h.in"):
            text = NUMBERS.sub("integer*8", template.read_text())
            (build / "include" / template.stem).write_text(text)

    def _object(self, source: Path) -> Path:
        return self.build / f"{source.stem}.o"

    def program(self, test: Test) -> Path | str:
        """The program of a test, or why it cannot be built."""
        folder = self.suite / test.directory
        path = self.build / test.directory / test.program
        path.parent.mkdir(parents=True, exist_ok=True)
        rules = self._rules(folder)
        language = test.directory.partition("/")[0]
        usual = test.program + FORTRAN.get(language, ".c")
        sources = rules.get(f"{test.program}_SOURCES", usual).split()
        flags = re.findall(r"-[DO]\S*", rules.get(f"{test.program}_CPPFLAGS", ""))
        files = [folder / name for name in sources if not name.endswith(".h")]
        if all(source.suffix == ".c" for source in files):
            kind = "mtest_thread" if language == "threads" else "mtest_single"
            command = [self.mpi.mpicc, *self.flags, *flags, "-o", path, *files]
            has_main = not any("int run(const char" in source.read_text() for source in files)
            kinds = [kind] if has_main else [kind, "run_mpitests"]
            command += [*(self.build / f"{part}.o" for part in kinds), *self.shared, "-lm"]
        else:
            mpicc = Path(self.mpi.mpicc)
            compiler = mpicc.with_name(mpicc.name.replace("mpicc", "mpif90"))
            common = self.suite / "util" / f"mtest_{language}{FORTRAN[language]}"
            command = [compiler, *self.flags, *FORTRAN_FLAGS, f"-I{folder}", f"-J{path.parent}"]
            command += ["-o", path, *files, common]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == 0:
            return path
        errors = [line for line in done.stderr.splitlines() if re.search("error|undef", line, re.I)]
        return (errors or ["no reason"])[0].replace(f"{self.suite}/", "")

    @staticmethod
    def _rules(folder: Path) -> dict[str, str]:
        text = (folder / "Makefile.am").read_text().replace("\\\n", " ")
        return dict(re.findall(r"^(\w+) *\+?= *(.*)$", text, re.MULTILINE))


class Runs:
    """Runs of programs, one at a time, each in an empty directory of its own."""

    def __init__(self, mpi: Mpi, build: Path, most_acts: int, timeout_s: float) -> None:
        self.mpi, self.build, self.most_acts = mpi, build, most_acts
        self.timeout_s = timeout_s
        self.repetitions = 0  # of a program whose results differ, each way
        self.recorder, _ = build_recorder(mpi)
        self.complaint = ""  # of the last recorded run

    def run(self, test: Test, program: Path, is_recorded: bool) -> Outcome:
        family = family_of(self.mpi)
        placement = Placement(ranks=test.ranks)
        case = Case(workload=EMPTY_MESSAGES, placement=placement)
        command = find_starter(self.mpi, placement).command(
            self.mpi, case, [str(program), *test.arguments]
        )
        env = {**os.environ, **family.environment(self.mpi), **test.settings}
        records = Path(tempfile.mkdtemp(dir=self.build))
        place = Path(tempfile.mkdtemp(dir=self.build))
        (place / program.name).symlink_to(program)  # programs spawn themselves, as ./NAME
        try:
            if is_recorded:
                env = {**env, **environment(self.recorder, records, self.most_acts)}
            outcome = _outcome(command, env, place, self.timeout_s)
            if is_recorded:
                self.complaint = _complaint(records)
        finally:
            shutil.rmtree(records)
            shutil.rmtree(place, ignore_errors=True)
        return outcome


def _outcome(command: list[str], env: dict[str, str], place: Path, timeout_s: float) -> Outcome:
    with (place / "output").open("wb+") as output:
        process = subprocess.Popen(
            command,
            env=env,
            cwd=place,
            stdin=subprocess.PIPE,  # hydra loses a status at the end of its own
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            status: int | None = process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            status = None
        _end(process)
        output.seek(0)
        return Outcome(status, b"No Errors" in output.read())


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the launcher and its ranks, which may have process groups of their own."""
    listed = subprocess.run(
        ["ps", "-s", str(process.pid), "-o", "pid="], capture_output=True, text=True
    )
    for number in {str(process.pid), *listed.stdout.split()}:
        with suppress(ProcessLookupError):
            os.kill(int(number), signal.SIGKILL)
    process.wait()


def _complaint(records: Path) -> str:
    """What is wrong with the profile; empty where nothing is."""
    profile = collect(records, NOTHING)
    if not profile.ranks:
        return " (nothing recorded)"
    ends = Counter(str(rank.end) for rank in profile.ranks)
    ended = "" if list(ends) == ["finalized"] else f" (ranks: {dict(ends)})"
    return f" ({profile.cut})" if profile.cut else ended


if __name__ == "__main__":
    main()

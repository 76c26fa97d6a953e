"""Engines for other machines: cross-compiled, run under user-mode emulation with Debian's MPI.

The whole command measures with them, and reads their records here.

    make emulated ARCHITECTURES="arm64 i386 s390x"

It needs root and Debian packages (PACKAGES below), and keeps each machine's libraries in
build/emulated. Times measured under emulation mean nothing; the checks of data do.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import hockney
from hockney.run.measure.toolchain.build import ENGINE
from hockney.run.measure.toolchain.compiler import FLAGS

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "build" / "emulated"
RELEASE = "bookworm"
PACKAGES = "libc6-dev,libatomic1"
"""Packages of each machine, beside its MPI. Needed here: mmdebstrap, qemu-user-static, per machine
gcc-TRIPLET and libc6-dev-ARCHITECTURE-cross, and for Open MPI libopenmpi-dev and openmpi-bin."""
STRICT = (
    *("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion"),
    *("-Wno-sign-conversion", "-Wno-psabi", "-Werror"),  # psabi: GCC's notes about its own past
)
TIMEOUT_S = 150.0
"""An experiment that takes longer hangs."""


@dataclass(frozen=True)
class Library:
    package: str
    headers: str
    """Directory of the headers in the machine's root, for a TRIPLET."""
    soname: str
    wrapper: str
    """Wrapper of the same library on this host, whose mpiexec starts the ranks; empty for the
    default."""


MPICH = Library("libmpich-dev", "usr/include/TRIPLET/mpich", "libmpich.so.12", "")
OPEN_MPI = Library(
    "libopenmpi-dev", "usr/lib/TRIPLET/openmpi/include", "libmpi.so.40", "mpicc.openmpi"
)


@dataclass(frozen=True)
class Machine:
    compiler: str
    triplet: str
    emulator: str
    library: Library = MPICH


MACHINES = {
    # Its MPICH, emulated, hangs in most runs of one MPI_Put; why is not known.
    "arm64": Machine("aarch64-linux-gnu-gcc", "aarch64-linux-gnu", "qemu-aarch64-static", OPEN_MPI),
    "i386": Machine("i686-linux-gnu-gcc", "i386-linux-gnu", "qemu-i386-static"),
    "s390x": Machine("s390x-linux-gnu-gcc", "s390x-linux-gnu", "qemu-s390x-static"),
}
ENVIRONMENT = {
    "HOCKNEY_OVERSUBSCRIBE": "1",  # four ranks on however many CPUs there are
    "MPICC": "",
    "FI_PROVIDER": "tcp",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",  # all through shared memory
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
}
SMALL = "--sizes 8,4KiB"
EXPERIMENTS = {
    "pingpong": f"pingpong {SMALL} --verify",
    "cores": "cores --verify --sizes 8",
    "pairs": f"pairs -n 4 {SMALL} --verify",
    "collective": f"collective allreduce -n 4 --oversubscribe {SMALL} --verify",
    "rma": f"rma put {SMALL} --verify",
    "halo": "halo -n 4 --grid 2x2 --sizes 8,4KiB --verify",
    "overlap": f"overlap {SMALL} --verify",
    "startup": "startup -n 2",
    "congestion": "congestion -n 4 --sizes 8",
    "overheads": "overheads --sizes 8,1KiB",
    "fabric": "fabric -n 4 --sizes 8",
}


def libraries_of(name: str) -> Path:
    """The directory with the machine's C and MPI libraries, from Debian where it is new."""
    root = KEPT / name
    packages = f"{PACKAGES},{MACHINES[name].library.package}"
    complete = root / f".complete-{MACHINES[name].library.package}"
    if not complete.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        subprocess.run(["rm", "-rf", root], check=True)
        subprocess.run(
            [
                *("mmdebstrap", "--quiet", "--mode=root", "--variant=extract"),
                *("--skip=check/qemu", f"--architectures={name}", f"--include={packages}"),
                *(RELEASE, root, *mirror()),
            ],
            check=True,
        )
        complete.touch()
    return root


def mirror() -> list[str]:
    """This machine's own, for the release alone: mmdebstrap would add the suites of updates, whose
    lists for other architectures a mirror may lack for a while."""
    filters = ["Codename: " + RELEASE, "Component: main", "Created-By: Packages"]
    listing = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI)", *filters],
        check=True,
        capture_output=True,
        text=True,
    )
    return listing.stdout.split()[:1]


def build(name: str) -> Path:
    """The engine for that machine, as a command that runs here: the emulator with the program."""
    machine, root = MACHINES[name], libraries_of(name)
    made = f"engine-{name}-{machine.library.package}"
    program, command = KEPT / made, KEPT / f"hockney-{made}"
    sources = [*ENGINE.directory.rglob("*.[ch]"), *ENGINE.directory.rglob("*.def")]
    newest = max(path.stat().st_mtime for path in sources)
    if command.exists() and command.stat().st_mtime > newest:
        return command
    libraries = root / "usr" / "lib" / machine.triplet
    headers = root / machine.library.headers.replace("TRIPLET", machine.triplet)
    subprocess.run(
        [
            *(machine.compiler, f"--sysroot={root}", *FLAGS, *STRICT, "-o", program),
            *(f"-I{headers}", f"-L{libraries}"),
            *(f"-Wl,-rpath-link,{libraries}", *sorted(ENGINE.directory.rglob("*.c"))),
            *(f"-l:{machine.library.soname}", "-lm"),
        ],
        check=True,
    )
    command.write_text(
        f'#!/bin/sh\nunset LD_LIBRARY_PATH\nexec {machine.emulator} -L "{root}" "{program}" "$@"\n'
    )
    command.chmod(0o755)
    return command


def measure(name: str, engine: Path, experiment: str, budget: str) -> str | None:
    """Runs an experiment; returns what went wrong."""
    wrapper = MACHINES[name].library.wrapper
    file = KEPT / f"{name}-{experiment}.jsonl"
    started = subprocess.Popen(
        [
            *(sys.executable, "-m", "hockney", *EXPERIMENTS[experiment].split()),
            *(("--mpicc", wrapper) if wrapper else ()),
            *("--engine", str(engine), "--budget", budget, "--launches", "1"),
            *("-q", "--force", "-o", str(file)),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **ENVIRONMENT},
    )
    try:
        _, words = started.communicate(timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        started.send_signal(signal.SIGINT)  # it ends its launch
        _, words = started.communicate()
        return f"it hangs: no end in {TIMEOUT_S:.0f} s; {words.strip()}"
    if started.returncode != 0:
        return words.strip() or f"exit status {started.returncode}"
    points = hockney.load(file).estimates.headline
    times = [point.typical_s for point in points]
    return None if times and min(times) > 0.0 else "no times were recorded"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("machines", nargs="*", metavar="MACHINE", help="default: all")
    parser.add_argument("--experiments", nargs="+", choices=EXPERIMENTS, default=list(EXPERIMENTS))
    parser.add_argument("--budget", default="1s", help="of each experiment")
    arguments = parser.parse_args()
    failed = 0
    names = arguments.machines or [*MACHINES]
    with ThreadPoolExecutor() as pool:
        engines = dict(zip(names, pool.map(build, names), strict=True))
    for name, engine in engines.items():
        for experiment in arguments.experiments:
            began = time.monotonic()
            wrong = measure(name, engine, experiment, arguments.budget)
            failed += wrong is not None
            print(f"{name:6} {experiment:11} {wrong or 'ok'} ({time.monotonic() - began:.0f} s)")
            sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""SimGrid's SMPI: smpirun runs the ranks on a simulated machine, in simulated time.

A setting smpi/X:NAME chooses the algorithm of collective X. SMPI has no MPI_T. smpirun lists its
algorithms only when it refuses an unknown name.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from hockney.base.errors import HockneyError, UsageError
from hockney.base.temporary import temporary_directory
from hockney.plan.algorithms import common_names
from hockney.plan.workloads.collective import DEFAULT
from hockney.run.mpis import Algorithm, Engine, Forcing, Mpi, ParameterValues, ask_command, other

__getattr__ = partial(getattr, other)
"""All else is as with an unknown library."""
VERBOSE: dict[str, str] = {}
TELLS: tuple[str, ...] = ()
LIBRARIES = ("SimGrid SMPI",)
PACKAGES = "Debian: libsimgrid-dev, Fedora: simgrid-devel"
FIXED = (
    "smpi/simulate-computation:no",
    "smpi/shared-malloc-blocksize:67108864",
    "smpi/privatization:no",
    "smpi/test:0",
)
"""Settings of every simulation. First: the speed of this host must not influence the simulated
clock. Second: the kernel allows 65,530 mappings, and shared buffers take one per block. Third: the
engine has no global variables of a rank; a copy of the program for each rank would cost 330 kB and
five mappings. Fourth: MPI_Test must not take 0.1 ms of simulated time."""
SELECTORS = frozenset({"default", "ompi", "mpich", "mvapich2", "impi", "automatic"})
"""Decision functions of libraries, not algorithms."""
NOBODY = "?"
"""A name that no algorithm has."""
SETTING_OF = {"reduce_scatter_block": "reduce_scatter"}
"""Collectives that SimGrid makes of another one, whose setting chooses the algorithm."""
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="None"><host id="h" speed="1Gf"/></zone></platform>
"""


def format_for(version: str | None) -> str:
    raise UsageError(f"SMPI {version or ''} reads no decision rules")


def discover(mpi: Mpi, engine: Engine, collectives: Sequence[str]) -> list[Algorithm]:
    """The algorithms that smpirun lists when it refuses another."""
    algorithms = []
    with temporary_directory("hockney-") as directory:
        (directory / "platform.xml").write_text(PLATFORM)
        for collective in collectives:
            own_names = _valid(mpi, engine, collective, directory)
            names = common_names(own_names)
            algorithms += [Algorithm(collective, names[own], own) for own in own_names]
    return algorithms


def _valid(mpi: Mpi, engine: Engine, collective: str, directory: Path) -> list[str]:
    """Runs smpirun in a temporary directory, because it leaves files behind when it fails."""
    try:
        unknown = f"--cfg={_setting(collective)}:{NOBODY}"
        words = ["-np", "1", "-platform", "platform.xml", unknown, str(engine.path), "pingpong"]
        done = ask_command(Path(str(mpi.mpiexec)), *words, cwd=directory)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HockneyError(f"{mpi.mpiexec} cannot be run: {error}") from error
    valid = re.search(r"Valid algorithms: ([^\n]*?)\.?\s*\n", done.stdout + done.stderr + "\n")
    names = valid[1].split(", ") if valid else []
    return [name for name in names if name not in SELECTORS]


def forcing(collective: str, algorithm: Algorithm | None, parameters: ParameterValues) -> Forcing:
    """The settings that force an algorithm; smpirun ends with an error if it lacks it."""
    if algorithm is None:
        return Forcing(DEFAULT)
    return Forcing(
        algorithm.name, parameters, cfg=(f"{_setting(collective)}:{algorithm.own_name}",)
    )


def _setting(collective: str) -> str:
    return f"smpi/{SETTING_OF.get(collective, collective)}"


def replaced_by(algorithm: Algorithm, ranks: int, bytes_: int, *_: int | None) -> str | None:
    """What the library does instead, and why: these algorithms are copies of Open MPI's."""
    name = algorithm.own_name
    if name == "ompi_two_procs" and ranks != 2:
        return "gives an error: it is for two ranks"
    if name == "ompi_split_bintree" and bytes_ < 2:
        return "runs pipeline: a message that cannot be split"
    return None

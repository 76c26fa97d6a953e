"""Parameter files: what files of the user and of the system set of an MPI library, which reads them
at its start beside the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Container, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hockney.base.confidential import may_be_stored
from hockney.base.errors import HockneyError
from hockney.plan import Case
from hockney.run.measure.setup import mpi_of
from hockney.run.mpis import Engine, Mpi, family_of

MOST_BYTES, MOST_LINES = 1 << 16, 64
"""How much of a file is read, and how many of its settings are kept: more is no file of a user."""
LINE = re.compile(r"\s*(\w+)\s*=\s*(.*?)\s*")
MCA, CVAR = "OMPI_MCA_", "MPIR_CVAR_"
SYSTEM_MPICH = Path("/etc/mpich.conf")

Held = dict[str, dict[str, str]]
"""Values by the environment variables that set the same, by file; of two files that set one, the
first counts."""


@dataclass(frozen=True)
class FileKind:
    """The parameter files of a library."""

    prefix: str
    """Prefix of the environment variables that set the same."""
    has_prefix: bool
    """Whether the names in the files have it, too."""
    paths: Callable[[Mpi, Engine, Mapping[str, str]], list[Path]]
    """The files that the library reads in an environment, the one that counts first."""


def _mca_files(mpi: Mpi, engine: Engine, env: Mapping[str, str]) -> list[Path]:
    """What the library reports (MPI_T): OMPI_MCA_mca_base_param_files, the home directory and the
    place where it is installed decide it."""
    controls = family_of(mpi).all_controls(engine, env)
    names = ("mca_base_override_param_file", "mca_base_param_files")
    lists = [(controls[name].value or "") for name in names if name in controls]
    return [Path(part.strip()) for each in lists for part in each.split(",") if part.strip()]


def _mpich_files(mpi: Mpi, engine: Engine, env: Mapping[str, str]) -> list[Path]:  # noqa: ARG001
    return [SYSTEM_MPICH]


KINDS = (FileKind(MCA, False, _mca_files), FileKind(CVAR, True, _mpich_files))


def held_in_files(
    mpi: Mpi, engine: Engine, env: Mapping[str, str], asked: Container[str] = ()
) -> Held:
    """What the parameter files set that this library reads in this environment and `env`, as far as
    it may be stored. asked: variables that are returned with any value, which is not for a file."""
    found: Held = {}
    family = family_of(mpi)
    for kind in KINDS:
        if family.control_of(f"{kind.prefix}X") is None:
            continue
        with suppress(HockneyError):  # an engine that cannot report them is refused elsewhere
            for path in kind.paths(mpi, engine, env):
                if settings := _settings_in(path, kind, asked):
                    found[_shown(path)] = settings
    return found


def held_for(cases: tuple[Case, ...]) -> Held:
    """The same for all cases of a plan; simulated libraries read none."""
    found: Held = {}
    real = {_key(case): case.placement for case in cases if case.placement.platform is None}
    for placement in real.values():
        with suppress(HockneyError):  # a variant that cannot be built is left out
            found = held_in_files(*mpi_of(placement), placement.env) | found
    return found


def _key(case: Case) -> tuple[object, ...]:
    """What decides which files are read: forced algorithms do not."""
    placement = case.placement
    names = tuple(item for item in sorted(placement.env.items()) if "param_file" in item[0])
    return placement.mpicc, placement.engine, names


def _settings_in(path: Path, kind: FileKind, asked: Container[str]) -> dict[str, str]:
    try:
        with path.open("rb") as file:
            text = file.read(MOST_BYTES).decode(errors="replace")
    except OSError:
        return {}
    found: dict[str, str] = {}
    for line in text.splitlines():
        match = LINE.fullmatch(line.partition("#")[0])
        if match is None or not _is_a_name(match[1], kind):
            continue
        name = match[1] if kind.has_prefix else kind.prefix + match[1]
        if name in asked or (may_be_stored(name, match[2]) and len(found) < MOST_LINES):
            found[name] = match[2]
    return found


def _is_a_name(name: str, kind: FileKind) -> bool:
    return name.startswith(kind.prefix) if kind.has_prefix else name.islower()


def _shown(path: Path) -> str:
    """The path without the name of the user."""
    with suppress(ValueError, OSError, RuntimeError):
        return f"~/{path.relative_to(os.environ.get('HOME') or Path.home())}"
    return str(path)

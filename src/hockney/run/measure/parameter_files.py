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
from hockney.plan import Case, Plan
from hockney.run.measure.setup import mpi_of
from hockney.run.mpis import Engine, Mpi, family_of

MOST_BYTES, MOST_LINES, LONGEST_VALUE = 1 << 16, 64, 200
"""How much of a file is read, how many of its settings are kept, and the letters of their values:
more is no file of a user."""
NAME = re.compile(r"\w+")
MCA, CVAR = "OMPI_MCA_", "MPIR_CVAR_"
OVERRIDING, USUAL = "mca_base_override_param_file", "mca_base_param_files"
"""The control variables of Open MPI that list its files."""
SYSTEM_MPICH = Path("/etc/mpich.conf")
OF_THE_SYSTEM = ("/etc", "/usr", "/opt")
"""Directories whose paths name no user."""


@dataclass(frozen=True)
class InFiles:
    """What parameter files set."""

    files: Mapping[str, dict[str, str]]
    """Values by the environment variables that set the same, by file; of two files that set one,
    the first counts."""
    overriding: frozenset[str] = frozenset()
    """Those of these files that go before the environment."""

    @property
    def recorded(self) -> dict[str, object]:
        """Fields of the environment in the record."""
        overriding = {"overriding_files": sorted(self.overriding)} if self.overriding else {}
        return {"parameter_files": self.files, **overriding}

    def or_else(self, other: InFiles) -> InFiles:
        """Both; where both know a file, this one's values."""
        files = dict(self.files)
        for file, settings in other.files.items():
            files[file] = settings | files.get(file, {})
        return InFiles(files, self.overriding | other.overriding)


NOTHING_HELD = InFiles({})
Paths = list[tuple[Path, bool]]
"""Files in the order in which they count, and whether each goes before the environment."""


@dataclass(frozen=True)
class FileKind:
    """The parameter files of a library."""

    prefix: str
    """Prefix of the environment variables that set the same."""
    has_prefix: bool
    """Whether the names in the files have it, too."""
    paths: Callable[[Mpi, Engine, Mapping[str, str], float], Paths | None]
    """The files that the library reads in an environment; None if it does not report them (within
    so many seconds)."""


_listed: dict[tuple[object, ...], Paths | None] = {}
"""What engines listed in this process, by all that decides it: to start one takes its time, and
each variant and each look of `watch` would."""


def _mca_files(mpi: Mpi, engine: Engine, env: Mapping[str, str], timeout_s: float) -> Paths | None:
    """What the library reports (MPI_T): OMPI_MCA_mca_base_param_files, the home directory and the
    place where it is installed decide it."""
    of_env = deciding(env)
    key = engine.path, deciding(os.environ), os.environ.get("HOME"), of_env
    if key in _listed:
        return _listed[key]
    _listed[key] = None
    with suppress(HockneyError):  # an engine that cannot report them is refused elsewhere
        controls = family_of(mpi).all_controls(engine, dict(of_env), timeout_s)
        if USUAL in controls:
            _listed[key] = [
                (Path(part.strip()), name == OVERRIDING)
                for name in (OVERRIDING, USUAL)
                if name in controls
                for part in (controls[name].value or "").split(",")
                if part.strip()
            ]
    return _listed[key]


def _mpich_files(
    mpi: Mpi,  # noqa: ARG001
    engine: Engine,  # noqa: ARG001
    env: Mapping[str, str],  # noqa: ARG001
    timeout_s: float,  # noqa: ARG001
) -> Paths:
    return [(SYSTEM_MPICH, False)]


KINDS = (FileKind(MCA, False, _mca_files), FileKind(CVAR, True, _mpich_files))


def held_in_files(
    mpi: Mpi,
    engine: Engine,
    env: Mapping[str, str],
    timeout_s: float,
    asked: Container[str] = (),
) -> InFiles | None:
    """What the parameter files set that this library reads in this environment and `env`, as far as
    it may be stored; None if it is not known which it reads. asked: variables that are returned
    with any value, which is not for a file."""
    found: InFiles | None = None
    family = family_of(mpi)
    for kind in KINDS:
        if family.control_of(f"{kind.prefix}X") is None:
            continue
        paths = kind.paths(mpi, engine, env, timeout_s)
        if paths is None:
            continue
        found = found or NOTHING_HELD
        for path, overrides in paths:
            if settings := _settings_in(path, kind, asked):
                shown = _shown(path)
                names = frozenset({shown} if overrides else ())
                found = found.or_else(InFiles({shown: settings}, names))
    return found


def held_for(plan: Plan) -> InFiles | None:
    """The same for all cases of a plan; None also for simulated libraries, which read none."""
    found: InFiles | None = None
    real = {_key(case): case.placement for case in plan.cases if case.placement.platform is None}
    for placement in real.values():
        with suppress(HockneyError):  # a variant that cannot be built is left out
            own = held_in_files(*mpi_of(placement), placement.env, plan.sampling.timeout_s)
            found = found.or_else(own) if found and own else found or own
    return found


def _key(case: Case) -> tuple[object, ...]:
    """What decides which files are read: forced algorithms do not."""
    placement = case.placement
    return placement.mpicc, placement.engine, deciding(placement.env)


def deciding(env: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The variables that name parameter files."""
    return tuple(item for item in sorted(env.items()) if "param_file" in item[0])


def _settings_in(path: Path, kind: FileKind, asked: Container[str]) -> dict[str, str]:
    try:
        with path.open("rb") as file:
            text = file.read(MOST_BYTES).decode(errors="replace")
    except OSError:
        return {}
    found: dict[str, str] = {}
    for line in text.splitlines():
        in_file, equals, value = map(str.strip, line.partition("#")[0].partition("="))
        is_one = equals and NAME.fullmatch(in_file) and _is_a_name(in_file, kind)
        if not is_one or len(value) > LONGEST_VALUE:
            continue
        name = in_file if kind.has_prefix else kind.prefix + in_file
        if name in asked or (may_be_stored(name, value) and len(found) < MOST_LINES):
            found[name] = value
    return found


def _is_a_name(name: str, kind: FileKind) -> bool:
    return name.startswith(kind.prefix) if kind.has_prefix else name.islower()


def _shown(path: Path) -> str:
    """The path without the name of the user, which any directory outside of the system's may
    have."""
    path = Path(os.path.normpath(path))
    with suppress(ValueError, OSError, RuntimeError):
        home = Path(os.environ.get("HOME") or Path.home())
        if home != Path(home.anchor):  # as in some containers
            return f"~/{path.relative_to(home)}"
    return str(path) if any(map(path.is_relative_to, OF_THE_SYSTEM)) else path.name

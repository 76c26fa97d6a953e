"""Reads parameter files: settings in files of the user and of the system, which an MPI library
reads at its start beside the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Container, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hockney.base.confidential import may_be_stored
from hockney.base.errors import HockneyError
from hockney.plan import Case, Plan
from hockney.run.measure.preparation.setup import mpi_of
from hockney.run.mpis import Engine, Mpi, family_of

MOST_BYTES, MOST_LINES, LONGEST_VALUE = 1 << 16, 64, 200
"""Most bytes of a file, most of its settings, and most letters of a value: no user's file has
more."""
NAME = re.compile(r"\w+")
MCA, CVAR = "OMPI_MCA_", "MPIR_CVAR_"
OVERRIDING, USUAL = "mca_base_override_param_file", "mca_base_param_files"
"""The control variables of Open MPI that list its files."""
SYSTEM_MPICH = Path("/etc/mpich.conf")
OPEN_MPI = "openmpi-mca-params.conf"
"""The name of Open MPI's file of the system."""
BESIDE_OPEN_MPI = (
    ("PMIX_MCA_", ".pmix/mca-params.conf", "pmix-mca-params.conf"),
    ("PRTE_MCA_", ".prte/mca-params.conf", "prte-mca-params.conf"),
)
"""PMIx and PRRTE, which start the ranks of Open MPI 5: the prefix of their variables, the file in
the home directory, which goes before, and the one beside Open MPI's own."""
UCX, UCX_FILE, UCX_DIRECTORY = "UCX_", "ucx.conf", "UCX_CONFIG_DIR"
SYSTEM_UCX = Path("/etc/ucx")
OF_THE_SYSTEM = ("/etc", "/usr", "/opt")
"""Directories whose paths name no user."""


@dataclass(frozen=True)
class InFiles:
    """What parameter files set."""

    files: Mapping[str, dict[str, str]]
    """Values by equivalent environment variable, by file; the first file that sets a variable
    counts."""
    overriding: frozenset[str] = frozenset()
    """The files that override the environment."""

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
"""Files in order of precedence, and whether each overrides the environment."""


_listed: dict[tuple[object, ...], Paths | None] = {}
"""Files that engines listed in this process, by all that decides them: starting an engine takes
time, and each variant and each look of `watch` would start one."""


def _mca_files(mpi: Mpi, engine: Engine, env: Mapping[str, str], timeout_s: float) -> Paths | None:
    """The files that Open MPI reads, as it reports them (MPI_T): OMPI_MCA_mca_base_param_files, the
    home directory and the place where it is installed decide it. None if it reports none."""
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


def held_in_files(
    mpi: Mpi,
    engine: Engine,
    env: Mapping[str, str],
    timeout_s: float,
    variables: Container[str] = (),
) -> InFiles | None:
    """What the parameter files set that this library reads in this environment and `env`, as far as
    it may be stored; None if it is not known which it reads. variables: those returned whatever
    their values, which must not be stored."""
    held: InFiles | None = None
    family = family_of(mpi)
    for prefix in (MCA, CVAR):
        if family.control_of(f"{prefix}X") is None:
            continue
        paths: Paths | None = [(SYSTEM_MPICH, False)]
        if prefix == MCA:
            paths = _mca_files(mpi, engine, env, timeout_s)
        if paths is None:
            continue
        held = held or NOTHING_HELD
        for of, files in {prefix: paths, **_below(prefix, paths, env)}.items():
            for path, overrides in files:
                if settings := _settings_in(path, of, variables):
                    shown = _shown(path)
                    names = frozenset({shown} if overrides else ())
                    held = held.or_else(InFiles({shown: settings}, names))
    return held


def _below(prefix: str, paths: Paths, env: Mapping[str, str]) -> dict[str, Paths]:
    """The files of libraries below MPI in order of precedence, by the prefix of their variables.
    paths: the MPI's own."""
    homes = [home] if (home := _home()) else []
    named = env.get(UCX_DIRECTORY) or os.environ.get(UCX_DIRECTORY)
    of_ucx = [Path.cwd(), *([Path(named)] if named else []), *homes, SYSTEM_UCX]
    below = {UCX: [(directory / UCX_FILE, False) for directory in of_ucx]}
    if prefix == MCA:
        systems = [path.parent for path, _ in paths if path.name == OPEN_MPI]
        for of, user, system in BESIDE_OPEN_MPI:
            each = [*(home / user for home in homes), *(place / system for place in systems)]
            below[of] = [(path, False) for path in each]
    return below


def _home() -> Path | None:
    with suppress(RuntimeError):
        return Path(os.environ.get("HOME") or Path.home())
    return None


def held_for(plan: Plan) -> InFiles | None:
    """The same for all cases of a plan; None also for simulated libraries, which read none."""
    held: InFiles | None = None
    real = {_key(case): case.placement for case in plan.cases if case.placement.platform is None}
    for placement in real.values():
        with suppress(HockneyError):  # a variant that cannot be built is left out
            own = held_in_files(*mpi_of(placement), placement.env, plan.sampling.timeout_s)
            held = held.or_else(own) if held and own else held or own
    return held


def _key(case: Case) -> tuple[object, ...]:
    """What decides which files are read: forced algorithms do not."""
    placement = case.placement
    return placement.mpicc, placement.engine, deciding(placement.env)


def deciding(env: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The variables that name parameter files."""
    items = sorted(env.items())
    return tuple(item for item in items if "param_file" in item[0] or item[0] == UCX_DIRECTORY)


def _settings_in(path: Path, prefix: str, variables: Container[str]) -> dict[str, str]:
    """Values by environment variable. MPICH's file and UCX's name these; in Open MPI's they lack
    the prefix. Sections of UCX's are for some CPUs alone, and are left out."""
    has_prefix = prefix in (CVAR, UCX)
    try:
        with path.open("rb") as file:
            text = file.read(MOST_BYTES).decode(errors="replace")
    except OSError:
        return {}
    settings: dict[str, str] = {}
    if prefix == UCX:
        text = f"\n{text}".partition("\n[")[0]
    for line in text.splitlines():
        in_file, equals, value = map(str.strip, line.partition("#")[0].partition("="))
        is_name = in_file.startswith(prefix) if has_prefix else in_file.islower()
        if not (equals and is_name and NAME.fullmatch(in_file)) or len(value) > LONGEST_VALUE:
            continue
        name = in_file if has_prefix else prefix + in_file
        if name in variables or (may_be_stored(name, value) and len(settings) < MOST_LINES):
            settings[name] = value
    return settings


def _shown(path: Path) -> str:
    """The path without the name of the user, which any directory outside of the system's may
    have."""
    path = Path(os.path.normpath(path))
    home = _home()
    if home is not None and home != Path(home.anchor):  # as in some containers
        with suppress(ValueError):
            return f"~/{path.relative_to(home)}"
    return str(path) if any(map(path.is_relative_to, OF_THE_SYSTEM)) else path.name

"""Settings of MPI by environment variables and parameter files that differ between two runs, and
whether they acted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from hockney.infer.analysis.comparison.effects import FORMS, Form, between
from hockney.infer.analysis.comparison.factor import UNSET, DifferingFactor, Kind, Restored
from hockney.infer.analysis.conditions.traces import Traces, typical_launch

if TYPE_CHECKING:
    from hockney.infer.analysis import Analysis

THRESHOLD = re.compile(r"EAGER|RNDV|RENDEZ|THRESH|CELL_SIZE|MAX_SEND|FBOX_SIZE", re.I)
COUNT = re.compile(r"FBOX_(THRESHOLD|MAX)", re.I)
"""Variables that count something else than bytes, though one is named as a threshold; nor do they
choose a way of messages."""
COPIER = re.compile(r"(^|_)(CMA|XPMEM|KNEM|IPC|SINGLE_COPY|SMSC)(_|$)", re.I)
"""Variables of one way of messages, which a threshold among them chooses or leaves."""
TRANSPORT = re.compile(
    r"(^|_)(BTL|PML|MTL)$|(^|_)(TLS|PROVIDER|NETMOD|CMA|XPMEM|KNEM|SMSC|SHM|SINGLE_COPY|NET_DEVICES|"
    r"FABRICS?|DEVICES?|IFACE|IF_INCLUDE|IF_EXCLUDE|IPC)(_|$)",
    re.I,
)
COMPONENT = re.compile(r"(^|_)(BTL|PML|MTL)_", re.I)
"""Parameters of a component, which may choose a way of messages, as btl_base_exclude does, and most
of which do not."""
COLLECTIVE = re.compile(r"ALGORITHM|COLL|ADJUST|SELECTION", re.I)
BINDING = re.compile(r"BIND|AFFINITY|PIN|RMAPS|MAPPING|PLACES", re.I)
LAYOUT = re.compile(r"(^|_)(PERHOST|PPN)$", re.I)
"""Effects of variables, by their names."""
HARMLESS = re.compile(r"OMPI_ALLOW_RUN|SLURM_|PBS_|LSB_|FLUX_|MPICC$|_CC$|DEBUG|VERBOSE")
"""Variables that change no time."""
FAMILIES = {
    "mpich": re.compile(r"MPIR_CVAR_|MPICH_|HYDRA_|MPIEXEC_|MV2_|MVP_|PSP_|MPI_DSM_|I_MPI_"),
    "ompi": re.compile(r"OMPI_|PMIX_|PRTE_"),
}
"""Variables that only libraries of one kind read, by their ABI."""
LAYERS = {"UCX_": "uc", "PSM2_": "psm2", "PSM3_": "psm3"}
"""Variables of libraries below MPI, and part of the names of their files. libfabric is not among
them: some builds of MPICH contain it."""
MESSAGES = frozenset({"pingpong", "pairs", "cores", "fabric", "overheads", "halo", "overlap"})
"""Experiments without collectives."""
SIZE = re.compile(r"(-?\d+)([kmg]?)i?b?", re.I)
UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


class Held(NamedTuple):
    """The value of a variable, and the parameter file that sets it."""

    value: str
    file: str | None = None
    """None if it is set in the environment."""
    overrides: bool = False
    """Whether the file goes before the environment, which goes before all others."""

    @property
    def words(self) -> str:
        if self.file is None:
            return self.value
        before = ", which overrides the environment" if self.overrides else ""
        return f"{self.value} (in {self.file}{before})"


def held_of(analysis: Analysis) -> dict[str, Held]:
    """The known settings of a run's ranks, by the variables that set them: those of the environment
    and of parameter files, of which the first counts."""
    overriding = analysis.run.header.environment.get("overriding_files")
    first = overriding if isinstance(overriding, list) else []
    in_files: dict[str, Held] = {}
    for file, settings in (files_of(analysis) or {}).items():
        for name, value in settings.items() if isinstance(settings, Mapping) else ():
            in_files.setdefault(name, Held(str(value), file, file in first))
    known = in_files | {name: Held(value) for name, value in variables_of(analysis).items()}
    return known | {name: held for name, held in in_files.items() if held.overrides}


def files_of(analysis: Analysis) -> Mapping[str, object] | None:
    """What parameter files set; None if that is not known, as in records of older versions."""
    files = analysis.run.header.environment.get("parameter_files")
    return files if isinstance(files, Mapping) else None


def variables_of(analysis: Analysis) -> Mapping[str, str]:
    """The known variables that a run's ranks were given."""
    run = analysis.run
    stored = run.header.environment.get("env")
    variables = dict(stored) if isinstance(stored, Mapping) else {}
    variables |= typical_launch(run).env
    return variables | (analysis.plan.first.placement.env if analysis.plan else {})


def variable_factors(
    first: Analysis, second: Analysis, a: Traces, b: Traces
) -> Iterator[DifferingFactor]:
    first_held, second_held = held_of(first), held_of(second)
    are_known = None not in (files_of(first), files_of(second))
    abis = {launch.mpi.abi for of in (first, second) for launch in of.run.launches[:1]}
    for name in sorted(first_held.keys() | second_held.keys()):
        held, now = first_held.get(name), second_held.get(name)
        before, after = held and held.value, now and now.value
        if before == after or HARMLESS.search(name):
            continue
        in_files = [setting is not None and setting.file is not None for setting in (held, now)]
        if None in (held, now) and any(in_files) and not are_known:
            continue  # a file may have set the other as well
        # The file sets it even if the variable is removed, or is set and the file overrides it.
        is_kept = now is not None and in_files[1] and (held is None or now.overrides)
        factor = DifferingFactor(
            name,
            (held.words if held else UNSET, now.words if now else UNSET),
            Kind.SETTING,
            change=None if is_kept else Restored("variable", name, before, after),
        )
        readers = {abi for abi, names in FAMILIES.items() if names.match(name)}
        if readers and None not in abis and not readers & abis:
            yield replace(factor, why_not="no library here reads it")
        elif not _is_loaded(name, a, b):
            yield replace(factor, why_not="the library that reads it was not loaded")
        elif _was_not_taken(first, second, name):
            yield replace(factor, why_not="the library's control variable has the same value")
        elif COLLECTIVE.search(name) and first.run.header.experiment in MESSAGES:
            yield replace(factor, why_not="it is for collectives, and none was measured")
        else:
            yield _with_effect(factor, (before, after), a, b)


def _is_loaded(name: str, a: Traces, b: Traces) -> bool:
    """False if the library below MPI that reads the variable was surely not there."""
    part = next((part for prefix, part in LAYERS.items() if name.startswith(prefix)), None)
    known = [traces.libraries for traces in (a, b) if traces.libraries is not None]
    if part is None or not known:
        return True
    return any(part in library for libraries in known for library in libraries)


def _was_not_taken(first: Analysis, second: Analysis, name: str) -> bool:
    """Whether the control variable of this name was read in both runs, with the same value."""
    read = []
    for analysis in (first, second):
        controls = typical_launch(analysis.run).controls
        read.append({value for key, value in controls.items() if name.endswith(key)})
    return bool(read[0]) and read[0] == read[1]


def _with_effect(
    factor: DifferingFactor, values: tuple[str | None, str | None], a: Traces, b: Traces
) -> DifferingFactor:
    name = factor.name
    ways = ways_apart(a, b)
    if THRESHOLD.search(name) and not COUNT.search(name):
        known = sorted({size for value in values if (size := _bytes(value)) is not None})
        if known:
            form = between(known[0], known[1] if len(known) > 1 else None)
            where = " and ".join(f"{size} B" for size in known)
            evidence = f"a threshold acts on sizes between {where} and its other value, not known"
            if len(known) > 1:
                evidence = f"a threshold acts on sizes between {where}"
            if ways:
                evidence += f"; {ways}"
            forms = forms_of_ways(a, b) if ways and COPIER.search(name) else ()
            return replace(factor, forms=(form, *forms), evidence=evidence)
    if not COUNT.search(name):
        is_choice = TRANSPORT.search(name) is not None
        if is_choice and not ways and _ways_known(a, b):
            return replace(factor, why_not="messages went the same way under both")
        if ways and (is_choice or (COMPONENT.search(name) and not THRESHOLD.search(name))):
            return replace(factor, forms=forms_of_ways(a, b), evidence=ways)
    if BINDING.search(name):
        return replace(factor, why_not="the engine pins its ranks itself")
    if LAYOUT.search(name):
        same = "ranks were on the same hosts under both"
        moved = "it acts by the hosts of the ranks, which differ as well"
        return replace(factor, why_not=same if a.hosts == b.hosts else moved)
    return replace(factor, kind=Kind.UNKNOWN)


def _bytes(value: str | None) -> int | None:
    """The number of bytes of a threshold; None if it has no value, or one without a limit."""
    match = SIZE.fullmatch(value.strip()) if value else None
    if match is None or int(match[1]) < 0:
        return None
    return int(match[1]) * UNITS[match[2].lower()]


def _ways_known(a: Traces, b: Traces) -> bool:
    return None not in (a.small_way, b.small_way, a.large_way, b.large_way)


def ways_apart(a: Traces, b: Traces) -> str:
    """How the ways of messages differ; empty if they do not, or are unknown."""
    texts = [
        f"{size} messages went by {before} in A and by {after} in B"
        for size, before, after in (
            ("small", a.small_way, b.small_way),
            ("large", a.large_way, b.large_way),
        )
        if before != after and before and after
    ]
    return "; ".join(texts)


def forms_of_ways(a: Traces, b: Traces) -> tuple[Form, ...]:
    """Another way of large messages alone leaves small ones as they were."""
    is_for_all = None in (a.small_way, b.small_way) or a.small_way != b.small_way
    return (FORMS["any"],) if is_for_all else (FORMS["large"],)

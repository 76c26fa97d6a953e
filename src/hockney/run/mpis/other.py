"""An unknown library, which is used only as MPI's standard requires."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hockney.base.errors import UsageError
from hockney.plan.workloads.collective import DEFAULT
from hockney.run.mpis import Algorithm, Control, Engine, Forcing, Mpi, RulesFormat

LIBRARIES: tuple[str, ...] = ()
ENDPOINTS: str | None = None
PMI = ("pmix", "pmi2", "cray_shasta")
PACKAGES = "see your MPI's documentation"
FORMATS: dict[str, RulesFormat] = {}
SETTINGS: tuple[tuple[str, ...], ...] = ()
SETTINGS_PREFIXES = ("",)
AWARE: dict[str, str] = {}
VERBOSE: dict[str, str] = {"UCX_LOG_LEVEL": "info", "FI_LOG_LEVEL": "warn"}
"""Variables of network libraries that most MPIs use."""
TELLS: tuple[str, ...] = (
    r"UCX\s+INFO\s+(\S* ?(?:self|intra-node|inter-node)? ?(?:cfg#|ep_cfg\[)\d.*)",
)


def format_for(version: str | None) -> str:
    raise UsageError(f"this MPI {version or ''} reads no decision rules in a known format")


def all_controls(
    engine: Engine,  # noqa: ARG001
    env: Mapping[str, str],  # noqa: ARG001
    timeout_s: float = 0.0,  # noqa: ARG001
) -> dict[str, Control]:
    return {}


def environment(mpi: Mpi) -> dict[str, str]:  # noqa: ARG001
    return {}


def control_of(variable: str) -> str | None:  # noqa: ARG001
    return None


def discover(mpi: Mpi, engine: Engine, collectives: Sequence[str]) -> list[Algorithm]:  # noqa: ARG001
    return []


def is_segmented(algorithm: Algorithm) -> bool:  # noqa: ARG001
    return False


def forcing(
    collective: str,  # noqa: ARG001
    algorithm: Algorithm | None,  # noqa: ARG001
    segment: int | None,  # noqa: ARG001
    radix: int | None = None,  # noqa: ARG001
    requests: int | None = None,  # noqa: ARG001
) -> Forcing:
    """The library's own decision, as no algorithm is known."""
    return Forcing(DEFAULT)


def replaced_by(
    algorithm: Algorithm,  # noqa: ARG001
    ranks: int,  # noqa: ARG001
    bytes_: int,  # noqa: ARG001
    segment: int | None,  # noqa: ARG001
) -> str | None:
    return None

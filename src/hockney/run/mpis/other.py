"""An unknown library, which is used only as MPI's standard requires."""

from __future__ import annotations

from hockney.base.errors import UsageError
from hockney.plan.workloads.collective import DEFAULT
from hockney.run.mpis import Algorithm, Control, Forcing, RulesFormat

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


def all_controls(*_: object) -> dict[str, Control]:
    return {}


def environment(*_: object) -> dict[str, str]:
    return {}


def control_of(*_: object) -> str | None:
    return None


def discover(*_: object) -> list[Algorithm]:
    return []


def is_segmented(*_: object) -> bool:
    return False


def forcing(*_: object) -> Forcing:
    """The library's own decision, as no algorithm is known."""
    return Forcing(DEFAULT)


def replaced_by(*_: object) -> str | None:
    return None

"""Open MPI: the component coll/tuned with its enumerations and dynamic rules, coll/libnbc for
nonblocking collectives.

`replaced_by` follows ompi/mca/coll/base/coll_base_*.c and coll/libnbc/nbc_*.c of 4.1 to 6.0.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from hockney.plan.workloads.collective import DEFAULT, INT_BYTES
from hockney.run.mpis import (
    Algorithm,
    Engine,
    Forcing,
    Mpi,
    ParameterValues,
    RulesFormat,
    listed,
    other,
    parameters_set,
    with_parameters,
)
from hockney.run.mpis._controls import all_controls as all_controls
from hockney.run.mpis._controls import read_controls
from hockney.run.mpis._openmpi_parameters import (
    RADIX,
    REQUESTS,
    SEGMENTED,
    has_radix,
    has_requests,
    major_of,
)
from hockney.run.mpis._openmpi_reading import read_classic, read_json
from hockney.run.mpis._openmpi_writing import COLLECTIVE_NUMBERS as COLLECTIVE_NUMBERS
from hockney.run.mpis._openmpi_writing import SEEN_OF_ALL_RANKS as SEEN_OF_ALL_RANKS
from hockney.run.mpis._openmpi_writing import controls, distribution_of, with_fault
from hockney.run.mpis._openmpi_writing import environment_of_rules as environment_of_rules
from hockney.run.mpis._openmpi_writing import render_classic as render_classic
from hockney.run.mpis._openmpi_writing import render_json as render_json

LIBRARIES: tuple[str, ...] = ("Open MPI",)
AWARE: dict[str, str] = {}
ENDPOINTS: str | None = None
PMI = ("pmix",)
"""The only interface since version 5."""
PACKAGES = "Debian: libopenmpi-dev, Fedora: openmpi-devel"
PREFIX = "OMPI_MCA_"
"""Prefix of the environment variables that set control variables."""
SETTINGS = (
    ("btl_sm_eager_limit", "btl_vader_eager_limit"),
    ("btl_sm_max_send_size", "btl_vader_max_send_size"),
    ("btl_sm_fbox_size", "btl_vader_fbox_size"),
    ("btl_sm_fbox_threshold", "btl_vader_fbox_threshold"),
    ("btl_vader_single_copy_mechanism",),
    ("pml_ob1_send_pipeline_depth",),
    ("btl_tcp_eager_limit",),
)
SETTINGS_PREFIXES = (PREFIX,)
VERBOSE = {
    **other.VERBOSE,
    "OMPI_MCA_ompi_display_comm": "mpi_init",
    "OMPI_MCA_hook_comm_method_enable_mpi_init": "true",
}
"""The second name is that of version 4."""
TELLS = (*other.TELLS, r"^\s+((?:on|off)-host: +all connections are .*)", r"^(ucx\[\d+\]: .*)")
IGNORE = "ignore"
"""The value of an enumeration that forces nothing."""
OTHERS = ("han", "hcoll", "ucc")
"""Components that take precedence over coll/tuned if present, and ignore its rules."""


def environment(mpi: Mpi) -> dict[str, str]:  # noqa: ARG001
    """The variables without which Open MPI refuses to run as root; it needs both."""
    if os.geteuid() != 0:
        return {}
    return {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def control_of(variable: str) -> str | None:
    return variable.removeprefix(PREFIX) if variable.startswith(PREFIX) else None


def discover(mpi: Mpi, engine: Engine, collectives: Sequence[str]) -> list[Algorithm]:  # noqa: ARG001
    """The enumerations of the two components; algorithms of others cannot be forced."""
    controls = read_controls(engine)
    algorithms = []
    for collective in collectives:
        control = controls.get(_variable(collective))
        own_names = control.choices if control else []
        algorithms += with_parameters(
            listed(collective, own_names, IGNORE), RADIX, REQUESTS, controls
        )
    return algorithms


def _variable(collective: str) -> str:
    component = "libnbc" if collective.startswith("i") else "tuned"
    return f"coll_{component}_{collective}_algorithm"


def is_segmented(algorithm: Algorithm) -> bool:
    return algorithm.own_name in SEGMENTED.get(algorithm.collective, ())


def forcing(collective: str, algorithm: Algorithm | None, parameters: ParameterValues) -> Forcing:
    """Enables dynamic rules, sets the algorithm by its number and disables other components. In 4.1
    a rules file of the user takes precedence, so none may be set."""
    variable = _variable(collective)
    if algorithm is None:
        names = ("coll", "coll_tuned_use_dynamic_rules", "coll_tuned_dynamic_rules_filename")
        return Forcing(DEFAULT, controls=tuple((name, None) for name in (*names, variable)))
    settings = {
        "coll": _components(),
        "coll_tuned_use_dynamic_rules": "1",
        variable: str(algorithm.number),
    }
    read_back: dict[str, str | None] = {
        "coll": None,  # --read-back takes no commas in a value
        "coll_tuned_use_dynamic_rules": "true",
        "coll_tuned_dynamic_rules_filename": "",
        variable: algorithm.own_name,
    }
    segment = parameters.segment_bytes
    if is_segmented(algorithm):
        size = f"{variable}_segmentsize"
        read_back[size] = settings[size] = str(segment or 0)
    others = parameters_set(algorithm, parameters)
    settings |= others
    read_back |= others
    env = tuple((PREFIX + name, value) for name, value in settings.items())
    # A pipeline without segments passes the whole message along the chain.
    if algorithm.name == "pipeline" and not segment:
        parameters = parameters._replace(segment_bytes=0)
    return Forcing(algorithm.name, parameters, env, controls=tuple(read_back.items()))


def _components() -> str:
    """Disables OTHERS; a list of components that the user selected is kept."""
    components = os.environ.get(PREFIX + "coll", "")
    if components and not components.startswith("^"):
        return components
    without = [name for name in components.removeprefix("^").split(",") if name]
    return "^" + ",".join(dict.fromkeys([*without, *OTHERS]))


def replaced_by(algorithm: Algorithm, ranks: int, bytes_: int, segment: int | None) -> str | None:
    """The algorithm that Open MPI silently calls instead, and why; None if it runs this one."""
    collective, name = algorithm.collective, algorithm.own_name
    if name == "two_proc" and ranks != 2:
        return "gives an error: it is for two ranks"
    if collective == "bcast":
        return _bcast_replaced_by(name, ranks, bytes_, segment)
    if collective.endswith("reduce"):
        return _reduction_replaced_by(algorithm, ranks, bytes_ // INT_BYTES, segment)
    if collective.endswith("allgather") and name == "recursive_doubling" and ranks & (ranks - 1):
        return "runs another: the number of ranks is not a power of two"
    if name == "neighbor" and ranks % 2:
        return "runs ring: the number of ranks is odd"
    return None


def _bcast_replaced_by(name: str, ranks: int, bytes_: int, segment: int | None) -> str | None:
    if name.startswith("scatter_allgather") and bytes_ < ranks:
        return "runs basic_linear: fewer bytes than ranks"
    if name == "split_binary_tree" and bytes_ < 2:
        return "runs pipeline: a message that cannot be split"
    if name == "split_binary_tree" and segment and segment > bytes_ // 2:
        return "runs pipeline: half a message is less than a segment"
    return None


def _reduction_replaced_by(
    algorithm: Algorithm, ranks: int, count: int, segment: int | None
) -> str | None:
    collective, name = algorithm.collective, algorithm.own_name
    power = 1 << (ranks.bit_length() - 1)
    if name == "rabenseifner" and count < power:  # from 6 on, not in allreduce
        return "runs another: fewer elements than ranks"
    if name == "rabenseifner" and collective == "ireduce" and ranks == 2:
        return "runs another: it is for more than two ranks"
    if name == "ring" and collective == "allreduce" and count < ranks:
        return "runs recursive_doubling: fewer elements than ranks"
    if name == "segmented_ring" and count < ranks * ((segment or 0) // INT_BYTES or count):
        return "runs ring: not a segment for every rank"
    return None


def _is_6(version: str | None) -> bool:
    return major_of(version) >= 6


_COLLECTIVES = frozenset(COLLECTIVE_NUMBERS)
FORMATS = {
    "openmpi": RulesFormat(
        _COLLECTIVES,
        render_classic,
        environment_of_rules,
        with_fault,
        controls,
        comment="#",
        has_radix=has_radix,
        has_requests=has_requests,
        read=lambda path: read_classic(path, SEEN_OF_ALL_RANKS),
    ),
    # Without a fault: the library silently ignores a rule that it does not understand.
    "openmpi-json": RulesFormat(
        _COLLECTIVES,
        render_json,
        environment_of_rules,
        controls=controls,
        has_radix=has_radix,
        has_requests=has_requests,
        read=lambda path: read_json(path, SEEN_OF_ALL_RANKS),
        is_read_by=_is_6,
        layout_key=distribution_of,
    ),
}


def format_for(version: str | None) -> str:
    return "openmpi-json" if _is_6(version) else "openmpi"

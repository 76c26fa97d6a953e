"""Open MPI: mpiexec (ORTE up to 4, PRRTE from 5), the component coll/tuned with its enumerations
and dynamic rules, coll/libnbc for nonblocking collectives.

`replaced_by` follows ompi/mca/coll/base/coll_base_*.c and coll/libnbc/nbc_*.c of 4.1 to 6.0.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hockney.allowed import allowed_count
from hockney.mpis import Algorithm, Engine, Forcing, Mpi, Rule, RulesFormat, listed, with_radix
from hockney.mpis._agent import agent_commands
from hockney.mpis._controls import all_controls as all_controls
from hockney.mpis._controls import read_controls
from hockney.mpis._openmpi_parameters import (
    RADIX,
    SEGMENTED,
    fanout_of,
    has_radix,
    number_of,
    segment_of,
)
from hockney.mpis._openmpi_reading import read_classic, read_json
from hockney.spec import Case, Placement
from hockney.spec.workloads.collective import DEFAULT, INT_BYTES

LAUNCHER = "openmpi"
LIBRARIES = STARTS = ("Open MPI",)
ENDPOINTS: str | None = None
PMI = ("pmix",)
"""The only interface since version 5."""
PACKAGES = "Debian: libopenmpi-dev, Fedora: openmpi-devel"
START_FAILURES = ("The PMIx server's listener thread failed to start",)
"""Version 5, where network interfaces come and go while it reads their list."""
HOST_FILE = "--hostfile"
HOST_LIST = ("--host", "%s:%s,")

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
IGNORE = "ignore"
"""The value of an enumeration that forces nothing."""
OTHERS = ("han", "hcoll", "ucc")
"""Components that take precedence over coll/tuned if present, and ignore its rules."""
COLLECTIVE_NUMBERS = {
    "allgather": 0,
    "allreduce": 2,
    "alltoall": 3,
    "barrier": 6,
    "bcast": 7,
    "gather": 9,
    "reduce": 11,
    "reduce_scatter_block": 13,
    "scan": 14,
    "scatter": 15,
}
"""COLLTYPE in ompi/mca/coll/base/coll_base_functions.h."""
SEEN_OF_ALL_RANKS = frozenset(
    {"allgather", "alltoall", "gather", "reduce_scatter_block", "scatter"}
)
"""Collectives whose rules count the blocks of all ranks together."""
NO_SUCH_ALGORITHM = 99
OWN_DECISION = "0 0 0 0"
ANY_DISTRIBUTION = "any"
DISTRIBUTIONS = ("single-node", "one-per-node", ANY_DISTRIBUTION)
"""Of ranks over nodes, as Open MPI 6 tells them apart; the special ones first."""
OWN_RULE = {"msg_size_min": 0, "msg_size_max": "inf", "alg": 0}
"""Leaves all sizes to the library."""


def launcher_version(launcher: Path, words: str) -> str | None:  # noqa: ARG001
    known = "Open MPI" in words or "OpenRTE" in words or "PRRTE" in words
    return words.strip().partition("\n")[0] if known else None


def command(mpi: Mpi, case: Case, program: Sequence[str]) -> list[str]:
    """Without binding, because the engine pins; oversubscribing only where needed."""
    placement = case.placement
    options = ["--bind-to", "none"]
    hosts = placement.hosts[: placement.node_count]
    if hosts:
        slots = placement.per_node
        options += ["--host", ",".join(f"{host}:{slots}" for host in hosts)]
    # OVERSUBSCRIBE is needed even for the slots that --host names.
    oversubscribed = bool(hosts) or placement.ranks > allowed_count()
    mapping = _mapping(placement)
    if mapping or oversubscribed:
        options += ["--map-by", mapping + (":OVERSUBSCRIBE" if oversubscribed else "")]
    return [str(mpi.mpiexec), *options, "-n", str(placement.ranks), *program]


def _mapping(placement: Placement) -> str:
    if placement.place == "node":
        return "node"
    return f"ppr:{placement.per_node}:node" if placement.per_node else ""


def environment(mpi: Mpi) -> dict[str, str]:  # noqa: ARG001
    """Open MPI refuses root unless both variables are set."""
    if os.geteuid() != 0:
        return {}
    return {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def control_of(variable: str) -> str | None:
    return variable.removeprefix(PREFIX) if variable.startswith(PREFIX) else None


def reach(mpi: Mpi, placement: Placement, script: str) -> list[list[str]]:  # noqa: ARG001
    agents = ["PRTE_MCA_plm_ssh_agent", "OMPI_MCA_plm_rsh_agent"]
    return agent_commands(agents, placement.hosts[: placement.node_count], script)


def discover(mpi: Mpi, engine: Engine, collectives: Sequence[str]) -> list[Algorithm]:  # noqa: ARG001
    """The enumerations of the two components; algorithms of others cannot be forced."""
    controls = read_controls(engine)
    found = []
    for collective in collectives:
        control = controls.get(_variable(collective))
        own_names = control.choices if control else []
        found += with_radix(listed(collective, own_names, IGNORE), RADIX, controls)
    return found


def _variable(collective: str) -> str:
    component = "libnbc" if collective.startswith("i") else "tuned"
    return f"coll_{component}_{collective}_algorithm"


def is_segmented(algorithm: Algorithm) -> bool:
    return algorithm.own_name in SEGMENTED.get(algorithm.collective, ())


def forcing(
    collective: str, algorithm: Algorithm | None, segment: int | None, radix: int | None = None
) -> Forcing:
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
    if is_segmented(algorithm):
        size = f"{variable}_segmentsize"
        read_back[size] = settings[size] = str(segment or 0)
    if algorithm.radix and radix is not None:
        read_back[algorithm.radix.control] = settings[algorithm.radix.control] = str(radix)
    env = tuple((PREFIX + name, value) for name, value in settings.items())
    # A pipeline without segments passes the whole message along the chain.
    segment_bytes = 0 if algorithm.name == "pipeline" and not segment else segment
    return Forcing(
        algorithm.name, segment_bytes, env, controls=tuple(read_back.items()), radix=radix
    )


def _components() -> str:
    """Disables OTHERS; a list of components that the user selected is kept."""
    asked = os.environ.get(PREFIX + "coll", "")
    if asked and not asked.startswith("^"):
        return asked
    without = [name for name in asked.removeprefix("^").split(",") if name]
    return "^" + ",".join(dict.fromkeys([*without, *OTHERS]))


def replaced_by(algorithm: Algorithm, ranks: int, bytes_: int, segment: int | None) -> str | None:
    """Some functions of Open MPI silently call another algorithm."""
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


def scale_of(rule: Rule) -> int:
    """The factor from the sizes of a rule to those that the library sees."""
    return rule.ranks if rule.collective in SEEN_OF_ALL_RANKS else 1


def render_classic(rules: Sequence[Rule], engine: Engine | None) -> dict[str, str]:  # noqa: ARG001
    """The file of dynamic rules of Open MPI 4.1 and 5 (coll_tuned_dynamic_file.c).

    The file holds numbers; # begins a comment. The first message size for each number of ranks must
    be 0, and sizes must ascend; any mistake makes the library ignore the whole file silently. A
    number of ranks applies up to the next one, the first also below; algorithm 0 is the library's
    own decision. Open MPI 6 reads this format too, but takes the numbers of ranks as upper limits.
    """
    collectives = list(dict.fromkeys(rule.collective for rule in rules))
    lines = [
        "# Decision rules for Open MPI's coll/tuned, written by hockney tune",
        f"{len(collectives)} # collectives",
    ]
    for collective in collectives:
        lines += _collective(collective, [rule for rule in rules if rule.collective == collective])
    return {"": "\n".join(lines) + "\n"}


def with_fault(files: Mapping[str, str]) -> dict[str, str]:
    """Adds a rule at the end: the barrier, with an algorithm that does not exist. A library that
    has read the whole file fails in MPI_Barrier."""
    text = re.sub(r"(?m)^(\d+)", lambda count: str(int(count[1]) + 1), files[""], count=1)
    barrier = f"{COLLECTIVE_NUMBERS['barrier']}\n1\n1\n1\n0 {NO_SUCH_ALGORITHM} 0 0\n"
    return {"": text + barrier}


def environment_of_rules(path: Path) -> dict[str, str]:
    """Reads the rules, and disables components that would ignore them."""
    return {
        "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
        "OMPI_MCA_coll_tuned_dynamic_rules_filename": str(path.resolve()),
        "OMPI_MCA_coll": "^han,hcoll,ucc",
    }


def controls(path: Path) -> dict[str, str | None]:
    """Control variables, and the values that they must have when the rules are in use."""
    return {
        "coll_tuned_use_dynamic_rules": "true",
        "coll_tuned_dynamic_rules_filename": str(path.resolve()),
    }


def _collective(collective: str, rules: Sequence[Rule]) -> list[str]:
    """Rules apply to the measured numbers of ranks only; the library decides for all others."""
    measured = sorted({rule.ranks for rule in rules})
    sections: dict[int, list[str]] = {}
    if measured[0] > 1:
        sections[1] = [OWN_DECISION]
    for ranks in measured:
        sections[ranks] = _rows([rule for rule in rules if rule.ranks == ranks])
        sections.setdefault(ranks + 1, [OWN_DECISION])
        if ranks + 1 in measured:
            del sections[ranks + 1]
    lines = [f"{COLLECTIVE_NUMBERS[collective]} # {collective}", f"{len(sections)} # ranks"]
    for ranks, rows in sorted(sections.items()):
        own = " and more" if rows == [OWN_DECISION] else ""
        lines += [f"{ranks} # ranks{own}", f"{len(rows)} # sizes", *rows]
    return lines


def _rows(rules: Sequence[Rule]) -> list[str]:
    """Rows of smallest size, algorithm, fan-out and segment size."""
    rows: dict[int, str] = {0: OWN_DECISION}
    for rule in sorted(rules, key=lambda rule: rule.from_bytes):
        scale = scale_of(rule)
        begin = scale * rule.from_bytes
        words = " ".join(rule.name.split())  # a comment ends with its line
        rows[begin] = f"{begin} {number_of(rule)} {fanout_of(rule)} {segment_of(rule)} # {words}"
        if rule.to_bytes is not None:
            end = scale * (rule.to_bytes + 1)
            rows[end] = f"{end} 0 0 0"
    return [row for _, row in sorted(rows.items())]


def render_json(rules: Sequence[Rule], engine: Engine | None) -> dict[str, str]:  # noqa: ARG001
    """Rules for Open MPI 6 (docs/tuning-apps/tuned_dynamic_file_schema.json).

    The first matching rule applies, limits are inclusive, and the library decides where no rule
    matches. Older versions of the schema lack seg_size, which the reader takes: it is written where
    it says something. The schema spells reduce_scatter_block as reducescatterblock, which the
    reader does not know.
    """
    collectives = {
        collective: _sections([rule for rule in rules if rule.collective == collective])
        for collective in dict.fromkeys(rule.collective for rule in rules)
    }
    content = {"rule_file_version": 3, "module": "tuned", "collectives": collectives}
    return {"": json.dumps(content, indent=2) + "\n"}


def _sections(rules: Sequence[Rule]) -> list[dict[str, Any]]:
    """The first section that fits the ranks and their distribution applies, so that those of any
    distribution come last. Where they were measured with some layout, the other two distributions
    are left to the library."""
    sections = []
    for ranks in sorted({rule.ranks for rule in rules}):
        of_it = [rule for rule in rules if rule.ranks == ranks]
        by_kind = {kind: [r for r in of_it if _distribution(r) == kind] for kind in DISTRIBUTIONS}
        has_layout = any(rule.nodes is not None for rule in by_kind[ANY_DISTRIBUTION])
        for kind, held in by_kind.items():
            rows = [_rule(rule) for rule in held]
            if has_layout and not rows:
                rows = [OWN_RULE]
            if rows:
                sections.append(
                    {
                        "comm_size_min": ranks,
                        "comm_size_max": of_it[0].last_ranks,
                        "comm_rank_distribution": kind,
                        "rules": rows,
                    }
                )
    return sections


def _distribution(rule: Rule) -> str:
    return distribution_of(rule.nodes, rule.per_node) if rule.nodes else ANY_DISTRIBUTION


def distribution_of(nodes: int | None, per_node: int | None) -> str:
    """What Open MPI 6 calls a layout."""
    if nodes == 1:
        return "single-node"
    return "one-per-node" if per_node == 1 else ANY_DISTRIBUTION


def _rule(rule: Rule) -> dict[str, Any]:
    scale, segment = scale_of(rule), segment_of(rule)
    found = {
        "msg_size_min": scale * rule.from_bytes,
        "msg_size_max": "inf" if rule.to_bytes is None else scale * (rule.to_bytes + 1) - 1,
        "alg": number_of(rule),
        "faninout": fanout_of(rule),
        "reqs": 0,
    }
    return found | ({"seg_size": segment} if segment else {})


def _is_6(version: str | None) -> bool:
    major = re.match(r"\d+", version or "")
    return bool(major and int(major[0]) >= 6)


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
        read=lambda path: read_classic(path, SEEN_OF_ALL_RANKS),
    ),
    # Without a fault: the library silently ignores a rule that it does not understand.
    "openmpi-json": RulesFormat(
        _COLLECTIVES,
        render_json,
        environment_of_rules,
        controls=controls,
        has_radix=has_radix,
        read=lambda path: read_json(path, SEEN_OF_ALL_RANKS),
        is_read_by=_is_6,
        layout_key=distribution_of,
    ),
}


def format_for(version: str | None) -> str:
    return "openmpi-json" if _is_6(version) else "openmpi"

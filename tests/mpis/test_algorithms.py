"""Algorithms that real MPI libraries report, and whether they run what is forced."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import TEST_TIMEOUT_S, RunEngine, first_of
from hockney.base.errors import UsageError
from hockney.plan import Case, Placement, Sampling
from hockney.plan.algorithms import common_names
from hockney.plan.axes import algorithm_text
from hockney.plan.engine import engine_arguments, launch_arguments
from hockney.plan.workloads.collective import COLLECTIVES
from hockney.run.measure.launches.start import start_of
from hockney.run.measure.launches.trial import EMPTY_MESSAGES
from hockney.run.measure.studies.algorithm_names import checked_collectives, chosen
from hockney.run.measure.toolchain.build import build_engine
from hockney.run.measure.toolchain.mpi import find_mpi, why_not_whole
from hockney.run.mpis import (
    OWN_PARAMETERS,
    Algorithm,
    Control,
    Engine,
    Mpi,
    ParameterValues,
    family_of,
    mpich,
    openmpi,
)
from hockney.run.mpis._controls import accepts, read_controls

EMBEDDED = str(Path(sys.prefix) / "bin" / "mpicc")
INSTALLED = [EMBEDDED, "mpicc.mpich", "mpicc.openmpi"]
"""The embedded MPI, and those that Debian puts side by side."""

BINOMIAL = Algorithm("bcast", "binomial", "binomial", 1)
CHAIN = Algorithm("bcast", "chain", "chain", 2)


@pytest.fixture(scope="module", params=first_of(INSTALLED))
def library(request: pytest.FixtureRequest) -> tuple[Mpi, Engine]:
    """Each MPI library that is here, with its engine."""
    wrapper = shutil.which(request.param)
    if not wrapper or why_not_whole(Path(wrapper)):
        pytest.skip(f"no whole {request.param} here")
    mpi = find_mpi(request.param)
    return mpi, build_engine(mpi)


def discovered(library: tuple[Mpi, Engine], collective: str) -> dict[str, Algorithm]:
    algorithms = family_of(library[0]).discover(*library, [collective])
    assert {each.collective for each in algorithms} <= {collective}
    return {each.name: each for each in algorithms}


def test_every_library_tells_its_algorithms(library: tuple[Mpi, Engine]) -> None:
    usual = [
        name
        for name in COLLECTIVES
        # Without communication there is nothing to choose; of w-forms few libraries have two.
        if not (name.startswith("i") or name.endswith(("v", "w")) or name == "reduce_local")
    ]
    for collective in [*usual, "alltoallv", "ibcast"]:
        assert len(discovered(library, collective)) > 1, collective


def test_one_algorithm_has_one_name_in_all_libraries(library: tuple[Mpi, Engine]) -> None:
    assert {"binomial", "scatter_allgather", "scatter_allgather_ring"} <= set(
        discovered(library, "bcast")
    )
    assert {"recursive_doubling", "rabenseifner"} <= set(discovered(library, "allreduce"))


def launched(library: tuple[Mpi, Engine], algorithm: Algorithm, **changed: str) -> str:
    """Output of a launch that runs `algorithm` and must prove it."""
    mpi, engine = library
    forcing = family_of(mpi).forcing(algorithm.collective, algorithm, OWN_PARAMETERS)
    placement = Placement(env=dict(forcing.env), controls=dict(forcing.controls))
    case = Case(workload=EMPTY_MESSAGES, placement=placement)
    arguments = [*engine_arguments(case, Sampling(), 0.02), *launch_arguments(0)]
    start = start_of(mpi, engine, case, arguments, changed)
    done = subprocess.run(
        start.command,
        capture_output=True,
        text=True,
        timeout=TEST_TIMEOUT_S,
        env={**os.environ, **start.env},
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize("name", ["binomial", "scatter_allgather_ring"])
def test_what_is_forced_is_taken(library: tuple[Mpi, Engine], name: str) -> None:
    algorithm = discovered(library, "bcast")[name]
    said = launched(library, algorithm)
    assert "did not accept" not in said
    value = algorithm.own_name if library[0].family == "openmpi" else str(algorithm.number)
    assert f'_algorithm":"{value}"' in said.lower()


def test_a_launch_ends_where_it_was_not_taken(library: tuple[Mpi, Engine]) -> None:
    algorithm = discovered(library, "bcast")["binomial"]
    (name,) = [
        n
        for n, _ in family_of(library[0]).forcing("bcast", algorithm, OWN_PARAMETERS).env
        if n.lower().endswith("_algorithm")
    ]
    said = launched(library, algorithm, **{name: "0" if "OMPI" in name else "auto"})
    assert "the MPI library did not accept a setting" in said
    assert '"samples"' not in said


def test_a_name_that_is_not_its_own_is_refused() -> None:
    engine = build_engine(find_mpi(EMBEDDED))
    assert accepts(engine, "MPIR_CVAR_BCAST_INTRA_ALGORITHM", "binomial")
    assert not accepts(engine, "MPIR_CVAR_BCAST_INTRA_ALGORITHM", "binomal")
    assert read_controls(engine)["MPIR_CVAR_BCAST_INTRA_ALGORITHM"].value == "0"


def test_a_variable_that_the_library_lacks_is_null(run_engine: RunEngine) -> None:
    done = run_engine("pingpong", "--sizes=0", "--seconds=0.02", "--read-back=NOBODY,NOWHERE")
    assert done.of("launch")[0]["controls"] == {"NOBODY": None, "NOWHERE": None}


def test_names_that_stick_to_the_word_before_them_are_found() -> None:
    """MPICH 4.0 writes such names."""
    engine = build_engine(find_mpi(EMBEDDED))
    control = Control(
        name="MPIR_CVAR_BCAST_INTRA_ALGORITHM",
        description="to select bcast algorithmauto - Internal (see FILE)binomial    - Force "
        "Binomial Treenb   - Force algorithmsmp - Force ScatterRing",
    )
    words = {"algorithm", "algorithms", "Tree"}
    assert list(mpich._choices(engine, control, words)) == ["auto", "binomial", "nb", "smp"]


def test_names_that_stick_to_a_word_which_stands_nowhere_alone_are_found() -> None:
    """MPICH 4.0 has "receives" at the end of lines only, whose breaks it lacks."""
    engine = build_engine(find_mpi(EMBEDDED))
    control = Control(
        name="MPIR_CVAR_IALLREDUCE_INTRA_ALGORITHM",
        description="iallreduce algorithmauto - Internal algorithmtsp_recexch_single_buffer    - "
        "with single buffer for receivestsp_recexch_multiple_buffer  - with multiple buffers for "
        "receivestsp_tree  - Force generic transport tree algorithmtsp_ring  - Force ring",
    )
    assert list(mpich._choices(engine, control, {"algorithm"})) == [
        "auto",
        "tsp_recexch_single_buffer",
        "tsp_recexch_multiple_buffer",
        "tsp_tree",
        "tsp_ring",
    ]


@pytest.mark.long
@pytest.mark.parametrize("mpicc", [EMBEDDED, "mpicc.mpich"])
def test_every_name_in_a_description_is_one_that_the_library_accepts(mpicc: str) -> None:
    if not shutil.which(mpicc):
        pytest.skip(f"no {mpicc} here")
    mpi = find_mpi(mpicc)
    engine = build_engine(mpi)
    algorithms = mpich.discover(mpi, engine, COLLECTIVES)
    for algorithm in algorithms:
        settings = mpich.forcing(algorithm.collective, algorithm, OWN_PARAMETERS).env
        [variable] = [name for name, _ in settings if name.endswith("_ALGORITHM")]
        assert accepts(engine, variable, algorithm.own_name), (variable, algorithm.own_name)


@pytest.mark.simgrid
def test_simgrid_tells_its_algorithms() -> None:
    mpi = find_mpi("smpicc")
    library = mpi, build_engine(mpi)
    algorithms = discovered(library, "bcast")
    assert algorithms["binomial"].own_name == "binomial_tree"
    assert algorithms["basic_linear"].own_name == "flattree"
    assert "mpich" not in algorithms  # a decision, not an algorithm
    forcing = family_of(mpi).forcing("bcast", algorithms["binomial"], OWN_PARAMETERS)
    assert forcing.cfg == ("smpi/bcast:binomial_tree",)


@pytest.mark.parametrize(
    ("collective", "own_name", "ranks", "bytes_", "segment", "by"),
    [
        ("bcast", "scatter_allgather", 4, 3, None, "basic_linear"),
        ("bcast", "scatter_allgather", 4, 4, None, None),
        ("bcast", "split_binary_tree", 4, 1, None, "pipeline"),
        ("bcast", "split_binary_tree", 4, 2, None, None),
        ("bcast", "split_binary_tree", 4, 8192, 8192, "pipeline"),
        ("bcast", "split_binary_tree", 4, 16384, 8192, None),
        ("reduce", "rabenseifner", 6, 12, None, "another"),
        ("reduce", "rabenseifner", 6, 16, None, None),
        ("allreduce", "ring", 6, 20, None, "recursive_doubling"),
        ("allreduce", "ring", 6, 24, None, None),
        ("allreduce", "segmented_ring", 2, 1 << 20, None, "ring"),
        ("allreduce", "segmented_ring", 2, 1 << 20, 8192, None),
        ("allgather", "recursive_doubling", 6, 8, None, "another"),
        ("allgather", "recursive_doubling", 8, 8, None, None),
        ("allgather", "neighbor", 3, 8, None, "ring"),
        ("barrier", "two_proc", 3, 0, None, "none"),
        ("barrier", "two_proc", 2, 0, None, None),
    ],
)
def test_silent_fallbacks_of_open_mpi(
    collective: str, own_name: str, ranks: int, bytes_: int, segment: int | None, by: str | None
) -> None:
    algorithm = Algorithm(collective, own_name, own_name, 1)
    fallback = openmpi.replaced_by(algorithm, ranks, bytes_, segment)
    words = None if by is None else "gives an error" if by == "none" else f"runs {by}"
    assert (fallback.partition(":")[0] if fallback else None) == words


@pytest.mark.parametrize(
    ("collective", "own_name", "ranks", "bytes_", "fits"),
    [
        ("allgather", "recursive_doubling", 6, 8, False),
        ("allgather", "recursive_doubling", 8, 8, True),
        ("allreduce", "reduce_scatter_allgather", 6, 12, False),
        ("allreduce", "reduce_scatter_allgather", 6, 16, True),
        ("allreduce", "ccl", 2, 8, False),
        ("bcast", "binomial", 6, 0, True),
    ],
)
def test_restrictions_of_mpich(
    collective: str, own_name: str, ranks: int, bytes_: int, fits: bool
) -> None:
    algorithm = Algorithm(collective, own_name, own_name, 1)
    assert (mpich.replaced_by(algorithm, ranks, bytes_, None) is None) == fits


def test_a_pipeline_without_segments_is_called_one() -> None:
    pipeline = Algorithm("bcast", "pipeline", "pipeline", 3)
    whole = openmpi.forcing("bcast", pipeline, OWN_PARAMETERS)
    assert algorithm_text(whole.algorithm, *whole.parameters) == "pipeline, unsegmented"
    segmented = openmpi.forcing("bcast", pipeline, ParameterValues(65536))
    label = algorithm_text(segmented.algorithm, *segmented.parameters)
    assert label == "pipeline, 64 KiB segments"
    assert ("OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize", "65536") in segmented.env


@pytest.mark.parametrize(
    ("asked", "components"),
    [
        ("", "^han,hcoll,ucc"),
        ("^sm,han", "^sm,han,hcoll,ucc"),
        ("tuned,basic,libnbc", "tuned,basic,libnbc"),
    ],
)
def test_components_before_the_forced_one_are_set_aside(
    monkeypatch: pytest.MonkeyPatch, asked: str, components: str
) -> None:
    monkeypatch.setenv("OMPI_MCA_coll", asked)
    assert (
        dict(openmpi.forcing("bcast", BINOMIAL, OWN_PARAMETERS).env)["OMPI_MCA_coll"] == components
    )


def test_all_is_the_default_and_every_algorithm() -> None:
    available = [BINOMIAL, CHAIN, Algorithm("scatter", "binomial", "binomial", 2)]
    assert chosen(available, "bcast", ["all"]) == [None, BINOMIAL, CHAIN]
    assert chosen(available, "bcast", ["chain", "default", "chain"]) == [CHAIN, None]


@pytest.mark.parametrize(
    ("name", "words"),
    [("binomal", "did you mean binomial"), ("pipeline", "other lib"), ("x", "it has binomial")],
)
def test_an_algorithm_that_is_not_there(name: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        chosen([BINOMIAL, CHAIN], "bcast", [name])


def test_a_collective_that_is_not_measured() -> None:
    assert checked_collectives(["bcast", "scan", "bcast"]) == ["bcast", "scan"]
    with pytest.raises(UsageError, match="did you mean bcast"):
        checked_collectives(["brodcast"])


def test_two_of_one_library_never_get_the_same_name() -> None:
    assert common_names(["ompi_binomial", "binomial", "ompi_chain"]) == {
        "ompi_binomial": "ompi_binomial",
        "binomial": "binomial",
        "ompi_chain": "chain",
    }
    assert mpich.forcing("bcast", None, OWN_PARAMETERS).algorithm == "default"

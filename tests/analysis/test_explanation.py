"""Why two runs differ: planted causes are named, and no others."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from hockney.base.errors import UsageError
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.comparison.compare import compare
from hockney.infer.analysis.comparison.explanation import Explanation, explanation
from hockney.records import Run
from hockney.show.comparison.explanation_lines import answer_words, explanation_lines
from planted_differences import APART, DECOYS, EVERY, SEEDS, UNRECORDED, pair_of
from planted_runs import NETWORK, Planted, run_of
from samples import make_run

TOLERANCE = 0.03
BASE = Planted()


def explained(first: Run, second: Run) -> Explanation:
    return explanation(Analysis(first), Analysis(second), TOLERANCE)


def planted(first: Planted, second: Planted) -> Explanation:
    return explained(run_of(first, 1), run_of(second, 2, name="B"))


def named(difference: Explanation) -> list[str]:
    return [cause.factor.name for cause in difference.causes]


@pytest.mark.parametrize("cause", SEEDS)
def test_a_planted_cause_is_named_first_and_alone(cause: str) -> None:
    seed = SEEDS[cause]
    difference = explained(*pair_of(seed.base, seed.other, 1))
    assert named(difference)[0] in seed.names
    assert set(named(difference)) <= set(seed.names)
    assert difference.is_explained


@pytest.mark.parametrize("change", UNRECORDED)
def test_a_change_without_a_record_accuses_nobody(change: str) -> None:
    difference = explained(*pair_of(lambda _: BASE, UNRECORDED[change], 2, decoys=len(DECOYS) - 1))
    assert difference.shown
    assert not difference.causes
    assert difference.unexplained == 1.0


EAGER = {"OMPI_MCA_btl_vader_eager_limit": "65536"}
OTHERWISE = {
    "each message": replace(BASE, latency_s=2.0 * BASE.latency_s, env=EAGER),
    "each byte": replace(BASE, second_a_byte=2.0 * BASE.second_a_byte, env=EAGER),
    "all alike": replace(
        BASE,
        latency_s=1.4 * BASE.latency_s,
        second_a_byte=1.4 * BASE.second_a_byte,
        rendezvous_s=1.4 * BASE.rendezvous_s,
        env=EAGER,
    ),
}


@pytest.mark.parametrize("was", [{}, {"OMPI_MCA_btl_vader_eager_limit": "4096"}])
@pytest.mark.parametrize("change", OTHERWISE)
def test_a_difference_that_has_no_border_accuses_no_threshold(
    change: str, was: dict[str, str]
) -> None:
    difference = planted(replace(BASE, env=was), OTHERWISE[change])
    assert difference.shown
    assert not named(difference)
    (cleared,) = difference.cleared
    assert cleared.why.startswith("the difference does not begin or end there: it is ")


def test_a_count_is_no_threshold_and_may_be_what_acts() -> None:
    slower = replace(OTHERWISE["each message"], env={"OMPI_MCA_btl_vader_fbox_max": "0"})
    difference = planted(BASE, slower)
    assert not named(difference)
    assert answer_words(difference).endswith(
        "nothing that is recorded explains it; perhaps OMPI_MCA_btl_vader_fbox_max, of unknown "
        "effect: --try measures it"
    )


CHOICES = ("base_exclude", "uct_transports", "uct_memory_domains", "tcp_disable_family", "ofi_mode")


@pytest.mark.parametrize("choice", CHOICES)
def test_a_component_may_have_chosen_the_way_of_messages_where_it_changed(choice: str) -> None:
    name = f"OMPI_MCA_btl_{choice}"
    slower = replace(OTHERWISE["all alike"], env={name: "another"})
    other = replace(slower, small="tcp", large="tcp")
    difference = planted(BASE, other)
    assert named(difference) == [name]
    difference = planted(BASE, slower)
    assert difference.of_unknown_effect == [name]


@pytest.mark.parametrize(
    ("name", "abi"),
    [
        ("OMPI_MCA_btl_vader_fbox_max", "ompi"),
        ("OMPI_MCA_btl_vader_fbox_threshold", "ompi"),
        ("MPIR_CVAR_CH4_SHM_POSIX_FBOX_THRESHOLD", "mpich"),
    ],
)
def test_a_count_has_chosen_no_way_of_messages(name: str, abi: str) -> None:
    first = replace(BASE, abi=abi)
    slower = replace(OTHERWISE["all alike"], abi=abi, env={name: "3"})
    for way in ("shared", "tcp"):
        other = replace(slower, small=way, large=way if way == "tcp" else "cma")
        difference = planted(first, other)
        assert name not in named(difference)
        assert difference.of_unknown_effect == [name]


def test_a_difference_of_small_messages_as_well_accuses_no_way_of_large_ones() -> None:
    slower = replace(OTHERWISE["all alike"], env={}, large=BASE.small)
    difference = planted(BASE, slower)
    assert not named(difference)
    assert difference.cleared[0].why.endswith("it is the same ratio at every size")


def test_a_latency_accuses_no_rate_of_ports() -> None:
    ports = replace(BASE, places=APART, small=NETWORK, large=NETWORK)
    first, second = (
        replace(ports, latency_s=latency_s, port_rate=rate)
        for latency_s, rate in ((5e-7, "200 Gb/sec (4X HDR)"), (1e-6, "100 Gb/sec (2X HDR)"))
    )
    difference = planted(first, second)
    assert difference.form == "latency"
    assert not named(difference)
    assert [cleared.factor.name for cleared in difference.cleared] == ["rate of the ports"]


def test_a_threshold_beside_slower_cores_is_named_second() -> None:
    rendezvous = replace(BASE, rendezvous_s=2e-6)
    slower = replace(
        OTHERWISE["all alike"],
        rendezvous_s=2.8e-6,
        switch_bytes=65536,
        compute_s=1.4 * BASE.compute_s,
    )
    difference = planted(rendezvous, slower)
    assert named(difference) == ["speed of the cores", *EAGER]
    assert not difference.causes[0].instead


@pytest.mark.parametrize("seed", range(10))
def test_equal_runs_have_no_cause(seed: int) -> None:
    assert not explained(*pair_of(lambda _: BASE, None, seed)).causes


def test_two_causes_share_a_difference() -> None:
    """A slower clock for small messages, another path for large."""
    first = replace(BASE, workload=EVERY, environment={"clock_source": "tsc"})
    other = replace(
        first,
        environment={"clock_source": "hpet"},
        clock_cost_s=BASE.clock_cost_s + 1e-6,
        latency_s=BASE.latency_s + 1e-6,
        second_a_byte=BASE.second_a_byte * 3.0,
        large="shared",
        env={"OMPI_MCA_btl_vader_single_copy_mechanism": "none"},
    )
    difference = planted(first, other)
    assert set(named(difference)) == {"clock source", "OMPI_MCA_btl_vader_single_copy_mechanism"}
    assert all(cause.part < 0.9 for cause in difference.causes)


def test_what_is_not_explained_is_said() -> None:
    """The cores are slower by a tenth, and everything takes twice as long."""
    other = replace(
        BASE,
        latency_s=2.0 * BASE.latency_s,
        second_a_byte=2.0 * BASE.second_a_byte,
        rendezvous_s=2.0 * BASE.rendezvous_s,
        compute_s=1.1 * BASE.compute_s,
    )
    difference = planted(BASE, other)
    assert named(difference) == ["speed of the cores"]
    assert 0.6 < difference.unexplained < 0.95
    assert not difference.is_explained


def test_a_faster_core_explains_no_slower_message() -> None:
    other = replace(BASE, latency_s=2.0 * BASE.latency_s, compute_s=0.8 * BASE.compute_s)
    assert not named(planted(BASE, other))


def test_a_setting_that_the_library_did_not_take_is_cleared() -> None:
    name = "MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD"
    first = replace(BASE, library="MPICH", abi="mpich", controls={name: "16384"})
    second = replace(first, switch_bytes=65536, env={name: "65536"})
    difference = planted(first, second)
    assert not difference.causes
    assert "same value" in difference.cleared[0].why


@pytest.mark.parametrize("is_unset_before", [True, False])
def test_a_line_in_a_parameter_file_is_named_with_its_file(is_unset_before: bool) -> None:
    """The library reads it like the environment, which takes precedence."""
    name, file = "OMPI_MCA_btl_vader_single_copy_mechanism", "~/.openmpi/mca-params.conf"
    slower = replace(BASE, second_a_byte=BASE.second_a_byte * 3.0, large="shared")
    first = replace(BASE, environment={"parameter_files": {}})
    first = first if is_unset_before else replace(first, env={name: "cma"})
    other = replace(
        slower, environment={"parameter_files": {file: {name: "none"}, "b": {name: "x"}}}
    )
    difference = planted(first, other)
    assert named(difference) == [name]
    [cause] = difference.causes
    assert cause.factor.values[1] == f"none (in {file})"
    assert (cause.factor.change is None) == is_unset_before, "unset does not undo a file"
    of_environment = replace(slower, environment=other.environment, env={name: "cma"})
    difference = planted(replace(BASE, env={name: "cma"}), of_environment)
    assert name not in named(difference)
    before_the_change = replace(BASE, environment={})
    difference = planted(before_the_change, other)
    assert name not in named(difference), "it may have been set there, too"


def test_a_file_that_overrides_the_environment_is_what_acts() -> None:
    name, file = "OMPI_MCA_btl_vader_single_copy_mechanism", "over.conf"
    slower = replace(BASE, second_a_byte=BASE.second_a_byte * 3.0, large="shared")
    files = {"parameter_files": {file: {name: "none"}}, "overriding_files": [file]}
    first = replace(BASE, env={name: "cma"}, environment={"parameter_files": {}})
    other = replace(slower, env={name: "cma"}, environment=files)
    [cause] = planted(first, other).causes
    words = f"none (in {file}, which overrides the environment)"
    assert cause.factor.values == ("cma", words)
    assert cause.factor.change is None, "no variable undoes it"


def test_settings_that_would_explain_as_much_are_both_given() -> None:
    env = {"OMPI_MCA_btl": "self,tcp", "OMPI_MCA_pml": "ob1"}
    other = replace(BASE, latency_s=9.0 * BASE.latency_s, small="tcp", large="tcp", env=env)
    difference = planted(BASE, other)
    assert {named(difference)[0], *difference.causes[0].instead} == set(env)


def test_hosts_are_cleared_by_launches_of_one_run_on_both() -> None:
    """All launches of B are slow, on A's host as well."""
    away = tuple(msgspec.structs.replace(place, host="n2") for place in BASE.places)
    slow = replace(BASE, latency_s=1.5 * BASE.latency_s, second_a_byte=1.5 * BASE.second_a_byte)
    first, second = run_of(BASE, 1), run_of(replace(slow, places=away), 2, name="B")
    assert named(explained(first, second)) == ["hosts of the ranks"]
    for launch in second.launches[:8]:
        launch.places[:] = BASE.places
    difference = explained(first, second)
    assert difference.shown
    assert not named(difference)


def test_few_launches_are_not_judged() -> None:
    short = run_of(BASE, 2, name="B").of_launches(range(3))
    difference = explained(run_of(BASE, 1), short)
    assert difference.gate is not None
    assert difference.gate.exit_status == 3


@pytest.mark.parametrize("side", [0, 1])
def test_launches_of_a_measured_run_are_judged_against_a_simulated_one(side: int) -> None:
    def runs(launches: int) -> list[Run]:
        simulated = make_run(lambda *_: [1000.0], launches=1)
        simulated.launches[0].simulated = True
        noisy = make_run(lambda launch, *_: [1500.0 + launch] * 3, launches=launches)
        noisy.header = msgspec.structs.replace(noisy.header, id="B")
        return [noisy, simulated] if side else [simulated, noisy]

    difference = explained(*runs(20))
    assert difference.gate is None
    assert difference.shown
    compared = compare(*map(Analysis, runs(20)), TOLERANCE)
    assert compared.constant == side
    assert difference.points == compared.points
    few = explained(*runs(4))
    assert few.gate is not None
    assert f"fewer than 6 launches of {'BA'[side]};" in few.gate.why


def test_a_step_of_a_coarse_clock_is_no_difference() -> None:
    """Of 220 ns, by a clock that steps in 40 ns."""
    first, second = (
        make_run(lambda *_, ns=ns: [ns] * 5, launches=20, repetitions=1, step_ns=40.0)
        for ns in (200.0, 240.0)
    )
    second.header = msgspec.structs.replace(second.header, id="B")
    difference = explained(first, second)
    assert not difference.shown
    assert difference.whole is not None
    assert difference.whole.interval is not None
    assert difference.whole.interval.holds(1.0)


def test_one_run_is_not_compared_with_itself() -> None:
    run = run_of(BASE, 1)
    with pytest.raises(UsageError, match="same run"):
        explained(run, run)


def test_sizes_that_go_both_ways_are_said() -> None:
    """Small messages are faster, large ones slower."""

    def run(factors: dict[int, float]) -> Run:
        return make_run(
            lambda launch, _, size: [factors[size] * (1000.0 + size) + launch] * 3,
            sizes=tuple(factors),
            launches=12,
        )

    first, second = run({8: 1.0, 65536: 1.0}), run({8: 0.77, 65536: 1.3})
    second.header = msgspec.structs.replace(second.header, id="another")
    words = answer_words(explained(first, second))
    assert words.startswith("B takes 0.771 to 1.3 times as long as A, by size")


def test_a_way_that_a_setting_changed_is_no_other_explanation() -> None:
    seed = SEEDS["TCP"]
    difference = explained(*pair_of(seed.base, seed.other, 3))
    assert named(difference) == ["OMPI_MCA_btl"]
    (way,) = [cleared for cleared in difference.cleared if cleared.factor.name == "transport"]
    assert way.why == "changed as well, with OMPI_MCA_btl, which explains the difference"


def test_one_size_has_no_form() -> None:
    def run(factor: float) -> Run:
        return make_run(
            lambda launch, *_: [factor * 1000.0 + launch] * 3, sizes=(4096,), launches=12
        )

    first, second = run(1.0), run(1.5)
    second.header = msgspec.structs.replace(second.header, id="another")
    difference = explained(first, second)
    assert difference.shown
    assert difference.form is None
    assert answer_words(difference).startswith("B takes 1.5 times as long as A at 4 KiB")
    lines = explanation_lines(difference)
    assert "the difference: at 1 of 1 point" in lines

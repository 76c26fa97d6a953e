"""Settings of messages: which are worth trying, and which surely help."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec.structs import replace as replaced
from settings_samples import BETTER, GOOD, MIXED, NOTHING, SETTINGS, study_of

from hockney.base.errors import UsageError
from hockney.infer.estimate.interval import Interval
from hockney.plan import Placement, Sampling, single, sizes_of
from hockney.plan.axes import Point
from hockney.plan.variants import Comparison
from hockney.plan.workloads.pingpong import Pingpong
from hockney.run.measure.studies.joined_variants import _check_spelling, joined
from hockney.run.mpis import Mpi
from hockney.show.tuning.settings_lines import settings_json, settings_lines
from hockney.tuning.settings import (
    SEARCH,
    Setting,
    Time,
    alike,
    variants_of,
)
from hockney.tuning.settings_choice import (
    Gain,
    chosen_of,
    gains_of,
    largest_gain,
    range_text,
    to_confirm,
)
from hockney.tuning.settings_files import files_of, modules_of


def test_the_setting_with_the_largest_gain_and_no_loss_is_chosen() -> None:
    study = study_of({"a=1": GOOD, "b=1": BETTER, "c=1": MIXED})
    chosen = chosen_of(study)
    assert chosen is not None
    assert chosen.values == {"env:V_b": "1"}


def test_what_is_surely_slower_at_some_size_is_not_chosen() -> None:
    study = study_of({"a=1": MIXED, "b=1": NOTHING})
    assert chosen_of(study) is None
    assert largest_gain([study]) == pytest.approx(1 / (0.98 * 0.2))


def test_what_was_not_measured_at_some_size_is_not_chosen() -> None:
    """It may be slower there, or hang."""
    study = study_of({"a=1": GOOD, "b=1": {8: (0.5, "faster")}})
    partly = replace(study, unmatched={"b=1": [Point(operation="pingpong", bytes=64)]})
    assert (chosen_of(study), chosen_of(partly)) == tuple(study.comparison.variants[2:0:-1])


def test_without_intervals_nothing_is_proved() -> None:
    assert largest_gain([study_of({"a=1": {8: (1.0, "none")}})]) is None


def test_of_settings_that_gain_as_much_the_narrower_effect_is_chosen() -> None:
    """A threshold rather than a mechanism switched off, one rather than several."""
    switch, threshold = {8: (0.50, "faster")}, {8: (0.505, "faster")}
    study = study_of({"a=1": switch, "b=1": threshold, "c=1": {8: (0.7, "faster")}})
    a, *others = SETTINGS
    tried = [replace(a, is_switch=True), *others]
    assert chosen_of(study, tried) == study.comparison.variants[2]
    assert chosen_of(study, SETTINGS) == study.comparison.variants[1]
    weaker = study_of({"a=1": switch, "b=1": {8: (0.6, "faster")}})
    assert chosen_of(weaker, tried) == weaker.comparison.variants[1], "it gains surely more"


def test_a_setting_is_said_to_hold_for_the_measured_sizes_alone() -> None:
    """It acts on all sizes, and larger ones were seen to be slower."""
    study = study_of({"b=1": BETTER})
    chosen = chosen_of(study)
    gains = gains_of(study, chosen)
    words = "measured from 8 B to 64 B; its effect on larger messages is unknown"
    assert words in "\n".join(settings_lines(study, chosen, range_text(gains), None, []))
    assert settings_json([study], chosen, gains, words, None, [], [])["range"] == words
    variables = {"OMPI_MCA_b": "1", "MPIR_CVAR_B": "1", "UCX_B": "1"}
    for text in (files_of(variables, gains) | modules_of(variables, gains)).values():
        assert words in text
    assert "is unknown" not in files_of(variables)[""], "rules have their own sizes"
    unsure = [Gain(64, 1.0, Interval(0.5, 2.0), "unknown"), Gain(512, 1.1, None, "unknown")]
    sure = [
        Gain(8, 2.0, Interval(1.9, 2.1), "faster"),
        Gain(16, 1.0, Interval(0.95, 1.1), "unknown"),
    ]
    assert range_text([*sure, *unsure]).endswith(
        "; at 64 B, 512 B it may be more than 10 % slower: too few blocks to tell"
    )
    assert range_text(sure).endswith("is unknown")
    assert "at 8 B alone" in files_of(variables, [Gain(8, 2.0, None, "faster")])[""]


def test_a_wide_limit_of_the_gain_is_no_proof_that_there_is_none() -> None:
    study = study_of({"a=1": NOTHING})
    wide, narrow = (settings_lines(study, None, "", most, [])[1] for most in (221.9, 1.04))
    assert "the possible gain is unknown" in wide
    assert "221.9" not in wide
    assert "more than 1.040 times as fast" in narrow


def test_a_name_of_another_version_is_answered_by_this_ones() -> None:
    known = ["btl_self_eager_limit", "btl_tcp_eager_limit", "btl_vader_eager_limit", "btl_sm_x"]
    assert set(alike("btl_sm_eager_limit", known)[:3]) == set(known[:3])
    assert alike("btl_vader_eager_limt", known)[0] == "btl_vader_eager_limit"
    assert alike("nonsense", known) == []


def test_the_promising_are_measured_again_also_together() -> None:
    study = study_of({"a=1": GOOD, "b=1": BETTER, "c=1": MIXED})
    a, b, _ = SETTINGS
    assert to_confirm(study, SETTINGS, most=3) == [(b,), (a,), (b, a)]
    assert to_confirm(study, SETTINGS, most=1) == [(b,)]
    assert to_confirm(study_of({"a=1": NOTHING}), SETTINGS, most=3) == []


@pytest.mark.parametrize(
    ("budget_s", "launch_s", "searched", "confirmed"),
    [(60.0, 0.25, 21, 3), (60.0, 2.0, 2, 1), (1.0, 2.0, 1, 1)],
)
def test_a_short_budget_tries_fewer(
    budget_s: float, launch_s: float, searched: int, confirmed: int
) -> None:
    time = Time(budget_s, launch_s)
    assert (time.searched(named=0), time.confirmed) == (searched, confirmed)


def test_each_setting_that_was_named_has_a_block_or_is_refused_with_the_budget_that_would_do() -> (
    None
):
    """A short budget left out the last values, though each had had time alone."""
    assert Time(60.0, 2.0).searched(named=3) == 3
    assert Time(60.0, 0.25).searched(named=3) == 21, "those of auto fill the rest"
    with pytest.raises(UsageError, match="give --budget 60s or more") as raised:
        Time(30.0, 2.0).searched(named=8)
    assert "block of 8 settings" in str(raised.value)
    assert Time(60.0, 2.0).searched(named=8) == 8
    fast = Time(10.0, 0.01)
    with pytest.raises(UsageError, match="give --budget 30s or more"):
        fast.searched(named=10)
    variants = variants_of([(Setting("V", None, str(value)),) for value in range(10)])
    plans = [
        (
            replaced(variant, values={}),
            single(Pingpong(sizes=sizes_of([8])), Placement(), Sampling()),
        )
        for variant in variants
    ]
    assert joined(plans, Comparison(variants=variants), SEARCH * 30.0), "which it asks for, too"


@pytest.mark.parametrize("named", [2, 8, 17, 35, 64])
def test_a_budget_that_was_advised_is_enough(named: int) -> None:
    """Rounding once made just enough a little too little."""
    for hundredths in range(1, 500):
        time = Time(1e-3, hundredths / 100.0)
        with pytest.raises(UsageError) as raised:
            time.searched(named)
        advised = re.search(r"--budget (\d+)s", str(raised.value))
        assert advised is not None
        assert replace(time, budget_s=float(advised[1])).searched(named) == named


def test_a_varied_setting_of_another_version_is_answered_by_this_ones() -> None:
    """btl_sm_eager_limit of Open MPI 5 is spelled too differently; Open MPI 4 would ignore it."""
    mpi = Mpi(Path("mpicc"), None, "openmpi", "openmpi", "4")
    control, here = "btl_sm_eager_limit", ["btl_vader_eager_limit", "btl_tcp_eager_limit"]
    with pytest.raises(UsageError, match="did you mean env:OMPI_MCA_btl_vader_eager_limit"):
        _check_spelling(f"OMPI_MCA_{control}", control, here, mpi)
    _check_spelling(f"OMPI_MCA_{control}", control, [*here, control], mpi)
    _check_spelling("OMPI_MCA_rmaps", "rmaps", here, mpi)

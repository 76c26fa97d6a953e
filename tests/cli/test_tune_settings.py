"""hockney tune --settings: what the library knows, takes, refuses and hangs under."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from settings_samples import BETTER, study_of

from conftest import FAULTY, RunHockney
from hockney import records
from hockney.base.errors import UsageError
from hockney.base.units import parse_seconds
from hockney.cli._tune_settings import _Measuring
from hockney.infer.analysis.comparison.variant_verdicts import VariantStudy
from hockney.plan.variants import LEAST_BLOCKS, Comparison
from hockney.run.measure.preparation import setup
from hockney.run.mpis import Engine, Mpi
from hockney.tuning.settings import (
    settings_of,
    variants_of,
)


def threshold_of(mpi: Mpi, engine: Engine) -> tuple[str, str, str]:
    """The variable of a threshold with a bad and a good value for 4 KiB."""
    if mpi.family == "mpich":
        return "MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD", "1", "16384"
    tried = settings_of(["auto"], mpi, engine).settings
    variable = next(setting.variable for setting in tried if "eager_limit" in setting.variable)
    return variable, "256", "32768"


@pytest.fixture
def faulty_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The build of the engine whose faults are settings like those of a library."""
    monkeypatch.setenv("HOCKNEY_CFLAGS", FAULTY)
    kept = setup._mpi_and_engine  # the engine of an earlier test in this process
    monkeypatch.setattr(setup, "_mpi_and_engine", kept.__wrapped__)
    monkeypatch.setattr("hockney.tuning.settings.OTHER_LIBRARIES", ("HOCKNEY_FAULT_",))


def test_settings_are_looked_up_in_the_library(mpi: Mpi, engine: Engine) -> None:
    variable, bad, good = threshold_of(mpi, engine)
    tried = settings_of([f"{variable}={bad},{good},x"], mpi, engine)
    assert [setting.value for setting in tried.settings] == [bad, good]
    assert tried.left_out == (tried.left_out[0],)
    assert "refuses this value" in tried.left_out[0] or "no number" in tried.left_out[0]
    bare = settings_of([f"{tried.settings[0].control}={good}"], mpi, engine)
    assert bare.settings[0].variable == variable
    assert settings_of(["UCX_TLS=sm;tcp,self"], mpi, engine).settings[1].value == "tcp,self"
    assert len(settings_of(["auto"], mpi, engine).settings) > 3


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("nonsense", "not NAME=VALUE"),
        ("=1", "not NAME=VALUE"),
        ("MPIR_CVAR_NONESUCH=1", "no such control variable"),
        ("UCX_TLS=sm,,tcp", "one of the values is empty"),
    ],
)
def test_settings_that_the_library_does_not_know(
    mpi: Mpi, engine: Engine, text: str, complaint: str
) -> None:
    with pytest.raises(UsageError, match=complaint):
        settings_of([text], mpi, engine)


def test_what_the_library_holds_anyway_is_no_setting(
    mpi: Mpi, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    variable, bad, _ = threshold_of(mpi, engine)
    monkeypatch.setenv(variable, bad)
    with pytest.raises(UsageError, match=f"changes nothing: the library holds {bad}"):
        settings_of([f"{variable}={bad}"], mpi, engine)


def test_values_of_which_the_library_makes_others_are_left_out(mpi: Mpi, engine: Engine) -> None:
    variable, _, good = threshold_of(mpi, engine)
    tried = settings_of([f"{variable}={2**70},many,{good}"], mpi, engine)
    assert [setting.value for setting in tried.settings] == [good]
    large, many = tried.left_out
    assert f"{2**70}: out of range: the library makes " in large
    assert large.endswith(" of it (MPI_T)")
    assert "many: the library refuses this value" in many or "many: no number" in many
    with pytest.raises(UsageError, match=f"{2**70}: out of range"):
        settings_of([f"{variable}={2**70}"], mpi, engine)


def test_a_budget_without_a_block_is_told_how_much_is_enough(
    hockney: RunHockney, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The advice follows from the time of a real launch, not from the shortest possible."""
    monkeypatch.setattr(
        "hockney.run.measure.studies.joined_variants.SHORTEST_LAUNCH_S", 1e-3
    )  # looks as if enough
    budget_s = 0.1
    words = ("--settings", "UCX_NONESUCH=1", "--budget", f"{budget_s}s")
    done = hockney("tune", "pingpong", *words, "--", "--sizes", "8")
    assert done.status == 1
    assert "no block of launches is complete: nothing can be compared" in done.stderr
    advice = re.search(r"a launch took (.+): give (\d+) times the --budget", done.stderr)
    assert advice is not None, done.stderr
    launch_s, times = parse_seconds(advice[1].replace(" ", "")), int(advice[2])
    enough_s = 2 * LEAST_BLOCKS * launch_s
    assert times * budget_s == pytest.approx(enough_s, abs=budget_s + 0.01 * enough_s)


def test_what_the_environment_sets_is_in_the_answer_and_the_file(
    hockney: RunHockney,
    mpi: Mpi,
    engine: Engine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The measured numbers are ours: the setting is faster."""
    variable, bad, good = threshold_of(mpi, engine)
    studies = []

    def study(measuring: _Measuring, stage: str, chosen: Any, budget_s: float) -> VariantStudy:
        assert (stage, budget_s) == ("confirm", 30.0)
        comparison = Comparison(variants=variants_of(chosen, measuring._already))
        faster = study_of({"a=1": BETTER}).ratios
        rows = tuple(replace(ratio, variant=comparison.names[1]) for ratio in faster)
        studies.append(VariantStudy(comparison, rows, 12, (), ()))
        return studies[-1]

    monkeypatch.setattr(_Measuring, "study", study)
    words = ("--settings", f"{variable}={good}", "--budget", "30s", "-o", "s")
    done = hockney.ok("tune", "pingpong", *words, env={variable: bad})
    sentence = f"your environment sets {variable} to {bad}: that is what is compared with"
    assert all(sentence in text for text in (done.stdout, (tmp_path / "s").read_text()))
    assert sentence not in done.stderr, "a terminal shows both"
    assert f"to undo: export {variable}={bad}" in (tmp_path / "s").read_text()
    assert studies[0].comparison.names[0].endswith(f"={bad}")


@pytest.mark.long
@pytest.mark.usefixtures("faulty_engine")
def test_a_setting_that_helps_is_found_and_written(
    hockney: RunHockney,
    mpi: Mpi,
    engine: Engine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The engine is slowed down so much that a busy machine cannot hide it. A threshold may gain
    still more, or nothing: that depends on the machine."""
    fault = "HOCKNEY_FAULT_SLOWER"
    variable, bad, good = threshold_of(mpi, engine)
    monkeypatch.setenv(fault, "3")
    monkeypatch.setenv(variable, bad)
    options = ("--settings", f"{fault}=0", "--settings", f"{variable}={good}")
    words = (*options, "--budget", "40s", "-o", "settings", "--json")
    done = hockney.ok("tune", "pingpong", *words, "--", "--sizes", "4KiB")
    answer = done.json
    assert answer["settings"]
    assert answer["settings"].items() <= {fault: "0", variable: good}.items()
    [gain] = answer["gains"]
    assert gain["bytes"] == 4096
    assert gain["low"] > 1.0
    written = (tmp_path / "settings").read_text()
    assert all(f"export {name}={value}" in written for name, value in answer["settings"].items())
    runs = [records.read(path) for path in tmp_path.glob("settings.*.jsonl")]
    launches = [launch for run in runs for launch in run.launches]
    held = {launch.variant: set(launch.controls.values()) for launch in launches}
    own = answer["stages"][0]["names"][0]
    assert own.startswith("yours: ")
    assert {preset["variable"]: preset["value"] for preset in answer["already_set"]} == {
        fault: "3",
        variable: bad,
    }
    assert held.pop(own) == held.pop(f"{fault}=0") == {bad}
    assert list(held.values()) == [{good}]
    assert "export" not in done.stdout


@pytest.mark.long
@pytest.mark.usefixtures("faulty_engine")
def test_settings_under_which_the_library_hangs_or_does_not_start_are_left_out(
    hockney: RunHockney, mpi: Mpi, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The faulty build of the engine falls silent; its other fault only slows it down."""
    unknown = {"openmpi": ["pml=nonesuch"], "mpich": ["CH4_NETMOD=nonesuch"]}.get(mpi.family, [])
    monkeypatch.setattr("hockney.cli._tune_settings.SILENT_S", 6.0)
    monkeypatch.setattr("hockney.tuning.settings.SEARCHED_BLOCKS", 1)  # there is time for all
    settings = ["HOCKNEY_FAULT_STOP=1", "HOCKNEY_FAULT_SLOWER=0.5", *unknown]
    words = [word for setting in settings for word in ("--settings", setting)]
    answer = hockney.ok(
        *("tune", "pingpong", *words, "--budget", "60s", "--json"), "--", "--sizes", "8"
    ).json
    [hangs, *others] = sorted(answer["left_out"], key=lambda line: "nonesuch" in line)
    assert hangs.startswith("HOCKNEY_FAULT_STOP=1: launch ")
    assert "reported nothing for 6" in hangs or "reported nothing for 7" in hangs
    assert hangs.endswith("and was ended")
    assert [line.partition(": launch ")[0].rpartition("=")[2] for line in others] == [
        "nonesuch" for _ in unknown
    ]
    assert answer["settings"] == {}
    measured = {ratio["variant"] for ratio in answer["stages"][0]["ratios"]}
    assert "HOCKNEY_FAULT_SLOWER=0.5" in measured, "the other one was measured to the end"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("run.jsonl", "rules", "--check", "--robust"), "--robust has no effect with --check"),
        (("run.jsonl", "rules", "--check", "--deploy"), "--deploy has no effect with --check"),
        (
            ("pingpong", "--settings", "auto", "--explain"),
            "--explain has no effect with --settings",
        ),
        (("pingpong", "--settings", "auto", "--check"), "--check has no effect with --settings"),
        (("pingpong",), "hockney tune pingpong --settings auto"),
        (("file.jsonl", "--settings", "auto"), "hockney tune pingpong --settings auto"),
    ],
)
def test_options_of_another_use_are_refused(
    hockney: RunHockney, words: tuple[str, ...], complaint: str
) -> None:
    hockney.refused("tune", *words, because=complaint)

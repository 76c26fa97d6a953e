"""Settings of messages: which are worth trying, which surely help, and the files that set them."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace as replaced

from conftest import FAULTY, RunHockney
from hockney import records
from hockney.base.errors import UsageError
from hockney.base.units import parse_seconds
from hockney.cli._tune_settings import _Measuring
from hockney.infer.analysis.comparison.variant_verdicts import VariantStudy
from hockney.infer.estimate.blocks import VariantRatio
from hockney.infer.estimate.differences import Judged
from hockney.infer.estimate.interval import Interval
from hockney.plan import Placement, Sampling, single, sizes_of
from hockney.plan.axes import Point
from hockney.plan.variants import LEAST_BLOCKS, Comparison
from hockney.plan.workloads.pingpong import Pingpong
from hockney.run.measure.preparation import setup
from hockney.run.measure.studies.joined_variants import _check_spelling, joined
from hockney.run.mpis import Engine, Mpi
from hockney.show.tuning.settings_lines import settings_json, settings_lines
from hockney.tuning.settings import (
    SEARCH,
    Setting,
    Time,
    alike,
    already_set,
    own_name,
    settings_of,
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
from hockney.tuning.settings_files import deployed, files_of, modules_of, write

SETTINGS = tuple(Setting(f"V_{name}", name, "1") for name in "abc")


def study_of(ratios: dict[str, dict[int, tuple[float, str]]]) -> VariantStudy:
    """Ratios by variant and size, each with its verdict."""
    rows = []
    for name, by_size in ratios.items():
        for size, (ratio, verdict) in by_size.items():
            known = verdict != "none"
            judged = Judged(
                ratio,
                Interval(0.98 * ratio, 1.02 * ratio) if known else None,
                0.001,
                verdict if known else "unknown",  # type: ignore[arg-type]
                verdict == "same",
                None,
            )
            point = Point(operation="pingpong", bytes=size)
            rows.append(VariantRatio(name, point, 1e-6, ratio * 1e-6, 12, judged, (), 0, None))
    chosen = [(setting,) for setting in SETTINGS if setting.name in ratios]
    comparison = Comparison(variants=variants_of(chosen))
    return VariantStudy(comparison, tuple(rows), 12, (), ())


GOOD = {8: (1.0, "same"), 64: (0.5, "faster")}
BETTER = {8: (0.9, "faster"), 64: (0.5, "faster")}
MIXED = {8: (1.5, "slower"), 64: (0.2, "faster")}
NOTHING = {8: (1.0, "same"), 64: (1.0, "unknown")}


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


def test_what_is_set_already_is_named_compared_with_and_restored() -> None:
    """A variable of the environment goes before a parameter file, and a file before the library's
    own value."""
    x, y, z = (Setting(f"OMPI_MCA_{name}", name, "4096") for name in "xyz")
    files = {"~/a.conf": {"OMPI_MCA_x": "1", "OMPI_MCA_y": "2"}, "b.conf": {"OMPI_MCA_y": "3"}}
    already = already_set([x, x, y, z], {"OMPI_MCA_x": "512"}, files)
    assert [(preset.setting.name, preset.file) for preset in already] == [
        ("x=512", None),
        ("y=2", "~/a.conf"),
    ]
    [over, *_] = already_set([x], {"OMPI_MCA_x": "512"}, files, {"~/a.conf"})
    assert (over.setting.value, over.file) == ("1", "~/a.conf")
    assert "~/a.conf sets x=1 and overrides the environment" in over.sentence
    secret = already_set([x], {"OMPI_MCA_x": "http://me:hunter2@host"}, {})
    assert own_name(secret) == "yours: x=***"
    first, *_ = variants_of([(x,)], already)
    assert first.name == "yours: x=512, y=2"
    assert variants_of([(x,)])[0].name == "default"
    sentence = "your environment sets OMPI_MCA_x to 512: that is what is compared with"
    texts = files_of({"OMPI_MCA_x": "4096", "OMPI_MCA_z": "1"}, [], already)
    assert "to undo: unset OMPI_MCA_z; export OMPI_MCA_x=512" in texts[""]
    assert all(sentence in text for text in texts.values())
    assert not any("a.conf" in text for text in texts.values()), "y is not chosen"
    study = study_of({"a=1": NOTHING})
    assert sentence in "\n".join(settings_lines(study, None, "", 1.1, [], already))
    presets = settings_json([study], None, [], "", 1.1, [], [], already)["already_set"]
    assert presets[1] == {"variable": "OMPI_MCA_y", "value": "2", "file": "~/a.conf"}


@pytest.mark.parametrize(
    ("name", "secret"), [("UCX_AUTH_KEY", "a 'b' $c"), ("UCX_TLS", "a\necho b")]
)
def test_a_value_that_cannot_be_written_is_restored(name: str, secret: str, tmp_path: Path) -> None:
    """Undoing it once exported the *** that stands for it; and a second line left the comment."""
    already = already_set([Setting(name, None, "new")], {name: secret}, {})
    text = files_of({name: "new"}, [], already)[""]
    assert secret not in text
    undo = re.search(r"to undo: (.*)", text)
    assert undo is not None
    (tmp_path / "settings").write_text(text)
    source = f". {tmp_path / 'settings'}; "
    # Also where it is read twice.
    script = f'set -u; {source * 2}echo "${name}"; {undo[1]}; echo -n "${name}"'
    done = subprocess.run(["sh", "-c", script], env={name: secret}, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (f"new\n{secret}", "")


def test_a_value_of_the_environment_is_restored_also_where_a_file_overrides_it() -> None:
    x = Setting("OMPI_MCA_x", "x", "4096")
    files = {"o.conf": {"OMPI_MCA_x": "1"}}
    already = already_set([x], {"OMPI_MCA_x": "512"}, files, {"o.conf"})
    assert "to undo: export OMPI_MCA_x=512" in files_of({"OMPI_MCA_x": "4096"}, [], already)[""]


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


def test_files_of_the_libraries_and_how_to_undo_them() -> None:
    files = files_of(
        {"OMPI_MCA_btl": "sm,self", "MPIR_CVAR_X": "2", "UCX_TLS": "sm", "FI_Y": "a b"}
    )
    assert "unset OMPI_MCA_btl MPIR_CVAR_X UCX_TLS FI_Y" in files[""]
    assert "export FI_Y='a b'" in files[""]
    assert files[".mca-params.conf"].splitlines()[1:] == ["btl = sm,self"]
    assert files[".mpich.conf"].splitlines()[1:] == ["MPIR_CVAR_X=2"]
    assert files[".ucx.conf"].splitlines()[1:] == ["UCX_TLS=sm"]


def test_modules_set_what_they_undo() -> None:
    modules = modules_of({"OMPI_MCA_coll": "^han,hcoll", "X": 'a "b" $c'})
    assert 'setenv("OMPI_MCA_coll", "^han,hcoll")' in modules[".lua"]
    assert r'setenv("X", "a \034b\034 $c")' in modules[".lua"]
    assert modules[".tcl"].startswith("#%Module1.0\n")
    assert r"setenv X a\ \"b\"\ \$c" in modules[".tcl"]
    beside = deployed({"OMPI_MCA_coll": "^han"})
    assert set(beside) == {".sh", ".mca-params.conf", ".lua", ".tcl"}


def test_modules_of_strange_paths_set_these_and_run_nothing(tmp_path: Path) -> None:
    strange = "/caf\udce9/é/}; exec id; #\n\\"
    modules = modules_of({"RULES": strange})
    [lua] = [line for line in modules[".lua"].splitlines() if line.startswith("setenv")]
    assert lua == r'setenv("RULES", "/caf\233/\195\169/}; exec id; #\010\092")'
    [tcl] = [line for line in modules[".tcl"].splitlines() if line.startswith("setenv")]
    assert tcl == "setenv RULES /caf\udce9/é/\\}\\;\\ exec\\ id\\;\\ \\#\\012\\\\"
    files = write(tmp_path / "rules", modules, force=False)
    assert b"/caf\xe9/" in files[-1].read_bytes()
    with pytest.raises(UsageError, match="exists"):
        write(tmp_path / "rules", modules, force=False)


def test_a_link_that_lies_in_wait_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "rules.lua").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="exists"):
        write(tmp_path / "rules", modules_of({"X": "1"}), force=False)
    assert not (tmp_path / "elsewhere").exists()


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
    ],
)
def test_options_of_another_use_are_refused(
    hockney: RunHockney, words: tuple[str, ...], complaint: str
) -> None:
    hockney.refused("tune", *words, because=complaint)


def test_settings_go_with_verbs_that_measure_messages(hockney: RunHockney) -> None:
    for words in (("pingpong",), ("file.jsonl", "--settings", "auto")):
        hockney.refused("tune", *words, because="hockney tune pingpong --settings auto")


def test_a_varied_setting_of_another_version_is_answered_by_this_ones() -> None:
    """btl_sm_eager_limit of Open MPI 5 is spelled too differently; Open MPI 4 would ignore it."""
    mpi = Mpi(Path("mpicc"), None, "openmpi", "openmpi", "4")
    control, here = "btl_sm_eager_limit", ["btl_vader_eager_limit", "btl_tcp_eager_limit"]
    with pytest.raises(UsageError, match="did you mean env:OMPI_MCA_btl_vader_eager_limit"):
        _check_spelling(f"OMPI_MCA_{control}", control, here, mpi)
    _check_spelling(f"OMPI_MCA_{control}", control, [*here, control], mpi)
    _check_spelling("OMPI_MCA_rmaps", "rmaps", here, mpi)

"""The help shows what the code does, and starts without heavy imports."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from conftest import RunHockney
from hockney import cli
from hockney.cli import SECTIONS
from hockney.cli._help import ALL, COMMON, FEW_EXAMPLES, LAST, SHORT, Option, Verb
from hockney.cli._verb import MeasuringVerb
from hockney.cli.collective import CASE_S
from hockney.foreign.programs import PROGRAMS
from hockney.plan import Plan
from hockney.run.measure.machine.capacity import allowed_cpus

WHOLE = click.Context(cli.cli, info_name="hockney")
VERBS = {
    name: command
    for name in cli.cli.list_commands(WHOLE)
    if isinstance(command := cli.cli.get_command(WHOLE, name), Verb)
}
MEASURING = [name for name, command in VERBS.items() if isinstance(command, MeasuringVerb)]
WORDS = {"collective": ["bcast", "-n", "2"], "cores": ["-n", "2"], "rma": ["accumulate"]} | {
    "fabric": ["-n", "2"]
}
"""Words that a measuring verb needs at least, on a machine with two CPUs."""
NEEDS = {
    **{(verb, "--tolerance"): ["--vary", "env:A=1,2"] for verb in MEASURING},
    ("pairs", "--window"): ["--operation", "stream"],
    ("pairs", "--msgs-per-sample"): ["--multi"],
    ("pairs", "--overall-volume"): ["--multi"],
    ("pairs", "--thread-comms"): ["--threads", "2"],
    ("pingpong", "--thread-comms"): ["--threads", "2"],
    ("rma", "--pairing"): ["--pairs-active", "1"],
}
"""Options that need others, with these."""
NEVER = {("fabric", "--tolerance"), ("overheads", "--tolerance")}
"""Options that need others which their verb refuses."""

CPUS = str(max(allowed_cpus(), 2))
PAIRED = str(max(allowed_cpus() // 2 * 2, 2))
COMPUTED = [
    ("collective", ["bcast"], ["--ranks", CPUS]),
    ("collective", ["bcast", "-n", "2"], ["--budget", f"{CASE_S:g}s"]),
    ("collective", ["bcast", "-n", "2"], ["--place", "core"]),
    ("collective", ["bcast", "-n", "2"], ["--buffers", "separate"]),
    ("rma", ["put"], ["--window-kind", "allocate"]),
    ("rma", ["put", "--memory", "device"], ["--window-kind", "create"]),
    ("halo", [], ["-n", CPUS]),
    ("halo", ["-n", "2"], ["--place", "core"]),
    ("halo", ["-n", "2"], ["--buffers", "separate"]),
    ("halo", ["-n", "2", "--exchange", "partitioned"], ["--partitions", "4"]),
    ("overlap", [], ["--place", "core"]),
    ("overlap", [], ["--buffers", "separate"]),
    ("cores", [], ["-n", CPUS]),
    ("cores", ["-n", "2"], ["--place", "core"]),
    ("cores", ["-n", "2"], ["--buffers", "returned"]),
    ("fabric", [], ["-n", CPUS]),
    ("fabric", ["-n", "2"], ["--place", "core"]),
    ("fabric", ["-n", "2"], ["--buffers", "returned"]),
    ("overheads", [], ["--place", "core"]),
    ("overheads", [], ["--buffers", "returned"]),
    ("pairs", [], ["-n", PAIRED]),
    ("pairs", ["--multi"], ["-n", "8"]),
    ("pairs", ["-n", "2"], ["--sizes", "0,8,1KiB,64KiB,1MiB"]),
    ("pairs", ["--multi"], ["--sizes", "0,1..16MiB"]),
    ("pairs", ["-n", "2"], ["--place", "core"]),
    ("pairs", ["-n", "2"], ["--buffers", "returned"]),
    ("pairs", ["-n", "2", "--operation", "stream"], ["--buffers", "separate"]),
    ("pairs", ["-n", "2", "--verify"], ["--buffers", "separate"]),
    ("pairs", ["-n", "2", "--datatype", "vector:4:8:16"], ["--packing", "datatype,pack,hand"]),
    (
        "pairs",
        ["-n", "2", "--datatype", "vector:4:8:16", "--operation", "stream"],
        ["--buffers", "separate"],
    ),
    ("pingpong", ["--datatype", "vector:4:8:16"], ["--packing", "datatype,pack,hand"]),
    ("pingpong", [], ["--place", "core"]),
    ("pingpong", [], ["--buffers", "returned"]),
    ("pingpong", ["--verify"], ["--buffers", "separate"]),
    ("rma", ["put"], ["--sizes", "8..4MiB"]),
    ("rma", ["put", "--direction", "one-way"], ["--window", "64"]),
    ("rma", ["put"], ["--place", "core"]),
    ("rma", ["put"], ["--buffers", "separate"]),
    ("startup", [], ["--place", "core"]),
    ("congestion", ["-n", "8"], ["--place", "core"]),
    ("congestion", ["-n", "8"], ["--buffers", "returned"]),
    ("congestion", ["-n", "8"], ["--sizes", "8"]),
    ("congestion", ["-n", "8"], ["--budget", "20s"]),
    ("congestion", ["-n", "8"], ["--victims", "2"]),
    ("congestion", [], ["-n", str(max(allowed_cpus(), 4))]),
    ("congestion", ["-n", "8", "--victim", "stream"], ["--window", "64"]),
    ("congestion", ["-n", "8", "--victim", "stream"], ["--sizes", "128KiB"]),
    ("startup", [], ["--buffers", "returned"]),
]
"""Defaults that depend on other options or on the machine: a command, and the default spelt out."""
DESCRIBED = {
    *(
        "--output",
        "--mpicc",
        "--launcher",
        "--launch",
        "--segment-size",
        "--receive-datatype",
        "--form",
    ),
    *("--skew", "--direction", "--pairs-active", "--engine", "--radix", "--requests"),
}
"""Options whose default no word names: a name with the time in it, another program's choice, or no
answer because the question is not asked."""


def options(verb: str) -> list[Option]:
    return [param for param in VERBS[verb].params if isinstance(param, Option)]


def plan_of(verb: str, words: list[str]) -> Plan:
    command = VERBS[verb]
    assert isinstance(command, MeasuringVerb)
    with command.make_context(verb, list(words), parent=WHOLE) as context:
        return command.request(context).plan


def help_of(verb: str, all_options: bool = False) -> str:
    context = click.Context(VERBS[verb], info_name=verb, parent=click.Context(cli.cli))
    context.meta[ALL] = all_options
    return VERBS[verb].get_help(context)


def test_every_verb_has_its_line_in_the_help() -> None:
    assert sorted(name for lines in SECTIONS.values() for name in lines) == sorted(VERBS)
    shown = WHOLE.get_help()
    for section, lines in SECTIONS.items():
        assert f"{section}:" in shown
        for line in lines.values():
            assert len(line) <= 66, f"{line} is no longer one line of a terminal"


def test_the_help_loads_no_numbers_and_no_verb() -> None:
    program = (
        "import sys; from hockney import cli; cli.run(['--help']); "
        "heavy = ('hockney.', 'numpy', 'msgspec', 'scipy', 'matplotlib', 'jinja2', 'pathlib', "
        "'dataclasses', 'importlib.metadata'); "
        "print(*sorted(name for name in sys.modules if name.startswith(heavy)), sep=',')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=600
    )
    loaded = set(done.stdout.splitlines()[-1].split(","))
    ours = {"endings", "errors", "limits", "printable", "registry", "terminal"}
    assert loaded == {"hockney.cli", "hockney.base", *(f"hockney.base.{name}" for name in ours)}


@pytest.mark.parametrize("verb", VERBS)
def test_common_options_come_first_and_output_last(verb: str) -> None:
    headings = list(VERBS[verb].headings(click.Context(VERBS[verb], info_name=verb)))
    assert headings[0] == COMMON
    last = [heading for heading in headings if heading in LAST]
    assert last == [heading for heading in LAST if heading in headings]
    assert headings[len(headings) - len(last) :] == last


MOST_WORDS = 310
"""Most words of a help that is read in a minute or so."""


@pytest.mark.parametrize("verb", MEASURING)
def test_the_help_of_a_measuring_verb_shows_twelve_options_and_names_the_rest(verb: str) -> None:
    shown = help_of(verb)
    assert len(re.findall(r"^  -", shown, re.MULTILINE)) == SHORT
    assert len(re.findall("^  hockney ", shown, re.MULTILINE)) <= FEW_EXAMPLES
    assert shown.endswith(f" {verb} {ALL}")
    assert len(shown.split()) <= MOST_WORDS
    for usual in ("--budget", "--output", "--hosts", "--mpicc", "--vary"):
        assert usual in shown


@pytest.mark.parametrize("verb", MEASURING)
def test_help_all_shows_every_option(verb: str) -> None:
    shown = help_of(verb, all_options=True)
    for option in options(verb):
        assert re.search(rf"^  (-\w, )?{option.opts[-1]}\b", shown, re.MULTILINE), option.opts
    assert all(heading in shown for heading in LAST)
    assert all(example in shown for example in VERBS[verb].examples)


def test_an_option_is_not_suggested_for_its_dashes(hockney: RunHockney) -> None:
    done = hockney.refused(
        "replay", "p.jsonl", "--budget", "3s", because="No such option '--budget'."
    )
    assert "Did you mean" not in done.stderr


def test_an_option_that_the_help_leaves_out_is_suggested(hockney: RunHockney) -> None:
    done = hockney("pairs", "--ranks-per-nodes", "2")
    assert done.status == 2
    assert "--ranks-per-node" not in help_of("pairs")
    assert "Did you mean '--ranks-per-node'" in done.stderr
    every = hockney("pairs", "--help-all")
    assert (every.status, "--ranks-per-node N" in every.stdout) == (0, True)


@pytest.mark.parametrize("verb", VERBS)
def test_names_of_a_choice_are_listed_in_words(verb: str) -> None:
    """A metavar such as [a|b|c] of twenty names breaks the columns of the help."""
    context = click.Context(VERBS[verb], info_name=verb)
    for option in options(verb):
        record = option.get_help_record(context)
        if record is not None and isinstance(option.type, click.Choice):
            assert len(record[0]) < 30
            assert not [name for name in option.type.choices if str(name) not in record[1]]


def test_readme_and_index_list_the_verbs_as_the_help_does() -> None:
    project = Path(__file__).parents[2]
    readme = project.joinpath("README.md").read_text(encoding="utf-8")
    for section, lines in SECTIONS.items():
        assert f"- {section}: {', '.join(lines)}\n" in readme
    text = project.joinpath("docs", "index.md").read_text(encoding="utf-8")
    listed = text.split("## Verbs", 1)[1].split("\n## ", 1)[0]
    for section, lines in SECTIONS.items():
        block = re.split(r"\n\*\*|\nEvery verb", listed.split(f"**{section}**", 1)[1])[0]
        shown = re.findall(r"^    hockney (\w+)", block, re.MULTILINE)
        assert list(dict.fromkeys(shown)) == list(lines), section


@pytest.mark.parametrize("verb", VERBS)
def test_a_default_is_shown_by_its_option_alone(verb: str) -> None:
    """A default written into a sentence is one that nobody keeps true."""
    for option in options(verb):
        assert "default:" not in (option.help or "").replace("default: the library's choice", "")
        has_default = option.default not in (None, "", False) and not option.multiple
        if has_default and not option.hidden and "UNSET" not in repr(option.default).upper():
            assert option.show_default, option.opts


@pytest.mark.parametrize("verb", VERBS)
def test_a_shown_default_is_the_one_that_is_used(verb: str) -> None:
    context = click.Context(VERBS[verb], info_name=verb)
    for option in options(verb):
        record = option.get_help_record(context)
        shown = re.search(r"\[default: ([^;\]]*)", record[1]) if record else None
        if shown is None or isinstance(option.show_default, str):
            continue
        given = option.get_default(context)
        if option.is_flag:
            assert shown[1] in (option.opts if given else option.secondary_opts)[0]
            continue
        spelt = option.type_cast_value(context, shown[1])
        assert spelt == option.type_cast_value(context, given), option.opts
        if verb in MEASURING and (verb, option.opts[0]) not in NEVER:
            words = [*WORDS.get(verb, []), *NEEDS.get((verb, option.opts[0]), [])]
            assert plan_of(verb, [*words, option.opts[-1], shown[1]]) == plan_of(verb, words)


@pytest.mark.parametrize(("verb", "words", "spelt"), COMPUTED)
def test_a_default_that_is_computed_is_the_one_that_is_described(
    verb: str, words: list[str], spelt: list[str]
) -> None:
    usual, same = plan_of(verb, words), plan_of(verb, [*words, *spelt])
    if spelt[0] == "--buffers":
        for case, other in zip(usual.cases, same.cases, strict=True):
            assert case.workload.usual_buffers == other.workload.buffers
    elif spelt[0] == "--window-kind":
        for case, other in zip(usual.cases, same.cases, strict=True):
            assert case.workload.kinds == other.workload.window_kinds
    else:
        assert usual == same
    described = next(option.show_default for option in options(verb) if spelt[0] in option.opts)
    assert isinstance(described, str)
    assert spelt[1] in described or spelt[1] in (CPUS, PAIRED)


def test_every_computed_default_is_tested() -> None:
    tested = {(verb, spelt[0]) for verb, _, spelt in COMPUTED}
    for verb in MEASURING:
        for option in options(verb):
            if isinstance(option.show_default, str) and not DESCRIBED & set(option.opts):
                assert any((verb, name) in tested for name in option.opts), (verb, option.opts)


def test_two_combinations_have_twice_the_budget() -> None:
    assert plan_of("collective", ["bcast,reduce", "-n", "2"]).sampling.budget_s == 2 * CASE_S


@pytest.mark.parametrize("verb", VERBS)
def test_examples_are_understood(verb: str) -> None:
    examples = VERBS[verb].examples
    assert len(examples) >= 2
    for example in examples:
        _, name, *words = shlex.split(re.split(r"\s+#|\s+>", example)[0])
        VERBS[name].make_context(name, words)


def test_import_and_export_offer_what_they_can_do(hockney: RunHockney) -> None:
    reads, writes = (
        next(option.type.choices for option in options(verb) if name in option.opts)  # type: ignore[attr-defined]
        for verb, name in (("import", "--as"), ("export", "--to"))
    )
    every = PROGRAMS.all()
    assert list(reads) == [name for name in every if hasattr(every[name], "read")]
    writing = ("write", "write_order", "layout")
    assert all(any(hasattr(every[name], how) for how in writing) for name in writes)
    assert set(reads) != set(writes)
    hockney.refused("export", "run.jsonl", "--to", "netpipe", because="netpipe")


PRIVATE_WORDS = ("told", "stands apart", "hand-over", "accused", "SHARE", "beside", "whatever")


@pytest.mark.parametrize("verb", VERBS)
def test_words_of_the_help_are_those_of_the_field(verb: str) -> None:
    shown = help_of(verb, all_options=True)
    assert not [word for word in PRIVATE_WORDS if re.search(rf"\b{word}\b", shown)]

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin, get_type_hints

import click
import pytest

from conftest import RunHockney
from hockney import cli
from hockney.cli._parameters import COUNTS, HOSTS, RADICES, REQUESTS_IN_FLIGHT
from hockney.plan.workloads import WORKLOADS, workload_type


def words_of(hint: Any) -> set[str]:
    """The words of a Literal, also inside of a tuple or beside None."""
    if get_origin(hint) is Literal:
        return set(get_args(hint))
    return set().union(*(words_of(each) for each in get_args(hint)))


@pytest.mark.parametrize("name", sorted(WORKLOADS.names()))
def test_an_option_takes_all_words_that_its_workload_has(name: str) -> None:
    whole = click.Context(cli.cli, info_name="hockney")
    verb = cli.cli.get_command(whole, name)
    hints = get_type_hints(workload_type(name))
    for option in verb.params if verb else ():
        taken = getattr(option.type, "choices", getattr(option.type, "names", ()))
        if taken and option.name in hints:
            assert set(taken) >= words_of(hints[option.name]), option.name


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("2", [2]),
        ("4,2,4", [2, 4]),
        ("2..16", [2, 4, 8, 16]),
        ("3..16", [3, 6, 12]),
        ("2,4,...,10", [2, 4, 6, 8, 10]),
        ("2,3,...,5,8..16", [2, 3, 4, 5, 8, 16]),
    ],
)
def test_lists_of_ranks(text: str, counts: list[int]) -> None:
    assert COUNTS.convert(text, None, None) == counts


@pytest.mark.parametrize("text", ["", "x", "1,2", "2,...,8", "...", "2,2,...,8", "0..8", "2,4,..."])
def test_what_is_no_list_of_ranks(text: str) -> None:
    with pytest.raises(click.BadParameter):
        COUNTS.convert(text, None, None)


@pytest.mark.parametrize("type_", [COUNTS, RADICES, REQUESTS_IN_FLIGHT])
def test_what_is_too_large_is_called_by_its_name(type_: click.ParamType) -> None:
    named = {COUNTS: "ranks", RADICES: "radices", REQUESTS_IN_FLIGHT: "requests"}
    with pytest.raises(click.BadParameter, match=f"'2000000': {named[type_]} are at most 1048576"):
        type_.convert("2000000", None, None)


def test_hosts_have_names() -> None:
    assert HOSTS.convert("a, b", None, None) == ("a", "b")
    for text in ("a,,b", "a,", ","):
        with pytest.raises(click.BadParameter, match="without a name"):
            HOSTS.convert(text, None, None)


@pytest.mark.parametrize("name", ["doctor", "pingpong", "replay"])
def test_all_verbs_read_hosts_alike(name: str) -> None:
    verb = cli.cli.get_command(click.Context(cli.cli, info_name="hockney"), name)
    assert verb is not None
    assert [param.type for param in verb.params if "--hosts" in param.opts] == [HOSTS]


@pytest.mark.parametrize(
    "words",
    [
        *(f"{verb} -n 0" for verb in ("pingpong", "rma put", "cores", "fabric", "pairs", "halo")),
        "congestion --victim stream --window 0",
    ],
)
def test_no_number_is_none_at_all(hockney: RunHockney, words: str) -> None:
    """0 is not the default."""
    done = hockney(*words.split())
    assert (done.status, "'0' is not a number from 1 up" in done.stderr) == (2, True)

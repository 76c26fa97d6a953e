"""Claims are read whole, and each mistake in one is named with its key and what to do."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from hockney.base.errors import UsageError
from hockney.plan.claim_file import CLAIMS, read_claim
from hockney.plan.claims import Claim

TOP = """
claim = "It is twice as long."
source = "Somebody 2001"
value = 2
tolerance = "5%"
"""
MEASURE = """
[[measure]]
command = "hockney pingpong --sizes 8,64KiB"
"""
RATIO = """
[quantity]
what = "ratio"
of = {bytes = "64KiB"}
over = {bytes = 8}
"""
TIME = '[quantity]\nwhat = "time"\nbytes = 8\n'
WHOLE = TOP + MEASURE + RATIO


def claim_of(directory: Path, text: str) -> Claim:
    path = directory / "claim.toml"
    path.write_text(text)
    return read_claim(str(path))


def test_a_claim_is_read(tmp_path: Path) -> None:
    claim = claim_of(tmp_path, WHOLE + "[requires]\ncpus = 2\nmpi = 'mpich'\n")
    assert (claim.name, claim.source) == ("claim", "Somebody 2001")
    assert claim.measures[0].words == ("pingpong", "--sizes", "8,64KiB")
    assert claim.measures[0].command == "hockney pingpong --sizes 8,64KiB"
    assert claim.quantity.of is not None
    assert claim.quantity.of.axes == {"bytes": 65536}
    assert (claim.expected.low, claim.expected.high) == pytest.approx((1.9, 2.1))
    assert (claim.requires.cpus, claim.requires.mpi, claim.requires.simgrid) == (2, "mpich", False)


@pytest.mark.parametrize(
    ("line", "quantity", "low", "high"),
    [
        ("at_least = 2", RATIO, 2.0, math.inf),
        ("at_most = 2", RATIO, -math.inf, 2.0),
        ("between = [1, 3]", RATIO, 1.0, 3.0),
        ("value = '2us'\ntolerance = 0.5", TIME, 1e-6, 3e-6),
        ("at_least = '1GB/s'", TIME.replace("time", "bandwidth"), 1e9, math.inf),
        (
            "at_least = '1GB/s'",
            "[quantity]\nwhat = 'parameter'\nname = 'r_inf_Bps'\n",
            1e9,
            math.inf,
        ),
        (
            "at_most = '2us'",
            "[quantity]\nwhat = 'path'\npath = 'points[bytes=8].time_s'\n",
            -math.inf,
            2e-6,
        ),
        (
            "at_most = '2KiB'",
            "[quantity]\nwhat = 'parameter'\nname = 'n_half_B'\n",
            -math.inf,
            2048.0,
        ),
        (
            "value = 'ring'\ntolerance = '3%'",
            "[quantity]\nwhat = 'best'\nbytes = 8\n",
            -math.inf,
            1.03,
        ),
    ],
)
def test_expectations_are_ranges(
    tmp_path: Path, line: str, quantity: str, low: float, high: float
) -> None:
    top = TOP.replace('value = 2\ntolerance = "5%"', line)
    claim = claim_of(tmp_path, top + MEASURE + quantity)
    assert (claim.expected.low, claim.expected.high) == pytest.approx((low, high))


def test_a_simulated_claim_needs_simgrid(tmp_path: Path) -> None:
    text = WHOLE.replace("--sizes 8,64KiB", "--platform=cluster:2")
    assert claim_of(tmp_path, text).requires.simgrid


SEVERAL = MEASURE.replace("command", 'name = "a"\ncommand')
WRONG = [
    ("tolerance", "tolerence", "did you mean tolerance?"),
    ('claim = "It is twice as long."', "", "claim: missing"),
    ('claim = "It is twice as long."', "claim = 3", "claim: 3 is not a text"),
    ('source = "Somebody 2001"', "", "source: missing\n  cite the paper"),
    ("value = 2\n", "", "value: nothing is claimed\n  write one of value, at_least"),
    ("value = 2\n", "value = 2\nat_least = 2\n", "at_least: value and at_least exclude"),
    ("value = 2\n", "value = true\n", "value: True is not a number"),
    ("value = 2\n", "value = 'two'\n", "value: 'two' is not a number\n  such as value = 1.5"),
    ("value = 2\n", "value = inf\n", "value: inf is not a number"),
    ("value = 2\n", "value = 0\n", "value: no fraction of 0 is a tolerance\n  write between"),
    ("value = 2\n", "at_least = 2\n", "tolerance: at_least has none\n  widen at_least"),
    ('value = 2\ntolerance = "5%"', "between = 2", "between: not two numbers"),
    ('value = 2\ntolerance = "5%"', "between = [3, 2]", "between: 3 is above 2"),
    ('tolerance = "5%"\n', "", "tolerance: missing\n  no measured number equals another"),
    ('"5%"', "'lots'", "tolerance: 'lots' is not a fraction"),
    ('"5%"', "[1]", "tolerance: [1] is not a fraction"),
    (MEASURE, "", "measure: nothing is measured\n  write [[measure]]"),
    ("[[measure]]", "[measure]", "measure: nothing is measured"),
    ("command =", "comand =", "measure 1: unknown key 'comand'\n  did you mean command?"),
    ('command = "hockney pingpong --sizes 8,64KiB"', "", "measure 1: command: missing"),
    ('"hockney pingpong --sizes 8,64KiB"', "'pingpong \"'", "command: No closing quotation"),
    ('"hockney pingpong --sizes 8,64KiB"', "'hockney'", "measure 1: command: no verb"),
    (MEASURE, MEASURE + MEASURE, "measure 1: name: missing\n  several measurements need"),
    (MEASURE, SEVERAL + SEVERAL, "measure 2: name: 'a' is given twice\n  choose another"),
    ("command =", "name = '../a'\ncommand =", "name: '../a' would not do as the name of a file"),
    (RATIO, "", "quantity: not a table\n  write [quantity]"),
    ('what = "ratio"', "", "[quantity]: what: missing\n  one of time, bandwidth"),
    ('"ratio"', "'speed'", "[quantity]: what: 'speed' is not known\n  one of time"),
    ("of = {bytes", "of = {what = 'ratio', bytes", "[quantity.of]: what: 'ratio' is not known"),
    ("over = {bytes = 8}", "", "quantity.over: not a table\n  write [quantity.over]"),
    ("{bytes = 8}", "{bites = 8}", "[quantity.over]: unknown key 'bites'\n  did you mean bytes?"),
    ("{bytes = 8}", "{bytes = '8 eggs'}", "[quantity.over]: bytes: '8 eggs': unknown unit 'eggs'"),
    ("{bytes = 8}", "{bytes = {a = 1}}", "[quantity.over]: bytes: a table chooses nothing"),
    ("{bytes = 8}", "{measure = 'b'}", "[quantity.over]: measure: there is no measurement 'b'"),
    (RATIO, TIME + "value = 3\n", "[quantity]: value is not part of a quantity\n  write value at"),
    (RATIO, "[quantity]\nwhat = 'exponent'\n", "[quantity]: against: missing\n  one of bytes"),
    (
        RATIO,
        "[quantity]\nwhat = 'exponent'\nagainst = 'colour'\n",
        "against: 'colour' is not known",
    ),
    (
        RATIO,
        "[quantity]\nwhat = 'exponent'\nagainst = 'bytes'\ntake = 'x'\n",
        "take: 'x' is not known",
    ),
    (RATIO, "[quantity]\nwhat = 'parameter'\n", "[quantity]: name: missing\n  name one such as"),
    (RATIO, "[quantity]\nwhat = 'path'\n", "[quantity]: path: missing\n  such as contention"),
    (RATIO, "[quantity]\nwhat = 'best'\n", "value: 2 is not a text\n  the best algorithm is a"),
    (
        'value = 2\ntolerance = "5%"\n' + MEASURE + RATIO,
        "at_most = 2" + MEASURE + "[quantity]\nwhat = 'best'\n",
        "at_most: the best algorithm is a name",
    ),
    (
        RATIO,
        "[quantity]\nwhat = 'best'\nalgorithm = 'ring'\n",
        "algorithm: the best one is the claimed value",
    ),
    (TOP, TOP + "requires = 3\n", "requires: not a table\n  write [requires]"),
    (RATIO, RATIO + "[requires]\nnods = 2\n", "[requires]: unknown key 'nods'\n  did you mean n"),
    (RATIO, RATIO + "[requires]\ncpus = -1\n", "[requires]: cpus: -1 is not a number"),
    (RATIO, RATIO + "[requires]\nnodes = '2'\n", "[requires]: nodes: '2' is not a number"),
    (RATIO, RATIO + "[requires]\nmpi = 1\n", "[requires]: mpi: 1 is not a text"),
    (RATIO, RATIO + "[requires]\nsimgrid = 1\n", "[requires]: simgrid: 1 is neither true nor"),
]


@pytest.mark.parametrize(("before", "after", "words"), WRONG, ids=lambda text: text[:30])
def test_each_mistake_is_named_with_its_key(
    tmp_path: Path, before: str, after: str, words: str
) -> None:
    assert before in WHOLE
    with pytest.raises(UsageError) as error:
        claim_of(tmp_path, WHOLE.replace(before, after, 1))
    assert str(error.value).startswith(str(tmp_path / "claim.toml"))
    assert words in str(error.value)
    assert error.value.advice


def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        read_claim(str(tmp_path / "none.toml"))
    with pytest.raises(UsageError, match="Invalid value"):
        claim_of(tmp_path, "claim = ")


@pytest.mark.parametrize("name", CLAIMS)
def test_claims_that_ship_are_whole(name: str) -> None:
    claim = read_claim(name)
    assert claim.name == name
    assert claim.claim.endswith(".")
    assert len(claim.source) > 30


def test_at_least_twelve_claims_ship() -> None:
    assert len(CLAIMS) >= 12

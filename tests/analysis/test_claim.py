"""Claims with a planted truth: one that is true, one that is false, one that cannot be told."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from collective_samples import collective_run
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.claims.claim import CANNOT_TELL, CONFIRMED, REFUTED, JudgedClaim, judged
from hockney.plan.claim_file import read_claim
from hockney.records import Run
from samples import make_run

ENOUGH = 24
RATIO = '[quantity]\nwhat = "ratio"\nof = {bytes = 1024}\nover = {bytes = 8}\n'
FORCED: Mapping[str, Mapping[str, str]] = {
    name: {"OMPI_MCA_coll_tuned_bcast_algorithm": number}
    for name, number in (("ring", "1"), ("chain", "2"), ("binomial", "3"))
}


def judgement(
    directory: Path,
    line: str,
    quantity: str,
    run: Run,
    document: Mapping[str, Any] | None = None,
) -> JudgedClaim:
    """The verdict on the claim that `line` states of a quantity, by a run."""
    path = directory / "claim.toml"
    path.write_text(
        f'claim = "It is so."\nsource = "A test"\n{line}\n'
        f'[[measure]]\ncommand = "pingpong"\n{quantity}'
    )
    run.path = directory / "run.jsonl"
    return judged(read_claim(str(path)), {"run": Analysis(run)}, lambda _: document or {})


def noisy(sigma: float = 0.03, launches: int = ENOUGH, times: float = 2.0) -> Run:
    """Launches that scatter by sigma; 1 KiB takes `times` as long as 8 B."""
    chance = random.Random(7)
    off = {(launch, size): chance.gauss(0.0, sigma) for launch in range(launches) for size in SIZES}

    def ns(launch: int, _: int, size: int) -> list[float]:
        return [1000.0 * (times if size == 1024 else 1.0) * (1.0 + off[launch, size])] * 3

    return make_run(ns, launches=launches, sizes=SIZES)


SIZES = (8, 1024)


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("value = 2\ntolerance = '10%'", CONFIRMED),
        ("value = 3\ntolerance = '10%'", REFUTED),
        ("value = 1\ntolerance = '10%'", REFUTED),
        ("value = 2\ntolerance = '0.5%'", CANNOT_TELL),
        ("at_least = 1.5", CONFIRMED),
        ("at_least = 2.5", REFUTED),
        ("at_least = 2.02", CANNOT_TELL),
        ("at_most = 2.5", CONFIRMED),
        ("at_most = 1.5", REFUTED),
        ("between = [1.8, 2.2]", CONFIRMED),
        ("between = [2.5, 3]", REFUTED),
    ],
)
def test_a_planted_ratio_is_judged_by_its_interval(tmp_path: Path, line: str, verdict: str) -> None:
    claim = judgement(tmp_path, line, RATIO, noisy())
    assert claim.verdict == verdict, claim.why
    assert claim.number is not None
    assert claim.number.interval.low < 2.0 < claim.number.interval.high
    assert claim.gate.exit_status == {CONFIRMED: 0, REFUTED: 1, CANNOT_TELL: 3}[verdict]


def test_the_launches_that_would_tell_grow_with_the_width(tmp_path: Path) -> None:
    """About (half-width / distance to the limit)^2 times as many."""
    number = judgement(tmp_path, "at_least = 1", RATIO, noisy()).number
    assert number is not None
    distance = (number.value - number.interval.low) / 3.0
    reach = max(number.interval.high - number.value, number.value - number.interval.low)
    line = f"at_least = {number.value - distance!r}"
    claim = judgement(tmp_path, line, RATIO, noisy())
    assert claim.verdict == CANNOT_TELL
    words = claim.remedy.split()
    assert int(words[1]) == pytest.approx(ENOUGH * (reach / distance) ** 2, abs=2.0)
    assert claim.remedy.endswith(f"-- --launches {words[1]}")


def test_a_number_at_a_limit_asks_for_no_launches(tmp_path: Path) -> None:
    same = judgement(tmp_path, "at_least = 2", RATIO, noisy())
    assert same.number is not None
    claim = judgement(tmp_path, f"at_least = {same.number.value!r}", RATIO, noisy())
    assert claim.verdict == CANNOT_TELL
    assert "wider range" in claim.remedy
    assert "--launches" not in claim.remedy


def test_few_launches_tell_nothing(tmp_path: Path) -> None:
    """Even where they agree: an interval of 95 % needs 18."""
    claim = judgement(tmp_path, "at_least = 1.5", RATIO, noisy(sigma=0.0, launches=17))
    assert claim.verdict == CANNOT_TELL
    assert "17 launches give no interval of 95 %" in claim.why
    assert "--launches 18" in claim.remedy
    assert judgement(tmp_path, "at_least = 1.5", RATIO, noisy(0.0, 18)).verdict == CONFIRMED


def test_a_bandwidth_has_the_interval_of_its_time(tmp_path: Path) -> None:
    quantity = '[quantity]\nwhat = "bandwidth"\nbytes = 1024\n'
    claim = judgement(tmp_path, "value = 512e6\ntolerance = '5%'", quantity, noisy())
    assert claim.verdict == CONFIRMED, claim.why
    assert claim.number is not None
    assert claim.number.interval.low < 512e6 < claim.number.interval.high
    slower = judgement(tmp_path, "at_least = '1GB/s'", quantity, noisy())
    assert slower.verdict == REFUTED


def line_run() -> Run:
    """T = 2 us + b / (1 GB/s), whose launches scatter a little."""
    chance = random.Random(3)
    off = [1.0 + chance.gauss(0.0, 0.01) for _ in range(ENOUGH)]
    return make_run(
        lambda launch, _, size: [(2000.0 + size) * off[launch]] * 3,
        launches=ENOUGH,
        sizes=(8, 512, 2000, 16384, 1 << 20),
    )


@pytest.mark.parametrize(
    ("name", "value"), [("alpha_s", "2us"), ("n_half_B", "2000"), ("r_inf_Bps", "1e9")]
)
def test_parameters_of_a_planted_line(tmp_path: Path, name: str, value: str) -> None:
    quantity = f'[quantity]\nwhat = "parameter"\nname = "{name}"\n'
    number = f"'{value}'" if value.endswith("s") else value
    claim = judgement(tmp_path, f"value = {number}\ntolerance = '5%'", quantity, line_run())
    assert claim.verdict == CONFIRMED, (claim.why, claim.remedy)


def test_a_parameter_that_no_model_has_is_not_told(tmp_path: Path) -> None:
    quantity = '[quantity]\nwhat = "parameter"\nname = "gamma_s"\n'
    claim = judgement(tmp_path, "at_least = 1", quantity, line_run())
    assert "no parameter 'gamma_s'" in claim.why
    assert "alpha_s" in claim.remedy


def rounds_run(spread: float = 0.01) -> Run:
    """Times grow with ranks - 1 (ring), ceil(log2 ranks) (binomial), or not (chain)."""

    def seconds(_: str, name: str, ranks: int, __: int) -> float:
        rounds = {"ring": ranks - 1, "binomial": (ranks - 1).bit_length(), "chain": 2.5}[name]
        return 1e-5 * rounds

    return collective_run(
        seconds,
        algorithms=FORCED,
        ranks=(2, 4, 8, 9),
        sizes=(8,),
        launches=ENOUGH,
        spread=spread,
    )


@pytest.mark.parametrize(
    ("algorithm", "against", "value"),
    [("ring", "others", 1.0), ("binomial", "rounds", 1.0)],
)
def test_planted_exponents(tmp_path: Path, algorithm: str, against: str, value: float) -> None:
    quantity = f'[quantity]\nwhat = "exponent"\nagainst = "{against}"\nalgorithm = "{algorithm}"\n'
    line = f"value = {value}\ntolerance = '3%'"
    claim = judgement(tmp_path, line, quantity, rounds_run())
    assert claim.verdict == CONFIRMED, (claim.why, claim.remedy)
    other = quantity.replace(f'against = "{against}"', 'against = "ranks"')
    assert judgement(tmp_path, line, other, rounds_run()).verdict == REFUTED


def test_an_exponent_is_of_one_algorithm(tmp_path: Path) -> None:
    quantity = '[quantity]\nwhat = "exponent"\nagainst = "ranks"\n'
    claim = judgement(tmp_path, "at_least = 1", quantity, rounds_run())
    assert claim.verdict == CANNOT_TELL
    assert "differ in algorithm" in claim.why
    assert claim.remedy == "name algorithm in [quantity]"


def test_curves_that_share_no_value_are_not_mixed(tmp_path: Path) -> None:
    """One algorithm was measured with 2 ranks only, another with more only."""
    run = rounds_run()
    measured = {("ring", 2), ("binomial", 4), ("binomial", 8)}
    run.samples[:] = [s for s in run.samples if (s.algorithm, s.ranks) in measured]
    quantity = '[quantity]\nwhat = "exponent"\nagainst = "ranks"\n'
    judged_exponent = judgement(tmp_path, "at_least = 1", quantity, run)
    assert "differ in algorithm" in judged_exponent.why
    best = judgement(tmp_path, "value = 'ring'", '[quantity]\nwhat = "best"\n', run)
    assert "differ in ranks" in best.why


@pytest.mark.parametrize(
    ("algorithm", "ranks", "verdict"),
    [("chain", 9, CONFIRMED), ("ring", 9, REFUTED), ("binomial", 9, REFUTED), ("ring", 2, None)],
)
def test_the_planted_best_algorithm(
    tmp_path: Path, algorithm: str, ranks: int, verdict: str | None
) -> None:
    """Of two ranks ring and binomial take the same time, and neither is the best."""
    quantity = f'[quantity]\nwhat = "best"\nranks = {ranks}\n'
    claim = judgement(tmp_path, f"value = '{algorithm}'", quantity, rounds_run(spread=0.2))
    assert claim.verdict == (verdict or CANNOT_TELL), claim.why


def test_the_best_needs_others(tmp_path: Path) -> None:
    quantity = '[quantity]\nwhat = "best"\nranks = 9\n'
    claim = judgement(tmp_path, "value = 'bruck'", quantity, rounds_run())
    assert claim.verdict == CANNOT_TELL
    assert "bruck was not measured beside others" in claim.why
    assert "binomial, chain, ring" in claim.remedy
    alone = judgement(tmp_path, "value = 'pingpong'", '[quantity]\nwhat = "best"\n', noisy())
    assert alone.verdict == CANNOT_TELL
    quantity = '[quantity]\nwhat = "best"\nbytes = 8\nradix = 2\n'
    assert judgement(tmp_path, "value = 'ring'", quantity, rounds_run()).verdict == CANNOT_TELL


def test_one_algorithm_alone_is_not_the_best(tmp_path: Path) -> None:
    run = collective_run(
        lambda *_: 1e-5, algorithms={"ring": FORCED["ring"]}, sizes=(8,), launches=ENOUGH
    )
    claim = judgement(tmp_path, "value = 'ring'", '[quantity]\nwhat = "best"\n', run)
    assert claim.verdict == CANNOT_TELL
    assert "ring was not measured beside others" in claim.why


DOCUMENT = {
    "contention": [
        {"bytes": 8, "pairs": 1, "slowdown": None},
        {"bytes": 8, "pairs": 2, "slowdown": 1.5},
    ],
    "tails": [{"bytes": 8, "quantiles": [{"quantile": 0.99, "time_s": 3.0, "low_s": 2.0}]}],
    "compared": [{"ratio": 2.0, "low": 1.9, "high": 2.1, "time_s": 1.0, "each": [2.0, 1.9]}],
    "named": [{"algorithm": None, "fits": True, "x": 1.0}, {"algorithm": "a", "fits": False}],
    "fits": [{"parameters": {"alpha_s": {"value": 1.0, "low": 0.9, "high": 1.1}}}],
    "name": "x",
}


@pytest.mark.parametrize(
    ("path", "verdict", "words"),
    [
        ("compared[0].ratio", CONFIRMED, "is 2 (95 %: 1.9 .. 2.1"),
        ("fits[0].parameters.alpha_s", CONFIRMED, "is 1 s"),
        ("contention[bytes=8,pairs=2].slowdown", CANNOT_TELL, "has no interval"),
        ("compared[0].time_s", CANNOT_TELL, "has no interval"),
        ("contention[pairs=1].slowdown", CANNOT_TELL, "is not known"),
        ("contention[bytes=8].slowdown", CANNOT_TELL, "2 of 2 entries have [bytes=8]"),
        ("contention[5].slowdown", CANNOT_TELL, "the list has no entry 5"),
        ("contension[0].slowdown", CANNOT_TELL, "there is no 'contension[0].slowdown'"),
        ("tails[bytes=8].quantiles[quantile=0.99].time_s", CANNOT_TELL, "has no interval"),
        ("contention.slowdown", CANNOT_TELL, "there is no 'slowdown'"),
        ("contention[0].", CANNOT_TELL, "there is no 'contention[0].'"),
        ("named[algorithm=null].x", CANNOT_TELL, "has no interval"),
        ("named[fits=true].x", CANNOT_TELL, "has no interval"),
        ("compared[0].each[1]", CANNOT_TELL, "has no interval"),
        ("compared[0].each[1].ratio", CANNOT_TELL, "there is no 'ratio'"),
        ("compared[0].each[ratio=2]", CANNOT_TELL, "0 of 2 entries have [ratio=2]"),
        ("name", CANNOT_TELL, "is no number"),
        ("name[0]", CANNOT_TELL, "chooses from what is no list"),
    ],
)
def test_paths_into_the_json(tmp_path: Path, path: str, verdict: str, words: str) -> None:
    quantity = f'[quantity]\nwhat = "path"\npath = "{path}"\n'
    claim = judgement(tmp_path, "between = [0.5, 2.5]", quantity, noisy(), DOCUMENT)
    assert words in claim.why
    assert claim.verdict == verdict
    assert claim.remedy or verdict == CONFIRMED


def test_a_point_that_was_not_measured_is_named(tmp_path: Path) -> None:
    quantity = '[quantity]\nwhat = "time"\nbytes = 4096\n'
    claim = judgement(tmp_path, "at_most = 1", quantity, noisy())
    assert "no point with bytes = 4096" in claim.why
    assert claim.remedy == "it has bytes: 1024, 8"


def test_ranks_that_took_turns_and_one_node_tell_nothing(tmp_path: Path) -> None:
    run = noisy()
    requires = RATIO + "[requires]\nnodes = 2\n"
    claim = judgement(tmp_path, "at_least = 1.5", requires, run)
    assert claim.verdict == CANNOT_TELL
    assert "were on 1 node, the claim is about 2" in claim.why
    places = [msgspec.structs.replace(place, pu=0) for place in run.launches[0].places]
    run = noisy()
    run.launches[:] = [msgspec.structs.replace(launch, places=places) for launch in run.launches]
    claim = judgement(tmp_path, "at_least = 1.5", RATIO, run)
    assert claim.verdict == CANNOT_TELL
    assert "CPU" in claim.why

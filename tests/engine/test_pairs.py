"""Many ranks in pairs: who speaks with whom, what is kept, what is refused."""

from __future__ import annotations

import itertools

import pytest

from conftest import RunEngine, first_of

QUICK = ("--seconds", "0.1", "--sizes", "0,64")


def pairs_of(samples: list[dict[str, object]], ranks: int) -> set[tuple[int, ...]]:
    return {tuple(s["peers"]) for s in samples if s["ranks"] == ranks}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pairing", "expected"),
    first_of(
        [
            ("3-0,1-2", {(3, 0), (1, 2)}),
            ("halves", {(0, 2), (1, 3)}),
            ("neighbours", {(0, 1), (2, 3)}),
        ]
    ),
)
def test_one_pair_alone_and_all_at_once(
    run_engine: RunEngine, pairing: str, expected: set[tuple[int, int]]
) -> None:
    done = run_engine.ok("pairs", f"--pairing={pairing}", *QUICK, ranks=4)
    samples = done.of("samples")
    assert pairs_of(samples, 4) == expected
    assert len(pairs_of(samples, 2)) == 1
    assert pairs_of(samples, 2) < expected
    assert all(ns > 0.0 for s in samples for ns in s["ns"])
    assert {(s["bytes"], s["ranks"]) for s in samples} == {(0, 2), (0, 4), (64, 2), (64, 4)}


@pytest.mark.long
def test_random_pairs_are_pairs_and_the_seeds_own(run_engine: RunEngine) -> None:
    def found(seed: int) -> set[tuple[int, ...]]:
        done = run_engine(
            "pairs", "--pairing=random", f"--seed={seed}", "--pairs-active=2", *QUICK, ranks=4
        )
        return pairs_of(done.of("samples"), 4)

    by_seed = [found(seed) for seed in (1, 1, 2, 3, 4)]
    assert all(sorted(itertools.chain(*pairs)) == [0, 1, 2, 3] for pairs in by_seed)
    assert by_seed[0] == by_seed[1]
    assert len({frozenset(pairs) for pairs in by_seed}) > 1


def test_starts_are_recorded_and_common(run_engine: RunEngine) -> None:
    done = run_engine("pairs", *QUICK)
    starts = done.of("start")
    visits = {(s["round"], s["bytes"], s["ranks"]) for s in done.of("samples")}
    assert {(s["round"], s["bytes"], s["ranks"]) for s in starts} == visits
    assert all(s["skew_s"] >= 0.0 and s["error_s"] == 0.0 for s in starts)
    assert done.of("probe")


def test_every_iteration_keeps_each_ranks_own_times(run_engine: RunEngine) -> None:
    done = run_engine("pairs", "--every-iteration", *QUICK)
    samples = done.of("samples")
    assert pairs_of(samples, 2) == {(0, 1), (1, 0)}
    assert {s["repetitions"] for s in samples} == {1}
    assert "each rank's own" in done.of("launch")[0]["definition"]


def test_counts_of_a_size_are_kept_to(run_engine: RunEngine) -> None:
    done = run_engine("pairs", "--seconds", "0.1", "--sizes", "8@50+5,16@20")
    assert {(s["bytes"], s["repetitions"], len(s["ns"])) for s in done.of("samples")} == {
        (8, 50, 1),
        (16, 20, 1),
    }


def test_counts_of_single_exchanges_have_room_however_many(run_engine: RunEngine) -> None:
    words = ("pairs", "--every-iteration", "--sizes", "8@500", "--rounds=1:1")
    done = run_engine.ok(*words, "--seconds=0.1")
    assert {len(s["ns"]) for s in done.of("samples")} == {500}
    run_engine.refused(
        "pairs",
        "--every-iteration",
        "--sizes",
        "8@99999999",
        because="more than 16777216 repetitions a visit",
    )


@pytest.mark.parametrize("mode", ["standard", "synchronous", "nonblocking", "persistent"])
def test_every_mode_is_a_pingpong(run_engine: RunEngine, mode: str) -> None:
    done = run_engine.ok("pairs", f"--mode={mode}", *QUICK)
    operations = {(s["operation"], s["algorithm"], s["mode"]) for s in done.of("samples")}
    assert operations == {("pingpong", None, mode)}


@pytest.mark.parametrize("operation", ["stream", "bidirectional"])
def test_windows_are_points_of_their_own(run_engine: RunEngine, operation: str) -> None:
    done = run_engine.ok("pairs", f"--operation={operation}", "--window=1,16", *QUICK)
    assert {(s["operation"], s["algorithm"], s["window"]) for s in done.of("samples")} == {
        (operation, None, 1),
        (operation, None, 16),
    }


def test_every_two_ranks(run_engine: RunEngine) -> None:
    done = run_engine("cores", "--seconds", "0.1", "--sizes", "8", ranks=5)
    expected = set(itertools.combinations(range(5), 2))
    assert pairs_of(done.of("samples"), 2) == expected
    parallel = run_engine("cores", "--parallel", "--seconds", "0.1", "--sizes", "8", ranks=5)
    samples = parallel.of("samples")
    assert pairs_of(samples, 4) == expected
    assert pairs_of(samples, 2) == {(0, other) for other in range(1, 5)}
    together: dict[tuple[int, float], list[int]] = {}
    for s in (s for s in samples if s["ranks"] == 4):
        together.setdefault((s["round"], s["at_s"]), []).extend(s["peers"])
    assert all(len(ranks) == len(set(ranks)) == 4 for ranks in together.values())


@pytest.mark.parametrize(
    ("arguments", "ranks", "complaint"),
    [
        (["pairs"], 3, "3 ranks do not make pairs"),
        (["pairs", "--pairing=0-1,1-2"], 4, "in more than one pair"),
        (["pairs", "--pairing=0-0"], 2, "in more than one pair"),
        (["pairs", "--pairing=0-9"], 2, "no rank 9"),
        (["pairs", "--pairing=0+1"], 2, "written 0-2,1-3"),
        (["pairs", "--pairing=0-"], 2, "expected a rank"),
        (["pairs", "--pairs-active=2"], 2, "not from 1 to 1, the number of pairs"),
        (["pairs", "--window=0", "--operation=stream"], 2, "from 1 up"),
        (["pairs", "--operation=stream", "--mode=synchronous"], 2, "takes no --mode"),
        (["pairs", "--operation=telepathy"], 2, "telepathy: no such operation"),
    ],
)
def test_bad_questions_are_told(
    run_engine: RunEngine, arguments: list[str], ranks: int, complaint: str
) -> None:
    done = run_engine.refused(*arguments, *QUICK, ranks=ranks, because=complaint)
    assert done.of("samples") == []


@pytest.mark.parametrize(
    ("ranks", "sizes", "reason"), [(2, "8,64", "complete"), (4, "8", "budget")]
)
def test_a_pass_without_time_measures_its_first_arrangement(
    run_engine: RunEngine, ranks: int, sizes: str, reason: str
) -> None:
    done = run_engine.ok("fabric", "--seconds", "0", "--sizes", sizes, ranks=ranks)
    (block,) = done.of("pair_times")
    assert block["visits"] == 1
    assert block["bytes"] == [int(size) for size in sizes.split(",")]
    assert [end["reason"] for end in done.of("end")] == [reason]


def test_what_a_pair_sends_first_is_drawn_and_takes_turns(run_engine: RunEngine) -> None:
    firsts = []
    for number in ("0", "1"):
        words = ("fabric", "--parallel", "--one-way", "--pass", number)
        done = run_engine.ok(*words, "--sizes", "8", "--seconds", "60", ranks=4)
        peers = [rank for block in done.of("pair_times") for rank in block["peers"]]
        rows = [tuple(peers[i : i + 2]) for i in range(0, len(peers), 2)]
        assert set(rows) == set(itertools.permutations(range(4), 2))
        assert [pair[::-1] for pair in rows[::2]] == rows[1::2]
        firsts.append(set(rows[::2]))
    assert firsts[0] == {pair[::-1] for pair in firsts[1]}
    assert len({first < second for first, second in firsts[0]}) == 2

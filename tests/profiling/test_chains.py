"""Waiting that is passed on from rank to rank, and whom it ends at."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from profile_samples import calls, profile, rank

from hockney.profiling.causes import LATE, LATENCY, UNEXPLAINED, Causes
from hockney.profiling.chains import WaitChains, chains_of
from hockney.profiling.findings import findings_of
from hockney.profiling.kinds import Blame, MessagesAlone, Profile
from hockney.profiling.summary import ProfileSummary
from hockney.show.profiles.profile_findings import finding_text

MACHINE = MessagesAlone(messages=((8, 1e-6), (1024, 2e-6), (1 << 20, 1e-4)))
Waits = dict[tuple[int, int], float]


def waiting(waits: Waits, ranks: int, call: str = "MPI_Recv", messages: int = 1000) -> Profile:
    """Ranks that run for 1 s, receive messages of 1 us, and compute while they do not wait; waits:
    seconds by the rank that waits and the one it waits for."""
    made = profile(ranks=ranks)
    made.machine = MACHINE
    made.ranks = [rank(number, ranks, cpu_wait_s=0.0) for number in range(ranks)]
    for number in range(ranks):
        waited = sum(seconds for (who, _), seconds in waits.items() if who == number)
        spent = waited + 1e-6 * messages
        made.calls.append(
            calls(number, call, messages, 8, time_s=spent, wait_s=waited, seen=messages)
        )
    made.blames += [
        Blame(job=0, rank=who, for_rank=whom, seconds=s) for (who, whom), s in waits.items()
    ]
    return made


def decided(made: Profile) -> dict[str, object]:
    [facts] = [
        finding.facts for finding in findings_of(ProfileSummary(made)) if finding.kind == "decides"
    ]
    return facts


def pipeline(ranks: int) -> Profile:
    """Rank 0 computes, the others only pass its messages on."""
    return waiting({(number, number - 1): 0.998 for number in range(1, ranks)}, ranks)


def test_waiting_that_a_pipeline_passes_on_is_for_its_slow_rank() -> None:
    causes = Causes(pipeline(6))
    assert causes.seconds[LATE] > 0.98 * sum(causes.seconds.values())
    assert causes.late_of_rank[0, 0] > 0.99 * sum(causes.late_of_rank.values())


def test_ranks_that_wait_in_a_ring_wait_for_what_they_do_themselves() -> None:
    """Each waits for the one before it, and nobody computes: messages take all of the time."""
    ring = waiting({(r, (r - 1) % 4): 0.9 for r in range(4)}, 4, messages=100_000)
    seconds = Causes(ring).seconds
    assert seconds[LATENCY] == pytest.approx(sum(seconds.values()))


def test_two_ranks_do_not_wait_for_each_other_at_one_moment() -> None:
    """Rank 0 computes for 0.9 s and waits for messages of rank 1; rank 1 waits for rank 0."""
    made = waiting({(0, 1): 0.1, (1, 0): 0.9}, 2)
    made.calls = [
        replace(made.calls[0], count=1, time_s=0.1, wait_s=0.1),
        replace(made.calls[1], count=100_000, time_s=1.0, wait_s=0.9),
    ]
    causes = Causes(made)
    assert causes.mix_of_rank[0, 0][LATENCY] == pytest.approx(1.0)
    assert causes.mix_of_rank[0, 1][LATE] == pytest.approx(1.0, abs=1e-4)


def test_waiting_for_a_rank_without_a_record_is_unexplained() -> None:
    made = waiting({(0, 2): 0.9, (1, 0): 0.0}, 3)
    made.ranks, made.calls = made.ranks[:2], made.calls[:2]
    seconds = Causes(made).seconds
    assert seconds[UNEXPLAINED] == pytest.approx(0.9)


AMOUNTS = st.floats(0.0, 1e3)


@given(
    st.lists(st.tuples(AMOUNTS, AMOUNTS), min_size=1, max_size=6),
    st.dictionaries(st.tuples(st.integers(0, 5), st.integers(0, 5)), AMOUNTS, max_size=20),
)
def test_waiting_ends_somewhere_or_nowhere(active: list[tuple[float, float]], waits: Waits) -> None:
    chains = chains_between(active, waits)
    met = chains.activities_met
    assert np.all(met >= 0.0)
    assert all(whole == pytest.approx(1.0) or whole == 0.0 for whole in met.sum(axis=1))
    ended = chains.ends.sum()
    assert 0.0 <= ended <= chains.seconds.sum() * (1.0 + 1e-6)


def chains_between(active: list[tuple[float, float]], waits: Waits) -> WaitChains:
    ranks = {(0, number): dict(zip("ab", of, strict=True)) for number, of in enumerate(active)}
    waited_for = {
        key: {(0, b): s for (a, b), s in waits.items() if a == key[1] and (0, b) in ranks}
        for key in ranks
    }
    return chains_of(ranks, "ab", waited_for)


def test_causes_of_waiting_are_what_the_ranks_do_at_which_it_ends() -> None:
    """Followed from those who wait, and counted at those who are waited for."""
    draw = np.random.default_rng(1)
    waits = {(a, b): draw.uniform(0.1, 1.0) for a in range(5) for b in range(5) if a != b}
    chains = chains_between([tuple(draw.uniform(0.5, 1.0, 2)) for _ in range(5)], waits)
    followed = chains.seconds @ chains.activities_met
    assert followed == pytest.approx(chains.ends.sum(axis=0), rel=1e-4)


def test_the_late_rank_is_the_one_that_computes_not_the_one_in_the_middle() -> None:
    """All reduce to rank 0, which waits for rank 3, and then broadcasts to all others."""
    facts = decided(waiting({(0, 3): 0.8, (1, 0): 0.8, (2, 0): 0.8}, 4, "MPI_Reduce"))
    assert (facts["rank"], facts["job"]) == (3, None)
    assert float(str(facts["of_waiting"])) > 0.8
    assert float(str(facts["over_mean"])) > 2.0


def test_the_late_rank_is_named_with_its_job_and_compared_with_it() -> None:
    """In job 1, rank 1 computes for 1 s and rank 0 for 0.1 s; the ranks of job 0 run longer."""
    long, late = waiting({}, 2), waiting({(0, 1): 0.9}, 2)
    long.ranks = [replace(rank, wall_s=10.0) for rank in long.ranks]
    long.ranks += [replace(rank, job=1) for rank in late.ranks]
    long.calls += [replace(call, job=1) for call in late.calls]
    long.blames += [replace(blame, job=1) for blame in late.blames]
    [finding] = [
        finding for finding in findings_of(ProfileSummary(long)) if finding.kind == "decides"
    ]
    assert (finding.facts["rank"], finding.facts["job"]) == (1, 1)
    assert finding.facts["over_mean"] == pytest.approx(2.0 / 1.1, rel=0.01)
    assert "for rank 1 of job 1, which computes 1.82 times" in finding_text(finding)


def test_ranks_of_findings_have_their_job_where_there_are_several() -> None:
    made = waiting({}, 2)
    made.ranks += [replace(rank, job=1, end="lost", cpu_wait_s=0.5) for rank in made.ranks[:1]]
    texts = [finding_text(finding) for finding in findings_of(ProfileSummary(made))]
    assert any(text.startswith("rank 0 of job 1 ended without MPI_Finalize") for text in texts)
    assert any("the CPU of rank 0 of job 1 (rank 0 of job 1: 50 %" in text for text in texts)


def test_no_rank_is_called_late_that_computes_less_than_the_mean() -> None:
    made = waiting({(0, 1): 0.4}, 3)
    made.ranks[1] = replace(made.ranks[1], wall_s=0.5)
    facts = decided(made)
    assert (facts["cause"], facts["rank"], facts["over_mean"]) == (LATE, None, None)

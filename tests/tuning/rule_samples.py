"""Rules made by hand, and rules that hypothesis makes."""

from __future__ import annotations

from hypothesis import strategies as st

from hockney.run.mpis import ONE_FOR_ALL_SIZES, Rule

SIZES = (0, 1, 7, 8, 64, 1000, 4096, 1 << 20)


def openmpi_rule(
    collective: str, ranks: int, from_: int, to: int | None, number: int, segment: int = 0
) -> Rule:
    variable = f"OMPI_MCA_coll_tuned_{collective}_algorithm"
    settings = {variable: str(number)}
    if segment:
        settings[f"{variable}_segmentsize"] = str(segment)
    return Rule(collective, ranks, from_, to, f"number {number}", tuple(settings.items()))


def mpich_rule(collective: str, ranks: int, from_: int, to: int | None, name: str) -> Rule:
    variable = f"MPIR_CVAR_{collective.upper()}_INTRA_ALGORITHM"
    return Rule(collective, ranks, from_, to, name, ((variable, name),))


@st.composite
def ranges(draw: st.DrawFn, collectives: tuple[str, ...]) -> list[tuple[str, int, int, int | None]]:
    """Collective, ranks, first and last size of rules that do not overlap."""
    rule_ranges: list[tuple[str, int, int, int | None]] = []
    for collective in draw(st.lists(st.sampled_from(collectives), min_size=1, unique=True)):
        for ranks in sorted(draw(st.sets(st.integers(2, 12), min_size=1, max_size=4))):
            if collective in ONE_FOR_ALL_SIZES:
                rule_ranges.append((collective, ranks, 0, None))
                continue
            ends = draw(st.lists(st.sampled_from(SIZES), min_size=2, max_size=6, unique=True))
            pairs = zip(*[iter(sorted(ends))] * 2, strict=False)
            rule_ranges += [(collective, ranks, first, last) for first, last in pairs]
    return rule_ranges

"""Shows outliers in words and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from hockney.base.units import first_few, format_ratio, format_size, how_many
from hockney.infer.analysis import Analysis
from hockney.infer.analysis.network.boards import PAIR, PLACE, Doubt
from hockney.infer.analysis.network.outliers import RULE, Outlier
from hockney.infer.analysis.network.slow_parts import Part, TestedPart, Verdict
from hockney.records import Place
from hockney.show.one_run import run_lines
from hockney.show.one_run.run_lines import place_words

MOST_LISTED = 20


def outlier_count(analysis: Analysis) -> list[str]:
    """The number of outliers in one line, or why it is unknown; empty where there are too few
    pairs."""
    outliers = analysis.outliers
    if outliers.slow:
        return [how_many(len(outliers.slow), "outlier")]
    if outliers.doubts and outliers.judged:
        return [f"outliers not judged: {outliers.doubts[0].why}"]
    return ["no outlier"] if outliers.judged else []


def outliers_text(analysis: Analysis) -> str:
    """A line for each outlier, then what could not be judged, and the rule."""
    outliers = analysis.outliers
    lines = [_line(outlier, analysis.places) for outlier in outliers.slow]
    lines = first_few(lines, MOST_LISTED)
    lines += doubt_lines(outliers.doubts) or ([] if outliers.slow else ["no outlier"])
    return "\n".join(with_rule(lines) if outliers.judged else lines)


def doubt_lines(doubts: Sequence[Doubt]) -> list[str]:
    """Why something was not judged, and what would allow it."""
    return list(dict.fromkeys(f"not judged: {doubt.why}; {doubt.remedy}" for doubt in doubts))


def definitions(analysis: Analysis) -> list[str]:
    """What the columns of runs of pairs hold, how ranks started, and the rule of outliers."""
    return [
        *run_lines.definitions(analysis),
        *run_lines.start_lines(analysis.skew),
        *_rule_lines(analysis),
    ]


def _rule_lines(analysis: Analysis) -> list[str]:
    """The rule, where pairs were judged by it."""
    return [f"outlier: {RULE}"] if analysis.outliers.judged else []


def with_rule(lines: Sequence[str]) -> list[str]:
    """The lines, with the command that shows the rule by which they judge."""
    return [*lines[:-1], f"{lines[-1]} (rule: hockney show FILE --explain)"]


def _line(outlier: Outlier, places: Mapping[int, Place]) -> str:
    at_once = f" with {outlier.pairs} pairs at once" if outlier.pairs > 1 else ""
    return (
        f"outlier: {outlier.what} {who(outlier, places)}: {format_ratio(outlier.ratio)} times its "
        f"group ({outlier.group}) at {format_size(outlier.bytes)}{at_once}; "
        f"{outlier.sure}"
    )


def who(outlier: Outlier, places: Mapping[int, Place]) -> str:
    """The outlier in words: nodes and switches by their names, ranks by their places."""
    if outlier.what in (PLACE, PAIR):
        return pair_words(outlier.ranks, places)
    return ", ".join(outlier.names)


def rank_words(rank: int, places: Mapping[int, Place]) -> str:
    return f"rank {rank} ({place_words(places[rank])})" if rank in places else f"rank {rank}"


def pair_words(ranks: Iterable[int], places: Mapping[int, Place]) -> str:
    return " with ".join(rank_words(rank, places) for rank in ranks)


def outliers_json(analysis: Analysis) -> dict[str, Any]:
    """{"outliers", "outlier_rule"}; outliers are null where there are too few pairs to judge."""
    outliers = analysis.outliers
    named = [
        {**tested_json(outlier), "name": who(outlier, analysis.places)} for outlier in outliers.slow
    ]
    return {"outliers": named if outliers.judged else None, "outlier_rule": RULE}


def tested_json(part: TestedPart) -> dict[str, Any]:
    """Its fields, with the launches or passes by their name."""
    named = {"looks": f"{part.LOOK}es", "agreeing": f"{part.LOOK}es_agreeing"}
    return {named.get(name, name): value for name, value in asdict(part).items()}


def verdict_lines(
    verdict: Verdict[Part], line: Callable[[Part], str], nothing: str, end: str
) -> list[str]:
    """A line that can be mailed for each slow part, with all that a repair needs; or why nothing
    was judged, or that nothing is slow."""
    if verdict.slow:
        return [f"{line(part)}; {end}" for part in verdict.slow]
    return doubt_lines(verdict.doubts[:1]) or [f"{nothing} among {verdict.judged_words}; {end}"]

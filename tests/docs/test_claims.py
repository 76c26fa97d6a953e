"""Every rate that a page states was measured: docs/claims.json (benchmarks/claims.py)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
MEASURED = {claim["name"]: claim for claim in json.loads((DOCS / "claims.json").read_text())}
ANCHORS = {re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-"): name for name in MEASURED}
OTHERS = {"claims.md", "cli.md"}
"""Generated pages."""
PAGES = [
    ROOT / "README.md",
    *(page for page in sorted(DOCS.rglob("*.md")) if page.name not in OTHERS),
]
LINK = re.compile(r"\[([^\]]*)\]\([^)]*claims\.md(?:#([\w.-]*))?\)")
FIGURE = re.compile(r"\d[\d.,]*(?: to \d[\d.]*)? ?%|\b\d[\d,]* of \d[\d,]*\b")
RATE = re.compile(
    r"simulated (?:runs|histories|launches|networks)|in simulations|coverage|hold the median"
    r"|are called|called different|false alarm|accused",
    re.IGNORECASE,
)
"""Words of sentences that state how often a conclusion is right."""
BLOCK = re.compile(r"^```.*?^```|^    .*?$|^\|.*?$|<!--.*?-->", re.MULTILINE | re.DOTALL)


def sentences(page: Path) -> Iterator[str]:
    """The prose of a page: without code and tables."""
    for paragraph in BLOCK.sub("", page.read_text()).split("\n\n"):
        yield from re.split(r"(?<=[.:]) (?=[A-Z*`(])", " ".join(paragraph.split()))


def percentages(text: str) -> list[float]:
    numbers = re.findall(r"\d+(?:\.\d+)?(?= to \d[\d.]* ?%| ?%)", text)
    return [float(number) for number in numbers]


@pytest.mark.parametrize("name", MEASURED)
def test_claims_are_not_refuted_by_their_measurement(name: str) -> None:
    claim = MEASURED[name]
    low, high = claim["interval"]
    assert claim["at_most"] is None or low <= claim["at_most"]
    assert claim["at_least"] is None or high >= claim["at_least"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_figures_that_link_to_a_claim_are_those_measured(page: Path) -> None:
    for words, anchor in LINK.findall(page.read_text()):
        if not anchor:
            continue
        assert anchor in ANCHORS, f"{page.name}: no claim is named {anchor}"
        claim = MEASURED[ANCHORS[anchor]]
        limits = [100 * limit for limit in (claim["at_most"], claim["at_least"]) if limit]
        low, high = (100 * limit for limit in claim["interval"])
        for stated in percentages(words):
            assert low <= stated <= high or stated in limits, f"{words}: {low} to {high} %"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_rate_links_to_its_claim(page: Path) -> None:
    unlinked = [
        sentence
        for sentence in sentences(page)
        if RATE.search(sentence) and FIGURE.search(sentence)
        if "claims.md" not in sentence and "RESULTS.md" not in sentence
    ]
    assert unlinked == []


def test_the_page_of_claims_is_made_of_the_measurements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    from claims import claims, page

    known: dict[str, Any] = claims()
    assert "\n".join(page(MEASURED)) + "\n" == (DOCS / "claims.md").read_text()
    assert list(MEASURED) == list(known)
    for name, claim in known.items():
        assert (claim.stated, claim.at_most, claim.at_least) == tuple(
            MEASURED[name][key] for key in ("stated", "at_most", "at_least")
        )

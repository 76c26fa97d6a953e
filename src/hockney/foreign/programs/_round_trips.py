"""Whether a comment or a name shows times of whole round trips, or of one way, which is half.

Times of ping-pongs are one way here, so that those of round trips are halved.
"""

from __future__ import annotations

import re

_TRIP = r"(?:round[ -]?trips?|rtts?)"
_WHOLE = re.compile(rf"\b{_TRIP}\b", re.IGNORECASE)
_ONE_WAY = re.compile(
    r"(?<!not )\bone[ -]?way\b"
    rf"|(?:\b(?:half|halved|not|no|1/2)\b|½)[^.;,:]{{0,20}}\b{_TRIP}\b"
    rf"|\b0\.5 ?(?:[*×x]|of)? ?(?:the )?{_TRIP}\b"
    rf"|\b{_TRIP}\b[^.;]{{0,20}}?"
    r"(?:(?<!\d)[/÷] ?2\b|[*×] ?0\.5\b|(?<!not )\b(?:divided by|over) (?:2|two)\b"
    r"|(?<!not )\bhalved\b)",
    re.IGNORECASE,
)


def is_round_trip(text: str) -> bool | None:
    """True for times of whole round trips, False for times of one way or half of a round trip, None
    where the text says neither."""
    words = text.replace("_", " ")
    if _ONE_WAY.search(words):
        return False
    return True if _WHOLE.search(words) else None

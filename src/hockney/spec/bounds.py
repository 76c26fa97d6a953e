"""Numbers that may stand in a record or a plan; what lies beyond is damage."""

from typing import Annotated

import msgspec

LARGEST_WHOLE = 2**62
Whole = Annotated[int, msgspec.Meta(ge=0, le=LARGEST_WHOLE)]
"""A size or a count."""
LARGEST_NS = 1e18
Nanoseconds = Annotated[float, msgspec.Meta(ge=0.0, le=LARGEST_NS)]
"""Up to 30 years."""
LARGEST_S = 1e9
Seconds = Annotated[float, msgspec.Meta(ge=-LARGEST_S, le=LARGEST_S)]
"""As long; below 0 where clocks differ."""

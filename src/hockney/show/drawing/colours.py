"""Colours of systems, states and algorithms, the same in figures for papers and in reports."""

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")
"""Colours that differ for colour-blind readers and in grey (Okabe & Ito 2008)."""
ON_DARK = ("#4BA3DB", "#F08A4B", "#2DBE95", "#DD9CC0", "#F2F2F2", "#F0B93A", "#8CCBF0")
"""Lighter colours of the same hues, for a dark page."""
QUIET = "#777777"
"""Colour of reference lines and the like."""

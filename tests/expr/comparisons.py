"""Names that end in comparisons, as learned thresholds make them, and names that seem to."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.strategies import HOSTILE_NAMES, INPUTS

NUMBERS = (
    "0",
    "41",
    "127.5",
    "-3",
    "-0.25",
    "1e+20",
    "-2.5e-07",
    "4E6",
    ".5",
    "7.",
    "-0",
    "3+/-0.5",
)
# Nothing in these is a comparison that a name could end in.
NEARLY = (
    "x>",
    "<",
    ">",
    "x>y",
    "a>5 b",
    "x>=5",
    "x>+1",
    "x>1e",
    "x>-",
    "x>5+/-",
    "x>.",
    "x>1.2.3",
)
COLUMNS = (*HOSTILE_NAMES, *NEARLY, "age", "body mass", "a>5", "h<-1", "x><", "h1", ">5")

numbers = st.sampled_from(NUMBERS) | st.floats(-1e12, 1e12).map(lambda value: f"{value:.9g}")
comparisons = st.builds(str.__add__, st.sampled_from("<>"), numbers)
columns = st.sampled_from(COLUMNS) | st.text(max_size=5)
compared_names = st.lists(
    columns | st.builds(str.__add__, columns, comparisons),
    min_size=INPUTS,
    max_size=INPUTS,
    unique=True,
)

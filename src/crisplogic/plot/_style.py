"""What plots of quantities share: colours, and texts that are no formulas."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.legend import Legend

# Colour-blind readers can tell them apart, too (Okabe and Ito).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "0.2", "0.6")
REST = "0.7"  # what is no class
MOST_IN_A_LINE = 48  # characters of a label


def plain_legend(legend: Legend) -> None:
    """Show the texts of a legend as they are, without formulas between dollars."""
    for text in legend.get_texts():
        text.set_parse_math(False)


def wrap_labels(labels: Sequence[str]) -> list[str]:
    """Labels with line breaks, so that none is wide."""
    return ["\n".join(wrap(label, MOST_IN_A_LINE)) or label for label in labels]


def label_width(labels: Sequence[str]) -> float:
    """The width in inches that labels of an axis need, in the font that they have there."""
    import matplotlib as mpl

    from crisplogic.plot._drawing import text_width

    size = float(mpl.rcParams["font.size"])
    return max(text_width(line, size) for label in labels for line in label.split("\n"))

"""Figures, with matplotlib (``pip install 'crisplogic[plot]'``)."""

from crisplogic.plot._files import FORMATS, PlotError, check_can_draw
from crisplogic.plot.diagram import plot_rules, save_rules
from crisplogic.plot.frontier import HELD_OUT, TRAINING, plot_frontier, save_frontier
from crisplogic.plot.shape import plot_shape, save_shape

__all__ = [
    "FORMATS",
    "HELD_OUT",
    "TRAINING",
    "PlotError",
    "check_can_draw",
    "plot_frontier",
    "plot_rules",
    "plot_shape",
    "save_frontier",
    "save_rules",
    "save_shape",
]

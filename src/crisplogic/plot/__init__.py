"""Figures, with matplotlib (``pip install 'crisplogic[plot]'``)."""

from crisplogic.plot._files import FORMATS, PlotError, check_can_draw
from crisplogic.plot.card import plot_checklist
from crisplogic.plot.columns import plot_column, plot_columns
from crisplogic.plot.diagram import plot_rules, save_rules
from crisplogic.plot.frontier import HELD_OUT, TRAINING, plot_frontier, save_frontier
from crisplogic.plot.quality import plot_calibration, plot_confusion
from crisplogic.plot.shape import plot_shape, save_shape
from crisplogic.plot.stability import plot_stability
from crisplogic.plot.training import plot_history, plot_snap

__all__ = [
    "FORMATS",
    "HELD_OUT",
    "TRAINING",
    "PlotError",
    "check_can_draw",
    "plot_calibration",
    "plot_checklist",
    "plot_column",
    "plot_columns",
    "plot_confusion",
    "plot_frontier",
    "plot_history",
    "plot_rules",
    "plot_shape",
    "plot_snap",
    "plot_stability",
    "save_frontier",
    "save_rules",
    "save_shape",
]

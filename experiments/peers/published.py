"""Errors and sizes of other learners of yes/no rules, measured once on the same folds.

They need packages that exclude each other, so they are no part of the experiment. Figures are
error % (conditions), as a mean over the five folds.
"""

from __future__ import annotations

from typing import NamedTuple

MEASURED_ON = "2026-11-16"
TABLES = ("breast-cancer-wisconsin", "diabetes", "vehicle")


class Figure(NamedTuple):
    """An error in percent, and the conditions that a reader has to read."""

    error: float
    size: int


class Peer(NamedTuple):
    """A learner with one setting, and its figures by table; None where it was not measured."""

    name: str
    figures: tuple[Figure | None, Figure | None, Figure | None]
    note: str = ""
    is_crisp: bool = True


COARSE = "with a coarse binariser; not its limit"
A_CLASS = "one score against the rest for each class of vehicle"


def _peer(name: str, *figures: tuple[float, int] | None, note: str = "") -> Peer:
    breast, diabetes, vehicle = (None if one is None else Figure(*one) for one in figures)
    return Peer(name, (breast, diabetes, vehicle), note)


PEERS = (
    _peer("GOSDT, regularisation 0.01", (3.72, 3), (25.39, 3), (42.3, 5), note=COARSE),
    _peer("GOSDT, regularisation 0.005", (4.15, 4), (24.09, 4), (41.8, 6), note=COARSE),
    _peer("FastSmallTree, 0.01", (3.58, 3), (26.8, 2), (42.2, 5), note=COARSE),
    _peer("FastSmallTree, 0.005", (4.15, 4), (24.09, 4), (41.7, 7), note=COARSE),
    _peer("STreeD, depth 3", (5.2, 3), (24.5, 3), (34.5, 7)),
    _peer("ConTree, depth 3", (5.7, 7), (25.1, 7), (33.2, 7)),
    _peer("DL8.5, depth 3", (5.3, 6), (24.9, 7), (31.2, 7)),
    _peer("CART, 8 leaves", (5.58, 7), (25.39, 7), (34.2, 7)),
    _peer("CART, tuned", (5.58, 6), (25.78, 11), (30.2, 29)),
    _peer("FIGS, 12 splits", (5.44, 12), (24.48, 12), (31.8, 12)),
    _peer("FasterRisk, 10 items", (4.58, 10), (24.87, 10), (26.8, 40), note=A_CLASS),
    _peer("FastRiskScore, 10 items", (5.44, 10), (23.95, 10), (30.4, 40), note=A_CLASS),
    _peer("FastRiskScore, fine, 20", (5.16, 20), (26.0, 20), (25.3, 80), note=A_CLASS),
    _peer("fastsparsegams, L0", (4.72, 5), (27.6, 8), (28.2, 42), note=A_CLASS),
    _peer("RuleKit", (3.86, 16), (24.35, 68), (31.0, 242)),
    _peer("RuleFit, 30 rules, not linear", (4.15, 78), (23.56, 72), (27.2, 303), note=A_CLASS),
    _peer("BOOMER, 50 rules", (3.86, 134), (24.99, 219), (26.8, 267)),
    _peer("RIPPER", (5.9, 21), (27.2, 16), (36.1, 101)),
    _peer("SIRUS, 10 rules", (4.2, 12), (31.8, 11), (36.8, 55)),
    _peer("BRCG", (4.7, 10), (27.1, 26), None),
    _peer("weights of evidence, optbinning", (3.72, 38), (24.08, 51), (29.8, 426)),
    Peer(
        "EBM, main effects, for orientation",
        (Figure(3.86, 80), Figure(23.30, 1082), Figure(22.5, 1317)),
        "a curve for each column; its size is the number of cut points",
        is_crisp=False,
    ),
)

"""Planning: what the parameters of an estimator may be, and what they come to for a table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from crisplogic.constraints.limits import Limits
from crisplogic.parameters import AMOUNT, COUNT, is_amount, is_count, require, require_one_of
from crisplogic.snap import MAX_LEVELS
from crisplogic.training import LossName, PhaseConfig, TrainingConfig

# More columns than this get one membership each: pairs grow with the square of their number.
MOST_COLUMNS_WITH_TWO = 20
# The price of naming a part in one more rule, as a share of the price of a literal.
VOTE_SHARE = 0.4
# With fewer rows than this a fold, held-out errors would say nothing.
ROWS_A_FOLD = 4
# What batch_size="auto" means: small tables need many steps, large ones need long ones.
STEPS_AN_EPOCH = 12
MOST_ROWS_A_STEP = 1024


class Parameters(Protocol):
    """The parameters of all estimators that decide what is learned."""

    depth: int
    width: int
    memberships: int | Literal["auto", "linear"]
    max_columns: int | None
    max_literals: int | None
    tolerance: float
    restarts: int
    folds: int
    snapping: Literal["search", "straight_through", "nearest"]
    epochs: int
    batch_size: int | Literal["auto"]
    learning_rate: float
    l1: float
    literal_penalty: float
    validation_fraction: float
    patience: int | None
    predict_with: Literal["rules", "network"]
    device: Literal["auto", "cpu", "cuda"]
    precision: Literal["float32", "tf32"]


@dataclass(frozen=True)
class Aim:
    """What networks are to say, and what tells how well they do.

    ``l1_share`` and ``literal_share`` are what is paid of the penalties of weights and
    literals.
    ``intercepts`` says whether outputs have them.
    """

    loss: LossName
    optimizer: Literal["adam", "sgd"] = "adam"
    l1_share: float = 1.0
    literal_share: float = 1.0
    intercepts: bool = True


def plan_for(given: Parameters, aim: Aim, rows: int, columns: int) -> TrainingConfig:
    """What is to be learned from a table of so many rows and columns."""
    soft = _softly(given, aim, rows)
    price = given.literal_penalty * aim.literal_share
    snapped = replace(soft, l1=VOTE_SHARE * price, literal_penalty=price)
    polished = given.snapping == "search"
    return TrainingConfig(
        depth=int(given.depth),
        width=int(given.width),
        soft=soft,
        snapped=None if given.snapping == "nearest" else snapped,
        memberships=_memberships_a_column(given, columns),
        intercepts=aim.intercepts,
        restarts=given.restarts,
        folds=int(given.folds) if polished and rows >= ROWS_A_FOLD * given.folds else 0,
        validation_fraction=given.validation_fraction,
        n_selected_features=_columns_looked_at(given, columns),
        device=given.device,
        tf32=given.precision == "tf32",
    )


def _softly(given: Parameters, aim: Aim, rows: int) -> PhaseConfig:
    auto = min(math.ceil(rows / STEPS_AN_EPOCH), MOST_ROWS_A_STEP)
    return PhaseConfig(
        epochs=given.epochs,
        batch_size=auto if given.batch_size == "auto" else int(given.batch_size),
        learning_rate=given.learning_rate,
        l1=given.l1 * aim.l1_share,
        optimizer=aim.optimizer,
        loss=aim.loss,
        patience=given.patience,
    )


def _columns_looked_at(given: Parameters, columns: int) -> int | None:
    wide = given.max_columns is not None and columns > given.max_columns
    return given.max_columns if wide else None


def _memberships_a_column(given: Parameters, columns: int) -> int:
    if given.memberships == "linear":
        return 0
    if given.memberships == "auto":
        return 2 if columns <= MOST_COLUMNS_WITH_TWO else 1
    return int(given.memberships)


def penalty_ratios(given: Parameters, other: Parameters) -> tuple[float, float]:
    """What others pay of the penalties that are given, softly and through the snap."""
    pairs = ((other.l1, given.l1), (other.literal_penalty, given.literal_penalty))
    if any(own == 0 and its != 0 for its, own in pairs):
        raise ValueError(
            "to be trained at other penalties at once, an estimator needs an l1 and a "
            f"literal_penalty above 0, got {given.l1} and {given.literal_penalty}"
        )
    soft, snapped = (its / own if its != own else 1.0 for its, own in pairs)
    return soft, snapped


def require_penalties(changes: Mapping[str, float]) -> None:
    """Refuse to train at once what differs in more than penalties."""
    others = set(changes) - {"l1", "literal_penalty"}
    if others:
        raise ValueError(
            "only l1 and literal_penalty may differ between estimators that are trained at "
            f"once, got {sorted(others)}; fit them one by one"
        )


def check_parameters(given: Parameters) -> None:
    """Refuse what no other part refuses under the name it has here."""
    require_one_of("snapping", given.snapping, ("search", "straight_through", "nearest"))
    require_one_of("predict_with", given.predict_with, ("rules", "network"))
    require_one_of("device", given.device, ("auto", "cpu", "cuda"))
    require_one_of("precision", given.precision, ("float32", "tf32"))
    _check_sizes(given)
    require(is_amount(given.l1), "l1", AMOUNT, given.l1)
    require(is_amount(given.literal_penalty), "literal_penalty", AMOUNT, given.literal_penalty)
    require(is_amount(given.tolerance), "tolerance", AMOUNT, given.tolerance)


def require_one_level(depth: int, limits: Limits | None) -> None:
    """Limits can be kept to where every term is one pair of columns."""
    needed = "1 where columns are monotone or pairs are allowed or forbidden"
    require(limits is None or depth == 1, "depth", needed, depth)


def _check_sizes(given: Parameters) -> None:
    levels = is_count(given.depth) and given.depth <= MAX_LEVELS
    require(levels, "depth", f"a whole number from 1 to {MAX_LEVELS}", given.depth)
    require(is_count(given.width), "width", COUNT, given.width)
    rows = given.batch_size == "auto" or is_count(given.batch_size)
    require(rows, "batch_size", f"{COUNT}, or 'auto'", given.batch_size)
    # TrainingConfig sees the folds only where there are rows enough for them.
    folds = given.folds == 0 or (is_count(given.folds) and given.folds > 1)
    require(folds, "folds", "0 or a whole number above 1", given.folds)
    kinds = given.memberships in ("auto", "linear") or is_count(given.memberships)
    require(kinds, "memberships", f"{COUNT}, 'auto' or 'linear'", given.memberships)
    budget = given.max_literals is None or is_count(given.max_literals)
    require(budget, "max_literals", f"{COUNT}, or None", given.max_literals)
    columns = given.max_columns is None or is_count(given.max_columns)
    require(columns, "max_columns", f"{COUNT}, or None", given.max_columns)

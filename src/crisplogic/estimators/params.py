"""Parameters of the estimators: declared, checked, and turned into a training config."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from crisplogic.constraints import Column, Cuts, Limits, Monotone
from crisplogic.errors import CutWarning
from crisplogic.parameters import (
    AMOUNT,
    COUNT,
    NONE,
    Constraint,
    is_count,
    one_of,
    require,
)
from crisplogic.rules.frontier import TOLERANCE
from crisplogic.snap import MAX_LEVELS
from crisplogic.training import LossName, PhaseConfig, TrainingConfig
from crisplogic.training.config import PHASE_CONSTRAINTS, TRAINING_CONSTRAINTS

Floats = NDArray[np.float64]

# More columns than this get one membership each: pairs grow with the square of their number.
MAX_COLUMNS_WITH_TWO = 20
# The penalty of naming a part in one more rule, as a share of that of a literal.
VOTE_SHARE = 0.4
# With fewer rows than this a fold, held-out errors are worthless.
MIN_ROWS_PER_FOLD = 4
# The meaning of batch_size="auto": twelve steps an epoch, but no step of more rows than help:
# 128, and for larger tables, of which networks learn more, twice the root of their rows.
STEPS_PER_EPOCH = 12
BATCH_LIMITS = (128, 512)
# The meaning of epochs="auto": 30, or as many as take about 1,000 steps, of at most so many
# rows. So the time does not grow with rows that teach nothing new.
MAX_EPOCHS = 30
MAX_STEPS = 1000
MAX_ROWS = 128_000


@dataclass(kw_only=True, eq=False, repr=False)
class Parameters:
    """The parameters that all estimators share, with their defaults.

    A dataclass writes the constructor that scikit-learn reads them from.
    """

    literals: Literal["crisp", "graded"] = "crisp"
    depth: int | Literal["auto"] = "auto"
    width: int = 8
    memberships: int | Literal["auto", "linear"] = "auto"
    max_columns: int | None = 128
    max_literals: int | None = 60
    tolerance: float = TOLERANCE
    restarts: int = 3
    folds: int = 5
    snapping: Literal["search", "straight_through", "nearest"] = "search"
    epochs: int | Literal["auto"] = "auto"
    batch_size: int | Literal["auto"] = "auto"
    learning_rate: float = 0.05
    l1: float = 2e-3
    literal_penalty: float = 7e-4
    validation_fraction: float = 0.0
    patience: int | None = None
    compare_literals: bool = False
    missing_literals: bool = False
    forbidden_columns: Sequence[Column] | None = None
    monotone: Monotone | None = None
    allowed_pairs: Sequence[tuple[Column, Column]] | None = None
    forbidden_pairs: Sequence[tuple[Column, Column]] | None = None
    operators: Sequence[str] | None = None
    cuts: Cuts | None = None
    predict_with: Literal["rules", "network"] = "rules"
    device: Literal["auto", "cpu", "cuda"] = "auto"
    precision: Literal["float32", "tf32"] = "float32"
    n_jobs: int | None = None
    verbose: bool = False
    random_state: int | np.random.RandomState | None = None


# What networks are trained with is constrained as it is in the training config. Constraints on
# rules are checked where the table is known (crisplogic.constraints.spec).
_OF_A_PHASE = ("learning_rate", "l1", "literal_penalty", "patience")
CONSTRAINTS: Final[dict[str, Constraint]] = {
    **{name: PHASE_CONSTRAINTS[name] for name in _OF_A_PHASE},
    **TRAINING_CONSTRAINTS,
    "literals": one_of("crisp", "graded"),
    "depth": Constraint(
        f"a whole number from 1 to {MAX_LEVELS} or 'auto'",
        lambda value: value == "auto" or (is_count(value) and value <= MAX_LEVELS),
    ),
    "width": COUNT,
    "memberships": Constraint(
        f"{COUNT}, 'auto' or 'linear'", (COUNT | one_of("auto", "linear")).holds
    ),
    "max_columns": COUNT | NONE,
    "max_literals": COUNT | NONE,
    "tolerance": AMOUNT,
    "snapping": one_of("search", "straight_through", "nearest"),
    "epochs": COUNT | one_of("auto"),
    "batch_size": COUNT | one_of("auto"),
    "predict_with": one_of("rules", "network"),
    "device": one_of("auto", "cpu", "cuda"),
    "precision": one_of("float32", "tf32"),
}


def check_together(given: Parameters, pure: bool) -> None:
    """Check parameters that depend on each other, of rules with or without intercepts."""
    graded = given.literals == "graded" or given.snapping == "search"
    needed = "'auto' or a number where crisp rules are not searched for: they need thresholds"
    require(graded or given.memberships != "linear", "memberships", needed, given.memberships)
    searches = given.cuts is None or given.snapping == "search"
    needed = "'search' where there are cuts: others do not search"
    require(searches, "snapping", needed, given.snapping)
    searches = not given.compare_literals or given.snapping == "search"
    needed = "'search' to compare literals: others do not search"
    require(searches, "snapping", needed, given.snapping)
    needed = "above 1 to compare literals, which takes held-out rows"
    require(not given.compare_literals or given.folds > 0, "folds", needed, given.folds)
    needed = "False to compare literals: crisp rules have intercepts"
    require(not (given.compare_literals and pure), "pure", needed, pure)


@dataclass(frozen=True)
class Objective:
    """The loss and the optimizer that networks are trained with.

    ``l1_share`` and ``literal_share`` are factors of the penalties of weights and literals.
    ``intercepts`` says whether outputs have them.
    """

    loss: LossName
    optimizer: Literal["adam", "sgd"] = "adam"
    l1_share: float = 1.0
    literal_share: float = 1.0
    intercepts: bool = True


def searches_crisp(given: Parameters) -> bool:
    """Whether crisp rules are searched for in the table, and networks only compared."""
    return given.literals == "crisp" and given.snapping == "search"


def training_config(
    given: Parameters, objective: Objective, depth: int, rows: int, columns: int
) -> TrainingConfig:
    """How to train networks of a depth on a table of so many rows and columns.

    Crisp rules that are searched for do not come from networks, which only tell what can be
    reached. So one network of all rows is trained, and none through the rounding.
    """
    max_rows = MAX_ROWS if given.epochs == "auto" else None
    soft = _soft_phase(given, objective, min(rows, max_rows or rows))
    penalty = given.literal_penalty * objective.literal_share
    snapped = replace(soft, l1=VOTE_SHARE * penalty, literal_penalty=penalty)
    memberships = _memberships_per_column(given, columns)
    compared = searches_crisp(given)
    has_folds = given.snapping == "search" and rows >= MIN_ROWS_PER_FOLD * given.folds
    return TrainingConfig(
        depth=depth,
        width=int(given.width),
        soft=soft,
        snapped=None if compared or given.snapping == "nearest" else snapped,
        memberships=memberships,
        intercepts=objective.intercepts,
        skip=depth > 1 and memberships > 0,  # the paper's membership has the paper's topology
        restarts=1 if compared else given.restarts,
        folds=int(given.folds) if has_folds else 0,
        validation_fraction=given.validation_fraction,
        max_rows=max_rows,
        n_selected_features=_selected_columns(given, columns),
        device=given.device,
        tf32=given.precision == "tf32",
        # The paper's membership has no threshold. The search finds those of crisp rules itself.
        literals=given.literals if memberships else "graded",
    )


def _soft_phase(given: Parameters, objective: Objective, rows: int) -> PhaseConfig:
    least, most = BATCH_LIMITS
    longest = min(max(least, math.ceil(2 * math.sqrt(rows))), most)
    auto = min(math.ceil(rows / STEPS_PER_EPOCH), longest)
    passes = min(round(MAX_STEPS * longest / rows), MAX_EPOCHS)
    return PhaseConfig(
        epochs=passes if given.epochs == "auto" else int(given.epochs),
        batch_size=auto if given.batch_size == "auto" else int(given.batch_size),
        learning_rate=given.learning_rate,
        l1=given.l1 * objective.l1_share,
        optimizer=objective.optimizer,
        loss=objective.loss,
        patience=given.patience,
    )


def _selected_columns(given: Parameters, columns: int) -> int | None:
    """How many columns networks are given, if not all."""
    wide = given.max_columns is not None and columns > given.max_columns
    return given.max_columns if wide else None


def _memberships_per_column(given: Parameters, columns: int) -> int:
    if given.memberships == "linear":
        return 0
    if given.memberships == "auto":
        return 2 if columns <= MAX_COLUMNS_WITH_TWO else 1
    return int(given.memberships)


def penalty_ratios(given: Parameters, other: Parameters) -> tuple[float, float]:
    """Another estimator's penalties as factors of those given: l1 and literal penalty."""
    pairs = ((other.l1, given.l1), (other.literal_penalty, given.literal_penalty))
    if any(own == 0 and its != 0 for its, own in pairs):
        raise ValueError(
            "to be trained at other penalties at once, an estimator needs an l1 and a "
            f"literal_penalty above 0, got {given.l1} and {given.literal_penalty}"
        )
    soft, snapped = (its / own if its != own else 1.0 for its, own in pairs)
    return soft, snapped


def require_penalties(changes: Mapping[str, float]) -> None:
    """Refuse to train estimators at once that differ in more than penalties."""
    others = set(changes) - {"l1", "literal_penalty"}
    if others:
        raise ValueError(
            "only l1 and literal_penalty may differ between estimators that are trained at "
            f"once, got {sorted(others)}; fit them one by one"
        )


def network_depth(given: Parameters, limits: Limits | None) -> int:
    """How many levels networks have.

    Where operators allow single columns only, there is nothing for a second level to join.
    """
    depth = 1 if given.depth == "auto" else int(given.depth)
    if limits is None or limits.allows_xor or limits.allows_and_or:
        return depth
    if not searches_crisp(given):
        require(depth == 1, "depth", "1 where operators allow single columns only", depth)
    return 1


def warn_of_cuts_outside(
    cuts: Sequence[Sequence[float]], names: Sequence[str], X: Floats
) -> None:
    """Warn of cuts with no rows on one side of them. Shape: ``X`` (rows, columns)."""
    for name, own, column in zip(names, cuts, X.T, strict=False):
        known = column[np.isfinite(column)]
        outside = [cut for cut in own if not (known < cut).any() or not (known > cut).any()]
        if outside:
            warnings.warn(
                f"cuts of {name!r} part no rows: {', '.join(map('{:.6g}'.format, outside))}; "
                f"its values are {known.min():.6g} to {known.max():.6g}",
                CutWarning,
                stacklevel=2,
            )

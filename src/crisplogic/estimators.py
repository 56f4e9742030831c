"""The scikit-learn estimator: validation and wiring, nothing else."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from crisplogic.errors import TableError
from crisplogic.learn import Learned, Plan, learn
from crisplogic.parameters import AMOUNT, COUNT, is_amount, is_count, require, require_one_of
from crisplogic.rules import RuleSet, SnapReport
from crisplogic.rules.calibrate import best_scale
from crisplogic.rules.ruleset import softmax
from crisplogic.snap import MOST_LEVELS, moves, snap
from crisplogic.train import PAPER_SETTINGS, Settings
from crisplogic.validation import (
    name_column_without_numbers,
    of_one_type,
    refuse_dates,
    refuse_missing_targets,
    refuse_repeated_columns,
)

Floats = NDArray[np.float64]

# What batch_size="auto" means: small tables need many steps, large ones need long ones.
STEPS_AN_EPOCH = 12
MOST_ROWS_A_STEP = 1024


class LogicClassifier(ClassifierMixin, BaseEstimator):
    """Learn logic rules that tell classes apart.

    A missing value (NaN) is "unknown", halfway between false and true: no imputation is
    needed.

    Parameters
    ----------
    depth : int, default=1
        Levels of logic. One level sums expressions of two columns each, which is easiest to
        read; the paper uses two.
    width : int, default=8
        Expressions that each level but the last hands on. Without effect at depth 1.
    snapping : {"trained", "nearest"}, default="trained"
        "trained" trains through the snap, so that the rules keep what was learned;
        "nearest" rounds the soft network as the paper does.
    training : {"modern", "paper"}, default="modern"
        "modern" is Adam on the cross-entropy with a falling learning rate; "paper" is plain
        stochastic gradient descent on squared error.
    epochs : int, default=60
        Passes over the rows, in each of the two phases of "trained" snapping.
    batch_size : int or "auto", default="auto"
        Rows a step; "auto" makes twelve steps an epoch, or more of 1024 rows.
    learning_rate : float, default=0.02
        Step size at the start.
    l1 : float, default=1e-4
        Price of a unit of selector weight while the network is soft (the paper's L1).
    term_price : float, default=2e-3
        Price of a unit of selector weight while training through the snap. More makes the
        rules smaller.
    validation_fraction : float, default=0.0
        Share of the rows set aside to choose the best epoch by.
    patience : int or None, default=None
        Epochs without improvement after which a phase stops; None never stops early.
    predict_with : {"rules", "network"}, default="rules"
        What predictions come from; may be changed after fitting.
    verbose : bool, default=False
        Show a progress bar with the loss and the time left.
    random_state : int, RandomState or None, default=None
        The one seed of every random draw.

    Attributes
    ----------
    rules_ : RuleSet
        The rules: predict, print and save without this estimator.
    network_ : LogicNetwork
        The soft network.
    snap_report_ : SnapReport
        What snapping changed, and how network and rules compare on the training rows.
    history_ : list of Epoch
        The loss after every epoch.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> y = ["same", "different", "different", "same"]
    >>> clf = LogicClassifier(random_state=0).fit(X, y)
    >>> print(clf.rules_)
    different = unknown
    same      = ¬(x0 ⊕ x1)

    """

    # Fitted attributes, for readers and type checkers.
    classes_: NDArray[Any]
    n_features_in_: int
    rules_: RuleSet
    snap_report_: SnapReport

    def __init__(
        self,
        *,
        depth: int = 1,
        width: int = 8,
        snapping: Literal["trained", "nearest"] = "trained",
        training: Literal["modern", "paper"] = "modern",
        epochs: int = 60,
        batch_size: int | Literal["auto"] = "auto",
        learning_rate: float = 0.02,
        l1: float = 1e-4,
        term_price: float = 2e-3,
        validation_fraction: float = 0.0,
        patience: int | None = None,
        predict_with: Literal["rules", "network"] = "rules",
        verbose: bool = False,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.depth = depth
        self.width = width
        self.snapping = snapping
        self.training = training
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.l1 = l1
        self.term_price = term_price
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.predict_with = predict_with
        self.verbose = verbose
        self.random_state = random_state

    @classmethod
    def as_in_paper(cls, **changes: Any) -> Self:
        """The classifier with the paper's topology, training and snapping.

        >>> LogicClassifier.as_in_paper(epochs=3).get_params()["depth"]
        2
        """
        paper: dict[str, Any] = {
            "depth": 2,
            "snapping": "nearest",
            "training": "paper",
            "epochs": PAPER_SETTINGS.epochs,
            "batch_size": PAPER_SETTINGS.batch_size,
            "learning_rate": PAPER_SETTINGS.learning_rate,
            "l1": PAPER_SETTINGS.l1,
        }
        return cls(**{**paper, **changes})

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from a table. Shape: ``X`` (rows, features), ``y`` (rows,)."""
        self._check_parameters()
        with _unchanged_by_failure(self):
            table, labels = self._training_rows(X, y)
            self.classes_, targets = np.unique(labels, return_inverse=True)
            if len(self.classes_) < 2:
                raise TableError(
                    f"{type(self).__name__} needs at least 2 classes, "
                    f"got 1 class: {self.classes_.tolist()[0]!r}"
                )
            plan = self._plan(len(table))
            seed = check_random_state(self.random_state).randint(2**31)
            learned = learn(table, targets, len(self.classes_), plan, seed, self.verbose)
            self._keep(learned, table, targets)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of every row. Shape: (rows, features) to (rows,)."""
        scores = self._scores(X)
        winners: NDArray[Any] = self.classes_[scores.argmax(axis=1)]
        return winners

    def predict_proba(self, X: Any) -> Floats:
        """The probability of every class. Shape: (rows, features) to (rows, classes)."""
        return softmax(self._scores(X) * self._scale())

    def decision_function(self, X: Any) -> Floats:
        """The scores. Shape: (rows, classes); for two classes (rows,), second less first."""
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    # Wiring

    def _plan(self, rows: int) -> Plan:
        auto = min(math.ceil(rows / STEPS_AN_EPOCH), MOST_ROWS_A_STEP)
        batch_size = auto if self.batch_size == "auto" else int(self.batch_size)
        modern = self.training == "modern"

        def settings(price: float) -> Settings:
            return Settings(
                epochs=self.epochs,
                batch_size=batch_size,
                learning_rate=self.learning_rate,
                l1=price,
                optimizer="adam" if modern else "sgd",
                loss="cross_entropy" if modern else "squared",
                patience=self.patience,
            )

        return Plan(
            depth=self.depth,
            width=self.width,
            soft=settings(self.l1),
            snapped=settings(self.term_price) if self.snapping == "trained" else None,
            validation_fraction=self.validation_fraction,
        )

    def _keep(self, learned: Learned, table: Floats, targets: NDArray[np.intp]) -> None:
        self.network_ = learned.network
        self.history_ = learned.history
        rules = snap(learned.snapped, self._feature_names(), self.classes_.tolist())
        scores = rules.scores(table)
        self.rules_ = replace(rules, scale=best_scale(scores, targets))
        by_rules = scores.argmax(axis=1)
        by_network = self._network_scores(table).argmax(axis=1)
        self.snap_report_ = SnapReport(
            levels=moves(learned.network, learned.snapped),
            rows=len(table),
            network_error=float(np.mean(by_network != targets)),
            rules_error=float(np.mean(by_rules != targets)),
            agreement=float(np.mean(by_rules == by_network)),
            classes_predicted=len(np.unique(by_rules)),
        )

    def _scores(self, X: Any) -> Floats:
        check_is_fitted(self)
        require_one_of("predict_with", self.predict_with, ("rules", "network"))
        table: Floats = self._validated(X, reset=False)
        if self.predict_with == "network":
            return self._network_scores(table)
        return self.rules_.scores(table)

    @torch.no_grad()
    def _network_scores(self, table: Floats) -> Floats:
        memberships = self.network_.memberships(torch.tensor(table, dtype=torch.float64))
        scores = self.network_.scores_by_chunks(memberships)
        return scores.to(torch.float64).numpy()

    def _scale(self) -> float:
        if self.predict_with == "network":
            return self.network_.log_scale.exp().item()
        return self.rules_.scale

    # Validation

    def _check_parameters(self) -> None:
        """Those that no other part checks under the name they have here."""
        require_one_of("snapping", self.snapping, ("trained", "nearest"))
        require_one_of("training", self.training, ("modern", "paper"))
        require_one_of("predict_with", self.predict_with, ("rules", "network"))
        levels = is_count(self.depth) and self.depth <= MOST_LEVELS
        require(levels, "depth", f"a whole number from 1 to {MOST_LEVELS}", self.depth)
        require(is_count(self.width), "width", COUNT, self.width)
        rows = self.batch_size == "auto" or is_count(self.batch_size)
        require(rows, "batch_size", f"{COUNT}, or 'auto'", self.batch_size)
        require(is_amount(self.term_price), "term_price", AMOUNT, self.term_price)

    def _training_rows(self, X: Any, y: Any) -> tuple[Floats, NDArray[Any]]:
        refuse_repeated_columns(X)
        refuse_dates(X)
        if y is not None and not issparse(y):  # what scikit-learn refuses itself
            refuse_missing_targets(y)
            y = of_one_type(np.asarray(y))
        table, labels = self._validated(X, y=y)
        check_classification_targets(labels)
        return table, labels

    def _validated(self, X: Any, **options: Any) -> Any:
        try:
            return validate_data(
                self, X, dtype=np.float64, ensure_all_finite="allow-nan", **options
            )
        except (TypeError, ValueError) as error:
            name_column_without_numbers(X, error)
            raise

    def _feature_names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            return [f"x{number}" for number in range(self.n_features_in_)]
        return [str(name) for name in names]


@contextmanager
def _unchanged_by_failure(estimator: LogicClassifier) -> Iterator[None]:
    """A fit that fails or is interrupted leaves what was there before, or nothing."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        estimator.__dict__ = before
        raise

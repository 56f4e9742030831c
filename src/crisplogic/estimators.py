"""The scikit-learn estimator: validation and wiring, nothing else."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from typing import Any, Literal, Self

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from crisplogic.errors import TableError
from crisplogic.learn import Learned, Plan, learn, learn_parts
from crisplogic.nn import LogicNetwork
from crisplogic.parameters import AMOUNT, COUNT, is_amount, is_count, require, require_one_of
from crisplogic.polish import Judge, Sample, search
from crisplogic.rules import Frontier, Point, RuleSet, SnapReport
from crisplogic.rules.calibrate import best_scale
from crisplogic.rules.frontier import TOLERANCE
from crisplogic.rules.ruleset import softmax
from crisplogic.snap import MOST_LEVELS, moves, snap
from crisplogic.train import PAPER_SETTINGS, Epoch, OnEpoch, Settings, progress_bar
from crisplogic.validation import (
    name_column_without_numbers,
    of_one_type,
    refuse_dates,
    refuse_missing_targets,
    refuse_repeated_columns,
)

Floats = NDArray[np.float64]

# More columns than this get one membership each: pairs grow with the square of their number.
MOST_COLUMNS_WITH_TWO = 20
# The price of naming a part in one more rule, as a share of the price of a literal.
VOTE_SHARE = 0.4
# With fewer rows than this a fold, held-out errors would say nothing.
ROWS_A_FOLD = 4
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
    memberships : "auto", int or "linear", default="auto"
        How many thresholds a column gets. They are learned, each with a width: "glucose is
        high" begins somewhere and becomes true gradually. "auto" takes two, or one if there
        are more than twenty columns. "linear" learns none: as in the paper a column is false
        at its least value and true at its greatest.
    max_columns : int or None, default=128
        The most columns that a network looks at; None looks at all. Of wider tables those
        are taken that have most to say, by themselves or in a pair with another, and once
        more, in place of columns that found no use, those that could explain what is left.
    max_literals : int or None, default=60
        The most literals that all rules together may have. Within this bound held-out rows
        choose. None sets no bound.
    tolerance : float, default=0.5
        The smallest rules are chosen that are worse than the best, on held-out rows, by at
        most so many standard errors of the difference. 0 chooses the best; greater numbers
        choose smaller rules.
    pure : bool, default=False
        The paper's pure form: no intercepts beside the expressions, no scale.
    restarts : int, default=3
        Networks that learn side by side from different random starts. The best rules of each
        size come from any of them.
    folds : int, default=5
        Networks that learn beside them, each without a part of the rows, on which rules of
        every size are then judged. 0 judges nothing: the largest rules are taken.
    snapping : {"trained", "unpolished", "nearest"}, default="trained"
        "trained" trains through the snap and polishes what comes out, so that the rules keep
        what was learned; "unpolished" leaves them as trained; "nearest" rounds the soft
        network as the paper does. Only "trained" looks for rules of other sizes.
    training : {"modern", "paper"}, default="modern"
        "modern" is Adam on the cross-entropy with a falling learning rate; "paper" is plain
        stochastic gradient descent on squared error.
    epochs : int, default=30
        Passes over the rows, in each of the two phases of "trained" snapping.
    batch_size : int or "auto", default="auto"
        Rows a step; "auto" makes twelve steps an epoch, or more of 1024 rows.
    learning_rate : float, default=0.05
        Step size at the start.
    l1 : float, default=2e-3
        Price of a unit of selector weight while the network is soft (the paper's L1), for two
        classes; the more classes share it, the less each pays. With ``training="paper"``
        every class pays the whole price.
    literal_price : float, default=7e-4
        Price of a literal while training through the snap. It decides how large the largest
        rules are that are considered.
    validation_fraction : float, default=0.0
        Share of the rows set aside to choose the best epoch by.
    patience : int or None, default=None
        Epochs without improvement after which a phase stops; None never stops early.
    predict_with : {"rules", "network"}, default="rules"
        What predictions come from; may be changed after fitting.
    device : {"auto", "cpu", "cuda"}, default="auto"
        Where networks are trained. "auto" takes a GPU if there is one and enough to do for
        it. Rules are polished, and predict, on the CPU.
    precision : {"float32", "tf32"}, default="float32"
        How exactly a GPU multiplies. "tf32" is about three times as fast on wide tables and
        keeps three digits of each factor; rules may come out a little different, not worse.
    n_jobs : int or None, default=None
        Processes that polish side by side; None is one, -1 as many as there are cores. It
        pays on tables of thousands of rows and changes nothing but the time.
    verbose : bool, default=False
        Show a progress bar with the loss and the time left.
    random_state : int, RandomState or None, default=None
        The one seed of every random draw.

    Attributes
    ----------
    rules_ : RuleSet
        The rules: predict, print and save without this estimator.
    frontier_ : Frontier
        The best rules found at each size, with their error on held-out rows.
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
    >>> print(clf.rules_)  # doctest: +ELLIPSIS
    different = 0
    same      = ¬(x0>0... ⊕ x1>0...)

    """

    # Fitted attributes, for readers and type checkers.
    classes_: NDArray[Any]
    n_features_in_: int
    rules_: RuleSet
    frontier_: Frontier
    snap_report_: SnapReport

    def __init__(
        self,
        *,
        depth: int = 1,
        width: int = 8,
        memberships: int | Literal["auto", "linear"] = "auto",
        max_columns: int | None = 128,
        max_literals: int | None = 60,
        tolerance: float = TOLERANCE,
        pure: bool = False,
        restarts: int = 3,
        folds: int = 5,
        snapping: Literal["trained", "unpolished", "nearest"] = "trained",
        training: Literal["modern", "paper"] = "modern",
        epochs: int = 30,
        batch_size: int | Literal["auto"] = "auto",
        learning_rate: float = 0.05,
        l1: float = 2e-3,
        literal_price: float = 7e-4,
        validation_fraction: float = 0.0,
        patience: int | None = None,
        predict_with: Literal["rules", "network"] = "rules",
        device: Literal["auto", "cpu", "cuda"] = "auto",
        precision: Literal["float32", "tf32"] = "float32",
        n_jobs: int | None = None,
        verbose: bool = False,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.depth = depth
        self.width = width
        self.memberships = memberships
        self.max_columns = max_columns
        self.max_literals = max_literals
        self.tolerance = tolerance
        self.pure = pure
        self.restarts = restarts
        self.folds = folds
        self.snapping = snapping
        self.training = training
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.l1 = l1
        self.literal_price = literal_price
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.predict_with = predict_with
        self.device = device
        self.precision = precision
        self.n_jobs = n_jobs
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
            "memberships": "linear",
            "max_columns": None,
            "pure": True,
            "restarts": 1,
            "folds": 0,
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
            table, targets = self._training_table(X, y)
            rows, columns = table.shape
            plan = self._plan(rows, columns, len(self.classes_))
            seed = check_random_state(self.random_state).randint(2**31)
            phases = {**plan.epochs(), "polish": plan.copies}
            with progress_bar(phases, self.verbose) as on_epoch:
                learned = learn(table, targets, len(self.classes_), plan, seed, on_epoch)
                self._keep(learned, table, targets, on_epoch)
        return self

    def fit_parts(
        self,
        X: Any,
        y: Any,
        parts: Sequence[NDArray[np.intp]],
        prices: Sequence[Mapping[str, float]] | None = None,
    ) -> list[Self]:
        """Classifiers of the same settings, each fitted on some of the rows, trained at once.

        This takes much less time than one fit after the other, and none learns anything of
        rows outside its part. ``parts`` are row numbers. All know all classes. ``prices``
        may give each part an ``l1`` and a ``literal_price`` of its own. See
        :func:`crisplogic.cross_validate`.
        """
        self._check_parameters()
        sizes = [len(part) for part in parts]
        require(min(sizes, default=0) > 0, "parts", "one or more lists of row numbers", sizes)
        fitted = [clone(self) for _ in parts]
        for one, changes in zip(fitted, prices or [], strict=prices is not None):
            _require_prices(changes)
            one.set_params(**changes)._check_parameters()
        table, targets = fitted[0]._training_table(X, y)
        known = {name: value for name, value in vars(fitted[0]).items() if name[-1] == "_"}
        plan = self._plan(min(sizes), table.shape[1], len(known["classes_"]))
        seed = check_random_state(self.random_state).randint(2**31)
        phases = {**plan.epochs(), "polish": plan.copies * len(parts)}
        rows = [np.sort(part) for part in parts]
        shares = [self._shares_of_prices(one) for one in fitted]
        with progress_bar(phases, self.verbose) as on_epoch:
            learned = learn_parts(
                table, targets, len(known["classes_"]), plan, seed, rows, on_epoch, shares
            )
            for one, of_part, part in zip(fitted, learned, rows, strict=True):
                vars(one).update(known)
                one._keep(of_part.within(part), table[part], targets[part], on_epoch)
        return fitted

    def _shares_of_prices(self, other: LogicClassifier) -> tuple[float, float]:
        """What another classifier pays of this one's prices, softly and through the snap."""
        pairs = ((other.l1, self.l1), (other.literal_price, self.literal_price))
        if any(own == 0 and its != 0 for its, own in pairs):
            raise ValueError(
                "to be trained at other prices at once, a classifier needs an l1 and a "
                f"literal_price above 0, got {self.l1} and {self.literal_price}"
            )
        soft, snapped = (its / own if its != own else 1.0 for its, own in pairs)
        return soft, snapped

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

    def rules_at(self, size: int) -> RuleSet:
        """The best rules found with at most ``size`` literals in all."""
        check_is_fitted(self)
        require(is_count(size), "size", COUNT, size)
        return self.frontier_.at(size).rules

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    # Wiring

    def _plan(self, rows: int, columns: int, classes: int) -> Plan:
        auto = min(math.ceil(rows / STEPS_AN_EPOCH), MOST_ROWS_A_STEP)
        modern = self.training == "modern"
        soft = Settings(
            epochs=self.epochs,
            batch_size=auto if self.batch_size == "auto" else int(self.batch_size),
            learning_rate=self.learning_rate,
            l1=self.l1 * (2 / classes if modern else 1),
            optimizer="adam" if modern else "sgd",
            loss="cross_entropy" if modern else "squared",
            patience=self.patience,
        )
        price = self.literal_price
        snapped = replace(soft, l1=VOTE_SHARE * price, literal_price=price)
        polished = self.snapping == "trained"
        return Plan(
            depth=int(self.depth),
            width=int(self.width),
            soft=soft,
            snapped=None if self.snapping == "nearest" else snapped,
            memberships=self._memberships_a_column(columns),
            intercepts=not self.pure,
            restarts=self.restarts,
            folds=int(self.folds) if polished and rows >= ROWS_A_FOLD * self.folds else 0,
            validation_fraction=self.validation_fraction,
            looks_at=self._columns_looked_at(columns),
            device=self.device,
            tf32=self.precision == "tf32",
        )

    def _columns_looked_at(self, columns: int) -> int | None:
        wide = self.max_columns is not None and columns > self.max_columns
        return self.max_columns if wide else None

    def _memberships_a_column(self, columns: int) -> int:
        if self.memberships == "linear":
            return 0
        if self.memberships == "auto":
            return 2 if columns <= MOST_COLUMNS_WITH_TWO else 1
        return int(self.memberships)

    def _keep(
        self,
        learned: Learned,
        table: Floats,
        targets: NDArray[np.intp],
        on_epoch: OnEpoch,
    ) -> None:
        self.network_ = learned.restarts[0].network
        self.history_ = learned.history
        if self.snapping == "trained":
            self.frontier_ = self._searched(learned, table, targets, on_epoch)
            self.rules_ = self.frontier_.chosen(self.max_literals, self.tolerance).rules
        else:
            self.frontier_ = self._rounded(learned, table, targets)
            self.rules_ = self.frontier_[0].rules
        by_rules = self.rules_.scores(table).argmax(axis=1)
        by_network = self._network_scores(table).argmax(axis=1)
        self.snap_report_ = SnapReport(
            levels=moves(learned.restarts[0].network, learned.restarts[0].snapped),
            rows=len(table),
            network_error=float(np.mean(by_network != targets)),
            rules_error=float(np.mean(by_rules != targets)),
            agreement=float(np.mean(by_rules == by_network)),
            classes_predicted=len(np.unique(by_rules)),
        )

    def _snap(self, network: LogicNetwork) -> RuleSet:
        return snap(network, self._feature_names(), self.classes_.tolist())

    def _rounded(self, learned: Learned, table: Floats, targets: NDArray[np.intp]) -> Frontier:
        """What the network rounds to is what there is, as in the paper."""
        rules = self._snap(learned.restarts[0].snapped)
        scores = rules.scores(table)
        rules = replace(rules, scale=1.0 if self.pure else best_scale(scores, targets))
        error = float(np.mean(scores.argmax(axis=1) != targets))
        return Frontier((Point(rules, error),))

    def _searched(
        self,
        learned: Learned,
        table: Floats,
        targets: NDArray[np.intp],
        on_epoch: OnEpoch,
    ) -> Frontier:
        starts = [self._snap(pair.snapped) for pair in learned.restarts]
        judges = [Judge(self._snap(fold.snapped), fold.held_out) for fold in learned.folds]
        sample = Sample(np.ascontiguousarray(table.T), targets, len(self.classes_))
        paths = count(1)
        return search(
            starts,
            judges,
            sample,
            self.pure,
            lambda: on_epoch(Epoch("polish", next(paths), learned.history[-1].loss, None)),
            self.n_jobs,
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
        scaled = self.network_.scaled(torch.tensor(table, dtype=torch.float64))
        scores = self.network_.scores_by_chunks(scaled)
        return scores.to(torch.float64).numpy()

    def _scale(self) -> float:
        if self.predict_with == "network":
            return self.network_.log_scale.exp().item()
        return self.rules_.scale

    # Validation

    def _check_parameters(self) -> None:
        """Those that no other part checks under the name they have here."""
        require_one_of("snapping", self.snapping, ("trained", "unpolished", "nearest"))
        require_one_of("training", self.training, ("modern", "paper"))
        require_one_of("predict_with", self.predict_with, ("rules", "network"))
        require_one_of("device", self.device, ("auto", "cpu", "cuda"))
        require_one_of("precision", self.precision, ("float32", "tf32"))
        levels = is_count(self.depth) and self.depth <= MOST_LEVELS
        require(levels, "depth", f"a whole number from 1 to {MOST_LEVELS}", self.depth)
        require(is_count(self.width), "width", COUNT, self.width)
        rows = self.batch_size == "auto" or is_count(self.batch_size)
        require(rows, "batch_size", f"{COUNT}, or 'auto'", self.batch_size)
        require(is_amount(self.l1), "l1", AMOUNT, self.l1)
        require(is_amount(self.literal_price), "literal_price", AMOUNT, self.literal_price)
        # Plan sees the folds only where there are rows enough for them.
        folds = self.folds == 0 or (is_count(self.folds) and self.folds > 1)
        require(folds, "folds", "0 or a whole number above 1", self.folds)
        kinds = self.memberships in ("auto", "linear") or is_count(self.memberships)
        needed = f"{COUNT}, 'auto' or 'linear'"
        require(kinds, "memberships", needed, self.memberships)
        budget = self.max_literals is None or is_count(self.max_literals)
        require(budget, "max_literals", f"{COUNT}, or None", self.max_literals)
        columns = self.max_columns is None or is_count(self.max_columns)
        require(columns, "max_columns", f"{COUNT}, or None", self.max_columns)
        require(is_amount(self.tolerance), "tolerance", AMOUNT, self.tolerance)

    def _training_table(self, X: Any, y: Any) -> tuple[Floats, NDArray[np.intp]]:
        """The rows and the numbers of their classes, which are noted."""
        table, labels = self._training_rows(X, y)
        self.classes_, targets = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise TableError(
                f"{type(self).__name__} needs at least 2 classes, "
                f"got 1 class: {self.classes_.tolist()[0]!r}"
            )
        return table, targets

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


def _require_prices(changes: Mapping[str, float]) -> None:
    others = set(changes) - {"l1", "literal_price"}
    if others:
        raise ValueError(
            "only l1 and literal_price may differ between classifiers that are trained at "
            f"once, got {sorted(others)}; fit them one by one"
        )


@contextmanager
def _unchanged_by_failure(estimator: LogicClassifier) -> Iterator[None]:
    """A fit that fails or is interrupted leaves what was there before, or nothing."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        estimator.__dict__ = before
        raise

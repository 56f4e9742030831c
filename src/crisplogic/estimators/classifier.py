"""The scikit-learn estimator: validation and wiring, nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Integral
from os import PathLike
from typing import Any, Literal, Self

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from crisplogic.estimators.harvest import polished, rounded
from crisplogic.estimators.planning import (
    check_parameters,
    plan_for,
    require_prices,
    shares_of_prices,
)
from crisplogic.estimators.reading import read_to_predict
from crisplogic.estimators.training_rows import TrainingRows
from crisplogic.learn import Learned, Plan, learn, learn_parts
from crisplogic.nn import LogicNetwork
from crisplogic.parameters import COUNT, is_count, require, require_one_of
from crisplogic.polish import Sample
from crisplogic.rules import Frontier, RuleSet, SnapReport
from crisplogic.rules.frontier import TOLERANCE
from crisplogic.rules.ruleset import softmax
from crisplogic.snap import moves, snap
from crisplogic.train import PAPER_SETTINGS, Checkpoint, OnEpoch, progress_bar
from crisplogic.train.checkpoints import question_of
from crisplogic.vocabulary import Vocabulary

Floats = NDArray[np.float64]


class LogicClassifier(ClassifierMixin, BaseEstimator):
    """Learn logic rules that tell classes apart.

    Tables may be arrays or data frames of pandas, polars or Arrow. Columns of numbers are
    given thresholds (``age>41``); truth values are taken as they are (``smoker``), and of
    texts and categories every frequent value (``colour is red``), rare ones as one.
    A missing value is "unknown", halfway between false and true, and so is a value of a
    category that was never seen: no imputation is needed.

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
    class_weight : "balanced", dict or None, default=None
        What each row of a class counts, on top of its ``sample_weight``. "balanced" lets all
        classes count the same, however rare they are; a dictionary names every class and its
        weight. Probabilities are then those of a table in which classes are as frequent as
        they count.
    missing_literals : bool, default=False
        Whether rules may say that a value is missing (``glucose is missing``), of columns in
        which some are. Without it a missing value is merely unknown.
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
    vocabulary_ : Vocabulary
        What rules can say of the columns.
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
    vocabulary_: Vocabulary

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
        class_weight: Literal["balanced"] | Mapping[Any, float] | None = None,
        missing_literals: bool = False,
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
        self.class_weight = class_weight
        self.missing_literals = missing_literals
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

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        checkpoint: str | PathLike[str] | None = None,
    ) -> Self:
        """Learn from a table. Shape: ``X`` (rows, features), ``y`` (rows,).

        ``sample_weight`` (rows,) is how much each row counts: 2 as two such rows would, 0 as
        if it were not there. A factor that all weights have in common changes nothing.

        ``checkpoint`` names a file to keep training in, every few seconds, until the fit has
        succeeded. Killed and called again with the same table and settings, the fit goes on
        from there and ends with the same rules, as if nothing had happened; with others it
        raises :class:`~crisplogic.errors.CheckpointError`. Of the polish nothing is kept.
        Without a ``random_state`` the seed is kept, too.
        """
        check_parameters(self)
        with _unchanged_by_failure(self):
            rows = TrainingRows.of(self, X, y, sample_weight)
            self.classes_ = rows.classes
            lesson = rows.table, rows.targets, len(rows.classes)
            plan = self._plan(len(rows.table), rows.table.shape[1], len(rows.classes))
            seed = check_random_state(self.random_state).randint(2**31)
            kept = None if checkpoint is None else self._kept(checkpoint, rows, plan, seed)
            seed = seed if kept is None else kept.seed
            phases = {**plan.epochs(), "polish": plan.copies}
            with progress_bar(phases, self.verbose) as on_epoch:
                learned = learn(*lesson, plan, seed, on_epoch, rows.weights(), kept)
                self._keep(learned, rows.sample(), on_epoch)
        if kept is not None:
            kept.remove()
        return self

    def fit_parts(
        self,
        X: Any,
        y: Any,
        parts: Sequence[NDArray[np.intp]],
        prices: Sequence[Mapping[str, float]] | None = None,
        sample_weight: Any = None,
    ) -> list[Self]:
        """Classifiers of the same settings, each fitted on some of the rows, trained at once.

        This takes much less time than one fit after the other, and none learns anything of
        rows outside its part. ``parts`` are row numbers. All know all classes. ``prices``
        may give each part an ``l1`` and a ``literal_price`` of its own. ``sample_weight``
        (rows,) is that of all rows; how it compares is seen within each part. See
        :func:`crisplogic.cross_validate`.
        """
        check_parameters(self)
        fitted = [clone(self) for _ in parts]
        for one, changes in zip(fitted, prices or [], strict=prices is not None):
            require_prices(changes)
            check_parameters(one.set_params(**changes))
        _require_rows(parts)
        rows = TrainingRows.of(fitted[0], X, y, sample_weight)
        places = [rows.places_of(part) for part in parts]
        _require_rows(places, " of a weight above 0")
        noted = {name: value for name, value in vars(fitted[0]).items() if name[-1] == "_"}
        lesson = rows.table, rows.targets, len(rows.classes)
        plan = self._plan(min(map(len, places)), rows.table.shape[1], len(rows.classes))
        seed = check_random_state(self.random_state).randint(2**31)
        phases = {**plan.epochs(), "polish": plan.copies * len(parts)}
        shares = [shares_of_prices(self, one) for one in fitted]
        weights = [rows.weights(part) for part in places]
        with progress_bar(phases, self.verbose) as on_epoch:
            learned = learn_parts(*lesson, plan, seed, places, on_epoch, shares, weights)
            for one, of_part, part in zip(fitted, learned, places, strict=True):
                vars(one).update(noted, classes_=rows.classes)
                one._keep(of_part.within(part), rows.sample(part), on_epoch)
        return fitted

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
        return plan_for(self, rows, columns, classes)

    def _kept(
        self, path: str | PathLike[str], rows: TrainingRows, plan: Plan, seed: int
    ) -> Checkpoint:
        """The checkpoint of this fit; what only the polish depends on is no part of it."""
        given = self.random_state
        random_state = int(given) if isinstance(given, Integral) else None
        data = {"table": rows.table, "targets": rows.targets, "weights": rows.weights()}
        return Checkpoint(path, question_of(plan, random_state, data), seed)

    def _keep(self, learned: Learned, sample: Sample, on_epoch: OnEpoch) -> None:
        best = learned.restarts[0]
        self.network_ = best.network
        self.history_ = learned.history
        if self.snapping == "trained":
            found = polished(learned, sample, self._snap, self.pure, self.n_jobs, on_epoch)
            chosen = found.chosen(self.max_literals, self.tolerance).rules
        else:
            found = rounded(learned, sample, self._snap, self.pure)
            chosen = found[0].rules
        self.frontier_ = found.with_rules(self.vocabulary_.spoken)
        self.rules_ = self.vocabulary_.spoken(chosen)
        table = np.ascontiguousarray(sample.columns.T)
        self.snap_report_ = SnapReport.comparing(
            moves(best.network, best.snapped),
            self._network_scores(table).argmax(axis=1),
            chosen.scores(table).argmax(axis=1),
            sample.targets,
            sample.weights,
        )

    def _snap(self, network: LogicNetwork) -> RuleSet:
        words = self.vocabulary_
        return words.crisped(snap(network, words.names, self.classes_.tolist()))

    def _scores(self, X: Any) -> Floats:
        check_is_fitted(self)
        require_one_of("predict_with", self.predict_with, ("rules", "network"))
        table = read_to_predict(self, X)
        if self.predict_with == "network":
            return self._network_scores(self.vocabulary_.shown(table))
        return self.rules_.scores(table, coded=True)

    @torch.no_grad()
    def _network_scores(self, table: Floats) -> Floats:
        scaled = self.network_.scaled(torch.tensor(table, dtype=torch.float64))
        scores = self.network_.scores_by_chunks(scaled)
        return scores.to(torch.float64).numpy()

    def _scale(self) -> float:
        if self.predict_with == "network":
            return self.network_.log_scale.exp().item()
        return self.rules_.scale


def _require_rows(parts: Sequence[NDArray[np.intp]], which: str = "") -> None:
    sizes = [len(part) for part in parts]
    needed = f"one or more lists of row numbers{which}"
    require(min(sizes, default=0) > 0, "parts", needed, sizes)


@contextmanager
def _unchanged_by_failure(estimator: LogicClassifier) -> Iterator[None]:
    """A fit that fails or is interrupted leaves what was there before, or nothing."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        estimator.__dict__ = before
        raise

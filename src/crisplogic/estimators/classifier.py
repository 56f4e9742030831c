"""LogicClassifier: rules that separate classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from crisplogic.estimators.base import LogicEstimator
from crisplogic.estimators.extract import MAX_COMPARED
from crisplogic.estimators.params import CONSTRAINTS, Objective
from crisplogic.estimators.reading import read_for_rules
from crisplogic.estimators.targets import (
    Decision,
    Targets,
    read_classes,
    refuse_missing,
    to_one_type,
)
from crisplogic.export.program import Greatest
from crisplogic.parameters import COUNT_OR_ZERO, Constraint, one_of, require
from crisplogic.rules import ClassificationRules, ClassSnapReport, RuleSet
from crisplogic.rules.decision import EVEN, PROBABILITY
from crisplogic.rules.rule import as_plain
from crisplogic.rules.scoring import softmax
from crisplogic.search import Classification, TrainingSet
from crisplogic.snap import moves
from crisplogic.training import PAPER_CONFIG, TrainedNetworks

Floats = NDArray[np.float64]


def _is_class_weight(value: Any) -> bool:
    balanced = isinstance(value, str) and value == "balanced"
    return value is None or balanced or isinstance(value, Mapping)


def _is_decision_threshold(value: Any) -> bool:
    word = isinstance(value, str) and value == "prevalence"
    return value is None or word or isinstance(value, Mapping) or PROBABILITY.holds(value)


def _is_max_literals_per_class(value: Any) -> bool:
    numbers = value.values() if isinstance(value, Mapping) else (value,)
    return value is None or all(map(COUNT_OR_ZERO.holds, numbers))


@dataclass(kw_only=True, eq=False, repr=False)
class LogicClassifier(ClassifierMixin, LogicEstimator):
    """Learn logic rules that separate classes.

    Tables may be arrays or data frames of pandas, polars or Arrow. Columns of numbers get
    thresholds (``age>41``), truth values are taken as they are (``smoker``), and so is every
    frequent value of a text or category (``colour is red``); rare values are one. A missing
    value is "unknown", halfway between false and true, and so is a value that was never seen:
    no imputation is needed.

    Parameters
    ----------
    literals : {"crisp", "graded"}, default="crisp"
        What statements about numbers are. A crisp one is true or false: ``glucose>127``. Rules
        of such statements can be counted by hand. A graded one becomes true gradually, from
        one value to another: ``glucose>127±37``. With ``snapping="search"``, crisp rules are
        searched for in the table itself. The network shows what can be reached: width,
        memberships, epochs and penalties change it alone. One is trained, whatever the
        restarts, and none through the rounding.
    depth : int or "auto", default="auto"
        Levels of logic. A statement of one level has at most two literals, one of two levels
        four, and of more levels eight. With "auto", statements of crisp rules have up to eight
        literals, as many as pay; networks and graded rules have one level. The paper uses two.
    width : int, default=8
        Expressions in each level of a network but the last: no effect at one level.
    memberships : "auto", int or "linear", default="auto"
        The number of thresholds of a column. They are learned, each with a width: "glucose is
        high" starts at a value and becomes true gradually. "auto" is two, or one if there are
        more than twenty columns. "linear" learns none: as in the paper, a column is false at
        its least value and true at its greatest. Levels of a network are the paper's then, too:
        each sees the one below alone, and its expressions are sums. Otherwise all levels see
        the columns.
    max_columns : int or None, default=128
        The most columns that a network is given; None gives it all. In wider tables the most
        informative columns are selected, alone or in pairs. After a first training, unused
        columns are replaced by those that could explain the remaining errors.
    max_literals : int or None, default=60
        The most literals in all rules together. Within this bound, held-out rows decide. None
        sets no bound.
    tolerance : float, default=0.25
        The smallest rules are chosen whose held-out loss is above the least one by at most
        this many standard errors. 0 chooses the best rules; greater numbers choose smaller
        ones.
    pure : bool, default=False
        The paper's pure form: no intercepts and no scale. It needs ``literals="graded"``.
    restarts : int, default=3
        Networks that are trained in parallel from different random starts. The best graded
        rules of each size come from any of them.
    folds : int, default=5
        Networks that are trained beside them, each without a part of the rows. Rules of every
        size are evaluated on these parts. With 0 folds the largest rules are taken.
    snapping : {"search", "straight_through", "nearest"}, default="search"
        How rules come about. "search" finds crisp rules in the table itself; for graded ones it
        trains a network through the rounding and then searches for better and smaller ones;
        "straight_through" trains through the rounding only;
        "nearest" rounds the trained network, as the paper does. Only "search" finds rules of
        other sizes.
    training : {"modern", "paper"}, default="modern"
        "modern" is Adam on the cross-entropy with a falling learning rate; "paper" is plain
        stochastic gradient descent on the squared error.
    epochs : int or "auto", default="auto"
        Passes over the rows, in each phase of training. "auto" makes 30, or as many as take
        about 1,000 steps. Of more than 128,000 rows networks then learn from a sample.
    batch_size : int or "auto", default="auto"
        Rows per step. "auto" makes twelve steps an epoch, or more if they would exceed 128
        rows; for tables of more than 4,096 rows up to 512.
    learning_rate : float, default=0.05
        Step size at the start.
    l1 : float, default=2e-3
        Penalty of a unit of selector weight in the first phase (the paper's L1), for two
        classes; with more classes it is divided among them. With ``training="paper"`` every
        class pays the whole penalty.
    literal_penalty : float, default=7e-4
        Penalty of a literal while training through the rounding. It bounds the size of the
        rules that the search starts from.
    validation_fraction : float, default=0.0
        Share of the rows set aside to choose the best epoch by.
    patience : int or None, default=None
        Epochs without improvement after which a phase stops; None never stops early.
    class_weight : "balanced", dict or None, default=None
        The weight of each row of a class, a factor of its ``sample_weight``. "balanced" gives
        all classes the same total weight; a dictionary gives every class its weight.
        Probabilities are those of a table with classes of these weights.
    compare_literals : bool, default=False
        Fit a second time, with the other ``literals``, to know what they reach on held-out
        rows; see ``held_out_errors_``. The rules stay the same.
    missing_literals : bool, default=False
        Whether rules may mention that a value is missing (``glucose is missing``), for columns
        with missing values. Otherwise a missing value is merely unknown.
    forbidden_columns : list or None, default=None
        Columns that no rule may mention, by name or number. Nothing of them is kept.
    monotone : dict or None, default=None
        Columns that act in one direction: with ``{"age": "up"}`` the probability of the
        positive of two classes never falls as the age rises, all else being equal;
        ``{"age": {"ill": "up", "well": "down"}}`` says it for any classes. It holds for network
        and rules, on all possible rows; see ``RuleSet.directions``.
    allowed_pairs : list of pairs of columns or None, default=None
        Allow only these columns together in one term; each may always stand alone.
    forbidden_pairs : list of pairs of columns or None, default=None
        Allow all but these.
    operators : list or None, default=None
        The operators that may join columns, some of "and", "or" and "xor"; None allows all,
        an empty list single columns only.
    cuts : dict or None, default=None
        The only thresholds that columns of numbers may have in rules: ``{"age": [40, 65]}``.
    max_literals_per_class : int, dict or None, default=None
        The most literals in the rule of each class, or of those that are named. One sum
        separates two classes, so that a bound on either is a bound on this sum.
    positive : label or None, default=None
        The one of two classes that the rules speak of: its rule has all terms. None chooses the
        one called 1, true, yes or the like; or the one beside a *no disease* or *normal*; or
        the rarer one. ``classes_`` and the columns of ``predict_proba`` stay in sorted order.
    decision_threshold : float, "prevalence", dict or None, default=None
        The probability from which on the positive of two classes is predicted. None is one
        half. "prevalence" is the share of the positive rows, which suits a rare class. A
        dictionary says what it costs to miss a row of a class: ``{"ill": 10, "well": 1}`` is a
        threshold of 1/11. Intercepts change, so that the greatest score is predicted still;
        probabilities do not.
    predict_with : {"rules", "network"}, default="rules"
        What makes the predictions; may be changed after fitting.
    device : {"auto", "cpu", "cuda"}, default="auto"
        Where networks are trained. "auto" takes a GPU if there is one and the table is large
        enough. The search and the rules run on the CPU.
    precision : {"float32", "tf32"}, default="float32"
        Precision of matrix products on a GPU. "tf32" is about three times as fast on wide
        tables and keeps three digits of each factor; rules may differ a little.
    n_jobs : int or None, default=None
        Workers of the search; -1 is one per core. None is one per core for crisp rules, but
        one within other processes. They are threads where compiled kernels are there, else
        processes. It does not change the rules.
    verbose : bool, default=False
        Show a progress bar with the loss and the time left.
    random_state : int, RandomState or None, default=None
        The seed of all random numbers.

    Attributes
    ----------
    rules_ : ClassificationRules
        The rules: they predict, print and save without this estimator.
    frontier_ : Frontier
        The best rules found of each size, with their errors on held-out rows.
    expected_error_ : float
        The error to expect on new rows: that of the chosen size on held-out rows, plus what it
        owes to being chosen. NaN without held-out rows.
    held_out_errors_ : HeldOutErrors
        The errors of network, crisp and graded rules on held-out rows, NaN where not known.
    network_ : LogicNetwork
        The trained network, before rounding.
    snap_report_ : ClassSnapReport
        What rounding changes, and how network and rules compare on the training rows.
    history_ : list of Epoch
        The loss after every epoch.
    encoder_ : FeatureEncoder
        The encoding of the columns.
    stability_ : Stability
        How often each statement came back, once ``measure_stability`` was called.
    all_rows_ : AllRows
        The figures of all rows, after ``fit_dataset`` of a table larger than its sample.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10
    >>> y = ["same", "different", "different", "same"] * 10
    >>> clf = LogicClassifier(random_state=0).fit(X, y)
    >>> print(clf.rules_.to_text())
    different = 0
    same      = (x0 ⊕ ¬x1) - 0.5
    >>> print(clf.rules_)  # doctest: +ELLIPSIS
    same, if both x0 is yes and x1 is yes, or neither
    otherwise different
    ...

    """

    pure: bool = False
    training: Literal["modern", "paper"] = "modern"
    class_weight: Literal["balanced"] | Mapping[Any, float] | None = None
    max_literals_per_class: int | Mapping[Any, int] | None = None
    positive: Any = None
    decision_threshold: float | Literal["prevalence"] | Mapping[Any, float] | None = None

    # Fitted attributes, for readers and type checkers.
    classes_: NDArray[Any] = field(init=False)
    rules_: ClassificationRules = field(init=False)
    snap_report_: ClassSnapReport = field(init=False)

    _constraints: ClassVar[Mapping[str, Constraint]] = {
        **CONSTRAINTS,
        "training": one_of("modern", "paper"),
        "class_weight": Constraint(
            "None, 'balanced' or a dictionary of classes and what each of their rows counts",
            _is_class_weight,
        ),
        "max_literals_per_class": Constraint(
            "a whole number of at least 0, or a dictionary of classes and such numbers",
            _is_max_literals_per_class,
        ),
        "decision_threshold": Constraint(
            f"None, {PROBABILITY}, 'prevalence', or a dictionary of classes and what it costs "
            "to miss a row of each",
            _is_decision_threshold,
        ),
    }

    @classmethod
    def as_in_paper(cls, **changes: Any) -> Self:
        """A classifier with the paper's topology, training and rounding.

        >>> LogicClassifier.as_in_paper(epochs=3).get_params()["depth"]
        2
        """
        paper: dict[str, Any] = {
            "literals": "graded",
            "depth": 2,
            "memberships": "linear",
            "max_columns": None,
            "max_literals": None,
            "pure": True,
            "restarts": 1,
            "folds": 0,
            "snapping": "nearest",
            "training": "paper",
            "epochs": PAPER_CONFIG.epochs,
            "batch_size": PAPER_CONFIG.batch_size,
            "learning_rate": PAPER_CONFIG.learning_rate,
            "l1": PAPER_CONFIG.l1,
        }
        return cls(**{**paper, **changes})

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of every row. Shape: (rows, features) to (rows,)."""
        if self.predict_with == "rules":
            check_is_fitted(self)
            return self.rules_.predict_among(self.classes_, *read_for_rules(self, X))
        scores = self._decision_scores(X)
        winners: NDArray[Any] = self.classes_[scores.argmax(axis=1)]
        return winners

    def predict_proba(self, X: Any) -> Floats:
        """The probability of every class. Shape: (rows, features) to (rows, classes)."""
        scores = self._scores(X)
        if self.predict_with == "network":
            return softmax(scores * self._network_scale())
        return self.rules_.probabilities(scores)

    def decision_function(self, X: Any) -> Floats:
        """The scores. Shape: (rows, classes); for two classes (rows,), second less first.

        The decision threshold is in them: the greatest is predicted.
        """
        scores = self._decision_scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def _decision_scores(self, X: Any) -> Floats:
        """Scores of which the greatest decides. Shape: (rows, features) to (rows, classes)."""
        scores = self._scores(X)
        if self.predict_with == "network":
            scores = scores - self._decision_offsets() / self._network_scale()
        return scores

    def _decision_offsets(self) -> Floats:
        """By how much logits of the network have to be greater. Shape: (classes,)."""
        if self.rules_.positive is None:
            return np.zeros(len(self.classes_))
        positive = self.rules_.labels.index(self.rules_.positive)
        return Classification(positive, self.rules_.decision_threshold).decision_offsets(2)

    # Hooks of LogicEstimator

    def _check_parameters(self) -> None:
        super()._check_parameters()
        needed = "'graded' where rules are pure, for these have no intercepts to count from"
        require(not self.pure or self.literals == "graded", "literals", needed, self.literals)
        needed = "None where rules are pure, for these have no intercepts"
        even = self.decision_threshold in (None, EVEN) or not self.pure
        require(even, "decision_threshold", needed, self.decision_threshold)
        needed = "'search' where there is a max_literals_per_class: others do not search"
        searches = self.max_literals_per_class is None or self.snapping == "search"
        require(searches, "snapping", needed, self.snapping)

    def _prepare_targets(self, y: Any) -> Any:
        refuse_missing(y)
        return y if y is None or issparse(y) else to_one_type(np.asarray(y))

    def _read_targets(self, y: Any, validated: NDArray[Any], sample_weight: Any) -> Targets:
        who = type(self).__name__
        decision = Decision(self.positive, self.decision_threshold)
        targets, classes = read_classes(
            validated, sample_weight, self.class_weight, decision, who
        )
        self.classes_ = classes
        return targets

    def _objective(self, outputs: int, robust: bool = False) -> Objective:
        if self.training == "paper":
            return Objective("squared_error", "sgd", intercepts=not self.pure)
        return Objective("cross_entropy", l1_share=2 / outputs, intercepts=not self.pure)

    def _network_outcome(self) -> tuple[Greatest, float, Floats]:
        scale, offsets = self._network_scale(), self._decision_offsets()
        labels = tuple(as_plain(label) for label in self.classes_)
        return Greatest(labels, scale, tuple(offsets.tolist())), 1.0, -offsets / scale

    def _report(self, trained: TrainedNetworks, rules: RuleSet, data: TrainingSet) -> None:
        best, data = trained.restarts[0], data.evenly(MAX_COMPARED)
        table = np.ascontiguousarray(data.X)
        logits = self._network_scale() * self._network_scores(table)
        self.snap_report_ = ClassSnapReport.compare(
            moves(best.network, best.snapped),
            (logits - data.task.decision_offsets(data.n_outputs)).argmax(axis=1),
            data.task.finish(rules).scores(table).argmax(axis=1),
            data.y,
            data.weights,
        )

"""LogicClassifier: rules that tell classes apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from crisplogic.constraints.spec import Column, Monotone
from crisplogic.estimators.base import LogicEstimator
from crisplogic.estimators.params import Aim
from crisplogic.estimators.training_rows import ClassRows, TrainingRows
from crisplogic.parameters import is_count, require, require_one_of
from crisplogic.rules import ClassificationRules, ClassSnapReport, RuleSet
from crisplogic.rules.frontier import TOLERANCE
from crisplogic.rules.scoring import softmax
from crisplogic.search import Sample
from crisplogic.snap import moves
from crisplogic.training import PAPER_CONFIG, TrainedNetworks

Floats = NDArray[np.float64]


class LogicClassifier(ClassifierMixin, LogicEstimator):
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
    snapping : {"search", "straight_through", "nearest"}, default="search"
        "search" trains through the snap and polishes what comes out, so that the rules keep
        what was learned; "straight_through" leaves them as trained; "nearest" rounds the soft
        network as the paper does. Only "search" looks for rules of other sizes.
    training : {"modern", "paper"}, default="modern"
        "modern" is Adam on the cross-entropy with a falling learning rate; "paper" is plain
        stochastic gradient descent on squared error.
    epochs : int, default=30
        Passes over the rows, in each of the two phases of "search" snapping.
    batch_size : int or "auto", default="auto"
        Rows a step; "auto" makes twelve steps an epoch, or more of 1024 rows.
    learning_rate : float, default=0.05
        Step size at the start.
    l1 : float, default=2e-3
        Price of a unit of selector weight while the network is soft (the paper's L1), for two
        classes; the more classes share it, the less each pays. With ``training="paper"``
        every class pays the whole price.
    literal_penalty : float, default=7e-4
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
    forbidden_columns : list or None, default=None
        Columns that no rule may mention, by name or number. Nothing that they hold is kept.
    monotone : dict or None, default=None
        Columns that may only act upwards or downwards: ``{"age": "up"}`` lets the probability
        of the second of two classes never fall as the age rises, all else being the same;
        ``{"age": {"ill": "up", "well": "down"}}`` says it for any classes. It holds for
        network and rules, on all rows that there could be; see ``RuleSet.directions``.
    allowed_pairs : list of pairs of columns or None, default=None
        Which columns may stand in one term together; each may always stand alone.
    forbidden_pairs : list of pairs of columns or None, default=None
        Which columns may not. Monotone columns and pairs need a ``depth`` of 1.
    max_literals_per_class : int, dict or None, default=None
        The most literals in the rule of each class, or of those that are named. Two classes
        are told apart by one sum, so that a bound on either is one on that.
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
    rules_ : ClassificationRules
        The rules: predict, print and save without this estimator.
    frontier_ : Frontier
        The best rules found at each size, with their error on held-out rows.
    network_ : LogicNetwork
        The soft network.
    snap_report_ : ClassSnapReport
        What snapping changed, and how network and rules compare on the training rows.
    history_ : list of Epoch
        The loss after every epoch.
    encoder_ : FeatureEncoder
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
    rules_: ClassificationRules
    snap_report_: ClassSnapReport

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
        snapping: Literal["search", "straight_through", "nearest"] = "search",
        training: Literal["modern", "paper"] = "modern",
        epochs: int = 30,
        batch_size: int | Literal["auto"] = "auto",
        learning_rate: float = 0.05,
        l1: float = 2e-3,
        literal_penalty: float = 7e-4,
        validation_fraction: float = 0.0,
        patience: int | None = None,
        class_weight: Literal["balanced"] | Mapping[Any, float] | None = None,
        missing_literals: bool = False,
        forbidden_columns: Sequence[Column] | None = None,
        monotone: Monotone | None = None,
        allowed_pairs: Sequence[tuple[Column, Column]] | None = None,
        forbidden_pairs: Sequence[tuple[Column, Column]] | None = None,
        max_literals_per_class: int | Mapping[Any, int] | None = None,
        predict_with: Literal["rules", "network"] = "rules",
        device: Literal["auto", "cpu", "cuda"] = "auto",
        precision: Literal["float32", "tf32"] = "float32",
        n_jobs: int | None = None,
        verbose: bool = False,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(
            depth=depth,
            width=width,
            memberships=memberships,
            max_columns=max_columns,
            max_literals=max_literals,
            tolerance=tolerance,
            restarts=restarts,
            folds=folds,
            snapping=snapping,
            epochs=epochs,
            batch_size=batch_size,
            learning_rate=learning_rate,
            l1=l1,
            literal_penalty=literal_penalty,
            validation_fraction=validation_fraction,
            patience=patience,
            missing_literals=missing_literals,
            forbidden_columns=forbidden_columns,
            monotone=monotone,
            allowed_pairs=allowed_pairs,
            forbidden_pairs=forbidden_pairs,
            predict_with=predict_with,
            device=device,
            precision=precision,
            n_jobs=n_jobs,
            verbose=verbose,
            random_state=random_state,
        )
        self.pure = pure
        self.training = training
        self.class_weight = class_weight
        self.max_literals_per_class = max_literals_per_class

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
            "epochs": PAPER_CONFIG.epochs,
            "batch_size": PAPER_CONFIG.batch_size,
            "learning_rate": PAPER_CONFIG.learning_rate,
            "l1": PAPER_CONFIG.l1,
        }
        return cls(**{**paper, **changes})

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of every row. Shape: (rows, features) to (rows,)."""
        scores = self._scores(X)
        winners: NDArray[Any] = self.classes_[scores.argmax(axis=1)]
        return winners

    def predict_proba(self, X: Any) -> Floats:
        """The probability of every class. Shape: (rows, features) to (rows, classes)."""
        scores = self._scores(X)
        by_network = self.predict_with == "network"
        return softmax(scores * (self._network_scale() if by_network else self.rules_.scale))

    def decision_function(self, X: Any) -> Floats:
        """The scores. Shape: (rows, classes); for two classes (rows,), second less first."""
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    # What is a classifier's own

    def _check_parameters(self) -> None:
        super()._check_parameters()
        require_one_of("training", self.training, ("modern", "paper"))
        balanced = isinstance(self.class_weight, str) and self.class_weight == "balanced"
        given = self.class_weight is None or isinstance(self.class_weight, Mapping) or balanced
        needed = (
            "None, 'balanced' or a dictionary of classes and what each of their rows counts"
        )
        require(given, "class_weight", needed, self.class_weight)
        self._check_budgets()

    def _check_budgets(self) -> None:
        asked, name = self.max_literals_per_class, "max_literals_per_class"
        if asked is None:
            return
        for value in asked.values() if isinstance(asked, Mapping) else (asked,):
            needed = "a whole number of at least 0, or a dictionary of classes and such numbers"
            require(value == 0 or is_count(value), name, needed, value)
        needed = f"'search' where there is a {name}: others look for no rules of other sizes"
        require(self.snapping == "search", "snapping", needed, self.snapping)

    def _read(self, X: Any, y: Any, sample_weight: Any) -> ClassRows:
        rows = ClassRows.of(self, X, y, sample_weight)
        self.classes_ = rows.classes
        return rows

    def _aim(self, outputs: int) -> Aim:
        if self.training == "paper":
            return Aim("squared_error", "sgd", intercepts=not self.pure)
        return Aim("cross_entropy", l1_share=2 / outputs, intercepts=not self.pure)

    def _report(
        self, learned: TrainedNetworks, rules: RuleSet, rows: TrainingRows, sample: Sample
    ) -> None:
        best, table = learned.restarts[0], np.ascontiguousarray(sample.columns.T)
        self.snap_report_ = ClassSnapReport.compare(
            moves(best.network, best.snapped),
            self._network_scores(table).argmax(axis=1),
            rules.scores(table).argmax(axis=1),
            sample.targets,
            sample.weights,
        )

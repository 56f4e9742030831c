"""LogicRegressor: rules that predict a number."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from crisplogic.estimators.base import LogicEstimator
from crisplogic.estimators.codec import register
from crisplogic.estimators.extract import MAX_COMPARED
from crisplogic.estimators.params import CONSTRAINTS, Objective
from crisplogic.estimators.targets import Targets, name_of, read_numbers, refuse_missing
from crisplogic.export.program import Amount
from crisplogic.parameters import NONE, Constraint, one_of
from crisplogic.rules import NumberSnapReport, RegressionRules, RuleSet
from crisplogic.rules.outliers import FENCE, is_far
from crisplogic.rules.rule import as_plain
from crisplogic.rules.transforms import TRANSFORMS, TransformName
from crisplogic.search import Regression, TrainingSet
from crisplogic.snap import moves
from crisplogic.training import TrainedNetworks

Floats = NDArray[np.float64]

# A factor of penalties that suit classes: the loss of a number that is predicted well is
# nearly 0, while that of a class is not.
PENALTY_SHARE = 0.5


@register
@dataclass(frozen=True)
class TargetScaler:
    """Scales a number to a mean of 0 and a standard deviation of 1, and back.

    Where the loss is robust, centre and spread are so, too, and numbers that are far from all
    others are clipped to the ``limit``.

    >>> TargetScaler(centre=20.0, spread=5.0).transform(np.array([20.0, 30.0])).tolist()
    [0.0, 2.0]
    """

    centre: float
    spread: float
    limit: float = math.inf

    def transform(self, y: Floats) -> Floats:
        """Scale numbers. Shape: (rows,) to (rows,)."""
        most = self.limit * self.spread  # first: an outlier over a tiny spread is infinite
        return (y - self.centre).clip(-most, most) / self.spread

    def inverse_transform(self, scaled: Floats) -> Floats:
        """Scale numbers back. Shape: (rows,) to (rows,)."""
        return self.centre + self.spread * scaled

    def decode_rules(self, rules: RuleSet) -> RegressionRules:
        """Rules of a network that predicts scaled numbers, as rules that predict the number."""
        scale = self.spread * rules.scale
        base = self.centre + scale * rules.intercepts[0]
        return RegressionRules(
            rules.features,
            rules.memberships,
            rules.rules,
            scale,
            (base,),
            rules.levels,
            crisp=rules.crisp,
        )


@dataclass(kw_only=True, eq=False, repr=False)
class LogicRegressor(RegressorMixin, LogicEstimator):
    """Learn logic rules that predict a number.

    The prediction is an intercept plus, for every term, a fixed amount where the term is true,
    minus the same amount where it is false, and something between for degrees of truth.
    Tables may hold the same as for :class:`~crisplogic.LogicClassifier`: numbers, truth values,
    categories and missing values.

    Parameters
    ----------
    literals : {"crisp", "graded"}, default="crisp"
        What statements about numbers are: true or false (``rooms>4``), or gradually true
        (``rooms>4±1``).
    depth : int or "auto", default="auto"
        Levels of logic. A statement of one level has at most two literals. With "auto",
        statements of crisp rules have as many as pay; networks and graded rules have one level.
    width : int, default=8
        Expressions in each level of a network but the last: no effect at one level.
    memberships : "auto", int or "linear", default="auto"
        The number of thresholds of a column; "linear" learns none.
    max_columns : int or None, default=128
        The most columns that a network is given, the most informative ones; None gives it all.
    max_literals : int or None, default=60
        The most literals in the rule. Within this bound, held-out rows decide.
    tolerance : float, default=0.25
        The smallest rule is chosen whose held-out loss is above the least one by at most this
        many standard errors.
    restarts : int, default=3
        Networks that are trained in parallel from different random starts, for graded rules.
    folds : int, default=5
        Networks that are trained beside them, each without a part of the rows. Rules of every
        size are evaluated on these parts. With 0 folds the largest rule is taken.
    snapping : {"search", "straight_through", "nearest"}, default="search"
        How rules come about. "search" finds crisp rules in the table itself; for graded ones it
        trains a network through the rounding and then searches for better and smaller ones;
        "straight_through" trains through the rounding only;
        "nearest" rounds the trained network.
    epochs : int or "auto", default="auto"
        Passes over the rows, in each phase of training. "auto" makes 30, or as many as take
        about 1,000 steps. Of more than 128,000 rows networks then learn from a sample.
    batch_size : int or "auto", default="auto"
        Rows per step. "auto" makes twelve steps an epoch, or more if they would exceed 128
        rows; for tables of more than 4,096 rows up to 512.
    learning_rate : float, default=0.05
        Step size at the start.
    l1 : float, default=2e-3
        Penalty of a unit of selector weight in the first phase. A regressor applies half of
        this penalty and of the next.
    literal_penalty : float, default=7e-4
        Penalty of a literal while training through the rounding.
    loss : {"auto", "squared_error", "huber"}, default="auto"
        What is made small: the squared error, or the Huber loss, by which a large error counts
        by its size instead of its square. "auto" is the squared error, unless at most one row
        in a hundred, far from all others, would decide it alone; then it is "huber", with a
        :class:`~crisplogic.errors.TargetWarning`. With "huber", figures such as root mean
        squared errors leave out the rows whose number is far from all others.
    target_transform : {"log", "log1p"} or None, default=None
        Learn the logarithm of the number, which must be above 0, or that of the number plus 1.
        It suits numbers that differ by factors, as prices do: a term then multiplies the
        number. Predictions are in the units of the number; rules print ``log(price) = ...``.
    validation_fraction : float, default=0.0
        Share of the rows set aside to choose the best epoch by.
    patience : int or None, default=None
        Epochs without improvement after which a phase stops; None never stops early.
    compare_literals : bool, default=False
        Fit a second time, with the other ``literals``, to know what they reach on held-out
        rows; see ``held_out_errors_``. The rules stay the same.
    missing_literals : bool, default=False
        Whether rules may mention that a value is missing (``rooms is missing``).
    forbidden_columns : list or None, default=None
        Columns that no rule may mention, by name or number. Nothing of them is kept.
    monotone : dict or None, default=None
        Columns that act in one direction: with ``{"rooms": "up"}`` the number never falls as
        the rooms become more, all else being equal. It holds for network and rules, on all
        possible rows.
    allowed_pairs : list of pairs of columns or None, default=None
        Allow only these columns together in one term; each may always stand alone.
    forbidden_pairs : list of pairs of columns or None, default=None
        Allow all but these.
    operators : list or None, default=None
        The operators that may join columns, some of "and", "or" and "xor"; None allows all,
        an empty list single columns only.
    cuts : dict or None, default=None
        The only thresholds that columns of numbers may have in rules: ``{"age": [40, 65]}``.
    predict_with : {"rules", "network"}, default="rules"
        What makes the predictions; may be changed after fitting.
    device : {"auto", "cpu", "cuda"}, default="auto"
        Where networks are trained.
    precision : {"float32", "tf32"}, default="float32"
        Precision of matrix products on a GPU.
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
    rules_ : RegressionRules
        The rule: it predicts, prints and saves without this estimator. Its label is the name of
        ``y``, if that is a column with a name.
    frontier_ : Frontier
        The best rules found of each size, with their root mean squared errors.
    expected_error_ : float
        The error to expect on new rows: that of the chosen size on held-out rows, plus what it
        owes to being chosen. NaN without held-out rows.
    held_out_errors_ : HeldOutErrors
        The errors of network, crisp and graded rules on held-out rows, NaN where not known.
    network_ : LogicNetwork
        The trained network, before rounding. It predicts numbers scaled by ``target_scaler_``.
    target_scaler_ : TargetScaler
        Scales the number to a mean of 0 and a standard deviation of 1.
    snap_report_ : NumberSnapReport
        What rounding changed, and how network and rules compare on the training rows.
    history_ : list of Epoch
        The loss after every epoch.
    encoder_ : FeatureEncoder
        The encoding of the columns.
    stability_ : Stability
        How often each statement came back, once ``measure_stability`` was called.
    all_rows_ : AllRows
        The figures of all rows, after ``fit_dataset`` of a table larger than its sample.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> X = [[rooms, noise] for rooms in (2, 3, 5, 6) for noise in range(10)]
    >>> y = [200.0 if rooms > 4 else 100.0 for rooms, _ in X]
    >>> reg = LogicRegressor(random_state=0).fit(X, y)
    >>> print(reg.rules_.to_text())
    y = 150 + 50 × (x0>3)
    >>> reg.predict([[6, 0], [2, 0]]).tolist()
    [200.0, 100.0]

    """

    loss: Literal["auto", "squared_error", "huber"] = "auto"
    target_transform: TransformName | None = None

    # Fitted attributes, for readers and type checkers.
    rules_: RegressionRules = field(init=False)
    snap_report_: NumberSnapReport = field(init=False)
    target_scaler_: TargetScaler = field(init=False)

    _constraints: ClassVar[Mapping[str, Constraint]] = {
        **CONSTRAINTS,
        "loss": one_of("auto", "squared_error", "huber"),
        "target_transform": one_of(*TRANSFORMS) | NONE,
    }

    def predict(self, X: Any) -> Floats:
        """The number of every row. Shape: (rows, features) to (rows,)."""
        scores = self._scores(X)[:, 0]
        if self.predict_with == "network":
            scores = self._unscale(scores)
        return self.rules_.numbers(scores)

    # Hooks of LogicEstimator

    def _prepare_targets(self, y: Any) -> Any:
        refuse_missing(y)
        return y

    def _read_targets(self, y: Any, validated: NDArray[Any], sample_weight: Any) -> Targets:
        return read_numbers(
            validated, sample_weight, name_of(y), self.loss, self.target_transform
        )

    def _objective(self, outputs: int, robust: bool = False) -> Objective:
        return Objective(
            "huber" if robust else "mean_squared_error",
            l1_share=PENALTY_SHARE,
            literal_share=PENALTY_SHARE,
        )

    def _scale_targets(self, y: NDArray[Any], data: TrainingSet) -> NDArray[Any]:
        return _scaler(data).transform(y)

    def _transformed(self, y: NDArray[Any]) -> NDArray[Any]:
        name = self.target_transform
        return y if name is None else TRANSFORMS[name].forward(y, f"target_transform={name!r}")

    def _rescale(self, rules: RuleSet, data: TrainingSet) -> RuleSet:
        return _scaler(data).decode_rules(rules)

    def _decode_logits(self, logits: Floats, data: TrainingSet) -> Floats:
        return _scaler(data).inverse_transform(logits)

    def _keep_scale(self, data: TrainingSet) -> None:
        self.target_scaler_ = _scaler(data)

    def _network_outcome(self) -> tuple[Amount, float, Floats]:
        outcome = Amount(as_plain(self.rules_.labels[0]), self.rules_.transform)
        scaler = self.target_scaler_
        return outcome, scaler.spread * self._network_scale(), np.array([scaler.centre])

    def _report(self, trained: TrainedNetworks, rules: RuleSet, data: TrainingSet) -> None:
        best, task = trained.restarts[0], data.task
        assert isinstance(task, Regression)
        far = int(np.count_nonzero(is_far(data.y, data.weights)))
        left_out = int(np.count_nonzero(~task.rows_that_count(data.y, data.weights)))
        data = data.evenly(MAX_COMPARED)
        kept = task.rows_that_count(data.y, data.weights)
        table = np.ascontiguousarray(data.X[kept])
        self.snap_report_ = NumberSnapReport.compare(
            moves(best.network, best.snapped),
            task.numbers(self._unscale(self._network_scores(table)[:, 0])),
            task.numbers(rules.scores(table)[:, 0]),
            task.numbers(data.y[kept]),
            None if data.weights is None else data.weights[kept],
            far=far,
            left_out=left_out,
        )

    def _unscale(self, scores: Floats) -> Floats:
        """The network's predictions, in the unit of the number. Shape: (rows,) to (rows,)."""
        return self.target_scaler_.inverse_transform(self._network_scale() * scores)


def _scaler(data: TrainingSet) -> TargetScaler:
    limit = FENCE if data.task.robust else math.inf
    return TargetScaler(data.loss.centre, data.loss.spread, limit)

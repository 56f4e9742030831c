"""LogicRegressor: rules that say how large a number is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from crisplogic.estimators.base import LogicEstimator
from crisplogic.estimators.params import Aim
from crisplogic.estimators.target_scaler import TargetScaler
from crisplogic.estimators.training_rows import NumberRows, TrainingRows
from crisplogic.rules import NumberSnapReport, RegressionRules, RuleSet
from crisplogic.search import Sample
from crisplogic.snap import moves
from crisplogic.training import TrainedNetworks

Floats = NDArray[np.float64]

# What is paid of prices that suit classes: a number that is well predicted is hardly away from
# the truth, while a class that is well predicted still surprises.
PRICE_SHARE = 0.5


class LogicRegressor(RegressorMixin, LogicEstimator):
    """Learn logic rules that say how large a number is.

    The prediction is a base plus, for every term of one rule, a fixed amount where the term is
    true, less the same amount where it is false, and something between on the way. Tables may
    hold what they may for :class:`~crisplogic.LogicClassifier`: numbers, truth values,
    categories, missing values.

    Parameters
    ----------
    depth : int, default=1
        Levels of logic. One level sums expressions of two columns each.
    width : int, default=8
        Expressions that each level but the last hands on. Without effect at depth 1.
    memberships : "auto", int or "linear", default="auto"
        How many thresholds a column gets; "linear" learns none.
    max_columns : int or None, default=128
        The most columns that a network looks at, those with most to say; None looks at all.
    max_literals : int or None, default=60
        The most literals that the rule may have. Within this bound held-out rows choose.
    tolerance : float, default=0.5
        The smallest rule is chosen that is worse than the best, on held-out rows, by at most
        so many standard errors of the difference.
    restarts : int, default=3
        Networks that learn side by side from different random starts.
    folds : int, default=5
        Networks that learn beside them, each without a part of the rows, on which rules of
        every size are then judged. 0 judges nothing: the largest rule is taken.
    snapping : {"search", "straight_through", "nearest"}, default="search"
        "search" trains through the snap and polishes what comes out; "straight_through" leaves
        it
        as trained; "nearest" rounds the soft network.
    epochs : int, default=30
        Passes over the rows, in each of the two phases of "search" snapping.
    batch_size : int or "auto", default="auto"
        Rows a step; "auto" makes twelve steps an epoch, or more of 1024 rows.
    learning_rate : float, default=0.05
        Step size at the start.
    l1 : float, default=2e-3
        Price of a unit of selector weight while the network is soft. Of this price and the
        next a regressor pays half.
    literal_penalty : float, default=7e-4
        Price of a literal while training through the snap.
    validation_fraction : float, default=0.0
        Share of the rows set aside to choose the best epoch by.
    patience : int or None, default=None
        Epochs without improvement after which a phase stops; None never stops early.
    missing_literals : bool, default=False
        Whether rules may say that a value is missing (``rooms is missing``).
    forbidden_columns : list or None, default=None
        Columns that no rule may mention, by name or number. Nothing that they hold is kept.
    monotone : dict or None, default=None
        Columns that may only act upwards or downwards: ``{"rooms": "up"}`` lets the number
        never fall as the rooms become more, all else being the same. It holds for network and
        rules, on all rows that there could be.
    allowed_pairs : list of pairs of columns or None, default=None
        Which columns may stand in one term together; each may always stand alone.
    forbidden_pairs : list of pairs of columns or None, default=None
        Which columns may not. Monotone columns and pairs need a ``depth`` of 1.
    predict_with : {"rules", "network"}, default="rules"
        What predictions come from; may be changed after fitting.
    device : {"auto", "cpu", "cuda"}, default="auto"
        Where networks are trained.
    precision : {"float32", "tf32"}, default="float32"
        How exactly a GPU multiplies.
    n_jobs : int or None, default=None
        Processes that polish side by side; None is one, -1 as many as there are cores.
    verbose : bool, default=False
        Show a progress bar with the loss and the time left.
    random_state : int, RandomState or None, default=None
        The one seed of every random draw.

    Attributes
    ----------
    rules_ : RegressionRules
        The rule: predicts, prints and saves without this estimator. It is called what ``y`` is
        called, if it is a column with a name.
    frontier_ : Frontier
        The best rules found at each size, with their root mean squared errors.
    network_ : LogicNetwork
        The soft network. It predicts in the unit ``target_scaler_``.
    snap_report_ : NumberSnapReport
        What snapping changed, and how network and rules compare on the training rows.
    history_ : list of Epoch
        The loss after every epoch.
    encoder_ : FeatureEncoder
        What rules can say of the columns.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> X = [[rooms, noise] for rooms in (2, 3, 5, 6) for noise in range(10)]
    >>> y = [200.0 if rooms > 4 else 100.0 for rooms, _ in X]
    >>> reg = LogicRegressor(random_state=0).fit(X, y)
    >>> print(reg.rules_)
    y = 150 + 50 × (x0>4)
    >>> reg.predict([[6, 0], [2, 0]]).tolist()
    [200.0, 100.0]

    """

    # Fitted attributes, for readers and type checkers.
    rules_: RegressionRules
    snap_report_: NumberSnapReport
    target_scaler_: TargetScaler

    def predict(self, X: Any) -> Floats:
        """The number of every row. Shape: (rows, features) to (rows,)."""
        scores = self._scores(X)[:, 0]
        return self._numbers(scores) if self.predict_with == "network" else scores

    # What is a regressor's own

    def _read(self, X: Any, y: Any, sample_weight: Any) -> NumberRows:
        return NumberRows.of(self, X, y, sample_weight)

    def _aim(self, outputs: int) -> Aim:
        return Aim("mean_squared_error", l1_share=PRICE_SHARE, literal_share=PRICE_SHARE)

    def _spoken(self, rules: RuleSet, rows: TrainingRows, part: NDArray[np.intp]) -> RuleSet:
        assert isinstance(rows, NumberRows)
        self.target_scaler_ = rows.unit(part)
        return self.target_scaler_.spoken(rules)

    def _report(
        self, learned: TrainedNetworks, rules: RuleSet, rows: TrainingRows, sample: Sample
    ) -> None:
        best, table = learned.restarts[0], np.ascontiguousarray(sample.columns.T)
        self.snap_report_ = NumberSnapReport.compare(
            moves(best.network, best.snapped),
            self._numbers(self._network_scores(table)[:, 0]),
            rules.predict(table),
            sample.targets,
            sample.weights,
        )

    def _numbers(self, scores: Floats) -> Floats:
        """What the network says, in the unit of the number. Shape: (rows,) to (rows,)."""
        return self.target_scaler_.numbers(self._network_scale() * scores)

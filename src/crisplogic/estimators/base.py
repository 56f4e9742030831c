"""LogicEstimator: what both estimators share, from a table to rules and back."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Integral
from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from crisplogic.constraints import Constraints, Limits
from crisplogic.errors import TableError
from crisplogic.estimators.encoder import FeatureEncoder
from crisplogic.estimators.extract import choose_rules, round_rules, search_rules
from crisplogic.estimators.params import (
    CONSTRAINTS,
    Objective,
    Parameters,
    penalty_ratios,
    require_one_level,
    require_penalties,
    training_config,
    warn_of_cuts_outside,
)
from crisplogic.estimators.reading import encode_finite, read_table, read_to_predict
from crisplogic.estimators.targets import Targets
from crisplogic.expr.connectives import OPERATORS
from crisplogic.nn import LogicNetwork
from crisplogic.parameters import COUNT_OR_ZERO, Constraint, check_parameters, require
from crisplogic.rules import Frontier, RuleSet
from crisplogic.search import REGRESSION, Task, TrainingSet
from crisplogic.snap import snap
from crisplogic.tables import Schema, infer_schema
from crisplogic.training import (
    Checkpoint,
    Epoch,
    OnEpoch,
    TrainedNetworks,
    TrainingConfig,
    fingerprint,
    progress_bar,
    train_networks,
    train_networks_by_part,
)
from crisplogic.weights import rows_that_count

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


class LogicEstimator(Parameters, BaseEstimator):
    """Learns rules from a table; subclasses say what the rules predict."""

    # Fitted attributes, for readers and type checkers.
    n_features_in_: int
    rules_: RuleSet
    frontier_: Frontier
    network_: LogicNetwork
    history_: list[Epoch]
    encoder_: FeatureEncoder

    # Parameters of classifiers alone.
    pure: bool = False
    class_weight: Any = None
    max_literals_per_class: Any = None

    _task: ClassVar[Task]
    _constraints: ClassVar[Mapping[str, Constraint]] = CONSTRAINTS

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        checkpoint: str | PathLike[str] | None = None,
    ) -> Self:
        """Learn from a table. Shape: ``X`` (rows, features), ``y`` (rows,).

        ``sample_weight`` (rows,) is how much each row counts: 2 as two such rows would, 0 as
        if it were not there. A common factor of all weights changes nothing.

        ``checkpoint`` names a file to keep training in, every few seconds, until the fit has
        succeeded. Killed and called again with the same table and settings, the fit goes on
        from there and ends with the same rules; with others it raises
        :class:`~crisplogic.errors.CheckpointError`. Nothing of the search is kept. Without a
        ``random_state`` the seed is kept, too.
        """
        self._check_parameters()
        with _unchanged_by_failure(self):
            data = self._read(X, y, sample_weight)[0].with_normalized_weights()
            limits = _column_limits(data)
            config = self._training_config(data, len(data))
            seed = check_random_state(self.random_state).randint(2**31)
            kept = None if checkpoint is None else self._open(checkpoint, data, config, seed)
            seed = seed if kept is None else kept.seed
            problem = data.X, self._training_targets(data, [data]), data.n_outputs
            phases = {**config.epochs(), "search": config.copies}
            with progress_bar(phases, self.verbose) as on_epoch:
                trained = train_networks(
                    *problem, config, seed, on_epoch, data.weights, kept, limits
                )
                self._extract(trained, data, on_epoch)
        if kept is not None:
            kept.remove()
        return self

    def fit_parts(
        self,
        X: Any,
        y: Any,
        parts: Sequence[Rows],
        penalties: Sequence[Mapping[str, float]] | None = None,
        sample_weight: Any = None,
    ) -> list[Self]:
        """Fit estimators of the same settings, each to some of the rows, all at once.

        This takes much less time than one fit after the other, and none learns anything of
        rows outside its part. ``parts`` are row numbers. All know all classes. ``penalties``
        may give each part its own ``l1`` and ``literal_penalty``. ``sample_weight`` (rows,) is
        that of all rows; weights are compared within each part. See
        :func:`crisplogic.cross_validate`.
        """
        self._check_parameters()
        fitted = [clone(self) for _ in parts]
        for one, changes in zip(fitted, penalties or [], strict=penalties is not None):
            require_penalties(changes)
            one.set_params(**changes)._check_parameters()
        _require_rows(parts)
        data, numbers = fitted[0]._read(X, y, sample_weight)
        limits = _column_limits(data)
        parts = [_positions(part, numbers) for part in parts]
        _require_rows(parts, " of a weight above 0")
        subsets = [data.part(part) for part in parts]
        about_data = {name: value for name, value in vars(fitted[0]).items() if name[-1] == "_"}
        problem = data.X, self._training_targets(data, subsets), data.n_outputs
        config = self._training_config(data, min(map(len, parts)))
        seed = check_random_state(self.random_state).randint(2**31)
        phases = {**config.epochs(), "search": config.copies * len(parts)}
        ratios = [penalty_ratios(self, one) for one in fitted]
        weights = [subset.weights for subset in subsets]
        with progress_bar(phases, self.verbose) as on_epoch:
            trained = train_networks_by_part(
                *problem, config, seed, parts, on_epoch, ratios, weights, limits
            )
            for one, each, part, subset in zip(fitted, trained, parts, subsets, strict=True):
                vars(one).update(about_data)
                one._extract(each.within(part), subset, on_epoch)
        return fitted

    def rules_at(self, size: int) -> RuleSet:
        """The best rules found with at most ``size`` literals in all."""
        check_is_fitted(self)
        COUNT_OR_ZERO.check("size", size)
        return self.frontier_.at(size).rules

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    # What classifiers and regressors do differently

    @abstractmethod
    def _read_targets(self, y: Any, validated: NDArray[Any], sample_weight: Any) -> Targets:
        """The targets, as they were given and as scikit-learn validated them."""

    def _prepare_targets(self, y: Any) -> Any:
        """Targets that scikit-learn can validate."""
        return y

    @abstractmethod
    def _objective(self, outputs: int) -> Objective:
        """How networks of so many outputs are trained."""

    @abstractmethod
    def _training_targets(
        self, data: TrainingSet, subsets: Sequence[TrainingSet]
    ) -> NDArray[Any]:
        """The targets of networks that are trained on subsets of the data.

        Shape: (rows,), or (subsets, rows) where each subset has its own.
        """

    def _rescale(self, rules: RuleSet, data: TrainingSet) -> RuleSet:
        """Rules of a network, in the units of what they predict."""
        return rules

    @abstractmethod
    def _report(self, trained: TrainedNetworks, rules: RuleSet, data: TrainingSet) -> None:
        """Set ``snap_report_``."""

    # Wiring

    def _check_parameters(self) -> None:
        check_parameters(self, self._constraints)
        searches = self.cuts is None or self.snapping == "search"
        needed = "'search' where there are cuts: others do not search"
        require(searches, "snapping", needed, self.snapping)

    def _read(self, X: Any, y: Any, sample_weight: Any) -> tuple[TrainingSet, Rows]:
        """The rows with a weight above 0, and their numbers in the table."""
        columns, matrix, validated = read_table(self, X, self._prepare_targets(y))
        targets = self._read_targets(y, validated, sample_weight)
        rows = rows_that_count(targets.weights)
        numbers = np.arange(len(columns))[rows]
        kept = columns if len(numbers) == len(columns) else columns.take(numbers)
        schema = infer_schema(kept)
        if matrix is None:
            matrix = encode_finite(schema, columns)
        constraints = self._read_constraints(schema, targets.labels)
        encoder = self.encoder_ = self._make_encoder(schema, constraints)
        limits = encoder.limits(constraints)
        warn_of_cuts_outside(limits, encoder.names, encoder.transform(matrix)[rows])
        require_one_level(self.depth, None if limits is None else limits.of_networks)
        data = TrainingSet(
            X=encoder.transform(matrix)[rows],
            y=targets.y[rows],
            labels=targets.labels,
            task=self._task,
            weights=None if targets.weights is None else targets.weights[rows],
            crisp=encoder.crisp if encoder.indicators else None,
            limits=limits,
            balanced=isinstance(self.class_weight, str),  # the one word that it may be
        )
        return data, numbers

    def _read_constraints(self, schema: Schema, labels: Sequence[object]) -> Constraints:
        return Constraints.read(
            schema.names,
            schema.kinds,
            None if self._task is REGRESSION else labels,
            forbidden_columns=self.forbidden_columns,
            monotone=self.monotone,
            allowed_pairs=self.allowed_pairs,
            forbidden_pairs=self.forbidden_pairs,
            max_literals_per_class=self.max_literals_per_class,
            operators=self.operators,
            cuts=self.cuts,
        )

    def _make_encoder(self, schema: Schema, constraints: Constraints) -> FeatureEncoder:
        forbidden, negated = constraints.forbidden, constraints.negated
        encoder = FeatureEncoder.of(schema, self.missing_literals, forbidden, negated)
        if not encoder.names:
            allowed = len(schema.names) - len(forbidden)
            raise TableError(
                f"{type(self).__name__} needs a column that says something; "
                f"of all {allowed} the values are the same in every row, or missing"
            )
        return encoder

    def _training_config(self, data: TrainingSet, rows: int) -> TrainingConfig:
        objective = self._objective(data.n_outputs)
        return training_config(self, objective, rows, data.X.shape[1])

    def _open(
        self, path: str | PathLike[str], data: TrainingSet, config: TrainingConfig, seed: int
    ) -> Checkpoint:
        """The checkpoint of this fit; it does not depend on what only the search needs."""
        given = self.random_state
        random_state = int(given) if isinstance(given, Integral) else None
        arrays = {"table": data.X, "targets": data.y, "weights": data.weights}
        if limits := _column_limits(data):
            arrays |= {"rises": limits.rises, "falls": limits.falls, "pairs": limits.pairs}
            if limits.operators is not None:
                arrays["operators"] = np.array([each in limits.operators for each in OPERATORS])
        return Checkpoint(path, fingerprint(config, random_state, arrays), seed)

    def _extract(self, trained: TrainedNetworks, data: TrainingSet, on_epoch: OnEpoch) -> None:
        """Extract rules from the networks that were trained on these rows."""
        self.network_ = trained.restarts[0].network
        self.history_ = trained.history
        encoder = self.encoder_

        def snap_network(network: LogicNetwork) -> RuleSet:
            rules = encoder.fix_indicators(snap(network, encoder.names, data.labels))
            return self._rescale(rules, data)

        if self.snapping == "search":
            found = search_rules(trained, data, snap_network, self.pure, self.n_jobs, on_epoch)
        else:
            found = round_rules(trained, data, snap_network, self.pure)
        chosen = choose_rules(found, self.max_literals, self.tolerance)
        operators = None if data.limits is None else data.limits.operators

        def decode(rules: RuleSet) -> RuleSet:
            rules = encoder.decode_rules(rules)
            return rules if operators is None else rules.with_operators(operators)

        self.frontier_ = found.map_rules(decode)
        self.rules_ = decode(chosen)
        self._report(trained, chosen, data)

    def _scores(self, X: Any) -> Floats:
        """The scores of rules or network. Shape: (rows, features) to (rows, outputs)."""
        check_is_fitted(self)
        self._constraints["predict_with"].check("predict_with", self.predict_with)
        table = read_to_predict(self, X)
        if self.predict_with == "network":
            return self._network_scores(self.encoder_.transform(table))
        return self.rules_.scores(table, coded=True)

    @torch.no_grad()
    def _network_scores(self, table: Floats) -> Floats:
        scaled = self.network_.scale(torch.tensor(table, dtype=torch.float64))
        scores = self.network_.scores_by_chunks(scaled)
        return scores.to(torch.float64).numpy()

    def _network_scale(self) -> float:
        return self.network_.log_scale.exp().item()


def _column_limits(data: TrainingSet) -> Limits | None:
    """The limits that networks keep to."""
    return None if data.limits is None else data.limits.of_networks


def _positions(part: Rows, numbers: Rows) -> Rows:
    """The positions of rows among those with these numbers, in order; others are left out."""
    part = np.sort(part)
    return np.searchsorted(numbers, part[np.isin(part, numbers)])


def _require_rows(parts: Sequence[NDArray[np.intp]], which: str = "") -> None:
    sizes = [len(part) for part in parts]
    needed = f"one or more lists of row numbers{which}"
    require(min(sizes, default=0) > 0, "parts", needed, sizes)


@contextmanager
def _unchanged_by_failure(estimator: LogicEstimator) -> Iterator[None]:
    """A fit that fails or is interrupted leaves what was there before, or nothing."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        estimator.__dict__ = before
        raise

"""What all estimators share: parameters, and the way from a table to rules and back."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Integral
from os import PathLike
from typing import Any, Literal, Self

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from crisplogic.constraints.spec import Column, Monotone
from crisplogic.estimators.encoder import FeatureEncoder
from crisplogic.estimators.extract import polished, rounded
from crisplogic.estimators.params import (
    Aim,
    check_parameters,
    penalty_ratios,
    plan_for,
    require_one_level,
    require_penalties,
)
from crisplogic.estimators.reading import read_to_predict
from crisplogic.estimators.training_rows import TrainingRows
from crisplogic.nn import LogicNetwork
from crisplogic.parameters import is_count, require, require_one_of
from crisplogic.rules import Frontier, RuleSet
from crisplogic.rules.frontier import TOLERANCE
from crisplogic.search import Sample
from crisplogic.snap import snap
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

Floats = NDArray[np.float64]


class LogicEstimator(BaseEstimator):
    """Learns rules from a table; what they are to predict is what its kinds differ in."""

    # Fitted attributes, for readers and type checkers.
    n_features_in_: int
    rules_: RuleSet
    frontier_: Frontier
    network_: LogicNetwork
    history_: list[Epoch]
    encoder_: FeatureEncoder

    # Whether rules have neither intercepts nor a scale.
    pure: bool = False

    def __init__(
        self,
        *,
        depth: int = 1,
        width: int = 8,
        memberships: int | Literal["auto", "linear"] = "auto",
        max_columns: int | None = 128,
        max_literals: int | None = 60,
        tolerance: float = TOLERANCE,
        restarts: int = 3,
        folds: int = 5,
        snapping: Literal["search", "straight_through", "nearest"] = "search",
        epochs: int = 30,
        batch_size: int | Literal["auto"] = "auto",
        learning_rate: float = 0.05,
        l1: float = 2e-3,
        literal_penalty: float = 7e-4,
        validation_fraction: float = 0.0,
        patience: int | None = None,
        missing_literals: bool = False,
        forbidden_columns: Sequence[Column] | None = None,
        monotone: Monotone | None = None,
        allowed_pairs: Sequence[tuple[Column, Column]] | None = None,
        forbidden_pairs: Sequence[tuple[Column, Column]] | None = None,
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
        self.restarts = restarts
        self.folds = folds
        self.snapping = snapping
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.l1 = l1
        self.literal_penalty = literal_penalty
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.missing_literals = missing_literals
        self.forbidden_columns = forbidden_columns
        self.monotone = monotone
        self.allowed_pairs = allowed_pairs
        self.forbidden_pairs = forbidden_pairs
        self.predict_with = predict_with
        self.device = device
        self.precision = precision
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

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
        self._check_parameters()
        with _unchanged_by_failure(self):
            rows = self._rows(X, y, sample_weight)
            everything = np.arange(len(rows.table))
            plan = self._plan(len(rows.table), rows.table.shape[1], len(rows.labels))
            seed = check_random_state(self.random_state).randint(2**31)
            kept = None if checkpoint is None else self._kept(checkpoint, rows, plan, seed)
            seed = seed if kept is None else kept.seed
            lesson = rows.table, rows.lesson([everything]), len(rows.labels)
            phases = {**plan.epochs(), "polish": plan.copies}
            with progress_bar(phases, self.verbose) as on_epoch:
                limits = rows.demands.limits
                learned = train_networks(
                    *lesson, plan, seed, on_epoch, rows.weights(), kept, limits
                )
                self._keep(learned, rows, everything, on_epoch)
        if kept is not None:
            kept.remove()
        return self

    def fit_parts(
        self,
        X: Any,
        y: Any,
        parts: Sequence[NDArray[np.intp]],
        penalties: Sequence[Mapping[str, float]] | None = None,
        sample_weight: Any = None,
    ) -> list[Self]:
        """Estimators of the same settings, each fitted on some of the rows, trained at once.

        This takes much less time than one fit after the other, and none learns anything of
        rows outside its part. ``parts`` are row numbers. All know all classes. ``penalties``
        may give each part an ``l1`` and a ``literal_penalty`` of its own. ``sample_weight``
        (rows,) is that of all rows; how it compares is seen within each part. See
        :func:`crisplogic.cross_validate`.
        """
        self._check_parameters()
        fitted = [clone(self) for _ in parts]
        for one, changes in zip(fitted, penalties or [], strict=penalties is not None):
            require_penalties(changes)
            one.set_params(**changes)._check_parameters()
        _require_rows(parts)
        rows = fitted[0]._rows(X, y, sample_weight)
        places = [rows.places_of(part) for part in parts]
        _require_rows(places, " of a weight above 0")
        noted = {name: value for name, value in vars(fitted[0]).items() if name[-1] == "_"}
        lesson = rows.table, rows.lesson(places), len(rows.labels)
        plan = self._plan(min(map(len, places)), rows.table.shape[1], len(rows.labels))
        seed = check_random_state(self.random_state).randint(2**31)
        phases = {**plan.epochs(), "polish": plan.copies * len(parts)}
        shares = [penalty_ratios(self, one) for one in fitted]
        weights = [rows.weights(part) for part in places]
        with progress_bar(phases, self.verbose) as on_epoch:
            limits = rows.demands.limits
            learned = train_networks_by_part(
                *lesson, plan, seed, places, on_epoch, shares, weights, limits
            )
            for one, of_part, part in zip(fitted, learned, places, strict=True):
                vars(one).update(noted)
                one._keep(of_part.within(part), rows, part, on_epoch)
        return fitted

    def rules_at(self, size: int) -> RuleSet:
        """The best rules found with at most ``size`` literals in all."""
        check_is_fitted(self)
        needed = "a whole number of at least 0"
        require(size == 0 or is_count(size), "size", needed, size)
        return self.frontier_.at(size).rules

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    # What kinds of estimators differ in

    @abstractmethod
    def _read(self, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        """The rows to learn from; what is known of them is noted."""

    @abstractmethod
    def _aim(self, outputs: int) -> Aim:
        """What networks of so many outputs are to say."""

    @abstractmethod
    def _report(
        self, learned: TrainedNetworks, rules: RuleSet, rows: TrainingRows, sample: Sample
    ) -> None:
        """Note what there is to say about network and rules."""

    def _spoken(self, rules: RuleSet, rows: TrainingRows, part: NDArray[np.intp]) -> RuleSet:
        """Rules of a network that learned from a part, in the units of what they predict."""
        return rules

    def _check_parameters(self) -> None:
        check_parameters(self)

    # Wiring

    def _rows(self, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        rows = self._read(X, y, sample_weight)
        self.encoder_ = rows.vocabulary
        require_one_level(self.depth, rows.demands.limits)
        return rows

    def _plan(self, rows: int, columns: int, outputs: int) -> TrainingConfig:
        return plan_for(self, self._aim(outputs), rows, columns)

    def _kept(
        self, path: str | PathLike[str], rows: TrainingRows, plan: TrainingConfig, seed: int
    ) -> Checkpoint:
        """The checkpoint of this fit; what only the polish depends on is no part of it."""
        given = self.random_state
        random_state = int(given) if isinstance(given, Integral) else None
        data = {"table": rows.table, "targets": rows.targets, "weights": rows.weights()}
        if limits := rows.demands.limits:
            data |= {"rises": limits.rises, "falls": limits.falls, "pairs": limits.pairs}
        return Checkpoint(path, fingerprint(plan, random_state, data), seed)

    def _keep(
        self,
        learned: TrainedNetworks,
        rows: TrainingRows,
        part: NDArray[np.intp],
        on_epoch: OnEpoch,
    ) -> None:
        """Rules from the networks that learned from a part of the rows."""
        self.network_ = learned.restarts[0].network
        self.history_ = learned.history
        sample, words = rows.sample(part), self.encoder_

        def snapped(network: LogicNetwork) -> RuleSet:
            rules = words.crisped(snap(network, words.names, rows.labels))
            return self._spoken(rules, rows, part)

        if self.snapping == "search":
            found = polished(learned, sample, snapped, self.pure, self.n_jobs, on_epoch)
            chosen = found.choose(self.max_literals, self.tolerance).rules
        else:
            found = rounded(learned, sample, snapped, self.pure)
            chosen = found[0].rules
        self.frontier_ = found.map_rules(words.spoken)
        self.rules_ = words.spoken(chosen)
        self._report(learned, chosen, rows, sample)

    def _scores(self, X: Any) -> Floats:
        """What rules or network say. Shape: (rows, features) to (rows, outputs)."""
        check_is_fitted(self)
        require_one_of("predict_with", self.predict_with, ("rules", "network"))
        table = read_to_predict(self, X)
        if self.predict_with == "network":
            return self._network_scores(self.encoder_.shown(table))
        return self.rules_.scores(table, coded=True)

    @torch.no_grad()
    def _network_scores(self, table: Floats) -> Floats:
        scaled = self.network_.scale(torch.tensor(table, dtype=torch.float64))
        scores = self.network_.scores_by_chunks(scaled)
        return scores.to(torch.float64).numpy()

    def _network_scale(self) -> float:
        return self.network_.log_scale.exp().item()


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

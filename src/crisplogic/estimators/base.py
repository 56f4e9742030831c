"""LogicEstimator: what both estimators share, from a table to rules and back."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from numbers import Integral
from os import PathLike
from typing import Any, ClassVar, Self, cast

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from crisplogic.constraints import Constraints
from crisplogic.errors import ExportError, RuleSizeWarning, TableError
from crisplogic.estimators.encoder import FeatureEncoder
from crisplogic.estimators.extract import (
    choose_point,
    crisp_folds,
    held_out_folds,
    network_held_out,
    round_rules,
    search_crisp_rules,
    search_rules,
)
from crisplogic.estimators.network_program import network_program
from crisplogic.estimators.params import (
    CONSTRAINTS,
    Objective,
    Parameters,
    network_depth,
    penalty_ratios,
    require_penalties,
    training_config,
    warn_of_cuts_outside,
)
from crisplogic.estimators.reading import encode_finite, read_table, read_to_predict
from crisplogic.estimators.saving import read_estimator, save_estimator
from crisplogic.estimators.stability import resample
from crisplogic.estimators.targets import Targets
from crisplogic.estimators.views import EncodedView, Source
from crisplogic.export import About
from crisplogic.export.onnx_network import write_onnx_network
from crisplogic.export.program import Amount, Greatest
from crisplogic.nn import LogicNetwork
from crisplogic.parameters import (
    AMOUNT,
    COUNT,
    COUNT_OR_ZERO,
    NONE,
    Constraint,
    check_parameters,
    require,
)
from crisplogic.rules import Frontier, HeldOutErrors, RuleSet, Stability
from crisplogic.search import Regression, TrainingSet
from crisplogic.snap import snap
from crisplogic.tables import Schema, infer_schema
from crisplogic.training import (
    Checkpoint,
    Epoch,
    MakeViews,
    OnEpoch,
    TrainedNetworks,
    TrainingConfig,
    fingerprint,
    progress_bar,
    train_networks,
    train_networks_by_part,
)
from crisplogic.weights import rows_that_count

# Crisp rules without a bound have at most so many literals.
MAX_LITERALS = 100

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


class LogicEstimator(Parameters, BaseEstimator):
    """Learns rules from a table; subclasses say what the rules predict."""

    # Fitted attributes, for readers and type checkers.
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    rules_: RuleSet
    frontier_: Frontier
    expected_error_: float
    network_: LogicNetwork
    history_: list[Epoch]
    encoder_: FeatureEncoder
    stability_: Stability  # once it was measured

    # Parameters of classifiers alone.
    pure: bool = False
    class_weight: Any = None
    max_literals_per_class: Any = None

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
            source = self._read(X, y, sample_weight)[0]
            config = self._training_config(source, len(source.targets))
            seed = check_random_state(self.random_state).randint(2**31)
            kept = None if checkpoint is None else self._open(checkpoint, source, config, seed)
            seed = seed if kept is None else kept.seed
            self._learn(source, config, seed, kept)
            if self.compare_literals:
                other = self._with_other_literals()
                config = other._training_config(source, len(source.targets))
                with _sizes_ignored():
                    other._learn(source, config, seed)
                self._compare(other)
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
        source, numbers = fitted[0]._read(X, y, sample_weight)
        given, parts = parts, [_positions(part, numbers) for part in parts]
        _require_rows(parts, " of a weight above 0")
        about_table = {
            name: value for name, value in vars(fitted[0]).items() if name[-1] == "_"
        }
        config = self._training_config(source, min(map(len, parts)))
        seed = check_random_state(self.random_state).randint(2**31)
        phases = {**config.epochs(), "search": self._n_paths(config) * len(parts)}
        with progress_bar(phases, self.verbose) as on_epoch:
            trained = train_networks_by_part(
                self._make_views(source),
                source.targets.y,
                source.targets.n_outputs,
                config,
                seed,
                parts,
                on_epoch,
                [penalty_ratios(self, one) for one in fitted],
                source.weights,
            )
            for one, each, part in zip(fitted, trained, parts, strict=True):
                vars(one).update(about_table)
                one._extract(each, source, part, seed, on_epoch)
        if self.compare_literals:
            others = self._with_other_literals()
            with _sizes_ignored():
                for one, other in zip(
                    fitted,
                    others.fit_parts(X, y, given, penalties, sample_weight),
                    strict=True,
                ):
                    one._compare(other)
        return fitted

    def rules_at(self, size: int) -> RuleSet:
        """The best rules found with at most ``size`` literals in all."""
        check_is_fitted(self)
        COUNT_OR_ZERO.check("size", size)
        return self.frontier_.at(size).rules

    @property
    def held_out_errors_(self) -> HeldOutErrors:
        """The errors of network, crisp and graded rules on held-out rows, as far as known.

        Those of rules are corrected for the choice of their size, as ``expected_error_`` is.
        """
        check_is_fitted(self)
        own, other = self.expected_error_, self.frontier_.other_rules_error
        crisp, graded = (own, other) if self.rules_.crisp else (other, own)
        predicts = self.rules_.predicts
        return HeldOutErrors(self.frontier_.network_error, crisp, graded, predicts)

    def measure_stability(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        resamples: int = 20,
        max_seconds: float | None = None,
    ) -> Stability:
        """Measure how often each statement of the crisp rules comes back on other rows.

        ``X``, ``y`` and ``sample_weight`` are those of the fit. Rules of at most the same size
        are searched on ``resamples`` parts of the table, each with 90% of its rows; no network
        is trained. The parts are the same every time. Where ``max_seconds`` have passed,
        no further part is begun. ``n_jobs`` and ``verbose`` are those of the estimator.

        Returns what it also keeps as ``stability_``, until the next fit.
        """
        check_is_fitted(self)
        COUNT.check("resamples", resamples)
        (AMOUNT | NONE).check("max_seconds", max_seconds)
        source = clone(self)._read(X, y, sample_weight)[0]
        self.stability_ = resample(
            self, source, self._most_literals, self._statement_depth, resamples, max_seconds
        )
        return self.stability_

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted estimator to a file, completely or not at all.

        The file holds arrays and JSON, all parameters and all that was learned. To share rules,
        ``rules_.save`` writes a smaller file, which other versions and programs can read.
        """
        save_estimator(self, path)

    def export(
        self, to: str, *, network: bool = False, about: Any = None, **options: Any
    ) -> str | bytes:
        """Write the rules for another program, such as ``"sql"``, ``"c"`` or ``"onnx"``.

        See :func:`crisplogic.export.export` for targets and their options. With ``network``
        the soft network is written instead, for ``"onnx"`` alone: raw columns in, label and
        probabilities out, which agree with those of the network to 1e-5.
        """
        check_is_fitted(self)
        if about is None:
            about = {"rows": self.frontier_.rows, "error": self.expected_error_}
        if not network:
            return self.rules_.export(to, about=about, **options)
        if to != "onnx" or options:
            given = [f"to {to!r}", *(f"with {name}" for name in options)]
            raise ExportError(
                f"a network is exported to 'onnx', without options; got {' '.join(given)}"
            )
        program = network_program(self.network_, self.encoder_, *self._network_outcome())
        return write_onnx_network(program, About.read(about))

    def report(
        self,
        X: Any,
        y: Any = None,
        path: str | PathLike[str] | None = None,
        *,
        sample_weight: Any = None,
        title: str | None = None,
    ) -> str | None:
        """Write what was learned as one HTML page, with a place to try the rules.

        The figures are of the rows of ``X``, best of rows that were not learned from; what
        held-out rows said in the fit is there as well. ``y`` are the true classes or numbers,
        if known. Shape: ``X`` (rows, features), ``y`` (rows,).

        Without a ``path`` the text of the page is returned. The page needs no network. Needs
        ``pip install 'crisplogic[report]'``.
        """
        from crisplogic.report import check_can_report, render, summarize, write_report

        check_is_fitted(self)
        check_can_report()
        summary = summarize(
            self.rules_,
            X,
            y,
            sample_weight,
            frontier=self.frontier_,
            compared=self.held_out_errors_,
            expected_error=self.expected_error_,
            title=title,
            made=[("learned by", " ".join(repr(self).split()))],
        )
        if path is None:
            return render(summary)
        write_report(summary, path)
        return None

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read an estimator from a file that :meth:`save` wrote. Nothing in it is executed.

        It predicts bit for bit as before. A file that is damaged, was changed or comes from
        another version of the format is an
        :class:`~crisplogic.errors.EstimatorFileError`.
        """
        return read_estimator(path, [cls])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        return tags

    # What classifiers and regressors do differently

    @abstractmethod
    def _read_targets(self, y: Any, validated: NDArray[Any], sample_weight: Any) -> Targets:
        """The targets, as they were given and as scikit-learn validated them."""

    def _prepare_targets(self, y: Any) -> Any:
        """Targets that scikit-learn can validate."""
        return y

    @abstractmethod
    def _objective(self, outputs: int, robust: bool = False) -> Objective:
        """How networks of so many outputs are trained; a ``robust`` loss bears outliers."""

    def _scale_targets(self, y: NDArray[Any], data: TrainingSet) -> NDArray[Any]:
        """Targets for a network, scaled by what is known of the rows ``data``."""
        return y

    def _rescale(self, rules: RuleSet, data: TrainingSet) -> RuleSet:
        """Rules of a network that learned from ``data``, in the units of what they predict."""
        return rules

    def _decode_logits(self, logits: Floats, data: TrainingSet) -> Floats:
        """Logits of a network that learned from ``data``, in the units of what they predict.

        Shape: (rows, outputs) to (rows, outputs).
        """
        return logits

    @abstractmethod
    def _network_outcome(self) -> tuple[Greatest | Amount, float, Floats]:
        """What the network predicts by its scores times a factor plus offsets: (outputs,)."""

    def _keep_scale(self, data: TrainingSet) -> None:
        """Keep what predictions of the network need that learned from ``data``."""

    @abstractmethod
    def _report(self, trained: TrainedNetworks, rules: RuleSet, data: TrainingSet) -> None:
        """Set ``snap_report_``."""

    # Wiring

    def _check_parameters(self) -> None:
        check_parameters(self, self._constraints)
        graded = self.literals == "graded" or self.snapping == "search"
        needed = (
            "'auto' or a number where crisp rules are not searched for: they need thresholds"
        )
        require(graded or self.memberships != "linear", "memberships", needed, self.memberships)
        searches = self.cuts is None or self.snapping == "search"
        needed = "'search' where there are cuts: others do not search"
        require(searches, "snapping", needed, self.snapping)
        searches = not self.compare_literals or self.snapping == "search"
        needed = "'search' to compare literals: others do not search"
        require(searches, "snapping", needed, self.snapping)
        needed = "above 1 to compare literals, which takes held-out rows"
        require(not self.compare_literals or self.folds > 0, "folds", needed, self.folds)
        needed = "False to compare literals: crisp rules have intercepts"
        require(not (self.compare_literals and self.pure), "pure", needed, self.pure)

    def _read(self, X: Any, y: Any, sample_weight: Any) -> tuple[Source, Rows]:
        """The rows with a weight above 0, and their numbers in the table."""
        columns, matrix, validated = read_table(self, X, self._prepare_targets(y))
        targets = self._read_targets(y, validated, sample_weight)
        rows = rows_that_count(targets.weights)
        numbers = np.arange(len(columns))[rows]
        kept = columns if len(numbers) == len(columns) else columns.take(numbers)
        schema = infer_schema(kept)
        matrix = encode_finite(schema, columns if matrix is None else matrix)[rows]
        constraints = self._read_constraints(schema, targets)
        only_targets = TrainingSet(
            X=np.empty((len(numbers), 0)),
            y=targets.y[rows],
            labels=targets.labels,
            task=targets.task,
            weights=None if targets.weights is None else targets.weights[rows],
            balanced=isinstance(self.class_weight, str),  # the one word that it may be
        )
        source = Source(kept, matrix, schema, constraints, self.missing_literals, only_targets)
        self._require_columns(source)
        limits = source.limits
        if limits is not None and limits.cuts:  # the table is not encoded twice for nothing
            encoder = source.encoder
            warn_of_cuts_outside(limits.cuts, encoder.names, encoder.transform(matrix))
        self._network_depth(source)  # an error now, not after the table was encoded
        return source, numbers

    def _read_constraints(self, schema: Schema, targets: Targets) -> Constraints:
        return Constraints.read(
            schema.names,
            schema.kinds,
            None if isinstance(targets.task, Regression) else targets.labels,
            forbidden_columns=self.forbidden_columns,
            monotone=self.monotone,
            allowed_pairs=self.allowed_pairs,
            forbidden_pairs=self.forbidden_pairs,
            max_literals_per_class=self.max_literals_per_class,
            positive=targets.task.positive,
            operators=self.operators,
            cuts=self.cuts,
        )

    def _require_columns(self, source: Source) -> None:
        if not source.encoder.names:
            allowed = len(source.schema.names) - len(source.constraints.forbidden)
            raise TableError(
                f"{type(self).__name__} needs a column that says something; "
                f"of all {allowed} the values are the same in every row, or missing"
            )

    def _make_views(self, source: Source) -> MakeViews:
        return lambda row_sets: source.views(row_sets, self._scale_targets)

    def _training_config(self, source: Source, rows: int) -> TrainingConfig:
        objective = self._objective(source.targets.n_outputs, source.targets.task.robust)
        columns = len(source.encoder.names)
        return training_config(self, objective, self._network_depth(source), rows, columns)

    def _network_depth(self, source: Source) -> int:
        limits = source.limits
        return network_depth(self, None if limits is None else limits.of_networks)

    def _open(
        self, path: str | PathLike[str], source: Source, config: TrainingConfig, seed: int
    ) -> Checkpoint:
        """The checkpoint of this fit; it does not depend on what only the search needs."""
        given = self.random_state
        random_state = int(given) if isinstance(given, Integral) else None
        return Checkpoint(path, fingerprint(config, random_state, source.arrays()), seed)

    def _learn(
        self,
        source: Source,
        config: TrainingConfig,
        seed: int,
        checkpoint: Checkpoint | None = None,
    ) -> None:
        """Train networks on all rows, and extract rules from them."""
        phases = {**config.epochs(), "search": self._n_paths(config)}
        with progress_bar(phases, self.verbose) as on_epoch:
            trained = train_networks(
                self._make_views(source),
                source.targets.y,
                source.targets.n_outputs,
                config,
                seed,
                on_epoch,
                source.weights,
                checkpoint,
            )
            every_row = np.arange(len(source.targets))
            self._extract(trained, source, every_row, seed, on_epoch)

    def _with_other_literals(self) -> LogicEstimator:
        """The same for graded literals if these are crisp, with what is known of the table."""
        other = "graded" if self.literals == "crisp" else "crisp"
        made: LogicEstimator = clone(self)
        made.set_params(literals=other, compare_literals=False)
        known = {name: each for name, each in vars(self).items() if name[-1] == "_"}
        made.__dict__.update(known)
        return made

    def _compare(self, other: LogicEstimator) -> None:
        """Keep what rules of the other literals reach on held-out rows."""
        self.frontier_ = replace(self.frontier_, other_rules_error=other.expected_error_)

    def _extract(
        self,
        trained: TrainedNetworks,
        source: Source,
        rows: Rows,
        seed: int,
        on_epoch: OnEpoch,
    ) -> None:
        """Extract rules from the networks that were trained on these rows."""
        view = cast(EncodedView, trained.view)
        data = source.training_set(rows, view.encoder, view.inputs)
        encoder = self.encoder_ = view.encoder
        self.network_ = trained.restarts[0].network
        self.history_ = trained.history
        self._keep_scale(data)

        def snap_network(network: LogicNetwork, view: EncodedView) -> RuleSet:
            rules = view.encoder.fix_indicators(snap(network, encoder.names, data.labels))
            return self._rescale(rules, view.data)

        if self.snapping == "search" and self.literals == "crisp":
            found = search_crisp_rules(
                crisp_folds(trained, data, rows),
                data,
                encoder.names,
                self._most_literals,
                self._statement_depth,
                self.n_jobs,
                on_epoch,
                trained.history[-1].loss,
            )
        elif self.snapping == "search":
            folds = held_out_folds(trained, data, rows, snap_network)
            starts = [snap_network(pair.snapped, view) for pair in trained.restarts]
            loss = trained.history[-1].loss
            found = search_rules(
                starts, folds, data, self.pure, self.n_jobs, seed, on_epoch, loss
            )
        else:
            found = round_rules(
                snap_network(trained.restarts[0].snapped, view), data, self.pure
            )
        chosen = choose_point(found, self.max_literals, self.tolerance)
        within = max(chosen.size, self.max_literals or chosen.size)
        limit = None if self.max_literals is None else within
        self.expected_error_ = found.expected_error(limit, self.tolerance)
        if data.task.decision_offsets(data.n_outputs).any():
            # Held-out rows changed the scale, and with it what a threshold on probabilities is.
            points = (replace(p, error=data.task.error(p.rules, data)) for p in found)
            found = replace(found, points=tuple(points))
        by_network = network_held_out(trained, data, rows, self._decode_logits)
        if by_network is not None:
            error = data.task.held_out_error(by_network)
            found = replace(found, network_error=error)
        finished = found.map_rules(lambda rules: self._finish(rules, data))
        self.frontier_ = replace(finished, rows=len(data))
        self.rules_ = self._finish(chosen.rules, data)
        self.__dict__.pop("stability_", None)  # that of the rules of an earlier fit
        self._report(trained, chosen.rules, data)

    def _finish(self, rules: RuleSet, data: TrainingSet) -> RuleSet:
        """Rules of the search in terms of the user's columns."""
        rules = data.task.finish(self.encoder_.decode_rules(rules))
        operators = None if data.limits is None else data.limits.operators
        return rules if operators is None else rules.with_operators(operators)

    def _n_paths(self, config: TrainingConfig) -> int:
        """The paths of a search: crisp rules need none of other restarts."""
        crisp = self.literals == "crisp"
        return config.folds + 1 if crisp else config.copies

    @property
    def _most_literals(self) -> int:
        """The most literals that the search of crisp rules looks at."""
        return self.max_literals or MAX_LITERALS

    @property
    def _statement_depth(self) -> int | None:
        """The levels of logic in a statement of crisp rules; None: as many as pay."""
        return None if self.depth == "auto" else int(self.depth)

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


def _positions(part: Rows, numbers: Rows) -> Rows:
    """The positions of rows among those with these numbers, in order; others are left out."""
    part = np.sort(part)
    return np.searchsorted(numbers, part[np.isin(part, numbers)])


def _require_rows(parts: Sequence[NDArray[np.intp]], which: str = "") -> None:
    sizes = [len(part) for part in parts]
    needed = f"one or more lists of row numbers{which}"
    require(min(sizes, default=0) > 0, "parts", needed, sizes)


@contextmanager
def _sizes_ignored() -> Iterator[None]:
    """Rules that are only compared may have any size."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuleSizeWarning)
        yield


@contextmanager
def _unchanged_by_failure(estimator: LogicEstimator) -> Iterator[None]:
    """A fit that fails or is interrupted leaves what was there before, or nothing."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        estimator.__dict__ = before
        raise

"""LogicEstimator: how both estimators learn rules from a table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from numbers import Integral
from os import PathLike
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_regressor
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from crisplogic.constraints import Constraints
from crisplogic.errors import TableError
from crisplogic.estimators.comparing import (
    keep_comparison,
    sizes_ignored,
    with_other_literals,
)
from crisplogic.estimators.extract import (
    CrispSearch,
    RowsToTest,
    choose_point,
    count_paths,
    crisp_folds,
    held_out_folds,
    network_held_out,
    round_rules,
    search_crisp_rules,
    search_rules,
    search_shared,
)
from crisplogic.estimators.fitted import FittedEstimator
from crisplogic.estimators.params import (
    Objective,
    check_together,
    network_depth,
    penalty_ratios,
    require_penalties,
    searches_crisp,
    training_config,
    warn_of_cuts_outside,
)
from crisplogic.estimators.reading import encode_finite, read_table
from crisplogic.estimators.shared_folds import SharedFolds
from crisplogic.estimators.stability import resample
from crisplogic.estimators.streamed import (
    SAMPLE_ROWS,
    OnProgress,
    Roles,
    choose_columns,
    describe_run,
    first_pass,
    fit_learned,
    warn_of,
)
from crisplogic.estimators.targets import Targets
from crisplogic.estimators.views import EncodedView, Source
from crisplogic.group import ALONE, Group, require_agreement, together
from crisplogic.io import Layout
from crisplogic.nn import LogicNetwork
from crisplogic.parameters import (
    AMOUNT,
    COUNT,
    NONE,
    check_parameters,
    require,
)
from crisplogic.rules import Frontier, RuleSet, Stability
from crisplogic.search import Regression, TrainingSet
from crisplogic.search.crisp.search import MAX_HELD_OUT, most_rows
from crisplogic.search.crisp.workers import start_processes
from crisplogic.snap import snap
from crisplogic.streaming import StreamedTable
from crisplogic.tables import Schema, infer_schema
from crisplogic.training import (
    Checkpoint,
    MakeViews,
    OnEpoch,
    Stream,
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


class LogicEstimator(FittedEstimator):
    """Learns rules from a table; subclasses say what the rules predict."""

    # Parameters of classifiers alone.
    pure: bool = False
    class_weight: Any = None
    max_literals_per_class: Any = None

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
            self._fit(X, y, sample_weight, checkpoint)
        return self

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        checkpoint: str | PathLike[str] | None,
        group: Group = ALONE,
    ) -> None:
        """Learn from a table that all processes of a group have."""
        source = self._read(X, y, sample_weight)[0]
        config = self._training_config(source, len(source.targets))
        seed = group.broadcast(check_random_state(self.random_state).randint(2**31))
        kept = None
        if checkpoint is not None:
            kept = self._open(checkpoint, source, config, seed, group)
            seed = kept.seed
        self._learn(source, config, seed, kept, group=group)
        if self.compare_literals:
            other = with_other_literals(self)
            config = other._training_config(source, len(source.targets))
            with sizes_ignored():
                other._learn(source, config, seed, group=group)
            keep_comparison(self, other)
        if kept is not None:
            kept.remove()

    def fit_dataset(
        self,
        dataset: Any,
        target: str,
        *,
        weight: str | None = None,
        columns: Sequence[str] | None = None,
        drop: Sequence[str] = (),
        categories: Sequence[str] = (),
        layout: Layout | None = None,
        sample_rows: int = SAMPLE_ROWS,
        checkpoint: str | PathLike[str] | None = None,
        on_progress: OnProgress | None = None,
        group: Group = ALONE,
    ) -> Self:
        """Learn from a table in files, which may be larger than memory.

        ``dataset`` is a file, a folder, a pattern (``"sales/*.parquet"``) or a list of these:
        Parquet, Feather or text such as CSV; or a ``pyarrow.dataset.Dataset`` of local
        files. All files have the same columns. ``target`` and ``weight`` name columns. All
        others are learned from, but for those to ``drop``, or those that ``columns`` names.
        Columns that identify rows are left out, with a warning, unless ``columns`` names them.
        Rows without a target, and those of weight 0, are left out, too.

        One pass over the files finds what columns hold, and draws ``sample_rows`` rows. Rules
        are learned from these. Another pass measures them on all rows: ``expected_error_`` is
        then the error on rows that were not learned from, ``all_rows_`` has the figures, and
        probabilities of two classes are those of all rows. Of tables with no more rows than
        ``sample_rows``, this is :meth:`fit`, with the same rules. The sample depends on the
        numbers of rows alone, not on files or machines. Memory depends on ``sample_rows`` and
        the number of columns, not on the number of rows.

        ``categories`` are columns of text files that are text whatever they hold; ``layout``
        says how these are written. Their first 50,000 rows decide what their columns hold.
        ``checkpoint`` is as in :meth:`fit`. ``on_progress`` is called with what is being done
        and the share that is done.

        The processes of a ``group`` (:func:`crisplogic.distributed.open_group`) call this with
        the same arguments. Each reads a part of the files, all train one network together, and
        all end with the same rules as one process would.
        """
        self._check_parameters()
        COUNT.check("sample_rows", sample_rows)

        def open_table() -> tuple[StreamedTable, Roles]:
            table = StreamedTable.open(dataset, layout, categories)
            forbidden = self.forbidden_columns
            return choose_columns(table, target, weight, columns, drop, forbidden)

        table, roles = together(group, open_table)
        require_agreement(group, describe_run(self, table, roles, sample_rows))
        report = on_progress or (lambda what, share: None)
        learned = first_pass(table, roles, is_regressor(self), sample_rows, report, group)
        warn_of(learned.remarks)
        with _unchanged_by_failure(self):
            fit_learned(self, table, learned, checkpoint, report, group)
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
        return self._fit_parts(X, y, parts, penalties, sample_weight)

    def _fit_parts(
        self,
        X: Any,
        y: Any,
        parts: Sequence[Rows],
        penalties: Sequence[Mapping[str, float]] | None = None,
        sample_weight: Any = None,
        shared: SharedFolds | None = None,
    ) -> list[Self]:
        """The same. With ``shared`` folds, these are tested instead of folds of every part."""
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
        ratios = [penalty_ratios(self, one) for one in fitted]
        every_part, folds = [*parts], None
        if shared is not None and config.folds:
            folds = shared.map_rows(lambda rows: _positions(rows, numbers))
            config = replace(config, folds=0)
            every_part += folds.parts
            ratios += [ratios[split] for split in folds.first_users()]
        seed = check_random_state(self.random_state).randint(2**31)
        phases = {**config.epochs(), "search": self._n_paths_of_parts(config, parts, folds)}
        with progress_bar(phases, self.verbose) as on_epoch:
            trained = train_networks_by_part(
                self._make_views(source),
                source.targets.y,
                source.targets.n_outputs,
                config,
                seed,
                every_part,
                on_epoch,
                ratios,
                source.weights,
            )
            trained, of_folds = trained[: len(parts)], trained[len(parts) :]
            if folds is not None:
                trained = folds.distribute(trained, of_folds)
            for one in fitted:
                vars(one).update(about_table)
            frontiers = self._search_crisp(trained, source, parts, on_epoch, of_folds=of_folds)
            for one, each, part, found in zip(fitted, trained, parts, frontiers, strict=True):
                one._extract(each, source, part, seed, on_epoch, found)
        if self.compare_literals:
            others = with_other_literals(self)
            with sizes_ignored():
                for one, other in zip(
                    fitted,
                    others._fit_parts(X, y, given, penalties, sample_weight, shared),
                    strict=True,
                ):
                    keep_comparison(one, other)
        return fitted

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

    def _transformed(self, y: NDArray[Any]) -> NDArray[Any]:
        """Targets as the function of them that is learned."""
        return y

    def _rescale(self, rules: RuleSet, data: TrainingSet) -> RuleSet:
        """Rules of a network that learned from ``data``, in the units of what they predict."""
        return rules

    def _decode_logits(self, logits: Floats, data: TrainingSet) -> Floats:
        """Logits of a network that learned from ``data``, in the units of what they predict.

        Shape: (rows, outputs) to (rows, outputs).
        """
        return logits

    def _keep_scale(self, data: TrainingSet) -> None:
        """Keep what predictions of the network need that learned from ``data``."""

    @abstractmethod
    def _report(self, trained: TrainedNetworks, rules: RuleSet, data: TrainingSet) -> None:
        """Set ``snap_report_``."""

    # Wiring

    def _check_parameters(self) -> None:
        check_parameters(self, self._constraints)
        check_together(self, self.pure)

    def _read(
        self, X: Any, y: Any, sample_weight: Any, given: Schema | None = None
    ) -> tuple[Source, Rows]:
        """The rows with a weight above 0, and their numbers in the table.

        The schema may be ``given``: that of a larger table, of which these are some rows.
        """
        columns, matrix, validated = read_table(self, X, self._prepare_targets(y))
        targets = self._read_targets(y, validated, sample_weight)
        rows = rows_that_count(targets.weights)
        numbers = np.arange(len(columns))[rows]
        kept = columns if len(numbers) == len(columns) else columns.take(numbers)
        schema = infer_schema(kept) if given is None else given
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
        source = Source(
            kept,
            matrix,
            schema,
            constraints,
            self.missing_literals,
            only_targets,
            given is not None,
        )
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
        self,
        path: str | PathLike[str],
        source: Source,
        config: TrainingConfig,
        seed: int,
        group: Group,
    ) -> Checkpoint:
        """The checkpoint of this fit; it does not depend on what only the search needs."""
        given = self.random_state
        random_state = int(given) if isinstance(given, Integral) else None
        known = fingerprint(config, random_state, source.arrays())
        return Checkpoint(path, known, seed, group)

    def _learn(
        self,
        source: Source,
        config: TrainingConfig,
        seed: int,
        checkpoint: Checkpoint | None = None,
        tests: Rows | None = None,
        group: Group = ALONE,
        stream: Stream | None = None,
    ) -> None:
        """Train networks on all rows, and extract rules from them.

        Rows that are ``tests`` are held out instead of folds, which then there are none of.
        With a ``stream`` these are rows of a larger table, on all of which networks train.
        """
        every_row = np.arange(len(source.targets))
        rows = every_row if tests is None else np.delete(every_row, tests)
        phases = {**config.epochs(), "search": self._n_paths(config)}
        if group.size == 1:  # processes of a group are one a core
            self._start_processes(source)
        with progress_bar(phases, self.verbose and group.rank == 0) as on_epoch:
            trained = train_networks(
                self._make_views(source),
                source.targets.y,
                source.targets.n_outputs,
                config,
                seed,
                on_epoch,
                source.weights,
                checkpoint,
                rows,
                group,
                stream,
            )
            if tests is not None and len(tests):
                trained = trained.tested_on(tests)
            [found] = self._search_crisp([trained], source, [rows], on_epoch, group)
            self._extract(trained, source, rows, seed, on_epoch, found)

    def _extract(
        self,
        trained: TrainedNetworks,
        source: Source,
        rows: Rows,
        seed: int,
        on_epoch: OnEpoch,
        found: Frontier | None,
    ) -> None:
        """Extract rules from the networks that were trained on these rows.

        Crisp rules were ``found`` already, see :meth:`_search_crisp`.
        """
        view = cast(EncodedView, trained.view)
        data = source.training_set(rows, view.encoder, view.inputs)
        tested = _tested(trained, source, data, rows)
        encoder = self.encoder_ = view.encoder
        self.network_ = trained.restarts[0].network
        self.history_ = trained.history
        self._keep_scale(data)

        def snap_network(network: LogicNetwork, view: EncodedView) -> RuleSet:
            rules = view.encoder.fix_indicators(snap(network, encoder.names, data.labels))
            return self._rescale(rules, view.known)

        if found is None and self.snapping == "search":
            folds = held_out_folds(trained, data, tested, snap_network)
            starts = [snap_network(pair.snapped, view) for pair in trained.restarts]
            loss = trained.history[-1].loss
            found = search_rules(
                starts, folds, data, self.pure, self.n_jobs, seed, on_epoch, loss
            )
        elif found is None:
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
        by_network = network_held_out(trained, tested, self._decode_logits)
        if by_network is not None:
            error = data.task.held_out_error(by_network)
            found = replace(found, network_error=error)
        finished = found.map_rules(lambda rules: self._finish(rules, data))
        self.frontier_ = replace(
            finished,
            rows=len(data),
            learner=" ".join(repr(self).split()),
            expected=self.expected_error_,
        )
        self.rules_ = self._finish(chosen.rules, data)
        for earlier in ("stability_", "all_rows_"):  # what is known of other rules
            self.__dict__.pop(earlier, None)
        self._report(trained, chosen.rules, data)

    def _start_processes(self, source: Source) -> None:
        """Let processes of the search start while networks are trained."""
        if searches_crisp(self):
            rows = min(len(source.targets), most_rows(source.targets.n_outputs))
            start_processes(self.n_jobs, rows * len(source.encoder.names))

    def _search_crisp(
        self,
        trained: Sequence[TrainedNetworks],
        source: Source,
        parts: Sequence[Rows],
        on_epoch: OnEpoch,
        group: Group = ALONE,
        of_folds: Sequence[TrainedNetworks] = (),
    ) -> Iterator[Frontier | None]:
        """The frontiers of all parts; None where rules come from networks.

        What networks ``of_folds`` know is shared by folds of several parts.
        """
        if not searches_crisp(self):
            yield from [None] * len(parts)
            return
        on_path = count_paths(on_epoch, trained[0].history[-1].loss)
        views = [cast(EncodedView, each.view) for each in of_folds]
        size, depth, n_jobs = self._most_literals, self._statement_depth, self.n_jobs
        shared = search_shared(views, size, depth, n_jobs, on_path)

        def search_of(each: TrainedNetworks, rows: Rows) -> CrispSearch:
            view = cast(EncodedView, each.view)
            data = source.training_set(rows, view.encoder, view.inputs)
            most, names = most_rows(data.n_outputs), view.encoder.names
            tested = _tested(each, source, data, rows)
            folds = crisp_folds(each, data, tested, most, MAX_HELD_OUT, shared)
            return CrispSearch(folds, data, names, size, depth)

        # Made when they are needed: those of all parts together may not fit into memory.
        searches = map(search_of, trained, parts)
        yield from search_crisp_rules(searches, len(parts), n_jobs, on_path, group)

    def _finish(self, rules: RuleSet, data: TrainingSet) -> RuleSet:
        """Rules of the search in terms of the user's columns."""
        rules = data.task.finish(self.encoder_.decode_rules(rules))
        operators = None if data.limits is None else data.limits.operators
        return rules if operators is None else rules.with_operators(operators)

    def _n_paths(self, config: TrainingConfig) -> int:
        """The paths of a search: crisp rules need none of other restarts."""
        crisp = self.literals == "crisp"
        return config.folds + 1 if crisp else config.copies

    def _n_paths_of_parts(
        self, config: TrainingConfig, parts: Sequence[Rows], folds: SharedFolds | None
    ) -> int:
        """The paths of all searches. Crisp rules of shared folds are searched once."""
        own = self._n_paths(config) * len(parts)
        if folds is None:
            return own
        return own + (len(folds.parts) if self.literals == "crisp" else folds.n_tests)

    @property
    def _most_literals(self) -> int:
        """The most literals that the search of crisp rules looks at."""
        return self.max_literals or MAX_LITERALS

    @property
    def _statement_depth(self) -> int | None:
        """The levels of logic in a statement of crisp rules; None: as many as pay."""
        return None if self.depth == "auto" else int(self.depth)


def _tested(
    trained: TrainedNetworks, source: Source, data: TrainingSet, rows: Rows
) -> RowsToTest:
    """Where folds are tested: on the ``rows`` of ``data``, or on others of the table."""
    view = cast(EncodedView, trained.view)
    if all(fold.view is not view for fold in trained.folds):
        return RowsToTest(data, rows)
    every_row = np.arange(len(source.targets))
    return RowsToTest(source.training_set(every_row, view.encoder, view.inputs), every_row)


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

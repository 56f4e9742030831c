"""Extract rules from trained networks: by search, or just by rounding."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count
from time import perf_counter
from types import MappingProxyType
from typing import NamedTuple, cast

import numpy as np
import torch
from numpy.typing import NDArray

from crisplogic.errors import RuleSizeWarning
from crisplogic.estimators.encoder import with_memberships
from crisplogic.estimators.views import EncodedView, as_column
from crisplogic.group import ALONE, Group
from crisplogic.nn import LogicNetwork
from crisplogic.rules import Frontier, Point, RuleSet, Step
from crisplogic.rules.checklist import Checklist, ScoreCard, normal_form
from crisplogic.search import (
    CrispFold,
    HeldOutFold,
    HeldOutRows,
    TrainingSet,
    search,
    search_crisp,
)
from crisplogic.search.crisp.candidate import Candidate
from crisplogic.search.crisp.cuts import round_between
from crisplogic.search.crisp.search import find_each, most_rows, rows_to_search
from crisplogic.search.crisp.workers import LONG, in_workers, workers_for
from crisplogic.training import Epoch, OnEpoch, TrainedNetworks, View, score_rows

Floats = NDArray[np.float64]

# A network is compared with rules on at most so many rows: more would say the same.
MAX_COMPARED = 100_000
# From a network, and what it saw of the table, to its rules.
Snap = Callable[[LogicNetwork, EncodedView], RuleSet]
# From the logits of a network and the rows that it learned from to logits, or to numbers in
# the units of the target. Shape: (rows, outputs) to (rows, outputs).
DecodeLogits = Callable[[Floats, TrainingSet], Floats]
# Called after every path of the search.
OnPath = Callable[[], None]


class Shared(NamedTuple):
    """Rows that folds of several parts learn from, and the crisp rules found there."""

    train: TrainingSet
    found: Sequence[Candidate]


NONE_SHARED: Mapping[View, Shared] = MappingProxyType({})


class RowsToTest(NamedTuple):
    """Rows among which are those that folds are tested on. Shape: ``rows`` (rows of data,)."""

    data: TrainingSet
    rows: NDArray[np.intp]

    def numbers(self, rows: NDArray[np.intp]) -> TrainingSet:
        """Rows of the table, with their numbers as the only column."""
        numbered = replace(self.data, X=as_column(self.rows))
        return numbered.take(np.searchsorted(self.rows, rows))


def crisp_folds(
    trained: TrainedNetworks,
    data: TrainingSet,
    tested: RowsToTest,
    most: int = sys.maxsize,
    most_tested: int = sys.maxsize,
    shared: Mapping[View, Shared] = NONE_SHARED,
) -> list[CrispFold]:
    """The rows that each fold knows, and those to test its rules on, at most so many of each.

    A fold encodes rows by what it knows. One that knows what all networks know learned from
    ``data`` itself. What is ``shared`` with other parts was searched already.
    """
    folds = []
    for fold in trained.folds:
        view = cast(EncodedView, fold.view)
        held_out = tested.numbers(fold.held_out).subsample(most_tested // len(trained.folds))
        known, found = shared.get(view, (None, None))
        if known is None:
            known = data if view is trained.view else view.some(most)
        folds.append(CrispFold(known, view.encoded(held_out), found))
    return folds


def held_out_folds(
    trained: TrainedNetworks, data: TrainingSet, tested: RowsToTest, snap: Snap
) -> list[HeldOutFold]:
    """The rules of every fold, the rows that they were made from, and those to test them on.

    A fold encodes rows by what it knows.
    """
    pairs = zip(trained.folds, crisp_folds(trained, data, tested), strict=True)
    return [
        HeldOutFold(snap(fold.snapped, cast(EncodedView, fold.view)), rows.train, rows.test)
        for fold, rows in pairs
    ]


@torch.no_grad()
def network_held_out(
    trained: TrainedNetworks, tested: RowsToTest, decode: DecodeLogits
) -> HeldOutRows | None:
    """What the soft networks of all folds predict of the rows that they never saw.

    None without folds. ``task.held_out_error`` is the error of these predictions. Of very many
    rows some are enough.

    Shape: ``logits`` (1, outputs, rows) of the result, in the order of the folds.
    """
    if not trained.folds:
        return None
    predicted = []
    chosen = [
        _evenly(fold.held_out, MAX_COMPARED // len(trained.folds)) for fold in trained.folds
    ]
    for fold, held_out_rows in zip(trained.folds, chosen, strict=True):
        view, network = cast(EncodedView, fold.view), fold.network
        scores = score_rows(network, view.inputs[held_out_rows])
        logits = network.logits(scores).double().numpy()
        predicted.append(decode(logits, view.known))
    held_out = tested.numbers(np.concatenate(chosen))
    return HeldOutRows(
        np.concatenate(predicted).T[None],
        held_out.y,
        np.repeat(np.arange(len(chosen)), list(map(len, chosen))),
        held_out.weights,
    )


def _evenly(rows: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """At most so many of these rows, evenly spaced."""
    if len(rows) <= most:
        return rows
    return rows[np.linspace(0, len(rows) - 1, most).round().astype(np.intp)]


def search_rules(
    starts: Sequence[RuleSet],
    folds: Sequence[HeldOutFold],
    data: TrainingSet,
    pure: bool,
    n_jobs: int | None,
    seed: int,
    on_epoch: OnEpoch,
    loss: float,
) -> Frontier:
    """The best rules of each size on the paths from all restarts, evaluated by the folds.

    ``on_epoch`` is called after every path, with the ``loss`` that training ended with.
    """
    return search(starts, folds, data, pure, count_paths(on_epoch, loss), n_jobs, seed)


class CrispSearch(NamedTuple):
    """A search of crisp rules of at most ``most`` literals, which folds evaluate.

    Statements have ``depth`` levels of logic; None: as many as pay.
    """

    folds: Sequence[CrispFold]
    data: TrainingSet
    features: Sequence[str]
    most: int
    depth: int | None


def search_crisp_rules(
    searches: Iterator[CrispSearch],
    number: int,
    n_jobs: int | None,
    on_path: OnPath,
    group: Group = ALONE,
) -> Iterator[Frontier]:
    """The best crisp rules of each size, of a number of searches.

    A ``group`` of processes does one search together. Of several searches each is done by a
    worker, if that pays; one alone uses workers itself. ``on_path`` is called after every path.
    """
    first = next(searches)
    workers = workers_for(n_jobs, first.data.X.size)
    if number == 1 or workers in (None, 1):
        started = perf_counter()
        yield search_crisp(*first, n_jobs, on_path, group)
        pays = (perf_counter() - started) * (number - 1) > LONG
        workers = workers or (-1 if pays else 1)
    else:
        searches = chain([first], searches)
    if workers == 1:
        yield from (search_crisp(*each, n_jobs, on_path) for each in searches)
        return
    tasks = ((*each, 1) for each in searches)
    for frontier in in_workers(workers, search_crisp, tasks):
        for _ in range(1 + len(rows_to_search(first.folds, first.data))):  # all have as many
            on_path()
        yield frontier


def search_shared(
    views: Sequence[EncodedView],
    most: int,
    depth: int | None,
    n_jobs: int | None,
    on_path: OnPath,
) -> dict[View, Shared]:
    """The crisp rules of the rows that each view knows, for folds of several parts.

    They have at most ``most`` literals; other arguments are as above.
    """
    tables = [view.some(most_rows(view.known.n_outputs)) for view in views]
    names = views[0].encoder.names if views else ()
    shared: dict[View, Shared] = {}
    found = find_each(tables, names, most, depth, n_jobs)
    for view, table, candidates in zip(views, tables, found, strict=True):
        shared[view] = Shared(table, candidates)
        on_path()
    return shared


def count_paths(on_epoch: OnEpoch, loss: float) -> OnPath:
    """Report each path as an epoch of the search, with the loss that training ended with."""
    numbers = count(1)
    return lambda: on_epoch(Epoch("search", next(numbers), loss, None))


def round_rules(rules: RuleSet, data: TrainingSet, pure: bool) -> Frontier:
    """The rules that the best network rounds to, as in the paper.

    Crisp rules count in whole points, and have thresholds of few digits.
    """
    if rules.crisp:
        rules = _with_whole_bases(_with_short_thresholds(rules, data))
    scaled = data.task.fit_scale(rules, data, pure)
    point = Point(scaled, data.task.error(rules, data))
    return Frontier((point,), data.task.baseline(data))


def _with_short_thresholds(rules: RuleSet, data: TrainingSet) -> RuleSet:
    """The same crisp rules with thresholds of few digits; no row changes sides."""
    memberships = tuple(
        _with_few_digits(each, data.columns[each.feature]) if isinstance(each, Step) else each
        for each in rules.memberships
    )
    return with_memberships(rules, memberships).simplified()


def _with_few_digits(step: Step, column: Floats) -> Step:
    """Shape: ``column`` (rows,)."""
    values = column[np.isfinite(column)]
    below, above = values[values <= step.threshold], values[values > step.threshold]
    if not len(below) or not len(above):
        return step
    whole = bool((values == np.rint(values)).all())
    return Step(step.feature, round_between(float(below.max()), float(above.min()), whole))


def _with_whole_bases(rules: RuleSet) -> RuleSet:
    """Crisp rules for classes with the nearest intercepts that make points whole.

    Of two classes no prediction changes: they differ by a whole number of points.
    """
    form = normal_form(rules)
    if isinstance(form, Checklist):
        first, second = rules.intercepts
        return replace(rules, intercepts=(0.0, math.ceil(second - first) - 0.5))
    if not isinstance(form, ScoreCard):
        return rules
    bases, intercepts = np.array(form.bases), np.array(rules.intercepts)
    whole = np.rint(intercepts + 2 * (np.rint(bases) - bases))
    return replace(rules, intercepts=tuple(whole.tolist()))


def choose_point(found: Frontier, max_literals: int | None, tolerance: float) -> Point:
    """The size that is chosen; the smallest, with a warning, if all are larger.

    Rules without any literal come with a warning, too.
    """
    smallest = found[0]
    if max_literals is not None and smallest.size > max_literals:
        _warn(
            f"no rules of at most {max_literals} literals were found, so these have "
            f"{smallest.size}; try less depth, another seed or more restarts, and let the "
            "rules be searched for, not just rounded"
        )
        return smallest
    chosen = found.choose(max_literals, tolerance)
    if chosen.size == 0:
        larger = f"; there are also rules of {found[1].size} literals" if len(found) > 1 else ""
        _warn(
            "the rules have no literals and predict the same for every row: on rows that they "
            f"had not seen, others were not clearly better{larger}; more rows, more epochs or "
            "a tolerance of 0 may help"
        )
    return chosen


def _warn(message: str) -> None:
    warnings.warn(message, RuleSizeWarning, stacklevel=2)

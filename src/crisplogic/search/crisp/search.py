"""Crisp rules of every size, and how good they are on rows that were held out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from crisplogic.expr.counts import between
from crisplogic.group import ALONE, Group, gather_results
from crisplogic.rules import ClassificationRules, Frontier, Point, Rule, RuleSet
from crisplogic.rules.simple_logic import simplify_checklist
from crisplogic.rules.statements import count_votes
from crisplogic.search.crisp.any_of import AnyOf
from crisplogic.search.crisp.candidate import Candidate
from crisplogic.search.crisp.checklist import Checklist, fit_logits, tabulate
from crisplogic.search.crisp.convert import rules_from_statements, with_tie
from crisplogic.search.crisp.counts import Counted, best_counts
from crisplogic.search.crisp.objective import DIGITS, MOST_SCREENED, Objective
from crisplogic.search.crisp.path import Found, follow_path, keep_if_better, move_to_rows
from crisplogic.search.crisp.scorecard import ClassCard, NumberCard
from crisplogic.search.crisp.statement import Statement, size_of
from crisplogic.search.crisp.values import StatementValues
from crisplogic.search.crisp.workers import LONG, in_workers, workers_for
from crisplogic.search.search import join_folds, pareto
from crisplogic.search.tasks import Regression
from crisplogic.search.training_set import TrainingSet

Floats = NDArray[np.float64]

# More rows than this add little to what a few dozen literals can learn.
MAX_ROWS = 10_000
MAX_ROWS_OF_CARDS = 3_000
# Held-out rows that tell sizes apart: the standard error of a share is 0.16 % at most.
MAX_HELD_OUT = 100_000
# A checklist of more literals than this is no longer read.
MAX_CHECKLIST = 24
# Few rows say nothing about many literals: so many rows a literal, if it is more than a few.
ROWS_PER_LITERAL, FEW_LITERALS = 4, 8
# Rules of more literals are as many as are wanted, but not of every size.
EVERY_SIZE = 12
# Rules of more literals are lists, even if there is shorter logic: a list is easier to read.
SIMPLE_SIZE = 8
# Statements should explain all but this share of what smooth targets tell.
MUCH, TINY = 0.2, 1e-9
# Two sizes of larger rules differ by this share.
SHARE = 0.1


def best_by_size(objective: Objective, most: int) -> dict[int, Found]:
    """The best statements of every size.

    Of two classes, larger statements are also screened where pairs leave much unexplained, and
    lists of which any or all statements have to hold are tried beside counts of them.
    """
    best = follow_path(objective, most)
    if not isinstance(objective, Checklist):
        return best
    if objective.screened == 2 < objective.longest and _unexplained(objective, best) > MUCH:
        objective.screened = MOST_SCREENED
        for found in follow_path(objective, most).values():
            keep_if_better(best, found)
    if objective.screened > 2:
        for other in (AnyOf(objective), AnyOf(objective, negated=True)):
            for found in follow_path(other, most).values():
                statements = other.as_checklist(found.statements)
                keep_if_better(best, Found(objective.loss(statements), statements))
    return best


def _unexplained(objective: Checklist, best: Mapping[int, Found]) -> float:
    """The share of what targets tell that statements do not, at the best size."""
    least = objective.least_loss()
    left = min(each.loss for each in best.values()) - least
    return left / max(best[0].loss - least, TINY)


def objective_of(data: TrainingSet, depth: int | None) -> Objective:
    """How well statements fit rows, by what is to be predicted."""
    if isinstance(data.task, Regression):
        return NumberCard(data, depth)
    return Checklist(data, depth) if data.n_outputs == 2 else ClassCard(data, depth)


def find_crisp(
    data: TrainingSet, features: Sequence[str], most: int, depth: int | None = None
) -> list[Candidate]:
    """The best crisp rules of every size up to ``most`` literals.

    ``depth`` is how many levels of logic a statement has; None: as many as pay.
    """
    with threadpool_limits(1):  # sums in one order, whatever the machine
        return _find_crisp(data, features, most, depth)


def _find_crisp(
    data: TrainingSet, features: Sequence[str], most: int, depth: int | None
) -> list[Candidate]:
    rows = _some_rows(data)
    objective = objective_of(rows, depth)
    most = min(most, _most_literals(rows))
    found = best_by_size(objective, most)
    finished = [
        _finish(objective, each, features) for each in _some_sizes(list(found.values()))
    ]
    if isinstance(objective, Checklist) and objective.longest > 2:
        finished += _find_counts(objective, list(found.values()), features, most)
    return pareto(_one_a_size(finished))


def _find_counts(
    objective: Checklist, found: Sequence[Found], features: Sequence[str], most: int
) -> Iterator[_Finished]:
    """Counts between two numbers, if rows want them more than any list that was found.

    They are fitted to the rows: no smooth model of a few inputs tells what a count does.
    """
    rows = objective.unsmoothed
    least = min(rows.loss(each.statements) for each in found)
    if least <= MUCH * rows.loss(()):
        return
    smallest = min(each.loss for each in found)
    for counted in best_counts(rows, most):
        if counted.loss < least:
            loss = smallest - (least - counted.loss)
            yield _finish_count(rows, counted._replace(loss=loss), features)


def most_rows(outputs: int) -> int:
    """How many rows are searched: of very many, some are drawn."""
    return MAX_ROWS if outputs == 2 else MAX_ROWS_OF_CARDS


def _some_rows(data: TrainingSet) -> TrainingSet:
    return data.subsample(most_rows(data.n_outputs))


def _some_sizes(found: Sequence[Found]) -> Iterator[Found]:
    """All of the small ones, and fewer of the larger ones, by size."""
    last = 0
    most = max(size_of(each.statements) for each in found)
    for each in sorted(found, key=lambda one: size_of(one.statements)):
        size = size_of(each.statements)
        if size <= EVERY_SIZE or size >= last * (1 + SHARE) or size == most:
            yield each
            last = size


class _Finished(NamedTuple):
    """A candidate, and its loss on the rows themselves, not on smooth targets."""

    candidate: Candidate
    rows_loss: float


def _finish(objective: Objective, found: Found, features: Sequence[str]) -> _Finished:
    """Statements with whole points, or shorter logic that decides alike."""
    statements, data = found.statements, objective.data
    if size_of(statements) <= EVERY_SIZE:
        statements = move_to_rows(objective, statements)
    scored = objective.finish(statements)
    candidate = Candidate(scored, found.loss, features, data.labels, data.task)
    if isinstance(objective, Checklist) and candidate.size <= SIMPLE_SIZE:
        candidate = replace(candidate, simple=_as_simple_logic(candidate.rules, data))
    rows_loss = objective.unsmoothed.rounded_loss(statements)
    return _Finished(candidate, rows_loss)


def _finish_count(rows: Checklist, counted: Counted, features: Sequence[str]) -> _Finished:
    """From a count to rules of one statement."""
    data = rows.data
    every = Statement(counted.literals, "." + ".&" * (len(counted.literals) - 1))
    scored = rows.scored((every,), counted.values.astype(np.intp), needed=1)
    rules = rules_from_statements(scored, features, data.labels, data.task)
    assert isinstance(rules, ClassificationRules)
    written = [Rule(*each) for each in zip(rules.labels, rules.expressions, strict=True)]
    positive = data.task.positive
    parts = written[positive].expression.parts
    count = between(counted.least, counted.most, parts)
    written[positive] = Rule(data.labels[positive], count)
    rules = replace(rules, rules=tuple(written))
    rows_loss = round(rows.loss_of(counted.values), DIGITS)
    about = features, data.labels, data.task
    return _Finished(Candidate(scored, counted.loss, *about, simple=rules), rows_loss)


def _one_a_size(finished: Iterable[_Finished]) -> list[Candidate]:
    """Of rules that came out equally long, those that fit the rows best."""
    best: dict[int, _Finished] = {}
    for each in finished:
        known = best.get(each.candidate.size)
        if known is None or each.rows_loss < known.rows_loss:
            best[each.candidate.size] = each
    return [each.candidate for each in best.values()]


def _as_simple_logic(rules: RuleSet, data: TrainingSet) -> ClassificationRules | None:
    """A small checklist as shorter logic that decides alike, if limits permit such logic."""
    assert isinstance(rules, ClassificationRules)
    simple = simplify_checklist(rules)
    if simple is rules or not _are_permitted(simple, data):
        return None
    scores = simple.scores(data.X)
    positive = data.task.positive
    difference = scores[:, positive] - scores[:, 1 - positive]
    above, of_class, others = tabulate(difference, data.y == positive, data.weights)
    scale, tie = fit_logits(of_class, others, above)
    return with_tie(replace(simple, scale=scale), simple.labels[positive], tie)


def _are_permitted(rules: ClassificationRules, data: TrainingSet) -> bool:
    """Whether every statement may count as it does."""
    feature = np.array([each.feature for each in rules.memberships], dtype=np.intp)
    return all(
        data.permits(statement, np.sign(np.array(votes, dtype=np.float64)), feature)
        for statement, votes in count_votes(rules).items()
    )


def _most_literals(data: TrainingSet) -> int:
    """As many as the rows can tell about, a reader reads, and the user allows."""
    most = max(FEW_LITERALS, len(data) // ROWS_PER_LITERAL)
    two = data.n_outputs == 2
    if data.max_literals is not None:
        # One list is for both of two classes; else a statement is for one class at least.
        allowed = data.max_literals.min() if two else data.max_literals.sum()
        most = int(min(most, allowed))
    return min(most, MAX_CHECKLIST) if two else most


class CrispFold(NamedTuple):
    """Rows to learn from, and rows to test on; what was ``found`` if it is known already."""

    train: TrainingSet
    test: TrainingSet
    found: Sequence[Candidate] | None = None


def search_crisp(
    folds: Sequence[CrispFold],
    data: TrainingSet,
    features: Sequence[str],
    most: int,
    depth: int | None = None,
    n_jobs: int | None = None,
    on_path: Callable[[], None] = lambda: None,
    group: Group = ALONE,
) -> Frontier:
    """The frontier of crisp rules. The result does not depend on a seed or on ``n_jobs``.

    ``n_jobs`` is how many workers there are; None: all cores, if they have enough to do.
    A fold that learns from ``data`` itself tests its rules. Nothing is searched for it, nor
    for a fold that knows what was found.
    The processes of a ``group`` call this with the same rows, and each does a part of it.
    """
    # Workers get no more rows than they use.
    tables = [_some_rows(each) for each in (data, *rows_to_search(folds, data))]
    tests = [fold.test.subsample(MAX_HELD_OUT // len(folds)) for fold in folds]
    paths = []
    for candidates in _find_in_group(tables, features, most, depth, n_jobs, group):
        paths.append(candidates)
        on_path()
    own, *found = paths
    of_folds = iter(found)
    others = [own if fold.train is data else fold.found or next(of_folds) for fold in folds]
    points = [Point(each.rules, data.task.error(each.rules, data)) for each in own]
    baseline = data.task.baseline(data)
    if not folds:
        return Frontier(tuple(points), baseline)
    sizes = [point.size for point in points]
    logits = [
        _held_out_logits(candidates, sizes, test)
        for candidates, test in zip(others, tests, strict=True)
    ]
    rows = join_folds(logits, tests)
    evaluated, held_out = data.task.evaluate(points, rows)
    name = "log loss" if held_out.rank else data.task.loss_name
    return Frontier(tuple(evaluated), baseline, held_out, name)


def rows_to_search(folds: Sequence[CrispFold], data: TrainingSet) -> list[TrainingSet]:
    """The rows of all folds whose rules are not known, nor found in ``data``."""
    return [each.train for each in folds if each.found is None and each.train is not data]


def _find_in_group(
    tables: Sequence[TrainingSet],
    features: Sequence[str],
    most: int,
    depth: int | None,
    n_jobs: int | None,
    group: Group,
) -> Iterator[list[Candidate]]:
    """The rules of each table, of which every process of a group looks at some."""
    if group.size == 1:
        yield from find_each(tables, features, most, depth, n_jobs)
        return
    own = tables[group.rank :: group.size]
    # Processes of a group are one a core, unless the user says otherwise.
    found = gather_results(
        group, lambda: list(find_each(own, features, most, depth, n_jobs or 1))
    )
    yield from (found[at % group.size][at // group.size] for at in range(len(tables)))


def find_each(
    tables: Sequence[TrainingSet],
    features: Sequence[str],
    most: int,
    depth: int | None,
    n_jobs: int | None,
) -> Iterator[list[Candidate]]:
    """The rules of each table. Of small ones, the first tells how long the others take."""
    if not tables:  # of a group's processes some have none
        return
    alone = n_jobs is None and len(tables) == 1
    workers = 1 if alone else workers_for(n_jobs, tables[0].X.size)
    if workers is None:
        start = perf_counter()
        yield find_crisp(tables[0], features, most, depth)
        tables = tables[1:]
        workers = -1 if (perf_counter() - start) * len(tables) > LONG else 1
    tasks = ((each, features, most, depth) for each in tables)
    yield from in_workers(workers, find_crisp, tasks)


def _held_out_logits(
    candidates: Sequence[Candidate], sizes: Sequence[int], test: TrainingSet
) -> Floats:
    """What the largest candidate that is no larger than each size predicts.

    The smallest candidate has no literals. Shape: (sizes, outputs, rows).
    """
    values = StatementValues(test.columns)
    chosen = [[each for each in candidates if each.size <= size][-1] for size in sizes]
    logits = {id(each): each.logits(test, values) for each in chosen}
    return np.stack([logits[id(each)] for each in chosen])

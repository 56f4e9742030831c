"""Summary: all that a report shows, as plain data that can be had as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from importlib import metadata
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crisplogic.export.from_rules import make_program
from crisplogic.export.javascript import write_expression
from crisplogic.export.program import Amount, Program, Threshold
from crisplogic.report.changes import Trials, find_trials, with_known_values
from crisplogic.report.columns import ColumnSummary, summarize_columns
from crisplogic.report.examples import ExampleRow, choose_examples
from crisplogic.report.sample import Sample, draw_sample
from crisplogic.report.statements import StatementSummary, measure_statements
from crisplogic.rules import Frontier, HeldOutErrors, Point, RegressionRules, RuleSet
from crisplogic.rules.analysis.histograms import mentioned_features, shared_levels
from crisplogic.rules.analysis.quality import (
    HeldOutError,
    Quality,
    held_out_error,
    measure_quality,
)
from crisplogic.rules.describe import describe, has_words
from crisplogic.rules.markup import Listing
from crisplogic.rules.outliers import is_far
from crisplogic.rules.rule import Predicts
from crisplogic.rules.targets import Targets
from crisplogic.rules.words import labels_in_words
from crisplogic.tables import as_matrix

Floats = NDArray[np.float64]
# A report is made of at most so many rows, drawn at random from larger tables.
MOST_ROWS = 50_000
# So many rows stand in the page, to be looked at.
SHOWN_ROWS = 200
# Rules of so many sizes can be chosen among; more would make a page too large.
MOST_SIZES = 16
# So many classes stand in a title.
MOST_NAMED = 4


@dataclass(frozen=True)
class Counting:
    """How statements become a prediction: what exported programs do, as data.

    ``kind`` is "checklist" (a sum and what is ``needed`` for the class ``positive``, by
    position), "scores" (a sum a class, the greatest wins) or "number". ``bases`` are what sums
    begin with.
    """

    kind: str
    bases: tuple[float, ...]
    positive: int | None = None
    needed: float = math.nan
    total: float = math.nan
    transform: str | None = None


@dataclass(frozen=True)
class SizeSummary:
    """Rules of one size: in words, what their statements are worth, and how good they are.

    ``heading`` stands before the statements and ``ending`` after them; ``notes`` say how to
    compute by hand. ``trials`` are values of each column to try if the prediction is to change.
    ``script`` is an expression in JavaScript that predicts.
    """

    literals: int
    crisp: bool
    heading: str
    ending: str
    notes: str
    counting: Counting
    statements: tuple[StatementSummary, ...]
    quality: Quality
    examples: tuple[ExampleRow, ...]
    training_error: float
    trials: tuple[Trials, ...]
    script: str


@dataclass(frozen=True)
class Summary:
    """Everything a report shows.

    ``labels`` are the classes in words, or the name of the number. ``sizes`` are rules of
    different sizes, the smallest first, and ``chosen`` is the place of those that are used.
    ``compared`` are held-out errors of network, crisp and graded rules, None where not known.
    Figures are of ``rows`` rows of the ``table_rows`` that there are; errors leave ``left_out``
    of them out, whose number is far from all others, where the rules were learned so. The
    ``sample`` has some rows. ``usual`` is the mean of the numbers that the chosen rules
    predict. ``made`` says how the rules were made: names and texts.

    It behaves like plain data: :meth:`to_dict` is JSON.
    """

    title: str
    predicts: Predicts
    labels: tuple[str, ...]
    rows: int
    table_rows: int
    has_truth: bool
    chosen: int
    sizes: tuple[SizeSummary, ...]
    columns: tuple[ColumnSummary, ...]
    sample: Sample = field(default_factory=Sample)
    usual: float = math.nan
    left_out: int = 0
    expected_error: float = math.nan
    compared: dict[str, float | None] = field(default_factory=dict)
    made: tuple[tuple[str, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The summary as JSON, which has no NaN: what is not known is None."""
        found = _plain(asdict(self))
        assert isinstance(found, dict)
        return found


def _plain(value: Any) -> Any:
    """Lists for tuples, and None for numbers that JSON does not have."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else None
    return value


def summarize(
    rules: RuleSet,
    table: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    frontier: Frontier | None = None,
    compared: HeldOutErrors | None = None,
    expected_error: float = math.nan,
    title: str | None = None,
    made: Sequence[tuple[str, str]] = (),
    shown_rows: int = SHOWN_ROWS,
    row_numbers: NDArray[np.intp] | None = None,
    coded: bool = False,
) -> Summary:
    """Summarize rules on the rows of a table. Shape: ``table`` (rows, features), ``y`` (rows,).

    ``y`` are the true classes or numbers, if known. The ``frontier`` has the rules of other
    sizes. At most so many ``shown_rows`` stand in the page, to be looked at. ``row_numbers``
    are those of the rows in the file that they come from, counted from 0. A ``coded`` table is
    a matrix with all columns that any of them mention.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Rule, Step
    >>> both = Rule("ill", parse("0")), Rule("well", parse("unknown"))
    >>> rules = ClassificationRules(("age",), (Step(0, 40.0),), both, crisp=True)
    >>> found = summarize(rules, [[30], [50], [60]], ["well", "ill", "well"])
    >>> found.sizes[0].statements[0].text, found.sizes[0].statements[0].there
    ('age is above 40', 0.5)
    >>> round(found.sizes[0].quality.error, 3), found.sizes[0].trials[0].values
    (0.333, (40.0, 41.0))
    """
    points = _points(rules, frontier)
    rule_sets = [point.rules for point, _ in points]
    levels = shared_levels(rule_sets)
    matrix = (
        np.asarray(table, dtype=np.float64)
        if coded
        else as_matrix(table, rules.features, levels, mentioned_features(rule_sets))
    )
    table_rows = len(matrix)
    targets = rules.read_targets(table_rows, y, sample_weight)
    numbers = np.arange(table_rows) if row_numbers is None else row_numbers
    matrix, targets, numbers = _sample(matrix, targets, numbers)
    columns = summarize_columns(rule_sets, matrix)
    far = _far_rows(rules, frontier, targets)
    measured, counted = matrix[~far], targets.some(~far)
    sizes = []
    for point, held_out in points:
        examples = choose_examples(point.rules, columns, levels, matrix, targets, numbers)
        trials = find_trials(with_known_values(point.rules, levels, matrix), columns)
        sizes.append(_summarize_size(point, held_out, examples, trials, measured, counted))
    return Summary(
        title=title or _title(rules),
        predicts=rules.predicts,
        labels=tuple(labels_in_words(rules.labels)),
        rows=len(matrix),
        table_rows=table_rows,
        has_truth=targets.values is not None,
        chosen=rule_sets.index(rules),
        sizes=tuple(sizes),
        columns=columns,
        sample=draw_sample(rules, columns, levels, matrix, targets, numbers, shown_rows),
        usual=_usual(rules, matrix),
        left_out=int(far.sum()),
        expected_error=expected_error,
        compared={} if compared is None else compared.to_dict(),
        made=(
            *_learned(frontier),
            *made,
            ("report", f"crisplogic {metadata.version('crisplogic')}"),
        ),
    )


def _learned(frontier: Frontier | None) -> Iterator[tuple[str, str]]:
    """From what and by what rules were learned, as far as that is known."""
    if frontier is None:
        return
    if frontier.rows is not None:
        yield "learned from", f"{frontier.rows} rows"
    if frontier.learner is not None:
        yield "learned by", frontier.learner


def _far_rows(
    rules: RuleSet, frontier: Frontier | None, targets: Targets[Any]
) -> NDArray[np.bool_]:
    """The rows that errors leave out, as those of a frontier do. Shape: returns (rows,)."""
    is_robust = frontier is not None and frontier.is_robust
    if not is_robust or targets.values is None or not isinstance(rules, RegressionRules):
        return np.zeros(targets.rows, dtype=bool)
    return is_far(rules.transformed(targets.values), targets.weights)


def _usual(rules: RuleSet, matrix: Floats) -> float:
    """The mean of the numbers that are predicted; NaN for classes."""
    if rules.predicts == "class" or not len(matrix):
        return math.nan
    return float(rules.predict(matrix, coded=True).mean())


def _title(rules: RuleSet) -> str:
    words = labels_in_words(rules.labels)
    more = f" and {len(words) - MOST_NAMED} more" if len(words) > MOST_NAMED else ""
    return f"Rules for {', '.join(words[:MOST_NAMED])}{more}"


def _points(rules: RuleSet, frontier: Frontier | None) -> list[tuple[Point, HeldOutError]]:
    """The sizes to show, with the rules themselves among them, the smallest first."""
    own = Point(rules, math.nan), HeldOutError()
    if frontier is None:
        return [own]
    same = [
        (point, held_out_error(frontier, at))
        for at, point in enumerate(frontier)
        if (point.rules.features, point.rules.labels) == (rules.features, rules.labels)
    ]
    if all(point.rules != rules for point, _ in same):
        same = sorted([*same, own], key=lambda each: each[0].size)
    chosen = next(at for at, (point, _) in enumerate(same) if point.rules == rules)
    if len(same) <= MOST_SIZES:
        return same
    spread = np.linspace(0, len(same) - 1, MOST_SIZES - 1).round().astype(int).tolist()
    return [same[at] for at in sorted({*spread, chosen})]


def _sample(
    matrix: Floats, targets: Targets[Any], numbers: NDArray[np.intp]
) -> tuple[Floats, Targets[Any], NDArray[np.intp]]:
    """At most so many rows, always the same ones, and their numbers in the table."""
    if len(matrix) <= MOST_ROWS:
        return matrix, targets, numbers
    rows = np.sort(np.random.default_rng(0).choice(len(matrix), MOST_ROWS, replace=False))
    return matrix[rows], targets.some(rows), numbers[rows]


def _summarize_size(
    point: Point,
    held_out: HeldOutError,
    examples: tuple[ExampleRow, ...],
    trials: tuple[Trials, ...],
    matrix: Floats,
    targets: Targets[Any],
) -> SizeSummary:
    rules = point.rules
    program = make_program(rules)
    counting = _counting(program)
    heading, ending, notes = _words(rules, program)
    return SizeSummary(
        literals=rules.size,
        crisp=rules.crisp,
        heading=heading,
        ending=ending,
        notes=notes,
        counting=counting,
        statements=measure_statements(rules, program, matrix, targets),
        quality=measure_quality(rules, counting.positive, matrix, targets, held_out),
        examples=examples,
        training_error=point.error,
        trials=trials,
        script=write_expression(rules),
    )


def _counting(program: Program) -> Counting:
    bases = tuple(each.base + each.factor * each.start for each in program.sums)
    match program.outcome:
        case Threshold(positive=positive, labels=labels, needed=needed):
            total = sum(points for points, _ in program.sums[0].terms)
            return Counting("checklist", bases, labels.index(positive), needed, total)
        case Amount(transform=transform):
            return Counting("number", bases, transform=transform)
    return Counting("scores", bases)


def _words(rules: RuleSet, program: Program) -> tuple[str, str, str]:
    """What stands before and after the statements, and how to compute with them."""
    if not has_words(rules):
        notes = "\n\n".join(filter(None, (rules.to_text(), rules.legend(), rules.formulas())))
        text = "Each statement is true to a degree, from -1 (false) to 1 (true)"
        return f"{text}:" if program.statements else rules.to_text(), "", notes
    found = describe(rules)
    notes = "\n\n".join("\n".join(block) for block in found.notes)
    if not isinstance(found.body, Listing):
        return found.body.title, "", notes
    heading = found.body.heading
    match program.outcome:
        case Threshold(positive=positive, needed=1) if len(program.statements) == 1:
            # The heading has the statement, or what joins its parts.
            heading = f"{labels_in_words([positive])[0]}, if this statement holds:"
    return heading, found.body.ending, notes

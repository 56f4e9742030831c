"""The figures of a report are those of the library, and can be had as JSON."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from crisplogic.expr import parse
from crisplogic.report import render, summarize
from crisplogic.report.drawing import CHARACTER, HIST_WIDTH, LEVELS, histogram, place_texts
from crisplogic.report.summary import MOST_ROWS, MOST_SIZES
from crisplogic.rules import (
    ClassificationRules,
    Frontier,
    HeldOutErrors,
    Level,
    Point,
    RegressionRules,
    Rule,
    RuleSet,
    Step,
)
from crisplogic.rules.analysis.evaluation import evaluate
from crisplogic.rules.held_out import HeldOut
from crisplogic.tables import Levels
from tests.report.models import KINDS, model_of

STEPS = Step(0, 40.0), Step(1, 127.0), Step(2, 31.5)
NAMES = "age", "glucose", "mass"


def checklist(text: str = "0 + ~1 + (1 | 2)", needed: float = 2.0) -> ClassificationRules:
    terms = text.count("+") + 1
    both = Rule("ill", parse(text)), Rule("well", parse("unknown"))
    return ClassificationRules(
        NAMES, STEPS, both, 1.0, (terms - 2 * needed + 0.5, 0.0), crisp=True
    )


def patients(rows: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = np.stack(
        [rng.integers(20, 80, rows), rng.normal(125, 30, rows), rng.normal(31, 5, rows)]
    )
    X[rng.random(X.shape) < 0.1] = np.nan
    return X.T, rng.choice(["ill", "well"], rows)


def test_evidence_of_a_checklist_is_that_of_the_rules() -> None:
    rules, (X, y) = checklist(), patients()
    [size] = summarize(rules, X, y).sizes
    terms = [each for each in rules.evidence(X, y) if each.kind == "term"]
    assert len(size.statements) == len(terms) == 3
    for found, known in zip(size.statements, terms, strict=True):
        assert found.rows == known.rows
        assert found.share == pytest.approx(known.support)
        assert found.unknown == pytest.approx(known.unknown)
        assert found.there == pytest.approx(known.precision)
        assert found.effect == pytest.approx(known.effect)


def test_evidence_of_a_number_is_that_of_the_rule() -> None:
    rule = Rule("price", parse("0 + 1 + (1 & 2)"))
    rules = RegressionRules(NAMES, STEPS, (rule,), 4.5, (9.0,), crisp=True)
    X, _ = patients()
    y = np.random.default_rng(1).normal(10, 5, len(X))
    weights = np.arange(len(X)) % 3
    [size] = summarize(rules, X, y, weights).sizes
    terms = [each for each in rules.evidence(X, y, weights) if each.kind == "term"]
    for found, known in zip(size.statements, terms, strict=True):
        assert found.rows == pytest.approx(known.rows)
        assert found.there == pytest.approx(known.mean)
        assert found.elsewhere == pytest.approx(known.mean_elsewhere)
        assert found.effect == pytest.approx(known.effect)


@pytest.mark.parametrize(("task", "crisp"), KINDS)
def test_quality_of_all_kinds_is_that_of_the_library(task: str, crisp: bool) -> None:
    rules, matrix, y = model_of(task, crisp)
    summary = summarize(rules, matrix, y, coded=True)
    [size] = summary.sizes
    metrics = evaluate(rules, matrix, rules.read_targets(len(matrix), y, None)).metrics
    expected = metrics.loss if task == "number" else metrics.error  # type: ignore[union-attr]
    assert size.quality.error == pytest.approx(expected)
    assert sum(group.rows for group in size.quality.calibration) == len(matrix)
    if task != "number":
        counts = np.array(size.quality.confusion)
        assert 1 - np.trace(counts) / counts.sum() == pytest.approx(size.quality.error)
        recalls = [each.recall for each in size.quality.classes if each.rows]
        assert recalls == pytest.approx(
            [counts[at, at] / counts[at].sum() for at in range(len(counts)) if counts[at].any()]
        )
    text = json.dumps(summary.to_dict(), allow_nan=False)
    assert json.loads(text)["rows"] == 200


def test_calibration_of_a_checklist_has_a_group_for_every_probability() -> None:
    rules, (X, y) = checklist(), patients()
    [size] = summarize(rules, X, y).sizes
    chances = rules.predict_proba(X)[:, 0]
    for group in size.quality.calibration:
        here = np.isclose(chances, group.predicted)
        assert group.rows == here.sum()
        assert group.true == pytest.approx((y[here] == "ill").mean())


def frontier() -> Frontier:
    sizes = [checklist("0", 1), checklist("0 + ~1"), checklist()]
    rng = np.random.default_rng(0)
    errors = (rng.random((3, 200)) < np.array([[0.3], [0.2], [0.1]])).astype(float)
    held_out = HeldOut.measure(errors, errors, folds=5)
    points = tuple(
        Point(rules, error / 2, error, error)
        for rules, error in zip(sizes, held_out.errors.tolist(), strict=True)
    )
    return Frontier(points, held_out=held_out, network_error=0.07)


def test_sizes_of_a_frontier_have_their_own_figures_and_intervals() -> None:
    known, (X, y) = frontier(), patients()
    summary = summarize(known[1].rules, X, y, frontier=known, compared=HeldOutErrors(0.07))
    assert [size.literals for size in summary.sizes] == [point.size for point in known]
    assert summary.chosen == 1
    assert summary.compared["network"] == 0.07
    bounds = known.error_bounds()
    assert bounds is not None
    for at, size in enumerate(summary.sizes):
        held_out = size.quality.held_out
        assert held_out.error == known[at].held_out_error
        assert (
            0 <= held_out.low < bounds[0, at] < held_out.error < bounds[1, at] < held_out.high
        )
        assert size.quality.error == pytest.approx((known[at].rules.predict(X) != y).mean())


def test_the_interval_of_a_number_is_in_its_units() -> None:
    rule = Rule("price", parse("0"))
    rules = RegressionRules(NAMES, STEPS, (rule,), 4.5, (9.0,), crisp=True)
    squares = np.random.default_rng(0).normal(size=(1, 4000)) ** 2
    held_out = HeldOut.measure(squares, squares, unit=10.0)
    point = Point(rules, 9.0, 10.0 * float(np.sqrt(squares.mean())))
    [size] = summarize(
        rules, patients()[0], frontier=Frontier((point,), held_out=held_out)
    ).sizes
    # The standard error of a standard deviation is that by the root of twice the rows.
    margin = 1.96 * 10 / np.sqrt(2 * 4000)
    found = size.quality.held_out
    assert found.high - found.error == pytest.approx(margin, rel=0.3)
    assert found.error - found.low == pytest.approx(margin, rel=0.3)


def test_rules_that_are_not_on_the_frontier_are_shown_with_it() -> None:
    edited, (X, y) = checklist("0 + 1 + 2"), patients()
    summary = summarize(edited, X, y, frontier=frontier())
    assert len(summary.sizes) == 4
    assert summary.sizes[summary.chosen].literals == edited.size
    assert np.isnan(summary.sizes[summary.chosen].quality.held_out.error)


def test_of_very_many_sizes_some_are_shown_and_the_chosen_one_always() -> None:
    many = tuple(Point(checklist("0", at), 0.1) for at in np.linspace(0.5, 9, 60).tolist())
    X, y = patients(20)
    summary = summarize(many[31].rules, X, y, frontier=Frontier(many))
    assert len(summary.sizes) == MOST_SIZES
    chosen = summary.sizes[summary.chosen]
    assert chosen.script == summarize(many[31].rules, X, y).sizes[0].script


def test_columns_are_cut_where_rules_cut_them_and_trials_lie_on_both_sides() -> None:
    rules, (X, y) = checklist("0 + (1 | 2)"), patients()
    summary = summarize(rules, X, y)
    columns = {column.name: column for column in summary.columns}
    assert list(columns) == list(NAMES)
    age, known = columns["age"], X[:, 0][~np.isnan(X[:, 0])]
    assert [cut.at for cut in age.cuts] == [40.0]
    assert summary.sizes[0].trials[0].values == (40.0, 41.0)
    assert summary.sizes[0].trials[0].width == known.max() - known.min()
    assert sum(bar.rows for bar in age.bars) == len(known)
    assert age.missing == len(X) - len(known)
    assert age.start in known


def test_categories_can_be_chosen_and_counted() -> None:
    levels = Levels(("red", "blue"), ("pink", "grey"))
    both = Rule("hot", parse("0")), Rule("cold", parse("unknown"))
    rules = ClassificationRules(
        ("colour",), (Level(0, 0, "red"),), both, levels=(levels,), crisp=True
    )
    table = [["red"], ["blue"], ["blue"], ["grey"], ["new"], [None]]
    [column] = summarize(rules, table).columns
    assert [text for _, text in column.values] == ["red", "blue", "pink", "grey"]
    assert [(bar.text, bar.rows) for bar in column.bars] == [
        ("red", 1), ("blue", 2), ("other", 1), ("never seen before", 1),
    ]  # fmt: skip
    assert (column.start, column.missing) == ("blue", 1)


def test_examples_are_right_and_wrong_rows_as_they_stand_in_the_table() -> None:
    rules, (X, y) = checklist(), patients()
    summary = summarize(rules, X, y)
    predicted = rules.predict(X)
    examples = summary.sizes[0].examples
    assert {each.kind for each in examples} >= {"right, most sure", "wrong, most sure"}
    for each in examples:
        row = each.row - 1
        assert ("right" in each.kind) == (predicted[row] == y[row])
        assert each.true == y[row]
        assert each.predicted.startswith(predicted[row])
        shown = [np.nan if value is None else value for value in each.values]
        np.testing.assert_array_equal(shown, X[row])


def test_large_tables_are_sampled_and_rows_keep_their_numbers() -> None:
    rules = checklist()
    X, y = patients(MOST_ROWS + 1000)
    summary = summarize(rules, X, y)
    assert (summary.rows, summary.table_rows) == (MOST_ROWS, MOST_ROWS + 1000)
    for each in summary.sizes[0].examples:
        assert each.true == y[each.row - 1]


def test_without_truth_there_is_a_summary_that_measures_nothing() -> None:
    rules: RuleSet = checklist()
    summary = summarize(rules, patients()[0])
    assert not summary.has_truth
    assert summary.sizes[0].examples == ()
    assert np.isnan(summary.sizes[0].statements[0].effect)
    assert summary.to_dict()["sizes"][0]["quality"]["error"] is None


def test_rows_to_look_at_are_those_of_the_table_and_can_be_left_out() -> None:
    rules, (X, y) = checklist(), patients()
    summary = summarize(rules, X, y, shown_rows=50)
    rows = np.array(summary.sample.rows) - 1
    assert len(rows) == 50
    shown = np.array(summary.sample.columns, dtype=float).T
    np.testing.assert_array_equal(shown, X[rows])
    assert [rules.labels[int(at)] for at in summary.sample.truth] == y[rows].tolist()
    assert summarize(rules, X, y, shown_rows=0).sample.rows == ()


def test_errors_leave_out_what_those_of_a_robust_fit_leave_out() -> None:
    rule = Rule("price", parse("0 + 1 + 2"))
    rules = RegressionRules(NAMES, STEPS, (rule,), 5.0, (20.0,), crisp=True)
    X, _ = patients()
    y = rules.predict(X) + np.random.default_rng(0).normal(size=len(X))
    y[7] = 1e6
    points = (Point(rules, 1.0),)
    plain = summarize(rules, X, y, frontier=Frontier(points))
    robust = summarize(rules, X, y, frontier=Frontier(points, loss="Huber loss"))
    assert (plain.left_out, robust.left_out) == (0, 1)
    assert plain.sizes[0].quality.error > 10_000
    others = np.delete(np.arange(len(X)), 7)
    own = summarize(rules, X[others], y[others], frontier=Frontier(points))
    assert robust.sizes[0].quality.metrics == own.sizes[0].quality.metrics
    assert robust.sizes[0].quality.calibration == own.sizes[0].quality.calibration
    assert robust.sizes[0].statements == own.sizes[0].statements
    # The row itself is instructive.
    assert robust.sizes[0].examples[2].row == 8
    assert "Errors leave out 1 row whose number is far from all others." in render(robust)


def test_a_page_says_from_what_and_by_what_rules_were_learned() -> None:
    known, (X, y) = frontier(), patients()
    known = replace(known, rows=1234, learner="LogicClassifier(depth=2)")
    made = dict(summarize(known[1].rules, X, y, frontier=known).made)
    assert made["learned from"] == "1234 rows"
    assert made["learned by"] == "LogicClassifier(depth=2)"


def test_thresholds_of_a_column_are_those_of_each_size() -> None:
    known, (X, y) = frontier(), patients()
    summary = summarize(known[1].rules, X, y, frontier=known)
    for column in summary.columns:
        groups = histogram(column)[1]
        sizes = [int(size) for group in groups for size in group.sizes.split()]
        assert sorted(sizes) == list(column.sizes)
        for group in groups:
            for size in map(int, group.sizes.split()):
                expected = [cut.text for cut in column.cuts if size in cut.sizes]
                assert [line.text for line in group.lines] == expected


def test_texts_of_thresholds_cover_no_other() -> None:
    rng = np.random.default_rng(0)
    cuts = [(float(x), f"{x:.3f}") for x in rng.uniform(0, HIST_WIDTH, 30)]
    lines = place_texts(cuts)
    assert sorted((line.x, line.text) for line in lines) == sorted(cuts)
    ends: dict[int, float] = {}
    for line in lines:
        if line.level is None:
            continue
        width = CHARACTER * len(line.text)
        start = line.x - {"start": 0, "middle": width / 2, "end": width}[line.anchor]
        assert -CHARACTER <= start <= HIST_WIDTH - width + CHARACTER
        assert start >= ends.get(line.level, -CHARACTER)
        ends[line.level] = start + width
    assert set(ends) == set(range(LEVELS))

"""Versions: undone, done again, compared and saved; nothing is lost."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from crisplogic.errors import RuleError, RuleFileError
from crisplogic.export.rule_file import json_schema
from crisplogic.rules import Frontier, Note, Point, RuleSet
from crisplogic.rules.analysis.evaluation import evaluate
from crisplogic.workbench import Session
from crisplogic.workbench.page import describe
from tests.workbench.models import bench, classes, number

MOVE = {"kind": "threshold", "text": "age>40", "value": 45}
ADD = {"kind": "add", "text": "smoker"}


def test_undo_and_redo_go_along_what_was_made_from_what() -> None:
    session = Session.start(classes())
    one = session.add(classes(1), "one").add(classes(3), "three")
    back = one.undo().undo()
    assert back.rules == classes()
    assert not back.can_undo
    assert back.redo().redo().rules == classes(3)
    # An edit after an undo leaves what was undone where it was.
    other = back.add(number(), "other")
    assert [each.what for each in other.versions] == ["as it was", "one", "three", "other"]
    assert other.undo().redo().at == 3
    assert other.go(2).undo().at == 1
    assert other.go(2).changes() == ["one", "three"]
    with pytest.raises(RuleError, match="nothing to undo"):
        back.undo()
    with pytest.raises(RuleError, match="nothing to do again"):
        other.redo()
    with pytest.raises(RuleError, match="4 versions"):
        other.go(9)


def test_what_an_edit_costs_is_measured_on_rows_that_fits_never_see() -> None:
    before = bench()
    after = before.edit(MOVE).edit(ADD)
    rows = after.rows.measured
    assert len(rows) == 90
    assert not set(rows) & set(after.rows.fitted)
    X, y = after.rows.matrix[rows], after.rows.y[rows]
    found, view = after.comparison(), describe(after)
    old, new = (each.predict(X, coded=True) for each in (before.rules, after.rules))
    assert found.changed.tolist() == np.flatnonzero(old != new).tolist()
    assert view["changed"] == len(found.changed) > 0
    assert view["better"] == int(((old != y) & (new == y)).sum())
    assert view["metrics"][0]["now"] == f"{100 * (new != y).mean():.2f}"
    assert after.summary().sizes[0].quality.error == pytest.approx((new != y).mean())
    listed = view["changed_rows"]
    assert [each["row"] - 1 for each in listed] == rows[found.changed][:20].tolist()
    assert [each["after"] for each in listed] == new[found.changed][:20].tolist()
    # Beside itself nothing changes.
    assert describe(after.compare_with(2))["changed"] == 0


def test_a_refit_fits_the_rows_that_are_there_for_it() -> None:
    for rules in (classes(), number()):
        before = bench(rules)
        after = before.refit()
        rows = before.rows.fitted
        assert after.session.versions[1].what == f"refitted to {len(rows)} rows"
        X, y = before.rows.matrix[rows], before.rows.y[rows]
        assert after.rules != before.rules
        targets = rules.read_targets(len(X), y, None)
        old, new = (evaluate(each, X, targets).metrics.loss for each in (rules, after.rules))
        assert new < old


def test_saved_rules_know_who_changed_what(tmp_path: Path) -> None:
    session = bench().edit(MOVE).edit(ADD).session
    path = tmp_path / "edited.json"
    session.signed("Ada", "the threshold of our guideline").save(path)
    jsonschema.validate(json.loads(path.read_text()), json_schema())
    loaded = RuleSet.load(path)
    assert loaded == session.rules
    assert [(note.who, note.what) for note in loaded.history] == [
        ("Ada", "moved age>40 to 45"),
        ("Ada", "added smoker to the rule of ill"),
        ("Ada", "the threshold of our guideline"),
    ]
    # The next one adds to it.
    again = bench(loaded).edit({"kind": "needed", "value": 1}).session.signed("Bo")
    assert [note.who for note in again.history] == ["Ada", "Ada", "Ada", "Bo"]
    assert again.with_threshold("age>45", 50).history == again.history


def test_a_history_that_is_none_is_refused() -> None:
    text = classes().to_json()
    assert "history" not in text
    for wrong in ('"me"', "[1]", '[{"when": "", "who": 1, "what": ""}]', '[{"who": "me"}]'):
        with pytest.raises(RuleFileError):
            RuleSet.from_json(text.replace('"scale"', f'"history": {wrong}, "scale"'))
    with pytest.raises(RuleError):
        Note("now", "me", "x" * 20_000)


def test_an_edit_that_fails_leaves_everything_as_it_was() -> None:
    before = bench()
    with pytest.raises(ValueError, match="glucos"):
        before.edit({"kind": "add", "text": "glucos>1"})
    assert len(before.session.versions) == 1


def test_learned_rules_of_another_size_can_be_taken() -> None:
    less = classes().without_term("age>40")
    frontier = Frontier((Point(less, 0.2), Point(classes(), 0.1)))
    known = replace(bench(), frontier=frontier)
    taken = known.take(2)
    assert taken.rules == less
    assert describe(taken)["sizes"] == [2, 3]
    assert len(taken.summary().sizes) == 2
    assert taken.session.changes() == ["took the learned rules of 2 literals"]
    for size in (-1, "2", None):
        with pytest.raises(RuleError):
            known.take(size)  # type: ignore[arg-type]
    with pytest.raises(RuleError):
        bench().take(2)

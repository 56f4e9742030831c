"""Edits do what they say, and leave everything else as it was."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from crisplogic.errors import CrisplogicError
from crisplogic.rules import RuleSet
from crisplogic.rules.checklist import Checklist, NumberCard, normal_form
from crisplogic.workbench import Edit, apply_edit
from crisplogic.workbench.edits import checklist_of, with_needed
from tests.report.models import model_of
from tests.workbench.models import classes, number, table


def needed(rules: RuleSet) -> float:
    form = checklist_of(rules)
    assert form is not None
    return form.needed


def test_adding_and_dropping_a_statement_changes_no_other() -> None:
    rules = classes()
    more, what = apply_edit(rules, Edit("add", "smoker & age>30"))
    assert what == "added smoker & age>30 to the rule of ill"
    assert needed(more) == needed(rules) == 2
    # Where the new statement fails nothing changes, and where it holds it counts one.
    matrix = table()
    fails = (matrix[:, 3] == 0) | (matrix[:, 0] <= 30)
    before, after = (each.scores(matrix, coded=True)[:, 0] for each in (rules, more))
    np.testing.assert_array_equal(after[fails], before[fails])
    holds = (matrix[:, 3] == 1) & (matrix[:, 0] > 30)
    np.testing.assert_array_equal(after[holds], before[holds] + 2)
    back, _ = apply_edit(more, Edit("drop", "age>30 & smoker"))
    np.testing.assert_array_equal(back.scores(matrix, coded=True)[:, 0], before)
    assert back.intercepts == rules.intercepts


def test_the_base_of_a_number_stays() -> None:
    more, _ = apply_edit(number(), Edit("add", "smoker"))
    old, new = normal_form(number()), normal_form(more)
    assert isinstance(old, NumberCard)
    assert isinstance(new, NumberCard)
    assert (new.base, len(new.items)) == (old.base, 3)


def test_a_threshold_moves_and_a_rule_is_written() -> None:
    moved, what = apply_edit(classes(), Edit("threshold", "age>40", value=45))
    assert "age>45" in moved.to_text()
    assert what == "moved age>40 to 45"
    written, _ = apply_edit(classes(), Edit("rule", "glucose>=150 + ~smoker - 1.5", at=1))
    assert "well = glucose≥150 + ¬smoker - 1.5" in written.to_text()


@pytest.mark.parametrize("count", [0.5, 1, 1.5, 2, 2.5, 3])
def test_any_count_can_be_needed(count: float) -> None:
    changed, _ = apply_edit(classes(), Edit("needed", value=count))
    form = normal_form(changed)
    assert isinstance(form, Checklist)
    assert form.needed == count
    assert form.always is None


@pytest.mark.parametrize("count", [0, 3.5, 1.25, -1])
def test_a_count_that_makes_no_sense_is_refused(count: float) -> None:
    with pytest.raises(CrisplogicError, match="can be needed"):
        with_needed(classes(), count)
    with pytest.raises(CrisplogicError, match="only a checklist"):
        with_needed(number(), 1)


def test_graded_rules_keep_their_intercepts() -> None:
    rules, _, _ = model_of("two", False)
    term = f"{rules.features[0]}>3"
    changed, _ = (
        apply_edit(rules, Edit("add", term)) if rules.levels[0] is None else (rules, "")
    )
    assert changed.intercepts == rules.intercepts


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"kind": "delete"},
        {"kind": "add", "text": 5},
        {"kind": "add", "text": "x" * 20_000},
        {"kind": "add", "text": "age>40", "at": 2},
        {"kind": "add", "text": "age>40", "at": True},
        {"kind": "threshold", "text": "age>40"},
        {"kind": "threshold", "text": "age>40", "value": "45"},
        {"kind": "threshold", "text": "age>40", "value": math.inf},
        {"kind": "needed", "value": None},
    ],
)
def test_what_is_no_edit_is_refused(document: dict[str, Any]) -> None:
    with pytest.raises(CrisplogicError):
        Edit.read(document, 2)

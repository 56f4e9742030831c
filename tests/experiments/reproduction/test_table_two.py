from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest

from crisplogic import ClassificationRules, RuleSet
from crisplogic.datasets import load
from crisplogic.expr import parse
from crisplogic.rules import Rule
from experiments.harness.store import Document
from experiments.reproduction import table_two
from experiments.reproduction.published import TABLE_TWO
from experiments.reproduction.table_two import (
    OurRulesTask,
    PublishedTask,
    describe,
    published_rules,
    rules_of,
)
from tests.experiments.reproduction.samples import document, paper_fold

BREAST = "breast-cancer-wisconsin"


# The diabetes table is not bundled.
@pytest.mark.parametrize("name", [name for name in TABLE_TWO if name != "diabetes"])
def test_what_the_paper_prints_can_be_evaluated(name: str) -> None:
    figures = PublishedTask(name).perform()
    assert 0 < figures["error"] < 1
    assert figures["literals"] > 0
    json.dumps(figures, allow_nan=False)


def test_the_best_order_of_the_classes_is_taken() -> None:
    table, rows = load(BREAST), np.arange(699)
    orders = [("benign", "malignant"), ("malignant", "benign")]
    errors = [describe(published_rules(table, order), table, rows)["error"] for order in orders]
    assert PublishedTask(BREAST).perform()["error"] == min(errors)


def test_our_rules_are_kept_with_the_names_of_the_columns() -> None:
    figures = OurRulesTask(BREAST, quick=True).perform()
    rules = RuleSet.from_json(json.dumps(figures["rules"]))
    assert rules.features == load(BREAST).feature_names
    assert rules.size == figures["literals"]


def published() -> Document:
    task = PublishedTask(BREAST)
    return document(task.perform(), **task.question())


def snapped(expression: str) -> Document:
    """A document of a network that snapped to this expression for both classes."""
    like = rules_of(published())
    rules = [Rule(label, parse(expression)) for label in like.labels]
    kept = ClassificationRules(like.features, like.memberships, tuple(rules))
    figures = {
        "folds": [paper_fold(0.1, 0.3, classes=1)],
        "first_rules": json.loads(kept.to_json()),
    }
    return document(figures, table=BREAST, reading={})


def test_the_page_shows_numbers_names_sizes_and_a_picture() -> None:
    found = [published()]
    page = table_two.section(found, "figures")
    assert "c_0 = (0 | 3) + (1 | 5)" in page
    assert "clump_thickness | marginal_adhesion" in page
    assert "| as the paper reports it | 2.84 |" in page
    assert f"![{BREAST}, as the paper prints it, as a diagram](figures/table-2-" in page
    assert list(table_two.pictures(found)) == [f"table-2-{BREAST}-published"]


def test_the_first_fold_of_the_papers_network_is_judged_on_its_test_rows() -> None:
    page = table_two.section([snapped("0 & 1")], "figures")
    assert "| the paper's network, snapped to the nearest | 30.00 | 3 | 1 |" in page


def test_rules_that_say_nothing_are_not_drawn() -> None:
    assert table_two.pictures([snapped("false")]) == {}
    assert "as a diagram" not in table_two.section([snapped("false")], "figures")


def test_rules_that_fill_pages_are_folded_away_and_not_drawn() -> None:
    pairs = combinations(range(9), 2)
    endless = snapped(" + ".join(f"({one} & {other})" for one, other in pairs))
    assert table_two.pictures([endless]) == {}
    assert "too many to be read or drawn</summary>" in table_two.section([endless], "figures")

from __future__ import annotations

import numpy as np
import pytest

from crisplogic import LogicClassifier
from crisplogic.datasets import load
from experiments.peers.page import collect, to_markdown
from experiments.peers.published import PEERS, TABLES, Figure
from experiments.peers.tasks import SIZES, SPLITS, measure, split_of, tasks_for
from tests.experiments.peers.samples import DATE, ORIGIN, documents
from tests.experiments.rules_table.samples import SOON_DONE, tiny_table


def page(**changes: object) -> str:
    return to_markdown(documents(**changes), ORIGIN, DATE)  # type: ignore[arg-type]


def test_one_fit_gives_rules_of_every_size() -> None:
    table = tiny_table()
    split = split_of(table, 0)
    clf = LogicClassifier(**SOON_DONE, random_state=0)
    figures = measure(table, split, clf)
    assert list(figures["sizes"]) == [str(size) for size in SIZES]
    assert all(
        each["literals"] <= int(size) and 0 <= each["error"] <= 1
        for size, each in figures["sizes"].items()
    )
    expected = np.mean(clf.predict(table.X[split.test]) != table.y[split.test])
    assert figures["chosen"] == {"error": expected, "literals": clf.rules_.size}


def test_the_folds_are_five_and_part_all_rows() -> None:
    table = load("vehicle")
    tested = np.concatenate([split_of(table, fold).test for fold in range(SPLITS)])
    assert sorted(tested) == list(range(len(table.y)))
    assert tasks_for(["vehicle"], 1)[0].question()["settings"]["literals"] == "crisp"


def test_each_of_the_others_stands_beside_ours_of_its_own_size() -> None:
    text = page(error=0.30)
    assert "| FIGS, 12 splits | 31.80 (12), 30.00 (12): ahead |" in text
    assert "| CART, 8 leaves | 34.20 (7), 30.00 (6): ahead |" in text
    assert "| FasterRisk, 10 items ² | 26.80 (40), 30.00 (40): **behind** |" in text
    assert "| BRCG |  |" in text


def test_a_learner_smaller_than_all_of_ours_is_not_compared() -> None:
    text = page(table="diabetes", error=0.20)
    assert "| FastSmallTree, 0.01 ¹ | 26.80 (2), no rules so small |" in text
    crisp = [peer for peer in PEERS if peer.is_crisp]
    assert f"Ahead in {len(crisp) - 1} of {len(crisp) - 1} comparisons" in text


def test_ours_stand_by_size() -> None:
    text = page()
    assert "| crisp rules, the default | 30.00 (30) |" in text
    assert "| at most 12 literals | 30.00 |" in text
    ours = collect(documents())["vehicle"]
    assert ours.at_most(11) == (10, Figure(30.0))
    assert ours.at_most(2) is None


@pytest.mark.parametrize(("folds", "warned"), [(4, True), (5, False)])
def test_fewer_than_all_folds_are_preliminary(folds: int, warned: bool) -> None:
    assert ("preliminary" in page(folds=folds)) == warned


def test_the_page_says_when_and_where_figures_were_measured() -> None:
    text = page()
    assert "on 2026-11-16" in text
    assert "Abacus, 2 cores" in text
    assert all(len(peer.figures) == len(TABLES) for peer in PEERS)

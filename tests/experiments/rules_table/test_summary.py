from __future__ import annotations

import pytest

from experiments.rules_table.reliability import Reliability
from experiments.rules_table.summary import Verdict, judge, summarise
from experiments.rules_table.targets import PEERS, TARGETS, Targets
from tests.experiments.rules_table.samples import document


def test_figures_are_listed_by_fold_and_errors_are_percentages() -> None:
    (summary,) = summarise(
        [
            document(fold=0, rules_error=0.1, rules_literals=20, fit_seconds=1.0),
            document(fold=1, rules_error=0.3, rules_literals=26, fit_seconds=2.0),
        ]
    )
    assert summary.folds == 2
    assert summary.rules_error == pytest.approx([10, 30])
    assert summary.rules_literals == [20, 26]
    assert summary.fit_seconds == [1.0, 2.0]
    assert summary.nearest_error == [60, 60]


def test_reliability_is_pooled_over_the_rows_of_all_folds() -> None:
    # Bin by bin the two folds make up for each other: on their own both would be 50 % off.
    hopeful = Reliability((10,), (10.0,), (5,), 4.0)
    timid = Reliability((10,), (0.0,), (5,), 8.0)
    (summary,) = summarise([document(reliability=hopeful), document(fold=1, reliability=timid)])
    assert summary.calibration_error == 0
    assert summary.log_loss == pytest.approx(12 / 20)


def test_tables_are_summarised_one_by_one_in_their_order() -> None:
    summaries = summarise([document("yeast"), document("vehicle"), document("yeast", fold=1)])
    assert [(summary.table, summary.folds) for summary in summaries] == [
        ("yeast", 2),
        ("vehicle", 1),
    ]


def test_every_target_has_its_verdict() -> None:
    (summary,) = summarise([document()])  # 20 %, 30 literals, 30 %, 15 %
    told = judge(summary, Targets(12, 19.0, 30, 31, 14.5))
    assert {verdict.measure: verdict.missed_by for verdict in told} == pytest.approx(
        {"rules_error": 1.0, "rules_literals": 0, "small_error": 0, "network_error": 0.5}
    )
    assert [verdict.reached for verdict in told] == [False, True, True, False]


def test_a_mean_that_is_the_target_but_for_its_last_bit_reaches_it() -> None:
    assert Verdict("vehicle", "rules_error", 21 + 4e-15, 21).reached
    assert not Verdict("vehicle", "rules_error", 21 + 1e-6, 21).reached


def test_targets_and_peers_are_about_the_same_tables() -> None:
    assert list(TARGETS) == list(PEERS)

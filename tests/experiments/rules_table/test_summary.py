from __future__ import annotations

import pytest

from experiments.rules_table.reliability import Reliability
from experiments.rules_table.summary import Verdict, judge, summarise
from experiments.rules_table.targets import PEERS, TARGETS, Targets
from tests.experiments.rules_table.samples import document, pair


def test_figures_are_listed_by_fold_and_errors_are_percentages() -> None:
    (summary,) = summarise(
        [
            *pair(fold=0, rules_error=0.1, rules_literals=20, fit_seconds=1.0),
            *pair(fold=1, rules_error=0.3, rules_literals=26, fit_seconds=2.0),
        ]
    )
    assert summary.crisp.folds == 2
    assert summary.crisp.rules_error == pytest.approx([10, 30])
    assert summary.crisp.rules_literals == [20, 26]
    assert summary.crisp.fit_seconds == [1.0, 2.0]
    assert summary.crisp.nearest_error == [60, 60]
    assert summary.graded == summary.crisp


def test_crisp_and_graded_rules_are_kept_apart_and_the_network_is_the_default_one() -> None:
    (summary,) = summarise(
        [
            document(rules_error=0.2, network_error=0.15, classes=2),
            document(literals="graded", rules_error=0.1, network_error=0.5, classes=2),
        ]
    )
    assert summary.values("crisp_error") == pytest.approx([20])
    assert summary.values("graded_error") == pytest.approx([10])
    assert summary.values("network_error") == pytest.approx([15])
    assert summary.behind_network == pytest.approx(5)
    assert summary.two_classes


def test_reliability_is_pooled_over_the_rows_of_all_folds() -> None:
    # Bin by bin the two folds make up for each other: on their own both would be 50 % off.
    hopeful = Reliability((10,), (10.0,), (5,), 4.0)
    timid = Reliability((10,), (0.0,), (5,), 8.0)
    (summary,) = summarise([*pair(reliability=hopeful), *pair(fold=1, reliability=timid)])
    assert summary.crisp.calibration_error == 0
    assert summary.crisp.log_loss == pytest.approx(12 / 20)


def test_tables_are_summarised_one_by_one_in_their_order() -> None:
    summaries = summarise([*pair("yeast"), *pair("vehicle"), *pair("yeast", fold=1)])
    assert [(summary.table, summary.crisp.folds) for summary in summaries] == [
        ("yeast", 2),
        ("vehicle", 1),
    ]


def test_every_target_has_its_verdict() -> None:
    (summary,) = summarise(pair())  # 19 %, 30 literals, 30 %, 19 %, 15 %
    told = judge(summary, Targets(12, 18.0, 30, 31, 17.0, 14.5))
    assert {verdict.measure: verdict.missed_by for verdict in told} == pytest.approx(
        {
            "crisp_error": 1.0,
            "crisp_literals": 0,
            "small_error": 0,
            "graded_error": 2.0,
            "network_error": 0.5,
        }
    )
    assert [verdict.reached for verdict in told] == [False, True, True, False, False]


def test_a_mean_that_is_the_target_but_for_its_last_bit_reaches_it() -> None:
    assert Verdict("vehicle", "crisp_error", 21 + 4e-15, 21).reached
    assert not Verdict("vehicle", "crisp_error", 21 + 1e-6, 21).reached


def test_targets_and_peers_are_about_the_same_tables() -> None:
    assert list(TARGETS) == list(PEERS)

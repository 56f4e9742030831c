from __future__ import annotations

import pytest

from experiments.harness.store import Document
from experiments.rules_table.page import to_markdown
from tests.experiments.rules_table.samples import DATE, ORIGIN, document, pair, timing


def page(folds: list[Document], *timings: Document) -> str:
    return to_markdown(folds, timings, ORIGIN, DATE)


def test_a_missed_target_is_called_missed_in_the_table_and_before_it() -> None:
    text = page([document(rules_error=0.265), document(literals="graded")])
    assert "26.50 (target ≤ 25: **missed by 1.50**)" in text
    assert "4 of 5 targets are reached, 1 are missed" in text
    assert "- vehicle, crisp rules, error %: 26.50 against 25, missed by 1.50" in text


def test_two_classes_are_compared_with_the_network() -> None:
    text = page(pair("diabetes", rules_error=0.24, network_error=0.225, classes=2))
    assert "diabetes +1.50 (**missed**)" in text
    text = page(pair("diabetes", rules_error=0.24, network_error=0.23, classes=2))
    assert "diabetes +1.00 (reached)" in text
    assert "at most 1 point more than the network" not in page(pair())


def test_reached_targets_are_called_reached_and_nothing_missed() -> None:
    text = page(pair())
    assert "5 of 5 targets are reached." in text
    assert "missed" not in text


def test_a_target_missed_by_a_hair_does_not_read_as_if_it_were_reached() -> None:
    assert "missed by less than 0.01" in page(pair(rules_error=0.250001))


def test_deviations_stand_beside_means() -> None:
    text = page([*pair(rules_error=0.1), *pair(fold=1, rules_error=0.12)])
    assert "11.00 ± 1.41 (target ≤ 25: reached)" in text


def test_the_peers_stand_beside_for_orientation() -> None:
    (line,) = [line for line in page(pair()).splitlines() if "14.97" in line]
    assert (
        line
        == "| vehicle | 60.00 | 15.00 | 0.500 | 30.0 | 10.0 | 10.0 | 14.97 | 28.2 | 74.23 |"
    )


@pytest.mark.parametrize(("folds", "warned"), [(29, True), (30, False)])
def test_fewer_than_all_folds_are_preliminary(folds: int, warned: bool) -> None:
    assert (
        "preliminary" in page([each for fold in range(folds) for each in pair(fold=fold)])
    ) == warned


def test_the_page_says_where_the_figures_come_from() -> None:
    text = page(pair())
    for told in (ORIGIN.command, DATE, "Abacus, 2 cores", "python 3.11"):
        assert told in text
    assert "circumstances" not in text


def test_folds_of_different_versions_are_told_apart() -> None:
    others = [{**each, "versions": {"python": "3.12"}} for each in pair(fold=1)]
    text = page([*pair(), *others])
    assert "**Not all was measured under the same circumstances:**" in text
    assert text.count("2 of 4 measurements") == 2


def test_timings_are_medians_and_their_ratio() -> None:
    assert "| vehicle | 3.0 | 2.0 | 1.50 |" in page(pair(), timing(3.0, 2.0))
    assert "Time to fit" not in page(pair())

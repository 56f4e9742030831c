from __future__ import annotations

import pytest

from experiments.regression.page import to_markdown
from tests.experiments.regression.samples import DATE, ORIGIN, documents, ebm_documents


def page_of(*parts: list[dict[str, object]]) -> str:
    return to_markdown([each for part in parts for each in part], ORIGIN, DATE)


@pytest.fixture(scope="module")
def page() -> str:
    return page_of(
        documents("vehicle", folds=10, rules=0.7, tree=0.6, boosting=0.9),
        documents("diabetes", folds=10),
        ebm_documents("vehicle", folds=10),
    )


def test_r2_stands_by_learner_and_table_with_its_standard_error(page: str) -> None:
    assert "| R² | vehicle | diabetes |" in page
    assert "| **crisp rules** | 0.745 ± 0.014 | 0.545 ± 0.014 |" in page


def test_verdicts_say_where_the_rules_are_better_and_worse(page: str) -> None:
    assert "| minus gradient boosting | -0.200 ± 0.000, *worse* | +0.000 ± 0.000 |" in page
    assert "- gradient boosting: the rules are worse on vehicle; no significant" in page
    assert "as large as the rules: the rules are better on vehicle; no significant" in page


def test_a_learner_that_was_not_measured_on_a_table_has_an_empty_cell(page: str) -> None:
    assert "| EBM without interactions | 0.700 ± 0.000 |  |" in page
    assert "| EBM without interactions | 3 |  |" in page
    assert "the target without its noise |" not in page


def test_the_page_says_what_was_chosen_on_which_tables(page: str) -> None:
    assert "chosen on three folds of friedman1, friedman2, friedman3, diabetes" in page
    assert "Nothing was chosen on the other tables." in page


def test_sizes_times_and_origin_are_there(page: str) -> None:
    assert "| vehicle | 20.0 ± 0.0 | 11.0 ± 0.0 | 2 | 2 |" in page
    assert "| **crisp rules** | 8 | 8 |" in page
    assert f"`{ORIGIN.command}`" in page
    assert DATE in page


def test_the_rules_of_one_fold_are_an_example(page: str) -> None:
    assert "```text\nprogression = 1 + 2 × (age>4)\n```" in page
    assert "## An example" not in page_of(documents("vehicle"))


def test_part_of_the_experiment_is_called_preliminary(page: str) -> None:
    assert "preliminary" not in page
    assert "preliminary" in page_of(documents("vehicle", folds=9))


def test_a_single_fold_has_no_standard_error() -> None:
    assert "| **crisp rules** | 0.500 |" in page_of(documents("vehicle", folds=1))

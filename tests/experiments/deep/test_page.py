from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from experiments.deep.page import to_markdown
from experiments.deep.summary import (
    judge_tables,
    part_end_games,
    summarise_expressions,
    summarise_problems,
    summarise_tables,
)
from experiments.deep.tables import NAMES, TIC_TAC_TOE
from experiments.deep.tasks import ExpressionTask, ProblemTask, TableTask
from experiments.harness.store import Document
from experiments.harness.tasks import Task
from tests.experiments.deep.samples import DATE, ORIGIN, stored


def page(**options: Any) -> str:
    return to_markdown(list(stored(**options).values()), ORIGIN, DATE)


def of_problem(name: str, **figures: Any) -> Callable[[Task], Document]:
    def changed(task: Task) -> Document:
        return figures if isinstance(task, ProblemTask) and task.problem == name else {}

    return changed


def of_depth(depth: int | str, **figures: Any) -> Callable[[Task], Document]:
    def changed(task: Task) -> Document:
        if not isinstance(task, TableTask) or task.table == TIC_TAC_TOE:
            return {}
        return figures if task.settings["depth"] == depth else {}

    return changed


def test_perfect_fits_reach_all_targets() -> None:
    text = page()
    assert "**missed**" not in text
    assert "| parity of 3: at least 95 % of seeds | 1 of 1 | reached |" in text
    assert "| monk 2: all of seeds | 1 of 1 | reached |" in text


@pytest.mark.parametrize(
    ("figures", "right"), [({"literals": 6}, "1 of 1"), ({"error": 0.004}, "0 of 1")]
)
def test_rules_that_are_large_or_wrong_miss_the_target(figures: Document, right: str) -> None:
    text = page(changed=of_problem("parity-of-3", **figures))
    assert "| parity of 3: at least 95 % of seeds | 0 of 1 | **missed** |" in text
    assert f"| parity of 3, 5 % noise | 3 | {right} | 0 of 1 |" in text


@pytest.mark.parametrize(("wrong", "reached"), [(1, True), (2, False)])
def test_a_target_is_a_share_of_the_seeds(wrong: int, reached: bool) -> None:
    def changed(task: Task) -> Document:
        return {"error": 0.1} if isinstance(task, ProblemTask) and task.seed < wrong else {}

    first = summarise_problems(list(stored(seeds=20, changed=changed).values()))[0]
    assert (first.fits, first.successes) == (20, 20 - wrong)
    assert first.reached == reached


def test_expressions_count_as_right_where_the_chosen_rules_are() -> None:
    def changed(task: Task) -> Document:
        wrong = isinstance(task, ExpressionTask) and task.number == 0
        return {"right": False} if wrong else {}

    documents = list(stored(seeds=2, changed=changed).values())
    assert {(one.right, one.found, one.fits) for one in summarise_expressions(documents)} == {
        (1, 2, 2)
    }
    assert "| random expressions: rules right for at least 95 % | 4 of 8 | **missed** |" in (
        to_markdown(documents, ORIGIN, DATE)
    )


@pytest.mark.parametrize(
    ("changed", "missed"),
    [
        (of_depth("auto", error=0.01), "mean error"),
        (of_depth("auto", literals=4), "mean literals"),
        (of_depth("auto", seconds=2.5), "time of fits"),
        (of_depth(2, error=0.02, network_error=0.005), "vehicle: rules of depth 2"),
    ],
)
def test_each_target_of_tables_can_be_missed(
    changed: Callable[[Task], Document], missed: str
) -> None:
    documents = list(stored(tables=["vehicle"], changed=changed).values())
    _, tables = part_end_games(summarise_tables(documents))
    verdicts = judge_tables(tables)
    assert len(verdicts) == 4
    assert [one.target.startswith(missed) for one in verdicts if not one.reached] == [True]


@pytest.mark.parametrize("figures", [{"error": 0.02}, {"literals": 25}])
def test_end_games_have_a_target_of_their_own(figures: Document) -> None:
    def changed(task: Task) -> Document:
        return figures if isinstance(task, TableTask) and task.table == TIC_TAC_TOE else {}

    text = page(changed=changed)
    missed = [line for line in text.splitlines() if "**missed**" in line]
    assert len(missed) == 1
    assert missed[0].startswith("| end games: at most 1 % error and 24 literals")
    assert f"| {TIC_TAC_TOE} |" not in text


def test_a_part_that_was_not_measured_has_no_section() -> None:
    documents = [each for each in stored().values() if each["part"] == "problems"]
    text = to_markdown(documents, ORIGIN, DATE)
    assert "## Problems" in text
    assert not any(word in text for word in ("## Tables", "## Random", "## End games"))


@pytest.mark.parametrize(
    ("seeds", "tables", "warned"),
    [(100, NAMES, False), (99, NAMES, True), (100, NAMES[:9], True)],
)
def test_fewer_seeds_or_tables_are_preliminary(
    seeds: int, tables: tuple[str, ...], warned: bool
) -> None:
    assert ("preliminary" in page(seeds=seeds, tables=tables)) == warned


def test_the_page_says_where_figures_were_measured() -> None:
    assert "Abacus, 2 cores" in page()

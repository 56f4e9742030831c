"""The committed results answer the questions of today: a page can be written without measuring.

This fails where a default or the name of a setting changed: measure again, or, where only a
name changed, change it in the results as well.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from experiments.ablation import __main__ as ablation
from experiments.ablation.tasks import tasks_for as ablation_tasks
from experiments.deep import __main__ as deep
from experiments.deep import tables as deep_tables
from experiments.deep import tasks as deep_tasks
from experiments.harness.evaluation import FOLDS
from experiments.harness.store import Store
from experiments.harness.tasks import Task, find_stored
from experiments.other_tables import __main__ as other_tables
from experiments.other_tables import tables as other_table_names
from experiments.other_tables.tasks import tasks_for as other_tasks
from experiments.peers import __main__ as peers
from experiments.peers import published
from experiments.peers import tasks as peer_tasks
from experiments.regression import __main__ as regression
from experiments.regression.tables import NAMES, SPLITS
from experiments.regression.tasks import tasks_for as regression_tasks
from experiments.reproduction import __main__ as reproduction
from experiments.reproduction.page import PARTS
from experiments.reproduction.scale import Scale
from experiments.rules_table import __main__ as rules_table
from experiments.rules_table.targets import TARGETS
from experiments.rules_table.tasks import tasks_for as rules_tasks
from experiments.stability import __main__ as stability
from experiments.stability import tables as stability_tables
from experiments.stability.tasks import tasks_for as stability_tasks

EXPERIMENTS: dict[str, tuple[Store, Sequence[Task]]] = {
    "rules_table": (Store(rules_table.RESULTS), rules_tasks(list(TARGETS), FOLDS)),
    "other_tables": (
        Store(other_tables.EXPERIMENT.results),
        other_tasks(other_table_names.NAMES, other_table_names.SPLITS),
    ),
    "peers": (
        Store(peers.EXPERIMENT.results),
        peer_tasks.tasks_for(published.TABLES, peer_tasks.SPLITS),
    ),
    "stability": (Store(stability.EXPERIMENT.results), stability_tasks(stability_tables.NAMES)),
    "deep": (
        Store(deep.EXPERIMENT.results),
        [
            *deep_tasks.logic_tasks(deep_tasks.SEEDS),
            *deep_tasks.table_tasks(deep_tables.NAMES, deep_tables.SPLITS),
        ],
    ),
    "ablation": (Store(ablation.EXPERIMENT.results), ablation_tasks(ablation.DEFAULT_FOLDS)),
    "regression": (
        Store(regression.EXPERIMENT.results),
        regression_tasks(NAMES, SPLITS, ebm=True),
    ),
    "reproduction": (
        Store(reproduction.RESULTS / "reproduction"),
        [task for part in PARTS.values() for task in part.tasks(Scale(device="cpu"))],
    ),
}


# Their pages say that they are to be measured, or that they were with other defaults.
NOT_MEASURED = {"ablation", "regression", "reproduction"}


@pytest.mark.parametrize("name", sorted(set(EXPERIMENTS) - NOT_MEASURED))
def test_what_is_stored_answers_questions_of_today(name: str) -> None:
    """A run may have been stopped early: the page says how many folds were measured."""
    store, tasks = EXPERIMENTS[name]
    stored = set(store.load())
    assert stored
    assert stored - set(find_stored(tasks, store)) == set()


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_measurement_says_how_to_repeat_it(name: str) -> None:
    store, _ = EXPERIMENTS[name]
    documents = store.load()
    assert list(documents) == sorted(documents)
    for document in documents.values():
        assert {"command", "versions", "date", "figures"} <= set(document)

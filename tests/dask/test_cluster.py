"""A cluster of ``distributed`` with two workers learns what one process learns."""

from __future__ import annotations

from typing import Any

import pytest

from crisplogic import LogicClassifier
from tests.dask.test_dask import FEATURES, QUICK, some_rows

distributed = pytest.importorskip("distributed")
dd = pytest.importorskip("dask.dataframe")


@pytest.mark.parametrize(
    "processes",
    [False, pytest.param(True, marks=pytest.mark.slow)],
    ids=["workers of this process", "processes"],
)
def test_two_workers_learn_what_one_process_learns(
    processes: bool, request: pytest.FixtureRequest
) -> None:
    if processes:
        request.getfixturevalue("search_as_workers_do")
    from crisplogic.dask import DaskLogicClassifier

    options: dict[str, Any] = {
        "n_workers": 2,
        "threads_per_worker": 1,
        "dashboard_address": None,
    }
    if processes:  # those of this process have no address
        options["host"] = "127.0.0.1"
    table = some_rows(300)
    alone = LogicClassifier(**QUICK).fit(table[FEATURES], table["ill"])
    with (
        distributed.LocalCluster(processes=processes, **options) as cluster,
        distributed.Client(cluster),
    ):
        frame = dd.from_pandas(table, npartitions=4).persist()
        clf = DaskLogicClassifier(**QUICK).fit(frame[FEATURES], frame["ill"])
        found = clf.predict(frame[FEATURES]).compute()
    assert clf.rules_ == alone.rules_
    assert found.tolist() == alone.predict(table[FEATURES]).tolist()

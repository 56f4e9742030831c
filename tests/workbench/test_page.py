"""The panel: what it offers can be done, whatever the rules and names are."""

from __future__ import annotations

import numpy as np
import pytest

from crisplogic.workbench import Bench, Edit, Rows, Session, apply_edit
from crisplogic.workbench.page import describe, write_page
from tests.report.models import KINDS, model_of
from tests.report.test_page import Page, check_policy


def bench_of(task: str, crisp: bool, hostile: bool = False) -> Bench:
    rules, matrix, y = model_of(task, crisp, hostile)
    return Bench(Session.start(rules), Rows.split(matrix, y, 0.5))


@pytest.mark.parametrize("hostile", [False, True])
@pytest.mark.parametrize(("task", "crisp"), KINDS)
def test_every_text_of_the_panel_can_be_sent_back(
    task: str, crisp: bool, hostile: bool
) -> None:
    bench = bench_of(task, crisp, hostile)
    view, rules, rows = describe(bench), bench.rules, bench.rows.matrix
    before = rules.scores(rows, coded=True)
    for each in view["thresholds"]:
        same, _ = apply_edit(rules, Edit("threshold", each["text"], value=float(each["value"])))
        np.testing.assert_allclose(same.scores(rows, coded=True), before, rtol=1e-9)
    for at, rule in enumerate(view["rules"]):
        same, _ = apply_edit(rules, Edit("rule", rule["text"], at=at))
        np.testing.assert_allclose(same.scores(rows, coded=True), before, rtol=1e-9)
        for term in rule["terms"]:
            less, _ = apply_edit(rules, Edit("drop", term, at=at))
            assert (
                term
                not in describe(bench.with_session(Session.start(less)))["rules"][at]["terms"]
            )


@pytest.mark.parametrize(("task", "crisp"), KINDS)
def test_hostile_names_stay_text_and_the_policy_knows_the_script(
    task: str, crisp: bool
) -> None:
    page = Page(write_page(bench_of(task, crisp, hostile=True), "secret", "</script>", "<x>"))
    assert page.open == []
    assert len(page.texts["script"]) == 3
    page.texts["script"].pop(1)  # the data of the panel
    check_policy(page)
    assert "connect-src 'self'" in page.policy
    handlers = [name for _, attrs in page.tags for name in attrs if name.startswith("on")]
    assert handlers == []

"""Single operators: what is provable of the equations is what the runs find."""

from __future__ import annotations

import json
import pickle
from io import BytesIO

import numpy as np
import pytest
import torch

from crisplogic.algebra import OPERATORS
from crisplogic.nn import Fuzzy
from experiments.harness.store import Document
from experiments.reproduction import operators, operators_page
from experiments.reproduction.operators import (
    METHODS,
    PAPER_RATE,
    RIVALS,
    OperatorTask,
    slope,
    tasks,
    truth_tables,
)
from experiments.reproduction.scale import Scale

SEEDS = 60


def task(
    method: str, learns_sign: bool = False, rate: float = PAPER_RATE, presentations: int = 3200
) -> OperatorTask:
    return OperatorTask(method, rate, learns_sign, SEEDS, presentations)


def document(task: OperatorTask) -> Document:
    return {**task.question(), "figures": task.perform()}


def test_the_truth_tables_are_those_of_the_signed_operators() -> None:
    x, y, target = truth_tables(list(OPERATORS))
    for row, operator in enumerate(OPERATORS.values()):
        inputs = [x[row], y[row]][: operator.arity]
        assert torch.equal(operator.signed(*inputs), target[row])
        if operator.constant is not None:
            assert y[row].unique().tolist() == [operator.constant]


@pytest.mark.parametrize("alpha", [-0.5, -0.0005, 0.0, 0.0005, 0.5])
def test_the_slope_of_eq_2_is_that_of_the_packages_layer(alpha: float) -> None:
    pairs = torch.tensor(operators.PATTERNS, dtype=torch.float64)
    for x, y in pairs:
        layer = Fuzzy(1, dtype=torch.float64)
        torch.nn.init.constant_(layer.alpha, alpha)
        layer(torch.stack([x, y])[None]).sum().backward()
        method = METHODS["eq2"]
        found = slope(method.equation, x, y, method.slope_at(layer.alpha[0]))
        assert layer.alpha.grad is not None
        assert found.item() == layer.alpha.grad.item()


def test_eq_2_learns_every_operator_from_every_start() -> None:
    found = task("eq2").perform()["by_operator"]
    assert {each["learned"] for each in found.values()} == {1.0}
    assert {each["soft"] for each in found.values()} == {1.0}
    assert list(found) == list(OPERATORS)


@pytest.mark.parametrize("method", ["eq2-bare", "eq3"])
def test_without_the_rule_nor_is_learned_from_its_own_side_alone(method: str) -> None:
    # Above 0 only true/true and its likes are wrong, and their steps shrink towards 0.
    runs = task(method).runs()
    row = task(method).operators.index("nor")
    start, end = runs.start[row], runs.alpha[row]
    assert torch.equal(end.round() == -1, start < 0)
    assert end[start > 0].min() >= 0


def test_eq_1_sticks_near_the_opposite_operator() -> None:
    # The loss of the whole truth table of *and* has a second minimum at alpha = -1.
    runs = task("eq1").runs()
    row = task("eq1").operators.index("and")
    assert (runs.alpha[row][runs.start[row] < -0.85] < -0.9).all()
    assert (runs.alpha[row][runs.start[row] > -0.7] > 0.9).all()


def test_with_the_rule_as_printed_no_alpha_stays_negative() -> None:
    found = task("eq2-printed").perform()["by_operator"]
    assert {name for name, each in found.items() if each["learned"] == 0} == {"or", "nor"}


def test_all_methods_start_alike_and_stay_in_bounds() -> None:
    runs = [task(method, presentations=40).runs() for method in METHODS]
    assert all(torch.equal(each.start, runs[0].start) for each in runs)
    assert max(each.alpha.abs().max() for each in runs) <= 1


def test_where_the_sign_is_learned_it_decides_what_is_learned() -> None:
    given, learned = task("eq2", presentations=4), task("eq2", learns_sign=True)
    assert set(given.operators) - set(learned.operators) == {"identity", "not"}
    runs = learned.runs()
    assert runs.weight.abs().max() <= 1
    signs = torch.tensor([OPERATORS[name].weight for name in learned.operators])
    ended = runs.weight.abs() > 0.9
    assert ended.double().mean() > 0.8
    assert (runs.weight.sign() == signs[:, None])[ended].all()


def test_failures_are_counted_where_they_stand() -> None:
    found = task("eq1").perform()["by_operator"]["and"]
    failures = round(SEEDS * (1 - found["learned"]))
    assert failures > 0
    assert found["failures_at"] == [failures, *[0] * 8]


def test_tasks_are_distinct_and_their_questions_and_answers_plain() -> None:
    asked = tasks(Scale(quick=True))
    assert len({each.name for each in asked}) == len(asked) == 2 * (len(METHODS) + len(RIVALS))
    assert {each.seeds for each in tasks(Scale())} == {1000}
    small = pickle.loads(pickle.dumps(task("eq3", presentations=8)))
    figures = small.perform()
    text = json.dumps({**small.question(), "figures": figures}, allow_nan=False)
    assert json.loads(text) == {**small.question(), "figures": figures}
    assert "least often" in small.line(figures)


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    """All settings, hardly trained."""
    return [
        document(OperatorTask(each.method, each.rate, each.learns_sign, 20, 40))
        for each in tasks(Scale(quick=True))
    ]


def test_the_section_tells_what_the_figures_say(documents: list[Document]) -> None:
    text = operators_page.section(documents, "pictures")
    by_operator = documents[0]["figures"]["by_operator"]
    row = next(line for line in text.splitlines() if line.startswith("| or |"))
    assert row.startswith(f"| or | {100 * by_operator['or']['learned']:.1f} |")
    assert "Eq. 2 **fails** to learn" in text  # after forty presentations
    assert "![" in text


def test_the_verdict_follows_the_figures(documents: list[Document]) -> None:
    perfect: list[Document] = json.loads(json.dumps(documents))
    for each in perfect:
        for found in each["figures"]["by_operator"].values():
            found["learned"] = 1.0
    text = operators_page.section(perfect, "pictures")
    assert "Eq. 2 always learns its operator, and the others **never** stick" in text
    assert "(pictures/operators.png)" in text


def test_the_picture_has_every_run_that_is_kept(documents: list[Document]) -> None:
    (figure,) = operators_page.pictures(documents).values()
    for ax in figure.axes:
        shown = [np.asarray(points.get_offsets()) for points in ax.collections]
        assert sum(map(len, shown)) == 20
    assert len(figure.axes) == len(METHODS)
    figure.savefig(BytesIO(), format="png", dpi=50)

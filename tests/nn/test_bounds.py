"""Bounds: whatever its parameters, a network respects its limits."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from torch import Tensor

from crisplogic.constraints.limits import Limits
from crisplogic.constraints.spec import Constraints
from crisplogic.estimators.encoder import FeatureEncoder
from crisplogic.expr import Expr, Not
from crisplogic.expr.monotonicity import monotonicity
from crisplogic.nn import FeatureSelector, Fuzzy, LogicLayer, LogicNetwork, logic_layer
from crisplogic.rules import RuleSet
from crisplogic.rules.formatting import terms_of
from crisplogic.snap import moves, snap
from crisplogic.tables import infer_schema, read_columns
from crisplogic.training import PhaseConfig, TrainingData, train

COLUMNS, OUTPUTS = 4, 3
NAMES, CLASSES = tuple("abcd"), ("x", "y", "z")
TOLERANCE = 1e-12
# Small tables form all pairs; 0 switches to the quadratic form of large ones.
ways = pytest.mark.parametrize(
    "max_pairs", [0, logic_layer.MAX_EXPLICIT_PAIRS], ids=["quadratic", "explicit"]
)
seeds = st.integers(0, 2**31 - 1)
either_way = pytest.mark.parametrize("snapped", [False, True], ids=["soft", "snapped"])
PHASES = "soft", "snapped", "crisp"
every_phase = pytest.mark.parametrize("phase", PHASES)
DEEP = {"depth": 2}, {"depth": 3}, {"depth": 2, "skip": True}, {"depth": 3, "skip": True}
at_any_depth = pytest.mark.parametrize("levels", [{"depth": 1}, *DEEP], ids=str)
deep = pytest.mark.parametrize("levels", DEEP, ids=str)


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def asked(**constraints: Any) -> Limits:
    found = Constraints.read(NAMES, ("number",) * COLUMNS, CLASSES, **constraints)
    assert found.limits is not None
    return found.limits


UP_FOR_Y = asked(monotone={"a": {"y": "up"}, "c": {"y": "up"}}, forbidden_pairs=[("a", "b")])


def random_limits(seed: int) -> Limits:
    random = np.random.default_rng(seed)
    rises, falls = random.random((2, COLUMNS, OUTPUTS)) < 0.6
    free = random.random((COLUMNS, 1)) < 0.3
    return Limits(rises | free, falls | free, random.random((COLUMNS, COLUMNS)) < 0.8)


def scattered(network: LogicNetwork, seed: int) -> LogicNetwork:
    """The network with parameters anywhere, some of them out of bounds, as after a step."""
    generator = seeded(seed)
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            size = 1.2 if name.startswith("logic") else 1.0
            parameter.uniform_(-size, size, generator=generator)
    return network


def network_with(limits: Limits | None, seed: int = 0, **options: Any) -> LogicNetwork:
    settings: dict[str, Any] = {
        "depth": 1,
        "width": 4,
        "memberships": 2,
        "dtype": torch.float64,
        **options,
    }
    generator = seeded(seed)
    network = LogicNetwork(COLUMNS, OUTPUTS, limits=limits, generator=generator, **settings)
    network.fit(torch.tensor([[-1.0] * COLUMNS, [1.0] * COLUMNS]))
    return scattered(network, seed)


def rows_of(seed: int, rows: int = 40) -> Tensor:
    return torch.rand(rows, COLUMNS, generator=seeded(seed), dtype=torch.float64) * 2.4 - 1.2


@torch.no_grad()
def changes(network: LogicNetwork, seed: int) -> Iterator[tuple[int, Tensor]]:
    """Each column, and by how much the scores of rows change as it rises."""
    rows = rows_of(seed)
    for column in range(COLUMNS):
        higher = rows.clone()
        higher[:, column] += torch.rand(len(rows), generator=seeded(column))
        yield column, network(higher) - network(rows)


def snap_for(phase: str, network: LogicNetwork) -> None:
    network.snap(phase != "soft", crisp=phase == "crisp")


def keeps_to(network: LogicNetwork, limits: Limits, seed: int = 0) -> bool:
    return all(
        (change[..., ~torch.from_numpy(limits.rises[column])] <= TOLERANCE).all()
        and (change[..., ~torch.from_numpy(limits.falls[column])] >= -TOLERANCE).all()
        for column, change in changes(network, seed)
    )


def rules_of(network: LogicNetwork) -> RuleSet:
    return snap(network, NAMES, CLASSES)


def ballots(rules: RuleSet) -> dict[Expr, NDArray[np.float64]]:
    """Every term, and how it votes."""
    votes: dict[Expr, NDArray[np.float64]] = {}
    for number, expr in enumerate(rules.expressions):
        for term in terms_of(expr):
            positive, sign = (term.operand, -1.0) if isinstance(term, Not) else (term, 1.0)
            votes.setdefault(positive, np.zeros(OUTPUTS))[number] += sign
    return votes


def all_permitted(rules: RuleSet, limits: Limits) -> bool:
    feature = np.array([each.feature for each in rules.memberships])
    terms = ballots(rules).items()
    return all(limits.permit(term, ballot, feature) for term, ballot in terms)


# --- whatever the parameters ------------------------------------------------------------------


@ways
@every_phase
@at_any_depth
def test_no_score_does_what_it_may_not(
    levels: dict[str, Any], phase: str, max_pairs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logic_layer, "MAX_EXPLICIT_PAIRS", max_pairs)
    for seed in range(30 if levels == {"depth": 1} else 8):
        limits = random_limits(seed)
        network = network_with(limits, seed, **levels)
        snap_for(phase, network)
        assert keeps_to(network, limits, seed)


def test_without_limits_scores_do_what_they_like() -> None:
    assert not keeps_to(network_with(None), UP_FOR_Y)


@settings(max_examples=30)
@given(seeds)
def test_all_terms_of_the_rules_are_permitted(seed: int) -> None:
    limits = random_limits(seed)
    assert all_permitted(rules_of(network_with(limits, seed)), limits)


@deep
@pytest.mark.parametrize("crisp", [False, True], ids=["graded", "crisp"])
def test_terms_of_several_levels_are_permitted(levels: dict[str, Any], crisp: bool) -> None:
    for seed in range(8):
        limits = random_limits(seed)
        network = network_with(limits, seed, **levels)
        network.snap(crisp=crisp)
        assert all_permitted(rules_of(network), limits)


@deep
def test_several_levels_use_what_they_may(levels: dict[str, Any]) -> None:
    """Columns that may rise do so, and pairs that may stand together do."""
    limits = asked(monotone={"a": {"y": "up"}}, forbidden_pairs=[("a", "b")])
    used, joined = set(), set()
    for seed in range(8):
        network = network_with(limits, seed, **levels)
        network.snap(crisp=not network.skip)  # terms of logic, not of sums
        rules = rules_of(network)
        used |= {rules.memberships[number].feature for number in rules.used}
        joined |= {
            frozenset(rules.memberships[n].feature for n in monotonicity(term))
            for term in ballots(rules)
        }
    assert used == set(range(COLUMNS))
    assert {0, 2, 3} in joined
    assert {1, 2, 3} in joined


def test_a_unit_without_weights_is_no_expression() -> None:
    network = network_with(UP_FOR_Y, depth=2, skip=True)
    with torch.no_grad():
        for _, selector in network.levels():
            selector.weight.zero_()
    network.snap()
    assert rules_of(network).size == 0
    assert not network(rows_of(0)).any()


@settings(max_examples=20)
@given(seeds)
def test_the_rules_respect_the_limits(seed: int) -> None:
    rules = rules_of(network_with(UP_FOR_Y, seed))
    for column in {"a", "c"} & set(rules.directions()):
        assert rules.directions()[column]["y"] in ("up", "none")
    for term in ballots(rules):
        columns = {rules.memberships[number].feature for number in monotonicity(term)}
        assert not columns >= {0, 1}


def test_rules_score_as_the_snapped_network_does() -> None:
    network = network_with(UP_FOR_Y, 5)
    rows = rows_of(1)
    network.snap()
    with torch.no_grad():
        expected = network(rows).numpy()
    np.testing.assert_allclose(rules_of(network).scores(rows.numpy()), expected, atol=1e-12)


def test_moves_are_from_what_was_used_to_what_is() -> None:
    network = network_with(UP_FOR_Y, 5)
    network.keep_in_range_()
    (fuzzy, selector), (move,) = next(network.levels()), moves(network, network)
    used = selector.used_weight(fuzzy.direction()).detach().numpy()
    np.testing.assert_allclose(used + move.weight, np.round(used), atol=1e-12)


def test_free_limits_change_nothing() -> None:
    free = network_with(Limits.free(COLUMNS, OUTPUTS))
    assert torch.equal(free(rows_of(0)), network_with(None)(rows_of(0)))


# --- copies, columns and states ---------------------------------------------------------------


@pytest.mark.parametrize("n_selected_features", [None, 2])
@either_way
@at_any_depth
def test_every_copy_keeps_to_the_limits_of_the_columns_that_it_selects(
    levels: dict[str, Any], n_selected_features: int | None, snapped: bool
) -> None:
    options = {"n_selected_features": n_selected_features, **levels}
    network = network_with(UP_FOR_Y, copies=3, **options)
    if n_selected_features:
        network.select_columns(torch.tensor([[0, 1], [3, 2], [2, 0]]))
        scattered(network, 1)
    network.snap(snapped)
    for number in range(3):
        one = network.copy(number)
        assert keeps_to(one, UP_FOR_Y)
        assert all_permitted(rules_of(one), UP_FOR_Y)
        rows = one.scale(rows_of(2))
        torch.testing.assert_close(one.scores(rows), network.scores(rows)[number])


def test_states_are_as_ever_and_bring_columns_whose_limits_apply() -> None:
    limited, free = (
        network_with(UP_FOR_Y, n_selected_features=2),
        network_with(None, n_selected_features=2),
    )
    assert set(limited.state_dict()) == set(free.state_dict())
    limited.select_columns(torch.tensor([3, 2]))
    other = network_with(UP_FOR_Y, n_selected_features=2)
    other.load_state_dict(limited.state_dict())
    assert torch.equal(other(rows_of(0)), limited(rows_of(0)))
    assert keeps_to(other, UP_FOR_Y)


@pytest.mark.parametrize("way", [copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
def test_limits_go_with_a_network(way: Any) -> None:
    network = network_with(UP_FOR_Y, n_selected_features=2)
    other = way(network)
    assert torch.equal(other(rows_of(0)), network(rows_of(0)))
    other.load_state_dict({**network.state_dict(), "columns": torch.tensor([1, 3])})
    assert keeps_to(other, UP_FOR_Y)
    assert keeps_to(network, UP_FOR_Y)  # which still looks at other columns


def test_precision_may_change() -> None:
    network = network_with(UP_FOR_Y).float()
    assert network(rows_of(0)).dtype == torch.float32


def test_parameters_that_a_last_step_moved_are_brought_back() -> None:
    network = network_with(UP_FOR_Y)
    network.keep_in_range_()
    (_, selector), *_ = network.levels()
    before = selector.weight.clone()
    network(rows_of(0))
    network.l1(), network.literals()
    assert torch.equal(selector.weight, before)


def test_limits_have_the_shape_of_the_network() -> None:
    with pytest.raises(ValueError, match=r"needs limits of shape \(2, 3\), got \(4, 3\)"):
        LogicNetwork(2, OUTPUTS, depth=1, limits=UP_FOR_Y)


# --- gradients and training -------------------------------------------------------------------


@pytest.mark.parametrize("copies", [None, 2])
@either_way
def test_both_ways_to_compute_a_level_have_the_same_gradients(
    copies: int | None, snapped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for way in ("three layers", "quadratic"):
        monkeypatch.setattr(logic_layer, "MAX_EXPLICIT_PAIRS", 0)
        network = network_with(UP_FOR_Y, copies=copies)
        network.snap(snapped)
        (layer,) = (each for each in network.logic if isinstance(each, LogicLayer))
        rows = torch.rand(*([copies] if copies else []), 9, 8, generator=seeded(3)).double()
        rows = (rows * 2 - 1).requires_grad_()
        values = (
            layer(rows)
            if way == "quadratic"
            else layer.selector(layer.fuzzy(layer.pairings(rows)), layer.fuzzy.direction())
        )
        values.backward(torch.rand(values.shape, generator=seeded(4)).double())
        found.append([values, rows.grad, layer.fuzzy.alpha.grad, layer.selector.weight.grad])
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other)


def test_a_monotone_alpha_chooses_between_and_and_or() -> None:
    layer, selector = Fuzzy(1, dtype=torch.float64), FeatureSelector(1, 1, dtype=torch.float64)
    layer.monotone, layer.fixed_direction = (
        torch.tensor([True]),
        torch.ones(1, dtype=torch.float64),
    )
    x, y = torch.tensor([0.3, -0.5, 1.0, -1.0]), torch.tensor([-0.2, -0.4, -1.0, -1.0])
    pairs = torch.stack([x, y], -1).double().unsqueeze(-2)
    values = []
    for alpha in (0.01, -0.01, 0.0):
        with torch.no_grad():
            layer.alpha.fill_(alpha)
        layer.alpha.grad = None
        values.append(selector(layer(pairs), layer.direction()).squeeze(-1))
        values[-1].sum().backward()
        assert layer.alpha.grad is not None
        torch.testing.assert_close(layer.alpha.grad.sum(), ((x * y - 1) / 2).sum().double())
    torch.testing.assert_close(values[0].detach(), ((x + 1) * (y + 1) / 2 - 1).double())
    torch.testing.assert_close(values[1].detach(), (1 - (x - 1) * (y - 1) / 2).double())
    assert torch.equal(values[2], values[0])


BOTH = torch.tensor([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
JOINED = {"and": torch.tensor([0, 0, 0, 1]), "or": torch.tensor([0, 1, 1, 1])}
RISING = Limits(np.array([[False, True]] * 2), np.array([[True, False]] * 2))
starts = pytest.mark.parametrize("start", [0.9, -0.9])
operators = pytest.mark.parametrize("operator", JOINED)


@starts
@operators
def test_a_monotone_alpha_can_change_its_sign(operator: str, start: float) -> None:
    network = LogicNetwork(2, 2, depth=1, limits=RISING)
    ((fuzzy, selector),) = network.levels()
    with torch.no_grad():
        fuzzy.alpha.fill_(start)
        selector.weight.zero_()
        selector.weight[:, 0] = torch.tensor([-1.0, 1.0])
    selector.weight.requires_grad_(False)  # there is nothing to choose but the operator
    config = PhaseConfig(epochs=60, batch_size=4, learning_rate=0.05)
    train(network, TrainingData(BOTH, JOINED[operator]), config, seeded(0))
    assert (fuzzy.alpha[0].item() > 0) == (operator == "and")
    assert network.predict(BOTH).tolist() == JOINED[operator].tolist()


@starts
@operators
def test_and_and_or_are_learned_from_either_side(operator: str, start: float) -> None:
    network = LogicNetwork(2, 2, depth=1, limits=RISING, intercepts=True)
    ((fuzzy, _),) = network.levels()
    with torch.no_grad():
        fuzzy.alpha.fill_(start)
    for snapped in (False, True):
        network.snap(snapped)
        config = PhaseConfig(epochs=80, batch_size=4, learning_rate=0.05, literal_penalty=1e-3)
        train(network, TrainingData(BOTH, JOINED[operator]), config, seeded(0))
        assert network.predict(BOTH).tolist() == JOINED[operator].tolist()
    rules = snap(network, "ab", (0, 1))
    assert rules.predict(BOTH.numpy()).tolist() == JOINED[operator].tolist()
    assert {direction[1] for direction in rules.directions().values()} == {"up"}


@pytest.mark.parametrize("copies", [None, 2])
def test_trained_networks_keep_to_limits_that_the_rows_contradict(copies: int | None) -> None:
    table = rows_of(0, 200)
    targets = (table[:, 0] < 0).long() + (table[:, 1] * table[:, 0] > 0).long()  # against "up"
    network = LogicNetwork(
        COLUMNS,
        OUTPUTS,
        depth=1,
        memberships=2,
        intercepts=True,
        limits=UP_FOR_Y,
        copies=copies,
        generator=seeded(0),
    )
    network.fit(table)
    rows = TrainingData(network.scale(table), targets)
    for phase in PHASES:
        snap_for(phase, network)
        config = PhaseConfig(
            epochs=8, batch_size=25, learning_rate=0.05, l1=1e-3, literal_penalty=1e-3
        )
        history = train(network, rows, config, seeded(1))
        assert history[-1].loss < history[0].loss
        for number in range(copies or 1):
            one = (network if copies is None else network.copy(number)).double()
            assert keeps_to(one, UP_FOR_Y)
            rules = rules_of(one)
            assert all_permitted(rules, UP_FOR_Y)
            assert all(
                rules.directions().get(name, {}).get("y", "none") in ("up", "none")
                for name in "ac"
            )
        network.float()


def test_what_is_free_is_still_learned_as_ever() -> None:
    """Whether two free columns agree, beside one that may only rise."""
    table = torch.sign(rows_of(3, 64))
    targets = (table[:, 1] * table[:, 3] > 0).long()
    limits = Limits(np.ones((COLUMNS, 2), bool), np.ones((COLUMNS, 2), bool))
    limits.rises[0], limits.falls[0] = [False, True], [True, False]
    network = LogicNetwork(COLUMNS, 2, depth=1, limits=limits, generator=seeded(0))
    network.fit(table)
    rows = TrainingData(network.scale(table), targets)
    train(network, rows, PhaseConfig(epochs=40, batch_size=16, learning_rate=0.05), seeded(0))
    assert (network.predict(table) == targets).all()


@pytest.mark.parametrize("last", ["snapped", "crisp"])
def test_from_what_is_asked_for_to_rules_about_the_table(last: str) -> None:
    """All steps: columns negated and excluded, training, and rules about the table."""
    random = np.random.default_rng(0)
    cells = random.normal(size=(200, 3)).tolist()
    table = [
        [*row, bool(flag)] for row, flag in zip(cells, random.random(200) < 0.5, strict=True)
    ]
    schema = infer_schema(read_columns(table))
    found = Constraints.read(
        schema.names,
        schema.kinds,
        ("no", "yes"),
        forbidden_columns=["x2"],
        monotone={"x0": "up", "x1": "down", "x3": "down"},
    )
    encoder = FeatureEncoder.of(schema, forbidden=found.forbidden, negated=found.negated)
    encoded = torch.from_numpy(encoder.transform(schema.matrix(table)))
    high, low = np.array(cells)[:, 0] > 0, np.array(cells)[:, 1] < 0.5
    targets = torch.from_numpy(high & low).long()
    network = LogicNetwork(
        encoded.shape[1],
        2,
        depth=1,
        memberships=1,
        intercepts=True,
        limits=encoder.limits(found),
        generator=seeded(0),
    )
    network.fit(encoded)
    rows = TrainingData(network.scale(encoded), targets)
    for phase in ("soft", last):
        snap_for(phase, network)
        config = PhaseConfig(epochs=30, batch_size=20, learning_rate=0.05, literal_penalty=1e-3)
        train(network, rows, config, seeded(0))
    snapped_rules = snap(network, encoder.names, ("no", "yes"))
    rules = encoder.decode_rules(encoder.fix_indicators(snapped_rules))
    assert rules.features == schema.names
    assert rules.crisp == (last == "crisp")
    directions = {name: each["yes"] for name, each in rules.directions().items()}
    assert (directions["x0"], directions["x1"], directions["x2"]) == ("up", "down", "none")
    assert directions["x3"] in ("down", "none")
    hits = rules.predict(table) == np.array(["no", "yes"])[targets]
    assert hits.mean() > 0.9

"""Snapping: the paper's rounding, and rules that score as the snapped network does."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from torch import Tensor

from crisplogic.algebra import UNKNOWN
from crisplogic.algebra.pairing import pair_indices
from crisplogic.errors import ExpressionError
from crisplogic.expr import Const, Squash, Sum, measure
from crisplogic.expr.walk import unique_nodes
from crisplogic.nn import LogicNetwork
from crisplogic.nn.learned_membership import MAX_WIDTH, MIN_WIDTH
from crisplogic.rules import ClassificationRules, Membership, Ramp, Step
from crisplogic.snap import MAX_LEVELS, moves, snap

NAMES = ["a", "b", "c", "d"]
PAIR = 0  # of two inputs, the first pair is that of the inputs themselves
PAIRS = 5  # (a, b), (a, false), (a, true), (b, false), (b, true)

seeds = st.integers(0, 2**31 - 1)
depths = pytest.mark.parametrize("depth", [1, 2, 3])
# What may stand beside the paper's layers.
EXTRAS: list[dict[str, Any]] = [
    {},
    {"intercepts": True},
    {"memberships": 1},
    {"memberships": 2, "intercepts": True},
    {"memberships": 1, "skip": True},
]
WIDTHS = math.log(MIN_WIDTH), math.log(MAX_WIDTH)
with_extras = pytest.mark.parametrize("extras", EXTRAS, ids=str)


def table(rows: int = 30, columns: int = 4, seed: int = 0) -> NDArray[np.float64]:
    """Some rows, a tenth of them beyond the range of the others, and some cells missing."""
    random = np.random.default_rng(seed)
    values = random.normal(3.0, 5.0, (rows, columns))
    values[: rows // 10] *= 10
    values[random.random(values.shape) < 0.05] = math.nan
    return values


def random_network(
    depth: int, seed: int, dtype: torch.dtype = torch.float64, **extras: Any
) -> LogicNetwork:
    """A network with parameters anywhere in their range: about half of all terms are kept."""
    generator = torch.Generator().manual_seed(seed)
    network = LogicNetwork(
        4, 3, width=3, depth=depth, generator=generator, dtype=dtype, **extras
    )
    network.membership.fit(torch.from_numpy(table(seed=seed)[3:]))
    with torch.no_grad():
        for _, selector in network.levels():
            selector.weight.uniform_(-1, 1, generator=generator)
        network.log_scale.uniform_(-2, 2, generator=generator)
        for name, parameter in network.named_parameters():
            if name == "membership.log_width":
                parameter.uniform_(*WIDTHS, generator=generator)
            elif name in ("membership.centre", "intercept"):
                parameter.uniform_(-1, 1, generator=generator)
    return network


def small_network(alpha: list[float], *weights: list[float], **extras: Any) -> LogicNetwork:
    """One level over two inputs, with the parameters given: one row of weights a class."""
    network = LogicNetwork(2, len(weights), depth=1, dtype=torch.float64, **extras)
    ((fuzzy, selector),) = network.levels()
    with torch.no_grad():
        fuzzy.alpha.copy_(torch.tensor(alpha))
        selector.weight.copy_(torch.tensor(weights))
    return network


def rules_of(network: LogicNetwork) -> ClassificationRules:
    return snap(network, NAMES[: network.in_features], range(network.out_features))


def snapped_scores(network: LogicNetwork, rows: NDArray[np.float64]) -> NDArray[np.float64]:
    network.snap()
    with torch.no_grad():
        scores: Tensor = network(torch.from_numpy(rows))
    return scores.numpy()


def only(pair: int, value: float) -> list[float]:
    return [value if number == pair else 0.0 for number in range(PAIRS)]


# --- the rounding -----------------------------------------------------------------------------

OPERATORS = {
    -1.0: "¬(a | b)",
    -0.51: "¬(a | b)",
    -0.49: "¬(a ⊕ b)",
    -0.2: "¬(a ⊕ b)",  # the paper's own example: -0.2 snaps to 0, which is nxor
    0.0: "¬(a ⊕ b)",
    0.49: "¬(a ⊕ b)",
    0.51: "a & b",
    1.0: "a & b",
}
WEIGHTS = {
    1.0: "a & b",
    0.51: "a & b",
    0.49: "0",  # near 0: dropped
    0.0: "0",
    -0.49: "0",
    -0.51: "¬(a & b)",  # near -1: negated
    -1.0: "¬(a & b)",
}
WITH_CONSTANTS = [  # alpha, pair, what the paper's operators make of it
    (1.0, 1, "false"),
    (1.0, 2, "a"),
    (0.0, 1, "¬a"),
    (0.0, 2, "a"),
    (-1.0, 1, "¬a"),
    (-1.0, 2, "false"),
    (0.0, 3, "¬b"),
    (1.0, 4, "b"),
]


@pytest.mark.parametrize(("alpha", "text"), OPERATORS.items())
def test_alpha_snaps_to_the_nearest_operator(alpha: float, text: str) -> None:
    network = small_network([alpha] * PAIRS, only(PAIR, 1.0))
    assert rules_of(network).to_text() == f"0 = {text}"


@pytest.mark.parametrize(("weight", "text"), WEIGHTS.items())
def test_a_weight_snaps_to_keeping_dropping_or_negating(weight: float, text: str) -> None:
    network = small_network([1.0] * PAIRS, only(PAIR, weight))
    assert rules_of(network).to_text() == f"0 = {text}"


@pytest.mark.parametrize(("alpha", "pair", "text"), WITH_CONSTANTS)
def test_pairs_with_constants_become_plain_literals(alpha: float, pair: int, text: str) -> None:
    network = small_network([alpha] * PAIRS, only(pair, 1.0))
    assert rules_of(network).to_text() == f"0 = {text}"


def test_terms_that_are_kept_are_summed() -> None:
    network = small_network([0.9] * PAIRS, [-0.8, 0.0, 0.0, 0.0, 0.6])
    assert rules_of(network).to_text() == "0 = ¬(a & b) + b"


def test_parameters_that_a_last_step_took_out_of_bounds_count_as_at_them() -> None:
    network = small_network([40.0] * PAIRS, only(PAIR, -7.0))
    assert rules_of(network).to_text() == "0 = ¬(a & b)"


def test_a_network_of_zeros_snaps_to_unknown() -> None:
    rules = rules_of(small_network([0.3] * PAIRS, [0.0] * PAIRS, [0.0] * PAIRS))
    assert rules.to_text() == "0 = 0\n1 = 0"
    assert rules.expressions == (Const(UNKNOWN), Const(UNKNOWN))
    assert not rules.scores(table(columns=2)).any()


@depths
def test_an_untrained_network_snaps_to_unknown(depth: int) -> None:
    rules = rules_of(LogicNetwork(4, 3, width=3, depth=depth))
    assert rules.size == 0
    assert set(rules.predict(table())) == {0}


# --- the scores -------------------------------------------------------------------------------


@depths
@given(seed=seeds)
@settings(max_examples=20, deadline=None)
def test_rules_score_as_the_snapped_network_of_the_papers_layers_does(
    depth: int, seed: int
) -> None:
    network, rows = random_network(depth, seed), table(seed=seed)
    scores = rules_of(network).scores(rows)
    np.testing.assert_allclose(scores, snapped_scores(network, rows), rtol=0, atol=1e-12)


@depths
@with_extras
@given(seed=seeds)
@settings(max_examples=8, deadline=None)
def test_rules_score_as_the_snapped_network_does(
    depth: int, seed: int, extras: dict[str, Any]
) -> None:
    network, rows = random_network(depth, seed, **extras), table(seed=seed)
    rows[0] = math.nan
    rules = rules_of(network)
    found = snapped_scores(network, rows)
    np.testing.assert_allclose(rules.scores(rows), found, rtol=0, atol=1e-9)


@depths
@with_extras
def test_rules_give_the_probabilities_of_the_snapped_network(
    depth: int, extras: dict[str, Any]
) -> None:
    network, rows = random_network(depth, 3, **extras), table(seed=3)
    network.snap()
    with torch.no_grad():
        found = network.logits(network(torch.from_numpy(rows))).softmax(1).numpy()
    np.testing.assert_allclose(rules_of(network).predict_proba(rows), found, rtol=0, atol=1e-9)


@depths
@given(seed=seeds)
@settings(max_examples=10, deadline=None)
def test_rules_predict_what_the_snapped_network_predicts_ties_apart(
    depth: int, seed: int
) -> None:
    network, rows = random_network(depth, seed, **EXTRAS[-1]), table(seed=seed)
    by_rules = rules_of(network).predict(rows)
    scores = snapped_scores(network, rows)
    second, first = np.sort(scores, axis=1)[:, -2:].T
    clear = first - second > 1e-9
    assert by_rules[clear].tolist() == scores.argmax(axis=1)[clear].tolist()


@depths
@with_extras
def test_random_networks_keep_many_terms(depth: int, extras: dict[str, Any]) -> None:
    sizes = [rules_of(random_network(depth, seed, **extras)).size for seed in range(5)]
    assert min(sizes) >= 8, "the tests above would say little"


@pytest.mark.parametrize("snapped", [False, True])
def test_rules_of_a_network_with_skip_connections_have_no_sums_within_terms(
    snapped: bool,
) -> None:
    network = random_network(3, 0, memberships=1, skip=True)
    network.snap(snapped)  # or not: rules are always snapped
    terms = [part for rule in rules_of(network).expressions for part in unique_nodes([rule])]
    assert not any(isinstance(part, Squash) for part in terms)
    assert max(measure([term]).literals for term in terms if not isinstance(term, Sum)) > 2


@with_extras
def test_single_precision_changes_the_scores_by_rounding_alone(extras: dict[str, Any]) -> None:
    network, rows = random_network(2, 0, torch.float32, **extras), table()
    scores = rules_of(network).scores(rows)
    np.testing.assert_allclose(scores, snapped_scores(network, rows), atol=1e-4)


def test_memberships_are_those_of_the_network() -> None:
    network = small_network([1.0] * PAIRS, only(PAIR, 1.0))
    network.membership.fit(torch.tensor([[0.0, -5.0], [10.0, math.nan], [3.0, 7.0]]))
    assert rules_of(network).memberships == (
        Membership(0, 0.0, 10.0),
        Membership(1, -5.0, 7.0),
    )


def test_learned_memberships_become_ramps_the_first_of_all_columns_first() -> None:
    network = LogicNetwork(2, 1, depth=1, memberships=2, dtype=torch.float64)
    network.membership.fit(torch.tensor([[0.0, -5.0], [10.0, math.nan], [3.0, 5.0]]))
    parameters = dict(network.named_parameters())
    with torch.no_grad():
        parameters["membership.centre"].copy_(torch.tensor([0.0, 0.5, -0.5, 1.0]))
        widths = torch.tensor([1.0, 0.5, 0.25, 2.0], dtype=torch.float64)
        parameters["membership.log_width"].copy_(widths.log())
    memberships = rules_of(network).memberships
    assert all(type(membership) is Ramp for membership in memberships)
    assert [membership.feature for membership in memberships] == [0, 1, 0, 1]
    assert [membership.low for membership in memberships] == pytest.approx([0, 0, 1.25, -5])
    assert [membership.high for membership in memberships] == pytest.approx([10, 5, 3.75, 15])


def test_a_column_that_never_varied_stays_unknown_in_the_rules() -> None:
    network = small_network([1.0] * PAIRS, only(2, 1.0), memberships=1)
    network.membership.fit(torch.tensor([[7.0, 1.0], [7.0, 2.0]]))
    rows = np.array([[7.0, 1.0], [8.0, 2.0], [math.nan, 1.0]])
    assert rules_of(network).size == 1
    assert not rules_of(network).scores(rows).any()


def test_a_steep_ramp_far_from_zero_still_tells_low_from_high() -> None:
    rows = np.array([[1e16, 0.0], [1e16 + 2, 1.0]])
    network = small_network([1.0] * PAIRS, only(2, 1.0), memberships=1)
    network.membership.fit(torch.from_numpy(rows))
    torch.nn.init.constant_(dict(network.named_parameters())["membership.log_width"], -9.0)
    by_rules, by_network = rules_of(network).scores(rows), snapped_scores(network, rows)
    assert by_network[0] < by_network[1]
    assert by_rules[0] < by_rules[1]


def test_scale_and_intercepts_are_those_of_the_network() -> None:
    network = small_network([1.0] * PAIRS, only(PAIR, 1.0), only(PAIR, 0.0), intercepts=True)
    with torch.no_grad():
        network.log_scale.fill_(math.log(3.0))
        network.intercept.copy_(torch.tensor([0.25, -2.0]))
    rules = rules_of(network)
    assert rules.scale == pytest.approx(3.0)
    assert rules.intercepts == (0.25, -2.0)
    assert rules.to_text() == "0 = (a & b) + 0.25\n1 = -2"


def test_without_intercepts_the_rules_have_none() -> None:
    assert rules_of(random_network(1, 0)).intercepts == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("number", [0, 2])
def test_a_copy_taken_out_snaps_to_what_it_scores(number: int) -> None:
    network, rows = random_network(2, 0, copies=3, **EXTRAS[-1]), table()
    together = snapped_scores(network, rows)[number]
    by_rules = rules_of(network.copy(number)).scores(rows)
    np.testing.assert_allclose(by_rules, together, rtol=0, atol=1e-9)


# --- literals ---------------------------------------------------------------------------------

# One alpha a pair of (a, b), (a, false), (a, true), (b, false), (b, true), so that every pair
# with a constant says something: nxor with false or true, nor with false, and with true.
SPEAKING = [1.0, -1.0, 1.0, 0.0, 0.0]
TERNARY: list[tuple[list[list[float]], int]] = [  # a row of weights a class, and literals
    ([[0, 0, 0, 0, 0]], 0),
    ([[1, 0, 0, 0, 0]], 2),
    ([[0, 1, 0, 0, 0]], 1),
    ([[1, 0, 1, 0, 0]], 3),
    ([[1, 0, 0, 0, 0], [1, 0, 0, 0, 0]], 2),  # a shared pair counts once
    ([[1, 0, 0, 0, 0], [-1, 0, 0, 0, 0]], 2),  # negated or not
    ([[0, 0, 1, 0, 0], [0, 0, 1, 0, 0]], 2),  # a single input in every class
    ([[0, 0, 1, 0, 0], [0, 0, -1, 0, 0], [0, 0, 0, 1, 0]], 3),
    ([[1, 0, 1, 0, -1], [-1, 1, 0, 0, 0], [0, 0, 0, 0, 1]], 6),
]


@pytest.mark.parametrize("operator", [-1.0, 0.0, 1.0])
@pytest.mark.parametrize(("weights", "literals"), TERNARY)
def test_literals_of_a_network_are_the_size_of_its_rules(
    weights: list[list[float]], literals: int, operator: float
) -> None:
    network = small_network([operator, *SPEAKING[1:]], *weights)
    assert network.literals().item() == literals
    assert rules_of(network).size == literals


@given(seed=seeds)
@settings(max_examples=30, deadline=None)
def test_literals_are_the_size_of_rules_of_any_whole_weights(seed: int) -> None:
    random = np.random.default_rng(seed)
    network = LogicNetwork(4, 3, depth=1, dtype=torch.float64)
    ((fuzzy, selector),) = network.levels()
    left, right = pair_indices(4)
    alpha = random.choice([-1.0, 0.0, 1.0], len(right))
    alpha[right == 4] = random.choice([-1.0, 0.0])  # with false neither is false itself
    alpha[right == 5] = random.choice([0.0, 1.0])  # nor with true
    weights = random.choice([-1.0, 0.0, 1.0], (3, len(right)))
    for i in range(4):  # an input alone once a class: twice would cancel or be added up
        one_of = random.choice(np.flatnonzero((left == i) & (right >= 4)))
        weights[:, one_of] = 0.0
    with torch.no_grad():
        fuzzy.alpha.copy_(torch.from_numpy(alpha))
        selector.weight.copy_(torch.from_numpy(weights))
    assert network.literals().item() == rules_of(network).size


# --- several levels ---------------------------------------------------------------------------


def two_levels(*weights: list[float]) -> LogicNetwork:
    """Two hidden units, a & b and ¬a + b; the second level is *and* throughout."""
    network = LogicNetwork(2, len(weights), width=2, depth=2, dtype=torch.float64)
    (first, hidden), (second, outputs) = network.levels()
    with torch.no_grad():
        first.alpha.copy_(torch.tensor([1.0, -1.0, 1.0, 0.0, 0.0]))
        hidden.weight.copy_(torch.tensor([[1.0, 0, 0, 0, 0], [0, 1.0, 0, 0, 1.0]]))
        second.alpha.fill_(1.0)
        outputs.weight.copy_(torch.tensor(weights))
    return network


def test_a_tanh_stands_between_levels_and_not_behind_the_last() -> None:
    rules = rules_of(two_levels(only(2, 1.0), only(4, 1.0)))
    assert rules.to_text() == "0 = tanh(a & b)\n1 = tanh(¬a + b)"


def test_hidden_units_that_classes_share_are_shared_in_the_rules() -> None:
    both, first = only(PAIR, 1.0), only(2, 1.0)
    rules = rules_of(two_levels(both, [-1.0, *first[1:]], first))
    assert rules.to_text() == "\n".join(
        [
            "h1 = tanh(a & b)",
            "h2 = h1 & (¬a + b)",
            "0  = h2",
            "1  = h1 + ¬h2",
            "2  = h1",
        ]
    )
    assert rules.size == 4, "every input of every hidden unit is counted once"


def test_the_deepest_network_that_a_classifier_allows_can_be_snapped() -> None:
    deep, deeper = (deep_network(MAX_LEVELS + more) for more in (0, 1))
    rows = table(columns=1)
    scores = rules_of(deep).scores(rows)
    np.testing.assert_allclose(scores, snapped_scores(deep, rows), rtol=0, atol=1e-12)
    with pytest.raises(ExpressionError, match="nests at most"):
        rules_of(deeper)


def deep_network(depth: int) -> LogicNetwork:
    """A network that nests as deep as any of its depth: negated *nxor* all the way."""
    network = LogicNetwork(1, 1, width=1, depth=depth, dtype=torch.float64)
    with torch.no_grad():
        for fuzzy, selector in network.levels():
            fuzzy.alpha.fill_(0.0)
            selector.weight.fill_(-1.0)
    return network


# --- what stays as it is ----------------------------------------------------------------------


def test_snapping_leaves_the_network_alone() -> None:
    network = random_network(2, 0)
    before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    rules_of(network)
    assert all(torch.equal(tensor, before[name]) for name, tensor in network.named_parameters())
    assert not any(layer.snapped for level in network.levels() for layer in level)


def test_names_and_labels_are_those_given() -> None:
    rules = snap(random_network(1, 0), ["p q", "not", "c", "d"], ["x", "y", "z"])
    assert rules.features == ("p q", "not", "c", "d")
    assert rules.labels == ("x", "y", "z")


def test_there_must_be_a_label_for_every_output() -> None:
    with pytest.raises(ValueError, match="zip"):
        snap(random_network(1, 0), NAMES, ["x", "y"])


# --- moves ------------------------------------------------------------------------------------


def test_moves_lead_from_the_values_to_their_snapped_values() -> None:
    (level,) = moves(*[small_network([-0.2, 0.9, -0.6, 0.0, 1.0], [0.7, 0.1, -0.8, 0, 1])] * 2)
    assert level.alpha == pytest.approx([0.2, 0.1, -0.4, 0.0, 0.0])
    assert level.weight == pytest.approx(np.array([[0.3, -0.1, -0.2, 0.0, 0.0]]))


@depths
def test_rounding_moves_nothing_by_more_than_a_half(depth: int) -> None:
    network = random_network(depth, 0)
    for level, (fuzzy, selector) in zip(moves(network, network), network.levels(), strict=True):
        for moved, parameter in ((level.alpha, fuzzy.alpha), (level.weight, selector.weight)):
            assert moved.shape == parameter.shape
            assert np.abs(moved).max() <= 0.5
            whole = moved + parameter.detach().numpy()
            assert set(whole.round(12).ravel()) <= {-1.0, 0.0, 1.0}


@depths
def test_moves_go_to_where_the_second_network_snaps(depth: int) -> None:
    before, after = random_network(depth, 0), random_network(depth, 1)
    for level, (fuzzy, selector), (fuzzy_after, selector_after) in zip(
        moves(before, after), before.levels(), after.levels(), strict=True
    ):
        alpha = fuzzy_after.snapped_alpha() - fuzzy.alpha
        weight = selector_after.snapped_weight() - selector.weight
        assert level.alpha.tolist() == alpha.tolist()
        assert level.weight.tolist() == weight.tolist()


def test_networks_of_different_depths_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="zip"):
        moves(random_network(1, 0), random_network(2, 0))


# --- hard thresholds --------------------------------------------------------------------------


def crisp_network(depth: int, seed: int, dtype: torch.dtype) -> LogicNetwork:
    """A network of hard thresholds; its last column never varied."""
    network = random_network(depth, seed, dtype, memberships=2, intercepts=True)
    rows = table(seed=seed)[3:]
    rows[:, -1] = 7.0
    network.membership.fit(torch.from_numpy(rows))
    network.snap(crisp=True)
    return network


@depths
@given(seed=seeds, dtype=st.sampled_from([torch.float32, torch.float64]))
@settings(max_examples=15, deadline=None)
def test_crisp_rules_predict_as_the_network_of_hard_thresholds_on_every_row(
    depth: int, seed: int, dtype: torch.dtype
) -> None:
    network = crisp_network(depth, seed, dtype)
    rules = rules_of(network)
    assert rules.crisp
    assert all(isinstance(each, Step) for each in rules.memberships)
    rows = np.concatenate([table(seed=seed), on_thresholds(rules), np.full((1, 4), np.nan)])
    rows[np.random.default_rng(seed).random(rows.shape) < 0.2] = np.nan  # pairs of unknowns
    with torch.no_grad():
        found = network(torch.from_numpy(rows)).double().numpy()
    np.testing.assert_allclose(rules.scores(rows), found, rtol=0, atol=1e-5)
    second, first = np.sort(found, axis=1)[:, -2:].T
    clear = first - second > 1e-5
    assert rules.predict(rows)[clear].tolist() == found.argmax(axis=1)[clear].tolist()


def on_thresholds(rules: ClassificationRules) -> NDArray[np.float64]:
    """Rows on the thresholds of each column, and one float above and below them."""
    thresholds = np.full((2, 4), 7.0)
    for number, each in enumerate(rules.memberships):
        assert isinstance(each, Step)
        thresholds[number // 4, each.feature] = each.threshold
    beside = [np.nextafter(thresholds, end) for end in (-np.inf, np.inf)]
    return np.concatenate([thresholds, *beside])


def test_hidden_units_of_crisp_rules_are_one_expression_each() -> None:
    several = [rules_of(crisp_network(2, seed, torch.float64)) for seed in range(8)]
    parts = unique_nodes([expr for rules in several for expr in rules.expressions])
    assert not any(isinstance(part, Squash) for part in parts)
    assert max(rules.size for rules in several) > 2, "or there would be nothing to check"

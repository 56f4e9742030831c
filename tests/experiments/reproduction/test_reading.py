from __future__ import annotations

import pytest
import torch

from crisplogic import LogicClassifier
from crisplogic.nn import LogicNetwork
from experiments.reproduction.choices import CHOSEN, READINGS
from experiments.reproduction.reading import (
    EPSILON,
    FlippedFuzzy,
    FlippedGradientFuzzy,
    NormalisedSelector,
    Reading,
)


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def test_what_is_chosen_is_what_the_package_calls_the_papers_way() -> None:
    paper = LogicClassifier.as_in_paper()
    settings = Reading().settings
    assert (paper.depth, paper.width) == (2, Reading().width)
    assert (paper.epochs, paper.batch_size) == (settings.epochs, settings.batch_size)
    assert (paper.learning_rate, paper.l1) == (settings.learning_rate, settings.l1)
    assert (settings.optimizer, settings.loss) == ("sgd", "squared_error")


def test_as_chosen_the_network_is_the_packages_own() -> None:
    network = Reading().network(4, 3, 2, generator())
    own = LogicNetwork(4, 3, width=8, depth=2, copies=2, generator=generator())
    for (name, ours), (_, theirs) in zip(
        network.named_parameters(), own.named_parameters(), strict=True
    ):
        assert torch.equal(ours, theirs), name


def test_every_other_reading_differs_in_one_thing() -> None:
    for name, reading in READINGS.items():
        different = [key for key in vars(CHOSEN) if vars(CHOSEN)[key] != vars(reading)[key]]
        assert len(different) == (name != "as chosen"), name


@pytest.mark.parametrize("reading", READINGS.values(), ids=READINGS)
def test_every_reading_can_be_used_and_learned_from(reading: Reading) -> None:
    network = reading.network(3, 2, 2, generator())
    network(torch.rand(2, 5, 3)).sum().backward()
    for fuzzy, selector in network.levels():
        assert fuzzy.alpha.grad is not None
        assert selector.weight.grad is not None
        assert torch.isfinite(fuzzy.alpha.grad).all()


def test_a_price_that_is_not_scaled_by_the_learning_rate_is_a_hundred_times_as_high() -> None:
    scaled, unscaled = Reading().settings, Reading(price="unscaled").settings
    assert unscaled.l1 * unscaled.learning_rate == pytest.approx(1e-4)
    assert scaled.l1 == pytest.approx(1e-4)


def test_the_authors_selector_keeps_positive_weights_that_sum_to_one() -> None:
    selector = NormalisedSelector(3, 2)
    with torch.no_grad():
        selector.weight.copy_(torch.tensor([[-0.5, 0.2, 0.6], [3.0, 0.0, 1.0]]))
    assert selector.used_weight().tolist() == [
        pytest.approx([0.0, 0.25, 0.75]),
        pytest.approx([0.5, 0.0, 0.5]),
    ]


def test_the_papers_text_flips_an_alpha_close_to_0_and_no_other() -> None:
    fuzzy = FlippedFuzzy(3, epsilon=0.0)
    with torch.no_grad():
        fuzzy.alpha.copy_(torch.tensor([EPSILON / 2, -EPSILON / 2, 0.5]))
    assert fuzzy.used_alpha().tolist() == pytest.approx([-EPSILON / 2, EPSILON / 2, 0.5])
    assert fuzzy.used_alpha().tolist() == pytest.approx([EPSILON / 2, -EPSILON / 2, 0.5])


def test_the_authors_program_takes_the_gradient_of_the_other_side() -> None:
    pairs = torch.tensor([[[1.0, 1.0]], [[-1.0, -1.0]]])
    just_above, just_below = (_slopes(pairs, side * EPSILON / 2) for side in (1, -1))
    true_above, true_below = (_slopes(pairs, side * EPSILON * 2) for side in (1, -1))
    assert just_above == pytest.approx(true_below, abs=0.05)
    assert just_below == pytest.approx(true_above, abs=0.05)
    assert true_above != pytest.approx(true_below, abs=0.05)


def _slopes(pairs: torch.Tensor, alpha: float) -> list[float]:
    """The derivative by alpha on each of the patterns."""
    found = []
    for pattern in pairs:
        fuzzy = FlippedGradientFuzzy(1, epsilon=0.0)
        with torch.no_grad():
            fuzzy.alpha.fill_(alpha)
        fuzzy(pattern).sum().backward()
        assert fuzzy.alpha.grad is not None
        found.append(fuzzy.alpha.grad.item())
    return found

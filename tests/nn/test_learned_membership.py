"""LearnedMembership: where ramps start, what they learn, and what they become in rules."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor

from crisplogic.nn import LearnedMembership, LinearMembership
from crisplogic.nn.learned_membership import MAX_WIDTH, MIN_WIDTH, START_WIDTH
from crisplogic.rules import Ramp

NAN = float("nan")


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def column(*values: float, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.tensor(values, dtype=dtype)[:, None]


def table(rows: int = 30, columns: int = 3, seed: int = 0) -> Tensor:
    """Some rows, with missing cells, and a last column that never varies."""
    values = torch.randn(rows, columns, generator=seeded(seed), dtype=torch.float64) * 5 + 3
    values[torch.rand(rows, columns, generator=seeded(seed)) < 0.1] = NAN
    values[:, -1] = 7.0
    return values


def ramps(
    centres: list[float],
    widths: list[float],
    each: int = 1,
    rows: Tensor | None = None,
    dtype: torch.dtype = torch.float64,
) -> LearnedMembership:
    """Ramps with centres and widths given, over columns that go from -1 to 1."""
    layer = LearnedMembership(len(centres) // each, each, dtype=dtype)
    with torch.no_grad():
        layer.centre.copy_(torch.tensor(centres))
        layer.log_width.copy_(torch.tensor(widths, dtype=torch.float64).log())
    return layer if rows is None else layer.fit(rows)


def scattered(features: int = 3, each: int = 2, copies: int | None = None) -> LearnedMembership:
    """Ramps as after training."""
    layer = LearnedMembership(features, each, copies=copies, dtype=torch.float64)
    torch.nn.init.uniform_(layer.centre, -1, 1, generator=seeded(1))
    torch.nn.init.uniform_(layer.log_width, -3, 1, generator=seeded(2))
    return layer


def grad(parameter: Tensor) -> Tensor:
    assert parameter.grad is not None
    return parameter.grad


# --- the start --------------------------------------------------------------------------------


@pytest.mark.parametrize("copies", [None, 3])
def test_one_ramp_a_column_starts_as_the_papers_membership(copies: int | None) -> None:
    rows = table()
    beyond = torch.cat([rows, 10 * rows, column(torch.inf, -torch.inf).expand(2, 3)])
    layer = LearnedMembership(3, copies=copies, dtype=torch.float64).fit(rows)
    paper = LinearMembership(3).fit(rows)(beyond)
    values = layer(beyond)
    assert values.shape == (*(() if copies is None else (copies,)), len(beyond), 3)
    torch.testing.assert_close(values, paper.expand_as(values), rtol=0, atol=1e-12)


def test_several_ramps_of_a_column_start_apart_within_the_column_and_as_wide() -> None:
    layer = LearnedMembership(50, 3, copies=2, generator=seeded())
    assert layer.centre.unique().numel() == 300
    assert layer.centre.abs().max() <= 1
    assert 0.3 < layer.centre.std() < 0.6
    assert layer.log_width.abs().max() == 0


def test_the_same_generator_gives_the_same_ramps_and_torchs_own_is_left_alone() -> None:
    before = torch.get_rng_state()
    first, second, other = (
        LearnedMembership(4, 2, generator=seeded(seed)).centre for seed in (1, 1, 2)
    )
    assert torch.equal(first, second)
    assert not torch.equal(first, other)
    assert torch.equal(torch.get_rng_state(), before)


# --- the values -------------------------------------------------------------------------------


def test_a_ramp_is_false_before_it_and_true_behind_it_and_zero_at_its_centre() -> None:
    layer = ramps([0.5], [0.25], rows=column(0.0, 100.0))  # it goes from 62.5 to 87.5
    values = layer(column(0.0, 62.5, 68.75, 75.0, 81.25, 87.5, 100.0)).ravel().tolist()
    assert values == pytest.approx([-1.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.0])


def test_a_gradual_ramp_goes_on_beyond_the_training_range() -> None:
    layer = ramps([0.0], [2.0], rows=column(0.0, 10.0))  # it goes from -5 to 15
    values = layer(column(-100.0, -5.0, 0.0, 12.5, 15.0, 1e300)).ravel().tolist()
    assert values == pytest.approx([-1.0, -1.0, -0.5, 0.75, 1.0, 1.0])


@pytest.mark.parametrize("centre", [-1.0, 0.0, 1.0])
@pytest.mark.parametrize("width", [MIN_WIDTH, 1.0, MAX_WIDTH])
def test_every_ramp_has_ended_at_infinity(centre: float, width: float) -> None:
    layer = ramps([centre], [width], rows=column(0.0, 10.0))
    values = layer(column(-torch.inf, torch.inf)).ravel().tolist()
    assert values == pytest.approx([-1.0, 1.0])


def test_the_first_ramps_of_all_columns_come_before_the_second() -> None:
    layer = ramps([-0.5, 0.0, 0.5, 1.0], [0.5] * 4, each=2)
    values = layer(torch.tensor([[0.0, 0.25]], dtype=torch.float64))
    assert values.tolist() == [[1.0, 0.5, -1.0, -1.0]]


def test_a_missing_value_is_unknown_wherever_the_ramps_are() -> None:
    layer = scattered().fit(table())
    rows = table()
    rows[:, 1] = NAN
    values = layer(rows)
    assert values.isfinite().all()
    assert values[:, [1, 4]].abs().max() == 0  # both ramps of the missing column
    assert values[:, 0].abs().max() > 0


@pytest.mark.parametrize("value", [0.0, -7.0, 1e-300, 1e300])
def test_a_column_that_never_varied_is_unknown_everywhere(value: float) -> None:
    layer = ramps([-0.7, 0.3], [0.1, 2.0], each=2, rows=column(value, value, NAN))
    assert not layer(column(value, value + 1, -1e9, torch.inf, NAN)).any()


def test_missing_values_and_constant_columns_give_ramps_no_gradient_and_never_nan() -> None:
    layer = scattered(each=1).fit(table())
    rows = table()
    rows[:, 1] = NAN
    layer(rows).sum().backward()
    for parameter in (layer.centre, layer.log_width):
        assert grad(parameter).isfinite().all()
        assert (grad(parameter) != 0).tolist() == [True, False, False]


def test_gradients_of_the_inputs_pass_inside_a_ramp_and_missing_values_have_none() -> None:
    layer = ramps([0.0], [0.5], rows=column(0.0, 10.0))
    rows = column(5.0, 9.0, NAN, torch.inf).requires_grad_()
    layer(rows).sum().backward()
    assert grad(rows).ravel().tolist() == pytest.approx([0.4, 0.0, 0.0, 0.0])


def test_a_constant_column_gives_its_inputs_no_gradient() -> None:
    layer = LearnedMembership(1, dtype=torch.float64).fit(column(3.0, 3.0))
    rows = column(3.0, 4.0).requires_grad_()
    layer(rows).sum().backward()
    assert not grad(rows).any()


def test_gradients_of_a_ramp_are_those_of_its_formula() -> None:
    layer = ramps([0.25], [0.5])
    layer(column(0.5)).sum().backward()  # half way up: (0.5 - 0.25) / 0.5
    assert grad(layer.centre).item() == pytest.approx(-1 / 0.5)
    assert grad(layer.log_width).item() == pytest.approx(-0.5)


@pytest.mark.parametrize("copies", [None, 3])
def test_gradients_are_those_of_finite_differences(copies: int | None) -> None:
    layer = scattered(each=2, copies=copies).fit(table())
    rows = table(8, seed=5)
    assert torch.autograd.gradcheck(lambda *_: layer(rows), (layer.centre, layer.log_width))


# --- what is computed once --------------------------------------------------------------------


@pytest.mark.parametrize("copies", [None, 2])
def test_values_are_the_degrees_of_what_was_scaled_once(copies: int | None) -> None:
    layer, rows = scattered(copies=copies).fit(table()), table(seed=1)
    scaled = layer.scale(rows)
    assert scaled.shape == rows.shape
    assert torch.equal(scaled.isnan(), rows.isnan() | (torch.arange(3) == 2))
    torch.nn.init.uniform_(layer.centre, -1, 1, generator=seeded(7))
    torch.testing.assert_close(scaled, layer.scale(rows), equal_nan=True)
    assert torch.equal(layer(rows), layer.degrees(scaled))


def test_scaled_columns_go_from_minus_one_to_one_over_the_training_range() -> None:
    rows = table()[:, :2]
    scaled = LearnedMembership(2, dtype=torch.float64).fit(rows).scale(rows)
    assert scaled.nan_to_num(0).amin(0).tolist() == pytest.approx([-1.0, -1.0])
    assert scaled.nan_to_num(0).amax(0).tolist() == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_scaled_columns_and_values_have_the_precision_of_the_layer(dtype: torch.dtype) -> None:
    layer = LearnedMembership(1, dtype=dtype).fit(column(0, 10, dtype=torch.int64))
    for rows in (column(5.0), column(5, dtype=torch.int64), column(5.0, dtype=torch.float32)):
        assert layer.scale(rows).dtype == layer(rows).dtype == dtype


def test_a_narrow_range_far_from_zero_keeps_its_digits_in_single_precision() -> None:
    rows = column(1e9, 1e9 + 0.25, 1e9 + 1.0)
    layer = LearnedMembership(1, dtype=torch.float64).fit(rows).float()
    assert layer(rows).ravel().tolist() == [-1.0, -0.5, 1.0]


# --- bounds -----------------------------------------------------------------------------------


@pytest.mark.parametrize("copies", [None, 2])
@pytest.mark.parametrize("rate", [0.1, 1e3, 1e10])
def test_ramps_stay_in_bounds_in_a_users_own_loop(rate: float, copies: int | None) -> None:
    layer = LearnedMembership(3, 2, copies=copies, generator=seeded()).fit(table())
    optimizer = torch.optim.SGD(layer.parameters(), lr=rate)
    for seed in range(10):
        optimizer.zero_grad()
        loss = (layer(table(seed=seed)) - 0.5).square().mean()
        widths = layer.log_width.exp()
        assert layer.centre.abs().max() <= 1
        assert widths.min() >= MIN_WIDTH * (1 - 1e-6)
        assert widths.max() <= MAX_WIDTH * (1 + 1e-6)
        loss.backward()
        optimizer.step()


def test_a_step_beyond_a_bound_counts_as_a_step_to_it() -> None:
    rows = table(columns=2)
    beyond, at = (
        ramps(*values, rows=rows)
        for values in (([-7.0, 3.0], [1e-9, 1e9]), ([-1.0, 1.0], [MIN_WIDTH, MAX_WIDTH]))
    )
    before_use = beyond.ends()
    torch.testing.assert_close(before_use, at.ends())
    torch.testing.assert_close(beyond(rows), at(rows))


# --- in rules ---------------------------------------------------------------------------------

CENTRES = [-1.0, -0.5, 0.0, 0.2, 1.0, 1.0]
WIDTHS = [MIN_WIDTH, 0.05, 0.3, 1.0, MIN_WIDTH, MAX_WIDTH]


@pytest.mark.parametrize("scale", [1e-300, 1e-7, 1.0, 1e7, 1e300])
@pytest.mark.parametrize("shift", [0.0, -0.9, 3.0])
def test_ends_are_the_ramps_of_the_rules_in_the_columns_own_units(
    scale: float, shift: float
) -> None:
    inside = (torch.linspace(-1, 1, 81, dtype=torch.float64) + shift) * scale
    layer = ramps(CENTRES, WIDTHS, each=len(CENTRES), rows=inside[:, None])
    others = torch.tensor([NAN, torch.inf, -torch.inf, 0.0], dtype=torch.float64)
    # Around the range: within it, a little and far beyond it.
    middle = shift * scale
    spread = [middle + (inside - middle) * factor for factor in (1.0, 1.03, 3.0, 40.0)]
    rows = torch.cat([*spread, others])[:, None]
    expected = layer(rows).detach().numpy()
    lows, highs = (ends.tolist() for ends in layer.ends())
    degrees = [
        Ramp(0, low, high).degree(rows.numpy()) for low, high in zip(lows, highs, strict=True)
    ]
    np.testing.assert_allclose(np.stack(degrees, axis=1), expected, rtol=0, atol=1e-9)
    strictly_between = np.abs(expected) < 1
    assert (strictly_between & (expected != 0)).any(axis=0).all(), "nothing but thresholds"


def test_ends_of_a_column_that_never_varied_are_a_ramp_that_is_unknown() -> None:
    layer = ramps([0.3, -0.9], [0.5, 4.0], rows=torch.tensor([[7.0, NAN], [7.0, NAN]]))
    lows, highs = layer.ends()
    assert lows.tolist() == highs.tolist() == [7.0, 0.0]


def test_ends_are_in_double_precision_whatever_the_layers() -> None:
    layer = LearnedMembership(1, dtype=torch.float32).fit(column(1e9, 1e9 + 1.0))
    assert [end.tolist() for end in layer.ends()] == [[1e9], [1e9 + 1.0]]


def test_ends_are_finite_for_the_widest_range_there_is() -> None:
    widest = torch.finfo(torch.float64).max
    layer = ramps([0.0], [MAX_WIDTH], rows=column(-widest, widest))
    assert [end.item() for end in layer.ends()] == [-widest, widest]
    layer = ramps([0.5], [0.25], rows=column(-widest, widest))
    ends = [end.item() for end in layer.ends()]
    assert ends == pytest.approx([0.25 * widest, 0.75 * widest])


# --- copies -----------------------------------------------------------------------------------


def test_every_copy_has_ramps_of_its_own() -> None:
    layer, rows = scattered(each=2, copies=3).fit(table()), table(seed=1)
    values, (lows, highs) = layer(rows), layer.ends()
    assert values.shape == (3, len(rows), 6)
    assert lows.shape == highs.shape == (3, 6)
    for number in range(3):
        alone = LearnedMembership(3, 2, dtype=torch.float64).fit(table())
        with torch.no_grad():
            alone.centre.copy_(layer.centre[number])
            alone.log_width.copy_(layer.log_width[number])
        assert torch.equal(values[number], alone(rows))
        assert torch.equal(lows[number], alone.ends()[0])
        assert torch.equal(highs[number], alone.ends()[1])
    assert not torch.equal(values[0], values[1])


# --- saving, refusing, printing ---------------------------------------------------------------


def test_range_centres_and_widths_are_saved_and_the_latter_two_trained() -> None:
    layer, rows = scattered().fit(table()), table(seed=1)
    other = LearnedMembership(3, 2, dtype=torch.float64)
    other.load_state_dict(layer.state_dict())
    assert torch.equal(other(rows), layer(rows))
    assert set(dict(layer.named_parameters())) == {"centre", "log_width"}


@pytest.mark.parametrize("each", [0, -1])
def test_no_ramps_are_refused(each: int) -> None:
    with pytest.raises(ValueError, match=f"at least 1 ramp a column, got {each}"):
        LearnedMembership(3, each)


def test_no_features_and_no_copies_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 1 feature, got 0"):
        LearnedMembership(0)
    with pytest.raises(ValueError, match="copies must be None or at least 1, got 0"):
        LearnedMembership(1, copies=0)


@pytest.mark.parametrize("shape", [(), (1,), (5, 1), (5, 4)])
def test_a_wrong_number_of_columns_is_refused_not_broadcast(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"needs inputs of shape \(\.\.\., 3\)"):
        LearnedMembership(3)(torch.zeros(shape))


@pytest.mark.parametrize("shape", [(3,), (0, 3), (5, 4)])
def test_fitting_on_a_wrong_shape_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"fitted on at least 1 row, shape \(rows, 3\)"):
        LearnedMembership(3).fit(torch.zeros(shape))


def test_printing_shows_the_sizes() -> None:
    assert repr(LearnedMembership(9, 2)).split("\n")[1] == "  features=9, per_feature=2"


# --- steps ------------------------------------------------------------------------------------


def crisp(layer: LearnedMembership) -> LearnedMembership:
    layer.crisp = True
    return layer


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_step_is_true_above_its_centre_and_false_at_it_and_below(dtype: torch.dtype) -> None:
    layer = crisp(ramps([0.5], [2.0], rows=column(0.0, 100.0), dtype=dtype))
    values = layer(column(-torch.inf, 0.0, 74.9, 75.0, 75.1, torch.inf, NAN)).ravel().tolist()
    assert values == [-1.0, -1.0, -1.0, -1.0, 1.0, 1.0, 0.0]


def test_a_step_of_a_column_that_never_varied_is_unknown() -> None:
    layer = crisp(ramps([-0.7], [0.1], rows=column(7.0, 7.0)))
    assert not layer(column(7.0, 8.0, -1e9, NAN)).any()


@pytest.mark.parametrize("copies", [None, 2])
@pytest.mark.parametrize("slope_width", [1.0, 0.5])
def test_steps_have_the_gradient_of_ramps_of_the_width_of_their_slopes(
    copies: int | None, slope_width: float
) -> None:
    rows, layer, ramp = table(), *(scattered(copies=copies) for _ in range(2))
    for each in (layer, ramp):
        each.fit(rows)
    crisp(layer).slope_width.fill_(slope_width)
    with torch.no_grad():
        ramp.log_width.add_(np.log(slope_width))
    by_values = torch.rand(len(rows), 6, generator=seeded(3), dtype=torch.float64)
    for each in (layer, ramp):
        (each(rows) * by_values).sum().backward()
    torch.testing.assert_close(grad(layer.centre), grad(ramp.centre))
    assert grad(layer.centre).abs().max() > 0
    assert layer.log_width.grad is None  # a step has no width


def test_slopes_become_narrower_in_the_course_of_training() -> None:
    layer = crisp(scattered())
    widths = []
    for progress in (0.0, 0.5, 1.0):
        layer.narrow_slopes(progress)
        widths.append(layer.slope_width.item())
    assert widths[0] == 1.0
    assert widths[1] == pytest.approx(widths[2] ** 0.5)
    assert widths[2] < 0.2


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("shift", "factor"), [(0, 1), (1e9, 1), (0, 1e-200), (-7, 1e200)])
def test_thresholds_are_the_greatest_numbers_of_which_steps_are_false(
    dtype: torch.dtype, shift: float, factor: float
) -> None:
    layer = LearnedMembership(40, 2, dtype=dtype)
    torch.nn.init.uniform_(layer.centre, -1, 1, generator=seeded(1))
    rows = factor * (torch.randn(30, 40, generator=seeded(), dtype=torch.float64) + shift)
    found = crisp(layer.fit(rows)).thresholds()
    assert found.dtype == torch.float64
    above = torch.nextafter(found, torch.full_like(found, torch.inf))
    first, second = found.split(40)
    at = layer(torch.stack([first, second])), layer(torch.stack(above.split(40)))
    for number, degrees in zip((-1.0, 1.0), at, strict=True):
        own = torch.cat([degrees[0, :40], degrees[1, 40:]])
        assert own.tolist() == [number] * 80


def test_a_threshold_in_the_middle_of_a_column_is_its_middle() -> None:
    layer = crisp(LearnedMembership(2).fit(torch.tensor([[0.0, 5.0], [10.0, 5.0]])))
    assert layer.thresholds().tolist() == [5.0, 5.0]  # the second never varied


def test_every_step_parts_the_values_of_its_column() -> None:
    layer = crisp(ramps([-9.0, 9.0], [1.0, 1.0], each=2, rows=column(0.0, 3.0, 10.0)))
    assert layer(column(0.0, 10.0)).tolist() == [[-1.0, -1.0], [1.0, 1.0]]


# --- where training starts --------------------------------------------------------------------


def test_ramps_start_where_most_values_are() -> None:
    rows = torch.linspace(4, 6, 59, dtype=torch.float64)[:, None]
    rows = torch.cat([rows, column(100.0, NAN)])  # one value is far from the others
    layer = LearnedMembership(1, dtype=torch.float64).fit(rows)
    layer.start_at(layer.scale(rows))
    known = rows[:-1, 0]
    begin, end = layer.ends()
    assert (begin + end).item() / 2 == pytest.approx(known.mean().item())
    deviation = known.std(correction=0).item()
    assert (end - begin).item() / 2 == pytest.approx(START_WIDTH * deviation)


def test_hidden_rows_do_not_move_the_start_of_a_copy() -> None:
    rows = table(40, 3)
    rows[:20] += 40
    weights = torch.ones(2, 40, dtype=torch.float64)
    weights[1, :20] = 0
    layer = LearnedMembership(3, 2, copies=2, dtype=torch.float64, generator=seeded()).fit(rows)
    alone = LearnedMembership(3, 2, copies=2, dtype=torch.float64, generator=seeded()).fit(rows)
    layer.start_at(layer.scale(rows), weights)
    alone.start_at(alone.scale(rows[20:]))
    torch.testing.assert_close(layer.centre[1], alone.centre[1])
    torch.testing.assert_close(layer.log_width[1], alone.log_width[1])
    assert not torch.allclose(layer.log_width[0], alone.log_width[0])


def test_columns_of_two_values_or_of_one_start_as_they_are() -> None:
    rows = torch.tensor([[0.0, 5.0, 1.0], [1.0, 5.0, NAN], [0.0, 5.0, 0.0]]).double()
    layer = LearnedMembership(3, dtype=torch.float64).fit(rows)
    layer.start_at(layer.scale(rows))
    assert not layer.centre.any()
    assert not layer.log_width.any()

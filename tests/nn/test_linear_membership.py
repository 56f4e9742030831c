"""LinearMembership: from a column's units to [-1, 1], whatever is in the column."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from crisplogic.nn import LinearMembership

NAN = float("nan")


def column(*values: float, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.tensor(values, dtype=dtype)[:, None]


def test_the_least_training_value_is_false_and_the_greatest_true() -> None:
    rows = torch.rand(50, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    values = LinearMembership(6).fit(rows)(rows)
    torch.testing.assert_close(values.amin(0), -torch.ones(6, dtype=torch.float64))
    torch.testing.assert_close(values.amax(0), torch.ones(6, dtype=torch.float64))


def test_between_them_it_is_linear() -> None:
    layer = LinearMembership(1).fit(column(10.0, 30.0))
    values = layer(column(10.0, 15.0, 20.0, 27.5, 30.0))
    assert values.ravel().tolist() == [-1.0, -0.5, 0.0, 0.75, 1.0]


def test_values_beyond_the_training_range_are_clipped_infinities_too() -> None:
    layer = LinearMembership(1).fit(column(0.0, 1.0))
    values = layer(column(-5.0, 1e300, -torch.inf, torch.inf))
    assert values.ravel().tolist() == [-1.0, 1.0, -1.0, 1.0]


def test_a_missing_value_is_unknown_and_leaves_the_range_alone() -> None:
    rows = column(NAN, 2.0, 4.0, NAN, 3.0)
    values = LinearMembership(1).fit(rows)(rows)
    assert values.ravel().tolist() == [0.0, -1.0, 1.0, 0.0, 0.0]


@pytest.mark.parametrize("value", [0.0, 0.1, -7.0, 1e-300, 1e300])
def test_a_column_that_never_varied_is_unknown_everywhere(value: float) -> None:
    layer = LinearMembership(1).fit(column(value, value, NAN))
    assert layer(column(value, value + 1, -1e9, NAN)).ravel().tolist() == [0.0] * 4


def test_a_column_without_a_single_value_is_unknown_everywhere() -> None:
    layer = LinearMembership(2).fit(torch.tensor([[NAN, 0.0], [NAN, 1.0]]))
    assert layer(torch.tensor([[5.0, 0.0], [NAN, 1.0]])).tolist() == [[0.0, -1.0], [0.0, 1.0]]


def test_one_training_row_makes_everything_unknown() -> None:
    layer = LinearMembership(2).fit(torch.tensor([[1.0, 2.0]]))
    assert layer(torch.tensor([[0.0, 3.0]])).tolist() == [[0.0, 0.0]]


@pytest.mark.parametrize("scale", [1e-7, 1e7])
def test_the_scale_of_a_column_does_not_matter(scale: float) -> None:
    base = torch.rand(100, 1, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    rows = torch.cat([base, base * scale, base * scale + 1.0], dim=1)
    plain, scaled, shifted = LinearMembership(3).fit(rows)(rows).T
    torch.testing.assert_close(scaled, plain)
    torch.testing.assert_close(shifted, plain, atol=1e-6, rtol=0)


def test_a_narrow_range_far_from_zero_keeps_its_digits() -> None:
    rows = column(1e9, 1e9 + 0.25, 1e9 + 1.0)
    assert LinearMembership(1).fit(rows)(rows).ravel().tolist() == [-1.0, -0.5, 1.0]


def test_the_widest_range_there_is_does_not_overflow() -> None:
    widest = torch.finfo(torch.float64).max
    rows = column(-widest, 0.0, widest)
    assert LinearMembership(1).fit(rows)(rows).ravel().tolist() == [-1.0, 0.0, 1.0]


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_precision_of_the_values_is_that_of_the_inputs(dtype: torch.dtype) -> None:
    assert LinearMembership(1).fit(column(0.0, 1.0))(column(0.5, dtype=dtype)).dtype == dtype


def test_whole_numbers_become_values_of_the_default_precision() -> None:
    rows = column(0, 1, 4, dtype=torch.int64)
    values = LinearMembership(1).fit(rows)(rows)
    assert values.dtype == torch.get_default_dtype()
    assert values.ravel().tolist() == [-1.0, -0.5, 1.0]


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_the_range_keeps_its_digits_when_the_layer_changes_precision(
    dtype: torch.dtype,
) -> None:
    rows = column(1e9, 1e9 + 0.25, 1e9 + 1.0)
    layer = LinearMembership(1).fit(rows).to(dtype)
    assert layer(rows).ravel().tolist() == [-1.0, -0.5, 1.0]


def test_the_range_comes_from_the_training_rows_alone() -> None:
    training, others = column(0.0, 10.0), column(5.0, 40.0)
    layer = LinearMembership(1).fit(training)
    assert layer(others).ravel().tolist() == [0.0, 1.0]
    assert layer(training).ravel().tolist() == [-1.0, 1.0]  # seeing others changed nothing

    with_others = LinearMembership(1).fit(torch.cat([training, others]))
    assert with_others(others).ravel().tolist() == [-0.75, 1.0]


def test_fitting_again_forgets_the_first_range() -> None:
    layer = LinearMembership(1).fit(column(-100.0, 100.0)).fit(column(0.0, 1.0))
    assert layer(column(0.5)).item() == 0.0


def test_before_fitting_values_pass_as_they_are() -> None:
    values = torch.tensor([[-1.0, -0.3, 0.0, 0.3, 1.0]])
    torch.testing.assert_close(LinearMembership(5)(values), values)


def test_the_inputs_are_left_as_they_were() -> None:
    rows = column(NAN, 1.0, 2.0)
    before = rows.clone()
    LinearMembership(1).fit(rows)(rows)
    torch.testing.assert_close(rows, before, equal_nan=True)


def test_nothing_of_it_changes_while_training_scaled_are_the_values_already() -> None:
    rows = torch.cat([column(NAN, 1.0, 2.0), column(3.0, 3.0, 3.0)], dim=1)
    layer = LinearMembership(2).fit(rows)
    assert torch.equal(layer.degrees(layer.scale(10 * rows)), layer(10 * rows))
    assert torch.equal(layer.scale(10 * rows), layer(10 * rows))


def test_unclipped_values_go_on_beyond_the_range() -> None:
    layer = LinearMembership(1).fit(column(10.0, 30.0))
    values = layer.unclipped(column(-10.0, 10.0, 25.0, 70.0, torch.inf))
    assert values.ravel().tolist() == [-3.0, -1.0, 0.5, 5.0, torch.inf]


def test_unclipped_values_are_missing_where_nothing_is_known() -> None:
    layer = LinearMembership(3).fit(torch.tensor([[0.0, 3.0, NAN], [1.0, 3.0, NAN]]))
    values = layer.unclipped(torch.tensor([[NAN, 3.0, 5.0], [0.5, 4.0, NAN]]))
    assert values.isnan().tolist() == [[True, True, True], [False, True, True]]


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.int64])
def test_unclipped_values_are_in_double_precision(dtype: torch.dtype) -> None:
    values = LinearMembership(1).fit(column(0.0, 3.0)).unclipped(column(1.0, dtype=dtype))
    assert values.dtype == torch.float64
    assert values.item() == pytest.approx(-1 / 3, abs=1e-15)


def test_unclipped_values_of_the_widest_range_do_not_overflow() -> None:
    widest = torch.finfo(torch.float64).max
    rows = column(-widest, 0.0, widest)
    assert LinearMembership(1).fit(rows).unclipped(rows).ravel().tolist() == [-1.0, 0.0, 1.0]


def test_its_ends_are_the_least_and_the_greatest_training_value() -> None:
    layer = LinearMembership(2).fit(torch.tensor([[0.0, -5.0], [10.0, NAN], [3.0, 7.0]]))
    assert [end.tolist() for end in layer.ends()] == [[0.0, -5.0], [10.0, 7.0]]


def test_gradients_pass_inside_the_range_and_are_never_nan() -> None:
    layer = LinearMembership(1).fit(column(0.0, 10.0))
    rows = column(5.0, 20.0, NAN).requires_grad_()
    layer(rows).sum().backward()
    assert rows.grad is not None
    assert rows.grad.ravel().tolist() == pytest.approx([0.2, 0.0, 0.0])


def test_the_range_is_saved_and_not_trained() -> None:
    layer = LinearMembership(1).fit(column(0.0, 10.0))
    copy = LinearMembership(1)
    copy.load_state_dict(layer.state_dict())
    assert copy(column(7.5)).item() == 0.5
    assert list(layer.parameters()) == []


@pytest.mark.parametrize("features", [0, -1])
def test_no_features_are_refused(features: int) -> None:
    with pytest.raises(ValueError, match=f"at least 1 feature, got {features}"):
        LinearMembership(features)


@pytest.mark.parametrize("shape", [(), (3,), (0, 3), (5, 1), (5, 4), (2, 5, 3)])
def test_fitting_on_a_wrong_shape_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"fitted on at least 1 row, shape \(rows, 3\)"):
        LinearMembership(3).fit(torch.zeros(shape))


@pytest.mark.parametrize("shape", [(), (1,), (5, 1), (5, 4)])
def test_a_wrong_number_of_columns_is_refused_not_broadcast(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"needs inputs of shape \(\.\.\., 3\)"):
        LinearMembership(3)(torch.zeros(shape))


def test_printing_shows_the_features() -> None:
    assert repr(LinearMembership(9)) == "LinearMembership(features=9)"

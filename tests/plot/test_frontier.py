"""Pictures show what they are given, and a file is complete or not there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from crisplogic.expr import parse
from crisplogic.plot import PlotError, check_can_draw, plot_frontier, save_frontier
from crisplogic.rules import ClassificationRules, Frontier, Point, Ramp, Rule, RuleSet
from crisplogic.rules.held_out import HeldOut
from tests.rules.rule_sets import as_number

SIZES, ERRORS, HELD_OUT = (1, 3, 8), (0.3, 0.2, 0.1), (0.35, 0.25, 0.2)


def rules_of_size(size: int) -> RuleSet:
    rule = Rule("ill", parse(" & ".join("0" * size)))
    return ClassificationRules(("age",), (Ramp(0, 30.0, 50.0),), (rule,))


def frontier(held_out: tuple[float, ...] = HELD_OUT) -> Frontier:
    numbers = zip(SIZES, ERRORS, held_out, strict=True)
    return Frontier(tuple(Point(rules_of_size(size), e, h, h, 0.0) for size, e, h in numbers))


def test_error_against_size_is_drawn_for_training_and_held_out_rows() -> None:
    axes = plot_frontier(frontier(), chosen=3)
    training, held_out, mark = axes.get_lines()
    for line, errors in ((training, ERRORS), (held_out, HELD_OUT)):
        assert np.asarray(line.get_xdata()).tolist() == list(SIZES)
        np.testing.assert_allclose(np.asarray(line.get_ydata()), 100 * np.array(errors))
    assert np.asarray(mark.get_xdata()).tolist() == [3, 3]
    legend = axes.get_legend()
    assert legend is not None
    texts = [text.get_text() for text in legend.get_texts()]
    assert texts == ["training rows", "held-out rows", "chosen: 3 literals"]
    assert axes.get_xlabel() == "literals in all rules together"
    assert axes.get_ylabel() == "wrong predictions (%)"


def test_errors_of_numbers_are_drawn_in_their_units() -> None:
    numbers = frontier().map_rules(as_number)
    axes = plot_frontier(numbers, chosen=3)
    training, held_out, _ = axes.get_lines()
    assert np.asarray(training.get_ydata()).tolist() == list(ERRORS)
    assert np.asarray(held_out.get_ydata()).tolist() == list(HELD_OUT)
    assert axes.get_ylabel() == "root mean squared error"
    assert axes.get_ylim()[0] == 0


def test_a_baseline_and_standard_errors_are_drawn_where_they_are_known() -> None:
    rows = np.random.default_rng(0).random((3, 200)) < np.array(HELD_OUT)[:, None]
    errors = rows.astype(float)
    held_out = HeldOut.measure(errors, errors)
    axes = plot_frontier(replace(frontier(), baseline=0.4, held_out=held_out))
    baseline = axes.get_lines()[-1]
    assert baseline.get_label() == "always the most frequent class"
    assert set(np.asarray(baseline.get_ydata()).tolist()) == {40.0}
    (bars,) = axes.collections
    assert isinstance(bars, LineCollection)
    heights = [segment[:, 1] for segment in bars.get_segments()]
    for (low, high), error in zip(heights, 100 * errors.mean(axis=1), strict=True):
        assert low < error < high
        assert high - low == pytest.approx(2 * np.sqrt(error * (100 - error) / 200), rel=0.3)


def test_network_and_other_rules_are_drawn_where_they_are_known() -> None:
    known = replace(frontier(), network_error=0.05, other_rules_error=0.07)
    lines = {line.get_label(): line for line in plot_frontier(known).get_lines()}
    for name, height in (("network", 5.0), ("crisp rules", 7.0)):
        drawn = np.asarray(lines[f"{name}, held-out rows"].get_ydata())
        np.testing.assert_allclose(drawn, height)


def test_what_is_not_known_is_not_drawn() -> None:
    axes = plot_frontier(frontier((np.nan,) * 3))
    assert [line.get_label() for line in axes.get_lines()] == ["training rows"]
    assert len(axes.collections) == 0


def test_it_draws_on_axes_of_ones_own() -> None:
    axes = Figure().subplots()
    assert plot_frontier(frontier(), ax=axes) is axes
    assert len(axes.get_lines()) == 2


@pytest.mark.parametrize(
    ("name", "start"), [("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.PDF", b"%PDF")]
)
def test_a_picture_is_written_in_the_format_of_its_name(
    name: str, start: bytes, tmp_path: Path
) -> None:
    save_frontier(tmp_path / name, frontier(), chosen=8)
    assert (tmp_path / name).read_bytes().startswith(start)
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["a", "a.docx", "png"])
def test_another_format_is_refused_with_those_that_are_known(name: str) -> None:
    with pytest.raises(PlotError, match=r"ends in \.png, \.svg, \.pdf, got"):
        check_can_draw(Path(name))


def test_without_matplotlib_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("crisplogic.plot._files.find_spec", lambda name: None)
    with pytest.raises(PlotError, match=r"pip install 'crisplogic\[plot\]'"):
        check_can_draw(Path("a.png"))

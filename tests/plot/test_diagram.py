"""Diagrams show all of the rules, as they are written, and nothing covers anything else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch, PathPatch
from matplotlib.transforms import Bbox

from crisplogic.expr import parse
from crisplogic.plot import PlotError, plot_rules, save_rules
from crisplogic.plot._drawing import AGAINST, FOR
from crisplogic.plot.diagram import MAX_LABEL, shorten_labels
from crisplogic.rules import ClassificationRules, Ramp, Rule, RuleSet
from tests.rules.crisp_rules import crisp_rule_sets
from tests.rules.rule_sets import (
    HEALTH,
    LEARNED,
    PRICE,
    as_number,
    number_rule_sets,
    rule_sets,
    rules_of,
)
from tests.strategies import HOSTILE_NAMES

TABLE_TWO = "((0 | 1) + (1 | 2)) | ((3 | 4) + (1 | 3) + (0 | 2))"
DEEP = rules_of(
    f"{TABLE_TWO}",
    "~((0 | 1) + (1 | 2)) & ~(2 ^ 3)",
    "(2 ^ 3) + ~(0 | 1) + ~(0 | 1) + ~(((0 | 1) + ~2) | (2 & 3 & 4 & ~0))",
    "unknown",
)
HOSTILE = (
    "$x^2$ and $y_1$",
    "\\frac{1}{2} \\$",
    "$\\nonsense{$",
    "a_b^c",
    "two\nlines",
    "Ωµ²ä",
)


def many(literals: int, classes: int) -> RuleSet:
    """Terms of two literals each, for and against classes, over columns with long names."""
    features = tuple(f"quite_a_long_name_of_a_column_{i}" for i in range(literals))
    terms = [f"({i} {'&|^'[i % 3]} {i + 1})" for i in range(0, literals - 1, 2)]
    texts = [
        " + ".join(
            "~" * ((i + c) % 2) + term for i, term in enumerate(terms) if (i * c) % 3 < 2
        )
        for c in range(classes)
    ]
    ramps = tuple(Ramp(i, 0.0, i + 1.0) for i in range(literals))
    rules = tuple(Rule(f"class {c}", parse(text)) for c, text in enumerate(texts))
    return ClassificationRules(
        features, ramps, rules, intercepts=tuple(c / 4 for c in range(classes))
    )


def hostile() -> RuleSet:
    rules = (
        Rule("$\\alpha$", parse("(0 & 1) + ~2 + (3 ^ 4)")),
        Rule("cla$$ _^", parse("5 + ~1")),
    )
    return ClassificationRules(HOSTILE, tuple(Ramp(i, 0.0, 2.0) for i in range(6)), rules)


SETS = {
    "one literal": rules_of("0"),
    "health": HEALTH,
    "learned": LEARNED,
    "deep": DEEP,
    "constant": rules_of("unknown", "unknown", "true"),
    "hostile": hostile(),
    "sixty literals": many(60, 10),
    "price": PRICE,
    "long number": as_number(rules_of("0"), "a number", -123456789.123, 0.000012345),
    "base alone": as_number(rules_of("unknown")),
}


def words(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def font_size(ax: Axes) -> float:
    return float(ax.texts[0].get_fontsize())


def signs(ax: Axes, name: str) -> list[Line2D]:
    return [line for line in ax.lines if line.get_gid() == name]


def boxes(ax: Axes) -> list[FancyBboxPatch]:
    return [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]


def curves(ax: Axes) -> list[PathPatch]:
    return [patch for patch in ax.patches if isinstance(patch, PathPatch)]


def figure_of(ax: Axes) -> Figure:
    figure = ax.get_figure(root=True)
    assert figure is not None
    return figure


def extents(ax: Axes) -> list[Bbox]:
    renderer: RendererBase = FigureCanvasAgg(figure_of(ax)).get_renderer()  # type: ignore[no-untyped-call]
    return [text.get_window_extent(renderer) for text in ax.texts]


def apart(places: list[Bbox]) -> bool:
    """Whether none overlaps another."""
    edges = np.array([place.extents for place in places])
    low, high = edges[:, :2], edges[:, 2:]
    inside = (np.minimum(high[:, None], high) > np.maximum(low[:, None], low)).all(axis=2)
    return bool(inside.sum() == len(places))  # each overlaps itself


@pytest.mark.parametrize("name", SETS)
def test_no_words_are_clipped_and_nothing_covers_anything_else(name: str) -> None:
    ax = plot_rules(SETS[name])
    places, frames = extents(ax), [box.get_window_extent() for box in boxes(ax)]
    assert apart(places)
    assert apart(frames)
    x0, y0, x1, y1 = np.array([place.extents for place in places]).T
    page = figure_of(ax).bbox
    assert x0.min() >= page.x0
    assert y0.min() >= page.y0
    assert x1.max() <= page.x1
    assert y1.max() <= page.y1
    for frame in frames:  # and every box has words, which do not leave it
        middle = (frame.y0 < (y0 + y1) / 2) & ((y0 + y1) / 2 < frame.y1)
        assert ((frame.x0 <= x0) & (x1 <= frame.x1) & middle).sum() == 1


@settings(max_examples=8, deadline=None)
@given(rule_sets() | number_rule_sets() | crisp_rule_sets())
@pytest.mark.filterwarnings("ignore:Glyph")  # not every font has every letter
def test_whatever_rules_there_are_can_be_drawn(rules: RuleSet) -> None:
    ax = plot_rules(rules)
    assert len(boxes(ax)) >= len(rules.rules)
    assert apart(extents(ax))


def test_literals_operators_classes_and_intercepts_are_written() -> None:
    drawn = words(plot_rules(LEARNED))
    assert drawn == [
        "glucose>127±37",
        '"body mass"<31.5±6',
        "and",
        "ill",
        "well",
        "= 0.25",
        "glucose<127±37",
        "3",
        "− 1.5",
    ]


def test_a_dot_adds_a_circle_subtracts_and_a_number_says_how_often() -> None:
    ax = plot_rules(rules_of("0 + ~(1 & 2) + ~(1 & 2)", "~0 + 3 + (1 & 2)"))
    added, subtracted = signs(ax, "adds"), signs(ax, "subtracts")
    assert (len(added), len(subtracted)) == (3, 2)
    assert {dot.get_markerfacecolor() for dot in added} == {FOR}
    assert {(dot.get_markerfacecolor(), dot.get_markeredgecolor()) for dot in subtracted} == {
        ("white", AGAINST)
    }
    assert words(ax).count("2") == 1
    assert words(ax)[-2:] == ["adds", "subtracts"]


def test_a_negated_operand_is_dashed_and_has_a_bubble() -> None:
    ax = plot_rules(rules_of("~(0 & 1) | 2"))
    assert len(signs(ax, "not")) == 1
    styles = {
        to_hex(curve.get_edgecolor()).upper(): curve.get_linestyle() for curve in curves(ax)
    }
    assert styles[FOR] == "-" != styles[AGAINST]
    assert words(ax)[-2:] == ["adds", "not"]


def test_where_nothing_is_denied_there_is_no_legend() -> None:
    ax = plot_rules(rules_of("(0 & 1) + 2"))
    assert "adds" not in words(ax)
    assert not signs(ax, "subtracts") + signs(ax, "not")


def test_a_shared_part_is_drawn_once_with_a_line_to_each_that_mentions_it() -> None:
    ax = plot_rules(rules_of("(0 & 1) | 2", "(0 & 1) | 3", "~(0 & 1)"))
    assert words(ax).count("and") == 1
    assert len(signs(ax, "adds")) == 2
    assert len(signs(ax, "subtracts")) == 1


def test_classes_without_terms_are_boxes_with_a_number() -> None:
    rules = rules_of("unknown", "unknown", labels=("benign", "malignant"))
    ax = plot_rules(
        ClassificationRules(rules.features, rules.memberships, rules.rules, 1.0, (0.44, 0.0))
    )
    assert words(ax) == ["benign", "= 0.44", "malignant", "= 0"]
    assert not ax.lines


def test_beside_a_number_stands_how_it_follows_from_its_terms() -> None:
    assert words(plot_rules(PRICE))[-4:] == ["price", "= 22.5 + 4.125 × Σ", "adds", "subtracts"]
    assert words(plot_rules(SETS["base alone"])) == ["price", "= 22.5"]
    assert len(boxes(plot_rules(PRICE))) == 2


def test_names_are_drawn_as_they_are_written_and_no_formula_is_looked_for() -> None:
    ax = plot_rules(hostile())
    drawn = words(ax)
    assert '"$x^2$ and $y_1$">1±1' in drawn
    assert '"$\\\\nonsense{$"<1±1' in drawn
    assert '"two\\nlines">1±1' in drawn
    assert '"$\\\\alpha$"' in drawn
    assert not any(text.get_parse_math() or text.get_usetex() for text in ax.texts)


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_hostile_names_can_be_saved_in_every_format(suffix: str, tmp_path: Path) -> None:
    save_rules(tmp_path / f"rules.{suffix}", hostile())
    assert [path.name for path in tmp_path.iterdir()] == [f"rules.{suffix}"]


def test_every_hostile_name_can_be_a_column() -> None:
    text = " + ".join(map(str, range(len(HOSTILE_NAMES))))
    ax = plot_rules(rules_of(text, features=HOSTILE_NAMES))
    assert len(set(words(ax))) == len(HOSTILE_NAMES) + 1
    assert all(word.isprintable() for word in words(ax))


def test_a_page_is_filled_but_not_left_by_sixty_literals() -> None:
    figure, small = (
        figure_of(plot_rules(many(60, 10))),
        figure_of(plot_rules(rules_of("0 & 1"))),
    )
    assert figure.get_figwidth() < 7.5
    assert 9 < figure.get_figheight() < 14
    assert small.get_figheight() < 1


def test_it_draws_on_axes_of_ones_own_as_small_as_they_are() -> None:
    axes = Figure(figsize=(2.0, 1.0)).subplots()
    assert plot_rules(DEEP, ax=axes) is axes
    assert font_size(axes) < font_size(plot_rules(DEEP))
    assert apart(extents(axes))


def test_in_a_large_place_words_are_no_larger() -> None:
    axes = Figure(figsize=(20.0, 20.0)).subplots()
    plot_rules(HEALTH, ax=axes)
    assert font_size(axes) == font_size(plot_rules(HEALTH))


def test_rules_too_large_for_any_picture_are_refused() -> None:
    rules = rules_of(
        " + ".join(f"({i % 5} & {(i + 1) % 5} & {'0 & ' * (i + 1)}1)" for i in range(40))
    )
    with pytest.raises(PlotError, match=r"at most 500 literals.*rules_at"):
        plot_rules(rules)


def test_another_format_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(PlotError, match=r"ends in \.png"):
        save_rules(str(tmp_path / "rules.docx"), HEALTH)
    assert not list(tmp_path.iterdir())


def test_importing_plots_and_reports_loads_nothing_that_draws_and_no_torch() -> None:
    heavy = "{'matplotlib', 'torch', 'jinja2', 'anywidget'}"
    code = f"import sys, crisplogic.plot, crisplogic.report; print({heavy} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"


# --- labels -----------------------------------------------------------------------------------

long_texts = st.text(alphabet="ab>1", max_size=60)


@settings(max_examples=40)
@given(st.lists(long_texts, max_size=6))
def test_different_texts_stay_different_and_short_ones_as_they_are(texts: list[str]) -> None:
    short = shorten_labels(texts)
    assert set(short) == set(texts)
    assert len(set(short.values())) == len(short)
    assert all(short[text] == text for text in texts if len(text) <= MAX_LABEL)


def test_a_long_name_keeps_its_beginning_its_end_and_its_threshold() -> None:
    name = "number_of_previous_admissions_to_any_hospital"
    assert shorten_labels([f"{name}>12.5"]) == {
        f"{name}>12.5": "number_of_prev…_any_hospital>12.5"
    }
    assert len(shorten_labels([name])[name]) == MAX_LABEL


def test_names_that_differ_in_the_middle_only_are_longer() -> None:
    texts = ["a" * 20 + middle + "a" * 20 for middle in "xy"]
    assert all(
        letter in short
        for letter, short in zip("xy", shorten_labels(texts).values(), strict=True)
    )


def test_a_short_form_keeps_the_threshold_of_a_step() -> None:
    long = "mean_corpuscular_haemoglobin"
    short = shorten_labels([f"{long}≤127", f"{long}>=40"], max_length=20)
    assert list(short.values()) == ["mean_corpu…emoglobin≤127", "mean_corpu…emoglobin>=40"]

"""A card shows every statement with what it is worth, and what follows from the count."""

from __future__ import annotations

import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgba
from matplotlib.figure import Figure
from matplotlib.text import Text

from crisplogic.expr import parse
from crisplogic.plot import PlotError, plot_checklist
from crisplogic.plot._drawing import AGAINST, FOR
from crisplogic.rules import (
    ClassificationRules,
    Flag,
    RegressionRules,
    Rule,
    RuleSet,
    Step,
)
from crisplogic.rules.checklist import Checklist, normal_form
from crisplogic.rules.describe import percent
from tests.rules.rule_sets import LEARNED

NAMES = ("age", "glucose", "body mass", "smoker")
INPUTS = Step(0, 60.0), Step(1, 127.0), Step(2, 30.5), Flag(3)


def checklist(text: str, shift: float = -0.5) -> ClassificationRules:
    both = Rule("ill", parse(text)), Rule("well", parse("unknown"))
    return ClassificationRules(NAMES, INPUTS, both, 1.0, (shift, 0.0), crisp=True)


def card(*texts: str, labels: tuple[str, ...] = ("a", "b", "c")) -> ClassificationRules:
    rules = tuple(Rule(*each) for each in zip(labels, map(parse, texts), strict=True))
    zeros = (0.0,) * len(rules)
    return ClassificationRules(NAMES, INPUTS, rules, 1.0, zeros, crisp=True)


def texts_of(ax: Axes, gid: str) -> list[Text]:
    return [text for text in ax.texts if text.get_gid() == gid]


def words_of(ax: Axes, gid: str) -> list[str]:
    return [text.get_text() for text in texts_of(ax, gid)]


def boxes(ax: Axes, gid: str) -> int:
    return sum(patch.get_gid() == gid for patch in ax.patches)


def test_a_checklist_has_a_box_for_every_statement() -> None:
    ax = plot_checklist(checklist("0 + ~1 + (1 | 3)"))
    assert words_of(ax, "statement") == [
        "age is above 60",
        "glucose is at most 127",
        "glucose is above 127, or smoker is yes",
    ]
    assert boxes(ax, "box") == 3
    assert words_of(ax, "points") == []
    texts = [text.get_text() for text in ax.texts]
    assert texts[0] == "ill, if at least 2 of these 3 statements hold:"
    assert "otherwise well" in texts
    heights = [text.get_position()[1] for text in texts_of(ax, "statement")]
    assert heights == sorted(heights, reverse=True)


def test_below_a_checklist_is_how_likely_the_class_is_at_every_count() -> None:
    rules = checklist("0 + 1 + 3")
    ax = plot_checklist(rules)
    form = normal_form(rules)
    assert isinstance(form, Checklist)
    assert words_of(ax, "chances") == [percent(form.probability(n)) for n in range(4)]
    counts = [patch for patch in ax.patches if patch.get_gid() == "count"]
    blue = [to_hex(patch.get_facecolor()) == FOR.lower() for patch in counts]
    assert blue == [n >= form.needed for n in range(4)] == [False, False, True, True]


def test_statements_of_different_worth_have_points() -> None:
    ax = plot_checklist(checklist("0 + 0 + 1"))
    assert words_of(ax, "head") == ["points"]
    assert words_of(ax, "points") == ["+2", "+1"]
    assert boxes(ax, "box") == 0
    assert len(words_of(ax, "chances")) == 4


def test_a_score_card_has_a_column_for_every_class() -> None:
    ax = plot_checklist(card("0 + 0 + 2", "~0 + 1", "~1 + ~1"))
    assert words_of(ax, "head") == ["a", "b", "c"]
    rows = len(words_of(ax, "statement"))
    cells = texts_of(ax, "points")
    assert len(cells) == 3 * rows
    heads = [text.get_position()[0] for text in texts_of(ax, "head")]
    assert [cell.get_position()[0] for cell in cells[:3]] == heads
    points = {
        text: words_of(ax, "points")[3 * at : 3 * at + 3]
        for at, text in enumerate(words_of(ax, "statement"))
    }
    assert points["to begin with"] == ["-1.5", "+1", "-1"]
    assert points["age is above 60"] == ["+2", "-1", "."]
    assert points["glucose is at most 127"] == [".", "-1", "+2"]


def test_blue_adds_and_orange_takes_away_the_more_the_darker() -> None:
    ax = plot_checklist(card("0 + 0 + 2", "~0 + 1", "2"))
    shades: dict[str, set[float]] = {}
    for patch in ax.patches:
        face = to_rgba(patch.get_facecolor())
        shades.setdefault(to_hex(face), set()).add(round(face[3], 3))
    assert set(shades) == {FOR.lower(), AGAINST.lower()}
    assert len(shades[FOR.lower()]) > 1


def test_a_number_has_amounts() -> None:
    rule = (Rule("price", parse("0 + 0 + ~1")),)
    rules = RegressionRules(NAMES, INPUTS, rule, 2.5, (10.0,), crisp=True)
    ax = plot_checklist(rules)
    assert ax.texts[0].get_text() == "price = 2.5, and"
    assert words_of(ax, "head") == ["amount"]
    assert words_of(ax, "points") == ["+10", "+5"]


def test_a_long_statement_is_drawn_as_its_parts_further_to_the_right() -> None:
    ax = plot_checklist(checklist("(0 & (1 | 2 & 3)) + (0 & 1 & 2 | ~0 & 3) + 3"))
    lines = texts_of(ax, "statement")
    assert lines[0].get_text() == "both of these hold:"
    assert lines[1].get_text() == "- age is above 60"
    assert lines[1].get_position()[0] > lines[0].get_position()[0]
    assert boxes(ax, "box") == 3


@pytest.mark.parametrize("rules", [checklist("0 & 1"), card("0", "1", "2")])
def test_everything_is_inside_of_the_picture(rules: RuleSet) -> None:
    ax = plot_checklist(rules)
    assert_inside(ax)


def assert_inside(ax: Axes) -> None:
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.canvas.draw()
    for text in ax.texts:
        box = text.get_window_extent()
        assert box.x0 >= figure.bbox.x0
        assert box.x1 <= figure.bbox.x1
        assert box.y0 >= figure.bbox.y0
        assert box.y1 <= figure.bbox.y1


def test_long_and_hostile_names_stay_inside_and_are_no_formulas() -> None:
    names = ("$x^2$", "a\nb", "w" * 200, "\\frac{1}{")
    rules = checklist("0 + (1 | 2) + 3").rename(dict(zip(NAMES, names, strict=True)))
    rules = rules.rename(labels={"ill": "$\\bad{$", "well": "two\nlines"})
    ax = plot_checklist(rules)
    assert_inside(ax)
    assert not any(text.get_parse_math() for text in ax.texts)
    assert not any("\n" in text.get_text() for text in ax.texts)
    assert '"$x^2$" is above 60' in words_of(ax, "statement")


def test_on_small_axes_everything_is_smaller() -> None:
    rules = checklist("0 + 1 + 3")
    large, small = plot_checklist(rules), Figure(figsize=(2, 1)).subplots()
    plot_checklist(rules, small)
    sizes = [float(ax.texts[0].get_fontsize()) for ax in (small, large)]
    assert sizes[0] < sizes[1]


def test_graded_rules_are_no_card() -> None:
    with pytest.raises(PlotError, match=r"these are graded .*plot_rules"):
        plot_checklist(LEARNED)

"""Names of inputs as they stand in text, with the comparisons that they may end in."""

from __future__ import annotations

import pytest
from hypothesis import example, given

from crisplogic.errors import ExpressionError
from crisplogic.expr.lexicon import RESERVED, name_of_input, opposite, parted, written_name
from expr.comparisons import NEARLY, NUMBERS, columns, comparisons
from strategies import HOSTILE_NAMES


@pytest.mark.parametrize("name", ["age", "ä", "x1", "x.y", "_", "And", "血糖"])
def test_plain_words_stand_as_they_are(name: str) -> None:
    assert written_name(name) == name


@pytest.mark.parametrize("name", ["", "0", "1st", "a b", "a-b", ".x", "tanh", "true", "a\n"])
def test_everything_else_is_quoted(name: str) -> None:
    assert written_name(name)[0] == written_name(name)[-1] == '"'


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_words_with_a_meaning_are_quoted(name: str) -> None:
    assert written_name(name) == f'"{name}"'


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_no_name_spans_lines(name: str) -> None:
    assert "\n" not in written_name(name)
    assert "\n" not in written_name(name + ">5")


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("sign", "<>")
def test_a_comparison_stands_after_the_column_as_it_is(sign: str, number: str) -> None:
    comparison = sign + number
    assert written_name("age" + comparison) == "age" + comparison
    assert written_name("body mass" + comparison) == '"body mass"' + comparison
    assert written_name("not" + comparison) == '"not"' + comparison
    assert written_name("0" + comparison) == '"0"' + comparison


@given(columns, comparisons)
def test_a_name_parts_into_what_it_was_made_of(column: str, comparison: str) -> None:
    assert parted(column + comparison) == ((column, comparison) if column else (comparison, ""))


@given(columns, comparisons)
@example("a>5", ">3")
def test_the_contrary_of_the_contrary_is_the_name_itself(column: str, comparison: str) -> None:
    name = column + comparison
    contrary = opposite(name)
    if not column:
        assert contrary is None
        return
    assert contrary is not None
    turned = {"<": ">", ">": "<"}[comparison[0]]
    assert contrary == column + turned + comparison[1:]
    assert opposite(contrary) == name


@pytest.mark.parametrize("name", NEARLY)
def test_what_only_looks_like_a_comparison_is_a_part_of_the_name(name: str) -> None:
    assert parted(name) == (name, "")
    assert opposite(name) is None
    assert written_name(name) == f'"{name}"'


def test_without_names_inputs_are_numbers() -> None:
    assert name_of_input(3, None) == "3"


def test_an_input_without_a_name_is_an_error() -> None:
    with pytest.raises(ExpressionError, match="uses input 2, but there are only 2 names"):
        name_of_input(2, ["a", "b"])

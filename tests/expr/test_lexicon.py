"""Names of inputs as they stand in text."""

from __future__ import annotations

import pytest

from crisplogic.errors import ExpressionError
from crisplogic.expr.lexicon import RESERVED, name_of_input, written_name
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


def test_without_names_inputs_are_numbers() -> None:
    assert name_of_input(3, None) == "3"


def test_an_input_without_a_name_is_an_error() -> None:
    with pytest.raises(ExpressionError, match="uses input 2, but there are only 2 names"):
        name_of_input(2, ["a", "b"])

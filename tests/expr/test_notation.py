"""Names of inputs as they stand in text, with comparisons, values and gaps."""

from __future__ import annotations

import copy
import json
import pickle

import pytest
from hypothesis import example, given

from crisplogic.errors import ExpressionError
from crisplogic.expr.notation import (
    BARE_VALUE,
    OPERATORS,
    RESERVED,
    Statement,
    name_of_column,
    name_of_input,
    opposite,
    split_comparison,
    written_name,
    written_value,
)
from tests.expr.comparisons import NEARLY, NUMBERS, columns, comparisons
from tests.strategies import HOSTILE_NAMES, HOSTILE_VALUES, statements, values


@pytest.mark.parametrize("name", ["age", "ä", "x1", "x.y", "_", "And", "血糖"])
def test_plain_words_stand_as_they_are(name: str) -> None:
    assert written_name(name) == name


@pytest.mark.parametrize("name", ["", "0", "1st", "a b", "a-b", ".x", "tanh", "true", "a\n"])
def test_everything_else_is_quoted(name: str) -> None:
    assert written_name(name)[0] == written_name(name)[-1] == '"'


def test_only_what_cannot_be_printed_is_escaped() -> None:
    assert written_name("\u202eשלום 😀\t") == '"\\u202eשלום 😀\\t"'
    assert written_name("a\udc80é b") == '"a\\udc80é b"'


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
    assert split_comparison(column + comparison) == (column, comparison)


@given(columns, comparisons)
@example("a>5", ">3")
def test_the_contrary_of_the_contrary_is_the_name_itself(column: str, comparison: str) -> None:
    name = column + comparison
    contrary = opposite(name)
    assert contrary is not None
    turned = {"<": ">", ">": "<"}[comparison[0]]
    assert contrary == column + turned + comparison[1:]
    assert opposite(contrary) == name


@pytest.mark.parametrize("name", NEARLY)
def test_what_only_looks_like_a_comparison_is_a_part_of_the_name(name: str) -> None:
    assert split_comparison(name) == (name, "")
    assert opposite(name) is None
    assert written_name(name) == f'"{name}"'


def test_without_names_inputs_are_numbers() -> None:
    assert name_of_input(3, None) == "3"


def test_an_input_without_a_name_is_an_error() -> None:
    with pytest.raises(ExpressionError, match="uses input 2, but there are only 2 names"):
        name_of_input(2, ["a", "b"])


# --- statements -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        (Statement.of_value("colour", "red"), "colour is red"),
        (Statement.of_value("eye colour", "light blue"), '"eye colour" is "light blue"'),
        (Statement.of_value("age", "18-25"), "age is 18-25"),
        (Statement.of_value("cylinders", "4"), "cylinders is 4"),
        (Statement.of_value("t", "-0.5"), "t is -0.5"),
        (Statement.of_value("smoker", "true"), "smoker is true"),
        (Statement.of_value("colour", "missing"), 'colour is "missing"'),
        (Statement.of_value("colour", "other"), 'colour is "other"'),
        (Statement.of_value("colour", "not"), 'colour is "not"'),
        (Statement.of_value("colour", ""), 'colour is ""'),
        (Statement.of_value("pay", "<=50K"), 'pay is "<=50K"'),
        (Statement.of_value("a>5", "x"), '"a>5" is x'),
        (Statement.of_value("is", "is"), "is is is"),
        (Statement.missing("glucose"), "glucose is missing"),
        (Statement.missing("not"), '"not" is missing'),
        (Statement.other("colour"), "colour is other"),
    ],
)
def test_a_statement_is_the_text_that_it_is_written_as(statement: Statement, text: str) -> None:
    assert statement == text == written_name(statement) == str(statement)
    assert name_of_input(0, [statement]) == text


def test_the_contrary_of_a_statement_has_a_not() -> None:
    assert opposite(Statement.of_value("colour", "red")) == "colour is not red"
    assert opposite(Statement.of_value("x", "not")) == 'x is not "not"'
    assert opposite(Statement.missing("a b")) == '"a b" is not missing'
    assert opposite(Statement.other("colour")) == "colour is not other"


def parts(statement: Statement) -> tuple[str, str, str]:
    return str(statement), statement.column, statement.ending


@given(statements)
def test_the_contrary_of_the_contrary_is_the_statement_itself(statement: Statement) -> None:
    contrary = statement.opposite()
    again = contrary and contrary.opposite()
    assert again is not None
    assert parts(again) == parts(statement)


@given(statements)
def test_statements_can_be_copied_and_kept(statement: Statement) -> None:
    for again in (copy.deepcopy(statement), pickle.loads(pickle.dumps(statement))):
        assert type(again) is Statement
        assert parts(again) == parts(statement)


@given(statements)
def test_nothing_in_a_statement_is_obeyed_by_a_terminal(statement: Statement) -> None:
    assert statement.isprintable()
    assert str(statement.opposite()).isprintable()


@pytest.mark.parametrize("value", HOSTILE_VALUES)
def test_a_value_is_bare_or_quoted(value: str) -> None:
    written = written_value(value)
    bare = BARE_VALUE.fullmatch(written) and written not in {*OPERATORS, "missing", "other"}
    assert bare or written[0] == written[-1] == '"'


@given(values, values)
def test_different_values_are_written_differently(one: str, other: str) -> None:
    assert (written_value(one) == written_value(other)) == (one == other)
    assert {written_value(one), written_value(other)}.isdisjoint({"missing", "other", "not"})


@pytest.mark.parametrize("column", ["x>5", "x<-1e3", "x>5+/-2", ">5", '"x">5'])
def test_a_column_that_looks_like_a_comparison_is_quoted_and_has_no_contrary(
    column: str,
) -> None:
    name = name_of_column(column)
    assert written_name(name) == json.dumps(column)
    assert written_name(name) != written_name(column)
    assert opposite(name) is None

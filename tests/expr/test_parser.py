"""Text to expressions: every notation, the paper's brackets, and errors that show the place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisplogic.errors import ExpressionError
from crisplogic.expr import (
    ASCII,
    PAPER,
    And,
    Const,
    Expr,
    Not,
    Notation,
    Or,
    Squash,
    Sum,
    Var,
    Xor,
    parse,
    to_text,
)
from crisplogic.expr.nodes import MAX_DEPTH
from crisplogic.expr.notation import Statement
from tests.expr.comparisons import COLUMNS, NUMBERS, compared_names
from tests.strategies import HOSTILE_NAMES, INPUTS, expressions, names, stated_names

A, B, C, D = map(Var, range(4))


@pytest.mark.parametrize(
    ("texts", "expr"),
    [
        (["¬0", "~0", "!0", "not 0", "~ 0", "(~0)", "~(0)"], Not(A)),
        (["0 & 1", "0&1", "0 ∧ 1", "0 and 1", "(0) & (1)", "\t0\n&\r1 "], And((A, B))),
        (["0 | 1", "0 ∨ 1", "0 or 1"], Or((A, B))),
        (["0 ⊕ 1", "0 ^ 1", "0 xor 1"], Xor((A, B))),
        (["0 + 1", "0+1"], Sum((A, B))),
        (["tanh(0)", "tanh (0)"], Squash(A)),
        (["true"], Const(1.0)),
        (["false"], Const(-1.0)),
        (["unknown"], Const(0.0)),
        (["0", "00", "((0))", "٠"], A),
    ],
)
def test_every_spelling_means_the_same(texts: list[str], expr: Expr) -> None:
    for text in texts:
        assert parse(text) == expr


@pytest.mark.parametrize(
    ("bare", "bracketed"),
    [
        ("~0 & 1", "(~0) & 1"),
        ("0 & 1 ^ 2", "(0 & 1) ^ 2"),
        ("0 ^ 1 & 2", "0 ^ (1 & 2)"),
        ("0 ^ 1 | 2", "(0 ^ 1) | 2"),
        ("0 | 1 ^ 2", "0 | (1 ^ 2)"),
        ("0 | 1 + 2", "(0 | 1) + 2"),
        ("0 + 1 | 2", "0 + (1 | 2)"),
        ("3 + 2 | 1 ^ 0 & ~1", "3 + (2 | (1 ^ (0 & (~1))))"),
    ],
)
def test_not_binds_tightest_then_and_xor_or_and_the_sum(bare: str, bracketed: str) -> None:
    assert parse(bare) == parse(bracketed)


def test_an_operator_takes_all_its_operands_at_once_but_keeps_brackets() -> None:
    assert parse("0 & 1 & 2") == And((A, B, C))
    assert parse("(0 & 1) & 2") == And((And((A, B)), C))


def test_a_sum_inside_logic_gets_the_tanh_that_the_paper_leaves_out() -> None:
    hidden = Squash(Sum((A, B)))
    assert parse("(0 + 1) & 2") == And((hidden, C))
    assert parse("~(0 + 1)") == Not(hidden)
    assert parse("tanh(0 + 1) & 2") == And((hidden, C))


def test_a_sum_outside_logic_has_no_tanh() -> None:
    assert parse("(0 + 1)") == Sum((A, B))
    assert parse("(0 + 1) + (2 + 3)") == Sum((A, B, C, D))
    assert parse("tanh(0 + 1) + 2") == Sum((Squash(Sum((A, B))), C))


def test_names_stand_for_inputs() -> None:
    columns = ["age", "body mass", "not"]
    assert parse('age & ~"body mass" | "not"', columns) == Or((And((A, Not(B))), C))
    assert parse('"age"', columns) == A
    assert parse('"body\\u0020mass"', columns) == B


def test_numbers_stand_for_inputs_even_where_there_are_names() -> None:
    assert parse("0 & 1", ["1", "0"]) == And((A, B))
    assert parse('"0" & "1"', ["1", "0"]) == And((B, A))


@pytest.mark.parametrize("name", HOSTILE_NAMES)
@pytest.mark.parametrize("notation", [PAPER, ASCII])
def test_any_name_survives_printing_and_reading(name: str, notation: Notation) -> None:
    expr = Not(A) & Squash(A + B)
    columns = [name, "other"]
    assert parse(to_text(expr, columns, notation), columns) == expr


@given(expressions, st.sampled_from([PAPER, ASCII]))
def test_what_is_printed_reads_back_the_same(expr: Expr, notation: Notation) -> None:
    assert parse(to_text(expr, notation=notation)) == expr


@given(expressions, names, st.sampled_from([PAPER, ASCII]))
def test_what_is_printed_with_names_reads_back_the_same(
    expr: Expr, names: list[str], notation: Notation
) -> None:
    assert parse(to_text(expr, names, notation), names) == expr


@pytest.mark.parametrize("number", NUMBERS)
def test_a_comparison_belongs_to_the_name_before_it(number: str) -> None:
    columns = ["age>" + number, "body mass<" + number]
    assert parse(f'age>{number} & "body mass"<{number}', columns) == And((A, B))
    assert parse(f'"age" > {number}|~"body mass"\t<\n{number}', columns) == Or((A, Not(B)))
    assert parse(f'"age>{number}"', columns) == A


def test_the_contrary_of_a_comparison_is_its_negation() -> None:
    columns = ["age>41", "body mass<31.5", "age>5"]
    assert parse("age<41", columns) == Not(A)
    assert parse('"body mass">31.5 ^ ~age<5', columns) == Xor((Not(B), Not(Not(C))))
    assert parse("age<41 & age>41", columns) == And((Not(A), A))


def test_a_contrary_that_is_an_input_itself_is_that_input() -> None:
    columns = ["age>41", "age<41"]
    assert parse("age<41 & ~age>41", columns) == And((B, Not(A)))


@pytest.mark.parametrize("text", ["age<41.0", "age<42", "age", "Age<41", "age<-41", '"age<42"'])
def test_only_the_exact_opposite_is_a_contrary(text: str) -> None:
    with pytest.raises(ExpressionError, match=r"unknown name .*; the names are 'age>41'"):
        parse(text, ["age>41"])


@pytest.mark.parametrize("text", ["age<41", "age>41"])
def test_a_comparison_that_two_inputs_are_called_by_is_not_guessed_at(text: str) -> None:
    with pytest.raises(ExpressionError, match="several inputs have the name"):
        parse(text, ["age>41", "age>41"])


@pytest.mark.parametrize(
    ("text", "position", "problem"),
    [
        (">5", 0, "expected an input, a constant or an opening bracket, found '>5'"),
        ("age>=41", 0, "unknown name age>=41; the names are 'age>41'"),
        ("age<=41", 0, "unknown name age<=41; the names are 'age>41'"),
        ("age=41", 3, "a threshold is written column>12.5"),
        ("age>x", 3, "a threshold is written column>12.5"),
        ("age>41>42", 6, "expected an operator or the end, found '>42'"),
        ("0>5", 1, "expected an operator or the end, found '>5'"),
        ("(age<41)>41", 8, "expected an operator or the end, found '>41'"),
        ("true>5", 4, "expected an operator or the end, found '>5'"),
        ("age>41 age>41", 7, "expected an operator or the end, found 'age'"),
        ("age>41x", 6, "expected an operator or the end, found 'x'"),
        ("age & age>41", 0, "unknown name age; the names are 'age>41'"),
    ],
)
def test_a_comparison_out_of_place_is_an_error_that_shows_where(
    text: str, position: int, problem: str
) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text, ["age>41"])
    message, line, mark = str(caught.value).split("\n")
    assert problem in message
    assert line == "  " + text
    assert mark == " " * (2 + position) + "^"


def test_a_comparison_needs_names() -> None:
    with pytest.raises(ExpressionError, match="no names were given"):
        parse("age>41")


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("comparison", [">5", "<-2.5e-07"])
@pytest.mark.parametrize("notation", [PAPER, ASCII])
def test_any_column_survives_printing_and_reading_with_a_comparison(
    column: str, comparison: str, notation: Notation
) -> None:
    expr = Not(A) & Squash(A + B) & Not(Not(A))
    columns = [column + comparison, "other"]
    assert parse(to_text(expr, columns, notation), columns) == expr


def test_inputs_that_are_contraries_of_each_other_survive_printing_and_reading() -> None:
    columns = ["a>5", "a<5"]
    expr = And((Not(A), Not(B), A, B))
    assert parse(to_text(expr, columns), columns) == expr


@given(expressions, compared_names, st.sampled_from([PAPER, ASCII]))
def test_what_is_printed_with_comparisons_reads_back_the_same(
    expr: Expr, names: list[str], notation: Notation
) -> None:
    assert parse(to_text(expr, names, notation), names) == expr


@given(st.text(alphabet='01 ~&|^+()<>-.e"\\ax\n'))
def test_any_text_with_comparisons_is_read_or_refused(text: str) -> None:
    columns = ["a>1", "x<-0", "e>.1"]
    try:
        expr = parse(text, columns)
    except ExpressionError:
        return
    assert parse(to_text(expr, columns), columns) == expr


# --- statements -------------------------------------------------------------------------------

COLOURS = [
    Statement.of_value("colour", "red"),
    Statement.of_value("eye colour", "light blue"),
    Statement.missing("colour"),
    Statement.of_value("colour", "missing"),
    Statement.other("colour"),
]
RED, BLUE, GONE, CALLED_MISSING, OTHER = map(Var, range(5))


@pytest.mark.parametrize(
    ("texts", "expr"),
    [
        (["colour is red", 'colour is "red"', '"colour" is red', "colour\tis\nred"], RED),
        (["colour is not red", "~colour is red", 'colour is not "red"'], Not(RED)),
        (['"eye colour" is "light blue"', '"eye colour" is "light\\u0020blue"'], BLUE),
        (["colour is missing"], GONE),
        (["colour is not missing", "¬colour is missing"], Not(GONE)),
        (['colour is "missing"'], CALLED_MISSING),
        (["colour is other"], OTHER),
        (["colour is red | ~(colour is missing)"], Or((RED, Not(GONE)))),
        (["colour is red&colour is other"], And((RED, OTHER))),
        (["colour is red + colour is not red"], Sum((RED, Not(RED)))),
        (["not colour is not red"], Not(Not(RED))),
    ],
)
def test_statements_name_a_column_and_what_it_is(texts: list[str], expr: Expr) -> None:
    for text in texts:
        assert parse(text, COLOURS) == expr
        assert parse(to_text(expr, COLOURS), COLOURS) == expr


def test_a_column_may_be_called_what_is_said_of_another() -> None:
    names = ["colour is red", Statement.of_value("colour", "red")]
    assert parse('"colour is red" & colour is red', names) == And((A, B))
    assert to_text(And((A, B, Not(A), Not(B))), names) == (
        '"colour is red" & colour is red & ¬"colour is red" & colour is not red'
    )


def test_a_column_called_is_is_a_column() -> None:
    names = ["is", Statement.of_value("is", "is")]
    assert parse("is & is is is | is", names) == Or((And((A, B)), A))


@pytest.mark.parametrize(
    ("text", "position", "problem"),
    [
        ("colour is", 9, "expected a value, 'missing' or 'other' after 'is', found the end"),
        ("colour is not", 13, "expected a value, 'missing' or 'other' after 'is', found the"),
        ("colour is not not red", 14, "expected a value, 'missing' or 'other' after 'is', f"),
        ("colour is and", 10, "expected a value, 'missing' or 'other' after 'is', found 'and'"),
        ("colour is & x", 10, "expected a value, 'missing' or 'other' after 'is', found '&'"),
        ("colour is (red)", 10, "expected a value, 'missing' or 'other' after 'is', found"),
        ("x | colour is blue", 4, "unknown name colour is blue; the names are 'colour is"),
        ("colour is other", 0, "unknown name colour is other; the names are 'colour is red'"),
        ("colour", 0, "unknown name colour; the names are 'colour is red'"),
        ("colour is red>5", 13, "expected an operator or the end, found '>5'"),
        ("colour is light blue", 0, "unknown name"),
        ("x>5 is red", 4, "expected an operator or the end, found 'is'"),
        ("true is red", 5, "expected an operator or the end, found 'is'"),
        ("0 is red", 2, "expected an operator or the end, found 'is'"),
    ],
)
def test_a_statement_out_of_place_is_an_error_that_shows_where(
    text: str, position: int, problem: str
) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text, [COLOURS[0], "x", "x>5"])
    message, line, mark = str(caught.value).split("\n")
    assert problem in message
    assert line == "  " + text
    assert mark == " " * (2 + position) + "^"


def test_a_statement_needs_names() -> None:
    with pytest.raises(ExpressionError, match="no names were given"):
        parse("colour is red")


def test_a_statement_that_two_inputs_make_is_not_guessed_at() -> None:
    with pytest.raises(ExpressionError, match="several inputs have the name"):
        parse("colour is red", [COLOURS[0], COLOURS[0]])


def test_a_shared_part_may_be_called_like_a_column_with_values() -> None:
    names = [Statement.of_value("h1", "red"), "x"]
    assert parse("h1 & h1 is red", names, {"h1": B}) == And((B, A))


@given(expressions, stated_names, st.sampled_from([PAPER, ASCII]))
def test_what_is_printed_with_statements_reads_back_the_same(
    expr: Expr, names: list[str], notation: Notation
) -> None:
    text = to_text(expr, names, notation)
    assert text.isprintable()
    assert parse(text, names) == expr


@given(st.text(alphabet='01 ~&|+()<>-.is"\\notx\n'))
def test_any_text_with_statements_is_read_or_refused(text: str) -> None:
    names = [Statement.of_value("x", "is"), Statement.missing("is"), "is", "x"]
    try:
        expr = parse(text, names)
    except ExpressionError:
        return
    assert parse(to_text(expr, names), names) == expr


# --- errors -----------------------------------------------------------------------------------


@given(st.text(alphabet="01 ~&|^+()¬⊕\"\\antruehx.'é\n"))
def test_any_text_is_read_or_refused_with_an_expression_error(text: str) -> None:
    try:
        expr = parse(text)
    except ExpressionError:
        return
    assert parse(to_text(expr)) == expr


@pytest.mark.parametrize(
    ("text", "position", "problem"),
    [
        ("", 0, "expected an input, a constant or an opening bracket, found the end"),
        ("0 &", 3, "expected an input, a constant or an opening bracket, found the end"),
        ("0 & | 1", 4, "expected an input, a constant or an opening bracket, found '|'"),
        ("0 1", 2, "expected an operator or the end, found '1'"),
        ("(0 | 1", 6, "expected ')', found the end"),
        ("0 | 1)", 5, "expected an operator or the end, found ')'"),
        ("0 & $", 4, "expected an input, a constant or an opening bracket, found '$'"),
        ('0 & "open', 4, "a name in double quotes has to end in one, too"),
        ("0 & age", 4, "expected the number of an input (no names were given)"),
        ("tanh 0", 5, "expected '(', found '0'"),
        ("0 not 1", 2, "expected an operator or the end, found 'not'"),
        ("0\n& $", 4, "expected an input, a constant or an opening bracket, found '$'"),
        ("1000000000", 0, "no such input, there are at most 1000000000"),
        ("9" * 300, 0, "no such input"),
        ("0 - 1", 2, "write + ~(...) to subtract a term"),
        ("0.5", 0, "no such input, there are at most"),
    ],
)
def test_an_error_shows_the_text_and_the_place(text: str, position: int, problem: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    message, line, mark = str(caught.value).split("\n")
    assert problem in message
    assert f"at position {position}" in message
    assert line == "  " + text.replace("\n", " ")
    assert mark == " " * (2 + position) + "^"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("weight", r"unknown name weight; the names are 'age', 'bmi'"),
        ('"Age"', r"unknown name"),
        ("2", r"no such input, there are at most 2"),
        (r'"\q"', r"JSON's escapes"),
        ("true.x", r"unknown name"),
    ],
)
def test_a_wrong_name_is_an_error_that_says_what_there_is(text: str, problem: str) -> None:
    with pytest.raises(ExpressionError, match=problem):
        parse(text, ["age", "bmi"])


def test_a_name_that_two_inputs_have_is_not_guessed_at() -> None:
    with pytest.raises(ExpressionError, match="several inputs have the name"):
        parse("age", ["age", "age"])
    assert parse("1", ["age", "age"]) == B


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100_000,
        "(" * (MAX_DEPTH + 1) + "0" + ")" * (MAX_DEPTH + 1),
        "~" * 100_000 + "0",
        "not " * (MAX_DEPTH + 1) + "0",
        "tanh(" * (MAX_DEPTH + 1) + "0" + ")" * (MAX_DEPTH + 1),
        "~(" * MAX_DEPTH + "0" + ")" * MAX_DEPTH,
        "0 + 1 | 2 ^ 3 & (" * MAX_DEPTH + "0" + ")" * MAX_DEPTH,
    ],
)
def test_deep_nesting_is_an_expression_error(text: str) -> None:
    with pytest.raises(ExpressionError, match="nest"):
        parse(text)


@pytest.mark.parametrize("deepen", ["(", "~", "tanh(", "~(", "0 & (", "0 | ("])
def test_whatever_is_not_too_deep_is_read_and_printed(deepen: str) -> None:
    levels = MAX_DEPTH // 2 if deepen == "~(" else MAX_DEPTH
    text = deepen * levels + "0" + ")" * (levels if "(" in deepen else 0)
    expr = parse(text)
    assert parse(to_text(expr)) == expr


def test_the_inputs_of_a_text_are_those_it_names() -> None:
    assert parse(str(INPUTS)) == Var(INPUTS)

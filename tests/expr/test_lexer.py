"""Text to tokens, whatever the text is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisplogic.errors import ExpressionError
from crisplogic.expr.lexer import tokenize
from crisplogic.expr.notation import SPELLINGS


def kinds(text: str) -> list[str]:
    return [token.kind for token in tokenize(text)][:-1]


@given(st.text() | st.text(alphabet='is not a1.5e<>-"\\&'))
def test_tokens_are_all_of_a_text_but_the_space_between_them(text: str) -> None:
    tokens = tokenize(text)
    assert [text[token.start :][: len(token.text)] for token in tokens] == [
        token.text for token in tokens
    ]
    assert sum(len("".join(token.text.split())) for token in tokens) == len(
        "".join(text.split())
    )
    assert tokens[-1].kind == "end"
    assert tokens[-1].start == len(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("age", ["name"]),
        ('"body mass"', ["name"]),
        ("true", ["constant"]),
        ("true.x andes", ["name", "name"]),
        ("12 1.5e-3 .5 7.", ["number"] * 4),
        ("age>41", ["name", "comparison"]),
        ("age < -41.5", ["name", "comparison"]),
        ("age>=41", ["name", "comparison"]),
        ("age ≤ -41 & age≥ 2", ["name", "comparison", "and", "name", "comparison"]),
        ("age=>41", ["name", "symbol", "comparison"]),
        ("a - 5", ["name", "minus", "number"]),
        ("2 × (a) * b", ["number", "times", "symbol", "name", "symbol", "times", "name"]),
        ("colour is 18-25", ["name", "is", "value"]),
        ("colour is not -5", ["name", "is", "not", "value"]),
        ('colour is "not"', ["name", "is", "value"]),
        ("colour is true", ["name", "is", "value"]),
        ("colour is and", ["name", "is", "and"]),
        ("is is is", ["name", "is", "value"]),
        ("age>41 is", ["name", "comparison", "name"]),
        ('"open', ["unclosed"]),
    ],
)
def test_every_token_has_its_kind(text: str, expected: list[str]) -> None:
    assert kinds(text) == expected


@pytest.mark.parametrize(
    ("kind", "spelling"),
    [(kind, each) for kind, some in SPELLINGS.items() for each in sorted(some)],
)
def test_an_operator_is_of_one_kind_however_it_is_spelled(kind: str, spelling: str) -> None:
    assert kinds(f"a {spelling} b") == ["name", kind, "name"]


def test_quotes_are_taken_off() -> None:
    token = tokenize(r'"body\u0020mass"')[0]
    assert (token.quoted, token.unquoted) == (True, "body mass")
    with pytest.raises(ExpressionError, match="JSON's escapes"):
        tokenize(r'"\q"')[0].unquoted  # noqa: B018

from __future__ import annotations

import numpy as np
import pytest

from crisplogic.expr import parse
from crisplogic.rules import Ramp, Rule, RuleSet
from crisplogic.tables import learn_schema, read
from crisplogic.vocabulary import Vocabulary

TABLE = {
    "colour": ["red", "blue", None, "teal", "red", "teal"],
    "age": [41.0, None, 7.0, 3.0, 20.0, 65.0],
    "smoker": [True, False, True, None, False, True],
}


@pytest.fixture
def frame() -> object:
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(TABLE)


def words_of(frame: object, missing: bool = False) -> tuple[Vocabulary, np.ndarray]:
    schema = learn_schema(read(frame))
    return Vocabulary.of(schema, missing), schema.matrix(frame)


def test_numbers_come_first_and_what_is_said_outright_after_them(frame: object) -> None:
    words, matrix = words_of(frame)
    assert words.names == (
        "age",
        "colour is red",
        "colour is teal",
        "colour is blue",
        "smoker",
    )
    assert words.crisp.tolist() == [False, True, True, True, True]
    shown = words.shown(matrix)
    assert shown[0].tolist() == [41.0, 1.0, 0.0, 0.0, 1.0]
    assert np.isnan(shown[2]).tolist() == [False, True, True, True, False]


def test_that_a_value_is_missing_is_said_if_asked_for(frame: object) -> None:
    words, matrix = words_of(frame, missing=True)
    assert "age is missing" in words.names
    gaps = words.shown(matrix)[:, words.names.index("age is missing")]
    assert gaps.tolist() == [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]


def test_a_table_of_numbers_is_shown_as_it_is() -> None:
    words = Vocabulary(("a", "b"), numbers=(0, 1))
    table = np.array([[1.0, 2.0]])
    assert words.shown(table) is table
    rules = RuleSet(("x", "y"), (Ramp(0, 0.0, 1.0),), (Rule("yes", parse("0")),))
    assert words.crisped(rules) is rules
    assert str(words.spoken(rules)) == "yes = a>0.5"


def seen_rules() -> RuleSet:
    """Two ramps of a column that is said outright, and one of a number."""
    memberships = (
        Ramp(1, 0.2, 0.9),
        Ramp(1, -1.0, 3.0),
        Ramp(0, 10.0, 30.0),
        Ramp(4, 0.0, 1.0),
    )
    texts = {"ill": "(0 & 2) + (1 | 3)", "well": "~(1 & 2)"}
    rules = tuple(Rule(label, parse(text)) for label, text in texts.items())
    names = ("age", "colour is red", "colour is teal", "colour is blue", "smoker")
    return RuleSet(names, memberships, rules)


def test_thresholds_of_what_is_said_outright_go(frame: object) -> None:
    words, _ = words_of(frame)
    crisp = words.crisped(seen_rules())
    used = {crisp.memberships[number] for number in crisp.used}
    assert used == {Ramp(1, 0.0, 1.0), Ramp(0, 10.0, 30.0), Ramp(4, 0.0, 1.0)}


def test_rules_speak_of_the_columns_of_the_table(frame: object) -> None:
    words, matrix = words_of(frame)
    seen = words.crisped(seen_rules())
    spoken = words.spoken(seen)
    assert spoken.features == ("colour", "age", "smoker")
    assert "colour is red" in str(spoken)
    assert "age>20" in str(spoken)
    assert "smoker" in str(spoken)
    np.testing.assert_array_equal(spoken.scores(frame), seen.scores(words.shown(matrix)))
    np.testing.assert_array_equal(spoken.scores(matrix, coded=True), spoken.scores(frame))


def test_spoken_rules_survive_a_file(frame: object) -> None:
    words, _ = words_of(frame)
    spoken = words.spoken(words.crisped(seen_rules()))
    assert RuleSet.from_json(spoken.to_json()) == spoken


def test_a_category_of_one_value_says_nothing_but_is_still_a_column_of_the_table() -> None:
    table = [["same", 3.0], ["same", 4.0]]
    schema = learn_schema(read(table))
    words = Vocabulary.of(schema)
    assert words.names == ("x1",)
    seen = RuleSet(("x1",), (Ramp(0, 3.0, 4.0),), (Rule("yes", parse("0")),))
    spoken = words.spoken(words.crisped(seen))
    assert str(spoken) == "yes = x1>3.5"
    assert spoken.scores(table).ravel().tolist() == [-1.0, 1.0]

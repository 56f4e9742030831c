"""Parts of error messages."""

from __future__ import annotations

import pytest

from crisplogic.messages import did_you_mean, list_some, point_at


@pytest.mark.parametrize(
    ("count", "ending"), [(0, ""), (12, "11"), (13, "11 and 1 more"), (99, "11 and 87 more")]
)
def test_a_list_says_how_many_more_there_are(count: int, ending: str) -> None:
    assert list_some(range(count)).endswith(ending)
    assert list_some(range(count)).count(",") == max(min(count, 12) - 1, 0)


def test_items_are_shown_as_asked() -> None:
    assert list_some(["a", 1]) == "'a', 1"
    assert list_some(["a", 1], show=str) == "a, 1"
    assert did_you_mean("glucos", ["glucose"], show=str) == "; did you mean glucose?"


def test_similar_words_are_the_nearest_whatever_their_case() -> None:
    assert did_you_mean("AGE", ["age", "Age", "bmi"]) == "; did you mean 'Age'?"
    assert did_you_mean("rooms", ["room", "roomy"]) == "; did you mean 'room' or 'roomy'?"
    assert did_you_mean("rooms", ["room", "roomy"], most=1) == "; did you mean 'room'?"
    assert did_you_mean(3, [3.5, 4]) == ""
    assert did_you_mean("x", []) == ""


def test_the_mark_stands_below_its_place_in_any_text() -> None:
    text = "a\n& b\t| c"
    for start in range(len(text) + 1):
        _, line, mark = point_at(text, start).split("\n")
        assert len(line) == len(text) + 2
        assert mark.index("^") == start + 2

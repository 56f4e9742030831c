"""Labels are short, keep their thresholds, and never look like another."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from crisplogic.plot.diagram import LONGEST, shortened

long_texts = st.text(alphabet="ab>1", max_size=60)


@settings(max_examples=40)
@given(st.lists(long_texts, max_size=6))
def test_different_texts_stay_different_and_short_ones_as_they_are(texts: list[str]) -> None:
    short = shortened(texts)
    assert set(short) == set(texts)
    assert len(set(short.values())) == len(short)
    assert all(short[text] == text for text in texts if len(text) <= LONGEST)


def test_a_long_name_keeps_its_beginning_its_end_and_its_threshold() -> None:
    name = "number_of_previous_admissions_to_any_hospital"
    assert shortened([f"{name}>12.5"]) == {f"{name}>12.5": "number_of_prev…_any_hospital>12.5"}
    assert len(shortened([name])[name]) == LONGEST


def test_names_that_differ_in_the_middle_only_are_longer() -> None:
    texts = ["a" * 20 + middle + "a" * 20 for middle in "xy"]
    assert all(
        letter in short for letter, short in zip("xy", shortened(texts).values(), strict=True)
    )

from __future__ import annotations

from collections import Counter

import pytest

from crisplogic.errors import DisagreementError, TableError
from crisplogic.group import (
    ALONE,
    Group,
    gather_results,
    merge_results,
    on_first,
    require_agreement,
    together,
)
from tests.groups import run_together

WORDS = ("abba", None, "cab")


def count_letters(group: Group) -> Counter[str] | None:
    word = WORDS[group.rank]

    def count() -> Counter[str] | None:
        return None if word is None else Counter(word)

    def add(one: Counter[str], other: Counter[str]) -> Counter[str]:
        return one + other

    return merge_results(group, count, add)


def test_results_are_merged_in_all_processes_alike() -> None:
    assert run_together(3, count_letters) == [Counter("abbacab")] * 3
    nothing = run_together(2, lambda group: merge_results(group, lambda: None, max))
    assert nothing == [None, None]


def test_every_process_gets_its_own_result_or_all_of_them() -> None:
    assert run_together(2, lambda group: together(group, lambda: group.rank)) == [0, 1]
    everyone = run_together(2, lambda group: gather_results(group, lambda: group.rank))
    assert everyone == [[0, 1], [0, 1]]


def fail_in(failing: int, group: Group) -> int:
    if group.rank == failing:
        raise TableError("part-1.csv: it is damaged", {"drop": "part-1.csv"})
    return group.rank


@pytest.mark.parametrize("size", [1, 3])
def test_the_error_of_one_process_is_raised_in_all(size: int) -> None:
    failing = size - 1
    found = run_together(size, lambda group: together(group, lambda: fail_in(failing, group)))
    assert [str(each) for each in found] == ["part-1.csv: it is damaged"] * size
    assert all(isinstance(each, TableError) for each in found)


def test_what_the_first_process_does_all_know() -> None:
    called: list[int] = []

    def read(group: Group) -> str:
        called.append(group.rank)
        return "read"

    assert run_together(3, lambda group: on_first(group, lambda: read(group))) == ["read"] * 3
    assert called == [0]
    found = run_together(3, lambda group: on_first(group, lambda: fail_in(0, group)))
    assert [type(each) for each in found] == [TableError] * 3


def test_processes_that_know_the_same_agree() -> None:
    require_agreement(ALONE, {"seed": 1})
    known = {"seed": 1, "files": ["a.csv", "b.csv"]}
    assert run_together(2, lambda group: require_agreement(group, known)) == [None, None]


def test_processes_that_disagree_fail_with_what_differs() -> None:
    def check(group: Group) -> None:
        known = {"seed": 7 if group.rank == 2 else 0, "files": ["a.csv"] * 50}
        require_agreement(group, known if group.rank < 2 else {**known, "rows": 3})

    found = run_together(3, check)
    assert [type(each) for each in found] == [DisagreementError] * 3
    message = str(found[0])
    assert "process 2 of 3 differs from process 0 in seed (0 in process 0, 7 in" in message
    assert "rows (nothing in process 0, 3 in process 2)" in message
    assert "files" not in message.partition("versions;")[2].partition("; start")[0]


def test_a_process_that_is_gone_does_not_leave_the_others_waiting() -> None:
    def leave(group: Group) -> None:
        if group.rank == 1:
            raise KeyError("gone")
        group.gather(1)

    found = run_together(2, leave)
    assert [type(each) for each in found] == [ConnectionError, KeyError]

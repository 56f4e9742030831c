"""Every target that this machine can run gives the answers of the library, on every row."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crisplogic.errors import ExportError
from crisplogic.export.check import RUNNERS
from crisplogic.export.from_rules import make_program
from crisplogic.export.running.programs import run_c
from crisplogic.export.running.rows import RawRows, decode_matrix
from crisplogic.expr import parse
from crisplogic.rules import ClassificationRules, Rule, RuleSet
from crisplogic.rules.memberships import Flag, Level, Step
from crisplogic.tables import TRUTH, Levels
from tests.export.agreement import (
    CASES,
    KINDS,
    LEARNED_TASKS,
    TOLERANCE,
    answers_of,
    assert_same,
    learned_rules,
    many_rows,
)
from tests.export.generated import rows_of, rules_of
from tests.rules.crisp_rules import CLINIC, crisp_rule_sets, tables_of
from tests.rules.rule_sets import LEARNED, PATIENTS, PRICE, number_rule_sets, rule_sets

# These need no program of their own. Others get fewer rule sets by default.
QUICK = ["python", "numpy", "sql (duckdb)", "sql (sqlite)", "onnx"]
STARTED = ["c", "javascript", "java"]
# Compiling Java takes a second each time.
EVERYWHERE = [*QUICK, "c", "javascript", pytest.param("java", marks=pytest.mark.slow)]
# Crisp and graded rules for each task, with names that are hostile.
FEW = {"c": (2, 7, 10, 22), "javascript": (3, 6, 15, 19), "java": ()}


def _cases(target: str) -> list[Any]:
    """Those that are run by default."""
    if target in FEW:
        return [CASES[at] for at in FEW[target]]
    return CASES if target in ("python", "numpy") else CASES[1::2] + CASES[0:3:2]


PAIRS = [
    pytest.param(target, *case.values, id=f"{target}-{case.id}")
    for target in (*QUICK, *STARTED)
    for case in _cases(target)
]


@pytest.mark.parametrize(("target", "seed", "task", "crisp", "hostile", "neat"), PAIRS)
def test_generated_rules_predict_the_same(
    target: str, seed: int, task: str, crisp: bool, hostile: bool, neat: bool
) -> None:
    rules = rules_of(seed, task, crisp, hostile, neat)
    matrix = rows_of(rules, 400, seed)
    assert_same(rules, matrix, answers_of(target, rules, matrix))


@pytest.mark.slow
@pytest.mark.parametrize("target", [*QUICK, *STARTED])
@pytest.mark.parametrize(("seed", "task", "crisp", "hostile", "neat"), CASES)
def test_all_generated_rules_predict_the_same(
    target: str, seed: int, task: str, crisp: bool, hostile: bool, neat: bool
) -> None:
    rules = rules_of(seed, task, crisp, hostile, neat)
    matrix = rows_of(rules, 400, seed)
    assert_same(rules, matrix, answers_of(target, rules, matrix))


WRITTEN = {"clinic": CLINIC, "patients": PATIENTS, "learned": LEARNED, "price": PRICE}


@pytest.mark.parametrize("target", QUICK)
def test_rules_written_by_hand_predict_the_same(target: str) -> None:
    for rules in WRITTEN.values():
        matrix = rows_of(rules, 500)
        assert_same(rules, matrix, answers_of(target, rules, matrix))


@pytest.mark.parametrize("target", EVERYWHERE)
def test_promised_to_be_complete_rows_predict_the_same(target: str) -> None:
    tasks = ("two", "several", "number") if target in QUICK else ("two",)
    for seed, task in enumerate(tasks):
        rules = rules_of(seed, task, crisp=True)
        matrix = rows_of(rules, 2000)
        whole = ~np.isnan(matrix).any(axis=1) & (matrix != -1).all(axis=1)
        flags = [each.feature for each in rules.memberships if isinstance(each, Flag)]
        for at in flags:
            whole &= np.isin(matrix[:, at], (0, 1))
        complete = matrix[whole]
        assert len(complete) > 100
        assert_same(rules, complete, answers_of(target, rules, complete, missing=False))


@pytest.mark.parametrize("target", EVERYWHERE)
def test_ties_go_to_the_first_class(target: str) -> None:
    rules = rules_of(2, "several", crisp=True)
    even = replace(rules, intercepts=(0.0,) * 4)
    matrix = rows_of(even, 500)
    scores = even.scores(matrix, coded=True)
    ties = (scores == scores.max(axis=1, keepdims=True)).sum(axis=1) > 1
    assert ties.sum() > 20
    assert_same(even, matrix[ties], answers_of(target, even, matrix[ties]))


@pytest.mark.parametrize("target", EVERYWHERE)
def test_no_row_is_a_table_too(target: str) -> None:
    for rows in (0, 1) if target in QUICK else (0,):
        matrix = rows_of(CLINIC, rows)
        assert_same(CLINIC, matrix, answers_of(target, CLINIC, matrix))


@pytest.mark.parametrize("target", [each for each in EVERYWHERE if each != "onnx"])
def test_rules_that_read_no_column_predict_the_same(target: str) -> None:
    rules = CLINIC.with_rule("ill", "unknown")
    matrix = rows_of(rules, 3)
    assert rules.mentioned_columns == []
    assert_same(rules, matrix, answers_of(target, rules, matrix))


@pytest.mark.parametrize("target", EVERYWHERE)
def test_a_threshold_of_any_float_divides_the_same_rows(target: str) -> None:
    thresholds = (5e-324, -1.7e308, 0.1 + 0.2, 1 / 3, 123456789012345.67, 1e16, 2.0**53)
    rules = ClassificationRules(
        ("x",),
        tuple(Step(0, each) for each in thresholds),
        tuple(Rule(at, parse(f"2 × ({at})")) for at in range(len(thresholds))),
        intercepts=tuple(-at / 4 for at in range(len(thresholds))),
        crisp=True,
    )
    near = [math.nextafter(each, to) for each in thresholds for to in (-math.inf, math.inf)]
    matrix = np.array([[*thresholds, *near, 0.0, math.inf, -math.inf, math.nan]]).T
    assert_same(rules, matrix, answers_of(target, rules, matrix))


@pytest.mark.skipif(sys.platform == "win32", reason="its compilers have no sanitizers")
@pytest.mark.parametrize("case", [2, 14])
def test_c_breaks_no_rule_of_its_language(case: int) -> None:
    """Undefined behaviour and bad addresses would end the program."""
    rules = rules_of(case, *KINDS[case])
    matrix = rows_of(rules, 300)
    flags = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-Wconversion"]
    answers_of("c", rules, matrix)  # skipped without a compiler
    found = run_c(rules, decode_matrix(rules, matrix), flags)
    assert_same(rules, matrix, found)


def test_c_refuses_a_compiler_that_knows_no_nan() -> None:
    matrix = rows_of(CLINIC, 2)
    answers_of("c", CLINIC, matrix)  # skipped without a compiler
    with pytest.raises(ExportError, match="without -ffast-math"):
        run_c(CLINIC, decode_matrix(CLINIC, matrix), ["-ffast-math"])


@pytest.mark.parametrize("crisp", [True, False])
def test_nan_in_duckdb_is_a_missing_value_if_asked_for(crisp: bool) -> None:
    pytest.importorskip("duckdb", reason="the extra export is not installed")
    rules = rules_of(4, "two", crisp)
    matrix = rows_of(rules, 300)
    assert np.isnan(matrix).any()
    found = answers_of("sql (duckdb)", rules, matrix, gap=math.nan, nan=True)
    assert_same(rules, matrix, found)


def differ_without_blanks(rules: RuleSet) -> bool:
    """Whether no two values of a column are the same to the library, which strips blanks."""
    known = [(*its.names, *its.others) for its in rules.levels if its is not None]
    return all(len({value.strip() for value in values}) == len(values) for values in known)


@pytest.mark.filterwarnings("ignore::crisplogic.errors.UnseenValuesWarning")
@pytest.mark.parametrize("target", ["python", "numpy", "javascript"])
def test_texts_are_read_as_the_library_reads_them(target: str) -> None:
    """Blanks around them say nothing, and a whole number is a text without a point."""
    levels = Levels(("2", "light blue"))
    rules = replace(
        CLINIC,
        levels=(None, None, TRUTH, levels),
        memberships=(Level(3, 1, "light blue"),),
        rules=(Rule("ill", parse("0")), Rule("well", parse("unknown"))),
    )
    values: list[Any] = ["light blue", " light blue\t", "2", 2, 2.0, "blue", None, math.nan]
    rows = RawRows({"eye colour": values}, len(values))
    wanted = np.concatenate([rules.predict_proba([[0, 0, 0, value]]) for value in values])
    assert len(np.unique(wanted.round(9))) > 3  # it holds, fails, or is unknown
    found = RUNNERS[target](rules, rows).probabilities
    assert found is not None
    np.testing.assert_allclose(found, wanted, atol=TOLERANCE)


@pytest.mark.parametrize(
    "target",
    ["python", "numpy", "javascript", "onnx", pytest.param("java", marks=pytest.mark.slow)],
)
def test_zeros_at_the_end_of_a_text_count(target: str) -> None:
    rules = replace(
        CLINIC,
        levels=(None, None, TRUTH, Levels(("a", "a\0", "\0"))),
        memberships=(Level(3, 1, "a\0"), Level(3, 2, "\0")),
        rules=(Rule("ill", parse("0 + 0 + 1")), Rule("well", parse("unknown"))),
    )
    matrix = np.full((5, 4), np.nan)
    matrix[:, 3] = [0, 1, 2, -1, np.nan]
    assert_same(rules, matrix, answers_of(target, rules, matrix))


@settings(max_examples=30)
@given(data=st.data())
def test_any_crisp_rules_predict_the_same(data: st.DataObject) -> None:
    """Names and values of any characters, thresholds of any floats."""
    rules = data.draw(crisp_rule_sets().filter(differ_without_blanks))
    matrix = data.draw(tables_of(rules))
    for target in ("python", "numpy"):
        assert_same(rules, matrix, answers_of(target, rules, matrix))


@settings(max_examples=30)
@given(rules=(rule_sets() | number_rule_sets()).filter(differ_without_blanks), data=st.data())
def test_any_graded_rules_predict_the_same(rules: RuleSet, data: st.DataObject) -> None:
    matrix = data.draw(tables_of(rules))
    for target in ("python", "numpy"):
        assert_same(rules, matrix, answers_of(target, rules, matrix))


@pytest.mark.parametrize("case", [("class", "crisp"), ("number", "graded")])
def test_learned_rules_predict_the_same(case: tuple[str, str]) -> None:
    rules, matrix = learned_rules(*case)
    for target in QUICK:
        assert_same(rules, matrix, answers_of(target, rules, matrix))


@pytest.mark.slow
@pytest.mark.parametrize("target", [*QUICK, *STARTED])
@pytest.mark.parametrize("case", [1, 6, 10, 15, 19, 22, *LEARNED_TASKS])
def test_very_many_rows_predict_the_same(target: str, case: Any) -> None:
    rules, matrix = many_rows(case, 1_000_000 if target.startswith("sql") else 100_000)
    assert_same(rules, matrix, answers_of(target, rules, matrix))


@pytest.mark.slow
def test_many_generated_rules_predict_the_same() -> None:
    for seed in range(100, 400):
        for task in ("two", "several", "number"):
            for crisp in (True, False):
                rules = rules_of(seed, task, crisp, seed % 2 == 0, seed % 5 != 0)
                matrix = rows_of(rules, 300, seed)
                for target in ("numpy", "sql (sqlite)", "sql (duckdb)", "onnx"):
                    if target == "onnx" and not make_program(rules).columns:
                        continue  # it needs an input
                    assert_same(rules, matrix, answers_of(target, rules, matrix))

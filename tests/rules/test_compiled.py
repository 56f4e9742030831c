"""The compiled kernel predicts exactly what numpy does."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from crisplogic import kernels, threads
from crisplogic.errors import UnseenValuesWarning
from crisplogic.expr import parse
from crisplogic.expr.program import CRISP_CHUNK_ROWS, Program
from crisplogic.rules import ClassificationRules, RegressionRules, Rule, RuleSet, Step, ruleset
from crisplogic.rules.compiled import KERNEL_CHUNK_ROWS, CompiledProgram
from tests.rules.test_crisp_scoring import FEATURES, LEVELS, MEMBERSHIPS, cells, rules_of, sums

built = pytest.mark.skipif(kernels.compiled is None, reason="no kernels were built")

TYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", ">f8", ">i4"]
LAYOUTS: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "every second row": lambda table: np.repeat(table, 2, axis=0)[::2],
    "reversed": lambda table: table[::-1].copy()[::-1],
    "wide": lambda table: np.repeat(table, 3, axis=1)[:, ::3],
    "unaligned": lambda table: unaligned(table),
    "read-only": lambda table: read_only(table),
}


def unaligned(table: NDArray[Any]) -> NDArray[Any]:
    memory = np.zeros(table.nbytes + 1, dtype=np.uint8)
    moved = memory[1:].view(table.dtype).reshape(table.shape)
    moved[:] = table
    return moved


def read_only(table: NDArray[Any]) -> NDArray[Any]:
    copy = table.copy()
    copy.flags.writeable = False
    return copy


@contextmanager
def without_kernels() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "compiled", None)
        yield


def assert_same(rules: RuleSet, table: Any, coded: bool = False) -> None:
    """Predictions, scores to the last bit, and warnings are those of numpy."""
    found = answers(rules, table, coded)
    with without_kernels():
        expected = answers(rules, table, coded)
    assert found[0].tolist() == expected[0].tolist()
    assert found[1].tobytes() == expected[1].tobytes()
    assert found[2] == expected[2]


def answers(rules: RuleSet, table: Any, coded: bool) -> tuple[Any, NDArray[Any], list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        predicted, scores = rules.predict(table, coded), rules.scores(table, coded)
    return predicted, scores, [str(each.message) for each in caught]


many_cells = st.sampled_from(
    [-1.0, -0.0, 0.0, 0.5, np.float32(0.3), 0.1 + 0.2, 1.0, 2.0, 7.0, -np.inf, np.inf, np.nan]
)
intercepts = st.sampled_from([0.0, -0.5, 1.5, 0.1, -0.3, 1 / 3, 1e-12, 40000.0, -1e99])


@built
@given(
    st.lists(sums, min_size=1, max_size=5),
    st.lists(intercepts, min_size=5, max_size=5),
    hnp.arrays(np.float64, st.tuples(st.integers(0, 9), st.just(4)), elements=many_cells),
)
def test_the_kernel_predicts_what_numpy_predicts(
    texts: list[str], added: list[float], table: NDArray[np.float64]
) -> None:
    assert_same(rules_of(texts, added[: len(texts)]), table, coded=True)


@built
@given(
    st.sampled_from(
        ["0 + 2", "tanh(0 + 2 + 5) + tanh(1 + ~2 + 6)", "(0 ^ 2) + ~(5 | (3 & 6)) + 1"]
    ),
    st.sampled_from([0.25, 3.5, 1e-9, 1e99]),
    st.sampled_from([0.0, 22.5, -0.1]),
    hnp.arrays(np.float64, st.tuples(st.integers(0, 9), st.just(4)), elements=cells),
)
def test_numbers_are_those_of_numpy_to_the_last_bit(
    text: str, scale: float, intercept: float, table: NDArray[np.float64]
) -> None:
    rule = Rule("price", parse(text))
    rules = RegressionRules(
        FEATURES, MEMBERSHIPS, (rule,), scale, (intercept,), LEVELS, crisp=True
    )
    assert_same(rules, table, coded=True)


def random_table(rows: int, dtype: Any) -> NDArray[Any]:
    generator = np.random.default_rng(0)
    table = generator.integers(0, 3, (rows, 4)).astype(dtype)
    if table.dtype.kind == "f":
        table[generator.random(table.shape) < 0.1] = np.nan
        table[generator.random(table.shape) < 0.1] = -0.0
        table[generator.random(table.shape) < 0.1] = np.inf
    return table


CARD = ["0 + (2 & 4) + ~(5 ^ 1)", "6 + ~0 + 3", "unknown", "(1 | ~5) + 2"]


@built
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", TYPES)
def test_columns_are_read_from_whatever_memory_they_are_in(dtype: str, layout: str) -> None:
    table = LAYOUTS[layout](random_table(1300, dtype))
    assert_same(rules_of(CARD, [0.5, 0.0, 1.0, 0.1]), table, coded=True)


@built
@pytest.mark.parametrize("rows", [0, 1, 63, 64, 511, 512, 513, 1024, 2047])
def test_blocks_make_up_all_rows(rows: int) -> None:
    for layout in ("rows", "columns"):
        table = LAYOUTS[layout](random_table(rows, "f8"))
        assert_same(rules_of(CARD, [0.5, 0.0, 1.0, 0.1]), table, coded=True)


@built
def test_chunks_and_threads_make_up_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ruleset, "MIN_ROWS_PER_THREAD", 10_000)
    monkeypatch.setattr(threads, "available_cores", lambda: 3)
    rows = max(KERNEL_CHUNK_ROWS, CRISP_CHUNK_ROWS) * 3 + 5
    assert_same(rules_of(CARD, [0.5, 0.0, 1.0, 0.1]), random_table(rows, "f8"), coded=True)


@built
def test_large_whole_numbers_are_compared_as_floats() -> None:
    """Beyond 2**53 neighbours are the same float, to the kernel as to numpy."""
    near = 2**53
    table = np.array([[near - 1], [near], [near + 1], [near + 2], [-(2**63)], [2**63 - 1]])
    steps = Step(0, float(near)), Step(0, float(near) - 1)
    rules = tuple(Rule(name, parse(text)) for name, text in (("a", "0 + 1"), ("b", "unknown")))
    for typed in (table, table[:4].astype(np.uint64)):
        assert_same(ClassificationRules(("n",), steps, rules, crisp=True), typed)


@built
def test_many_classes_and_ties_go_to_the_first() -> None:
    texts = [f"{at % 7}" if at % 3 else f"~{at % 7} + {at % 5}" for at in range(300)]
    rules = rules_of(texts, [0.5 * (at % 2) for at in range(300)])
    assert_same(rules, random_table(200, "f8"), coded=True)
    tied = rules_of(["unknown", "0", "0"], [1.0, 0.0, 0.0])
    table = np.array([[1.0, 0, 0, 0], [0, 0, 0, 0]])
    assert tied.predict(table, coded=True).tolist() == ["class 0", "class 0"]


@built
def test_unseen_values_are_warned_of_alike() -> None:
    generator = np.random.default_rng(0)
    numbers = generator.normal(size=(3000, 3))
    numbers[generator.random(numbers.shape) < 0.02] = 99.0
    numbers[generator.random(numbers.shape) < 0.02] = np.nan
    colours = generator.choice(["red", "blue", "Red", "mauve"], 3000)
    table = {**dict(zip("abc", numbers.T, strict=True)), "d": colours.tolist()}
    rules = ClassificationRules(
        FEATURES,
        MEMBERSHIPS,
        (Rule("x", parse("0 + 2 + 5")), Rule("y", parse("unknown"))),
        levels=LEVELS,
        ranges=((-3.0, 3.0), (-4.0, 4.0), None, None),
        crisp=True,
    )
    with pytest.warns(UnseenValuesWarning, match="'a'.*'b'.*'d'"):
        rules.predict(table)
    assert_same(rules, table)


def arguments() -> dict[str, Any]:
    """Arguments of the kernel that are right."""
    program = CompiledProgram(Program([parse("0 & ~1")], crisp=True), MEMBERSHIPS[:2])
    indicators, numbers, operations, slots = program._program
    return {
        "columns": (np.zeros(5),),
        "indicators": indicators,
        "numbers": numbers,
        "operations": operations,
        "slots": slots,
        "results": program._results,
        "ends": np.zeros((1, 2)),
    }


def call_values(given: dict[str, Any], out: Any = None) -> Any:
    names = ("indicators", "numbers", "operations", "slots")
    out = np.empty((1, 5), dtype=np.int8) if out is None else out
    assert kernels.compiled is not None
    return kernels.compiled.crisp_values(
        given["columns"], tuple(given[name] for name in names), given["results"],
        given["ends"], out,
    )  # fmt: skip


def whole(*rows: list[int]) -> NDArray[np.int32]:
    return np.array(rows, dtype=np.int32)


WRONG: dict[str, list[Any]] = {
    "columns": [
        (np.zeros(4),),
        (),
        (np.zeros((5, 1)),),
        (np.zeros(5, dtype=complex),),
        (np.zeros(5, dtype=np.float16),),
        (np.array(["x"] * 5),),
        (np.zeros(5, dtype=">f8"),),
        ([0.0] * 5,),
        None,
    ],
    "indicators": [
        whole([4, 0, 0], [0, 0, 1]),
        whole([0, 1, 0], [0, 0, 1]),
        whole([0, 0, 9], [0, 0, 1]),
        whole([0, 0, -1], [0, 0, 1]),
        whole([0, -1, 0], [0, 0, 1]),
        np.zeros(5, np.int32),
        np.zeros((2, 3)),
    ],
    "numbers": [np.zeros(1), np.zeros(2, dtype=np.float32)],
    "operations": [
        whole([6, 0, 0, 0]),
        whole([0, 99, 0, 0]),
        whole([0, 0, -1, 0]),
        whole([0, 0, 0, 99]),
        whole([0, 0, 0, 3]),
        np.zeros(3, np.int32),
    ],
    "slots": [0, 1, -5, 2**30, 2**40],
    "results": [np.array([99], np.int32), np.array([-1], np.int32), np.zeros(2, np.int32)],
    "ends": [np.zeros(1), np.zeros((2, 2))],
}


@built
@pytest.mark.parametrize(
    ("name", "wrong"), [(name, each) for name, every in WRONG.items() for each in every]
)
def test_arguments_that_do_not_fit_are_refused(name: str, wrong: Any) -> None:
    given = arguments()
    assert call_values(given) == []
    with pytest.raises((TypeError, ValueError, OverflowError, BufferError)):
        call_values({**given, name: wrong})


@built
def test_results_of_another_type_or_shape_are_refused() -> None:
    for out in (np.empty((1, 5)), np.empty(5, np.int8), np.empty((5, 1), np.int8)):
        with pytest.raises((TypeError, ValueError)):
            call_values(arguments(), out)
    assert kernels.compiled is not None
    given = arguments()
    program = tuple(given[name] for name in ("indicators", "numbers", "operations", "slots"))
    wrong: list[tuple[Any, Any, Any]] = [
        (np.zeros(2, np.int16), np.zeros(1, np.int16), np.empty(5, np.int64)),
        (np.zeros(1, np.int16), np.zeros(0, np.int16), np.empty(5, np.int64)),
        (np.zeros(1, np.int16), np.zeros(1, np.int16), np.empty(5, np.int32)),
        (np.zeros(1, np.int32), np.zeros(1, np.int16), np.empty(5, np.int64)),
    ]
    for factors, offsets, winner in wrong:
        with pytest.raises((TypeError, ValueError)):
            kernels.compiled.crisp_winners(
                given["columns"],
                program,
                given["results"],
                factors,
                offsets,
                given["ends"],
                winner,
            )


@built
@pytest.mark.parametrize("rows", [1, 64, 65, 448, 512, 600])
def test_rows_that_fill_up_a_block_are_not_looked_at(rows: int) -> None:
    """What a block lacks is no number outside of the ends of a column."""
    given = {**arguments(), "columns": (np.full(rows, 7.0),), "ends": np.array([[5.0, 9.0]])}
    assert call_values(given, np.empty((1, rows), np.int8)) == []
    given["columns"][0][-1] = 10.0
    assert call_values(given, np.empty((1, rows), np.int8)) == [0]

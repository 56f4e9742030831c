"""Generated tables: the waveform as published, and passengers with columns of every kind."""

from __future__ import annotations

import csv
import hashlib
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from crisplogic.datasets import load_waveform, make_titanic, save_titanic
from crisplogic.io import read_table
from crisplogic.tables import Numbers, Text

WAVEFORM_SHA256 = "09b0fab57463bf653a5f6ebf3fc219a15739761b40fb1f937f20ddb695158eed"


def test_waveform_has_the_published_rows() -> None:
    table = load_waveform()
    lines = [",".join([*table.feature_names, table.target_name])]
    lines += [
        ",".join([*(f"{cell:.4g}" for cell in row), name])
        for row, name in zip(table.X.tolist(), table.y.tolist(), strict=True)
    ]
    text = "".join(f"{line}\n" for line in lines)
    assert hashlib.sha256(text.encode()).hexdigest() == WAVEFORM_SHA256


def test_waveform_cells_have_four_significant_digits() -> None:
    # The checksum above cannot see this: it rounds what it is given.
    cells = load_waveform().X.ravel().tolist()
    assert all(float(f"{cell:.4g}") == cell for cell in cells)


def test_waveform_class_means_are_the_mixed_base_waves() -> None:
    table = load_waveform(rows=20_000, seed=7)
    i = np.arange(1, 22)
    h1, h2, h3 = (np.maximum(6 - abs(i - peak), 0) for peak in (11, 15, 7))
    for name, wave in {"wave0": h1 + h2, "wave1": h1 + h3, "wave2": h2 + h3}.items():
        expected = np.concatenate([wave / 2, np.zeros(19)])  # u is 1/2 on average
        # The largest standard error of a mean is about 0.025.
        np.testing.assert_allclose(table.X[table.y == name].mean(axis=0), expected, atol=0.15)


def test_waveform_repeats_for_a_seed_and_changes_with_it() -> None:
    first, again, other = (load_waveform(rows=30, seed=seed) for seed in (3, 3, 4))
    assert first.X.shape == (30, 40)
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.y, again.y)
    assert not np.array_equal(first.X, other.X)


def test_waveform_draws_in_the_stated_order_for_any_number_of_rows() -> None:
    rng = np.random.default_rng(5)
    label, _, _ = rng.integers(0, 3, 11), rng.random(11), rng.standard_normal((11, 21))
    noise = rng.standard_normal((11, 19))
    table = load_waveform(rows=11, seed=5)
    assert table.y.tolist() == [f"wave{k}" for k in label]
    np.testing.assert_allclose(table.X[:, 21:], noise, rtol=5e-4)


def test_waveform_takes_a_numpy_integer() -> None:
    assert load_waveform(rows=np.int64(2)).X.shape == (2, 40)  # type: ignore[arg-type]


@pytest.mark.parametrize("rows", [0, -1, 2.5, 3.0, True, "10", None])
def test_waveform_refuses_rows_that_are_no_count(rows: int) -> None:
    with pytest.raises(
        ValueError, match=rf"^rows must be .* at least 1, got {re.escape(repr(rows))}$"
    ):
        load_waveform(rows=rows)


@pytest.mark.parametrize("seed", [-1, 0.5, False, "0", None])
def test_waveform_refuses_a_seed_that_does_not_fix_the_rows(seed: int) -> None:
    with pytest.raises(
        ValueError, match=rf"^seed must be .* at least 0, got {re.escape(repr(seed))}$"
    ):
        load_waveform(rows=10, seed=seed)


def test_the_table_has_all_that_real_ones_have() -> None:
    table = make_titanic(rows=2000)
    assert {len(column) for column in table.values()} == {2000}
    assert 0 < Counter(table["port"])["Belfast"] < 30  # a rare level
    assert 0.1 < Counter(table["age"])[None] / 2000 < 0.3
    assert Counter(table["cabin"])[None] / 2000 > 0.6  # mostly missing
    fares = sorted(float(str(fare)) for fare in table["fare"])
    assert sum(fares) / 2000 > 1.3 * fares[1000]  # a long tail
    assert 0.15 < Counter(table["survived"])["yes"] / 2000 < 0.3
    assert len(set(table["name"])) == 2000


def test_it_repeats_for_a_seed_and_changes_with_it() -> None:
    assert make_titanic(50, seed=3) == make_titanic(50, seed=3)
    assert make_titanic(50, seed=3) != make_titanic(50, seed=4)


def test_the_file_is_read_back_with_every_kind_of_column(tmp_path: Path) -> None:
    path = tmp_path / "titanic.csv"
    save_titanic(path, rows=300, seed=2)
    table = make_titanic(rows=300, seed=2)
    with path.open(encoding="utf-8", newline="") as file:
        header, first, *_ = csv.reader(file)
    assert header == list(table)
    assert first[0] == table["name"][0]
    read = read_table(path, "survived", drop=["name"])
    kinds = dict(zip(read.names, read.columns.columns, strict=True))
    assert {name for name, column in kinds.items() if isinstance(column, Text)} == {
        *("class", "sex", "port", "cabin")
    }
    alone = kinds["alone"]
    assert isinstance(alone, Numbers)
    assert alone.boolean
    assert read.y is not None
    assert read.y.tolist() == table["survived"]


@pytest.mark.parametrize("rows", [0, -1, 1.5, "3"])
def test_rows_that_are_no_count_are_refused(rows: int) -> None:
    with pytest.raises(ValueError, match="rows must be a whole number of at least 1"):
        make_titanic(rows)

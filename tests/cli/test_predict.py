"""``crisplogic predict``: predictions in every format, in bounded memory."""

from __future__ import annotations

import csv
import gzip
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from crisplogic.expr import parse
from crisplogic.io import read_table
from crisplogic.rules import ClassificationRules, Flag, Level, Ramp, Rule
from crisplogic.tables import Levels
from tests.cli.running import (
    NAMES,
    Run,
    assert_refused,
    rule_set,
    run_apart,
    small_rules,
    write_rows,
)
from tests.platforms import posix


def test_predictions_are_one_line_a_row_with_a_probability_a_class(
    run: Run, model: Path, rows: Path
) -> None:
    header, *lines = csv.reader(run("predict", model, rows, "--proba").out.splitlines())
    assert header == ["prediction", "P(ja)", "P(nein ⊕)"]
    data = read_table(rows)
    assert [line[0] for line in lines] == rule_set().predict(data.X).tolist()
    probabilities = np.array([line[1:] for line in lines], dtype=float)
    np.testing.assert_allclose(probabilities, rule_set().predict_proba(data.X), rtol=1e-5)


def test_columns_may_stand_in_any_order_and_others_among_them(
    run: Run, model: Path, rows: Path, tmp_path: Path
) -> None:
    shuffled = ("age", "other", *reversed(NAMES[:-1]), "text")
    other = write_rows(tmp_path / "shuffled.csv", shuffled)
    assert run("predict", model, other) == run("predict", model, rows)


def test_text_in_a_column_that_no_rule_needs_does_not_matter(
    run: Run, model: Path, tmp_path: Path
) -> None:
    table = tmp_path / "new.csv"
    table.write_text(
        'größe;"""; DROP TABLE";a + (b;age;note\n1;2;3;4;hello\n', encoding="utf-8"
    )
    assert run("predict", model, table).code == 0


def test_a_missing_column_is_named(run: Run, model: Path, tmp_path: Path) -> None:
    table = write_rows(tmp_path / "short.csv", NAMES[1:])
    assert_refused(run("predict", model, table), "no column 'größe'")


def test_a_file_gets_the_same_bytes_as_standard_output(
    model: Path, rows: Path, tmp_path: Path
) -> None:
    out = tmp_path / "predictions.csv"
    assert run_apart("predict", model, rows, "--out", out).returncode == 0
    for encoding in ("utf-8", "latin-1", "ascii"):
        ran = run_apart("predict", model, rows, PYTHONIOENCODING=encoding)
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, out.read_bytes(), b"")


def test_columns_that_no_rule_mentions_need_not_be_there(run: Run, tmp_path: Path) -> None:
    path, table = tmp_path / "small.json", write_rows(tmp_path / "ages.csv", ("age",))
    small_rules().save(path)
    assert run("predict", path, table).code == 0
    assert run("explain", path, table).code == 0


MIXED = ClassificationRules(
    features=("sex", "smoker", "age"),
    memberships=(Level(0, 1, "male"), Flag(1), Ramp(2, 30.0, 50.0)),
    rules=(Rule("ill", parse("(0 & 1) + 2")), Rule("well", parse("~1"))),
    levels=(Levels(("female", "male")), None, None),
)


PEOPLE = "age;sex;smoker\n60;male;true\n20;female;FALSE\n;new;?\n45; male ;0\n"


@pytest.fixture
def people(tmp_path: Path) -> tuple[Path, Path]:
    """Rules about columns of every kind, and a table."""
    model, table = tmp_path / "mixed.json", tmp_path / "people.csv"
    MIXED.save(model)
    table.write_text(PEOPLE)
    return model, table


def expected() -> list[str]:
    rows = [["male", True, 60], ["female", False, 20], ["new", None, None], ["male", False, 45]]
    return [str(label) for label in MIXED.predict(MIXED.matrix(rows), coded=True)]


def test_categories_and_truth_are_read_as_they_were_learned(
    run: Run, people: tuple[Path, Path]
) -> None:
    assert run("predict", *people).out.splitlines() == ["prediction", *expected()]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ("old;male;true", ["line 6", "'age' must hold numbers", "'old'"]),
        ("inf;male;true", ["line 6", "'age'", "must be finite"]),
    ],
)
def test_a_table_that_does_not_fit_the_rules_is_one_message_and_no_output(
    run: Run, people: tuple[Path, Path], cells: str, expected: list[str]
) -> None:
    model, table = people
    table.write_text(PEOPLE + cells + "\n")
    out = table.with_name("predictions.csv")
    for where in ((), ("--out", out)):
        assert_refused(run("predict", model, table, *where), *expected)
    assert not out.exists()


# --- formats ----------------------------------------------------------------------------------


@pytest.fixture
def written(run: Run, model: Path, rows: Path) -> str:
    """What is written as CSV."""
    return run("predict", model, rows, "--proba").out


@pytest.mark.parametrize("suffix", ["csv", "txt", "tsv", "csv.gz", "tsv.gz", "TSV"])
def test_text_is_written_as_the_name_says(
    run: Run, model: Path, rows: Path, written: str, suffix: str
) -> None:
    out = rows.with_name(f"predictions.v2.{suffix}")
    assert run("predict", model, rows, "--proba", "--out", out).code == 0
    content = out.read_bytes()
    text = (gzip.decompress(content) if suffix.endswith("gz") else content).decode()
    delimiter = "\t" if "tsv" in suffix.lower() else ","
    lines = list(csv.reader(text.splitlines(), delimiter=delimiter))
    assert lines == list(csv.reader(written.splitlines()))


def test_the_same_predictions_are_the_same_bytes_compressed_too(
    run: Run, model: Path, rows: Path
) -> None:
    outs = [rows.with_name(name) for name in ("a.csv.gz", "b.csv.gz")]
    for out in outs:
        assert run("predict", model, rows, "--out", out).code == 0
    assert outs[0].read_bytes() == outs[1].read_bytes()


def test_parquet_holds_the_same_to_the_last_bit(run: Run, model: Path, rows: Path) -> None:
    out = rows.with_name("predictions.parquet")
    ran = run("predict", model, rows, "--proba", "--out", out, "--quiet")
    assert (ran.code, ran.out) == (0, "")
    table = pyarrow.parquet.read_table(out)
    data = read_table(rows)
    assert table.column("prediction").to_pylist() == rule_set().predict(data.X).tolist()
    shares = np.column_stack([table.column(name).to_numpy() for name in table.column_names[1:]])
    np.testing.assert_array_equal(shares, rule_set().predict_proba(data.X))


@pytest.mark.parametrize("to_file", [False, True], ids=["output", "file"])
def test_json_is_one_document(
    run: Run, model: Path, rows: Path, written: str, to_file: bool
) -> None:
    out = rows.with_name("predictions.json")
    options = ("--out", out) if to_file else ("--json",)
    ran = run("predict", model, rows, "--proba", *options)
    document = json.loads(out.read_text(encoding="utf-8") if to_file else ran.out)
    assert document["classes"] == list(rule_set().labels)
    lines = list(csv.reader(written.splitlines()))[1:]
    for entry, line in zip(document["predictions"], lines, strict=True):
        assert [entry["class"], *map(float, line[1:])] == [line[0], *entry["probabilities"]]


def test_json_beside_a_file_counts_the_classes(run: Run, model: Path, rows: Path) -> None:
    out = rows.with_name("predictions.csv")
    document = json.loads(run("predict", model, rows, "--out", out, "--json").out)
    assert document["rows"] == 30
    assert sum(entry["rows"] for entry in document["classes"]) == 30
    assert document["out"] == str(out)


@pytest.mark.parametrize("suffix", ["csv.gz", "parquet", "tsv"])
def test_tables_of_every_kind_give_the_same_predictions(
    run: Run, model: Path, rows: Path, suffix: str
) -> None:
    other = rows.with_name(f"other.{suffix}")
    if suffix == "parquet":
        data = read_table(rows)
        pyarrow.parquet.write_table(pa.table(dict(zip(NAMES, data.X.T, strict=True))), other)
    elif suffix == "csv.gz":
        other.write_bytes(gzip.compress(rows.read_bytes()))
    else:
        with rows.open(encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file))
        with other.open("w", encoding="utf-16", newline="") as file:
            csv.writer(file, delimiter="\t").writerows(lines)
    assert run("predict", model, other) == run("predict", model, rows)


def test_how_text_is_written_may_be_said(run: Run, people: tuple[Path, Path]) -> None:
    model, table = people
    MIXED.rename({"sex": "x1", "smoker": "x2", "age": "x0"}).save(model)
    text = PEOPLE.partition("\n")[2].replace(";", ":").replace("?", "weiß nicht")
    table.write_text(text, encoding="latin-1")
    ran = run(
        *("predict", model, table, "--no-header", "--delimiter", ":", "--encoding", "latin-1"),
        *("--missing", "weiß nicht"),
    )
    assert ran.out.splitlines() == ["prediction", *expected()]


# --- memory -----------------------------------------------------------------------------------


PEAK = """
import resource, sys
from crisplogic.cli import main
try:
    main()
finally:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""


@posix
def test_memory_does_not_grow_with_the_rows(tmp_path: Path, model: Path) -> None:
    few = write_rows(tmp_path / "few.csv", rows=100)
    header, _, rows = few.read_text(encoding="utf-8").partition("\n")
    peaks = []
    for times in (1_000, 5_000):
        table, out = tmp_path / f"{times}.csv", tmp_path / "predictions.csv"
        table.write_text(f"{header}\n{rows * times}", encoding="utf-8")
        arguments = ("predict", model, table, "--out", out)
        ran = subprocess.run(
            [sys.executable, "-c", PEAK, *map(str, arguments)], capture_output=True, check=True
        )
        assert b"wrote %d predictions" % (100 * times) in ran.stdout
        peaks.append(int(ran.stderr))
    assert peaks[1] < peaks[0] * 1.1

"""SQL: what a person would have written, in every dialect, whatever things are called."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from crisplogic.errors import ExportError
from crisplogic.export import export
from crisplogic.export.from_rules import make_program
from crisplogic.export.running.databases import run_sqlite
from crisplogic.export.running.rows import RawRows, decode_matrix
from crisplogic.export.sql_dialects import DIALECTS, MOST_CHARACTERS, POSTGRES_BYTES
from crisplogic.rules import RuleSet
from tests.export.agreement import assert_same
from tests.export.generated import HOSTILE, rows_of, rules_of
from tests.export.hostile import hostile_rules
from tests.rules.crisp_rules import CLINIC
from tests.rules.rule_sets import LEARNED, PATIENTS

sqlglot = pytest.importorskip("sqlglot", reason="the extra export is not installed")


def sql(rules: RuleSet, **options: Any) -> str:
    text = export(rules, "sql", **options)
    assert isinstance(text, str)
    return text


def test_crisp_rules_are_what_a_person_would_have_written() -> None:
    lines = [line.strip() for line in sql(CLINIC, table="patients", missing=False).splitlines()]
    assert "+ CASE WHEN smoker = 1 OR \"eye colour\" = 'light blue' THEN 1 ELSE 0 END" in lines
    assert "CASE WHEN score >= 3 THEN 'ill' ELSE 'well' END AS prediction" in lines
    assert lines[-2:] == ["FROM patients", ") AS scored;"]


def test_a_statement_that_may_be_unknown_gives_half_of_its_points() -> None:
    text = sql(CLINIC)
    first = "CASE WHEN glucose > 127 AND age < 40 THEN 2"
    assert f"{first} WHEN glucose <= 127 OR age >= 40 THEN 0 ELSE 1 END" in text
    assert "CASE WHEN glucose IS NOT NULL THEN 1 ELSE 0 END" in text  # it is never unknown


def test_the_head_says_where_rules_come_from() -> None:
    about = {"name": "clinic", "date": "2026-01-02", "rows": 699, "error": 0.034}
    head = sql(CLINIC, about=about).splitlines()[:2]
    assert head[0] == "-- Predicts 'ill', 'well' by crisp rules of 7 literals."
    assert head[1].startswith(
        "-- clinic, 2026-01-02, learned from 699 rows, held-out error 0.034"
    )


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("task", ["two", "several", "number"])
@pytest.mark.parametrize("crisp", [True, False])
def test_every_dialect_parses_to_the_same_names_and_texts(
    dialect: str, task: str, crisp: bool
) -> None:
    most = MOST_CHARACTERS.get(dialect, 400)
    rules = hostile_rules(task, crisp, [name[:most] for name in HOSTILE[::6]])
    options = {} if task == "number" else {"proba": True}
    [tree] = sqlglot.parse(sql(rules, dialect=dialect, table="t", **options), dialect=dialect)
    columns = {each.name for each in tree.find_all(sqlglot.exp.Column)}
    assert set(rules.mentioned_columns) <= columns
    texts = {each.this for each in tree.find_all(sqlglot.exp.Literal) if each.is_string}
    known = {value for its in rules.levels if its for value in (*its.names, *its.others)}
    labels = set() if task == "number" else set(rules.labels)
    assert texts <= known | labels
    assert labels <= texts
    assert len(list(tree.find_all(sqlglot.exp.Table))) == 1


def test_new_columns_get_names_that_the_rules_do_not_use() -> None:
    rules = CLINIC.rename({"glucose": "score", "age": "prediction"})
    text = sql(rules, proba=True)
    assert "AS score_" in text
    assert "AS prediction_" in text
    matrix = rows_of(rules, 200)
    assert_same(rules, matrix, run_sqlite(rules, decode_matrix(rules, matrix)))


def test_a_name_with_capitals_or_of_a_keyword_is_quoted_and_others_are_not() -> None:
    rules = CLINIC.rename({"glucose": "Glucose", "age": "user"})
    text = sql(rules, dialect="postgres")
    assert '"Glucose" > 127' in text
    assert '"user" < 40' in text
    assert " smoker = 1" in text
    assert '"smoker" = 1' in sql(rules, dialect="postgres", quote=True)


def test_a_table_may_be_in_a_schema_and_its_name_may_have_dots() -> None:
    assert "FROM health.patients" in sql(CLINIC, table="health.patients")
    assert 'FROM health."a.b"' in sql(CLINIC, table=["health", "a.b"])
    assert 'FROM "t; DROP TABLE x"' in sql(CLINIC, table="t; DROP TABLE x")


def test_only_columns_that_are_asked_for_are_kept() -> None:
    text = sql(CLINIC, keep=["patient id"])
    assert "*" not in text.split("SELECT", 1)[1]
    assert text.count('"patient id",') == 2


def test_a_view_can_be_created_and_selected_from() -> None:
    import sqlite3

    text = sql(CLINIC, dialect="sqlite", table="patients", view="judged", proba=True)
    with sqlite3.connect(":memory:") as database:
        columns = 'glucose REAL, age REAL, smoker INTEGER, "eye colour" TEXT'
        database.execute(f"CREATE TABLE patients ({columns})")
        database.execute("INSERT INTO patients VALUES (130, 30, 1, 'red')")
        database.executescript(text)
        row = database.execute("SELECT prediction, score FROM judged").fetchone()
    database.close()
    [wanted] = CLINIC.predict([[130, 30, 1, "red"]])
    assert row == (wanted, 4)


def test_a_dbt_model_refers_to_another_and_hides_nothing_from_jinja() -> None:
    jinja2 = pytest.importorskip("jinja2", reason="Jinja2 is not installed")
    name = "{{ 1/0 }}{% raw %}{# no #}"
    rules = CLINIC.rename({"glucose": name}, {"ill": "{{ ill }}"})
    template = jinja2.Template(sql(rules, dbt=True, table="patients"))
    made = template.render(ref=lambda model: f"health.{model}")
    plain = sql(rules, table="health.patients").strip().rstrip(";")
    assert made.splitlines()[2:] == plain.splitlines()[2:]
    with pytest.raises(ExportError, match="plain name"):
        sql(CLINIC, dbt=True, table="x') }}{{ 1")


@pytest.mark.parametrize(
    ("truth", "values"), [("boolean", (True, False)), ("text", ("Yes", "n"))]
)
def test_truth_values_may_be_stored_in_several_ways(
    truth: str, values: tuple[object, ...]
) -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    kind = "BOOLEAN" if truth == "boolean" else "VARCHAR"
    text = sql(CLINIC, truth=truth, table="patients").strip().rstrip(";")
    with duckdb.connect(":memory:") as database:
        columns = f'glucose DOUBLE, age DOUBLE, smoker {kind}, "eye colour" VARCHAR'
        database.execute(f"CREATE TABLE patients ({columns})")
        for value in (*values, None):
            database.execute("INSERT INTO patients VALUES (100, 50, ?, 'red')", [value])
        found = database.execute(f"SELECT score FROM ({text})").fetchall()
    wanted = [1 + 1 + 1, 1, 1 + 0.5 + 0.5]  # glucose is there; smoker decides two statements
    assert [float(score) for [score] in found] == wanted


def test_columns_of_whole_numbers_are_not_divided_as_such() -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    text = sql(PATIENTS, table="patients").strip().rstrip(";")
    with duckdb.connect(":memory:") as database:
        columns = 'glucose INTEGER, smoker INTEGER, "eye colour" VARCHAR'
        database.execute(f"CREATE TABLE patients ({columns})")
        database.execute("INSERT INTO patients VALUES (101, 1, 'red')")
        [(ill, well)] = database.execute(
            f"SELECT score_ill, score_well FROM ({text})"
        ).fetchall()
    wanted = PATIENTS.scores([[101, 1, "red"]])[0]
    np.testing.assert_allclose([ill, well], wanted, rtol=1e-12)


def test_what_cannot_be_written_is_refused() -> None:
    with pytest.raises(ExportError, match="dialect must be one of"):
        sql(CLINIC, dialect="oracle")
    with pytest.raises(ExportError, match="truth must be one of"):
        sql(CLINIC, truth="maybe")
    with pytest.raises(ExportError, match="zero"):
        sql(CLINIC.rename({"glucose": "a\0b"}))
    with pytest.raises(ExportError, match="either view or dbt"):
        sql(CLINIC, view="v", dbt=True)


def test_names_that_a_database_does_not_have_are_refused() -> None:
    for dialect, most in MOST_CHARACTERS.items():
        sql(CLINIC.rename({"glucose": "x" * most}), dialect=dialect)
        with pytest.raises(ExportError, match=f"more than {most} characters"):
            sql(CLINIC.rename({"glucose": "x" * (most + 1)}), dialect=dialect)
    same = "x" * POSTGRES_BYTES
    with pytest.raises(ExportError, match="would be one"):
        sql(CLINIC.rename({"glucose": f"{same}a", "age": f"{same}b"}), dialect="postgres")


@pytest.mark.parametrize("keep", [None, ["patient"]])
def test_graded_rules_have_columns_for_degrees_and_terms(keep: list[str] | None) -> None:
    """So nothing is written twice, and every term says what it is."""
    text = sql(LEARNED, keep=keep, table="flowers")
    assert text.count("CASE WHEN") == len({*LEARNED.used}) + 1  # and the class
    assert text.count("  -- ") == len(make_program(LEARNED).statements)
    assert ("patient" in text) == (keep is not None)


def test_probabilities_of_any_scale_are_computed_without_overflow() -> None:
    for seed, task in ((0, "two"), (1, "several")):
        rules = replace(rules_of(seed, task, crisp=True), scale=5000.0)
        matrix = rows_of(rules, 300)
        assert_same(rules, matrix, run_sqlite(rules, decode_matrix(rules, matrix)))


def test_many_statements_add_up() -> None:
    """DuckDB gives sums of decimals one digit more with every term."""
    from crisplogic.export.running.databases import run_duckdb
    from crisplogic.expr import Sum, Var

    pytest.importorskip("duckdb", reason="duckdb is not installed")
    from crisplogic.rules import ClassificationRules, Rule, Step

    steps = tuple(Step(0, at + 0.123456789) for at in range(60))
    both = Rule("a", Sum(tuple(Var(at) for at in range(60)))), Rule("b", Sum((Var(0), Var(1))))
    rules = ClassificationRules(("x",), steps, both, 0.1, (0.5, 0.25), crisp=True)
    matrix = np.append(np.linspace(-1, 61, 200), np.nan)[:, None]
    assert_same(rules, matrix, run_duckdb(rules, RawRows({"x": matrix[:, 0]}, len(matrix))))

"""Whatever comes: an answer, or one message and exit code 2, and nothing half written."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from crisplogic.cli.model import load_rules
from crisplogic.datasets import save_titanic
from crisplogic.rules import RuleSet
from tests.cli.running import Ran, Run, assert_refused, learn_quickly

ODD = ["", "NA", "1e308", "inf", "-0", "true", '"', "2020-01-01", "1,5", "\x00", "é"]
HEADS = st.one_of(
    st.sampled_from(["age", "sex", "port", '"; DROP TABLE', ""]), st.text(max_size=4)
)


@st.composite
def cells(draw: st.DrawFn, rows: int) -> list[str]:
    """A column of text: numbers or words, with something odd among them now and then."""
    usual = draw(st.sampled_from([["1", "2.5", "3", ""], ["red", "blue"], ["true", "false"]]))
    odd = st.one_of(st.sampled_from(ODD), st.text(max_size=3))
    cell = st.sampled_from(usual) if draw(st.integers(0, 9)) else odd
    return draw(st.lists(cell, min_size=rows, max_size=rows))


# What rows are to be, and how that is to be learned.
TARGETS: list[tuple[list[str], tuple[str, ...]]] = [
    (["yes", "no"], ()),
    (["yes", "no"], ("--task", "classification")),
    (["1.5", "-2e3", " 7"], ("--task", "regression")),
    (["0", "1", "2", "3"], ("--task", "regression")),
    (["1", "yes", "inf", ""], ("--task", "regression")),
]


@st.composite
def files(draw: st.DrawFn) -> tuple[bytes, tuple[str, ...]]:
    """Something like a CSV file with a column called answer, and how it is to be learned."""
    rows = draw(st.one_of(st.integers(6, 12), st.integers(0, 12)))
    usual = st.permutations(["age", "sex", "port"])
    names = draw(st.one_of(usual, usual, st.lists(HEADS, max_size=3)))
    columns = [[name, *draw(cells(rows))] for name in names]
    words, task = draw(st.sampled_from(TARGETS))
    answers = draw(st.lists(st.sampled_from(words), min_size=rows, max_size=rows))
    delimiter = draw(st.sampled_from([",", ";", "\t"]))
    lines = zip(*columns, ["answer", *answers], strict=True)
    text = "\n".join(delimiter.join(line) for line in lines)
    encoding = draw(st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "utf-16"]))
    return text.encode(encoding, "replace"), task


@given(file=files())
@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_a_file_is_learned_from_or_refused_with_one_message(
    run: Run, monkeypatch: pytest.MonkeyPatch, file: tuple[bytes, tuple[str, ...]]
) -> None:
    learn_quickly(monkeypatch, folds=0)
    content, task = file
    with TemporaryDirectory() as name:
        table, model = Path(name, "table.csv"), Path(name, "model")
        table.write_bytes(content)
        options = ("--target", "answer", "--epochs", "1", "--json", "--out", model)
        ran = run("fit", table, *options, *task)
        event("learned" if ran.code == 0 else "refused")
        if ran.code == 0:
            check_model(run, ran, table, model)
        else:
            assert_refused(ran)
            assert sorted(path.name for path in Path(name).iterdir()) == ["table.csv"]


def check_model(run: Run, ran: Ran, table: Path, model: Path) -> None:
    """All commands take what fit has written, and say what fit has expected."""
    document = json.loads(ran.out)
    predicted = json.loads(run("predict", model, table, "--json").out)["predictions"]
    assert len(predicted) == document["rows"]
    rules = load_rules(model)
    event(f"predicts a {rules.predicts}")
    assert ("predicted" if rules.predicts == "number" else "class") in predicted[0]
    quietly = run("rules", model, "--quiet").out.rstrip("\n")
    assert document["description"].startswith(quietly)
    assert run("explain", model, table, "--row", "1").code == 0
    assert run("frontier", model).code == 0


# --- what is asked for ------------------------------------------------------------------------

# Targets and their classes; "nobody" is none, and "rooms" is no column.
CLASSES = {
    "survived": ["no", "yes", "nobody"],
    "class": ["class 1", "class 3", "nobody"],
    "fare": [],
}
COLUMNS = ["age", "age", "alone", "alone", "sex", "rooms"]
PAIRS = list(permutations(["age", "alone", "sex", "port"], 2))


@st.composite
def asked(draw: st.DrawFn) -> tuple[str, list[tuple[str, ...]]]:
    """A target, and some options with their values, of which not all make sense together."""
    target = draw(st.sampled_from(list(CLASSES)))
    columns = st.tuples(st.sampled_from(COLUMNS))
    values: dict[str, st.SearchStrategy[tuple[str, ...]]] = {
        "--up": columns,
        "--down": columns,
        "--weight": st.sampled_from([("fare",), ("fare",), ("alone",)]),
        "--forbid-pair": st.sampled_from(PAIRS),
        "--allow-pair": st.sampled_from(PAIRS),
        "--missing-literals": st.just(()),
    }
    if labels := CLASSES[target]:
        sizes = st.sampled_from(["0", "1", "5", "-1"])
        values["--of"] = st.tuples(st.sampled_from(labels))
        values["--max-literals-of"] = st.tuples(st.sampled_from(labels), sizes)
        values["--balanced"] = st.just(())
    names = draw(st.lists(st.sampled_from(list(values)), max_size=3, unique=True))
    return target, [(name, *draw(values[name])) for name in names]


@pytest.fixture(scope="module")
def titanic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("titanic") / "titanic.csv"
    save_titanic(path, rows=60)
    return path


@given(question=asked())
@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_what_is_asked_for_is_kept_to_or_refused_with_one_message(
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    titanic: Path,
    question: tuple[str, list[tuple[str, ...]]],
) -> None:
    learn_quickly(monkeypatch, folds=0)
    target, options = question
    words = [word for option in options for word in option]
    soon = ("--epochs", "1", "--max-literals", "3")
    ran = run("fit", titanic, "--target", target, *soon, "--json", *words)
    event(f"{target} {'learned' if ran.code == 0 else 'refused'}")
    if ran.code:
        assert_refused(ran)
        return
    rules = RuleSet.from_json(json.dumps(json.loads(ran.out)["rules"]))
    label = dict(option for option in options if len(option) == 2).get("--of", rules.labels[-1])
    for name, *values in options:
        if name in ("--up", "--down"):
            found = rules.directions().get(values[0], {}).get(label, "none")
            assert found in (name[2:], "none")
        if name == "--weight":
            assert values[0] not in rules.features

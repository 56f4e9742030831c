"""Whatever file comes: an answer, or one message and exit code 2, and nothing half written."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from cli.running import Ran, Run, assert_refused
from crisplogic import LogicClassifier

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


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """Something like a CSV file with a column called answer, in one encoding or another."""
    rows = draw(st.one_of(st.integers(6, 12), st.integers(0, 12)))
    usual = st.permutations(["age", "sex", "port"])
    names = draw(st.one_of(usual, usual, st.lists(HEADS, max_size=3)))
    columns = [[name, *draw(cells(rows))] for name in names]
    answers = draw(st.lists(st.sampled_from(["yes", "no"]), min_size=rows, max_size=rows))
    delimiter = draw(st.sampled_from([",", ";", "\t"]))
    lines = zip(*columns, ["answer", *answers], strict=True)
    text = "\n".join(delimiter.join(line) for line in lines)
    encoding = draw(st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "utf-16"]))
    return text.encode(encoding, "replace")


@given(content=files())
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_a_file_is_learned_from_or_refused_with_one_message(
    run: Run, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    quick = partial(LogicClassifier, restarts=1, folds=0)
    monkeypatch.setattr("crisplogic.estimators.LogicClassifier", quick)
    with TemporaryDirectory() as name:
        table, model = Path(name, "table.csv"), Path(name, "model")
        table.write_bytes(content)
        options = ("--target", "answer", "--epochs", "1", "--json", "--out", model)
        ran = run("fit", table, *options)
        event("learned" if ran.code == 0 else "refused")
        if ran.code == 0:
            check_model(run, ran, table, model)
        else:
            assert_refused(ran)
            assert sorted(path.name for path in Path(name).iterdir()) == ["table.csv"]


def check_model(run: Run, ran: Ran, table: Path, model: Path) -> None:
    """All commands take what fit has written, and say what fit has said."""
    document = json.loads(ran.out)
    predicted = json.loads(run("predict", model, table, "--json").out)
    assert len(predicted["predictions"]) == document["rows"]
    assert run("rules", model, "--quiet").out == document["text"] + "\n"
    assert run("explain", model, table, "--row", "1").code == 0
    assert run("frontier", model).code == 0

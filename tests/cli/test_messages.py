"""Errors of the command line speak of options, never of parameters of Python."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from crisplogic.cli.options import speak_of_options
from crisplogic.datasets import save_titanic
from crisplogic.errors import DivergedError
from tests.cli.running import Run, assert_refused

# A word with an underscore outside of quotes, as parameters have them.
PARAMETER = re.compile(r"\w+_\w+")


@pytest.fixture(scope="module")
def titanic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("titanic") / "titanic.csv"
    save_titanic(path, rows=60)
    return path


@pytest.mark.usefixtures("never_trains")
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("--up sex", "--up"),
        ("--up rooms", "--up"),
        ("--up age --down age", "--down"),
        ("--of yes", "--of"),
        ("--up age --of nobody", "--of"),
        ("--forbid-pair age age", "--forbid-pair"),
        ("--allow-pair age age", "--allow-pair"),
        ("--forbid-pair age rooms", "--forbid-pair"),
        ("--forbid-pair age sex --allow-pair age fare", "--allow-pair and --forbid-pair"),
        ("--max-literals-of yes few", "--max-literals-of"),
        ("--max-literals-of nobody 3", "--max-literals-of"),
        ("--max-literals 0", "--max-literals"),
        ("--depth 1000", "--depth"),
        ("--weight sex", "the weight 'sex'"),
        ("--weight rooms", "no column 'rooms'"),
        ("--drop rooms", "no column 'rooms'"),
        ("--category rooms", "no column 'rooms'"),
        ("--task regression", "--task classification"),
        ("--delimiter ab", "delimiter"),
        ("--encoding nosuch", "encoding"),
        ("--epochs 0", "--epochs"),
        ("--operators foo", "--operators"),
        ("--positive nobody", "--positive"),
        ("--decision-threshold 7", "--decision-threshold"),
        ("--target-transform log", "--target-transform"),
        ("--seed -1", "--seed"),
        ("--out nosuch/model.json", "does not exist"),
        ("--plot figure.gif", ".png"),
    ],
)
def test_every_wrong_option_is_refused_by_its_own_name(
    run: Run, titanic: Path, options: str, expected: str
) -> None:
    ran = run("fit", titanic, "--target", "survived", "--quiet", *options.split())
    assert_refused(ran, expected)
    assert not PARAMETER.search(ran.err.replace(str(titanic), ""))


def test_parameters_become_options_but_names_of_the_user_stay() -> None:
    assert speak_of_options("max_literals_per_class must be 1, got 'max_literals'") == (
        "--max-literals-of must be 1, got 'max_literals'"
    )
    assert speak_of_options("monotone['age'] must be 'up'") == "--up and --down must be 'up'"
    assert speak_of_options("depth must be 1") == "--depth must be 1"
    assert speak_of_options('at a depth of 2, "it\'s depth must"') == (
        'at a depth of 2, "it\'s depth must"'
    )


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        (DivergedError("training diverged with learning_rate=3; try 0.3"), "--seed"),
        (MemoryError("Unable to allocate 37.3 GiB"), "--width"),
        (MemoryError(), "not enough memory"),
    ],
)
def test_errors_of_training_have_advice_that_can_be_followed(
    run: Run, table: Path, monkeypatch: pytest.MonkeyPatch, problem: Exception, expected: str
) -> None:
    def fail(*_: object) -> None:
        raise problem

    monkeypatch.setattr("crisplogic.estimators.base.train_networks", fail)
    ran = run("fit", table, "--target", "ill")
    assert_refused(ran, expected)
    assert not PARAMETER.search(ran.err)


@pytest.mark.usefixtures("never_trains")
@pytest.mark.parametrize("cells", ["1,2", ",2", "1,x"])
def test_columns_that_never_vary_are_refused_before_training(
    run: Run, table: Path, cells: str
) -> None:
    table.write_text("a,b,y\n" + f"{cells},yes\n{cells},no\n" * 4)
    ran = run("fit", table, "--target", "y", "--quiet")
    assert_refused(ran, str(table), "'b'")
    assert "depth" not in ran.err


def test_a_dash_is_standard_input_and_standard_output(
    run: Run, model: Path, rows: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = run("predict", model, rows)
    monkeypatch.chdir(rows.parent)
    assert run("predict", model, rows, "--out", "-") == expected
    assert not (rows.parent / "-").exists()


def test_warnings_are_one_line(run: Run, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import warnings

    def warn(*_: object) -> None:
        warnings.warn("max_literals is much", UserWarning, stacklevel=2)
        raise ValueError("enough")

    monkeypatch.setattr("crisplogic.estimators.base.train_networks", warn)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        ran = run("fit", table, "--target", "ill")
    assert ran.err == "warning: --max-literals is much\nerror: enough\n"

"""Tables from files as people have them: what was not read as it stands is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import Run, assert_refused

ROWS = 60


def write_lab(path: Path, decimal: str = ".") -> Path:
    """Patients with identifiers, detection limits and shares, a few without a class."""
    lines = ["patient_id;crp;share;age;ill"]
    for row in range(ROWS):
        crp = "<0.5" if row % 9 == 1 else f"{row % 7 + 0.25}"
        ill = "" if row in (3, 40) else "yes" if row % 7 > 3 else "no"
        lines.append(
            f"{1000 + row};{crp};{row % 5}%;{20 + row % 31};{ill}".replace(".", decimal)
        )
    path.write_text("\n".join(lines) + "\n")
    return path


LAB_REMARKS = [
    "read as numbers without '%': column 'share'",
    "read as the number without its sign: 7 cell(s) of 'crp', such as '<0.5' "
    "(--missing '<0.5')",
    "left out, no target 'ill': 2 row(s), the first is line 5",
    "left out, whole numbers that identify rows: 'patient_id' (--keep patient_id)",
]
FIT = ("--target", "ill", "--epochs", "1", "--max-literals", "4")


@pytest.mark.usefixtures("quick")
def test_fit_says_what_was_not_read_as_it_stands(run: Run, tmp_path: Path) -> None:
    table = write_lab(tmp_path / "lab.csv")
    ran = run("fit", table, *FIT, "--out", tmp_path / "model")
    assert ran.code == 0
    assert sorted(ran.err.splitlines()) == sorted(["", *LAB_REMARKS])

    predicted = run("predict", tmp_path / "model" / "rules.json", table)
    assert len(predicted.out.splitlines()) == ROWS + 1


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(("command", "more"), [("fit", ()), ("evaluate", ("--folds", "2"))])
def test_remarks_are_in_json_too(
    run: Run, tmp_path: Path, command: str, more: tuple[str, ...]
) -> None:
    table = write_lab(tmp_path / "lab.csv", decimal=",")
    more = (*more, "--repeats", "1") if command == "evaluate" else more
    ran = run(command, table, *FIT, *more, "--json", "--keep", "patient_id")
    assert (ran.code, ran.err) == (0, "")
    document = json.loads(ran.out)
    found = {each["kind"]: (each["columns"], each.get("count")) for each in document["remarks"]}
    assert found == {
        "decimal_commas": (["crp"], None),
        "unit": (["share"], ROWS),
        "limits": (["crp"], 7),
        "no_target": (["ill"], 2),
    }
    assert document["rows"] == ROWS - 2


def write_rows(path: Path, cell: str) -> Path:
    names = 'größe;"""; DROP TABLE";a + (b;age'
    path.write_text(f"{names}\n1;2;3;4\n4;3;2;{cell}\n", encoding="utf-8")
    return path


def test_predict_says_what_was_not_read_as_it_stands(
    run: Run, tmp_path: Path, model: Path
) -> None:
    rows = write_rows(tmp_path / "new.csv", cell="<2,5")
    ran = run("predict", model, rows, "--decimal", ",")
    remark = "read as the number without its sign: 1 cell(s) of 'age', such as '<2,5'"
    assert ran.err == f"{remark} (--missing '<2,5')\n\n"
    plain = write_rows(tmp_path / "plain.csv", cell="2.5")
    assert (
        run("predict", model, plain, "--proba").out
        == run("predict", model, rows, "--proba", "--decimal", ",", "--quiet").out
    )
    out = tmp_path / "out.csv"
    ran = run("predict", model, rows, "--decimal", ",", "--out", out, "--json")
    (found,) = json.loads(ran.out)["remarks"]
    assert (ran.err, found["kind"], found["count"]) == ("", "limits", 1)


def test_thousands_are_read_as_told(run: Run, tmp_path: Path, model: Path) -> None:
    rows = write_rows(tmp_path / "new.csv", cell="1,234")
    assert_refused(run("predict", model, rows), "got '1,234'", "(--decimal , or --thousands ,)")
    assert run("predict", model, rows, "--thousands", ",").code == 0


def test_all_problems_come_at_once_each_with_its_options(run: Run, tmp_path: Path) -> None:
    table = tmp_path / "bad.csv"
    rows = "".join(f"{i},2020-01-{i:02d},{i % 2}\n" for i in range(1, 28))
    table.write_text(f"a,b,y\n{rows}x,2020-02-01,1\n")
    ran = run("fit", table, "--target", "y")
    assert_refused(ran, "2 columns cannot be used as they are:")
    first, second = ran.err.splitlines()[1:]
    assert first.endswith("(--missing x or --category a or --drop a)")
    assert second.endswith("(--category b or --drop b)")

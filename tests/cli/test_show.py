"""``crisplogic rules``, ``explain`` and ``frontier``."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from crisplogic.expr import parse
from crisplogic.rules import ClassificationRules, Membership, Note, Rule, RuleSet, Step
from tests.cli.running import Run, assert_refused, rule_set, small_rules

# --- rules ------------------------------------------------------------------------------------


def test_rules_are_printed_with_what_high_means(run: Run, model: Path) -> None:
    ran = run("rules", model)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Rules: ")
    assert "¬" in ran.out
    assert "⊕ " in ran.out
    for line in rule_set().legend().splitlines():
        assert f"  {line}\n" in ran.out


def test_crisp_rules_are_printed_in_words_unless_their_notation_is_wanted(
    run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "rules.json"
    steps = Step(0, 40.0), Step(1, 31.5), Step(2, 127.0)
    both = Rule("ill", parse("0 + (1 | 2) + ~2")), Rule("well", parse("unknown"))
    names = ("age", "body mass", "glucose")
    ClassificationRules(names, steps, both, 1.0, (-0.5, 0.0), crisp=True).save(path)
    words = run("rules", path).out
    assert words.startswith(
        "Rules: 4 literals.\n\n  ill, if at least 2 of these 3 statements hold:"
    )
    assert "    - body mass is above 31.5, or glucose is above 127\n" in words
    assert "Probability of ill" in words
    assert run("rules", path, "--quiet").out.endswith("\notherwise well\n")
    assert "ill  = age>40 + (" in run("rules", path, "--notation").out
    assert "glucose<=127" in run("rules", path, "--ascii").out
    assert "c_0 = 0 + (1 | 2)" in run("rules", path, "--numbered").out
    rows = tmp_path / "rows.csv"
    rows.write_text("age,body mass,glucose\n50,30,\n")
    why = run("explain", path, rows).out
    assert why.startswith(
        "ill (62%), because 1 of 3 holds and 2 are unknown, which count half each "
        "(2 are needed):"
    )


def test_ascii_uses_no_symbol_of_the_paper(run: Run, model: Path) -> None:
    printed = run("rules", model, "--ascii").out.replace('"nein ⊕"', "")
    assert "~" in printed
    assert "^" in printed
    assert not {"¬", "⊕"} & set(printed)


def test_numbered_rules_say_below_what_the_numbers_stand_for(run: Run, model: Path) -> None:
    _, body, legend, _ = run("rules", model, "--numbered").out.split("\n\n")
    assert "  c_0 = " in body
    assert "  c_1 = " in body
    assert '"nein ⊕"' not in body
    assert '"nein ⊕"' in legend
    assert len(re.findall(r"^  \d+ = .* is high", legend, re.MULTILINE)) > 0


def test_rules_that_say_nothing_can_be_printed(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    rule = Rule("a", parse("unknown"))
    ClassificationRules(("x",), (Membership(0, 0.0, 1.0),), (rule,)).save(path)
    assert "\n\n  a = 0\n" in run("rules", path).out


def test_rules_of_a_folder_are_printed_as_those_of_a_file(
    run: Run, folder: Path, model: Path
) -> None:
    assert run("rules", folder) == run("rules", model)
    assert run("rules", folder, "--quiet").out == f"{rule_set().to_text()}\n"
    document = json.loads(run("rules", folder, "--json").out)
    assert document["text"] == rule_set().to_text()
    assert RuleSet.from_json(json.dumps(document["rules"])) == rule_set()


def test_control_characters_in_names_do_not_reach_the_terminal(run: Run, model: Path) -> None:
    document = json.loads(model.read_text(encoding="utf-8"))
    document["features"][0] = "\x1b[31mred\r\n"
    model.write_text(json.dumps(document), encoding="utf-8")
    printed = run("rules", model).out
    assert "\\u001b[31mred" in printed
    assert not {"\x1b", "\r"} & set(printed)


# --- frontier ---------------------------------------------------------------------------------


def test_a_frontier_is_error_against_size(run: Run, folder: Path) -> None:
    printed = run("frontier", folder).out.splitlines()
    assert printed[1].startswith("literals  training rows")
    assert [line.split()[:2] for line in printed[2:]] == [
        ["1", "25.0%"],
        [str(rule_set().size), "12.5%"],
    ]
    assert "20.0%  0.1000 ± 0.0100" in printed[3]  # what the choice goes by
    assert printed[3].endswith("  <- chosen")
    document = json.loads(run("frontier", folder, "--json").out)
    assert document["chosen"] == rule_set().size
    assert [size["held_out_error"] for size in document["sizes"]] == [None, 0.2]


def test_smaller_rules_are_printed_and_written(run: Run, folder: Path) -> None:
    assert "ja       = age" in run("frontier", folder, "--at", "3").out
    assert run("frontier", folder, "--at", "3", "--quiet").out == f"{small_rules().to_text()}\n"
    out = folder.with_name("small.json")
    ran = run("frontier", folder, "--at", "3", "--out", out)
    assert (ran.code, ran.out) == (0, f"wrote rules of 1 literals to {out}\n")
    assert RuleSet.load(out) == small_rules()
    written = json.loads(run("frontier", folder, "--at", "3", "--out", out, "--json").out)
    assert written["out"] == str(out)


def test_sizes_that_there_are_not_and_files_without_a_size_are_refused(
    run: Run, folder: Path
) -> None:
    assert_refused(run("frontier", folder, "--at", "0"), "no rules of at most 0 literals")
    assert_refused(run("frontier", folder, "--out", "small.json"), "--out needs --at")


# --- explain ----------------------------------------------------------------------------------


def test_rows_are_explained_as_the_library_does(run: Run, folder: Path, rows: Path) -> None:
    predicted = run("predict", folder, rows).out.splitlines()[1:]
    for row in (1, 4, 30):
        told = run("explain", folder, rows, "--row", str(row))
        assert told.code == 0
        label = predicted[row - 1].strip('"')
        assert told.out.startswith("predicted: ")
        assert label in told.out.splitlines()[0].partition(";")[0]
    assert run("explain", folder, rows).out == run("explain", folder, rows, "--row", "1").out


def test_several_rows_come_in_their_order(
    run: Run, folder: Path, rows: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crisplogic.io.text.CHUNK_ROWS", 7)
    ran = run("explain", folder, rows, "--row", "20", "--row", "3", "--row", "20")
    assert [line for line in ran.out.splitlines() if line[:4] == "row "] == ["row 3", "row 20"]
    one = run("explain", folder, rows, "--row", "20").out
    assert ran.out.endswith(one)
    document = json.loads(run("explain", folder, rows, "--row", "3", "--json").out)
    assert [row["row"] for row in document["rows"]] == [3]
    assert document["rows"][0]["predicted"] in rule_set().labels


def test_a_row_that_there_is_not_is_refused(run: Run, folder: Path, rows: Path) -> None:
    assert_refused(run("explain", folder, rows, "--row", "31"), "it has 30 rows", "no row 31")
    assert_refused(run("explain", folder, rows, "--row", "0"), "'--row'")


# --- the smallest change ----------------------------------------------------------------------


def two_steps(path: Path) -> Path:
    steps = Step(0, 40.0), Step(1, 127.0)
    both = Rule("ill", parse("0 + 1")), Rule("well", parse("unknown"))
    ranges = ((21.0, 81.0), (56.0, 198.0))
    names = ("age", "glucose")
    ClassificationRules(names, steps, both, 1.0, (-1.5, 0.0), ranges=ranges, crisp=True).save(
        path
    )
    return path


def test_explain_tells_the_smallest_change_and_draws_it(run: Run, tmp_path: Path) -> None:
    path, rows = two_steps(tmp_path / "rules.json"), tmp_path / "rows.csv"
    rows.write_text("age,glucose\n35,150\n")
    told = run("explain", path, rows, "--change", "age")
    assert told.out.endswith("it would be ill (62%) if age were 41 instead of 35\n")
    picture = tmp_path / "change.svg"
    asked = ("--change", "all", "--to", "ill", "--picture", picture, "--json")
    document = json.loads(run("explain", path, rows, *asked).out)
    assert document["rows"][0]["counterfactual"]["changes"] == [
        {"column": "age", "from": 35.0, "to": 41.0}
    ]
    assert picture.read_text().startswith("<svg ")
    assert "counterfactual" not in run("explain", path, rows, "--json").out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--to", "ill"], "--to needs --change"),
        (["--change", "agee"], "did you mean age"),
        (["--change", "age", "--to", "sick"], "sick"),
        (["--change", "age", "--by", "3"], "--by is for numbers"),
        (["--picture", "x.svg"], "--picture needs --change"),
    ],
)
def test_a_change_that_cannot_be_asked_for_is_refused(
    run: Run, tmp_path: Path, options: list[str], message: str
) -> None:
    path, rows = two_steps(tmp_path / "rules.json"), tmp_path / "rows.csv"
    rows.write_text("age,glucose\n35,150\n")
    assert_refused(run("explain", path, rows, *options), message)


def test_rules_tell_who_changed_them(run: Run, tmp_path: Path) -> None:
    path = two_steps(tmp_path / "rules.json")
    assert "Changed by hand" not in run("rules", path).out
    note = Note("2026-01-31T09:30:00+00:00", "Ada", "moved age>40 to 45")
    replace(RuleSet.load(path), history=(note,)).save(path)
    told = run("rules", path).out
    assert told.endswith("\n\nChanged by hand:\n  2026-01-31 09:30, Ada: moved age>40 to 45\n")
    assert json.loads(run("rules", path, "--json").out)["rules"]["history"][0]["who"] == "Ada"

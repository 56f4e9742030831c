"""The examples run, quickly, print what can be read in a minute, and show what they promise."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def printed_by(name: str) -> str:
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-W", "error", str(EXAMPLES / name)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert 20 <= len(done.stdout.splitlines()) <= 80
    return done.stdout


def numbers(pattern: str, text: str) -> list[float]:
    return [float(found) for found in re.findall(pattern, text)]


def blocks(text: str) -> list[str]:
    return text.strip().split("\n\n")


def test_edits_are_compared_and_slips_are_answered() -> None:
    text = printed_by("edit_rules.py")
    for said in ("predictions changed", "+++ after", "did you mean bare_nuclei?"):
        assert said in text


def test_rows_are_explained_gaps_included() -> None:
    text = printed_by("explain_rows.py")
    for said in ("points of error", "of 699 rows", "bare_nuclei is missing"):
        assert said in text


def test_a_mixed_table_is_spoken_of_in_its_own_words() -> None:
    text = printed_by("mixed_table.py")
    assert "sex is female" in text
    assert re.search(r"unknown +class is .*never seen", text)
    without, with_a_word = text.split("missing_literals=")[1:]
    assert "income is not missing" not in without
    assert "income is not missing" in with_a_word


def test_weights_find_what_is_rare_and_save_money() -> None:
    text = printed_by("rare_class.py")
    nothing, alike, balanced, costs = numbers(r"recall (\d+)%", text)
    assert nothing <= alike < costs < balanced
    lost = numbers(r"money lost +(\d+)", text.replace(",", ""))
    assert min(lost) == lost[-1]


def test_a_number_is_predicted_explained_and_compared() -> None:
    text = printed_by("predict_a_number.py")
    assert re.search(r"^price = [\d.]+ \+ [\d.]+ × \(", text, re.MULTILINE)
    assert "<- chosen" in text
    assert "area is missing" in text
    rules, line, tree, network = numbers(r"\n +([\d.]+)  \S", blocks(text)[-1])
    assert 20 < rules < min(line, tree)
    assert 20 < network < min(line, tree)


def test_constraints_are_kept_to() -> None:
    _, free, no_sex, one_way, apart, short = blocks(printed_by("constraints.py"))
    assert "woman" in free
    assert "woman" not in no_sex
    assert "'never': 'down'" in one_way
    assert "income: 0 of 500" in one_way
    assert "income: 0 of 500" not in free
    rules = [line.partition(" = ")[2] for line in apart.splitlines() if " = " in line]
    terms = [term for rule in rules for term in rule.split(" + ")]
    assert any("income" in term for term in terms)
    assert any("debts" in term for term in terms)
    assert not any("income" in term and "debts" in term for term in terms)
    (rule,) = re.findall(r'^"in time" = (.*)', short, re.MULTILINE)
    assert len(re.findall(r"\w+[<>]|woman", rule)) <= 3


def test_sizes_are_shown_and_rules_travel_alone() -> None:
    text = printed_by("choose_a_size.py")
    assert "<- chosen" in text
    assert "At most 2 literals" in text
    *_, here, there, loaded = text.splitlines()
    assert here == there
    assert loaded == "loaded: ['numpy']"


def test_a_killed_fit_goes_on_to_the_same_rules() -> None:
    text = printed_by("go_on_after_a_kill.py")
    assert "30 there, 20 here" in text
    assert "the checkpoint is still there: False" in text
    assert "the same rules: True" in text
    assert "the same rules of every size: True" in text


def test_every_example_is_listed_and_tested() -> None:
    listed = re.findall(r"\]\((\w+\.\w+)\)", (EXAMPLES / "README.md").read_text("utf-8"))
    there = [each.name for each in EXAMPLES.iterdir() if each.suffix in (".py", ".sh")]
    assert sorted(listed) == sorted(there)
    tested = Path(__file__).read_text("utf-8")
    assert all(f'"{name}"' in tested for name in there if name.endswith(".py"))

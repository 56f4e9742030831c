"""The examples run as plain scripts and show what they promise.

The gallery of the documentation executes the same files when it is built.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
NO_SCREEN = "ignore:FigureCanvasAgg is non-interactive"


def printed_by(name: str) -> str:
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-W", "error", "-W", NO_SCREEN, str(EXAMPLES / name)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        env={**os.environ, "MPLBACKEND": "agg"},
    )
    assert done.returncode == 0, done.stderr
    assert 10 <= len(done.stdout.splitlines()) <= 80
    return done.stdout


def numbers(pattern: str, text: str) -> list[float]:
    return [float(found) for found in re.findall(pattern, text)]


def test_edit_rules() -> None:
    text = printed_by("edit_rules.py")
    for shown in ("predictions changed", "+++ after", "did you mean bare_nuclei?"):
        assert shown in text


def test_explain_rows() -> None:
    text = printed_by("explain_rows.py")
    for shown in ("points of error", "of 699 rows", "bare_nuclei is missing"):
        assert shown in text


@pytest.mark.slow  # the gallery of the documentation runs it, too
def test_mixed_table() -> None:
    text = printed_by("mixed_table.py")
    assert "sex is female" in text
    without, with_literals = text.split("missing_literals=")[1:]
    assert not re.search(r"income is (not )?missing", without)
    assert re.search(r"income is (not )?missing", with_literals)
    assert all(right > 70 for right in numbers(r"([\d.]+)% right", text))


@pytest.mark.slow  # the gallery of the documentation runs it, too
def test_rare_class() -> None:
    text = printed_by("rare_class.py")
    nothing, unweighted, balanced, costs = numbers(r"recall (\d+)%", text)
    assert nothing == 0
    assert unweighted < balanced > 50
    lost = numbers(r"money lost +(\d+)", text.replace(",", ""))
    assert lost[-1] < lost[0]
    assert costs > 0


@pytest.mark.slow  # the gallery of the documentation runs it, too
def test_predict_a_number() -> None:
    text = printed_by("predict_a_number.py")
    assert re.search(r"^price = [\d.]+, and\n  \+[\d.]+  if ", text, re.MULTILINE)
    assert "<- chosen" in text
    errors = text.split("root mean squared errors")[1]
    rules, line, tree, network = numbers(r"\n +([\d.]+)  \S", errors)
    assert min(rules, line, tree, network) > 19  # the noise
    assert max(rules, network) < 60  # the standard deviation of the prices is about 70


@pytest.mark.slow  # the gallery of the documentation runs it, too
def test_constraints() -> None:
    text = printed_by("constraints.py")
    parts = re.split(r"income: \d+ of 500 people\n", text)
    counts = numbers(r"income: (\d+) of 500 people", text)
    _, no_sex, one_way, apart, short, _ = parts
    assert "woman" not in no_sex
    assert counts[2] == 0  # guaranteed
    assert "'never': 'up'" not in one_way
    assert "'never': 'both'" not in one_way
    for rule in re.findall(r" = (.*)", apart):
        assert not any("income" in term and "debts" in term for term in rule.split(" + "))
    (rule,) = re.findall(r'^"in time" = (.*)', short, re.MULTILINE)
    assert len(re.findall(r"\w+[<>]|woman", rule)) <= 3


@pytest.mark.slow  # the gallery of the documentation runs it, too
def test_choose_a_size() -> None:
    text = printed_by("choose_a_size.py")
    assert "<- chosen" in text
    assert "At most 2 literals" in text
    *_, here, there, loaded = text.strip().splitlines()
    assert here == there
    assert loaded == "loaded: ['numpy']"


@pytest.mark.slow  # the gallery of the documentation runs it, too
def test_resume_a_fit() -> None:
    text = printed_by("resume_a_fit.py")
    assert "30 there, 20 here" in text
    assert "the checkpoint is still there: False" in text
    assert "the same rules: True" in text
    assert "the same rules of every size: True" in text


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_every_example_is_a_tested_page_of_the_gallery(path: Path) -> None:
    assert f'printed_by("{path.name}")' in Path(__file__).read_text("utf-8")
    quotes, title, rule, *_ = path.read_text("utf-8").splitlines()
    assert quotes == '"""'
    assert rule == "=" * len(title)

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.rules_table.readme import BEGIN, END, update_readme
from tests.experiments.rules_table.samples import pair

ROOT = Path(__file__).parents[3]


def test_the_table_is_replaced_and_the_rest_stays(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n\n{BEGIN}\nold\n{END}\n\nafter\n", encoding="utf-8")
    update_readme(readme, [*pair("vehicle"), *pair("yeast")])
    text = readme.read_text(encoding="utf-8")
    assert text.startswith(f"before\n\n{BEGIN}\n| error % (literals) | vehicle | yeast |\n")
    assert text.endswith(f"\n{END}\n\nafter\n")
    assert "| crisp rules, the default | 19.0 (30) | 19.0 (30) |" in text
    assert "| crisp rules, at most 12 or 20 | 30.0 (11) | 30.0 (11) |" in text
    assert "| network | 15.0 | 15.0 |" in text
    assert "old" not in text


def test_a_file_without_marks_is_left_as_it_is(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("no table here", encoding="utf-8")
    with pytest.raises(ValueError, match="needs the marks"):
        update_readme(readme, pair())
    assert readme.read_text(encoding="utf-8") == "no table here"


def test_the_readme_has_the_marks() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.count(BEGIN) == text.count(END) == 1

"""The examples run, quickly, and print something to read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("edit_rules.py", ["predictions changed", "+++ after", "did you mean bare_nuclei?"]),
        ("explain_rows.py", ["points of error", "of 699 rows", "bare_nuclei is missing"]),
    ],
)
def test_an_example_runs_and_can_be_read_in_a_minute(name: str, said: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-W", "error", str(EXAMPLES / name)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
        timeout=60,
    )
    assert all(text in done.stdout for text in said)
    assert 20 < len(done.stdout.splitlines()) < 80

"""What network, crisp and graded rules reach on held-out rows, as text and as JSON."""

from __future__ import annotations

import json
from dataclasses import replace

from crisplogic.rules import Frontier, HeldOutErrors, Point
from tests.rules.crisp_rules import CLINIC
from tests.rules.rule_sets import HEALTH


def test_what_is_not_known_is_said_and_is_null() -> None:
    errors = HeldOutErrors(network=0.031, crisp=0.036)
    assert str(errors).endswith("network 3.1%, crisp rules 3.6%, graded rules not known")
    assert errors.to_dict() == {"network": 0.031, "crisp": 0.036, "graded": None}
    assert "nan" not in json.dumps(HeldOutErrors().to_dict(), allow_nan=False)


def test_errors_of_numbers_are_in_their_units() -> None:
    errors = HeldOutErrors(4.5, 5.25, 5.0, predicts="number")
    assert str(errors).startswith("root mean squared error on held-out rows: network 4.500")


def test_a_frontier_tells_what_network_and_other_rules_reach() -> None:
    crisp = Frontier((Point(CLINIC, 0.25, 0.5),), network_error=0.031)
    line = "on held-out rows: network 3.1%, graded rules not known"
    assert crisp.to_text().splitlines()[-1] == line
    assert line in crisp.to_markdown()
    assert line in crisp._repr_html_()
    graded = replace(crisp, points=(Point(HEALTH, 0.25, 0.5),), other_rules_error=0.036)
    assert "network 3.1%, crisp rules 3.6%" in graded.to_text()


def test_a_frontier_without_held_out_rows_says_nothing_of_them() -> None:
    assert "on held-out rows" not in Frontier((Point(CLINIC, 0.25),)).to_text()

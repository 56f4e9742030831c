"""Small files that stand for something huge: each is refused, or used in little time.

Where something would be written out, it would have more than 2**40 parts. So a test that ends
at all shows that nothing is.
"""

from __future__ import annotations

import json
import pickle
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from crisplogic import files
from crisplogic.errors import CrisplogicError, ExpressionError, RuleError, RuleFileError
from crisplogic.expr import And, Expr, Var, measure, parse, shared_parts, simplify, to_text
from crisplogic.expr.equivalence import EquivalenceClasses
from crisplogic.expr.nodes import MAX_DEPTH
from crisplogic.messages import list_some, point_at
from crisplogic.plot.graph import build_graph
from crisplogic.rules import RuleSet
from crisplogic.rules.analysis.comparison import compare
from crisplogic.rules.rule import Label, check_rules

LEVELS = 50
TABLE = pd.DataFrame({"a": [0.25, 0.75, None], "b": [1.0, 0.0, 0.5]})


def document(*expressions: str, **changes: Any) -> str:
    """A rule file over two columns, with a rule for each expression."""
    ramp = {"kind": "ramp", "low": 0, "high": 1}
    return json.dumps(
        {
            "format": "crisplogic.rules",
            "version": 3,
            "features": ["a", "b"],
            "memberships": [{**ramp, "feature": 0}, {**ramp, "feature": 1}],
            "rules": [
                {"label": f"c{number}", "expression": text}
                for number, text in enumerate(expressions)
            ],
            "scale": 1.0,
            **changes,
        }
    )


def chain(operators: str, name: str = "h", levels: int = LEVELS) -> dict[str, str]:
    """Parts each of which mentions the last one twice."""
    parts = {f"{name}0": f"0 {operators[0]} 1"}
    for level in range(levels):
        last, operator = f"{name}{level}", operators[level % len(operators)]
        parts[f"{name}{level + 1}"] = f"{last} {operator} {last}"
    return parts


def tanhs() -> dict[str, str]:
    parts = {"h0": "0 + 1"}
    for level in range(LEVELS // 2):
        parts[f"h{level + 1}"] = f"tanh(h{level}) + tanh(h{level}) + 0"
    return parts


SHARED = {
    "and": document(f"h{LEVELS}", "0", shared=chain("&")),
    "xor": document(f"h{LEVELS}", "0", shared=chain("^")),
    "all operators": document(f"h{LEVELS}", f"~h{LEVELS} + 0", shared=chain("&|^")),
    "equal chains": document(
        f"h{LEVELS}", f"g{LEVELS}", shared={**chain("&|"), **chain("&|", "g")}
    ),
    "tanh": document(f"h{LEVELS // 2}", "0", shared=tanhs()),
}


@pytest.mark.parametrize("text", SHARED.values(), ids=SHARED)
def test_a_small_file_that_shares_parts_is_used_without_writing_them_out(text: str) -> None:
    rules, again = RuleSet.from_json(text), RuleSet.from_json(text)
    assert rules == again
    assert hash(rules) == hash(again)
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert RuleSet.from_json(rules.to_json()) == rules
    for printed in (str(rules), repr(rules), rules.to_text(numbered=True), rules.to_json()):
        assert len(printed) < 100_000
    assert rules.size < 1000
    assert rules.predict(TABLE).shape == (3,)
    assert len(str(rules.explain({"a": 0.25, "b": 1.0}))) < 100_000
    assert rules.evidence(TABLE, ["c0", "c1", "c1"])
    assert compare(rules, again, TABLE, ["c0", "c1", "c1"]).diff == ""
    assert rules.directions()
    assert len(build_graph(rules).nodes) < 1000
    for crisp in (False, True):
        assert rules.simplified(crisp).measure().operators < 10_000


def test_a_value_that_a_category_has_twice_is_found_soon_among_many() -> None:
    """To compare each of them with all others would take hours."""
    names = [str(number) for number in range(300_000)]
    text = document("0", levels={"b": {"names": [*names, names[-1]]}}, memberships=[])
    with pytest.raises(RuleFileError, match="must differ from each other, got '299999' twice"):
        RuleSet.from_json(text)


def test_many_labels_of_the_same_hash_are_told_apart_soon() -> None:
    """A set of them would compare each with all others, which takes hours."""
    labels: list[Label] = [each * sys.hash_info.modulus for each in range(300_000)]
    assert len({hash(label) for label in labels}) == 1
    check_rules(labels, [0.0] * len(labels), 1.0)
    others: list[list[Label]] = [["a", 1, "a"], [1, "b", 1.0], [True, 1]]
    for twice in ([*labels, labels[7]], *others):
        with pytest.raises(RuleError, match="every class has one rule"):
            check_rules(twice, [0.0] * len(twice), 1.0)


def doubled(levels: int) -> Expr:
    expr: Expr = Var(0) & Var(1)
    for _ in range(levels):
        expr = And((expr, expr))
    return expr


def test_equal_expressions_are_one_object() -> None:
    assert doubled(MAX_DEPTH - 1) is doubled(MAX_DEPTH - 1)
    assert parse("(0 & 1) | ~2") is parse("(0 & 1) | ~2")


def test_what_says_the_same_is_found_without_writing_it_out() -> None:
    deep = doubled(LEVELS)
    classes = EquivalenceClasses(["a", "b"])
    assert classes.of(deep) == classes.of(And((deep.parts[0], deep.parts[1])))
    assert classes.of(deep) != classes.of(deep, negated=True)
    assert measure([simplify(deep)]).literals < 100_000
    assert len(shared_parts([deep])) == LEVELS


def test_an_expression_too_long_to_write_is_refused_and_represented_briefly() -> None:
    assert repr(doubled(LEVELS)) == f"<And of {2 ** (LEVELS + 1)} inputs and constants>"
    with pytest.raises(ExpressionError, match="written out, the expression has more than"):
        to_text(doubled(LEVELS))


SUMS = {
    "doubled": document("h40", shared=chain("+", levels=40)),
    "counted": document("99*(" * 10 + "0" + ")" * 10),
    "many counts": document(" + ".join(f"99*(99*(tanh({n} * (0) + 1)))" for n in range(1, 99))),
}


@pytest.mark.parametrize("text", SUMS.values(), ids=SUMS)
def test_a_sum_of_more_terms_than_are_written_is_bounded(text: str) -> None:
    with pytest.raises(RuleFileError, match="at most 100000 t"):
        RuleSet.from_json(text)


def test_a_count_above_those_that_are_read_is_written_as_several() -> None:
    text = document("99*(2*(0)) + 1", predicts="number", version=4)
    rules = RuleSet.from_json(text)
    assert rules.to_text() == "c0 = 1 × (99 × (a>0.5±0.5) + 99 × (a>0.5±0.5) + b>0.5±0.5)"
    assert RuleSet.from_json(rules.to_json()) == rules


OPERANDS = 6_000


@pytest.mark.parametrize("operator", ["&", "|", "^", "+"])
def test_many_operands_take_little_time(operator: str) -> None:
    text = document(f" {operator} ".join(["0", "1"] * (OPERANDS // 2)), "0")
    rules = RuleSet.from_json(text)
    assert rules.size in (OPERANDS, OPERANDS + 1)
    assert len(rules.to_text().split()) >= 2 * OPERANDS
    assert rules.predict(TABLE).shape == (3,)
    assert str(rules.explain({"a": 0.25, "b": 1.0}))
    assert rules.simplified(crisp=True) is not None


def test_what_two_long_rules_share_is_looked_up_not_searched_for() -> None:
    many = [f"{number}" for number in range(OPERANDS)]
    text = " | ".join(f"({' & '.join(each)})" for each in (many, many[::-1]))
    assert simplify(parse(text), crisp=True) == And(tuple(map(Var, range(OPERANDS))))


def test_many_features_are_read_and_predicted() -> None:
    features = ["a", "b", *(f"f{number}" for number in range(50_000))]
    ramps = [
        {"kind": "ramp", "feature": at, "low": 0, "high": 1} for at in range(len(features))
    ]
    levels = {"f7": {"names": ["u", "v"], "others": []}}
    ramps[9] = {"kind": "level", "feature": 9, "code": 0}
    text = document("0 & 9", "~1", features=features, levels=levels, memberships=ramps)
    rules = RuleSet.from_json(text)
    table = TABLE.assign(f7=["u", "v", None])
    assert rules.scores(table).tolist() == [[-0.5, -1.0], [-1.0, 1.0], [-0.5, 0.0]]
    assert rules.to_text() == "c0 = a>0.5±0.5 & f7 is u\nc1 = b<0.5±0.5"
    assert rules.legend().count("\n") == 2


def wrong(expression: str) -> str:
    return document(expression, "0")


BIG = {
    "deep": wrong("(" * 200_000),
    "long": wrong("0 & " * 50_000 + "$"),
    "name": wrong("q" * 200_000),
    "quotes": wrong('"' + '\\"' * 100_000),
    "number": wrong("9" * 200_000),
    "value": wrong(f"a is {'v' * 200_000}"),
    "label": document("0", rules=[{"label": "x" * 200_000, "expression": "0"}]),
    "labels": document(*["0"] * 20_000, intercepts=[0.0]),
    "column": document("0", features=["a" * 200_000, "b"]),
    "columns": document("0", features=["a" * 9_000] * 200),
    "level": document("0", levels={"a": {"names": ["v" * 200_000]}}),
    "part": document("0", shared={"h" * 200_000: "&"}),
    "kind": document("0", memberships=[{"kind": "k" * 200_000}]),
    "version": document("0", version=10**4000),
    "scale": document("0", scale=10**4000),
    "twice": document("0")[:-1] + f', "{"k" * 200_000}": 1, "{"k" * 200_000}": 2}}',
    "no object": json.dumps(["x" * 200_000]),
}


@pytest.mark.parametrize("text", BIG.values(), ids=BIG)
def test_a_message_about_a_big_file_is_short(text: str, tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RuleFileError) as raised:
        RuleSet.load(path)
    assert len(str(raised.value)) < 5000


def test_a_message_is_short_whatever_is_quoted_in_it() -> None:
    assert len(list_some(["x" * 10_000] * 100)) < 2000
    assert len(point_at("x" * 10_000, 5000)) < 2000
    assert len(str(CrisplogicError("x" * 10_000))) < 5000
    lines = point_at("a" * 5000 + "!" + "b" * 5000, 5000).split("\n")
    assert lines[1][lines[2].index("^")] == "!"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"scale": 1.0', '"scale": 1.0, "scale": 2.0', "'scale' twice in one object"),
        ('"low": 0', '"low": 0, "low": 1', "'low' twice in one object"),
        ('"scale": 1.0', '"scale": NaN', "must be a finite number, got nan"),
        ('"scale": 1.0', '"scale": -Infinity', "must be a finite number, got -inf"),
    ],
)
def test_json_that_could_be_read_in_two_ways_is_refused(old: str, new: str, said: str) -> None:
    with pytest.raises(RuleFileError, match=said):
        RuleSet.from_json(document("0").replace(old, new, 1))


def test_a_file_larger_than_any_rule_file_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rules.json"
    path.write_text(document("0"))
    RuleSet.load(path)
    monkeypatch.setattr(files, "MAX_BYTES", 100)
    with pytest.raises(OSError, match="it has more than 100 bytes"):
        RuleSet.load(path)


def test_one_long_name_does_not_widen_every_line() -> None:
    features = ["a", "b" * 9000]
    rules = RuleSet.from_json(
        document(*["0 + 1"] * 200, features=features, intercepts=[0.0] * 200)
    )
    for text in (rules.to_text(), rules.legend(), str(rules.explain([0.0, 1.0]))):
        assert max(len(line) for line in text.split("\n") if "b" * 9000 not in line) < 300

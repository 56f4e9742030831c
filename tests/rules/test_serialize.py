"""Rule sets as JSON: what is written can be read, and what cannot be read is explained."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from crisplogic.errors import RuleError, RuleFileError
from crisplogic.expr import And, Expr, Not, Or, Squash, Sum, Var, parse
from crisplogic.expr.nodes import MAX_DEPTH
from crisplogic.rules import (
    ClassificationRules,
    Level,
    Membership,
    Missing,
    Ramp,
    RegressionRules,
    Rule,
    RuleSet,
)
from crisplogic.tables import TRUTH, Levels
from tests.rules.crisp_rules import CLINIC, crisp_rule_sets
from tests.rules.rule_sets import (
    HEALTH,
    INF,
    LEARNED,
    NAN,
    PATIENTS,
    PRICE,
    mixed_rule_sets,
    number_rule_sets,
    rule_sets,
    rules_of,
)
from tests.strategies import INPUTS

HEALTH_TEXT = """\
{
  "format": "crisplogic.rules",
  "version": 3,
  "features": [
    "glucose",
    "age"
  ],
  "levels": {},
  "memberships": [
    {
      "kind": "linear",
      "feature": 0,
      "low": 0.0,
      "high": 200.0
    },
    {
      "kind": "linear",
      "feature": 1,
      "low": 20.0,
      "high": 80.0
    }
  ],
  "shared": {},
  "rules": [
    {
      "label": "ill",
      "expression": "0 & 1"
    },
    {
      "label": "well",
      "expression": "~0"
    }
  ],
  "intercepts": [
    0.0,
    0.0
  ],
  "scale": 2.0
}
"""
# The same as the second version of the format had it, and the first.
SECOND_TEXT = HEALTH_TEXT.replace('"version": 3', '"version": 2').replace(
    '  "levels": {},\n', ""
)
FIRST_TEXT = SECOND_TEXT.replace('"version": 2', '"version": 1').replace(
    """  "intercepts": [
    0.0,
    0.0
  ],
""",
    "",
)

Steps = list[str | int]  # the way from a document to a value somewhere in it
DELETED = object()


def changed(path: Steps, value: Any, document: Any = None) -> Any:
    """A copy of a document (of HEALTH, unless given) with one value replaced or deleted."""
    copy = json.loads(HEALTH_TEXT) if document is None else json.loads(json.dumps(document))
    place = copy
    for step in path[:-1]:
        place = place[step]
    if value is DELETED:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return copy


def refusal(document: Any) -> str:
    """What is said about a document, or about a text that should be one."""
    text = document if isinstance(document, str) else json.dumps(document)
    with pytest.raises(RuleFileError) as error:
        RuleSet.from_json(text)
    return str(error.value)


def assert_refused_or_usable(text: str) -> None:
    """Whatever can be read can be printed, used and written again."""
    try:
        rules = RuleSet.from_json(text)
    except RuleFileError:
        return
    table = np.array([[0.0] * len(rules.features), [NAN] * len(rules.features)])
    assert np.isfinite(rules.scores(table, coded=True)).all()
    if isinstance(rules, ClassificationRules):
        assert np.isfinite(rules.predict_proba(table, coded=True)).all()
    assert rules.predict(table, coded=True).shape == (2,)
    assert str(rules)
    assert isinstance(rules.legend(), str)
    assert RuleSet.from_json(rules.to_json()) == rules


# --- what is written --------------------------------------------------------------------------


def test_the_format_is_one_that_a_person_can_read() -> None:
    assert HEALTH.to_json() == HEALTH_TEXT


def test_ramps_and_intercepts_are_written_as_they_are() -> None:
    document = json.loads(LEARNED.to_json())
    assert document["memberships"] == [
        {"kind": "ramp", "feature": 0, "low": 90.0, "high": 164.0},
        {"kind": "ramp", "feature": 1, "low": 25.5, "high": 37.5},
    ]
    assert document["intercepts"] == [0.0, 0.25, -1.5]
    assert RuleSet.from_json(LEARNED.to_json()) == LEARNED


def test_kinds_of_memberships_do_not_change_into_each_other() -> None:
    mixed = replace(LEARNED, memberships=(Membership(0, 0.0, 1.0), LEARNED.memberships[1]))
    loaded = RuleSet.from_json(mixed.to_json())
    assert list(map(type, loaded.memberships)) == [Membership, Ramp]
    assert loaded.names == ("glucose", "body mass>31.5+/-6")


def test_files_of_the_first_versions_are_still_read() -> None:
    for text in (FIRST_TEXT, SECOND_TEXT):
        assert text.count("version") == 1
        assert "levels" not in text
        assert RuleSet.from_json(text) == HEALTH
    assert "intercepts" not in FIRST_TEXT


def test_crisp_rules_are_written_in_a_version_that_knows_of_them() -> None:
    document = json.loads(CLINIC.to_json())
    assert (document["version"], document["crisp"]) == (6, True)
    assert document["memberships"][:2] == [
        {"kind": "step", "feature": 0, "above": 127.0},
        {"kind": "step", "feature": 1, "at_least": 40.0},
    ]
    assert RuleSet.from_json(json.dumps(document)) == CLINIC
    assert "crisp" not in json.loads(HEALTH_TEXT)
    assert json.loads(HEALTH_TEXT)["version"] < 6
    assert not RuleSet.from_json(HEALTH_TEXT).crisp


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (["crisp"], DELETED, "graded rules have no Step"),
        (["crisp"], False, "graded rules have no Step"),
        (["crisp"], 1, '"crisp" must be true or false, got 1'),
        (["crisp"], "yes", '"crisp" must be true or false'),
        (["memberships", 0, "above"], DELETED, '"above" must be'),
        (["memberships", 0, "above"], "high", '"above" must be'),
        (["memberships", 1, "at_least"], -sys.float_info.max, "a finite number"),
        (["memberships", 0], {"kind": "ramp", "feature": 0, "low": 1, "high": 2}, "got a Ramp"),
        (["rules", 0, "expression"], "0 & tanh(1)", "odd number of terms"),
    ],
)
def test_crisp_rules_that_are_wrong_somewhere_are_refused(
    path: Steps, value: Any, said: str
) -> None:
    assert said in refusal(changed(path, value, json.loads(CLINIC.to_json())))


def test_a_file_without_intercepts_has_none() -> None:
    loaded = RuleSet.from_json(json.dumps(changed(["intercepts"], DELETED)))
    assert loaded.intercepts == (0.0, 0.0)
    assert loaded == HEALTH


def test_names_are_written_as_they_are_not_as_escapes() -> None:
    text = rules_of("0", features=("größe", "体重")).to_json()
    assert '"größe"' in text
    assert '"体重"' in text


def test_shared_parts_are_kept_once_and_by_name() -> None:
    rules = rules_of("(0 & 1) | 2", "~(0 & 1)")
    document = json.loads(rules.to_json())
    assert document["shared"] == {"h1": "0 & 1"}
    assert [rule["expression"] for rule in document["rules"]] == ["h1 | 2", "~h1"]
    assert RuleSet.from_json(rules.to_json()) == rules


def test_a_file_without_shared_parts_need_not_say_so() -> None:
    assert RuleSet.from_json(json.dumps(changed(["shared"], DELETED))) == HEALTH


@pytest.mark.parametrize("definition", [7, None, "0 &", "h2", "h1"])
def test_a_shared_part_that_means_nothing_is_refused(definition: object) -> None:
    said = refusal(changed(["shared"], {"h1": definition}))
    assert "part 'h1'" in said or '"h1" must be' in said


def test_a_deep_rule_set_makes_a_small_file() -> None:
    expr: Expr = Var(0) & Var(1)
    for _ in range(15):
        expr = Squash(Sum((expr & Var(0), expr | Var(1))))
    rules = replace(HEALTH, rules=(Rule("ill", expr), Rule("well", Not(expr))))
    assert len(rules.to_json()) < 5000
    assert RuleSet.from_json(rules.to_json()) == rules


@pytest.mark.parametrize(
    ("label", "written"),
    [
        (np.int64(3), 3),
        (np.float32(0.5), 0.5),
        (np.str_("ill"), "ill"),
        (np.True_, True),
    ],
)
def test_labels_of_numpy_become_pythons_own(label: Any, written: object) -> None:
    loaded = RuleSet.from_json(rules_of("0", labels=(label,)).to_json())
    assert loaded.labels == (written,)
    assert type(loaded.labels[0]) is type(written)


@pytest.mark.parametrize("label", [None, (1, 2), b"ill", 1j, NAN, INF, np.datetime64("2020")])
def test_a_label_that_json_cannot_keep_is_refused_before_anything_is_written(
    label: Any, tmp_path: Path
) -> None:
    rules = rules_of("0", labels=(label,))
    with pytest.raises(RuleFileError, match="must be text or a finite number"):
        rules.save(tmp_path / "rules.json")
    assert list(tmp_path.iterdir()) == []


# --- round trips ------------------------------------------------------------------------------


@given(rule_sets(), hnp.arrays(np.float64, (3, INPUTS), elements=st.floats()))
@settings(max_examples=150)
def test_what_is_read_is_what_was_written_bit_for_bit(
    rules: ClassificationRules, table: NDArray[np.float64]
) -> None:
    loaded = RuleSet.from_json(rules.to_json())
    assert loaded == rules
    assert list(map(type, loaded.labels)) == list(map(type, rules.labels))
    assert loaded.to_json() == rules.to_json()
    assert loaded.scores(table).tobytes() == rules.scores(table).tobytes()
    assert loaded.predict_proba(table).tobytes() == rules.predict_proba(table).tobytes()


def deepest() -> Expr:
    """An expression as deep as there can be, every level in need of brackets."""
    expr: Expr = Var(0)
    while True:
        for step in (lambda x: And((x, Var(1))), Not, lambda x: Or((Var(0), x))):
            if expr._depth == MAX_DEPTH:
                return expr
            expr = step(expr)


def test_the_deepest_expression_there_can_be_comes_back() -> None:
    rules = ClassificationRules(HEALTH.features, HEALTH.memberships, (Rule("deep", deepest()),))
    assert RuleSet.from_json(rules.to_json()) == rules


def test_half_a_surrogate_pair_in_a_name_comes_back_from_a_file(tmp_path: Path) -> None:
    rules = rules_of("0", labels=("\udcff",), features=("a\ud800b",))
    rules.save(tmp_path / "rules.json")
    assert RuleSet.load(tmp_path / "rules.json") == rules


def test_whole_numbers_will_do_where_any_number_would() -> None:
    document = changed(["memberships", 0, "high"], 200)
    document = changed(["intercepts"], [0, 0], document)
    assert RuleSet.from_json(json.dumps(changed(["scale"], 2, document))) == HEALTH


def test_fields_that_this_version_does_not_know_do_no_harm() -> None:
    assert RuleSet.from_json(json.dumps(changed(["comment"], "by hand"))) == HEALTH


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    path.write_text(HEALTH_TEXT, encoding="utf-8-sig")
    assert RuleSet.load(path) == HEALTH


# --- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (["format"], DELETED, 'does not say "format": "crisplogic.rules"'),
        (["format"], "sklearn", 'does not say "format": "crisplogic.rules"'),
        (["format"], ["crisplogic.rules"], 'does not say "format": "crisplogic.rules"'),
        (["version"], DELETED, '"version" must be of type int, got None'),
        (["version"], "1", "\"version\" must be of type int, got '1'"),
        (["version"], 1.0, '"version" must be of type int, got 1.0'),
        (["version"], True, '"version" must be of type int, got True'),
        (["version"], 0, "format version 0, this crisplogic reads versions 1 to 7"),
        (["version"], 8, "version 8, this crisplogic reads versions 1 to 7; if a newer"),
        (["version"], 10**400, "this crisplogic reads versions 1 to 7"),
        (["features"], DELETED, '"features" must be of type list, got None'),
        (["features"], "glucose", "\"features\" must be of type list, got 'glucose'"),
        (["features"], {"0": "glucose"}, '"features" must be of type list'),
        (["features", 0], 7, '"features" must be a list of str, got 7'),
        (["features", 0], None, '"features" must be a list of str, got None'),
        (["features", 0], "age", "column names must differ from each other"),
        (["features"], [], "about column 0, but there are 0 columns"),
        (["memberships"], DELETED, '"memberships" must be of type list'),
        (["memberships", 0], [0, 0.0, 200.0], '"memberships" must be a list of dict'),
        (["memberships", 0, "kind"], DELETED, '"kind" must be of type str, got None'),
        (["memberships", 0, "kind"], "sigmoid", "unknown kind of membership 'sigmoid'; known"),
        (
            ["memberships", 0, "kind"],
            "Ramp",
            "known are 'linear', 'ramp', 'step', 'flag', 'level', ",
        ),
        (["memberships", 0, "feature"], DELETED, '"feature" must be of type int'),
        (["memberships", 0, "feature"], 0.0, '"feature" must be of type int, got 0.0'),
        (["memberships", 0, "feature"], False, '"feature" must be of type int, got False'),
        (["memberships", 0, "feature"], 2, "about column 2, but there are 2 columns"),
        (["memberships", 0, "feature"], -1, "about column -1, but there are 2 columns"),
        (["memberships", 0, "feature"], 10**400, "but there are 2 columns"),
        (["memberships", 0, "low"], DELETED, '"low" must be a finite number, got None'),
        (["memberships", 0, "low"], "0", "\"low\" must be a finite number, got '0'"),
        (["memberships", 0, "low"], True, '"low" must be a finite number, got True'),
        (["memberships", 0, "low"], NAN, '"low" must be a finite number, got nan'),
        (["memberships", 0, "low"], -INF, '"low" must be a finite number, got -inf'),
        (["memberships", 0, "high"], 10**400, '"high" must be a finite number, got 1000'),
        (["memberships", 0, "high"], -1.0, "low <= high, got low = 0.0 and high = -1.0"),
        (["memberships"], [], "the rule for 'ill' is not readable: no such input"),
        (["rules"], DELETED, '"rules" must be of type list'),
        (["rules"], [], "a rule set needs at least one rule"),
        (["rules", 0], "0 & 1", '"rules" must be a list of dict'),
        (["rules", 0, "label"], DELETED, 'a "label" must be text or a finite number, got None'),
        (["rules", 0, "label"], ["ill"], 'a "label" must be text or a finite number'),
        (["rules", 0, "label"], NAN, 'a "label" must be text or a finite number, got nan'),
        (["rules", 0, "label"], INF, 'a "label" must be text or a finite number, got inf'),
        (["rules", 0, "label"], "well", "every class has one rule"),
        (["rules", 0, "expression"], DELETED, '"expression" must be of type str'),
        (["rules", 0, "expression"], 0, '"expression" must be of type str, got 0'),
        (["rules", 0, "expression"], "", "the rule for 'ill' is not readable: expected"),
        (["rules", 0, "expression"], "0 &", "the rule for 'ill' is not readable"),
        (["rules", 0, "expression"], "2", "no such input, there are at most 2"),
        (["rules", 0, "expression"], "0 & 99999999999", "no such input"),
        (["rules", 0, "expression"], "glucose", "unknown name"),
        (["rules", 0, "expression"], "__import__('os')", "is not readable"),
        (["rules", 0, "expression"], "(" * 10**5, "nested deeper than"),
        (["rules", 0, "expression"], "~" * 10**5 + "0", "nested deeper than"),
        (["intercepts"], None, '"intercepts" must be of type list, got None'),
        (["intercepts"], 0.5, '"intercepts" must be of type list, got 0.5'),
        (["intercepts"], "0.5", '"intercepts" must be of type list'),
        (["intercepts"], [0.5], "one finite intercept, got (0.5,) for 2 rules"),
        (["intercepts"], [0, 1, 2], "one finite intercept, got (0.0, 1.0, 2.0) for 2 rules"),
        (["intercepts", 1], "0.5", "\"intercepts\" must be a finite number, got '0.5'"),
        (["intercepts", 1], True, '"intercepts" must be a finite number, got True'),
        (["intercepts", 1], None, '"intercepts" must be a finite number, got None'),
        (["intercepts", 1], [0.5], '"intercepts" must be a finite number, got [0.5]'),
        (["intercepts", 1], NAN, '"intercepts" must be a finite number, got nan'),
        (["intercepts", 1], -INF, '"intercepts" must be a finite number, got -inf'),
        (["intercepts", 1], 10**400, '"intercepts" must be a finite number, got 1000'),
        (["scale"], DELETED, '"scale" must be a finite number, got None'),
        (["scale"], NAN, '"scale" must be a finite number, got nan'),
        (["scale"], 0.0, "the scale must lie between 0 and 1e+100, got 0.0"),
        (["scale"], -1.0, "the scale must lie between 0 and 1e+100, got -1.0"),
        (["scale"], 1e308, "the scale must lie between 0 and 1e+100, got 1e+308"),
    ],
)
def test_a_document_that_is_wrong_somewhere_is_refused_and_says_where(
    path: Steps, value: Any, said: str
) -> None:
    assert said in refusal(changed(path, value))


PRICE_TEXT = PRICE.to_json()


def test_rules_for_a_number_say_so_in_a_version_that_knows_of_it() -> None:
    document = json.loads(PRICE_TEXT)
    assert list(document)[:3] == ["format", "version", "predicts"]
    assert (document["version"], document["predicts"]) == (4, "number")
    assert RuleSet.from_json(PRICE_TEXT) == PRICE
    assert "predicts" not in HEALTH.to_json()


@given(number_rule_sets())
@settings(max_examples=50)
def test_what_is_written_of_a_number_is_read_back(rules: RegressionRules) -> None:
    loaded = RuleSet.from_json(rules.to_json())
    assert loaded == rules
    assert type(loaded) is RegressionRules
    assert RegressionRules.from_json(rules.to_json()) == rules


def test_points_of_classes_are_written_once_in_a_version_that_knows_of_them() -> None:
    pointed = rules_of("3 × (0 & 1) + ~1", "~(0 & 1)")
    document = json.loads(pointed.to_json())
    assert (document["version"], document["predicts"]) == (4, "class")
    assert document["rules"][0]["expression"] == "3 * h1 + ~1"
    assert RuleSet.from_json(pointed.to_json()) == pointed
    assert json.loads(rules_of("(0 & 1) + ~1", "0").to_json())["version"] == 3
    threshold = pointed.with_decision_threshold(0.25)
    assert RuleSet.from_json(threshold.to_json()) == threshold


def test_rules_of_the_other_kind_are_refused_where_one_is_named(tmp_path: Path) -> None:
    HEALTH.save(tmp_path / "rules.json")
    assert ClassificationRules.load(tmp_path / "rules.json") == HEALTH
    with pytest.raises(RuleFileError, match="predict a class, not a number"):
        RegressionRules.load(tmp_path / "rules.json")
    with pytest.raises(RuleFileError, match="predict a number, not a class"):
        ClassificationRules.from_json(PRICE.to_json())


def test_rules_for_classes_may_say_so_in_any_version() -> None:
    for version in (1, 2, 3, 4):
        document = changed(["version"], version)
        assert RuleSet.from_json(json.dumps(changed(["predicts"], "class", document))) == HEALTH


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (["predicts"], DELETED, '"predicts" must be "class" or "number", got None'),
        (["predicts"], "amount", '"predicts" must be "class" or "number", got \'amount\''),
        (["predicts"], "Number", '"predicts" must be "class" or "number"'),
        (["predicts"], None, '"predicts" must be "class" or "number", got None'),
        (["predicts"], True, '"predicts" must be "class" or "number", got True'),
        (["predicts"], ["number"], '"predicts" must be "class" or "number", got [\'number\']'),
        (["predicts"], {"number": 1}, '"predicts" must be "class" or "number"'),
        (["predicts"], "n" * 1000, '"predicts" must be "class" or "number"'),
        (["rules"], [], "a rule set needs at least one rule"),
        (["rules", 0, "label"], None, 'a "label" must be text or a finite number'),
        (["intercepts"], [1.0, 2.0], "one finite intercept"),
        (["intercepts", 0], NAN, '"intercepts" must be a finite number, got nan'),
        (["scale"], -4.0, "the scale must lie between 0 and 1e+100, got -4.0"),
        (["scale"], 0, "the scale must lie between 0 and 1e+100, got 0.0"),
        (["scale"], "4", "\"scale\" must be a finite number, got '4'"),
    ],
)
def test_a_number_that_is_wrong_somewhere_is_refused_and_says_where(
    path: Steps, value: Any, said: str
) -> None:
    message = refusal(changed(path, value, json.loads(PRICE_TEXT)))
    assert said in message
    assert len(message) < 300


def test_two_rules_are_no_number() -> None:
    document = changed(["predicts"], "number")
    assert "one rule, that of the number" in refusal(document)


PLACE = ["levels", "eye colour"]


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (["levels"], [], '"levels" must be of type dict, got []'),
        (["levels"], None, '"levels" must be of type dict, got None'),
        (["levels"], DELETED, '"code" must be the number of a level, got 0; column 2 has 0'),
        (["levels", "hair"], {"names": []}, "must be those of columns, but 'hair' is none"),
        (PLACE, ["red"], "\"eye colour\" must be of type dict, got ['red']"),
        ([*PLACE, "names"], DELETED, '"names" must be of type list, got None'),
        ([*PLACE, "names"], "red", "\"names\" must be of type list, got 'red'"),
        ([*PLACE, "names", 0], 7, '"names" must be a list of str, got 7'),
        ([*PLACE, "names", 0], None, '"names" must be a list of str, got None'),
        ([*PLACE, "names", 0], "light blue", "must differ from each other, got 'light blue'"),
        ([*PLACE, "others", 0], "red", "column 'eye colour': levels must differ from each"),
        ([*PLACE, "others"], {}, '"others" must be of type list, got {}'),
        ([*PLACE, "others"], DELETED, "got 2; column 2 has 2 levels, counted from 0"),
        ([*PLACE, "names"], ["red"], "got 2; column 2 has 2 levels, counted from 0"),
        (["memberships", 3, "code"], DELETED, '"code" must be of type int, got None'),
        (["memberships", 3, "code"], 0.0, '"code" must be of type int, got 0.0'),
        (["memberships", 3, "code"], True, '"code" must be of type int, got True'),
        (["memberships", 3, "code"], 3, "got 3; column 2 has 3 levels, counted from 0"),
        (["memberships", 3, "code"], -1, "got -1; column 2 has 3 levels"),
        (["memberships", 3, "code"], 10**400, "column 2 has 3 levels"),
        (["memberships", 3, "feature"], 0, "got 0; column 0 has 0 levels"),
        (["memberships", 3, "feature"], 9, "got 0; column 9 has 0 levels"),
        (["memberships", 3, "feature"], DELETED, '"feature" must be of type int'),
        (["memberships", 1, "feature"], 3, "about column 3, but there are 3 columns"),
        (["memberships", 2, "feature"], 2, "column 'eye colour' has levels, so its"),
        (["memberships", 3, "kind"], "ramp", '"low" must be a finite number, got None'),
        (["memberships", 0, "kind"], "level", '"code" must be of type int, got None'),
    ],
)
def test_levels_that_are_wrong_somewhere_are_refused_and_say_where(
    path: Steps, value: Any, said: str
) -> None:
    assert said in refusal(changed(path, value, json.loads(PATIENTS.to_json())))


def test_levels_need_no_others() -> None:
    document = changed([*PLACE, "others"], DELETED, json.loads(PATIENTS.to_json()))
    del document["memberships"][5]
    document["rules"] = [{"label": "x", "expression": "3"}]
    document["intercepts"] = [0.0]
    assert RuleSet.from_json(json.dumps(document)).levels[2] == Levels(("red", "light blue"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it is not JSON (Expecting value: line 1 column 1"),
        (" \n", "it is not JSON"),
        ("crisp", "it is not JSON"),
        ("{'format': 1}", "it is not JSON"),
        (HEALTH_TEXT * 2, "it is not JSON (Extra data"),
        ("[]", "it holds a JSON list, not an object"),
        ("null", "it holds a JSON NoneType, not an object"),
        ("1e999", "it holds a JSON float, not an object"),
        ("NaN", "it holds a JSON float, not an object"),
        ("1" * 5000, "it is not JSON (Exceeds the limit"),
        (HEALTH_TEXT.replace("200.0", "1" * 5000), "it is not JSON (Exceeds the limit"),
        (HEALTH_TEXT.replace("200.0", "1e999"), '"high" must be a finite number, got inf'),
        (HEALTH_TEXT.replace('"ill"', "-1e999"), "text or a finite number, got -inf"),
        ("[" * 10**5, "it is not JSON (maximum recursion depth"),
        ('{"a":' * 10**5, "it is not JSON (maximum recursion depth"),
    ],
)
def test_a_text_that_is_no_document_is_refused_and_says_why(text: str, said: str) -> None:
    assert said in refusal(text)


SOMEWHERE: list[Steps] = [["version"], ["features"], ["rules", 0, "label"], ["scale"]]


@pytest.mark.parametrize("depth", [*range(800, 1000, 7), 2000])
def test_nesting_just_short_of_pythons_own_limit_is_refused_as_well(depth: int) -> None:
    for path in SOMEWHERE:
        text = json.dumps(changed(path, "here")).replace('"here"', "[" * depth + "]" * depth)
        assert refusal(text)


def test_a_message_stays_short_whatever_it_is_about() -> None:
    for path in SOMEWHERE[2:]:
        assert len(refusal(changed(path, ["x" * 1000] * 1000))) < 300


@pytest.mark.parametrize("length", range(0, len(HEALTH_TEXT) - 2, 9))
def test_a_truncated_document_is_refused(length: int) -> None:
    assert "it is not JSON" in refusal(HEALTH_TEXT[:length])


@pytest.mark.parametrize("intercept", [1e300, -1.7e308])
@pytest.mark.parametrize("scale", [1e-6, 1e99])
def test_an_intercept_too_great_to_compute_with_is_refused_or_usable(
    intercept: float, scale: float
) -> None:
    document = changed(["scale"], scale, changed(["intercepts", 0], intercept))
    assert_refused_or_usable(json.dumps(document))


# --- fuzzing ----------------------------------------------------------------------------------

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**400, -(10**400), 0, 1, -1])
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(
        [
            "linear",
            "ramp",
            "step",
            "flag",
            "level",
            "missing",
            "class",
            "number",
            "0 & 1",
            "~0",
            "crisplogic.rules",
            "\ud800",
            "1",
            "0 + 0",
        ]
    ),
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(st.text(max_size=3), parts),
    max_leaves=6,
)


def paths(document: Any) -> Iterator[Steps]:
    """The way to every value in a document but the document itself."""
    steps = document if isinstance(document, dict) else range(len(document))
    for step in steps:
        yield [step]
        if isinstance(document[step], dict | list):
            yield from ([step, *rest] for rest in paths(document[step]))


@given(rule_sets() | mixed_rule_sets() | number_rule_sets() | crisp_rule_sets(), st.data())
@settings(max_examples=200)
def test_a_document_with_values_deleted_or_replaced_is_refused_or_usable(
    rules: RuleSet, data: st.DataObject
) -> None:
    document = json.loads(rules.to_json())
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(list(paths(document))))
        value = data.draw(st.just(DELETED) | json_values)
        document = changed(path, value, document)
    assert_refused_or_usable(json.dumps(document))


@given(st.integers(0, len(HEALTH_TEXT)), st.integers(0, 9), st.text(max_size=3))
@settings(max_examples=300)
def test_a_text_with_characters_changed_is_refused_or_usable(
    start: int, length: int, inserted: str
) -> None:
    assert_refused_or_usable(HEALTH_TEXT[:start] + inserted + HEALTH_TEXT[start + length :])


# --- files ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [b"", b"\x00\x01\x02", b"\xff\xfe{\x00}\x00", b"PK\x03\x04\xe9", HEALTH_TEXT[:99].encode()],
    ids=["empty", "binary", "utf-16", "zip", "truncated"],
)
def test_a_file_that_is_no_rule_file_is_refused_by_its_name(
    content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(content)
    with pytest.raises(RuleFileError) as error:
        RuleSet.load(path)
    assert str(error.value).startswith(f"{path} is no crisplogic rule file: ")


def test_a_missing_file_and_a_folder_are_errors_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"none\.json"):
        RuleSet.load(tmp_path / "none.json")
    with pytest.raises(IsADirectoryError, match=tmp_path.name):
        RuleSet.load(tmp_path)


def test_a_rule_about_a_missing_input_is_refused_without_a_file_too() -> None:
    with pytest.raises(RuleError, match="uses input 7, but there are 1 inputs"):
        ClassificationRules(("a",), (Membership(0, 0.0, 1.0),), (Rule("x", Var(0) & Var(7)),))


@pytest.mark.parametrize("scale", [0.0, -1.0, NAN, INF, math.nextafter(0, -1)])
def test_a_scale_that_would_turn_probabilities_around_is_refused_without_a_file_too(
    scale: float,
) -> None:
    with pytest.raises(RuleError, match="the scale must lie between 0 and"):
        ClassificationRules(HEALTH.features, HEALTH.memberships, HEALTH.rules, scale)


# --- truth values, two numbers and ranges -----------------------------------------------------

TWO = Levels(("1", "2"), values="numbers")
KNOWN = ClassificationRules(
    ("age", "smoker", "ward", "sex"),
    (Ramp(0, 30.0, 50.0), Missing(1), Level.of(2, 1, TWO)),
    (Rule("ill", parse("0 & 1")), Rule("well", parse("2"))),
    levels=(None, TRUTH, TWO, Levels(("f", "m"))),
    ranges=((17.0, 90.0), None, None, None),
)


def test_what_is_known_of_columns_is_kept() -> None:
    document = json.loads(KNOWN.to_json())
    assert document["truth_values"] == ["smoker"]
    assert document["ranges"] == {"age": [17.0, 90.0]}
    assert document["levels"]["ward"] == {
        "names": ["1", "2"],
        "others": [],
        "values": "numbers",
    }
    assert document["levels"].keys() == {"ward", "sex"}
    assert RuleSet.from_json(KNOWN.to_json()) == KNOWN


def test_a_file_that_does_not_say_what_is_known_is_still_read() -> None:
    document = json.loads(KNOWN.to_json())
    del document["truth_values"], document["ranges"]
    older = RuleSet.from_json(json.dumps(document))
    assert older == replace(KNOWN, levels=(None, None, *KNOWN.levels[2:]), ranges=())
    document["memberships"][1] = {"kind": "flag", "feature": 1}
    assert RuleSet.from_json(json.dumps(document)).levels[1] == TRUTH


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("ranges", {"age": [90.0, 17.0]}, "two finite numbers in their order"),
        ("ranges", {"age": [17.0]}, "a range is two numbers"),
        ("ranges", {"age": [17.0, "90"]}, "must be a finite number"),
        ("ranges", {"height": [1.0, 2.0]}, "'height' is none"),
        ("ranges", [], "of type dict"),
        ("truth_values", ["height"], "'height' is none"),
        ("truth_values", [1], "a list of str"),
        ("levels", {"ward": {"names": ["2", "1"], "values": "numbers"}}, "in their order"),
        ("levels", {"ward": {"names": ["2", "1"], "values": "dates"}}, '"text" or "numbers"'),
    ],
)
def test_what_is_known_of_columns_is_checked(key: str, value: Any, said: str) -> None:
    document = {**json.loads(KNOWN.to_json()), key: value}
    with pytest.raises(RuleFileError, match=said):
        RuleSet.from_json(json.dumps(document))

"""One interface to all targets, whose options say what they mean."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from crisplogic.errors import ExportError
from crisplogic.export import OPTIONS, TARGETS, About, export
from crisplogic.expr import And, Var, Xor
from crisplogic.rules import ClassificationRules, Flag, Ramp, Rule
from tests.rules.crisp_rules import CLINIC
from tests.rules.rule_sets import LEARNED, PATIENTS, PRICE

NEEDS = {"sql": "sqlglot", "onnx": "onnx"}


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_writes_every_kind_of_rules(target: str) -> None:
    if target in NEEDS:
        pytest.importorskip(NEEDS[target], reason="the extra export is not installed")
    crisp_only = target == "dmn"
    for rules in (CLINIC,) if crisp_only else (CLINIC, PATIENTS, LEARNED, PRICE):
        written = rules.export(target, about={"name": "a model"})
        assert len(written) > 100
        assert written == export(rules, target, about=About(name="a model"))
        if target not in ("onnx", "json"):
            assert "a model" in str(written)
            assert str(written).endswith("\n")


def test_every_option_of_every_target_has_a_meaning() -> None:
    options = {name for target in TARGETS.values() for name in target.options}
    assert options == set(OPTIONS)


def test_an_unknown_target_or_option_is_an_error_that_helps() -> None:
    with pytest.raises(ExportError, match=r"no target 'sqll'.*did you mean 'sql'"):
        export(CLINIC, "sqll")
    with pytest.raises(ExportError, match=r"no option 'dialects'.*did you mean 'dialect'"):
        export(CLINIC, "sql", dialects="duckdb")
    with pytest.raises(ExportError, match="about must be a mapping of 'name'"):
        export(CLINIC, "text", about={"author": "me"})


@pytest.mark.parametrize("target", ["c", "java"])
@pytest.mark.parametrize("name", ["2x", "a b", "int", "", "a;b", "é"])
def test_a_name_that_is_no_identifier_is_refused(target: str, name: str) -> None:
    with pytest.raises(ExportError, match="identifier"):
        export(CLINIC, target, name=name)


def test_text_that_c_cannot_hold_is_refused() -> None:
    rules = CLINIC.rename(labels={"ill": "a\0b"})
    with pytest.raises(ExportError, match="zero byte"):
        export(rules, "c")


def test_rules_as_long_as_a_network_are_refused_instead_of_filling_the_memory() -> None:
    """Parts are shared, so that this expression has a few nodes and 2^26 leaves."""
    expr = Var(0) & Var(1)
    for _ in range(25):
        expr = And((expr, ~expr))
    both = Rule("a", expr), Rule("b", Var(0))
    ramps, flags = (Ramp(0, 0.0, 1.0), Ramp(1, 0.0, 1.0)), (Flag(0), Flag(1))
    for rules in (
        ClassificationRules(("x", "y"), ramps, both),
        ClassificationRules(("x", "y"), flags, both, crisp=True),
    ):
        for target in ("python", "c", "sql", "onnx"):
            with pytest.raises(ExportError, match="too long"):
                export(rules, target)


def test_a_long_exclusive_or_is_refused_instead_of_doubling_for_ever() -> None:
    flags = tuple(Flag(at) for at in range(40))
    names = tuple(f"x{at}" for at in range(40))
    parity = Xor(tuple(Var(at) for at in range(40)))
    rules = ClassificationRules(
        names, flags, (Rule("a", parity), Rule("b", Var(0))), crisp=True
    )
    with pytest.raises(ExportError, match="too long"):
        export(rules, "python")


def test_an_export_needs_no_torch_and_no_database() -> None:
    """And importing the package loads neither numpy nor any exporter."""
    code = (
        "import sys, crisplogic; first = set(sys.modules); import crisplogic.export;"
        "print(sorted({'numpy', 'crisplogic.export'} & first),"
        "sorted({'torch', 'sklearn', 'sqlglot', 'onnx', 'duckdb', 'sympy'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[] []"


def test_a_missing_package_is_an_error_that_names_the_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module, target in (("sqlglot", "sql"), ("onnx", "onnx")):
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(ImportError, match=r"crisplogic\[export\]"):
            export(CLINIC.rename({"glucose": "needs quotes"}), target)


def test_what_is_exported_as_json_is_read_back() -> None:
    for rules in (CLINIC, PATIENTS, PRICE):
        assert type(rules).from_json(str(rules.export("json"))) == rules
        assert json.loads(str(rules.export("json")))["format"] == "crisplogic.rules"

"""All targets, and the one function that writes rules for any of them.

Another target is a function of rules, what is known of them, and its own options; and an
entry in ``TARGETS``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from crisplogic.errors import ExportError
from crisplogic.export.about import About
from crisplogic.export.c import write_c
from crisplogic.export.dmn import write_dmn
from crisplogic.export.java import write_java
from crisplogic.export.javascript import write_javascript
from crisplogic.export.latex import write_latex
from crisplogic.export.numpy_code import write_numpy
from crisplogic.export.onnx_model import write_onnx
from crisplogic.export.pmml import write_pmml
from crisplogic.export.python import write_python
from crisplogic.export.reading import write_html, write_markdown, write_text
from crisplogic.export.rule_file import write_json
from crisplogic.export.sql import write_sql
from crisplogic.export.sympy_code import write_sympy
from crisplogic.messages import did_you_mean, list_some
from crisplogic.rules import RuleSet

# What options mean, the same in all targets that have them.
OPTIONS = {
    "dbt": "Write a dbt model, which refers to the table as another model.",
    "dialect": "The dialect of SQL.",
    "document": "Whether to write a whole document instead of a part of one.",
    "keep": "The columns of the table to select, too; by default all.",
    "missing": "Whether values may be missing, or such that were never seen.",
    "name": "What the names of functions and types begin with.",
    "nan": "Whether columns of numbers may hold NaN, which is a missing value, beside NULL.",
    "proba": "Whether to compute the probability of every class, too.",
    "quote": "Whether to write all names of columns and tables in quotes.",
    "table": "The table to select from.",
    "truth": "How columns of truth values are stored: number (0 and 1), boolean, or text.",
    "view": "The name of a view to create.",
}


@dataclass(frozen=True)
class Target:
    """Something that rules can be written as.

    ``write`` takes the rules, an :class:`About` and keyword-only options. ``suffix`` is that
    of a file.
    """

    name: str
    summary: str
    suffix: str
    write: Callable[..., str | bytes]

    @property
    def options(self) -> dict[str, Any]:
        """The options with their defaults; ``OPTIONS`` says what they mean."""
        parameters = inspect.signature(self.write).parameters.values()
        return {
            each.name: each.default for each in parameters if each.kind == each.KEYWORD_ONLY
        }


TARGETS = {
    target.name: target
    for target in (
        Target("sql", "a query, a view or a dbt model", ".sql", write_sql),
        Target("python", "a module of the standard library alone", ".py", write_python),
        Target("numpy", "a module with numpy, for whole tables", ".py", write_numpy),
        Target("c", "a header in C99, without allocation", ".h", write_c),
        Target("javascript", "an ES module", ".mjs", write_javascript),
        Target("java", "a class without dependencies", ".java", write_java),
        Target("onnx", "a model for onnxruntime and others", ".onnx", write_onnx),
        Target("pmml", "scorecards of PMML 4.4 with reason codes", ".pmml", write_pmml),
        Target("dmn", "decisions of DMN in FEEL, of crisp rules", ".dmn", write_dmn),
        Target("json", "a rule file, which crisplogic reads again", ".json", write_json),
        Target("text", "the rules in plain words", ".txt", write_text),
        Target("markdown", "a list or a table in Markdown", ".md", write_markdown),
        Target("html", "a fragment of a page", ".html", write_html),
        Target("latex", "a list or a table in LaTeX", ".tex", write_latex),
        Target("sympy", "symbolic expressions in Python", ".py", write_sympy),
    )
}


def export(
    rules: RuleSet,
    to: str,
    *,
    about: About | Mapping[str, Any] | None = None,
    **options: Any,
) -> str | bytes:
    """Write rules for a target, which predicts what the rules predict.

    ``to`` is one of ``TARGETS``, the ``options`` are those of the target. ``about`` says where
    the rules come from: ``name``, ``date``, ``rows`` and ``error``, for the head of the text.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Rule, Step
    >>> both = Rule("ill", parse("0 + 1")), Rule("well", parse("unknown"))
    >>> steps = Step(0, 40.0), Step(1, 31.5)
    >>> rules = ClassificationRules(("age", "mass"), steps, both, 1.0, (-1.5, 0.0), crisp=True)
    >>> print(export(rules, "sql", table="patients", missing=False))  # doctest: +ELLIPSIS
    -- Predicts 'ill', 'well' by crisp rules of 2 literals.
    -- crisplogic ...
    SELECT
      *,
      CASE WHEN score >= 2 THEN 'ill' ELSE 'well' END AS prediction
    FROM (
      SELECT
        *,
          CASE WHEN age > 40 THEN 1 ELSE 0 END
        + CASE WHEN mass > 31.5 THEN 1 ELSE 0 END
        AS score
      FROM patients
    ) AS scored;
    <BLANKLINE>
    """
    if to not in TARGETS:
        hint = did_you_mean(to, TARGETS)
        raise ExportError(f"there is no target {to!r}, only {list_some(TARGETS, 99)}{hint}")
    target = TARGETS[to]
    for name in options:
        if name not in target.options:
            known = list_some(target.options, 99) or "none"
            hint = did_you_mean(name, target.options)
            raise ExportError(f"{to} has no option {name!r}, only {known}{hint}")
    return target.write(rules, About.read(about), **options)

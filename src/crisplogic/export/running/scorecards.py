"""Runs exported scorecards of PMML in jpmml-evaluator, on Java."""

from __future__ import annotations

from typing import Any

import numpy as np

from crisplogic.errors import ExportError
from crisplogic.export.from_rules import make_program
from crisplogic.export.pmml import field_names
from crisplogic.export.running.rows import Answers, RawRows, refuse_infinite
from crisplogic.export.targets import export
from crisplogic.rules import RuleSet


def run_pmml(rules: RuleSet, rows: RawRows) -> Answers:
    """Evaluate the document on all rows at once."""
    try:
        import jpmml_evaluator
        import jpype
        import pandas
    except ImportError as error:
        raise ExportError(f"{error.name} is not installed") from None
    refuse_infinite(rows, "evaluators of PMML")
    with_java: Any = jpmml_evaluator
    try:
        text = str(export(rules, "pmml", proba=True))
        evaluator = with_java.make_evaluator(text.encode("utf-8", "surrogatepass")).verify()
    except jpype.JVMNotFoundException:
        raise ExportError("Java is not installed") from None
    columns = {
        name: column if isinstance(column, np.ndarray) else pandas.Series(column, dtype=object)
        for name, column in rows.columns.items()
    }
    frame = pandas.DataFrame({"": 0.0, **columns}, index=range(len(rows)))
    found = evaluator.evaluateAll(frame)
    program = make_program(rules)
    prediction, chances = field_names(program)
    if not len(rows):
        found = pandas.DataFrame(columns=[prediction, *chances])
    predictions = found[prediction].tolist()
    if not program.labels:
        return Answers(predictions)
    labels = {str(label): label for label in program.labels}
    shares = found[chances].to_numpy(dtype=np.float64)
    return Answers([labels.get(each, each) for each in predictions], shares)

"""Runs exported ONNX models in onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np

from crisplogic.errors import ExportError
from crisplogic.export.from_rules import make_program
from crisplogic.export.onnx_graph import input_names
from crisplogic.export.running.rows import Answers, RawRows
from crisplogic.export.targets import export
from crisplogic.rules import RuleSet

# Onnxruntime says so much: errors alone.
ERRORS_ONLY = 3


def run_onnx(rules: RuleSet, rows: RawRows, **options: Any) -> Answers:
    """Run the model on all rows at once."""
    try:
        import onnxruntime
    except ImportError:
        raise ExportError("onnxruntime is not installed") from None
    program = make_program(rules, options.get("missing", True))
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = ERRORS_ONLY
    settings.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        export(rules, "onnx", **options), settings, providers=["CPUExecutionProvider"]
    )
    given = {
        name: _tensor(rows.columns[column.name])
        for column, name in input_names(program.columns).items()
    }
    found = session.run(None, given)
    if not program.labels:
        return Answers(found[0][:, 0].tolist())
    written = {str(label): label for label in program.labels}
    predictions = [written.get(label, label) for label in found[0].tolist()]
    return Answers(predictions, found[1])


def _tensor(column: Any) -> Any:
    if isinstance(column, np.ndarray):
        return column.astype(np.float64)[:, None]
    return np.array(["" if each is None else each for each in column], dtype=object)[:, None]

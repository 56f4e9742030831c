"""Rules for other programs: SQL, C, JavaScript, ONNX and more, from one neutral program.

>>> sorted(TARGETS)  # doctest: +ELLIPSIS
['c', ...'python', 'sql', 'sympy', 'text']
"""

from __future__ import annotations

from crisplogic.export.about import About
from crisplogic.export.rule_file import json_schema
from crisplogic.export.targets import OPTIONS, TARGETS, Target, export

__all__ = ["OPTIONS", "TARGETS", "About", "Target", "export", "json_schema"]

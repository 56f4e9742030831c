"""The workbench: a report of rules that can be changed in a browser, on this machine alone.

``crisplogic edit`` starts it. It needs the extras ``report`` and ``serve``. What is edited,
measured and kept is plain data and pure functions; only ``app`` and ``server`` import a
framework.
"""

from crisplogic.workbench.bench import Bench, Rows
from crisplogic.workbench.edits import Edit, apply_edit
from crisplogic.workbench.session import Session, Version

__all__ = ["Bench", "Edit", "Rows", "Session", "Version", "apply_edit"]

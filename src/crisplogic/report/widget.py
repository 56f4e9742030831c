"""Widget: the page of a report in a notebook that knows which row is tried (anywidget).

The page is that of a report, in a frame that it cannot leave. What is set there is known in
Python, and the other way round.
"""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from crisplogic.report.page import FRAME_HEIGHT, render_talking, template_text
from crisplogic.report.summary import Summary


class ReportWidget(anywidget.AnyWidget):
    """A report as a widget. :meth:`Page.widget` makes it.

    ``row`` has the values that are tried, by column, as rules read them in a table of one
    mapping: ``rules.predict([widget.row])``. None is missing. ``literals`` is the size of the
    rules that are shown, and ``prediction`` their class in words, or number. Set ``row`` or
    ``literals``, and the page follows; columns that a row lacks stay as they are.
    """

    _esm = template_text("widget.js")

    page = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int(FRAME_HEIGHT).tag(sync=True)
    row = traitlets.Dict().tag(sync=True)
    literals = traitlets.Int().tag(sync=True)
    prediction = traitlets.Any(allow_none=True).tag(sync=True)

    def __init__(self, summary: Summary, **traits: Any) -> None:
        chosen = summary.sizes[summary.chosen].literals
        super().__init__(page=str(render_talking(summary)), literals=chosen, **traits)

"""Page: a summary as one HTML file that asks nothing of anyone.

All text of the data is escaped by the template engine. What the script reads is JSON in a tag
that is never executed. The content security policy allows one script and one style sheet, by
their hashes, and nothing else: no request, no image, no form.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
import os
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from crisplogic.errors import CrisplogicError
from crisplogic.files import atomic_binary_writer
from crisplogic.report.drawing import (
    histogram,
    levels_of,
    plot_calibration,
    plot_frontier,
    shares,
)
from crisplogic.report.summary import Summary
from crisplogic.rules.describe import format_points
from crisplogic.rules.held_out_errors import NAMES, write_error
from crisplogic.rules.number_format import four_digits, six_digits

if TYPE_CHECKING:
    from jinja2 import Template

    from crisplogic.report.widget import ReportWidget

# Larger tables of classes are not read.
MOST_CLASSES = 12
FRAME_HEIGHT = 640  # pixels, in a notebook


@dataclass(frozen=True)
class Panel:
    """Something more that stands in a page: HTML, a script and a style sheet for it, and data.

    All text in the ``html`` is escaped already. The script may ask the server of the page for
    something, and no one else.
    """

    html: str
    script: str
    style: str
    data: dict[str, Any]


class ReportError(CrisplogicError, ValueError):
    """A report that cannot be written."""


class Page(str):
    """A page as text, which notebooks show as it is, and the summary that it shows.

    It stands in a frame of its own, which neither its style nor its script can leave. So it
    looks and works as in a browser, in saved notebooks as well, and nothing need be installed.
    """

    summary: Summary

    def widget(self) -> ReportWidget:
        """The same as a widget, of which Python knows the row that is tried.

        Needs ``pip install 'crisplogic[widget]'``.
        """
        if find_spec("anywidget") is None:
            raise ReportError("a widget needs anywidget: pip install 'crisplogic[widget]'")
        from crisplogic.report.widget import ReportWidget

        return ReportWidget(self.summary)

    def _repr_html_(self) -> str:
        text = html.escape(self, quote=True)
        return (
            f'<iframe srcdoc="{text}" sandbox="allow-scripts" title="report" '
            f'style="width: 100%; height: {FRAME_HEIGHT}px; border: 1px solid #ccc"></iframe>'
        )


def check_can_report() -> None:
    """Find out before a long computation that no report could be written."""
    if find_spec("jinja2") is None:
        raise ReportError("a report needs Jinja2: pip install 'crisplogic[report]'")


def write_report(summary: Summary, path: str | os.PathLike[str]) -> None:
    """Write the page to a file, completely or not at all."""
    page = render(summary).encode("utf-8")
    with atomic_binary_writer(path) as file:
        file.write(page)


def render(summary: Summary, panel: Panel | None = None) -> Page:
    """The page of a summary, as text, with a panel before its parts, if there is one."""
    return _render(summary, panel, "")


def render_talking(summary: Summary) -> Page:
    """The page of a summary that tells the page around its frame what it shows."""
    return _render(summary, None, template_text("talk.js"))


def _render(summary: Summary, panel: Panel | None, first: str) -> Page:
    check_can_report()
    after = "" if panel is None else panel.script
    style, script = template_text("page.css"), _script(summary, first, after)
    if panel is not None:
        style += panel.style
    errors = [_error(summary, size.quality.held_out.error) for size in summary.sizes]
    page = _template().render(
        s=summary,
        style=style,
        script=script,
        policy=policy_of(script, style, panel is not None),
        panel=None if panel is None else panel.html,
        panel_data=None if panel is None else _json(panel.data),
        data=_json(_data(summary)),
        error_name=NAMES[summary.predicts],
        errors=errors,
        used=sum(summary.chosen in column.sizes for column in summary.columns),
        frontier=plot_frontier(summary, errors),
        show_confusion=len(summary.labels) <= MOST_CLASSES,
    )
    made = Page(page.encode("utf-8", "replace").decode("utf-8"))  # no halves of characters
    made.summary = summary
    return made


def policy_of(script: str, style: str, asks: bool) -> str:
    """What a browser may do with the page; it may ask its own server if it ``asks``."""
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return f"{policy}; connect-src 'self'" if asks else policy


def _digest(text: str) -> str:
    raw = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(raw).decode('ascii')}"


def _script(summary: Summary, first: str, after: str) -> str:
    """The rules of all sizes as programs, and what moves the page, between other scripts."""
    models = ",\n".join(size.script.strip() for size in summary.sizes)
    own = first + template_text("page.js") + after
    script = f'"use strict";\nconst models = [\n{models}\n];\n{own}'
    script = script.encode("utf-8", "replace").decode("utf-8").replace("\r", "")
    if "</" in script or "<!--" in script:  # names are escaped, so this never is
        raise ReportError("the rules cannot be written as a script inside a page")
    return script


def _json(document: object) -> str:
    """JSON that no HTML page reads as anything else."""
    text = json.dumps(document, allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _data(summary: Summary) -> dict[str, Any]:
    """What the script reads beside the rules."""
    whole = summary.to_dict()
    column_keys = (
        "name",
        "kind",
        "values",
        "low",
        "high",
        "step",
        "start",
        "sizes",
    )
    return {
        "predicts": whole["predicts"],
        "labels": whole["labels"],
        "chosen": whole["chosen"],
        "usual": whole["usual"],
        "sample": whole["sample"],
        "columns": [{key: each[key] for key in column_keys} for each in whole["columns"]],
        "sizes": [
            {
                "crisp": size["crisp"],
                "literals": size["literals"],
                "counting": size["counting"],
                "points": [each["points"] for each in size["statements"]],
                "examples": [each["values"] for each in size["examples"]],
                "trials": size["trials"],
            }
            for size in whole["sizes"]
        ],
    }


def template_text(name: str) -> str:
    """A file that pages are made of."""
    return (files("crisplogic.report") / "templates" / name).read_text(encoding="utf-8")


@cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    environment.filters.update(
        share=_share, number=six_digits, points=format_points, rows=_rows, figure=four_digits
    )
    environment.globals.update(
        histogram=histogram,
        shares=shares,
        plot_calibration=plot_calibration,
        levels_of=levels_of,
        error=_error,
        known=math.isfinite,
    )
    return environment.from_string(template_text("page.html"))


def _error(summary: Summary, error: float) -> str:
    return write_error(error, summary.predicts)


def _share(share: float) -> str:
    return f"{share:.1%}" if math.isfinite(share) else "–"


def _rows(rows: float) -> str:
    return f"{rows:,.0f}" if rows == round(rows) else f"{rows:,.1f}"

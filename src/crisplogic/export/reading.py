"""Targets for people: plain text, Markdown, an HTML fragment."""

from __future__ import annotations

import html
import re

from crisplogic.export.about import About
from crisplogic.rules import RuleSet


def write_text(rules: RuleSet, about: About) -> str:
    """The rules with all that is needed to compute by hand, as they print themselves."""
    return f"{rules.describe()}\n\n{about.origin()}\n"


def write_markdown(rules: RuleSet, about: About) -> str:
    """A list or a table, and how to compute with it."""
    origin = re.sub(r"([\\`*_{}\[\]#|~<>&])", r"\\\1", about.origin())
    return f"{rules.to_markdown()}\n\n{origin}\n"


def write_html(rules: RuleSet, about: About) -> str:
    """A fragment of a page. All text is escaped."""
    return f"{rules._repr_html_()}\n<p>{html.escape(about.origin())}</p>\n"

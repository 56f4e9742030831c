"""References in docstrings and signatures, resolved without the inventories of other projects.

A name is documented where it is exported; a reference to the module that defines it leads
there. Names of other projects, whose inventories would have to be downloaded, and our own that
are not public are shown as plain text. A name of crisplogic that does not exist is an error.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from docutils.nodes import Element, TextElement
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

TYPES = ("class", "exc", "obj")  # what signatures refer to


def resolve(
    app: Sphinx, env: BuildEnvironment, node: Element, content: TextElement
) -> Element | None:
    """Return a link, plain text, or None, which makes Sphinx warn."""
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"]
    if not target.startswith("crisplogic."):
        return content if node["reftype"] in TYPES else None
    wanted = find(target)
    if wanted is None:
        return None
    domain = env.domains.python_domain
    for name in domain.objects:
        if name.endswith(f".{target.rpartition('.')[2]}") and find(name) is wanted:
            page = node.get("refdoc", "")
            return domain.resolve_xref(env, page, app.builder, "obj", name, node, content)
    return content


def find(name: str) -> Any:
    """Return the object that a dotted name stands for, or None."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found: Any = import_module(".".join(parts[:end]))
        except ImportError:
            continue
        for part in parts[end:]:
            found = getattr(found, part, None)
        return found
    return None


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""References in docstrings and signatures, resolved without the inventories of other projects.

A name of crisplogic that is defined in one module and exported by another is documented where
it is exported; a reference to where it is defined leads there. Names of other projects are
shown as plain text: their inventories would have to be downloaded. A wrong name of our own
that is written out in full stays an error.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from docutils.nodes import Element, TextElement
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment


def resolve(
    app: Sphinx, env: BuildEnvironment, node: Element, content: TextElement
) -> Element | None:
    """Return a link to a documented name, plain text for other projects, or None: an error."""
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"]
    if not target.startswith("crisplogic."):
        return None if node.get("refexplicit") or _is_ours(node) else content
    documented = env.domains.python_domain.objects
    for name in _same_object(target, documented):
        return env.domains.python_domain.resolve_xref(
            env, node["refdoc"], app.builder, node["reftype"], name, node, content
        )
    return None


def _is_ours(node: Element) -> bool:
    """Whether a role in prose asks for the reference; types in signatures do not."""
    return node.get("reftype") in ("func", "meth", "attr", "data", "mod")


def _same_object(target: str, documented: Any) -> list[str]:
    """Names under which the object called ``target`` is documented."""
    wanted = _find(target)
    last = target.rpartition(".")[2]
    return [
        name
        for name in documented
        if wanted is not None and name.rpartition(".")[2] == last and _find(name) is wanted
    ]


def _find(name: str) -> Any:
    """The object that a dotted name stands for, or None."""
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
